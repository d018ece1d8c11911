// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Rollouts of x' = f(x, u) and their linearization (theory 6, 7).
//
// The costs of knots are not negative, so a rollout whose running sum exceeds the cost to beat is abandoned. After the deadline a
// rollout with a cost to beat is abandoned too, and nothing is linearized. Cost and deadline are checked after every step. The
// cost of a knot is computed after the step from this knot, because both need the same poses.
//
// Every solve starts near its answer. Rollouts under a policy start at the velocities of their reference plus the
// change that the linear model of the policy predicts (dv' = A_v dx + B_v du). The linearization starts at the known
// answer, where Newton only has to confirm and factorize. The prediction saves Newton iterations, a large part of the
// time of a line search.
//
// A rollout that will be linearized if it is accepted can linearize each step at once, so that no step is repeated. With several
// threads, the other threads follow the rollout and linearize its steps. The bits are the same: a converged step that is solved
// again from its solution does not change, and a step that did not converge is solved again in either case.

#include "trajopt/rollout.h"

#include "math/dense.h"
#include "trajopt/team.h"

#include <math.h>
#include <string.h>

void trxi_trajectory_layout(trxi_arena *arena, int nstate, int nu, int steps, trxi_trajectory *trajectory)
{
    trajectory->x = TRXI_TAKE(arena, double, (size_t)nstate * (size_t)(steps + 1));
    trajectory->u = TRXI_TAKE(arena, double, (size_t)nu * (size_t)steps);
    trajectory->cost = INFINITY;
}

void trxi_trajectory_visit(trxi_visitor *visitor, const trxi_rollout *r, trxi_trajectory *trajectory)
{
    trxi_visit_doubles(visitor, trajectory->x, (size_t)r->nstate * (size_t)(r->steps + 1));
    trxi_visit_doubles(visitor, trajectory->u, (size_t)r->nu * (size_t)r->steps);
    TRXI_VISIT(visitor, trajectory->cost);
}

void trxi_trajectory_copy(const trxi_rollout *r, const trxi_trajectory *from, trxi_trajectory *to)
{
    memcpy(to->x, from->x, (size_t)r->nstate * (size_t)(r->steps + 1) * sizeof(double));
    memcpy(to->u, from->u, (size_t)r->nu * (size_t)r->steps * sizeof(double));
    to->cost = from->cost;
}

trx_status trxi_rollout_advance(trxi_rollout *r, int knot, const double *v_start, const double *x, const double *u,
                                double *x_next)
{
    trx_status status = r->dynamics.step(&r->dynamics, trxi_rollout_time(r, knot), x, u, v_start, x_next);
    if (status < 0) r->failed_knot = knot;
    return status;
}

bool trxi_rollout_is_late(const trxi_rollout *r)
{
    return r->deadline < INFINITY && trx_clock() >= r->deadline;
}

// the poses at the start of the last step, for the cost at the same state; NULL if the step has no such poses
static const trxi_kinematics *poses_of_step(const trxi_rollout *r)
{
    return r->dynamics.poses(&r->dynamics);
}

// expands the cost at knot k, bounds the change of the controls, and sets the defect to zero; returns the cost. `kin`: poses at the
// knot, NULL: unknown. An unchanged Q is not written, because the write would pull its cache lines from the other thread
static double expand(trxi_rollout *r, const trxi_kinematics *kin, const trxi_trajectory *traj, int k, trxi_ocp *ocp)
{
    const size_t nx = (size_t)r->nx, at = (size_t)k;
    const trxi_ocp_stage *stage = &ocp->stages[k];
    r->cost->controls = traj->u;
    const double *u = k < r->steps ? traj->u + (size_t)r->nu * at : NULL;
    const trxi_expansion out = {.l_x = stage->q, .l_xx = r->l_xx, .l_u = u ? stage->r : NULL, .l_uu = u ? stage->R : NULL,
                                .l_xu = u ? stage->S : NULL, .A = kin ? stage->A : NULL, .B = kin ? stage->B : NULL,
                                .rate_slope = u ? stage->rate_slope : NULL, .rate_curvature = u ? stage->rate_curvature : NULL};
    const double cost = trxi_cost_expand_at(r->cost, kin, k, traj->x + (size_t)r->nstate * at, u, &out);
    if (memcmp(stage->Q, r->l_xx, nx * nx * sizeof *stage->Q) != 0) memcpy(stage->Q, r->l_xx, nx * nx * sizeof *stage->Q);
    for (int i = 0; u && i < stage->nu; i++) {
        stage->u_lower[i] = r->u_lower[i] - u[i];
        stage->u_upper[i] = r->u_upper[i] - u[i];
    }
    if (stage->b) memset(stage->b, 0, nx * sizeof *stage->b);
    return cost;
}

