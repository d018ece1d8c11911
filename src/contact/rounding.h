// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The test for the end of a solve, and the rounding bound of a residual (theory 5, points 1 and 4); see rounding.c. Shared by the
// solver's files.

#ifndef TRXI_CONTACT_ROUNDING_H
#define TRXI_CONTACT_ROUNDING_H

#include "contact/work.h"

/// A residual above this share of its scale does not count as rounding, except after many iterations.
static const double trxi_rounding_share = 1e-3;

/// The residual of an island at an iterate.
typedef struct trxi_verdict {
    double residual, scale; // [sqrt J]
    double floor;           // bound of rounding, 0 where it was not computed [sqrt J]
    bool finite;            // residual and scale
    bool within;            // every group passes the relative tolerance
    bool at_floor;          // every group passes the tolerance or is below the rounding bound
    bool settled;           // within or at_floor
} trxi_verdict;

/// Judges the current iterate. On entry, the verdict has the residual of the previous iterate. With `thorough` the rounding bound
/// is computed whatever the residual. The statistics keep the last judgement.
void trxi_rounding_judge(const trxi_contact_problem *problem, const trxi_island *island, double tolerance, bool thorough,
                         trxi_work *s, trxi_verdict *verdict);

/// True when this iteration computes the rounding bound whatever the residual.
bool trxi_rounding_is_thorough(int iteration, int max_iterations);

/// True when the rounding bound was not computed, and a step that fails to decrease the residual may be at rounding level.
bool trxi_rounding_may_be(const trxi_verdict *verdict, double tolerance);

/// True when a residual that did not halve for so many iterations counts as rounding.
bool trxi_rounding_is_stuck(const trxi_verdict *verdict, int iterations);

#endif
