// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Linear complementarity problems w = M z + q, w >= 0, z >= 0, w . z = 0 by Lemke's pivoting.

#ifndef TRXI_MATH_LEMKE_H
#define TRXI_MATH_LEMKE_H

#include <stdbool.h>
#include <stddef.h>

/// Sizes of the scratch memory `numbers` and `integers` for a problem of n unknowns.
static inline size_t trxi_lemke_numbers(int n)
{
    return (size_t)n * (size_t)(n + 2);
}

static inline size_t trxi_lemke_integers(int n)
{
    return 2 * (size_t)n + 1;
}

/// Solves for z (n), from M (n x n, column-major) and q (n). Adds the number of pivots to *pivots. Returns false, with z undefined,
/// when the method ends on a ray or after `most` pivots, or when rounding has spoiled the solution.
bool trxi_lemke(int n, const double *M, const double *q, int most, double *numbers, int *integers, double *z, int *pivots);

#endif
