// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Model predictive control (theory 7). A tick, at the time t and the measured state x:
//
//     predict      x at t + latency, under the policy in effect
//     shift        the plan by the knots that have passed; knots that enter the horizon come from the first plan
//     shrink       the horizon to the end of the task
//     solve        a few iterations under the physical law
//     keep         trajectory and gains as the policy; after a failure the old policy stays

#include <tractrix/mpc.h>

#include "base/arena.h"
#include "base/context.h"
#include "math/dense.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

// the targets per knot of a cost term of the task
typedef struct track {
    int term, stride;
    double *targets; // stride x (steps + 1)
} track;

struct trx_mpc {
    trx_context *context;
    const trx_model *model;
    trx_mpc_settings settings;
    int steps;         // of the task
    double time_step;  // from knot to knot [s]
    trx_plan *plan;    // of a tick
    trx_policy *policy;
    trx_sim *sim;      // predicts over the latency; NULL without latency
    double *x, *u;     // the first plan of the whole task: (nq + nv) x (steps + 1), nu x steps
    double *u_guess;   // nu x horizon
    track *tracks;     // ntrack
    int ntrack;
    double *window;    // the targets of one term over a horizon
    double *x_now, *u_now; // nq + nv, nu
    double start;      // time of knot 0 of the policy [s]
    bool kept;         // the plan's result is the policy
    trx_mpc_info info;
};

trx_mpc_settings trx_mpc_settings_default(void)
{
    return (trx_mpc_settings){.size = sizeof(trx_mpc_settings), .least_horizon = 10, .iterations = 5, .deadline = INFINITY,
                              .first_plan = true, .threads = 1};
}

// ---- life ----

static trx_status check(trx_context *context, const trx_plan_problem *task, const trx_mpc_settings *s)
{
    if (!task || !task->model || !s) return trxi_fail(context, TRX_ERR_ARGUMENT, "a controller needs a task and settings");
    trx_status status = trxi_check_size(context, s->size, sizeof *s, "trx_mpc_settings_default");
    if (status < 0) return status;
    if (s->horizon < 0 || s->horizon > task->steps || s->least_horizon < 1 || s->iterations < 1)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "a controller needs a horizon from 0 to the %d steps of the task, at least one "
                         "knot of least_horizon and one iteration", task->steps);
    if (!(s->deadline > 0) || !(s->latency >= 0) || !isfinite(s->latency))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "a controller needs a positive deadline and a latency from 0");
    return TRX_OK;
}

static int horizon_of(const trx_mpc_settings *s, int steps)
{
    return s->horizon > 0 ? s->horizon : steps;
}

static bool has_track(const trx_cost_term *term)
{
    return term->target && term->target_stride > 0;
}

static void layout_tracks(trxi_arena *arena, const trx_plan_problem *task, int horizon, trx_mpc *m)
{
    size_t widest = 0;
    m->ntrack = 0;
    m->tracks = TRXI_TAKE(arena, track, task->nterm);
    for (int i = 0; task->terms && i < task->nterm; i++) {
        if (!has_track(&task->terms[i])) continue;
        const size_t stride = (size_t)task->terms[i].target_stride;
        const track t = {i, task->terms[i].target_stride, TRXI_TAKE(arena, double, stride * ((size_t)task->steps + 1))};
        if (m->tracks) m->tracks[m->ntrack] = t;
        m->ntrack++;
        if (stride > widest) widest = stride;
    }
    m->window = TRXI_TAKE(arena, double, widest * ((size_t)horizon + 1));
}

static void layout(trxi_arena *arena, const trx_plan_problem *task, const trx_mpc_settings *s, trx_mpc **mpc, trx_mpc *m)
{
    const size_t nx = (size_t)(task->model->nq + task->model->nv), nu = (size_t)task->model->nu, steps = (size_t)task->steps;
    *mpc = TRXI_TAKE(arena, trx_mpc, 1);
    m->x = TRXI_TAKE(arena, double, nx * (steps + 1));
    m->u = TRXI_TAKE(arena, double, nu * steps);
    m->u_guess = TRXI_TAKE(arena, double, nu * (size_t)horizon_of(s, task->steps));
    layout_tracks(arena, task, horizon_of(s, task->steps), m);
    m->x_now = TRXI_TAKE(arena, double, nx);
    m->u_now = TRXI_TAKE(arena, double, nu);
}

