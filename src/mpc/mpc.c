// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Model predictive control (theory 7). A tick, at the time t and the state x, measured then or earlier:
//
//     learn        the friction of the plant, from the motion since the last measurement
//     predict      the state at t + delay, under the commands since the measurement and the commands on their way, and the state at
//                  t + delay + latency, under the policy in effect
//     move on      the guess is the policy from there on; knots that enter the horizon come from the first plan
//     shrink       the horizon to the end of the task
//     solve        a few iterations under the physical law; if the plan misses a goal, again through softer stages
//     compare      with the plan of a search that is due: the cheaper plan counts; a loop that stays stuck begins a search
//     keep         trajectory and gains as the policy; after a failure the old policy stays. The gains come from the solver, or are
//                  made for a delay and softer contacts
//
// A command is the policy at the state that is predicted to t + delay.

#include <tractrix/mpc.h>

#include "base/arena.h"
#include "base/context.h"
#include "math/dense.h"
#include "model/model.h"
#include "mpc/course.h"
#include "mpc/first_plan.h"
#include "mpc/friction.h"
#include "mpc/guess.h"
#include "mpc/planned_task.h"
#include "mpc/prediction.h"
#include "mpc/settings.h"
#include "mpc/targets.h"
#include "trajopt/plan.h"
#include "trajopt/plan_policy.h"

#include <math.h>
#include <string.h>

static const double SAME_TIME = 1e-9; // share of a step of the planner

struct trx_mpc {
    trx_context *context;
    const trx_model *model;
    trx_mpc_settings settings;
    trx_plan *plan;    // plan of a tick under the physical law
    trx_plan *soft;    // plan through softer stages, for ticks whose plan misses a goal; NULL without soft stages
    trxi_policy_gains *gains; // maker of the policy's gains; NULL: the gains of the solver
    trx_policy *policy;
    int steps;         // of the task
    double time_step;  // of the planner [s]
    trxi_first_plan first;
    trxi_course course;
    trxi_targets targets;
    trxi_prediction prediction;
    trxi_friction friction;
    trxi_guess guess;
    double *x_now;     // nstate
    double due;        // end of the tick's time (trx_clock) [s]
    bool kept;         // the plan's result is the policy
    double cost;       // cost of the plan that is the policy; INFINITY after a failed tick
    trx_mpc_info info;
};

// ---- life ----

static int least(int a, int b)
{
    return a < b ? a : b;
}

// knots of the longest plan of a tick that follows no search
static int horizon_of(const trx_mpc_settings *s, int steps)
{
    return s->horizon > 0 ? s->horizon * s->refine : steps;
}

// knots of the longest plan of a tick
static int most_of(const trx_mpc_settings *s, int steps)
{
    return s->search_effort > 0 ? steps : horizon_of(s, steps);
}

static void layout(trxi_arena *arena, const trx_plan_problem *problem, const trx_mpc_settings *s, trx_mpc **mpc, trx_mpc *m)
{
    *mpc = TRXI_TAKE(arena, trx_mpc, 1);
    trxi_first_plan_layout(arena, problem, &m->first);
    trxi_course_layout(arena, problem, &m->course);
    trxi_targets_layout(arena, problem, most_of(s, problem->steps), &m->targets);
    trxi_prediction_layout(arena, problem->model, &m->prediction);
    if (s->friction_range > 0) trxi_friction_layout(arena, problem->model, &m->friction);
    trxi_guess_layout(arena, problem->model, &m->guess);
    m->x_now = TRXI_TAKE(arena, double, problem->model->nstate);
}

