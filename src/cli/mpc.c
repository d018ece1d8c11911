// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// tractrix mpc PROBLEM: closes the loop between a planner and a plant. The planner has the model of the file, the plant
// also the values of mpc.plant. The run folder is that of a simulation of the plant.

#include "cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct watch {
    cli_progress progress;
    int steps;
} watch;

static bool on_step(int step, void *user)
{
    watch *w = user;
    if (cli_progress_due(&w->progress)) {
        char what[64];
        snprintf(what, sizeof what, "step %d of %d", step, w->steps);
        cli_progress_show(&w->progress, (double)step / w->steps, what);
    }
    return !cli_interrupted();
}

// the file again, with the values of the plant and the duration of the loop
static trx_status load_plant(const cli_options *options, cli_session *session, const trx_mpc_problem *mpc, trx_problem **plant)
{
    trx_problem_options load = cli_load_options(options);
    const char **sets = calloc((size_t)(options->nset + mpc->nplant + 2), sizeof *sets);
    if (!sets) return TRX_ERR_MEMORY;
    for (int i = 0; i < options->nset; i++) sets[i] = options->set[i];
    for (int i = 0; i < mpc->nplant; i++) sets[load.nset++] = mpc->plant[i];
    char time[160];
    load.set = sets;
    trx_status status = trx_problem_load(session->context, options->target, &load, plant);
    if (status >= 0) {
        // the duration counts in steps of the plant
        const double step = trx_problem_sim_settings(*plant).time_step, steps = mpc->duration / step + 0.5;
        trx_problem_destroy(*plant);
        snprintf(time, sizeof time, "time={step: %.17g, steps: %.0f}", step, steps >= 1 ? (double)(long long)steps : 1);
        sets[load.nset++] = time;
        status = trx_problem_load(session->context, options->target, &load, plant);
    }
    free(sets);
    return status;
}

static void print_ticks(const trx_mpc_info *ticks, double period)
{
    char slowest[CLI_NUMBER], every[CLI_NUMBER];
    cli_seconds(every, period);
    printf("ticks: %d, %d failed, one every %s; slowest %s, %d late\n", ticks->ticks, ticks->failures, every,
           cli_seconds(slowest, ticks->slowest), ticks->late);
}

static int close_loop(const cli_options *options, cli_session *session, const trx_mpc_problem *mpc, trx_problem *plant,
                      trx_run *run)
{
    trx_plan_problem task = trx_plan_problem_default();
    trx_plan_settings unused = trx_plan_settings_default();
    trx_status status = trx_problem_plan(session->problem, &task, &unused);
    if (status < 0) return cli_fail(session->context, status);
    trx_mpc_info ticks = {0};
    trx_mpc_controller loop = {.task = &task, .settings = mpc->settings, .period = mpc->period, .ticks = &ticks};
    loop.settings.threads = options->threads;
    const trx_controller controller = trx_mpc_as_controller(&loop);
    watch w = {cli_progress_start(options, true), trx_problem_steps(plant)};
    trx_simulation simulation = trx_simulation_default();
    simulation.controller = &controller;
    simulation.folder = session->folder;
    simulation.every = options->every;
    simulation.statistics = options->statistics;
    simulation.progress = on_step;
    simulation.user = &w;
    trx_run_set_setup(run, session->seconds, options->seed);
    status = trx_run_simulate(run, &simulation);
    cli_progress_clear(&w.progress);
    if (!trx_run_get_info(run).written) return cli_fail(session->context, status);
    if (!options->json && !options->quiet) print_ticks(&ticks, mpc->period);
    return cli_finish_run(options, session, run);
}

static int run_loop(const cli_options *options, cli_session *session)
{
    const trx_mpc_problem mpc = trx_problem_mpc(session->problem);
    if (mpc.noise) {
        cli_error("not in this version: mpc.noise: `trial` has noise");
        return CLI_USAGE;
    }
    trx_problem *plant = NULL;
    trx_run *run = NULL;
    trx_status status = load_plant(options, session, &mpc, &plant);
    if (status >= 0) status = trx_run_create(session->context, plant, &run);
    const int code = status < 0 ? cli_fail(session->context, status) : close_loop(options, session, &mpc, plant, run);
    trx_run_destroy(run);
    trx_problem_destroy(plant);
    return code;
}

int cli_mpc(const cli_options *options)
{
    return cli_session_run(options, run_loop);
}
