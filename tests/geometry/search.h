// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The signed distance of two convex bodies by a search for the direction of largest separation: slow, global, and independent
// of the methods of the room, because it uses support points alone.

#ifndef TESTS_GEOMETRY_SEARCH_H
#define TESTS_GEOMETRY_SEARCH_H

#include "geometry/support.h"
#include "probe.h"

/// min over B of n . b - max over A of n . a, sweeps included [m].
double separation_along(const trxi_core *A, const trxi_core *B, const double n[3]);

/// A lower bound, and nearly the value, of its maximum over n, which is written to `n`. The search climbs from the best three of
/// 1000 directions. A distance found by the library must not be smaller.
double searched_separation(dice *d, const body *A, const body *B, double n[3]);

#endif
