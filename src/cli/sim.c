// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// tractrix sim PROBLEM: simulates from the start state under zero controls, constant ones that hold the start
// configuration, those of a file, or those of a planned run with its feedback. Goals are reported, not judged: the
// exit code says whether the simulation ran to its end.

#include "cli.h"

#include <stdlib.h>

// arrays that drive the simulation
typedef struct drive {
    double *u, *K, *x;
} drive;

static trx_status read_drive(const cli_options *options, cli_session *session, trx_run *run, drive *d)
{
    trx_model_size size = trx_model_get_size(trx_problem_model(session->problem));
    size_t steps = (size_t)trx_problem_steps(session->problem), nu = (size_t)size.nu;
    d->u = calloc(steps * nu + 1, sizeof *d->u);
    if (options->policy) {
        d->K = calloc(steps * nu * 2 * (size_t)size.nv + 1, sizeof *d->K);
        d->x = calloc(steps * (size_t)(size.nq + size.nv) + 1, sizeof *d->x);
    }
    if (!d->u || (options->policy && (!d->K || !d->x))) return TRX_ERR_MEMORY;
    if (options->policy) return trx_run_read_policy(run, options->policy, d->u, d->K, d->x);
    if (options->controls) return trx_problem_read_controls(session->problem, options->controls, d->u);
    if (options->hold) return trx_run_hold_controls(run, d->u);
    return TRX_OK;
}

typedef struct watch {
    cli_progress progress;
    int steps;
} watch;

static bool on_step(int step, void *user)
{
    watch *w = user;
    char what[48];
    snprintf(what, sizeof what, "step %d of %d", step, w->steps);
    cli_progress_show(&w->progress, (double)step / w->steps, what);
    return !cli_interrupted();
}

static int simulate(const cli_options *options, cli_session *session)
{
    trx_run *run;
    drive d = {NULL, NULL, NULL};
    trx_status status = trx_run_create(session->context, session->problem, &run);
    if (status < 0) return cli_fail(session->context, status);

    int code = CLI_OK;
    status = read_drive(options, session, run, &d);
    if (status < 0) code = cli_fail(session->context, status);
    else {
        watch w = {cli_progress_start(options), trx_problem_steps(session->problem)};
        trx_simulation simulation = trx_simulation_default();
        simulation.u = d.u;
        simulation.K = d.K;
        simulation.x_reference = d.x;
        simulation.linearize = options->linearize;
        simulation.progress = on_step;
        simulation.user = &w;
        trx_run_set_setup(run, session->seconds, options->seed);
        status = trx_run_simulate(run, &simulation);
        cli_progress_clear(&w.progress);

        // a step that failed leaves a run up to there
        bool nothing = status == TRX_ERR_ARGUMENT || status == TRX_ERR_MEMORY || status == TRX_ERR_UNSUPPORTED;
        code = nothing ? cli_fail(session->context, status) : cli_finish_run(options, session, run);
    }
    free(d.u);
    free(d.K);
    free(d.x);
    trx_run_destroy(run);
    return code;
}

int cli_sim(const cli_options *options)
{
    return cli_session_run(options, simulate);
}
