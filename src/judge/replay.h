// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Runs a policy in a simulator and measures the trajectory (theory 7, replays): penetration, slip, momentum residual, cost and
// goals. The simulator has its own settings. Between two knots of the judged trajectory it may take several steps.

#ifndef TRXI_JUDGE_REPLAY_H
#define TRXI_JUDGE_REPLAY_H

#include <tractrix/plan.h>

/// Raises penetration, slip and momentum residual to the values of the simulator's last step if these are larger.
void trxi_replay_observe(trx_sim *sim, trx_replay *replay);

/// u of the step that begins at x, the fraction `share` of the way from knot k to the next.
typedef void trxi_control_law(void *data, int knot, double share, const double *x, double *u);

/// Changes the state x before the step that begins there.
typedef void trxi_disturbance(void *data, int knot, double share, double *x);

/// Returns the cost of a knot and raises the errors of the goals to this knot. u is NULL at the last knot.
typedef double trxi_knot_measure(void *data, int knot, const double *x, const double *u);

typedef struct trxi_experiment {
    trx_sim *sim;
    int knots, parts;              // intervals between knots; steps in each interval
    double start_time, knot_time;  // time of the first knot, time between knots [s]
    trxi_disturbance *disturb; // NULL: none
    trxi_control_law *policy;
    trxi_knot_measure *measure;
    bool (*stop)(void *data); // asked at every knot: true ends the replay with the status INTERRUPTED; NULL: never
    void *data; // argument of all functions
    double *x;  // in: the start (nstate); out: the states of all knots, `stride` numbers apart; with stride 0 only the last state
    int stride;
    double *u;       // nu: scratch
    int failed_knot; // knot whose step failed, -1: none
} trxi_experiment;

/// Runs the policy and writes the numbers of the replay, except the goals. A step shows the contacts at its start, so one more step
/// shows the contacts of the last knot. A failed replay has the cost INFINITY.
void trxi_replay_run(trxi_experiment *experiment, trx_replay *replay);

#endif
