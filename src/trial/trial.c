// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A trial (theory 7, trials): the worlds run one after the other on each thread, and every world writes its own result.
//
//     world:  model, start -> [ channel with the controller -> step ] ... -> errors of the goals, cost

#include "trial/state.h"

#include "base/workers.h"
#include "judge/replay.h"
#include "trajopt/cost.h"
#include "trajopt/dynamics.h"
#include "trajopt/plan.h"
#include "trial/resume.h"
#include "trial/statistics.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <tractrix/channel.h>

static const double SAVE_EVERY = 1; // [s]

// one world while it runs
typedef struct run {
    trx_trial *trial;
    int world;
    trx_trial_world *result;
    const double *draws;
    void *controller;
    trxi_cost cost;
    trx_sim *forces;        // a second simulator of the world, which repeats steps for terms of contact forces; NULL: no such terms
    trxi_dynamics dynamics; // of this simulator
    trxi_goal_error *errors;
    double *x, *u, *dx; // nstate, nu, nv
    double push_at;     // step of the push
    trx_status status;  // of the controller
} run;

trx_trial_settings trx_trial_settings_default(void)
{
    return (trx_trial_settings){.size = sizeof(trx_trial_settings), .worlds = 100, .seed = 1, .threads = 1, .step_share = 0.1,
                                .friction = 0.2, .stiffness = 0.2, .mass = 0.1, .start_position = 0.002,
                                .start_rotation = 0.02, .delay = 0.005, .tolerance_factor = 3, .least_tolerance = 0.02};
}

// ---- one world ----

static void run_layout(trxi_arena *arena, const trx_trial *trial, run *r)
{
    const trx_model_size size = trial->worlds.size;
    trxi_cost_layout(arena, &trial->task, &r->cost);
    trxi_goals_layout(arena, &trial->task, &r->errors);
    r->x = TRXI_TAKE(arena, double, size.nstate);
    r->u = TRXI_TAKE(arena, double, size.nu);
    r->dx = TRXI_TAKE(arena, double, size.nv);
}

static void disturb(void *data, int knot, double share, double *x)
{
    const run *r = data;
    const trxi_worlds *worlds = &r->trial->worlds;
    const double step = (knot + share) * r->trial->parts;
    if (step <= r->push_at && r->push_at < step + 1) trxi_world_push(worlds, r->draws, x + worlds->size.nq);
}

static void control(void *data, int knot, double share, const double *x, double *u)
{
    run *r = data;
    const trx_trial *trial = r->trial;
    const double t = (knot + share) * trial->task.sim.time_step;
    if (r->status >= 0) r->status = trial->controller.control(r->controller, t, x, u);
}

// a world ends early when the caller stops the trial or when the controller has failed
static bool stop(void *data)
{
    const run *r = data;
    const trx_trial_settings *s = &r->trial->worlds.settings;
    return r->status < 0 || (s->stop && s->stop(s->stop_user));
}

static double measure(void *data, int knot, const double *x, const double *u)
{
    run *r = data;
    trxi_cost_goal_errors(&r->cost, knot, x, u, r->errors);
    return trxi_cost_value(&r->cost, knot, x, u);
}

static trx_status simulate(run *r, trx_sim *sim, trx_replay *replay)
{
    const trx_trial *trial = r->trial;
    trxi_experiment experiment = {.sim = sim, .knots = trial->task.steps, .parts = trial->parts,
                                  .knot_time = trial->task.sim.time_step, .policy = control, .disturb = disturb,
                                  .measure = measure, .stop = stop, .data = r, .x = r->x, .stride = 0, .u = r->u};
    trxi_world_start(&trial->worlds, r->draws, trial->task.x0, r->dx, r->x);
    r->push_at = floor(trxi_world_push_time(&trial->worlds, r->world) * trial->task.steps * trial->parts);
    trxi_cost_fill(&trial->task, &r->cost);
    trxi_goals_reset(trial->ngoal, r->errors);
    trxi_replay_run(&experiment, replay);
    return r->status < 0 ? r->status : replay->status;
}

// creates the simulator of terms of contact forces, at the time step of the task
static trx_status measure_forces(run *r, trx_context *context, const trx_model *model)
{
    if (!r->cost.forces) return TRX_OK;
    const trx_status status = trx_sim_create(context, model, &r->trial->task.sim, &r->forces);
    if (status < 0) return status;
    r->dynamics = trxi_dynamics_of_sim(r->forces);
    r->cost.dynamics = &r->dynamics;
    return TRX_OK;
}

