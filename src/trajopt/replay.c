// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The two replays that judge a plan, both under the physical law (theory 7, replays).
//
// physical: the controls as they are, open loop, at the plan's time step. Its trajectory is the result, and
// what goals are measured on; A, B and K belong to it.
//
// fine: a tenth of the time step. The controls are held over a step and corrected by the gains of its knot,
//
//     u = clamp(u_k + K_k (x (-) x_plan(t))),
//
// x_plan(t) interpolated along the geodesic from x_k to x_{k+1}: a held x_k would make the gains fight the
// planned motion within the step.
//
// Contacts are seen at the start of every step, so both replays take one more step to see those of the last knot.

#include "trajopt/plan.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

// penetration, slip and residual of the last step
static void observe(const trx_plan *plan, trx_replay *replay)
{
    const trx_contact *contacts;
    int count = trx_sim_contacts(plan->sim, &contacts);
    for (int i = 0; i < count; i++) {
        replay->penetration = fmax(replay->penetration, -contacts[i].distance);
        if (contacts[i].mode == TRX_CONTACT_STICK) replay->slip = fmax(replay->slip, contacts[i].v_t);
    }
    replay->momentum_residual = fmax(replay->momentum_residual, trx_sim_momentum_residual(plan->sim));
}

// one step of a replay from x at the time t to x_next
static trx_status advance(const trx_plan *plan, double t, const double *x, const double *u, double *x_next,
                          trx_replay *replay)
{
    trx_sim_set_time(plan->sim, t);
    trx_status status = trx_step(plan->sim, x, u, x_next);
    if (status >= 0) observe(plan, replay);
    return status < 0 ? status : TRX_OK;
}

// contacts at the last knot, from one more step whose outcome nobody needs
static void observe_last_knot(const trx_plan *plan, const double *x, const double *u, trx_replay *replay)
{
    trx_sim_set_time(plan->sim, trxi_rollout_time(&plan->rollout, plan->rollout.steps));
    if (trx_step(plan->sim, x, u, NULL) < 0) return;
    const trx_contact *contacts;
    int count = trx_sim_contacts(plan->sim, &contacts);
    for (int i = 0; i < count; i++) replay->penetration = fmax(replay->penetration, -contacts[i].distance);
}

static void start_replay(trx_plan *plan, trx_goal_result *goals, trxi_goal_error *errors, trx_replay *replay)
{
    *replay = (trx_replay){.status = TRX_OK, .goals = goals};
    trxi_goals_reset(&plan->cost, errors);
}

// what knot k adds to cost and goals
static void judge_knot(trx_plan *plan, int knot, const double *x, const double *u, trxi_goal_error *errors, trx_replay *replay)
{
    replay->cost += trxi_cost_value(&plan->cost, knot, x, u);
    trxi_cost_goal_errors(&plan->cost, knot, x, u, errors);
}

// a replay that stopped on the way has met nothing
static void finish_replay(const trx_plan *plan, trx_goal_result *goals, const trxi_goal_error *errors, trx_replay *replay,
                          trx_status status)
{
    replay->status = status;
    if (status < 0) replay->cost = INFINITY;
    for (int i = 0; i < plan->cost.ngoal; i++) {
        goals[i].error = status < 0 ? INFINITY : errors[i].error;
        goals[i].met = goals[i].error <= goals[i].tolerance;
    }
}

static void forget(trx_plan *plan, trx_goal_result *goals, trxi_goal_error *errors, trx_replay *replay, trx_status status)
{
    start_replay(plan, goals, errors, replay);
    finish_replay(plan, goals, errors, replay, status);
}

void trxi_plan_forget_replays(trx_plan *plan)
{
    forget(plan, plan->physical_goals, plan->physical_errors, &plan->info.physical, TRX_ERR_NO_STEP);
    forget(plan, plan->fine_goals, plan->fine_errors, &plan->info.fine, TRX_ERR_NO_STEP);
    plan->linearized = false;
}

static void replay_physical(trx_plan *plan)
{
    const trxi_rollout *r = &plan->rollout;
    trx_replay *replay = &plan->info.physical;
    const double *u = plan->u;
    trx_status status = TRX_OK;
    start_replay(plan, plan->physical_goals, plan->physical_errors, replay);
    memcpy(plan->x, r->x0, (size_t)r->nstate * sizeof(double));
    for (int k = 0; k < r->steps && status == TRX_OK; k++) {
        double *x = plan->x + r->nstate * k;
        judge_knot(plan, k, x, u + r->nu * k, plan->physical_errors, replay);
        status = advance(plan, trxi_rollout_time(r, k), x, u + r->nu * k, x + r->nstate, replay);
        if (status < 0) plan->rollout.failed_knot = k;
    }
    const double *x_end = plan->x + r->nstate * r->steps;
    if (status == TRX_OK) {
        judge_knot(plan, r->steps, x_end, NULL, plan->physical_errors, replay);
        observe_last_knot(plan, x_end, u + r->nu * (r->steps - 1), replay);
    }
    finish_replay(plan, plan->physical_goals, plan->physical_errors, replay, status);
}

