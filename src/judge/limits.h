// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The largest excess over each limit of joints and controls along a trajectory. Joint limits are near-rigid rows of the contact
// solve (theory 4), so a trajectory meets them up to 1e-3 rad or m, from the end of the first step on. Controls meet their limits
// up to round-off.

#ifndef TRXI_JUDGE_LIMITS_H
#define TRXI_JUDGE_LIMITS_H

#include "base/arena.h"

#include <math.h>
#include <tractrix/plan.h>

/// By how much a value is outside of [lower, upper]; 0 inside, INFINITY for NAN.
static inline double trxi_excess(double value, double lower, double upper)
{
    return isnan(value) ? INFINITY : fmax(0, fmax(lower - value, value - upper));
}

typedef struct trxi_limits {
    trx_limit_result *results;
    int count;
    int *columns; // of each limit: index of its coordinate in q, or -1 - index of its control in u
    double *lower, *upper;
} trxi_limits;

/// Lists all limits of a model's joints and actuators, in memory of `pool`. Errors: MEMORY.
trx_status trxi_limits_begin(trxi_pool *pool, const trx_model *model, trxi_limits *limits);

/// Raises each result to the excess at knot `knot` if the excess is larger. q (nq) NULL: skips joints; u (nu) NULL: skips controls.
void trxi_limits_take(trxi_limits *limits, int knot, const double *q, const double *u);

#endif
