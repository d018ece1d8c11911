// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Windows: pieces of recordings, each with a start state of its own (theory 10).

#ifndef TRXI_FIT_WINDOW_H
#define TRXI_FIT_WINDOW_H

#include "base/arena.h"
#include "fit/knot.h"

enum { TRXI_MOST_WINDOW_STEPS = 10000000 }; // of a recording, and of a range of delays

typedef struct trxi_window {
    int recording;
    int first_row, rows; // samples of the recording that are used now
    int all_rows;        // all samples of the window; early rounds use fewer
    double begin;        // time of the first knot [s]
    int steps;
    double *x;           // nstate: start state
    double *guess;       // nstate: its first guess, mean of its prior
} trxi_window;

/// The smallest interval that contains 0 and all possible delays of signals [s].
void trxi_delay_range(const trx_fit_problem *problem, double *least, double *most);

/// Knots of a window before its first sample, so that the motion is known at the time of the sample less the largest delay.
int trxi_lead_of(const trx_fit_problem *problem);

/// Cuts all recordings that are held out, or all others, into windows in the pool, with states of the first guess (guess.c). No
/// window but the first of a recording starts inside an impact (impact.h), unless `in_impacts`. Errors: MEMORY.
trx_status trxi_windows_begin(trxi_pool *pool, const trx_fit_problem *problem, bool held_out, bool in_impacts,
                              trxi_window **windows, int *count);

#endif
