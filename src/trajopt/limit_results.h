// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// How a trajectory keeps the limits of a plan (theory 7): the worst violation of each limit, with knot and component.

#ifndef TRXI_TRAJOPT_LIMIT_RESULTS_H
#define TRXI_TRAJOPT_LIMIT_RESULTS_H

#include "trajopt/cost.h"

/// Results of the limits of `set` (set->count) before the first knot.
void trxi_limit_results_reset(const trxi_limit_set *set, trx_limit_result *results);

/// Raises the violations to their values at one knot; u is NULL at the last knot.
void trxi_limit_results_raise(const trxi_limit_set *set, trxi_cost *cost, int knot, const double *x, const double *u,
                              trx_limit_result *results);

/// Decides which limits are met. A trajectory that failed before its end (`complete` false) meets none: violations are
/// INFINITY.
void trxi_limit_results_conclude(const trxi_limit_set *set, bool complete, trx_limit_result *results);

/// The limit with the largest violation in tolerances; NULL: all are met.
const trx_limit_result *trxi_limit_results_worst(int count, const trx_limit_result *results);

/// Checks the limits of the state at the first knot. Errors: INPUT, with one error for each violated limit that tells the amount.
trx_status trxi_limits_check_start(trx_context *context, const trxi_limit_set *set, trxi_cost *cost, const double *x0);

#endif