// after a failed step the trajectory stays where it ended
static void hold_last_state(trx_plan *plan)
{
    const trxi_rollout *r = &plan->rollout;
    for (int k = r->failed_knot; k < r->steps; k++)
        memcpy(plan->x + r->nstate * (k + 1), plan->x + r->nstate * k, (size_t)r->nstate * sizeof(double));
}

// A, B along the physical replay, and the undamped gains of its linear-quadratic model
static trx_status linearize_result(trx_plan *plan)
{
    trxi_workspace *w = &plan->work;
    const trxi_rollout *r = &plan->rollout;
    size_t nx = (size_t)r->nx, nu = (size_t)r->nu;
    memcpy(w->current->x, plan->x, (size_t)r->nstate * (size_t)(r->steps + 1) * sizeof(double));
    memcpy(w->current->u, plan->u, w->ocp.controls * sizeof(double));
    trx_status status = trxi_rollout_linearize(&plan->rollout, w->current, &w->ocp);
    if (status < 0) return status;
    for (size_t k = 0; k < (size_t)r->steps; k++) {
        memcpy(plan->B + nx * nu * k, w->ocp.stages[k].B, nx * nu * sizeof(double));
        memcpy(plan->A + nx * nx * k, w->ocp.stages[k].A, nx * nx * sizeof(double));
    }
    double mu = 0;
    while (!trxi_riccati_sweep(&w->ocp, mu, w->scale, &w->riccati, &w->policy)) {
        mu = fmax(1e-6, 10 * mu);
        if (mu > 1) return TRX_ERR_NOT_PD;
    }
    memcpy(plan->K, w->policy.K, w->ocp.gains * sizeof(double));
    return TRX_OK;
}

// x_plan at the fraction s of step k
static void interpolate(trx_plan *plan, int k, double s, double *x)
{
    const trxi_rollout *r = &plan->rollout;
    int nq = plan->model->nq, nv = plan->model->nv;
    const double *x_k = plan->x + r->nstate * k;
    trxi_state_difference(plan->model, x_k + r->nstate, x_k, r->dx);
    for (int i = 0; i < r->nx; i++) r->dx[i] *= s;
    trx_model_integrate(plan->model, x_k, r->dx, x);
    for (int i = 0; i < nv; i++) x[nq + i] = x_k[nq + i] + r->dx[nv + i];
}

// u_k + K_k (x (-) x_plan), clamped
static void corrected_control(trx_plan *plan, int k, double s, const double *x, double *u)
{
    const trxi_rollout *r = &plan->rollout;
    const double *u_k = plan->u + r->nu * k, *K = plan->K + r->nu * r->nx * k;
    interpolate(plan, k, s, plan->x_plan);
    trxi_state_difference(plan->model, x, plan->x_plan, r->dx);
    memcpy(u, u_k, (size_t)r->nu * sizeof(double));
    trxi_gemv(r->nu, r->nx, 1, K, r->nu, r->dx, 1, u);
    for (int i = 0; i < r->nu; i++) u[i] = fmin(fmax(u[i], r->u_lower[i]), r->u_upper[i]);
}

static void replay_fine(trx_plan *plan)
{
    const trxi_rollout *r = &plan->rollout;
    trx_replay *replay = &plan->info.fine;
    double *x = plan->x_fine, *u = plan->u_fine;
    trx_status status = TRX_OK;
    start_replay(plan, plan->fine_goals, plan->fine_errors, replay);
    memcpy(x, r->x0, (size_t)r->nstate * sizeof(double));
    for (int step = 0; step < r->steps * TRXI_FINE_STEPS && status == TRX_OK; step++) {
        int k = step / TRXI_FINE_STEPS, part = step % TRXI_FINE_STEPS;
        corrected_control(plan, k, (double)part / TRXI_FINE_STEPS, x, u);
        if (part == 0) judge_knot(plan, k, x, u, plan->fine_errors, replay);
        const double t = r->start_time + (k + (double)part / TRXI_FINE_STEPS) * plan->sim_settings.time_step;
        status = advance(plan, t, x, u, x, replay);
    }
    if (status == TRX_OK) {
        judge_knot(plan, r->steps, x, NULL, plan->fine_errors, replay);
        observe_last_knot(plan, x, u, replay);
    }
    finish_replay(plan, plan->fine_goals, plan->fine_errors, replay, status);
}

void trxi_plan_replay(trx_plan *plan)
{
    trx_stage physical = trx_stage_default();
    physical.physical = true;
    trxi_stage_apply(plan, &physical);
    replay_physical(plan);
    if (plan->info.physical.status < 0) hold_last_state(plan);
    plan->linearized = plan->info.physical.status >= 0 && linearize_result(plan) >= 0;
    if (!plan->linearized) {
        forget(plan, plan->fine_goals, plan->fine_errors, &plan->info.fine, TRX_ERR_FAILED);
        return;
    }
    trx_sim_settings fine = plan->sim_settings;
    fine.time_step /= TRXI_FINE_STEPS;
    trx_sim_set_settings(plan->sim, &fine);
    replay_fine(plan);
    trxi_stage_apply(plan, &physical);
}
