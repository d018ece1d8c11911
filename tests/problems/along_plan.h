// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A and B at every knot of a plan against the finite differences of the same step.

#ifndef TESTS_PROBLEMS_ALONG_PLAN_H
#define TESTS_PROBLEMS_ALONG_PLAN_H

#include <tractrix/tractrix.h>

typedef struct along_plan {
    double worst_A, worst_B; // column-wise relative error, the largest over the judged knots [1]
    int judged, kinks;       // knots; those at a kink have no two-sided derivative
} along_plan;

/// Measures the derivatives at the `steps` knots of a plan's states and controls, under `settings`.
along_plan derivatives_along_plan(trx_context *context, const trx_model *model, trx_sim_settings settings, int steps,
                                  const double *states, const double *controls);

#endif
