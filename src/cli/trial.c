// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// tractrix trial RUN runs the plan of a run folder in worlds that differ from its model. It prints and writes how often the plan
// reaches its goals, how far it misses them, and which variations decide.

#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct watch {
    cli_progress progress;
    int worlds;
} watch;

static bool on_world(int done, void *user)
{
    watch *w = user;
    if (cli_progress_due(&w->progress)) {
        char what[64];
        snprintf(what, sizeof what, "world %d of %d", done, w->worlds);
        cli_progress_show(&w->progress, (double)done / w->worlds, what);
    }
    return !cli_interrupted();
}

// ---- for people ----

static void print_rate(const trx_trial *trial)
{
    const trx_trial_info info = trx_trial_get_info(trial);
    char seconds[CLI_NUMBER];
    const double rate = info.worlds > 0 ? (double)info.successes / info.worlds : 0;
    const cli_style style = rate >= 0.9 ? CLI_GREEN : rate >= 0.5 ? CLI_YELLOW : CLI_RED;
    printf("%s%d of %d worlds succeed%s: %.0f %%, 95 %% interval %.0f to %.0f %%, in %s\n", cli_style_text(style), info.successes,
           info.worlds, cli_style_text(CLI_PLAIN), 100 * rate, 100 * info.rate_low, 100 * info.rate_high,
           cli_seconds(seconds, info.seconds));
}

static void print_goals(trx_trial *trial)
{
    const int count = trx_trial_get_info(trial).ngoal;
    printf("%-32s %12s %12s %12s %12s %12s\n", "goal", "tolerance", "allowed", "median", "90 %", "worst");
    for (int i = 0; i < count; i++) {
        const trx_trial_goal goal = trx_trial_get_goal(trial, i);
        char n[5][CLI_NUMBER];
        cli_number(n[0], 3, goal.tolerance);
        cli_number(n[1], 3, goal.allowed);
        cli_number(n[2], 3, trx_trial_quantile(trial, i, 0.5));
        cli_number(n[3], 3, trx_trial_quantile(trial, i, 0.9));
        cli_number(n[4], 3, trx_trial_quantile(trial, i, 1));
        printf("%-32s %12s %12s %12s %12s %12s\n", goal.name, n[0], n[1], n[2], n[3], n[4]);
    }
}

enum { SHOWN = 5 };

static void print_worst(const trx_trial *trial)
{
    int worlds[SHOWN];
    const int count = trx_trial_worst(trial, SHOWN, worlds), first = trx_trial_get_settings(trial).first_world;
    printf("worst worlds:");
    for (int i = 0; i < count; i++) {
        const trx_trial_world world = trx_trial_get_world(trial, worlds[i]);
        char ratio[CLI_NUMBER];
        if (world.status < 0) printf("%s %d (%s)", i ? "," : "", first + worlds[i], trx_status_text(world.status));
        else printf("%s %d (%s times allowed)", i ? "," : "", first + worlds[i], cli_number(ratio, 2, world.ratio));
    }
    printf("\n");
}

// prints the correlations that are larger than chance explains in this number of worlds
static void print_decisive(const trx_trial *trial)
{
    int order[SHOWN], shown = 0;
    const int count = trx_trial_strongest(trial, SHOWN, order);
    const double noise = 2.6 / sqrt(fmax(1, trx_trial_get_info(trial).worlds - 1)); // about one in a hundred by chance
    printf("what decides (rank correlation with the error):");
    for (int i = 0; i < count; i++) {
        const trx_trial_variation v = trx_trial_get_variation(trial, order[i]);
        if (fabs(v.correlation) < noise) break;
        printf("%s %s %+.2f", shown++ ? "," : "", v.name, v.correlation);
    }
    printf("%s\n", shown ? "" : " nothing stands out");
}

// ---- the trial ----

static bool is_interrupted(void *user)
{
    (void)user;
    return cli_interrupted();
}

