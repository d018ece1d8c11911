// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// tractrix mpc PROBLEM closes the loop between a planner and a plant. The planner has the model of the file. The plant's model
// differs by the values of mpc.plant. The run folder shows a simulation of the plant, with a table of the ticks.

#include "cli.h"

#include <limits.h>
#include <math.h>

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

// ---- ticks ----

static void on_tick(const trx_mpc *mpc, double time, trx_status status, void *user)
{
    const trx_plan *plan = trx_mpc_plan(mpc);
    const double seconds = status == TRX_INTERRUPTED ? 0 : trx_mpc_get_info(mpc).seconds; // a dropped tick takes no time
    const trx_tick tick = {time, status, trx_plan_get_steps(plan), trx_plan_get_info(plan).cost, seconds,
                           trx_mpc_policy(mpc)};
    trx_run_add_tick(user, &tick);
}

// prints how many ticks took how long, in bins by powers of two
static void print_histogram(const trx_loop_info *info)
{
    int first = TRX_TICK_BINS, last = -1, all = 0;
    for (int i = 0; i < TRX_TICK_BINS; i++) {
        if (info->histogram[i] == 0) continue;
        all += info->histogram[i];
        first = i < first ? i : first, last = i;
    }
    for (int i = first; i <= last; i++) {
        char limit[CLI_NUMBER];
        const int here = info->histogram[i];
        printf("  up to %8s %6d  ", cli_seconds(limit, ldexp(1, i - 20)), here);
        for (int k = 0; k < (40 * here + all - 1) / all; k++) putchar('#');
        putchar('\n');
    }
}

static trx_status print_ticks(const trx_run *run)
{
    trx_loop_info info;
    const trx_status status = trx_run_get_loop(run, &info);
    if (status < 0) return status;
    char slowest[CLI_NUMBER], every[CLI_NUMBER], dropped[64] = "", pushes[64] = "";
    if (info.dropped > 0) snprintf(dropped, sizeof dropped, ", %d dropped", info.dropped);
    if (info.pushes > 0) snprintf(pushes, sizeof pushes, "; %d pushes", info.pushes);
    printf("ticks: %d, %d failed%s, one every %s; slowest %s, %d late%s\n", info.ticks, info.failed, dropped,
           cli_seconds(every, info.period), cli_seconds(slowest, info.most), info.late, pushes);
    print_histogram(&info);
    return status;
}

// ---- the loop ----

static trx_simulation simulation_of(const cli_options *options, const cli_session *session, const trx_controller *controller,
                                    watch *w)
{
    trx_simulation simulation = trx_simulation_default();
    simulation.controller = controller;
    simulation.folder = session->folder;
    simulation.every = options->every;
    simulation.statistics = options->statistics;
    simulation.progress = on_step;
    simulation.user = w;
    return simulation;
}

static int in_steps(double seconds, double step)
{
    return (int)fmin(floor(seconds / step + 0.5), INT_MAX);
}

// the channel between plant and planner: noise, and age and delay in steps of the plant
static trx_channel channel_of(const trx_mpc_problem *mpc, const trx_problem *plant, const trx_controller *planner)
{
    const double step = trx_problem_sim_settings(plant).time_step;
    trx_channel channel = trx_channel_default();
    channel.model = trx_problem_model(plant);
    channel.controller = planner;
    channel.noise = mpc->noise;
    channel.age = in_steps(mpc->age, step);
    channel.delay = in_steps(mpc->plant_delay, step);
    channel.seed = mpc->seed;
    return channel;
}

static int close_loop(const cli_options *options, cli_session *session, const trx_mpc_problem *mpc, trx_problem *plant,
                      trx_run *run)
{
    trx_plan_problem task = trx_plan_problem_default();
    trx_plan_settings unused = trx_plan_settings_default();
    trx_status status = trx_problem_plan(session->problem, &task, &unused);
    if (status < 0) return cli_fail(session->context, status);
    trx_mpc_controller loop = {.task = &task, .settings = mpc->settings, .period = mpc->period, .on_tick = on_tick, .user = run,
                               .latency = mpc->plant_latency, .dropped = mpc->dropped, .seed = mpc->seed};
    loop.settings.threads = options->threads;
    loop.settings.max_age = fmax(loop.settings.max_age, mpc->age + trx_problem_sim_settings(plant).time_step);
    const trx_controller planner = trx_mpc_as_controller(&loop);
    const trx_channel channel = channel_of(mpc, plant, &planner);
    const trx_controller controller = trx_channel_controller(&channel);
    watch w = {cli_progress_start(options, true), trx_problem_steps(plant)};
    const trx_simulation simulation = simulation_of(options, session, &controller, &w);
    trx_run_set_setup(run, session->seconds, mpc->seed);
    trx_run_set_loop(run, mpc->period, mpc->seed);
    status = trx_run_simulate(run, &simulation);
    cli_progress_clear(&w.progress);
    if (!trx_run_get_info(run).written) return cli_fail(session->context, status);
    if (!options->json && !options->quiet && (status = print_ticks(run)) < 0) return cli_fail(session->context, status);
    return cli_finish_run(options, session, run);
}

static int run_loop(const cli_options *options, cli_session *session)
{
    trx_mpc_problem mpc = trx_problem_mpc(session->problem);
    if (options->seed > 0) mpc.seed = options->seed;
    const trx_problem_options load = cli_load_options(options);
    trx_problem *plant = NULL;
    trx_run *run = NULL;
    trx_status status = trx_problem_load_plant(session->context, options->target, &load, &mpc, &plant);
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
