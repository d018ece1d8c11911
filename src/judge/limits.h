// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Limits of joints and controls along a trajectory: the largest excess over each. Joint limits are near-rigid rows of the contact
// solve (theory 4), met up to 1e-3 rad or m, from the end of the first step on. Controls are met up to round-off.

#ifndef TRXI_JUDGE_LIMITS_H
#define TRXI_JUDGE_LIMITS_H

#include "base/arena.h"

#include <tractrix/report.h>

typedef struct trxi_limits {
    trx_limit_result *results;
    int count;
    int *columns; // of each limit: coordinate, or -1 - control
    double *lower, *upper;
} trxi_limits;

/// All limits of a model's joints and actuators, in memory of `pool`. Errors: MEMORY.
trx_status trxi_limits_begin(trxi_pool *pool, const trx_model *model, trxi_limits *limits);

/// Takes a knot in. q (nq), NULL: the limits of joints do not count; u (nu), NULL: those of controls do not.
void trxi_limits_take(trxi_limits *limits, const double *q, const double *u);

#endif
