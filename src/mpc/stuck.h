// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Detects loops whose plans miss their goals and come no closer (theory 7, model predictive control).

#ifndef TRXI_MPC_STUCK_H
#define TRXI_MPC_STUCK_H

#include <stdbool.h>
#include <tractrix/plan.h>

typedef struct trxi_stuck {
    double miss;  // smallest miss so far that counted as progress
    double since; // time of this progress [s]
} trxi_stuck;

/// The largest error of a goal at the end of a solved plan, in tolerances; 0 without goals. Simulates no step.
double trxi_goal_miss(trx_plan *plan);

/// Begins to watch.
void trxi_stuck_reset(double time, trxi_stuck *stuck);

/// Call after a tick at `time` whose plan misses its goals by `miss`. Returns whether the loop is stuck: no plan of the last
/// `patience` seconds has made progress.
bool trxi_stuck_update(double time, double miss, double patience, trxi_stuck *stuck);

#endif