// creates the simulators and the controller of a world, and simulates the world
static trx_status run_model(run *r, trx_context *context, const trx_model *model, trx_replay *replay)
{
    const trx_trial *trial = r->trial;
    trx_sim_settings settings = trial->task.sim;
    settings.time_step /= trial->parts;
    trx_sim *sim = NULL;
    trx_status status = trx_sim_create(context, model, &settings, &sim);
    if (status >= 0) status = measure_forces(r, context, model);
    if (status >= 0) status = trial->controller.open(trial->controller.user, context, r->world, &r->controller);
    if (status >= 0) {
        status = simulate(r, sim, replay);
        trial->controller.close(r->controller);
    }
    trx_sim_destroy(r->forces);
    trx_sim_destroy(sim);
    return status;
}

static void conclude(const run *r, trx_status status, const trx_replay *replay)
{
    const trx_trial *trial = r->trial;
    trx_trial_world *result = r->result;
    double *errors = (double *)result->errors;
    result->status = status == TRX_INTERRUPTED ? TRX_ERR_NO_STEP : status; // a world that was stopped has not run
    if (status < 0 || status == TRX_INTERRUPTED) return;
    result->ratio = 0;
    result->cost = replay->cost;
    for (int i = 0; i < trial->ngoal; i++) {
        errors[i] = r->errors[i].error;
        result->ratio = fmax(result->ratio, errors[i] / trial->goals[i].allowed);
    }
    result->success = result->ratio <= 1;
}

static trx_status run_world(run *r, trx_context *context, trx_replay *replay)
{
    const trx_trial *trial = r->trial;
    trx_model *model;
    trx_status status = trxi_world_model(&trial->worlds, context, r->draws, &model);
    if (status < 0) return status;
    trxi_arena arena = {0};
    run_layout(&arena, trial, r);
    arena = (trxi_arena){.base = trxi_allocate(context, arena.used)};
    status = arena.base ? TRX_OK : TRX_ERR_MEMORY;
    if (status >= 0) {
        run_layout(&arena, trial, r);
        status = run_model(r, context, model, replay);
    }
    conclude(r, status, replay);
    trxi_release(context, arena.base);
    trx_model_destroy(model);
    return status;
}

// saves the finished worlds, at most once in SAVE_EVERY. A failure does not end the trial, because the caller writes the files
// of the whole trial afterwards
static void save(trx_trial *trial)
{
    trx_context *context;
    if (!trial->worlds.settings.save || trx_clock() - trial->saved < SAVE_EVERY) return;
    trx_context_settings own = trx_context_settings_default();
    own.allocator = *trxi_allocator(trial->context);
    if (trx_context_create(&own, &context) < 0) return;
    trxi_trial_save(context, trial);
    trx_context_destroy(context);
    trial->saved = trx_clock();
}

// stores the result of a world and reports the progress
static void report(trx_trial *trial, int index, const trx_trial_world *result)
{
    const bool finished = result->status != TRX_ERR_NO_STEP;
    pthread_mutex_lock(&trial->lock);
    trial->results[index] = *result;
    trial->info.worlds += finished;
    trial->stopped = trial->stopped || !finished;
    if (finished) save(trial);
    if (trial->progress && !trial->stopped) trial->stopped = !trial->progress(trial->info.worlds, trial->user);
    pthread_mutex_unlock(&trial->lock);
}

static bool is_stopped(trx_trial *trial)
{
    pthread_mutex_lock(&trial->lock);
    const bool stopped = trial->stopped;
    pthread_mutex_unlock(&trial->lock);
    return stopped;
}

// runs one world. The caller's thread takes pieces from the last to the first, so the last piece is the first world
static void take_world(int worker, int piece, void *user)
{
    trx_trial *trial = user;
    const int index = trial->worlds.settings.worlds - 1 - piece;
    trx_context *context;
    (void)worker;
    trx_trial_world result = trial->results[index];
    if (result.status != TRX_ERR_NO_STEP || is_stopped(trial)) return;
    const int world = trial->worlds.settings.first_world + index;
    run r = {.trial = trial, .world = world, .result = &result, .draws = result.draws};
    trx_replay replay = {0};
    trxi_world_draw(&trial->worlds, world, (double *)result.draws);
    trx_context_settings own = trx_context_settings_default();
    own.allocator = *trxi_allocator(trial->context);
    result.status = trx_context_create(&own, &context);
    if (result.status >= 0) {
        const trx_status status = run_world(&r, context, &replay);
        if (status < 0) result.status = status;
        trx_context_destroy(context);
    }
    report(trial, index, &result);
}

