// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Robust plans (theory 7, robust plans): controls that lower the mean cost of several worlds under one policy. Each world has its
// own model, start and trajectory; the controls, the reference and the gains are shared.
//
//     repeat:  expand the dynamics and the cost of every world along its trajectory
//              compute k, the change of the controls for all worlds (robust_sweep.c)
//              take the largest step that lowers the sum of the costs; the nominal world becomes the reference
//              compute the gains about the new reference, and keep the old gains if the new gains cost more
//
// The first world is the model itself. Its plan becomes the result.

#include <assert.h>
#include <tractrix/robust.h>

#include "base/workers.h"
#include "trajopt/plan.h"
#include "trial/robust_sweep.h"
#include "trial/worlds.h"

#include <math.h>
#include <string.h>

static const double MOST_DAMPING = 1e6, LEAST_DAMPING = 1e-6, FIRST_DAMPING = 1e-3;
static const double GAINS_MAY_COST = 0.02; // largest accepted increase of the cost by new gains, relative [1]
enum { HALVINGS = 9, SMALL_STEPS = 3 };

// one world
typedef struct world {
    trx_context *context;
    trx_model *model; // NULL: the model of the task
    double *x0;       // nstate
    trx_plan *plan;
    trx_status status;
} world;

typedef struct ensemble {
    trx_context *context;
    const trx_robust_problem *problem;
    trx_robust_settings settings;
    trxi_pool *pool;
    trxi_workers *workers;
    world *worlds;
    const trxi_ocp **ocps;     // of the worlds
    trxi_robust_sweep sweep;
    trxi_trajectory reference; // x_ref and u of the policy
    trxi_policy policy;        // k and K of the policy
    double *K_old;             // gains of the iteration before
    double alpha, mu, cost;    // share of k in the rollouts; damping; sum of the costs
    int small_steps;           // accepted changes in a row with a negligible decrease
    trx_robust_info info;
} ensemble;

trx_robust_settings trx_robust_settings_default(void)
{
    return (trx_robust_settings){.size = sizeof(trx_robust_settings), .worlds = 8, .seed = 1001, .iterations = 20,
                                 .tolerance = 1e-3, .threads = 1, .ranges = trx_trial_settings_default(),
                                 .policy = trx_policy_settings_default()};
}

// ---- worlds ----

static trx_status create_world(ensemble *e, const trxi_worlds *ranges, int index, world *w)
{
    const trx_robust_problem *p = e->problem;
    const int parts = p->refined ? p->refined->rollout.steps / p->plan->rollout.steps : 1;
    trx_plan_problem task = *p->task;
    trx_plan_settings settings = *p->settings;
    double *draws = TRXI_POOL(e->pool, double, ranges->count + 1), *dx = TRXI_POOL(e->pool, double, ranges->size.nv + 1);
    w->x0 = TRXI_POOL(e->pool, double, ranges->size.nstate + 1);
    if (!draws || !dx || !w->x0) return TRX_ERR_MEMORY;
    if (index > 0) trxi_world_draw(ranges, index, draws);
    trxi_world_start(ranges, draws, task.x0, dx, w->x0);
    trx_status status = index > 0 ? trxi_world_model(ranges, w->context, draws, &w->model) : TRX_OK;
    if (status < 0) return status;
    if (w->model) task.model = w->model;
    task.x0 = w->x0;
    settings.method = TRX_ILQR;
    settings.second_try = settings.resumable = false;
    settings.threads = 1;
    return trx_plan_create_refined(w->context, &task, &settings, p->plan, parts, &w->plan);
}