// FNV-1a
static unsigned long long hash(unsigned long long from, const void *data, size_t length)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < length; i++) from = (from ^ bytes[i]) * 0x100000001b3ull;
    return from;
}

// hash of everything that the result of a trial depends on: the problem, the policy and the kind of controller
static void write_stamp(const cli_options *options, trx_problem *problem, const trx_policy *policy, char stamp[32])
{
    const trx_policy_def def = trx_policy_get(policy);
    const trx_model_size size = trx_model_get_size(trx_policy_model(policy));
    const size_t steps = (size_t)def.steps, nx = (size_t)size.nstate, nu = (size_t)size.nu;
    const char *text = trx_problem_text(problem);
    unsigned long long h = hash(0xcbf29ce484222325ull, text, strlen(text));
    h = hash(h, options->with, strlen(options->with));
    h = hash(h, def.x, nx * (steps + 1) * sizeof *def.x);
    h = hash(h, def.u, nu * steps * sizeof *def.u);
    if (def.K) h = hash(h, def.K, (size_t)size.ntangent * nu * steps * sizeof *def.K);
    snprintf(stamp, 32, "%016llx", h);
}

// reads the policy of the run folder: without gains for open loop, otherwise with the delay of the trial as its lead
static trx_status read_policy(const cli_options *options, cli_session *session, trx_run *run, trx_policy **policy)
{
    trx_policy *read;
    *policy = NULL;
    trx_status status = trx_run_read_policy(run, options->target, &read);
    if (status < 0) return status;
    trx_policy_def def = trx_policy_get(read);
    if (strcmp(options->with, "open") == 0) def.K = NULL;
    else def.lead = trx_problem_trial(session->problem).delay;
    status = trx_policy_create(session->context, trx_policy_model(read), &def, policy);
    trx_policy_destroy(read);
    return status;
}

static int report(const cli_options *options, cli_session *session, trx_trial *trial, trx_status status)
{
    char name[32];
    snprintf(name, sizeof name, "trial_%s", options->with);
    const trx_status written = trx_trial_write(trial, options->target, name);
    if (written < 0) return cli_fail(session->context, written);
    if (options->json) cli_json_file(options->target, name);
    else if (!options->quiet) {
        print_rate(trial);
        print_goals(trial);
        print_worst(trial);
        print_decisive(trial);
        printf("written: %s/%s.csv and %s.json\n", options->target, name, name);
    }
    if (status != TRX_INTERRUPTED) return CLI_OK;
    if (!options->json && !options->quiet) printf("go on:   the same command with --resume\n");
    return CLI_INTERRUPTED;
}

// the planner of the section mpc, with the plan of the run as its first plan and with the delay of the worlds
static trx_mpc_controller loop_of(const trx_problem *problem, const trx_policy *policy, const trx_plan_problem *task,
                                  double plan_margin, double delay)
{
    const trx_mpc_problem mpc = trx_problem_mpc(problem);
    trx_mpc_controller loop = {.task = task, .settings = mpc.settings, .period = mpc.period,
                               .latency = mpc.plant_latency};
    if (loop.settings.friction_margin <= plan_margin) loop.settings.first = policy; // else the plan relies on too much friction
    loop.settings.delay = delay;
    return loop;
}

// creates a planner whose first plan has the time step of the planner, so that no world has to convert the plan
static trx_status prepare_loop(cli_session *session, trx_mpc_controller *loop, trx_mpc **prepared)
{
    const trx_status status = trx_mpc_create(session->context, loop->task, &loop->settings, prepared);
    if (status >= 0) loop->settings.first = trx_mpc_policy(*prepared);
    return status;
}

// places of a trial that can be resumed
typedef struct places {
    char save[4096], resume[4096]; // without the ending: written while the trial runs; read by --resume
    char stamp[32];                // of everything that the result depends on
} places;