double trxi_rollout_expand_end(trxi_rollout *r, const trxi_trajectory *traj, trxi_ocp *ocp)
{
    return expand(r, NULL, traj, r->steps, ocp);
}

// with fewer than LEAST_VELOCITIES the maps of positions cost the sweep as much as they save
void trxi_rollout_position_rows(const trxi_rollout *r, trxi_position_rows *rows)
{
    enum { LEAST_VELOCITIES = 12 };
    rows->count = r->model->nv < LEAST_VELOCITIES ? 0 : r->model->nv;
    r->dynamics.position_rates(&r->dynamics, rows->rates);
    for (int i = 0, b = 0; i < r->model->nlink; i++)
        if (r->model->links[i].type == TRXI_BALL) rows->balls[b++] = r->model->links[i].v;
}

trx_status trxi_rollout_derive(trxi_rollout *r, const trxi_trajectory *traj, int k, trxi_ocp *ocp, double *cost)
{
    const trxi_ocp_stage *stage = &ocp->stages[k];
    double *maps = trxi_ocp_ball_maps(&ocp->positions, k, 0);
    trx_status status = r->dynamics.linearize(&r->dynamics, stage->A, stage->B, maps);
    if (status < 0) {
        r->failed_knot = k;
        return status;
    }
    const double value = expand(r, poses_of_step(r), traj, k, ocp);
    if (cost) *cost = value;
    return TRX_OK;
}

static trx_status linearize_knot(trxi_rollout *r, const trxi_trajectory *traj, int k, trxi_ocp *ocp)
{
    const double *x = traj->x + r->nstate * k;
    trx_status status = trxi_rollout_advance(r, k, x + r->nstate + r->model->nq, x, traj->u + r->nu * k, NULL);
    return status < 0 ? status : trxi_rollout_derive(r, traj, k, ocp, NULL);
}

// one linearization, shared
typedef struct knots {
    trxi_rollout *first;
    const trxi_trajectory *traj;
    trxi_ocp *ocp;
} knots;

static void linearize_piece(int worker, int k, void *user)
{
    const knots *all = user;
    trxi_team *team = all->first->team;
    if (trxi_rollout_is_late(all->first)) team->status[k] = TRX_TIME_LIMIT;
    else team->status[k] = linearize_knot(trxi_team_rollout(team, all->first, worker), all->traj, k, all->ocp);
}

// ---- linearization during a rollout ----

static bool has_helpers(const trxi_rollout *r)
{
    return r->team && r->team->workers;
}

// wake-up call to the other threads, for the linearization after a rollout
typedef struct call {
    double start; // of the rollout, trx_clock [s]
    bool made;
} call;

// wakes the other threads when the rest of the rollout takes as long as waking, estimated from the pace so far
static void call_helpers(const trxi_rollout *r, int knot, call *to_come)
{
    static const double waking = 150e-6; // time to wake the threads [s]
    if (!has_helpers(r) || to_come->made || knot == 0) return;
    const double pace = (trx_clock() - to_come->start) / knot;
    if (pace * (r->steps - knot) > waking) return;
    trxi_workers_rouse(r->team->workers);
    to_come->made = true;
}

