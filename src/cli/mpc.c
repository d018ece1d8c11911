// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// tractrix mpc PROBLEM: closes the loop between a planner and a plant. The planner has the model of the file, the plant
// also the values of mpc.plant. The run folder is that of a simulation of the plant, with a table of the ticks.

#include "cli.h"

#include <math.h>
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

// ---- ticks ----

typedef struct tick {
    double time, seconds, cost;
    trx_status status;
    int knots;
} tick;

typedef struct tick_list {
    tick *ticks;
    int count, room;
    double period;
} tick_list;

static void on_tick(const trx_mpc *mpc, double time, trx_status status, void *user)
{
    tick_list *list = user;
    const trx_plan *plan = trx_mpc_plan(mpc);
    if (list->count >= list->room) return;
    list->ticks[list->count++] = (tick){time, trx_mpc_get_info(mpc).seconds, trx_plan_get_info(plan).cost, status,
                                        trx_plan_get_steps(plan)};
}

static trx_status write_ticks(const cli_session *session, const tick_list *list)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/ticks.csv", session->folder);
    FILE *file = fopen(path, "w");
    if (!file) return TRX_ERR_IO;
    fputs("t,status,knots,cost,seconds,late\n", file);
    for (int i = 0; i < list->count; i++) {
        const tick *k = &list->ticks[i];
        const int late = k->seconds > list->period;
        fprintf(file, "%.9g,%d,%d,%.9g,%.6g,%d\n", k->time, (int)k->status, k->knots, k->cost, k->seconds, late);
    }
    const bool failed = ferror(file) != 0;
    return fclose(file) != 0 || failed ? TRX_ERR_IO : TRX_OK;
}

static int by_seconds(const void *a, const void *b)
{
    const double x = ((const tick *)a)->seconds, y = ((const tick *)b)->seconds;
    return (x > y) - (x < y);
}

// how long ticks took, by powers of two; sorts the list
static void print_histogram(tick_list *list)
{
    qsort(list->ticks, (size_t)list->count, sizeof *list->ticks, by_seconds);
    for (int i = 0; i < list->count;) {
        const double most = exp2(ceil(log2(fmax(list->ticks[i].seconds, 1e-6))));
        int end = i;
        while (end < list->count && list->ticks[end].seconds <= most) end++;
        if (end == i) end++;
        char limit[CLI_NUMBER];
        printf("  up to %8s %6d  ", cli_seconds(limit, most), end - i);
        for (int k = 0; k < (40 * (end - i) + list->count - 1) / list->count; k++) putchar('#');
        putchar('\n');
        i = end;
    }
}

static void print_ticks(const trx_mpc_info *ticks, double period)
{
    char slowest[CLI_NUMBER], every[CLI_NUMBER];
    cli_seconds(every, period);
    printf("ticks: %d, %d failed, one every %s; slowest %s, %d late\n", ticks->ticks, ticks->failures, every,
           cli_seconds(slowest, ticks->slowest), ticks->late);
}

static int close_loop(const cli_options *options, cli_session *session, const trx_mpc_problem *mpc, trx_problem *plant,
                      trx_run *run, tick_list *list)
{
    trx_plan_problem task = trx_plan_problem_default();
    trx_plan_settings unused = trx_plan_settings_default();
    trx_status status = trx_problem_plan(session->problem, &task, &unused);
    if (status < 0) return cli_fail(session->context, status);
    trx_mpc_info ticks = {0};
    trx_mpc_controller loop = {.task = &task, .settings = mpc->settings, .period = mpc->period, .ticks = &ticks,
                               .on_tick = on_tick, .user = list};
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
    const trx_status written = write_ticks(session, list);
    if (written < 0) return cli_fail(session->context, written);
    if (!options->json && !options->quiet) {
        print_ticks(&ticks, mpc->period);
        print_histogram(list);
    }
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
    tick_list list = {.room = (int)fmin(1e7, mpc.duration / mpc.period + 2), .period = mpc.period};
    list.ticks = malloc((size_t)list.room * sizeof *list.ticks);
    if (!list.ticks) status = TRX_ERR_MEMORY;
    const int code = status < 0 ? cli_fail(session->context, status) : close_loop(options, session, &mpc, plant, run, &list);
    free(list.ticks);
    trx_run_destroy(run);
    trx_problem_destroy(plant);
    return code;
}

int cli_mpc(const cli_options *options)
{
    return cli_session_run(options, run_loop);
}
