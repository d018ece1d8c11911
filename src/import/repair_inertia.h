// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Repair of principal moments of inertia that no solid can have (math/tensor.h).

#ifndef TRXI_IMPORT_REPAIR_INERTIA_H
#define TRXI_IMPORT_REPAIR_INERTIA_H

#include <stdbool.h>

/// Least mass after TRX_REPAIR_BOUND [kg], and radius of the ball that gives the least moments [m].
#define TRXI_LEAST_MASS 1e-3
#define TRXI_LEAST_RADIUS 5e-3

/// Raises mass and ascending moments to the least values of a solid: the mass to TRXI_LEAST_MASS, each moment to
/// the moment of a ball of this mass and TRXI_LEAST_RADIUS, then the smallest moments until the two smaller ones
/// sum to the largest.
void trxi_bound_inertia(double *mass, double moments[3]);

/// Moves ascending moments to the nearest possible ones.
void trxi_nearest_moments(double moments[3]);

/// Moves ascending moments to the nearest possible ones with the same sum. Returns false when the sum is not
/// positive.
bool trxi_balance_moments(double moments[3]);

#endif
