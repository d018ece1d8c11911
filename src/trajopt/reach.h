// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Finds coordinates on which the cost of a judged result depends and that no control influences, and the cause (theory 8).

#ifndef TRXI_TRAJOPT_REACH_H
#define TRXI_TRAJOPT_REACH_H

#include <stdbool.h>
#include <tractrix/plan.h>

/// A passive coordinate that the cost depends on and that no control influences. A passive tree has no actuator.
typedef struct trxi_reach {
    bool out;        // there is such a coordinate; the other fields describe it
    int dof;         // the coordinate with the largest gradient
    int pair;        // closest pair, over all knots, between its tree and an actuated tree; -1: there is none
    int knot;        // of the closest approach
    double gap;      // of the closest approach [m]
    int holder;      // pair that touches the tree at this knot, without an actuated side and not smoothed by any stage; -1: none
    bool floats;     // the actuated tree of `pair` floats: no actuator moves its base (free, or a slide), and it touches nothing
    bool wrong_side; // contact at the closest points pushes against the wanted motion
} trxi_reach;

/// Examines the result (plan->x, with the program of the last linearization). Costs distances of the pairs at every knot.
trxi_reach trxi_reach_find(trx_plan *plan);

/// The actuated pair on the tree of `dof` that comes closest at the knots first .. last; -1 when there is none.
int trxi_reach_closest(trx_plan *plan, int dof, int first, int last, int *knot, double *gap);

#endif