// begins a linearization before the first knot; the caller keeps `all` until its end
static void begin_linearization(trxi_rollout *r, const trxi_trajectory *traj, trxi_ocp *ocp, knots *all)
{
    *all = (knots){r, traj, ocp};
    r->linearized = ocp != NULL;
    if (!ocp) return;
    trxi_rollout_position_rows(r, &ocp->positions);
    if (has_helpers(r)) trxi_workers_begin(r->team->workers, linearize_piece, all);
}

// returns whether the rollout itself linearizes the next step
static bool linearizes(const knots *all)
{
    return all->ocp && all->first->linearized && !has_helpers(all->first) && !trxi_rollout_is_late(all->first);
}

// returns the cost at knot k after the step from knot k, which ended with the status `taken`. If the rollout linearizes its own
// steps, linearizes this step too, and the expansion gives the cost. A step that ended at round-off may change when it is solved
// again, so its cost is computed before its linearization
static double cost_and_linearization(const knots *all, int k, trx_status taken)
{
    trxi_rollout *r = all->first;
    const bool at_once = linearizes(all);
    const double *x = all->traj->x + r->nstate * k, *u = all->traj->u + r->nu * k;
    double cost;
    r->linearized = at_once || (r->linearized && has_helpers(r));
    if (at_once && taken == TRX_OK && trxi_rollout_derive(r, all->traj, k, all->ocp, &cost) >= 0) return cost;
    cost = trxi_cost_value_at(r->cost, poses_of_step(r), k, x, u);
    if (at_once) r->linearized = taken != TRX_OK && linearize_knot(r, all->traj, k, all->ocp) >= 0;
    return cost;
}

// leaves the linearization of a finished step to the other threads
static void offer(const knots *all, int k)
{
    if (all->ocp && has_helpers(all->first)) trxi_workers_offer(all->first->team->workers, k + 1);
}

// ends a linearization after the last knot of a rollout, or when the rollout is abandoned
static void end_linearization(const knots *all, bool complete)
{
    trxi_rollout *r = all->first;
    if (!all->ocp) return;
    if (has_helpers(r)) {
        if (complete) trxi_workers_end(r->team->workers, r->steps);
        else trxi_workers_stop(r->team->workers);
        for (int k = 0; k < r->steps && complete; k++) r->linearized = r->linearized && r->team->status[k] == TRX_OK;
    }
    r->linearized = r->linearized && complete;
    if (r->linearized) trxi_rollout_expand_end(r, all->traj, all->ocp);
}

// returns whether a rollout cannot fall below the cost limit, or has reached the deadline
static bool is_beaten(const trxi_rollout *r, double sum, double cost_limit)
{
    return cost_limit < INFINITY && (!(sum < cost_limit) || trxi_rollout_is_late(r));
}

// adds the cost at the last knot and sets the cost of a rollout that was not abandoned
static void conclude(const trxi_rollout *r, double sum, double cost_limit, trxi_trajectory *traj)
{
    sum += trxi_cost_value(r->cost, r->steps, traj->x + r->nstate * r->steps, NULL);
    if (sum < cost_limit) traj->cost = sum;
}

// u = clamp(u_ref + alpha k + K dx + P (change of the previous controls)); the previous controls lie before u in memory
static void apply_policy(const trxi_rollout *r, const trxi_trajectory *ref, const trxi_policy *policy, double alpha,
                         int knot, double *u)
{
    int nu = r->nu;
    const double *dx = trxi_rollout_dx(r);
    const double *k = policy->k + nu * knot, *K = policy->K + nu * r->nx * knot, *u_ref = ref->u + nu * knot;
    for (int i = 0; i < nu; i++) u[i] = u_ref[i] + alpha * k[i];
    for (int j = 0; j < r->nx; j++)
        for (int i = 0; i < nu; i++) u[i] += K[i + j * nu] * dx[j];
    for (int j = 0; policy->P && knot > 0 && j < nu; j++)
        for (int i = 0; i < nu; i++) u[i] += policy->P[nu * nu * knot + i + j * nu] * (u[j - nu] - u_ref[j - nu]);
    for (int i = 0; i < nu; i++) u[i] = fmin(fmax(u[i], r->u_lower[i]), r->u_upper[i]);
}