// the whole task, solved through its stages, or only simulated under its guess
static trx_status first_plan(trx_mpc *m, const trx_plan_problem *task)
{
    trx_plan_problem whole = *task;
    trx_stage physical = trx_stage_default();
    physical.physical = true;
    physical.iterations = 1;
    trx_plan_settings settings = trx_plan_settings_default();
    settings.threads = m->settings.threads;
    settings.judge = false;
    if (!m->settings.first_plan) whole.stages = &physical, whole.nstage = 1;
    trx_plan *plan;
    trx_status status = trx_plan_create(m->context, &whole, &settings, &plan);
    if (status < 0) return status;
    status = trx_plan_solve(plan, NULL, NULL);
    if (status >= 0) {
        const size_t nx = (size_t)(m->model->nq + m->model->nv), steps = (size_t)m->steps;
        memcpy(m->x, trx_plan_states(plan), nx * (steps + 1) * sizeof *m->x);
        memcpy(m->u, trx_plan_controls(plan), (size_t)m->model->nu * steps * sizeof *m->u);
        const trx_policy_def def = {.size = sizeof def, .steps = m->steps, .time_step = m->time_step, .x = m->x, .u = m->u,
                                    .K = trx_plan_gains(plan)};
        status = trx_policy_create(m->context, m->model, &def, &m->policy);
    }
    trx_plan_destroy(plan);
    return status;
}

