// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// One minimization by a method under one contact law, within limits (theory 7, 8).

#ifndef TRXI_TRAJOPT_MINIMIZE_H
#define TRXI_TRAJOPT_MINIMIZE_H

#include "trajopt/method.h"

/// Input of a minimization, and progress of the stage.
typedef struct trxi_minimization {
    const trxi_method *method;
    void *solver;
    const trxi_workspace *work;
    int stage;           // for the table
    int done;            // iterations of the stage so far, over all its minimizations
    int limit;           // of `done`
    double tolerance;
    double start_time, deadline; // of trx_clock [s]
    trx_plan_callback callback;  // may be NULL
    void *user;
    trxi_limit_set *limits;      // of the cost, for augmented.c; NULL: none
    double limit_accuracy;       // violations of the limits that count as met, in tolerances [1]
} trxi_minimization;

/// Minimizes from the trajectory in the workspace (`warm`: see trxi_method). The best trajectory is in the workspace
/// in every case. TRX_OK, STALLED, ITERATION_LIMIT, TIME_LIMIT, INTERRUPTED, or an error of the method.
trx_status trxi_minimize(trxi_minimization *m, bool warm);

#endif
