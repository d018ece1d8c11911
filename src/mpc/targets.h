// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Targets per knot of a task, and their window over a horizon (theory 7, model predictive control).

#ifndef TRXI_MPC_TARGETS_H
#define TRXI_MPC_TARGETS_H

#include "base/arena.h"

#include <tractrix/plan.h>

/// The targets per knot of one cost term.
typedef struct trxi_track {
    int term, stride;
    double *targets; // stride x (steps + 1)
} trxi_track;

typedef struct trxi_targets {
    int steps; // of the task
    int count;
    trxi_track *tracks; // count
    double *window;     // the targets of one term over a horizon
} trxi_targets;

/// Carves the arrays for the task; trxi_targets_fill then copies its targets.
void trxi_targets_layout(trxi_arena *arena, const trx_plan_problem *task, int horizon, trxi_targets *targets);
void trxi_targets_fill(const trx_plan_problem *task, trxi_targets *targets);

/// Gives a plan that begins at knot `first` of the task its targets. Knots after the end of the task get the last targets.
trx_status trxi_targets_follow(const trxi_targets *targets, int first, trx_plan *plan);

#endif
