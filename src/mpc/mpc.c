// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Model predictive control (theory 7). A tick, at the time t and the measured state x:
//
//     predict      x at t + delay, under the commands that are on their way, and at t + delay + latency, under the policy in effect
//     move on      the guess is the policy from there on; knots that enter the horizon come from the first plan
//     shrink       the horizon to the end of the task
//     solve        a few iterations under the physical law
//     keep         trajectory and gains as the policy; after a failure the old policy stays
//
// A command is the policy at the state that is predicted over the delay.

#include <tractrix/mpc.h>

#include "base/arena.h"
#include "base/context.h"
#include "math/dense.h"
#include "model/model.h"
#include "mpc/first_plan.h"
#include "mpc/prediction.h"
#include "mpc/targets.h"
#include "trajopt/plan.h"
#include "trajopt/refine.h"

#include <math.h>
#include <string.h>

struct trx_mpc {
    trx_context *context;
    const trx_model *model;
    trx_mpc_settings settings;
    trx_plan *plan;    // of a tick
    trx_policy *policy;
    trxi_first_plan first;
    trxi_targets targets;
    trxi_prediction prediction;
    double *x_now;     // nq + nv
    bool kept;         // the plan's result is the policy
    trx_mpc_info info;
};

trx_mpc_settings trx_mpc_settings_default(void)
{
    return (trx_mpc_settings){.size = sizeof(trx_mpc_settings), .least_horizon = 10, .iterations = 5, .deadline = INFINITY,
                              .first_plan = true, .threads = 1, .refine = 1};
}

// ---- checks ----

static trx_status check(trx_context *context, const trx_plan_problem *task, const trx_mpc_settings *s)
{
    if (!task || !task->model || !s) return trxi_fail(context, TRX_ERR_ARGUMENT, "a controller needs a task and settings");
    trx_status status = trxi_check_size(context, s->size, sizeof *s, "trx_mpc_settings_default");
    if (status < 0) return status;
    if (s->horizon < 0 || s->horizon > task->steps || s->least_horizon < 1 || s->iterations < 1)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "a controller needs a horizon from 0 to the %d steps of the task, at least one "
                         "knot of least_horizon and one iteration", task->steps);
    if (!(s->deadline > 0) || !(s->latency >= 0) || !isfinite(s->latency) || !(s->delay >= 0) || !isfinite(s->delay))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "a controller needs a positive deadline, and a latency and a delay from 0");
    if (s->refine < 1 || s->refine > 100)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "refine is %d: it must be 1 to 100", s->refine);
    return TRX_OK;
}

// what belongs to some knots of the task would move with the horizon
static trx_status check_knots(trx_context *context, const trx_plan_problem *task)
{
    for (int i = 0; i < task->nlimit; i++) {
        const trx_limit *limit = &task->limits[i];
        const bool all = limit->first <= 1 && limit->last >= task->steps - 1, end = limit->first >= task->steps - 1;
        if (!all && !end)
            return trxi_fail(context, TRX_ERR_UNSUPPORTED, "limit %d (%s): limits of some knots do not move with the horizon of a "
                             "controller", i, limit->term.name ? limit->term.name : "unnamed");
    }
    for (int i = 0; i < task->nterm; i++)
        if (task->terms[i].weight_stride > 0)
            return trxi_fail(context, TRX_ERR_UNSUPPORTED, "cost term %d (%s): weights per knot do not move with the horizon of a "
                             "controller", i, task->terms[i].name ? task->terms[i].name : "unnamed");
    return TRX_OK;
}

// ---- life ----

// knots of the longest plan of a tick
static int horizon_of(const trx_mpc_settings *s, int steps)
{
    return s->horizon > 0 ? s->horizon * s->refine : steps;
}

static void layout(trxi_arena *arena, const trx_plan_problem *problem, const trx_mpc_settings *s, trx_mpc **mpc, trx_mpc *m)
{
    *mpc = TRXI_TAKE(arena, trx_mpc, 1);
    trxi_first_plan_layout(arena, problem, &m->first);
    trxi_targets_layout(arena, problem, horizon_of(s, problem->steps), &m->targets);
    trxi_prediction_layout(arena, problem->model, &m->prediction);
    m->x_now = TRXI_TAKE(arena, double, problem->model->nq + problem->model->nv);
}

