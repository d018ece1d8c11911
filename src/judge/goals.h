// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Goals of a trajectory (theory 7): how far each is missed, component by component, and whether it is met.

#ifndef TRXI_JUDGE_GOALS_H
#define TRXI_JUDGE_GOALS_H

#include <tractrix/plan.h>

/// How far a goal is missed so far: the norm of the components of its residual that have a weight.
typedef struct trxi_goal_error {
    double error;
    int dim;
    double *components; // dim: of the knot of the error; 0 for components without a weight
} trxi_goal_error;

/// No knot was seen.
void trxi_goals_reset(int count, trxi_goal_error *goals);

/// Raises a goal by the residual r (dim) of one knot, whose components without a weight become 0.
void trxi_goal_raise(trxi_goal_error *goal, const double *weight, double *r);

/// The results of `count` goals. A trajectory that stopped on the way (`complete` false) has met none: errors are INFINITY.
void trxi_goals_conclude(int count, const trxi_goal_error *goals, bool complete, trx_goal_result *results);

#endif