static trx_status create_worlds(ensemble *e)
{
    trxi_worlds ranges;
    e->settings.ranges.seed = e->settings.seed;
    trx_status status = trxi_worlds_begin(e->pool, e->problem->task->model, &e->settings.ranges, &ranges);
    e->worlds = TRXI_POOL(e->pool, world, e->settings.worlds);
    e->ocps = TRXI_POOL(e->pool, const trxi_ocp *, e->settings.worlds);
    if (!e->worlds || !e->ocps) return TRX_ERR_MEMORY;
    trx_context_settings own = trx_context_settings_default();
    own.allocator = *trxi_allocator(e->context);
    for (int i = 0; status >= 0 && i < e->settings.worlds; i++) {
        world *w = &e->worlds[i];
        if (i > 0) status = trx_context_create(&own, &w->context);
        else w->context = e->context;
        if (status >= 0) status = create_world(e, &ranges, i, w);
        if (status >= 0) e->ocps[i] = &w->plan->work.ocp;
    }
    return status;
}

static void destroy_worlds(ensemble *e)
{
    for (int i = 0; e->worlds && i < e->settings.worlds; i++) {
        world *w = &e->worlds[i];
        trx_plan_destroy(w->plan);
        trx_model_destroy(w->model);
        if (i > 0) trx_context_destroy(w->context);
    }
}

// ---- rollouts ----

// simulates a world under u + alpha k + K (x (-) x_ref); the cost is INFINITY when a step fails
static void roll_world(int worker, int index, void *user)
{
    ensemble *e = user;
    trx_plan *plan = e->worlds[index].plan;
    trxi_trajectory *trial = plan->work.trial;
    (void)worker;
    const trx_status status =
        trxi_rollout_policy(&plan->rollout, &e->reference, &e->policy, e->alpha, INFINITY, trial, NULL);
    if (status < 0) trial->cost = INFINITY;
}

// simulates all worlds with the share alpha of the change and returns the sum of their costs
static double roll(ensemble *e, double alpha)
{
    double sum = 0;
    e->alpha = alpha;
    trxi_workers_run(e->workers, e->settings.worlds, roll_world, e);
    for (int i = 0; i < e->settings.worlds; i++) sum += e->worlds[i].plan->work.trial->cost;
    return sum;
}

static void accept(ensemble *e, double cost)
{
    for (int i = 0; i < e->settings.worlds; i++) trxi_workspace_exchange(&e->worlds[i].plan->work);
    e->cost = cost;
    trxi_trajectory_copy(&e->worlds[0].plan->rollout, e->worlds[0].plan->work.current, &e->reference);
}

static void expand_world(int worker, int index, void *user)
{
    world *w = &((ensemble *)user)->worlds[index];
    (void)worker;
    w->status = trxi_rollout_linearize(&w->plan->rollout, w->plan->work.current, &w->plan->work.ocp);
}

static trx_status expand(ensemble *e)
{
    trxi_workers_run(e->workers, e->settings.worlds, expand_world, e);
    for (int i = 0; i < e->settings.worlds; i++)
        if (e->worlds[i].status < 0) return e->worlds[i].status;
    return TRX_OK;
}

// ---- iteration ----

// computes the gains K of the policy about the trajectory of `plan`
static trx_status compute_gains(ensemble *e, const trx_plan *plan)
{
    trx_policy *policy;
    const trx_status status = trx_policy_of_plan(plan, &e->settings.policy, &policy);
    if (status < 0) return status;
    const trx_policy_def def = trx_policy_get(policy);
    memcpy(e->policy.K, def.K, e->ocps[0]->gains * sizeof(double));
    trx_policy_destroy(policy);
    return TRX_OK;
}

// computes gains about the new reference; keeps the old gains if the new ones raise the cost by more than GAINS_MAY_COST
static trx_status renew_gains(ensemble *e)
{
    trx_plan *nominal = e->worlds[0].plan;
    const size_t bytes = e->ocps[0]->gains * sizeof(double);
    memcpy(e->K_old, e->policy.K, bytes);
    trxi_plan_take(nominal);
    trx_status status = compute_gains(e, nominal);
    const double cost = status >= 0 ? roll(e, 0) : INFINITY;
    if (cost <= (1 + GAINS_MAY_COST) * e->cost) accept(e, cost);
    else memcpy(e->policy.K, e->K_old, bytes);
    return status == TRX_ERR_MEMORY ? status : TRX_OK;
}