static void copy_tracks(trx_mpc *m, const trx_plan_problem *task)
{
    for (int i = 0; i < m->ntrack; i++) {
        const track *t = &m->tracks[i];
        memcpy(t->targets, task->terms[t->term].target, (size_t)t->stride * ((size_t)m->steps + 1) * sizeof(double));
    }
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

// the plan of the ticks: the physical law alone, unjudged
static trx_status tick_plan(trx_mpc *m, const trx_plan_problem *task)
{
    trx_status status = check_knots(m->context, task);
    if (status < 0) return status;
    copy_tracks(m, task);
    trx_plan_problem problem = *task;
    trx_stage physical = trx_stage_default();
    physical.physical = true;
    problem.stages = &physical, problem.nstage = 1;
    problem.steps = horizon_of(&m->settings, m->steps);
    problem.u_guess = m->u;
    trx_plan_settings settings = trx_plan_settings_default();
    settings.iterations = settings.max_iterations = m->settings.iterations;
    settings.time_limit = m->settings.deadline;
    settings.threads = m->settings.threads;
    settings.judge = false;
    return trx_plan_create(m->context, &problem, &settings, &m->plan);
}

static trx_status build(trx_mpc *m, const trx_plan_problem *task)
{
    trx_status status = first_plan(m, task);
    if (status >= 0) status = tick_plan(m, task);
    if (status < 0 || m->settings.latency == 0) return status;
    trx_sim_settings settings = task->sim;
    const double parts = fmax(1, ceil(m->settings.latency / settings.time_step - 1e-9));
    settings.time_step = m->settings.latency / parts;
    return trx_sim_create(m->context, m->model, &settings, &m->sim);
}

trx_status trx_mpc_create(trx_context *context, const trx_plan_problem *task, const trx_mpc_settings *settings, trx_mpc **mpc)
{
    if (!context) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    if (!mpc) return trxi_fail(context, TRX_ERR_ARGUMENT, "trx_mpc_create: no place for the controller");
    *mpc = NULL;
    trx_status status = check(context, task, settings);
    if (status < 0) return status;
    trx_mpc m = {.context = context, .model = task->model, .settings = *settings, .steps = task->steps,
                 .time_step = task->sim.time_step};
    trxi_arena arena = {0};
    trx_mpc *made;
    layout(&arena, task, settings, &made, &m);
    char *memory = trxi_allocate(context, arena.used);
    if (!memory) return TRX_ERR_MEMORY;
    arena = (trxi_arena){.base = memory};
    layout(&arena, task, settings, &made, &m);
    *made = m;
    if ((status = build(made, task)) < 0) {
        trx_mpc_destroy(made);
        return status;
    }
    *mpc = made;
    return TRX_OK;
}

void trx_mpc_destroy(trx_mpc *mpc)
{
    if (!mpc) return;
    trx_sim_destroy(mpc->sim);
    trx_policy_destroy(mpc->policy);
    trx_plan_destroy(mpc->plan);
    trxi_release(mpc->context, mpc);
}

// ---- a tick ----

// the state at the time at which the new policy begins to act
static trx_status predict(trx_mpc *m, double *time, const double *x)
{
    memcpy(m->x_now, x, (size_t)(m->model->nq + m->model->nv) * sizeof *x);
    if (!m->sim) return TRX_OK;
    const double step = trx_sim_get_settings(m->sim).time_step, end = *time + m->settings.latency;
    trx_status status = TRX_OK;
    for (double t = *time; t < end - 0.5 * step && status >= 0; t += step) {
        status = trx_policy_control(m->policy, t, m->x_now, m->u_now);
        const trx_step_input input = {.time = t, .x = m->x_now, .u = m->u_now};
        if (status >= 0) status = trx_step_from(m->sim, &input, m->x_now);
    }
    *time = end;
    return status;
}

// the controls of the first plan from a knot of the task on; its last ones after its end
static void recall(trx_mpc *m, int from, int steps)
{
    const size_t nu = (size_t)m->model->nu;
    for (int k = 0; k < steps; k++) {
        const int knot = from + k < m->steps ? from + k : m->steps - 1;
        memcpy(m->u_guess + nu * (size_t)k, m->u + nu * (size_t)knot, nu * sizeof *m->u);
    }
}

static int knots_until(const trx_mpc *m, double time)
{
    return (int)fmin(floor(time / m->time_step + 0.5), 1e9);
}

static int steps_at(const trx_mpc *m, int knot)
{
    const int most = horizon_of(&m->settings, m->steps), left = m->steps - knot, least = m->settings.least_horizon;
    const int shrunk = left < least ? least : left;
    return shrunk < most ? shrunk : most;
}

// moves the plan on, or begins again from the first plan where the last tick has left nothing to go on with
static trx_status move_on(trx_mpc *m, double time)
{
    const int knot = knots_until(m, time), steps = steps_at(m, knot);
    const int passed = m->kept ? (int)fmin(floor((time - m->start) / m->time_step + 0.5), 1e9) : 0;
    const int had = trx_policy_get(m->policy).steps;
    trx_status status = TRX_OK;
    if (m->kept && passed < had) {
        status = trx_plan_shift(m->plan, passed);
        return status < 0 ? status : trx_plan_set_steps(m->plan, steps);
    }
    if ((status = trx_plan_set_steps(m->plan, steps)) < 0) return status;
    recall(m, knot, steps);
    return trx_plan_set_guess(m->plan, m->u_guess, NULL);
}

// targets per knot belong to the time of the task; after its end the last ones stay
static trx_status follow_targets(trx_mpc *m, double time)
{
    const int first = knots_until(m, time), steps = trx_plan_get_steps(m->plan);
    trx_status status = TRX_OK;
    for (int i = 0; i < m->ntrack && status >= 0; i++) {
        const track *t = &m->tracks[i];
        for (int k = 0; k <= steps; k++) {
            const int knot = first + k < m->steps ? first + k : m->steps;
            memcpy(m->window + (size_t)t->stride * (size_t)k, t->targets + (size_t)t->stride * (size_t)knot,
                   (size_t)t->stride * sizeof(double));
        }
        status = trx_plan_set_target(m->plan, t->term, m->window, t->stride);
    }
    return status;
}

static trx_status keep(trx_mpc *m, double time)
{
    const int steps = trx_plan_get_steps(m->plan);
    const trx_policy_def def = {.size = sizeof def, .steps = steps, .start_time = time, .time_step = m->time_step,
                                .x = trx_plan_states(m->plan), .u = trx_plan_controls(m->plan), .K = trx_plan_gains(m->plan)};
    m->start = time;
    return trx_policy_set(m->policy, &def);
}

static trx_status update(trx_mpc *m, double time, const double *x)
{
    if (!x) return trxi_fail(m->context, TRX_ERR_ARGUMENT, "trx_mpc_update: no state");
    if (!isfinite(time) || !trxi_all_finite(m->model->nq + m->model->nv, x))
        return trxi_fail(m->context, TRX_ERR_NOT_FINITE, "trx_mpc_update: the time or the state is not finite");
    if (time + m->settings.latency < m->start - 1e-9 * m->time_step)
        return trxi_fail(m->context, TRX_ERR_ARGUMENT, "trx_mpc_update: the time runs back from %g to %g s", m->start, time);
    trx_status status = predict(m, &time, x);
    if (status >= 0) status = move_on(m, time);
    if (status >= 0) status = follow_targets(m, time);
    if (status >= 0) status = trx_plan_set_start(m->plan, m->x_now, time);
    if (status < 0) return status;
    const trx_status solved = trx_plan_solve(m->plan, NULL, NULL);
    status = solved < 0 ? solved : keep(m, time);
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
