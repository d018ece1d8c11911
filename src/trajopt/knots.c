// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Evaluates every knot of a trajectory independently (theory 7): the step x' = f(x_k, u_k) from the trajectory's own state, the
// defect
//
//     b_k = f(x_k, u_k) (-) x_{k+1}        in the tangent coordinates of x_{k+1}
//
// the cost, and on request A, B and the expansion of the cost. Knots do not depend on each other, so all threads take part.
// Sums are formed afterwards, in the order of the knots.

#include "trajopt/knots.h"

#include "trajopt/team.h"

#include <math.h>
#include <string.h>

void trxi_knots_layout(trxi_arena *arena, const trxi_rollout *r, trxi_knots *knots)
{
    *knots = (trxi_knots){0};
    knots->defects = TRXI_TAKE(arena, double, (size_t)r->nx * (size_t)r->steps);
    knots->costs = TRXI_TAKE(arena, double, r->steps);
    knots->ends = TRXI_TAKE(arena, double, (size_t)r->nstate * (size_t)r->steps);
}

// one evaluation, shared
typedef struct evaluation {
    trxi_rollout *first;
    const trxi_trajectory *traj;
    trxi_knots *knots;
    trxi_ocp *ocp;
} evaluation;

static trx_status evaluate_knot(trxi_rollout *r, int k, const evaluation *all)
{
    const trxi_trajectory *traj = all->traj;
    const double *x = traj->x + r->nstate * k, *u = traj->u + r->nu * k, *next = x + r->nstate;
    double *end = all->knots->ends + r->nstate * k, *b = all->knots->defects + r->nx * k, *cost = &all->knots->costs[k];
    trx_status status = trxi_rollout_advance(r, k, next + r->model->nq, x, u, end);
    if (status >= 0 && all->ocp) status = trxi_rollout_derive(r, traj, k, all->ocp, cost);
    if (status < 0) return status;
    if (!all->ocp) *cost = trxi_cost_value_at(r->cost, r->dynamics.poses(&r->dynamics), k, x, u);
    trx_model_difference_state(r->model, end, next, b);
    if (all->ocp) memcpy(all->ocp->stages[k].b, b, (size_t)r->nx * sizeof *b);
    return TRX_OK;
}

static void evaluate_piece(int worker, int k, void *user)
{
    const evaluation *all = user;
    trxi_team *team = all->first->team;
    team->status[k] = evaluate_knot(trxi_team_rollout(team, all->first, worker), k, all);
}

static double absolute_sum(size_t count, const double *values)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += fabs(values[i]);
    return sum;
}

trx_status trxi_knots_evaluate(trxi_rollout *r, trxi_trajectory *traj, trxi_knots *knots, trxi_ocp *ocp)
{
    evaluation all = {r, traj, knots, ocp};
    const bool shared = r->team && r->team->workers;
    traj->cost = INFINITY;
    if (ocp) trxi_rollout_position_rows(r, &ocp->positions);
    if (shared) trxi_workers_run(r->team->workers, r->steps, evaluate_piece, &all);

    // all knots without a team, else the failed ones, for the message
    for (int k = 0; k < r->steps; k++) {
        trx_status status = shared ? r->team->status[k] : TRX_ERR_FAILED;
        if (status < 0) status = evaluate_knot(r, k, &all);
        if (status < 0) return status;
    }

    const double *last = traj->x + r->nstate * r->steps;
    double sum = ocp ? trxi_rollout_expand_end(r, traj, ocp) : trxi_cost_value(r->cost, r->steps, last, NULL);
    for (int k = 0; k < r->steps; k++) sum += knots->costs[k];
    knots->defect = absolute_sum((size_t)r->nx * (size_t)r->steps, knots->defects);
    traj->cost = sum + trxi_cost_offset(r->cost);
    return TRX_OK;
}
