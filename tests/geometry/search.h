// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The signed distance of two convex bodies as the largest separation over all directions, searched for: slow, global, and
// independent of how the room finds it (support points alone are used).

#ifndef TESTS_GEOMETRY_SEARCH_H
#define TESTS_GEOMETRY_SEARCH_H

#include "geometry/support.h"
#include "probe.h"

/// min over B of n . b - max over A of n . a, sweeps included [m].
double separation_along(const trxi_core *A, const trxi_core *B, const double n[3]);

/// About its maximum over n (to `n`), never more: uphill from the best three of 1000 directions. What claims to be the maximum
/// must not be less.
double searched_separation(dice *d, const body *A, const body *B, double n[3]);

#endif