// the plan of the ticks: the physical law alone, unjudged
static trx_status make_plan(trx_mpc *m, const trx_plan_problem *of)
{
    trx_plan_problem problem = *of;
    trx_stage physical = trx_stage_default();
    physical.physical = true;
    problem.stages = &physical, problem.nstage = 1;
    problem.steps = horizon_of(&m->settings, of->steps);
    problem.u_guess = problem.x_guess = NULL;
    trx_plan_settings settings = trx_plan_settings_default();
    settings.iterations = settings.max_iterations = m->settings.iterations;
    settings.time_limit = m->settings.deadline;
    settings.threads = m->settings.threads;
    settings.judge = false;
    return trx_plan_create(m->context, &problem, &settings, &m->plan);
}

static trx_status build(trx_mpc *m, const trx_plan_problem *task, const trx_plan_problem *problem)
{
    const trx_mpc_settings *s = &m->settings;
    trx_status status = trxi_first_plan_fill(m->context, task, problem, s, &m->first);
    if (status < 0) return status;
    trxi_targets_fill(problem, &m->targets);
    const trx_policy_def first = trxi_first_plan_policy(&m->first);
    status = trx_policy_create(m->context, m->model, &first, &m->policy);
    if (status >= 0) status = make_plan(m, problem);
    if (status >= 0)
        status = trxi_prediction_begin(m->context, m->model, &problem->sim, s->delay, s->latency, &m->prediction);
    m->settings.first = NULL;
    return status;
}

static trx_status create(trx_context *context, const trx_plan_problem *task, const trx_plan_problem *problem,
                         const trx_mpc_settings *settings, trx_mpc **mpc)
{
    trx_mpc m = {.context = context, .model = task->model, .settings = *settings};
    trxi_arena arena = {0};
    trx_mpc *made;
    layout(&arena, problem, settings, &made, &m);
    char *memory = trxi_allocate(context, arena.used);
    if (!memory) return TRX_ERR_MEMORY;
    arena = (trxi_arena){.base = memory};
    layout(&arena, problem, settings, &made, &m);
    *made = m;
    const trx_status status = build(made, task, problem);
    if (status < 0) trx_mpc_destroy(made);
    else *mpc = made;
    return status;
}

trx_status trx_mpc_create(trx_context *context, const trx_plan_problem *task, const trx_mpc_settings *settings, trx_mpc **mpc)
{
    if (!context) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    if (!mpc) return trxi_fail(context, TRX_ERR_ARGUMENT, "trx_mpc_create: no place for the controller");
    *mpc = NULL;
    trx_status status = check(context, task, settings);
    if (status >= 0) status = check_knots(context, task);
    const trx_plan_settings plan = trx_plan_settings_default();
    if (status < 0 || (status = trxi_plan_check(context, task, &plan)) < 0) return status;
    trxi_pool *pool = trxi_pool_create(context);
    if (!pool) return TRX_ERR_MEMORY;
    trx_plan_problem problem;
    status = trxi_refine_problem(context, pool, task, settings->refine, &problem);
    if (status >= 0) status = create(context, task, &problem, settings, mpc);
    trxi_pool_destroy(pool);
    return status;
}

void trx_mpc_destroy(trx_mpc *mpc)
{
    if (!mpc) return;
    trxi_prediction_end(&mpc->prediction);
    trx_policy_destroy(mpc->policy);
    trx_plan_destroy(mpc->plan);
    trxi_release(mpc->context, mpc);
}

// ---- time ----

