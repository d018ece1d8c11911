// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Damping mu of a Riccati sweep [1], raised until a step is accepted and lowered after each accepted step (theory 7).

#ifndef TRXI_TRAJOPT_DAMPING_H
#define TRXI_TRAJOPT_DAMPING_H

#include <math.h>
#include <stdbool.h>

/// Raises the damping of the next sweep; false above the ceiling of 1e8.
static inline bool trxi_damping_raise(double *mu)
{
    const double first = 1e-6, factor = 10, ceiling = 1e8; // first damping after zero
    *mu = fmax(first, *mu * factor);
    return *mu <= ceiling;
}

/// Lowers the damping, to zero below a floor of 1e-9.
static inline void trxi_damping_lower(double *mu)
{
    const double factor = 5, floor = 1e-9;
    *mu /= factor;
    if (*mu < floor) *mu = 0;
}

#endif
