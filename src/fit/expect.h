// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The covariance that the parameters would have after a fit to a recording of a given motion (theory 10).

#ifndef TRXI_FIT_EXPECT_H
#define TRXI_FIT_EXPECT_H

#include "fit/eliminate.h"
#include "fit/evaluate.h"

#include <tractrix/fit_design.h>

/// A motion, the recording of this motion that the model predicts, and the scratch of one thread. The caller must not move the
/// struct, because the bench points into it.
typedef struct trxi_expectation {
    const trx_fit_motion *motion;
    trx_fit_problem problem;      // with `recording` alone
    trx_fit_settings settings;    // without Huber weights
    trx_fit_recording recording;
    const trxi_unknowns *unknowns;
    trxi_bench bench;
    trxi_evaluation evaluation;
    trxi_eliminated eliminated;
    double *t, *recorded, *u;     // steps + 1, (steps + 1) x columns, (steps + 1) x nu
    double *x;                    // 2 nstate: two states
    double *start_values, *noise; // nparameter, ngroup
    double *scale;                // np: sizes that make the unknowns comparable in the criterion
    double *P, *B, *V, *values;   // np x np each, np
    double excess, criterion;     // of the last motion
} trxi_expectation;

/// Errors: of trxi_bench_open, MEMORY.
trx_status trxi_expectation_open(trx_context *context, trxi_pool *pool, const trx_fit_problem *problem,
                                 const trx_fit_settings *settings, const trxi_unknowns *unknowns, const trx_fit_motion *motion,
                                 trxi_expectation *e);
void trxi_expectation_close(trxi_expectation *e);

/// Judges the motion under the controls u (steps x nu). Sets `excess`, by which the motion leaves its limits (relative to the width
/// of the limits; INFINITY when a step fails). If the excess is 0, also computes the criterion and the eigenvalues of the
/// information. Errors: MEMORY.
trx_status trxi_expectation_judge(trxi_expectation *e, const double *u, trx_fit_criterion criterion);

/// Standard deviation of a parameter, after a judgement without excess.
double trxi_expectation_deviation(const trxi_expectation *e, int parameter);

#endif
