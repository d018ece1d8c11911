// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Controls that follow a path in time (theory 9).

#ifndef TRXI_SEARCH_FOLLOW_H
#define TRXI_SEARCH_FOLLOW_H

#include "search/path.h"

/// A stretch of trajectory from a knot of the problem on.
typedef struct trxi_stretch {
    int first, steps; // knots first .. first + steps
    double *x;        // nstate x (steps + 1)
    double *u;        // nu x steps
} trxi_stretch;

/// Follows the path from the state x at knot `first` in at most `most` steps. The end is at rest, to within the clearance. Memory
/// comes from `pool`. Returns 1, 0 when the controls are too weak for this time, or an error.
int trxi_follow(trxi_scout *scout, trxi_pool *pool, const trxi_path *path, const double *x, int first, int most,
                trxi_stretch *out);

/// One step from x with controls u that bring the placed dofs to `q` (nq) at its end, as far as their limits allow. u is first the
/// guess, then the result; x_next is the state after the step.
trx_status trxi_follow_step(trxi_scout *scout, const double *x, double time, const double *q, double *u, double *x_next);

/// The profile of least jerk: 0 at t = 0, 1 at t = 1, at rest at both ends.
double trxi_least_jerk(double t);

/// Controls u (nu) that keep the placed dofs at rest over one step from x, as far as their limits allow.
trx_status trxi_hold(trxi_scout *scout, const double *x, double time, double *u);

#endif
