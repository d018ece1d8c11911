// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The results of a problem's goals: tolerances, names and units of components, errors (theory 7).

#ifndef TRXI_TRAJOPT_GOAL_RESULTS_H
#define TRXI_TRAJOPT_GOAL_RESULTS_H

#include "trajopt/cost.h"

/// Carves errors and results of the goals among the problem's terms.
void trxi_goal_results_layout(trxi_arena *arena, const trx_plan_problem *problem, trxi_goal_error **errors,
                              trx_goal_result **results);

/// Fills what does not change: names, tolerances, components. The names belong to the terms and the model.
void trxi_goal_results_fill(const trxi_cost *cost, const trxi_goal_error *errors, trx_goal_result *results);

/// Component with the largest size; 0 when no component is finite.
int trxi_goal_largest(const trx_goal_result *goal);

#endif
