// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Goals of a trajectory (theory 7): the error of each goal, component by component, and the decision whether the goal is met.

#ifndef TRXI_JUDGE_GOALS_H
#define TRXI_JUDGE_GOALS_H

#include <tractrix/plan.h>

/// The error of a goal so far: the norm of the components of its residual that have a weight.
typedef struct trxi_goal_error {
    double error;
    int dim;
    double *components; // dim: the residual at the knot of `error`; 0 for components without a weight
} trxi_goal_error;

/// Resets `count` goals to the state before the first knot.
void trxi_goals_reset(int count, trxi_goal_error *goals);

/// Raises the error of a goal to the error at one knot with residual r (dim). Components of r without a weight become 0.
void trxi_goal_raise(trxi_goal_error *goal, const double *weight, double *r);

/// The results of `count` goals. A trajectory that failed before its end (`complete` false) meets no goal: errors are INFINITY.
void trxi_goals_conclude(int count, const trxi_goal_error *goals, bool complete, trx_goal_result *results);

#endif
