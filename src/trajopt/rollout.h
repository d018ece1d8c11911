// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Trajectories: simulated from controls, from a policy, and linearized (theory 7).

#ifndef TRXI_TRAJOPT_ROLLOUT_H
#define TRXI_TRAJOPT_ROLLOUT_H

#include "trajopt/cost.h"
#include "trajopt/dynamics.h"
#include "trajopt/riccati.h"

typedef struct trxi_trajectory {
    double *x;   // nstate x (N + 1)
    double *u;   // nu x N
    double cost;
} trxi_trajectory;

struct trxi_team;

/// Input of every rollout: the dynamics under the law of the stage, cost, start, bounds.
typedef struct trxi_rollout {
    const trx_model *model;
    trxi_dynamics dynamics;
    trxi_cost *cost;
    int nstate, nx, nu, steps;  // of the model: nstate, ntangent, nu
    bool couples;               // some term couples x and u: stages have S
    bool rates;                 // some term is a control rate
    double start_time;          // at knot 0 [s]
    double deadline;            // of trx_clock, INFINITY: none [s]
    double *x0;                 // nstate
    double *u_lower, *u_upper;  // nu, possibly infinite
    double *change;             // nu + nx, scratch: changes of controls and state from a reference
    double *v_start;            // nv, scratch
    double *l_xx;               // nx x nx, scratch
    int failed_knot;            // step that failed
    bool linearized;            // the last rollout that should linearize at once has done so at every knot
    struct trxi_team *team;     // threads that help to linearize; NULL: none
} trxi_rollout;

void trxi_trajectory_layout(trxi_arena *arena, int nstate, int nu, int steps, trxi_trajectory *trajectory);

/// Copies states, controls and cost.
void trxi_trajectory_copy(const trxi_rollout *r, const trxi_trajectory *from, trxi_trajectory *to);

/// The time at which the step from a knot begins [s].
static inline double trxi_rollout_time(const trxi_rollout *r, int knot)
{
    return r->start_time + knot * r->dynamics.time_step;
}

/// The change of the state in the scratch memory.
static inline double *trxi_rollout_dx(const trxi_rollout *r)
{
    return r->change + r->nu;
}

void trxi_trajectory_visit(trxi_visitor *visitor, const trxi_rollout *r, trxi_trajectory *trajectory);

/// Returns whether the deadline has passed. The deadline ends linearizations between two knots, and rollouts with a finite cost
/// limit. A rollout without a cost limit goes on to its last knot.
bool trxi_rollout_is_late(const trxi_rollout *r);

/// Simulates traj->u from x0 and sums the cost. Overwrites traj->x. With `warm`, solves start at the velocities that
/// traj->x held before. Stops with cost INFINITY as soon as the sum reaches cost_limit. With `ocp` every knot is linearized right
/// after its step, by the rollout or by the other threads of the team; r->linearized tells whether all knots were linearized.
/// Negative: the step at r->failed_knot failed, with the sim's message in the context.
trx_status trxi_rollout_controls(trxi_rollout *r, bool warm, double cost_limit, trxi_trajectory *traj, trxi_ocp *ocp);

/// trial: u = clamp(u_ref + alpha k + K (x (-) x_ref)) from x0. Stops with cost INFINITY as soon as the sum reaches
/// cost_limit. `ocp` and negative statuses as for the rollout above.
trx_status trxi_rollout_policy(trxi_rollout *r, const trxi_trajectory *ref, const trxi_policy *policy, double alpha,
                               double cost_limit, trxi_trajectory *trial, trxi_ocp *ocp);

/// Linearizes an existing trajectory: A, B and the expansion of the cost at every knot, bounds of the change of
/// controls. TRX_TIME_LIMIT after the deadline: `ocp` is then incomplete. Negative statuses as above.
trx_status trxi_rollout_linearize(trxi_rollout *r, const trxi_trajectory *traj, trxi_ocp *ocp);

// ---- one knot ----

/// Takes the step from a knot; the solve starts at the velocities `v_start` (NULL: the velocities of x). x_next may be NULL. Writes
/// r->failed_knot when the step fails.
trx_status trxi_rollout_advance(trxi_rollout *r, int knot, const double *v_start, const double *x, const double *u,
                                double *x_next);

/// Writes the derivatives of the step from knot k, which was just taken, the expansion of the cost there and the bounds of the
/// change of controls. Sets the defect to zero. `cost` (may be NULL) receives the cost of the knot.
trx_status trxi_rollout_derive(trxi_rollout *r, const trxi_trajectory *traj, int k, trxi_ocp *ocp, double *cost);

/// Expansion of the cost at the last knot; returns the cost.
double trxi_rollout_expand_end(trxi_rollout *r, const trxi_trajectory *traj, trxi_ocp *ocp);

/// Maps of positions, for the sweep. With few velocities the maps cost as much as they save, and the count is 0.
void trxi_rollout_position_rows(const trxi_rollout *r, trxi_position_rows *rows);

#endif