// accepts the largest of the shares 1, 1/2, 1/4, ... of the change that lowers the cost; returns false if none does
static bool search_line(ensemble *e)
{
    double alpha = 1;
    for (int i = 0; i < HALVINGS; i++, alpha *= 0.5) {
        const double cost = roll(e, alpha);
        if (!(cost < e->cost)) continue;
        accept(e, cost);
        e->mu = fmax(LEAST_DAMPING, alpha == 1 ? 0.3 * e->mu : e->mu);
        return true;
    }
    return false;
}

// returns false at the limit of the damping
static bool raise_damping(ensemble *e)
{
    e->mu *= 10;
    return e->mu <= MOST_DAMPING;
}

// computes the change of the controls; returns false if it exists at no damping
static bool sweep(ensemble *e)
{
    while (!trxi_robust_sweep_run(e->ocps, e->policy.K, e->mu, &e->sweep, e->policy.k))
        if (!raise_damping(e)) return false;
    return true;
}

static bool expects_little(const ensemble *e)
{
    return -e->sweep.slope < e->settings.tolerance * fabs(e->cost);
}

// one iteration; *finished when the predicted decrease is small, several decreases were small, or no change lowers the cost
static trx_status iterate(ensemble *e, bool *finished)
{
    const double before = e->cost;
    trx_status status = expand(e);
    if (status < 0) return status;
    if (!sweep(e)) return TRX_ERR_NOT_PD;
    *finished = expects_little(e);
    if (*finished && e->mu > FIRST_DAMPING) {
        // a small predicted decrease may be an effect of damping
        e->mu = FIRST_DAMPING;
        if (!sweep(e)) return TRX_ERR_NOT_PD;
        *finished = expects_little(e);
    }
    if (*finished) return TRX_OK;

    // raise the damping until a change lowers the cost
    while (!search_line(e)) {
        *finished = !raise_damping(e) || !sweep(e) || expects_little(e);
        if (*finished) return TRX_STALLED;
    }
    status = renew_gains(e);
    e->small_steps = before - e->cost < e->settings.tolerance * fabs(before) ? e->small_steps + 1 : 0;
    *finished = e->small_steps == SMALL_STEPS;
    return status;
}

static void measure(ensemble *e, int after)
{
    double worst = 0;
    trx_robust_info *info = &e->info;
    for (int i = 0; i < e->settings.worlds; i++) worst = fmax(worst, e->worlds[i].plan->work.current->cost);
    info->nominal[after] = e->worlds[0].plan->work.current->cost;
    info->mean[after] = e->cost / e->settings.worlds;
    info->worst[after] = worst;
}

static trx_status optimize(ensemble *e, trx_robust_progress progress, void *user)
{
    bool finished = false;
    trx_status status = TRX_OK;
    while (status >= 0 && !finished && e->info.iterations < e->settings.iterations) {
        status = iterate(e, &finished);
        e->info.iterations++;
        measure(e, 1);
        if (status >= 0 && progress && !progress(&e->info, user)) return TRX_INTERRUPTED;
    }
    return status < 0 || finished ? status : TRX_ITERATION_LIMIT;
}

// ---- entry ----

static trx_status refuse(trx_context *context, const char *what)
{
    return trxi_fail(context, TRX_ERR_ARGUMENT, "trx_plan_create_robust: %s", what);
}

static trx_status check(trx_context *context, const trx_robust_problem *p, const trx_robust_settings *s)
{
    if (!p || !s || !p->task || !p->settings || !p->plan) return refuse(context, "task, settings or plan is missing");
    trx_status status = trxi_check_size(context, s->size, sizeof *s, "trx_robust_settings_default");
    if (status < 0) return status;
    if (s->worlds < 1 || s->worlds > 1000 || s->iterations < 1 || !(s->tolerance > 0) || s->threads < 1 ||
        s->threads > TRXI_MAX_THREADS)
        return refuse(context, "it needs 1 to 1000 worlds, iterations, a positive tolerance and 1 to 64 threads");
    if (!p->plan->solved || (p->refined && !p->refined->solved))
        return trxi_fail(context, TRX_ERR_NO_STEP, "trx_plan_create_robust: there is no result before a solve");
    if (p->plan->limits.count > 0 || p->plan->rollout.rates)
        return trxi_fail(context, TRX_ERR_UNSUPPORTED, "a robust plan has no limits and no cost of control rates yet");
    return TRX_OK;
}

