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
    bool gave_up;        // the last minimization gave up above lost_cost
    trx_status status;   // of the last iteration, at the end of the minimization
    int limit;           // largest number of iterations `done`
    double tolerance;
    double start_time, deadline; // of trx_clock [s]
    double seconds;              // from start_time to the last line of the table [s]
    trx_plan_callback callback;  // may be NULL
    void *user;
    trxi_limit_set *limits;      // of the cost, for augmented.c; NULL: none
    double limit_accuracy;       // violations of the limits that count as met, in tolerances [1]
    double lost_cost;            // cost above which the result of the previous stage is lost; INFINITY: there is no such result
    int marked;                  // `done` at the last test of the progress
    double mark;                 // cost at this test
} trxi_minimization;

/// Minimizes from the trajectory in the workspace. The best trajectory is in the workspace in every case. Returns TRX_OK,
/// STALLED (with `gave_up` if the progress is too slow to come down to lost_cost), ITERATION_LIMIT, TIME_LIMIT, INTERRUPTED, an
/// error of the method, or INPUT when the journal belongs to another solve.
trx_status trxi_minimize(trxi_minimization *m, trxi_origin origin);

#endif