// ---- the trial ----

static trx_status refuse(trx_context *context, const char *what)
{
    return trxi_fail(context, TRX_ERR_ARGUMENT, "a trial needs %s", what);
}

static bool in_range(double value, double most)
{
    return value >= 0 && value <= most;
}

static trx_status check(trx_context *context, const trx_plan_problem *task, const trx_trial_settings *s,
                        const trx_controller *controller)
{
    if (!task || !s || !controller || !controller->open || !controller->control || !controller->close)
        return refuse(context, "a task, settings and a controller");
    trx_status status = trxi_check_size(context, s->size, sizeof *s, "trx_trial_settings_default");
    const trx_plan_settings settings = trx_plan_settings_default();
    if (status < 0 || (status = trxi_plan_check(context, task, &settings)) < 0) return status;
    if (s->worlds < 1 || s->worlds > 1000000 || s->first_world < 0 || s->first_world > 100000000)
        return refuse(context, "1 to 1000000 worlds, the first one from 0 to 100000000");
    if (s->threads < 1 || s->threads > TRXI_MAX_THREADS) return refuse(context, "1 to 64 threads");
    const double parts = 1 / s->step_share;
    if (!(s->step_share > 0) || !(s->step_share <= 1) || fabs(parts - round(parts)) > 1e-6 || parts > 1000)
        return refuse(context, "a step_share whose inverse is a whole number from 1 to 1000");
    if (!in_range(s->friction, 0.99) || !in_range(s->stiffness, 0.99) || !in_range(s->dissipation, 0.99) ||
        !in_range(s->mass, 0.99) || !in_range(s->damping, 0.99))
        return refuse(context, "relative ranges from 0 to 0.99");
    if (!in_range(s->start_position, 1e3) || !in_range(s->start_rotation, 1) || !in_range(s->noise_position, 1e3) ||
        !in_range(s->noise_rotation, 1) || !in_range(s->noise_velocity, 1e3) || !in_range(s->push, 1e3) || !in_range(s->delay, 10))
        return refuse(context, "ranges of starts, noise, pushes and delay from 0 to at most 1000 m or m/s, 1 rad, 10 s");
    if (!(s->tolerance_factor > 0) || !isfinite(s->tolerance_factor) || !in_range(s->least_tolerance, 1e3))
        return refuse(context, "a positive tolerance_factor and a least_tolerance from 0 to 1000 m");
    return TRX_OK;
}

// lists the goals of the task with the errors that a trial allows
static trx_status list_goals(trx_trial *trial)
{
    const trx_trial_settings *s = &trial->worlds.settings;
    trial->goals = TRXI_POOL(trial->pool, trx_trial_goal, trial->task.nterm + 1);
    if (!trial->goals) return TRX_ERR_MEMORY;
    for (int i = 0; i < trial->task.nterm; i++) {
        const trx_cost_term *term = &trial->task.terms[i];
        if (!(term->tolerance > 0)) continue;
        const double wide = s->tolerance_factor * term->tolerance;
        const trx_quantity of = term->quantity;
        const bool length = trxi_quantity_is(of, TRXI_SPATIAL) && !trxi_quantity_is(of, TRXI_TURN | TRXI_RATE);
        const double allowed = length ? fmax(wide, s->least_tolerance) : wide;
        const char *name = trxi_pool_printf(trial->pool, "%s", term->name ? term->name : "");
        if (!name) return TRX_ERR_MEMORY;
        trial->goals[trial->ngoal++] = (trx_trial_goal){name, term->tolerance, allowed};
    }
    return trial->ngoal > 0 ? TRX_OK : refuse(trial->context, "a task with goals: terms with a tolerance");
}

// puts the controller behind a channel with the noise and the delay of the worlds
static void connect(trx_trial *trial)
{
    const trx_trial_settings *settings = &trial->worlds.settings;
    trial->channel = trx_channel_default();
    trial->channel.model = trial->task.model;
    trial->channel.controller = &trial->behind;
    const bool noisy = settings->noise_position > 0 || settings->noise_rotation > 0 || settings->noise_velocity > 0;
    trial->channel.noise = noisy ? trial->worlds.noise : NULL;
    trial->channel.delay = (int)fmin(floor(settings->delay / (trial->task.sim.time_step / trial->parts) + 0.5), INT_MAX);
    trial->channel.seed = settings->seed;
    trial->controller = trx_channel_controller(&trial->channel);
}

