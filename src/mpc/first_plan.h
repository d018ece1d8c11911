// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The first plan of a controller: the whole task at the planner's time step, with gains (theory 7, model predictive control).

#ifndef TRXI_MPC_FIRST_PLAN_H
#define TRXI_MPC_FIRST_PLAN_H

#include "base/arena.h"

#include <tractrix/mpc.h>

typedef struct trxi_first_plan {
    int steps;
    double start_time, time_step; // [s]
    size_t nx, nu, nk; // numbers of a state, of controls, of gains
    double *x, *u, *K; // as in trx_policy_def
} trxi_first_plan;

/// Carves the arrays for the planner's problem, which is the task at the planner's time step.
void trxi_first_plan_layout(trxi_arena *arena, const trx_plan_problem *problem, trxi_first_plan *first);

/// Fills the arrays from settings->first, from the task solved through its stages, or from its guess. A plan with another time
/// step than the planner's is simulated under its policy, and solved again. Errors: as for trx_mpc_create.
trx_status trxi_first_plan_fill(trx_context *context, const trx_plan_problem *task, const trx_plan_problem *problem,
                                const trx_mpc_settings *settings, trxi_first_plan *first);

/// Fills the arrays from a solved plan of `task` in the same way.
trx_status trxi_first_plan_take(trx_context *context, const trx_plan_problem *task, const trx_plan_problem *problem,
                                const trx_mpc_settings *settings, const trx_plan *plan, trxi_first_plan *first);

/// Copies a plan. The arrays of `to` must have been carved for a plan that is at least as long.
void trxi_first_plan_copy(const trxi_first_plan *from, trxi_first_plan *to);

/// Time at which a plan ends [s].
double trxi_first_plan_end(const trxi_first_plan *first);

trx_policy_def trxi_first_plan_policy(const trxi_first_plan *first);

#endif