static int knots_between(const trx_mpc *m, double from, double to)
{
    return (int)fmin(floor((to - from) / m->first.time_step + 0.5), 1e9);
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

// knots of a plan that begins at a knot of the task: what is left of the task, or the least horizon after its end
static int steps_at(const trx_mpc *m, int knot)
{
    const int left = m->first.steps - knot, after = m->settings.least_horizon * m->settings.refine;
    return least(left > 0 ? left : after, horizon_of(&m->settings, m->first.steps));
}

// ---- a tick ----

// a guess from two sources: the policy while it lasts, then the first plan; after its end the last step is repeated
static void guess(trx_mpc *m, int knot, int passed)
{
    const trxi_first_plan *f = &m->first;
    const trx_policy_def old = trx_policy_get(m->policy);
    const int steps = trx_plan_get_steps(m->plan);
    int known = 0;
    if (passed < old.steps) {
        const size_t at = (size_t)passed;
        known = least(old.steps - passed, steps);
        trxi_plan_continue_guess(m->plan, 0, known, old.x + f->nx * at, old.u + f->nu * at, old.K + f->nk * at);
    }
    if (known == 0 && knot >= f->steps) knot = f->steps - 1;
    const int entering = least(steps, f->steps - knot) - known;
    if (entering > 0) {
        const size_t at = (size_t)(knot + known);
        trxi_plan_continue_guess(m->plan, known, entering, f->x + f->nx * at, f->u + f->nu * at, f->K + f->nk * at);
        known += entering;
    }
    trxi_plan_repeat_guess(m->plan, known);
}

// the plan at the time `time`; the multipliers of limits move with it
static trx_status move_on(trx_mpc *m, double time)
{
    const int knot = knots_between(m, 0, time), passed = knots_between(m, trx_policy_get(m->policy).start_time, time);
    trx_status status = TRX_OK;
    if (m->kept && passed <= trx_plan_get_steps(m->plan)) status = trx_plan_shift(m->plan, passed);
    if (status >= 0) status = trx_plan_set_steps(m->plan, steps_at(m, knot));
    if (status < 0) return status;
    guess(m, knot, passed);
    status = trxi_targets_follow(&m->targets, knot, m->plan);
    return status < 0 ? status : trx_plan_set_start(m->plan, m->x_now, time);
}

static trx_status keep(trx_mpc *m, double time)
{
    const trx_policy_def def = {.size = sizeof def, .steps = trx_plan_get_steps(m->plan), .start_time = time,
                                .time_step = m->first.time_step, .x = trx_plan_states(m->plan),
                                .u = trx_plan_controls(m->plan), .K = trx_plan_gains(m->plan)};
    return trx_policy_set(m->policy, &def);
}

static trx_status check_measurement(const trx_mpc *m, double time, const double *x)
{
    if (!x) return trxi_fail(m->context, TRX_ERR_ARGUMENT, "a controller needs a state");
    if (!isfinite(time) || !trxi_all_finite(m->model->nq + m->model->nv, x))
        return trxi_fail(m->context, TRX_ERR_NOT_FINITE, "the time or the state of a controller is not finite");
    return TRX_OK;
}

static trx_status update(trx_mpc *m, double time, const double *x)
{
    const trx_mpc_settings *s = &m->settings;
    trx_status status = check_measurement(m, time, x);
    if (status < 0) return status;
    const double acts = time + s->delay, begins = acts + s->latency, start = trx_policy_get(m->policy).start_time;
    if (begins < start - 1e-9 * m->first.time_step)
        return trxi_fail(m->context, TRX_ERR_ARGUMENT, "trx_mpc_update: the time runs back from %g to %g s", start, begins);
    memcpy(m->x_now, x, m->first.nx * sizeof *x);
    status = trxi_predict_delay(&m->prediction, m->policy, time, m->x_now);
    if (status >= 0) status = trxi_predict_latency(&m->prediction, m->policy, acts, m->x_now);
    if (status >= 0) status = move_on(m, begins);
    if (status < 0) return status;
    const trx_status solved = trx_plan_solve(m->plan, NULL, NULL);
    status = solved < 0 ? solved : keep(m, begins);
    m->kept = status >= 0;
    return status < 0 ? status : solved;
}

trx_status trx_mpc_update(trx_mpc *mpc, double time, const double *x)
{
    if (!mpc) return TRX_ERR_ARGUMENT;
    trxi_begin(mpc->context);
    const double begun = trx_clock();
    const trx_status status = update(mpc, time, x);
    trx_mpc_info *info = &mpc->info;
    info->seconds = trx_clock() - begun;
    info->slowest = fmax(info->slowest, info->seconds);
    info->ticks++;
    info->failures += status < 0;
    info->late += info->seconds > mpc->settings.deadline;
    return status;
}

// ---- a command ----

trx_status trx_mpc_control(trx_mpc *mpc, double time, const double *x, double *u)
{
    if (!mpc) return TRX_ERR_ARGUMENT;
    trxi_begin(mpc->context);
    trx_status status = check_measurement(mpc, time, x);
    if (status < 0) return status;
    if (!u) return trxi_fail(mpc->context, TRX_ERR_ARGUMENT, "trx_mpc_control: no place for the controls");
    const double acts = time + mpc->settings.delay;
    memcpy(mpc->x_now, x, mpc->first.nx * sizeof *x);
    status = trxi_predict_delay(&mpc->prediction, mpc->policy, time, mpc->x_now);
    if (status >= 0) status = trx_policy_control(mpc->policy, acts, mpc->x_now, u);
    if (status >= 0) trxi_prediction_keep(&mpc->prediction, acts, u);
    return status;
}

// ---- views ----

trx_policy *trx_mpc_policy(const trx_mpc *mpc)
{
    return mpc->policy;
}

trx_plan *trx_mpc_plan(const trx_mpc *mpc)
{
    return mpc->plan;
}

trx_mpc_info trx_mpc_get_info(const trx_mpc *mpc)
{
    return mpc->info;
}
