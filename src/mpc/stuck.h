// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Whether the plans of a loop miss their goals and come no closer (theory 7, model predictive control).

#ifndef TRXI_MPC_STUCK_H
#define TRXI_MPC_STUCK_H

#include <stdbool.h>
#include <tractrix/plan.h>

typedef struct trxi_stuck {
    double miss;  // the least since `since`
    double since; // [s]
} trxi_stuck;

/// The largest error of a goal at the end of a solved plan, in tolerances; 0 without goals. Takes no step.
double trxi_goal_miss(trx_plan *plan);

/// Begins to watch.
void trxi_stuck_reset(double time, trxi_stuck *stuck);

/// The plan of the tick at `time` misses its goals by `miss`. Returns whether no plan of the last `patience` seconds missed them
/// clearly less than the plans before.
bool trxi_stuck_update(double time, double miss, double patience, trxi_stuck *stuck);

#endif
