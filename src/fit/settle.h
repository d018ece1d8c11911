// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A better start state for one window; the unknowns do not change (theory 10).

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

/// Changes the start state x of a window so that its objective falls. `at`: the evaluation at x, on entry with derivatives by the
/// start state; on return the values of `at` belong to the new x, and its derivatives may belong to an earlier x.
/// `eliminated`: scratch.
void trxi_start_improve(trxi_bench *bench, const trxi_window *w, const trxi_settling *settling, const trxi_eliminated *eliminated,
                        double *x, trxi_evaluation *at);

#endif