// creates a plan for ticks: it is not judged, and has the given stages
static trx_status make_plan(trx_mpc *m, const trx_plan_problem *of, const trx_stage *stages, int count, trx_plan **plan)
{
    trx_plan_problem problem = *of;
    problem.stages = stages, problem.nstage = count;
    problem.steps = most_of(&m->settings, of->steps);
    problem.u_guess = problem.x_guess = NULL;
    trx_plan_settings settings = trx_plan_settings_default();
    settings.iterations = m->settings.iterations;
    settings.max_iterations = m->settings.iterations * count;
    settings.threads = m->settings.threads;
    settings.judge = false;
    settings.friction_margin = m->settings.friction_margin;
    return trx_plan_create(m->context, &problem, &settings, plan);
}

// creates the plans of the ticks: one under the physical law alone, and one with the last stages of the task before it
static trx_status make_plans(trx_mpc *m, const trx_plan_problem *problem)
{
    trx_stage all[TRXI_MAX_STAGES];
    const trx_stage physical = trxi_stage_physical();
    trx_status status = make_plan(m, problem, &physical, 1, &m->plan);
    if (status < 0 || m->settings.soft_stages == 0) return status;
    const trx_stage *stages = problem->stages;
    int count = problem->nstage;
    if (count == 0) {
        count = trx_plan_default_stages(m->context, problem, all, TRXI_MAX_STAGES);
        stages = all;
    }
    if (count < 0) return (trx_status)count;
    const int kept = least(m->settings.soft_stages, count - 1) + 1;
    return make_plan(m, problem, stages + (count - kept), kept, &m->soft);
}

static trx_status build(trx_mpc *m, const trx_plan_problem *task, const trx_plan_problem *problem)
{
    const trx_mpc_settings *s = &m->settings;
    trx_status status = trxi_first_plan_fill(m->context, task, problem, s, &m->first);
    if (status < 0) return status;
    trxi_targets_fill(problem, &m->targets);
    const trx_policy_def first = trxi_first_plan_policy(&m->first);
    status = trx_policy_create(m->context, m->model, &first, &m->policy);
    if (status >= 0) status = make_plans(m, problem);
    if (status >= 0 && s->gains) status = trxi_policy_gains_create(m->plan, s->gains, &m->gains);
    if (status >= 0) status = trxi_prediction_begin(m->context, m->model, &problem->sim, &m->prediction);
    if (status >= 0) status = trxi_friction_begin(m->model, s->friction_range, &m->prediction, &m->friction);
    if (status >= 0) status = trxi_course_open(m->context, task, s, &m->course);
    m->settings.first = NULL, m->settings.gains = NULL;
    return status;
}

