// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Every knot of a trajectory by itself (theory 7): costs, defects and linearizations of states that need not follow from
// each other.

#ifndef TRXI_TRAJOPT_KNOTS_H
#define TRXI_TRAJOPT_KNOTS_H

#include "trajopt/rollout.h"

/// Results of an evaluation.
typedef struct trxi_knots {
    double *defects; // nx x N: f(x_k, u_k) (-) x_{k+1}
    double *costs;   // N
    double *ends;    // nstate x N: f(x_k, u_k)
    double defect;   // sum of |defects|
} trxi_knots;

void trxi_knots_layout(trxi_arena *arena, const trxi_rollout *r, trxi_knots *knots);

/// Takes the step of every knot from the trajectory's own state, by all threads, and writes defects and costs; traj->cost is
/// the sum of the costs. With `ocp` (whose stages have defects) every knot is linearized too. Solves start at the velocities
/// of the next knot. The bits do not depend on the number of threads. Negative: the step at r->failed_knot failed.
trx_status trxi_knots_evaluate(trxi_rollout *r, trxi_trajectory *traj, trxi_knots *knots, trxi_ocp *ocp);

#endif