static trx_status begin(trx_trial *trial, const trx_plan_problem *task, const trx_trial_settings *settings)
{
    trial->task = *task;
    trial->parts = (int)lround(1 / settings->step_share);
    trx_status status = trxi_worlds_begin(trial->pool, task->model, settings, &trial->worlds);
    if (status < 0 || (status = list_goals(trial)) < 0) return status;
    connect(trial);
    trial->info.ngoal = trial->ngoal, trial->info.nvariation = trial->worlds.count;
    const size_t count = (size_t)settings->worlds, ngoal = (size_t)trial->ngoal, nvariation = (size_t)trial->worlds.count;
    trial->results = TRXI_POOL(trial->pool, trx_trial_world, count);
    trial->correlations = TRXI_POOL(trial->pool, double, nvariation + 1);
    double *errors = TRXI_POOL(trial->pool, double, count * ngoal), *draws = TRXI_POOL(trial->pool, double, count * nvariation + 1);
    if (!trial->results || !trial->correlations || !errors || !draws) return TRX_ERR_MEMORY;
    for (size_t i = 0; i < count * ngoal; i++) errors[i] = INFINITY;
    for (size_t i = 0; i < count; i++)
        trial->results[i] = (trx_trial_world){.status = TRX_ERR_NO_STEP, .ratio = INFINITY, .cost = INFINITY,
                                              .errors = errors + i * ngoal, .draws = draws + i * nvariation};
    return trxi_trial_resume(trial->context, &trial->worlds, trial->ngoal, trial->goals, trial->results, &trial->info.worlds);
}

// computes the rank correlation of every variation with the ratio over all worlds that have run
static trx_status correlate(trx_trial *trial)
{
    const int all = trial->worlds.settings.worlds;
    double *memory = TRXI_POOL(trial->pool, double, 4 * (size_t)all + 1), *draws = memory, *ratios = memory + all;
    int *order = TRXI_POOL(trial->pool, int, all + 1), count = 0;
    if (!memory || !order) return TRX_ERR_MEMORY;
    for (int j = 0; j < trial->worlds.count; j++) {
        count = 0;
        for (int i = 0; i < all; i++) {
            if (trial->results[i].status == TRX_ERR_NO_STEP) continue;
            draws[count] = trial->results[i].draws[j];
            ratios[count++] = trial->results[i].ratio;
        }
        trial->correlations[j] = trxi_rank_correlation(count, draws, ratios, memory + 2 * all, order);
    }
    return TRX_OK;
}

static trx_status finish(trx_trial *trial)
{
    trx_trial_info *info = &trial->info;
    for (int i = 0; i < trial->worlds.settings.worlds; i++) info->successes += trial->results[i].success;
    info->rate_high = 1;
    if (info->worlds > 0) trxi_wilson(info->successes, info->worlds, &info->rate_low, &info->rate_high);
    return correlate(trial);
}

static trx_status run_all(trx_trial *trial)
{
    trxi_workers *workers;
    const trx_trial_settings *s = &trial->worlds.settings;
    const double begun = trial->saved = trx_clock();
    trx_status status = trxi_workers_create(trial->context, s->threads, &workers);
    if (status < 0) return status;
    pthread_mutex_init(&trial->lock, NULL);
    trxi_workers_run(workers, s->worlds, take_world, trial);
    pthread_mutex_destroy(&trial->lock);
    trxi_workers_destroy(workers);
    trial->info.seconds = trx_clock() - begun;
    return finish(trial);
}

trx_status trx_trial_run(trx_context *context, const trx_plan_problem *task, const trx_trial_settings *settings,
                         const trx_controller *controller, trx_trial_progress progress, void *user, trx_trial **trial)
{
    if (!context) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    if (!trial) return refuse(context, "a place for the result");
    *trial = NULL;
    trx_status status = check(context, task, settings, controller);
    if (status < 0) return status;
    trx_trial *t = trxi_allocate(context, sizeof *t);
    if (!t) return TRX_ERR_MEMORY;
    *t = (trx_trial){.context = context, .behind = *controller, .progress = progress, .user = user};
    t->pool = trxi_pool_create(context);
    status = t->pool ? begin(t, task, settings) : TRX_ERR_MEMORY;
    if (status >= 0) status = run_all(t);
    if (status < 0) {
        trx_trial_destroy(t);
        return status;
    }
    *trial = t;
    return t->stopped ? TRX_INTERRUPTED : TRX_OK;
}

void trx_trial_destroy(trx_trial *trial)
{
    if (!trial) return;
    trxi_pool_destroy(trial->pool);
    trxi_release(trial->context, trial);
}