static trx_status create(trx_context *context, const trx_plan_problem *task, const trx_plan_problem *problem,
                         const trx_mpc_settings *settings, trx_mpc **mpc)
{
    trx_mpc m = {.context = context, .model = task->model, .settings = *settings, .steps = problem->steps,
                 .time_step = problem->sim.time_step, .cost = INFINITY};
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

// creates the controller for the task at the planner's time step and weights
static trx_status create_for(trx_context *context, const trx_plan_problem *task, const trx_mpc_settings *settings, trx_mpc **mpc)
{
    trx_plan_problem problem;
    trxi_pool *pool = trxi_pool_create(context);
    if (!pool) return TRX_ERR_MEMORY;
    trx_status status = trxi_mpc_planned_task(context, pool, task, settings, &problem);
    if (status >= 0) status = create(context, task, &problem, settings, mpc);
    trxi_pool_destroy(pool);
    return status;
}

trx_status trx_mpc_create(trx_context *context, const trx_plan_problem *task, const trx_mpc_settings *settings, trx_mpc **mpc)
{
    if (!context) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    if (!mpc) return trxi_fail(context, TRX_ERR_ARGUMENT, "trx_mpc_create: no place for the controller");
    *mpc = NULL;
    const trx_status status = trxi_mpc_check(context, task, settings);
    return status < 0 ? status : create_for(context, task, settings, mpc);
}

void trx_mpc_destroy(trx_mpc *mpc)
{
    if (!mpc) return;
    trxi_background_destroy(mpc->course.background);
    trx_sim_destroy(mpc->prediction.sim);
    trx_policy_destroy(mpc->policy);
    trxi_policy_gains_destroy(mpc->gains);
    trx_plan_destroy(mpc->plan);
    trx_plan_destroy(mpc->soft);
    trxi_release(mpc->context, mpc);
}

// ---- time ----

static int knots_between(const trx_mpc *m, double from, double to)
{
    return (int)fmin(floor((to - from) / m->time_step + 0.5), 1e9);
}

// number of steps of a plan that begins at `time`. Before the end of the task the plan ends with the task or with the horizon;
// after it the plan has the least horizon. The plan reaches the time `end` if the memory suffices
static int steps_at(const trx_mpc *m, double time, double end)
{
    const int left = m->steps - knots_between(m, 0, time), after = m->settings.least_horizon * m->settings.refine;
    const int steps = least(left > 0 ? left : after, horizon_of(&m->settings, m->steps));
    const int on = end > time ? least(knots_between(m, time, end), most_of(&m->settings, m->steps)) : 0;
    return on > steps ? on : steps;
}

// ---- a tick ----

// the plan whose knots enter the horizon
static trx_policy_def ahead(const trx_mpc *m)
{
    return trxi_first_plan_policy(m->course.leads ? &m->course.plan : &m->first);
}

// prepares a plan that begins at `time` in the predicted state and ends at `end` or later, with the guess of a policy
static trx_status aim(const trx_mpc *m, double time, double end, const trx_policy_def *guess, trx_plan *plan)
{
    const trx_policy_def enters = ahead(m);
    trx_status status = trx_plan_set_steps(plan, steps_at(m, time, end));
    if (status < 0) return status;
    trxi_guess_fill(&m->guess, guess, &enters, time, plan);
    status = trxi_targets_follow(&m->targets, knots_between(m, 0, time), plan);
    return status < 0 ? status : trx_plan_set_start(plan, m->x_now, time);
}

// prepares a plan with the guess of the acting policy; if the plan's result is this policy, its multipliers of limits shift too
static trx_status move_on(const trx_mpc *m, double time, double end, bool kept, trx_plan *plan)
{
    const trx_policy_def old = trx_policy_get(m->policy);
    const int passed = knots_between(m, old.start_time, time);
    trx_status status = TRX_OK;
    if (kept && passed <= trx_plan_get_steps(plan)) status = trx_plan_shift(plan, passed);
    return status < 0 ? status : aim(m, time, end, &old, plan);
}

// returns whether the plan misses a goal; false if the plan ends before the task
static bool misses_goal(const trx_mpc *m, double time)
{
    if (knots_between(m, 0, time) + trx_plan_get_steps(m->plan) < m->steps) return false;
    return trxi_goal_miss(m->plan) > 1;
}

static trx_status keep(trx_mpc *m, double time, const trx_plan *plan)
{
    const double *K = trx_plan_gains(plan);
    const trx_status made = m->gains ? trxi_policy_gains_make(plan, m->gains, &K) : TRX_OK;
    if (made < 0) return made;
    const trx_policy_def def = {.size = sizeof def, .steps = trx_plan_get_steps(plan), .start_time = time,
                                .time_step = m->time_step, .x = trx_plan_states(plan), .u = trx_plan_controls(plan), .K = K};
    return trx_policy_set(m->policy, &def);
}

// solves in the time that is left of the tick; without time, the result is the better of two simulations of the guess
static trx_status solve_in_time(const trx_mpc *m, trx_plan *plan)
{
    plan->settings.time_limit = fmax(0, m->due - trx_clock());
    return trx_plan_solve(plan, NULL, NULL);
}

// plans from the predicted state; the cheaper of the plan and the plan through softer stages becomes the policy
static trx_status plan_anew(trx_mpc *m, double time, double end)
{
    m->cost = INFINITY;
    trx_status status = move_on(m, time, end, m->kept, m->plan);
    if (status < 0) return status;
    status = solve_in_time(m, m->plan);
    m->kept = status >= 0;
    const bool softer = m->soft && (status < 0 || misses_goal(m, time)) && trx_clock() < m->due;
    if (softer && move_on(m, time, end, false, m->soft) >= 0) {
        const trx_status softly = solve_in_time(m, m->soft);
        if (softly >= 0 && (status < 0 || m->soft->info.cost < m->plan->info.cost)) status = softly, m->kept = false;
    }
    if (status < 0) return status;
    const trx_plan *plan = m->kept ? m->plan : m->soft;
    const trx_status set = keep(m, time, plan);
    if (set < 0) m->kept = false;
    else m->cost = plan->info.cost;
    return set < 0 ? set : status;
}

// solves the plan of a search from the predicted state; the result becomes the policy if it costs less
static trx_status try_found(trx_mpc *m, double time, const trxi_first_plan *found, trx_status status)
{
    const trx_policy_def guess = trxi_first_plan_policy(found);
    m->kept = false;
    trx_status tried = aim(m, time, trxi_first_plan_end(found), &guess, m->plan);
    if (tried >= 0) tried = solve_in_time(m, m->plan);
    m->kept = tried >= 0 && m->plan->info.cost < m->cost && keep(m, time, m->plan) >= 0;
    if (m->kept) m->cost = m->plan->info.cost;
    trxi_course_decide(&m->course, time, m->kept);
    return m->kept ? tried : status;
}

// the work of a tick, from the state predicted to `time`
static trx_status tick(trx_mpc *m, double time)
{
    const trxi_first_plan *found = trxi_course_due(&m->course, time);
    const double end = found ? trxi_first_plan_end(found) : trxi_course_end(&m->course);
    trx_status status = plan_anew(m, time, end);
    if (found) status = try_found(m, time, found, status);
    // a found plan that was not kept lies in m->plan: no plan there is the policy, and the next tick watches again
    if (status >= 0 && (!found || m->kept))
        trxi_course_watch(&m->course, time, m->kept ? m->plan : m->soft, m->policy, m->friction.scale);
    return status;
}

static trx_status check_measurement(const trx_mpc *m, double now, double measured_at, const double *x)
{
    if (!x) return trxi_fail(m->context, TRX_ERR_ARGUMENT, "a controller needs a state");
    if (!isfinite(now) || !isfinite(measured_at) || !trxi_all_finite(m->model->nstate, x))
        return trxi_fail(m->context, TRX_ERR_NOT_FINITE, "the time or the state of a controller is not finite");
    const double age = now - measured_at, most = m->settings.max_age, same = SAME_TIME * m->time_step;
    if (age < -same || age > most + same)
        return trxi_fail(m->context, TRX_ERR_ARGUMENT, "a state measured at %g s is of no use at %g s: it must be 0 to %g s old",
                         measured_at, now, most);
    return TRX_OK;
}

// gives the plans the estimated friction
static void take_friction(trx_mpc *m)
{
    if (!m->friction.scale) return;
    trxi_plan_scale_friction(m->plan, m->friction.scale);
    if (m->soft) trxi_plan_scale_friction(m->soft, m->friction.scale);
}

// estimates the friction that the motion since the last measurement shows
static void learn(trx_mpc *m, double measured_at, const double *x)
{
    const double most = m->settings.max_age + m->course.step;
    if (m->friction.scale && trxi_friction_learn(&m->friction, &m->prediction, m->policy, measured_at, most, x)) take_friction(m);
}

// x_now = the state at now + delay, predicted from a checked measurement
static trx_status predict(trx_mpc *m, double now, double measured_at, const double *x)
{
    const double age = fmax(0, now - measured_at);
    memcpy(m->x_now, x, m->first.nx * sizeof *x);
    return trxi_predict_sent(&m->prediction, m->policy, measured_at, age + m->settings.delay, m->x_now);
}

static trx_status update(trx_mpc *m, double now, double measured_at, const double *x)
{
    const trx_mpc_settings *s = &m->settings;
    trx_status status = check_measurement(m, now, measured_at, x);
    if (status < 0) return status;
    const double acts = now + s->delay, begins = acts + s->latency, start = trx_policy_get(m->policy).start_time;
    if (begins < start - SAME_TIME * m->time_step)
        return trxi_fail(m->context, TRX_ERR_ARGUMENT, "trx_mpc_update: the time runs back from %g to %g s", start, begins);
    learn(m, measured_at, x);
    status = predict(m, now, measured_at, x);
    if (status >= 0) status = trxi_predict_policy(&m->prediction, m->policy, acts, s->latency, m->x_now);
    return status < 0 ? status : tick(m, begins);
}

trx_status trx_mpc_update_late(trx_mpc *mpc, double now, double measured_at, const double *x)
{
    if (!mpc) return TRX_ERR_ARGUMENT;
    trxi_begin(mpc->context);
    const double begun = trx_clock();
    mpc->due = begun + mpc->settings.deadline;
    const trx_status status = update(mpc, now, measured_at, x);
    trx_mpc_info *info = &mpc->info;
    info->seconds = trx_clock() - begun;
    info->slowest = fmax(info->slowest, info->seconds);
    info->ticks++;
    info->failures += status < 0;
    info->late += info->seconds > mpc->settings.deadline;
    return status;
}

trx_status trx_mpc_update(trx_mpc *mpc, double time, const double *x)
{
    return trx_mpc_update_late(mpc, time, time, x);
}

// ---- a command ----

trx_status trx_mpc_control_late(trx_mpc *mpc, double now, double measured_at, const double *x, double *u)
{
    if (!mpc) return TRX_ERR_ARGUMENT;
    trxi_begin(mpc->context);
    trx_status status = check_measurement(mpc, now, measured_at, x);
    if (status < 0) return status;
    if (!u) return trxi_fail(mpc->context, TRX_ERR_ARGUMENT, "trx_mpc_control: no place for the controls");
    const double acts = now + mpc->settings.delay;
    status = predict(mpc, now, measured_at, x);
    if (status >= 0) status = trx_policy_control(mpc->policy, acts, mpc->x_now, u);
    if (status >= 0) trxi_prediction_keep(&mpc->prediction, acts, u);
    return status;
}

trx_status trx_mpc_control(trx_mpc *mpc, double time, const double *x, double *u)
{
    return trx_mpc_control_late(mpc, time, time, x, u);
}

// ---- another beginning ----

trx_status trx_mpc_restart(trx_mpc *mpc)
{
    if (!mpc) return TRX_ERR_ARGUMENT;
    const trx_policy_def first = trxi_first_plan_policy(&mpc->first);
    trxi_prediction_forget(&mpc->prediction);
    trxi_friction_forget(&mpc->friction, &mpc->prediction);
    take_friction(mpc);
    trxi_course_reset(&mpc->course);
    mpc->kept = false;
    return trx_policy_set(mpc->policy, &first);
}

// ---- targets and views ----

trx_status trx_mpc_set_target(trx_mpc *mpc, int term, const double *target)
{
    if (!mpc) return TRX_ERR_ARGUMENT;
    const trx_status status = trx_plan_set_target(mpc->plan, term, target, 0);
    if (status >= 0) trxi_course_turn(&mpc->course);
    return status < 0 || !mpc->soft ? status : trx_plan_set_target(mpc->soft, term, target, 0);
}

double trx_mpc_friction(const trx_mpc *mpc, int pair)
{
    if (!mpc || pair < 0 || pair >= mpc->model->npair) return NAN;
    return trxi_model_pair(mpc->model, pair).law->friction * (mpc->friction.scale ? mpc->friction.scale[pair] : 1);
}

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
    trx_mpc_info info = mpc->info;
    info.searches = mpc->course.searches, info.found = mpc->course.taken;
    return info;
}