// predicts the velocities at which a solve starts, from u and the change of the state
static void predict_velocity(const trxi_rollout *r, const trxi_trajectory *ref, const trxi_policy *policy, int knot,
                             const double *u, double *v)
{
    const int nv = r->model->nv, nu = r->nu, nx = r->nx;
    const double *u_ref = ref->u + nu * knot;
    memcpy(v, ref->x + r->nstate * (knot + 1) + r->model->nq, (size_t)nv * sizeof *v);
    if (!policy->ocp) return;
    for (int j = 0; j < nu; j++) r->change[j] = u[j] - u_ref[j];
    trxi_gemv(nv, nu + nx, 1, policy->ocp->stages[knot].B + nv, nx, r->change, 1, v);
}

// the law of a rollout: the controls of the trajectory, or a policy about a reference
typedef struct law {
    bool warm; // the trajectory has velocities to start at
    const trxi_trajectory *ref;
    const trxi_policy *policy; // NULL: the controls
    double alpha;
} law;

static trx_status roll(trxi_rollout *r, const law *l, double cost_limit, trxi_trajectory *traj, trxi_ocp *ocp)
{
    double sum = trxi_cost_offset(r->cost);
    trx_status status = TRX_OK;
    bool beaten = false;
    call to_come = {trx_clock(), false};
    knots all;
    traj->cost = INFINITY;
    r->cost->controls = traj->u;
    memcpy(traj->x, r->x0, (size_t)r->nstate * sizeof(double));
    begin_linearization(r, traj, ocp, &all);
    for (int k = 0; k < r->steps && !beaten; k++) {
        double *x = traj->x + r->nstate * k, *x_next = x + r->nstate, *u = traj->u + r->nu * k;
        const double *v_start = l->warm ? x_next + r->model->nq : NULL;
        if (l->policy) {
            trx_model_difference_state(r->model, x, l->ref->x + r->nstate * k, trxi_rollout_dx(r));
            apply_policy(r, l->ref, l->policy, l->alpha, k, u);
            predict_velocity(r, l->ref, l->policy, k, u, r->v_start);
            v_start = r->v_start;
        }
        if (!ocp) call_helpers(r, k, &to_come);
        status = trxi_rollout_advance(r, k, v_start, x, u, x_next);
        if (status < 0) break;
        sum += cost_and_linearization(&all, k, status);
        beaten = is_beaten(r, sum, cost_limit);
        if (!beaten) offer(&all, k);
    }
    end_linearization(&all, status >= 0 && !beaten);
    if (status < 0) return status;
    if (!beaten) conclude(r, sum, cost_limit, traj);
    return TRX_OK;
}

trx_status trxi_rollout_controls(trxi_rollout *r, bool warm, double cost_limit, trxi_trajectory *traj, trxi_ocp *ocp)
{
    return roll(r, &(law){.warm = warm}, cost_limit, traj, ocp);
}

trx_status trxi_rollout_policy(trxi_rollout *r, const trxi_trajectory *ref, const trxi_policy *policy, double alpha,
                               double cost_limit, trxi_trajectory *trial, trxi_ocp *ocp)
{
    return roll(r, &(law){.ref = ref, .policy = policy, .alpha = alpha}, cost_limit, trial, ocp);
}

trx_status trxi_rollout_linearize(trxi_rollout *r, const trxi_trajectory *traj, trxi_ocp *ocp)
{
    trx_status status = TRX_OK;
    trxi_rollout_position_rows(r, &ocp->positions);
    if (has_helpers(r)) trxi_workers_run(r->team->workers, r->steps, linearize_piece, &(knots){r, traj, ocp});

    // without a team all knots; with a team the knots that failed, for their message, and the knots after the deadline
    for (int k = 0; k < r->steps && status == TRX_OK; k++) {
        if (has_helpers(r) && r->team->status[k] == TRX_OK) continue;
        status = trxi_rollout_is_late(r) ? TRX_TIME_LIMIT : linearize_knot(r, traj, k, ocp);
    }
    if (status == TRX_OK) trxi_rollout_expand_end(r, traj, ocp);
    return status;
}