// --resume reads the worlds that a killed trial has saved; without such files it reads the tables of the last finished trial
static void find_places(const cli_options *options, places *p)
{
    char table[4112];
    snprintf(p->save, sizeof p->save, "%s/.trial_%s.progress", options->target, options->with);
    snprintf(table, sizeof table, "%s.csv", p->save);
    if (access(table, F_OK) == 0) snprintf(p->resume, sizeof p->resume, "%s", p->save);
    else snprintf(p->resume, sizeof p->resume, "%s/trial_%s", options->target, options->with);
}

static void remove_saved(const places *p)
{
    static const char *const endings[] = {".csv", ".json"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char path[4112];
        snprintf(path, sizeof path, "%s%s", p->save, endings[i]);
        unlink(path);
    }
}

// the settings of the problem, changed by the options
static trx_trial_settings settings_of(const cli_options *options, const trx_problem *problem, const places *p)
{
    trx_trial_settings s = trx_problem_trial(problem);
    if (options->worlds > 0) s.worlds = options->worlds;
    if (options->first_world >= 0) s.first_world = options->first_world;
    if (options->seed > 0) s.seed = options->seed;
    s.threads = options->threads;
    s.stop = is_interrupted, s.stamp = p->stamp, s.save = p->save;
    if (options->resume) s.resume = p->resume;
    return s;
}

// runs all worlds and shows the progress
static trx_status run_worlds(const cli_options *options, cli_session *session, const trx_plan_problem *task,
                             const trx_trial_settings *settings, const trx_controller *controller, trx_trial **trial)
{
    watch w = {cli_progress_start(options, true), settings->worlds};
    cli_catch_signals();
    if (!options->json && !options->quiet) {
        printf("%d worlds with %s\n", settings->worlds, options->with);
        fflush(stdout);
    }
    const trx_status status = trx_trial_run(session->context, task, settings, controller, on_world, &w, trial);
    cli_progress_clear(&w.progress);
    return status;
}

static int run_trial(const cli_options *options, cli_session *session, const trx_policy *policy)
{
    trx_plan_problem task = trx_plan_problem_default();
    trx_plan_settings solve = trx_plan_settings_default();
    trx_status status = trx_problem_plan(session->problem, &task, &solve);
    if (status < 0) return cli_fail(session->context, status);
    places p;
    find_places(options, &p);
    write_stamp(options, session->problem, policy, p.stamp);
    const trx_trial_settings settings = settings_of(options, session->problem, &p);

    // the law of all worlds: the policy, or a loop that plans again, whose delay is a whole number of steps of a world
    trx_mpc *prepared = NULL;
    const double step = task.sim.time_step * settings.step_share, delay = step * round(settings.delay / step);
    trx_mpc_controller loop = loop_of(session->problem, policy, &task, solve.friction_margin, delay);
    const bool replans = strcmp(options->with, "mpc") == 0;
    if (replans && (status = prepare_loop(session, &loop, &prepared)) < 0) return cli_fail(session->context, status);
    const trx_controller controller = replans ? trx_mpc_as_controller(&loop) : trx_policy_controller(policy);

    trx_trial *trial;
    status = run_worlds(options, session, &task, &settings, &controller, &trial);
    trx_mpc_destroy(prepared);
    if (status < 0 && status != TRX_INTERRUPTED) return cli_fail(session->context, status);
    const int code = report(options, session, trial, status);
    if (code == CLI_OK || code == CLI_INTERRUPTED) remove_saved(&p);
    trx_trial_destroy(trial);
    return code;
}

int cli_trial(const cli_options *options)
{
    cli_session session;
    char path[4096];
    snprintf(path, sizeof path, "%s/problem.yaml", options->target);
    int code = cli_session_open(options, path, &session);
    trx_run *run = NULL;
    trx_policy *policy = NULL;
    if (code == CLI_OK) {
        trx_status status = trx_run_create(session.context, session.problem, &run);
        if (status >= 0) status = read_policy(options, &session, run, &policy);
        code = status < 0 ? cli_fail(session.context, status) : run_trial(options, &session, policy);
    }
    trx_policy_destroy(policy);
    trx_run_destroy(run);
    cli_session_close(&session);
    return code;
}
