// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// One piece of a plan: the motion to a placement, then the planned contact (theory 9). Also the optimization of whole plans.

#ifndef TRXI_SEARCH_PIECE_H
#define TRXI_SEARCH_PIECE_H

#include "search/follow.h"
#include "search/placement.h"

/// Returns whether the work on a candidate must end.
typedef bool (*trxi_stop)(void *user);

/// The first knots of a trajectory of the problem.
typedef struct trxi_prefix {
    int knots;  // steps so far
    double *x;  // nstate x (N + 1)
    double *u;  // nu x N
} trxi_prefix;

trx_status trxi_prefix_create(trxi_pool *pool, const trxi_search_task *task, trxi_prefix *prefix);

/// Appends `steps` steps, whose states x begin at the end of the prefix.
void trxi_prefix_extend(const trxi_search_task *task, trxi_prefix *prefix, int steps, const double *x, const double *u);

/// candidate->error: the largest ratio of a goal's error, or of a limit's violation, to its tolerance on the physical replay;
/// candidate->fine: the largest ratio of a goal's error on the fine replay. INFINITY when an error is not finite.
void trxi_piece_errors(const trx_plan_info *info, trx_candidate *candidate);

/// Extends `prefix` to the knot `last` by a piece that begins with the motion to `placement`. Writes outcome, knots, error, cost
/// and iterations to `candidate`. Errors: MEMORY.
trx_status trxi_piece_plan(trxi_scout *scout, trxi_pool *pool, const trxi_placement *placement, int last, trxi_stop stop,
                           void *user, trxi_prefix *prefix, trx_candidate *candidate);

/// Optimizes `prefix`, a trajectory of all knots, on the physical model. `prefix` becomes the result. The limits of joints and
/// controls count; so does the fine replay if the task asks for it.
trx_status trxi_piece_polish(trxi_scout *scout, trxi_pool *pool, trxi_stop stop, void *user, trxi_prefix *prefix,
                             trx_candidate *candidate);

#endif
