// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The run folder of a design (docs/run_folder.md): summary.json, and design.csv with the controls, which sim takes by --controls.

#include <tractrix/report.h>

#include "base/context.h"
#include "formats/files.h"
#include "formats/json.h"

#include <tractrix/version.h>

#include <string.h>

static void write_parameters(trxi_json *json, const trx_fit_design *design, const trx_fit_problem *fit)
{
    trxi_json_put_array(json, "parameters");
    for (int i = 0; trxi_json_next_object(json, i, fit->nparameter); i++) {
        trxi_json_put_string(json, "name", fit->parameters[i].name);
        trxi_json_put_number(json, "planned_sd", trx_fit_design_deviation(design, i, false));
        trxi_json_put_number(json, "designed_sd", trx_fit_design_deviation(design, i, true));
    }
}

static void write_summary(const trx_fit_design *design, const trx_fit_problem *fit, trxi_text *out)
{
    const trx_fit_design_info info = trx_fit_design_get_info(design);
    trxi_json json = trxi_json_create(out, 2);
    trxi_json_begin_object(&json);
    trxi_json_put_string(&json, "kind", "design");
    trxi_json_put_string(&json, "status", info.status == TRX_INTERRUPTED ? "interrupted" : "converged");
    trxi_json_put_number(&json, "planned", info.planned);
    trxi_json_put_number(&json, "designed", info.designed);
    trxi_json_put_int(&json, "evaluations", info.evaluations);
    trxi_json_put_number(&json, "seconds", info.seconds);
    write_parameters(&json, design, fit);
    trxi_json_put_object(&json, "versions");
    trxi_json_put_string(&json, "tractrix", trx_version());
    trxi_json_end_object(&json);
    trxi_json_end_object(&json);
    trxi_text_char(out, '\n');
}

static void write_controls(const trx_fit_design *design, const trx_fit_problem *fit, int steps, trxi_text *out)
{
    const int nu = trx_model_get_size(fit->model).nu;
    const double *u = trx_fit_design_controls(design);
    trxi_text_char(out, 't');
    for (int i = 0; i < nu; i++) trxi_text_printf(out, ",u.%s", trx_model_actuator_name(fit->model, i));
    trxi_text_char(out, '\n');
    for (int k = 0; k < steps; k++) {
        trxi_text_number(out, k * fit->sim.time_step);
        trxi_text_cells(out, u + k * nu, nu);
        trxi_text_char(out, '\n');
    }
}

trx_status trx_fit_design_write(trx_context *context, const trx_fit_design *design, const trx_fit_problem *fit, int steps,
                                const char *path, const char *problem_text)
{
    if (!context) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    if (!design || !fit || !path) return trxi_fail(context, TRX_ERR_ARGUMENT, "trx_fit_design_write: no design, problem or folder");
    trxi_folder *folder;
    trxi_text summary = trxi_text_create(context), controls = summary;
    write_summary(design, fit, &summary);
    write_controls(design, fit, steps, &controls);
    trx_status status = summary.status < 0 ? summary.status : controls.status;
    if (status >= 0) status = trxi_folder_begin(context, path, &folder);
    const bool begun = status >= 0;
    if (status >= 0) status = trxi_folder_put_text(folder, "summary.json", &summary);
    if (status >= 0) status = trxi_folder_put_text(folder, "design.csv", &controls);
    if (status >= 0 && problem_text) status = trxi_folder_put(folder, "problem.yaml", problem_text, strlen(problem_text));
    if (status >= 0) status = trxi_folder_commit(folder);
    else if (begun) trxi_folder_abort(folder);
    trxi_text_destroy(&summary);
    trxi_text_destroy(&controls);
    return status;
}