static void layout(trxi_arena *arena, const trx_plan *plan, ensemble *e)
{
    const trxi_rollout *r = &plan->rollout;
    trxi_robust_sweep_layout(arena, &plan->work.ocp, e->settings.worlds, &e->sweep);
    trxi_trajectory_layout(arena, r->nstate, r->nu, r->steps, &e->reference);
    trxi_policy_layout(arena, &plan->work.ocp, &e->policy);
    e->K_old = TRXI_TAKE(arena, double, plan->work.ocp.gains);
}

// creates the worlds and the memory, and simulates the plan under its policy in all worlds
static trx_status begin(ensemble *e)
{
    trx_status status = create_worlds(e);
    if (status < 0) return status;
    const trx_plan *from = e->problem->refined ? e->problem->refined : e->problem->plan;
    const trxi_trajectory start = {.x = from->x, .u = from->u};
    trxi_arena arena = {0};
    layout(&arena, e->worlds[0].plan, e);
    arena = (trxi_arena){.base = TRXI_POOL(e->pool, char, arena.used + 1)};
    if (!arena.base) return TRX_ERR_MEMORY;
    layout(&arena, e->worlds[0].plan, e);
    status = trxi_workers_create(e->context, e->settings.threads, &e->workers);
    if (status < 0) return status;
    trxi_trajectory_copy(&e->worlds[0].plan->rollout, &start, &e->reference);
    if ((status = compute_gains(e, from)) < 0) return status;
    accept(e, roll(e, 0));
    measure(e, 0);
    measure(e, 1);
    if (isfinite(e->cost)) return TRX_OK;
    return trxi_fail(e->context, TRX_ERR_FAILED, "a step of a world failed under the policy of the plan");
}

static trx_status make(ensemble *e, trx_robust_progress progress, void *user, trx_plan **robust)
{
    const double begun = trx_clock();
    trx_status status = begin(e);
    if (status >= 0) status = optimize(e, progress, user);
    if (status < 0) return status;
    trx_plan *plan = e->worlds[0].plan;
    const trx_plan *from = e->problem->refined ? e->problem->refined : e->problem->plan;
    const trx_status kept = status == TRX_INTERRUPTED ? status : from->info.status; // a stall is no failure of the plan
    e->info.status = status;
    e->info.seconds = trx_clock() - begun;
    trxi_plan_conclude(plan, &(trx_stage_info){plan->work.current->cost, e->info.iterations, e->info.seconds, kept});
    *robust = plan;
    e->worlds[0].plan = NULL;
    return status;
}

trx_status trx_plan_create_robust(trx_context *context, const trx_robust_problem *problem, const trx_robust_settings *settings,
                                  trx_robust_progress progress, void *user, trx_robust_info *info, trx_plan **robust)
{
    if (!context) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    if (!robust) return refuse(context, "no place for the plan");
    *robust = NULL;
    trx_status status = check(context, problem, settings);
    if (status < 0) return status;
    assert(problem && settings);
    ensemble e = {.context = context, .problem = problem, .settings = *settings, .mu = FIRST_DAMPING,
                  .pool = trxi_pool_create(context)};
    if (!e.pool) return TRX_ERR_MEMORY;
    e.info.worlds = settings->worlds;
    status = make(&e, progress, user, robust);
    if (info) *info = e.info;
    trxi_workers_destroy(e.workers);
    destroy_worlds(&e);
    trxi_pool_destroy(e.pool);
    return status;
}
