// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// tractrix sim PROBLEM simulates from the start state or from a saved state. Controls are zero, constant (--hold), read from a
// file (--controls), or computed by the policy of a planned run (--policy). The run folder is written while the simulation runs.
// Goals are reported, not judged: the exit code says whether the simulation reached its end.

#include "cli.h"

#include <stdlib.h>

// reads controls from a file; clears earlier findings first, because they are already printed
static trx_status read_controls(const cli_options *options, cli_session *session, double *u)
{
    trx_context_clear(session->context);
    trx_status status = trx_problem_read_controls(session->problem, options->controls, u);
    if (status >= 0 && !options->quiet) cli_print_findings(session->context, status, true);
    return status;
}

trx_status cli_drive_read(const cli_options *options, cli_session *session, trx_run *run, cli_drive *d)
{
    if (options->policy) return trx_run_read_policy(run, options->policy, &d->policy);
    if (!options->hold && !options->controls) return TRX_OK;
    trx_model_size size = trx_model_get_size(trx_problem_model(session->problem));
    const size_t steps = options->hold ? 1 : (size_t)trx_problem_steps(session->problem);
    d->u = calloc(steps * (size_t)size.nu + 1, sizeof *d->u);
    if (!d->u) return TRX_ERR_MEMORY;
    if (options->controls) return read_controls(options, session, d->u);
    return trx_run_hold_controls(run, d->u);
}

void cli_drive_apply(const cli_options *options, const cli_drive *d, trx_simulation *simulation)
{
    simulation->u = d->u;
    simulation->policy = d->policy;
    simulation->control_steps = options->hold ? 1 : 0;
    simulation->start = d->start;
}

void cli_drive_release(cli_drive *d)
{
    free(d->u);
    free(d->start);
    trx_policy_destroy(d->policy);
}

static trx_status read_start(const cli_options *options, cli_session *session, trx_run *run, cli_drive *d, int *step)
{
    *step = 0;
    if (!options->restore) return TRX_OK;
    bool same = true;
    trx_model_size size = trx_model_get_size(trx_problem_model(session->problem));
    d->start = calloc((size_t)size.nstate + 1, sizeof *d->start);
    if (!d->start) return TRX_ERR_MEMORY;
    trx_status status = trx_run_read_state(run, options->restore, step, d->start, &same);
    if (status >= 0 && !same && !options->quiet)
        cli_note("%s was saved with another text of the problem file", options->restore);
    return status;
}

typedef struct watch {
    cli_progress progress;
    int first, steps;
    double time_step;
} watch;

static bool on_step(int step, void *user)
{
    watch *w = user;
    if (cli_progress_due(&w->progress)) {
        char what[96];
        snprintf(what, sizeof what, "step %d of %d, t = %.4g s", step, w->steps, step * w->time_step);
        cli_progress_show(&w->progress, (double)(step - w->first) / (w->steps - w->first), what);
    }
    return !cli_interrupted();
}

static int run_simulation(const cli_options *options, cli_session *session, trx_run *run, const cli_drive *d, int step)
{
    double time_step = trx_problem_sim_settings(session->problem).time_step;
    watch w = {cli_progress_start(options, true), step, trx_problem_steps(session->problem), time_step};
    trx_simulation simulation = trx_simulation_default();
    cli_drive_apply(options, d, &simulation);
    simulation.first_step = step;
    simulation.folder = session->folder;
    simulation.every = options->every;
    simulation.statistics = options->statistics;
    simulation.condition = options->condition;
    simulation.linearize = options->linearize;
    simulation.save = options->save;
    simulation.save_every = options->save_every;
    simulation.progress = on_step;
    simulation.user = &w;
    trx_run_set_setup(run, session->seconds, options->seed);
    trx_status status = trx_run_simulate(run, &simulation);
    cli_progress_clear(&w.progress);

    // a failed step leaves a run with the steps before it
    return trx_run_get_info(run).written ? cli_finish_run(options, session, run) : cli_fail(session->context, status);
}

static int simulate(const cli_options *options, cli_session *session)
{
    trx_run *run;
    cli_drive d = {NULL, NULL, NULL};
    int step, code;
    trx_status status = trx_run_create(session->context, session->problem, &run);
    if (status < 0) return cli_fail(session->context, status);

    status = cli_drive_read(options, session, run, &d);
    if (status >= 0) status = read_start(options, session, run, &d, &step);
    if (status < 0) code = cli_fail(session->context, status);
    else code = run_simulation(options, session, run, &d, step);
    cli_drive_release(&d);
    trx_run_destroy(run);
    return code;
}

int cli_sim(const cli_options *options)
{
    cli_policy_time time;
    if (!options->policy) return cli_session_run(options, simulate);
    const int code = cli_policy_step(options, &time);
    if (code != CLI_OK) return code;
    const int ended = cli_session_run(&time.options, simulate);
    free(time.set);
    return ended;
}
