// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The policy of a run folder as a file: NPZ, CSV or C, by the ending of its name.

#include "report/policy_export.h"

#include "report/run.h"

#include <string.h>

// ---- CSV ----

static void write_head(const trx_model *model, const trx_model_size *size, trxi_text *out)
{
    trxi_text_char(out, 't');
    for (int i = 0; i < size->nstate; i++) trxi_text_printf(out, ",%s", trx_model_state_name(model, i));
    for (int i = 0; i < size->nu; i++) trxi_text_printf(out, ",u.%s", trx_model_actuator_name(model, i));
    for (int i = 0; i < size->nu; i++)
        for (int j = 0; j < size->ntangent; j++)
            trxi_text_printf(out, ",K.%s.%s%s", trx_model_actuator_name(model, i), j < size->nv ? "" : "d_",
                             trx_model_state_name(model, size->nq + (j < size->nv ? j : j - size->nv)));
    trxi_text_char(out, '\n');
}

// `count` numbers that are `stride` apart; empty cells for NULL
static void write_cells(trxi_text *out, const double *values, int count, int stride)
{
    for (int i = 0; i < count; i++) {
        trxi_text_char(out, ',');
        if (values) trxi_text_number(out, values[i * stride]);
    }
}

void trxi_write_policy_csv(const trx_model *model, const trx_policy_def *def, trxi_text *out)
{
    const trx_model_size size = trx_model_get_size(model);
    const int nx = size.nstate, nu = size.nu;
    write_head(model, &size, out);
    for (int k = 0; k <= def->steps; k++) {
        const bool last = k == def->steps;
        const double *K = def->K + (size_t)(size.ntangent * nu) * (size_t)k;
        trxi_text_number(out, def->start_time + k * def->time_step);
        write_cells(out, def->x + (size_t)nx * (size_t)k, nx, 1);
        write_cells(out, last ? NULL : def->u + (size_t)nu * (size_t)k, nu, 1);
        for (int i = 0; i < nu; i++) write_cells(out, last ? NULL : K + i, size.ntangent, nu);
        trxi_text_char(out, '\n');
    }
}

// ---- the file ----

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), n = strlen(end);
    return length > n && strcmp(text + length - n, end) == 0;
}

static trx_status write(const trx_run *run, const char *file, trxi_text *out)
{
    const trx_policy_def def = trx_policy_get(run->policy);
    if (ends_with(file, ".npz")) return trxi_write_policy(run, out);
    if (ends_with(file, ".csv")) trxi_write_policy_csv(run->model, &def, out);
    else if (ends_with(file, ".c")) trxi_write_policy_c(run->model, &def, out);
    else return trxi_fail(run->context, TRX_ERR_ARGUMENT, "%s: a policy is written as .npz, .csv or .c", file);
    return out->status;
}

trx_status trx_run_export_policy(trx_run *run, const char *path, double lead, const char *file)
{
    if (!run) return TRX_ERR_ARGUMENT;
    trxi_begin(run->context);
    if (!path || !file) return trxi_fail(run->context, TRX_ERR_ARGUMENT, "no run folder or no file to write");
    trx_policy_destroy(run->policy);
    run->policy = NULL;
    trx_status status = trx_run_read_policy(run, path, &run->policy);
    if (status < 0) return status;
    trx_policy_def def = trx_policy_get(run->policy);
    def.lead = lead;
    if ((status = trx_policy_set(run->policy, &def)) < 0) return status;
    trxi_text text = trxi_text_create(run->context);
    status = write(run, file, &text);
    if (status >= 0) status = trxi_file_replace(run->context, file, trxi_text_get(&text), text.length);
    trxi_text_destroy(&text);
    return status;
}
