// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// tractrix fit --design PROBLEM computes the standard deviations to expect from one recording of a planned motion, and searches
// for a motion within the limits that gives smaller ones. Planned controls are zero, or come from a file (--controls).

#include "cli.h"

#include <math.h>
#include <stdlib.h>

static const double UNKNOWN = 0.5; // relative standard deviation from which on a parameter counts as not determined [1]

typedef struct watch {
    bool table;
    double best; // the best value shown so far
} watch;

static bool on_generation(int evaluations, double best, void *user)
{
    watch *w = user;
    if (w->table && best < 0.99 * w->best) {
        printf("%11d motions: mean relative sd %.4g\n", evaluations, best);
        w->best = best;
    }
    return !cli_interrupted();
}

static const char *deviation(char text[CLI_NUMBER], double sd, double start)
{
    if (isnan(sd)) return "leaves limits";
    return sd < UNKNOWN * fabs(start) || start == 0 ? cli_number(text, 3, sd) : "not determined";
}

static void print_answer(const trx_fit_design *design, const trx_fit_problem *fit, cli_session *session)
{
    const trx_fit_design_info info = trx_fit_design_get_info(design);
    char n[3][CLI_NUMBER];
    printf("\n%-40s %11s %15s %15s\n", "parameter", "start", "sd, planned", "sd, designed");
    for (int i = 0; i < info.nparameter; i++) {
        const trx_fit_parameter *p = &fit->parameters[i];
        double start = p->start;
        if (isnan(start) && (p->signal || trx_model_parameter_value(session->context, fit->model, p->of, &start) < 0))
            start = p->signal == TRX_FIT_GAIN;
        printf("%-40s %11s %15s %15s\n", p->name, cli_number(n[0], 4, start),
               deviation(n[1], trx_fit_design_deviation(design, i, false), start),
               deviation(n[2], trx_fit_design_deviation(design, i, true), start));
    }
    printf("mean relative sd: planned %s, designed %s; %d motions, %s\n", cli_number(n[0], 4, info.planned),
           cli_number(n[1], 4, info.designed), info.evaluations, cli_seconds(n[2], info.seconds));
    printf("written: %s; run the motion by sim --controls %s/design.csv\n", session->folder, session->folder);
}

static int report(const cli_options *options, cli_session *session, const trx_fit_design *design, const trx_fit_problem *fit,
                  int steps)
{
    const char *problem = trx_problem_text(session->problem);
    const trx_status written = *problem ? trx_fit_design_write(session->context, design, fit, steps, session->folder, problem)
                                        : TRX_ERR_MEMORY;
    if (written < 0) return cli_fail(session->context, written);
    if (options->json) cli_json_file(session->folder, "summary");
    else if (!options->quiet) print_answer(design, fit, session);
    return trx_fit_design_get_info(design).status == TRX_INTERRUPTED ? CLI_INTERRUPTED : CLI_OK;
}

static int design_with(const cli_options *options, cli_session *session, const trx_fit_problem *fit,
                       const trx_fit_settings *settings, trx_fit_motion *motion,
                       trx_fit_design_settings *design_settings)
{
    const size_t nu = (size_t)trx_model_get_size(fit->model).nu;
    double *u = calloc((size_t)motion->steps * nu + 1, sizeof *u);
    trx_status status = u ? TRX_OK : TRX_ERR_MEMORY;
    trx_fit_design *design = NULL;
    watch w = {.table = !options->json && !options->quiet, .best = INFINITY};
    if (status >= 0 && options->controls) status = trx_problem_read_controls(session->problem, options->controls, u);
    motion->u = u;
    design_settings->threads = options->threads;
    if (status >= 0)
        status = trx_fit_design_run(session->context, fit, settings, motion, design_settings, on_generation, &w, &design);
    const int code = design ? report(options, session, design, fit, motion->steps) : cli_fail(session->context, status);
    trx_fit_design_destroy(design);
    free(u);
    return code;
}

int cli_design(const cli_options *options, cli_session *session)
{
    trx_fit_data *data;
    trx_fit_problem fit;
    trx_fit_settings settings;
    trx_fit_motion motion;
    trx_fit_design_settings design_settings;
    trx_context_clear(session->context);
    const trx_status status = trx_problem_fit_design(session->problem, &data, &fit, &settings, &motion, &design_settings);
    if (status < 0) return cli_fail(session->context, status);
    if (options->seed > 0) design_settings.seed = options->seed;
    const int code = design_with(options, session, &fit, &settings, &motion, &design_settings);
    trx_fit_data_destroy(data);
    return code;
}
