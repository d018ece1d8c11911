// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A policy run in a world, and what it shows (theory 7, replays): penetration, slip, momentum residual, cost and goals. The world
// is a simulator with settings of its own; several of its steps may make one knot of the trajectory that is judged.

#ifndef TRXI_JUDGE_REPLAY_H
#define TRXI_JUDGE_REPLAY_H

#include <tractrix/plan.h>

/// Raises penetration, slip and momentum residual by those of the simulator's last step.
void trxi_replay_observe(trx_sim *sim, trx_replay *replay);

/// u of the step that begins at x, the fraction `share` of the way from knot k to the next.
typedef void trxi_control_law(void *data, int knot, double share, const double *x, double *u);

/// What a knot adds to the cost; takes the knot into the goals. u is NULL at the last knot.
typedef double trxi_knot_measure(void *data, int knot, const double *x, const double *u);

typedef struct trxi_experiment {
    trx_sim *sim;
    int knots, parts;              // knots without the last; steps from one knot to the next
    double start_time, knot_time;  // of the first knot, from one knot to the next [s]
    trxi_control_law *policy;
    trxi_knot_measure *measure;
    void *data; // of both
    double *x;  // the start (nq + nv), then every knot `stride` numbers after the one before; with stride 0 the last state alone
    int stride;
    double *u;       // nu: scratch
    int failed_knot; // where a step failed, -1: none
} trxi_experiment;

/// Runs the policy and writes the replay's numbers, not its goals. Contacts are those at the start of each step, so one more step
/// shows those of the last knot. A replay that fails costs INFINITY.
void trxi_replay_run(trxi_experiment *experiment, trx_replay *replay);

#endif
