// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The start state of one window, with the unknowns held (theory 10).

#ifndef TRXI_FIT_SETTLE_H
#define TRXI_FIT_SETTLE_H

#include "fit/eliminate.h"
#include "fit/evaluate.h"

/// The input of one improvement of a start state.
typedef struct trxi_settling {
    const double *noise; // ngroup
    int iterations;      // at most
    double tolerance;    // ends when a step lowers the objective by less than this share
} trxi_settling;

/// Lowers the objective of a window by its start state x, whose evaluation with derivatives by the start is `at`. Both are changed
/// together; in the end the derivatives of `at` may be missing.
/// `eliminated`: scratch.
void trxi_start_improve(trxi_bench *bench, const trxi_window *w, const trxi_settling *settling, const trxi_eliminated *eliminated,
                        double *x, trxi_evaluation *at);

#endif
