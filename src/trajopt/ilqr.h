// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// One stage of iLQR: from a rollout to a local minimum under one contact law (theory 7).

#ifndef TRXI_TRAJOPT_ILQR_H
#define TRXI_TRAJOPT_ILQR_H

#include "trajopt/rollout.h"

typedef struct trxi_ilqr {
    trxi_rollout *rollout;
    trxi_trajectory *current, *trial; // exchanged when a step is accepted
    trxi_lq lq, next;                 // of `current`, and of a trial that is linearized on the way; exchanged with it
    trxi_policy policy;
    trxi_backward backward;
    double *scale;     // nu: D of the regularization
    double mu;         // regularization [1]

    // limits of the stage
    int stage, iterations;
    double tolerance;
    double start_time, deadline; // of trx_clock [s]
    trx_plan_callback callback;
    void *user;

    // state of the stage
    bool linearized;      // lq belongs to `current`
    bool expects_full;    // the last full step was accepted: the next one is linearized on the way
    double first_cost;
    double expected;      // decrease predicted for the full step of the last sweep
    double step;          // accepted step length
    double mu_used;       // and its regularization
    int done;             // iterations of this call
    int before;           // and of earlier ones in the same stage
    int small_steps;      // accepted steps in a row below the tolerance
} trxi_ilqr;

/// Minimizes from the controls in s->current, whose x holds a neighbouring trajectory when `warm` is set.
/// Whatever the outcome, s->current is the best iterate. TRX_OK, STALLED, ITERATION_LIMIT, TIME_LIMIT,
/// INTERRUPTED; negative: NOT_PD at s->backward.failed_knot, a failed step at s->rollout->failed_knot, or
/// NOT_FINITE with failed_knot -1 for a cost that overflows.
trx_status trxi_ilqr_minimize(trxi_ilqr *s, bool warm);

#endif
