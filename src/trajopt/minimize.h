// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// One minimization by a method under one contact law, within limits (theory 7, 8).

#ifndef TRXI_TRAJOPT_MINIMIZE_H
#define TRXI_TRAJOPT_MINIMIZE_H

#include "trajopt/method.h"

/// Kinds of records in the journal of a solve.
enum {
    TRXI_RECORD_LINE,   // of the table
    TRXI_RECORD_STATE,  // after an iteration
    TRXI_RECORD_RESULT, // of a minimization
    TRXI_RECORD_LIMITS, // multipliers and penalties after a minimization
    TRXI_RECORD_ENDS = 1 << TRXI_RECORD_STATE | 1 << TRXI_RECORD_RESULT | 1 << TRXI_RECORD_LIMITS // may end a journal
};

/// Input of a minimization, and progress of the stage.
typedef struct trxi_minimization {
    const trxi_method *method;
    void *solver;
    trxi_workspace *work;
    trxi_journal *journal; // of the solve; NULL: none
    int attempt, stage;  // for the table
    int done;            // iterations of the stage so far, over all its minimizations
    bool finished;       // the method has ended the last minimization
    bool gave_up;        // the last minimization did not come back to lost_cost
    trx_status status;   // of its last iteration, then of the minimization
    int limit;           // of `done`
    double tolerance;
    double start_time, deadline; // of trx_clock [s]
    double seconds;              // from start_time to the last line of the table [s]
    trx_plan_callback callback;  // may be NULL
    void *user;
    trxi_limit_set *limits;      // of the cost, for augmented.c; NULL: none
    double limit_accuracy;       // violations of the limits that count as met, in tolerances [1]
    double lost_cost;            // above it the result of the stage before is lost; INFINITY: none to lose
    int marked;                  // `done` at the last look at the progress, and the cost then
    double mark;
} trxi_minimization;

/// Minimizes from the trajectory in the workspace. The best trajectory is in the workspace
/// in every case. Ends with STALLED and `gave_up` while the cost is above lost_cost and the progress of the last iterations, once
/// more, would not bring it back. TRX_OK, STALLED, ITERATION_LIMIT, TIME_LIMIT, INTERRUPTED, an error of the method, or INPUT when
/// the journal belongs to another solve.
trx_status trxi_minimize(trxi_minimization *m, trxi_origin origin);

#endif
