// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// When an island is solved, and when rounding allows no more (theory 5, points 1 and 4): see rounding.c. Shared by the solver's
// files.

#ifndef TRXI_CONTACT_ROUNDING_H
#define TRXI_CONTACT_ROUNDING_H

#include "contact/work.h"

/// A residual above this share of its scale is not taken for rounding, unless a solve drags on.
static const double trxi_rounding_share = 1e-3;

/// The residual of an island at an iterate.
typedef struct trxi_verdict {
    double residual, scale; // [sqrt J]
    double floor;           // bound of rounding, 0 where it was not computed [sqrt J]
    double relative;        // largest residual of a group in its own scale
    bool finite;            // residual and scale
    bool within;            // every group passes the relative tolerance
    bool at_floor;          // or rounding can have left its residual
    bool settled;           // one of both
} trxi_verdict;

/// Judges an iterate whose balance is there; `before` is the residual of the iterate before. `thorough`: by the rounding bound,
/// whatever the residual.
trxi_verdict trxi_rounding_judge(const trxi_contact_problem *problem, const trxi_island *island, double tolerance, double before,
                                 bool thorough, const trxi_iterate *x, trxi_work *s);

/// Whether the rounding bound is computed in any case in this iteration.
bool trxi_rounding_is_thorough(int iteration, int max_iterations);

/// Whether a step that fails to decrease the residual may already be at rounding level, which was not looked at.
bool trxi_rounding_may_be(const trxi_verdict *verdict, double tolerance);

/// Whether a residual that did not halve for so many iterations is rounding.
bool trxi_rounding_is_stuck(const trxi_verdict *verdict, int iterations);

#endif
