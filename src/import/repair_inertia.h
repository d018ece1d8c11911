// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Principal moments of inertia that no solid has (math/tensor.h) become ones that a solid can have.

#ifndef TRXI_IMPORT_REPAIR_INERTIA_H
#define TRXI_IMPORT_REPAIR_INERTIA_H

#include <stdbool.h>

/// Least mass that TRX_REPAIR_BOUND leaves [kg], and radius of the ball whose moments it leaves at least [m].
#define TRXI_LEAST_MASS 1e-3
#define TRXI_LEAST_RADIUS 5e-3

/// Raises mass and ascending moments to the least that a solid can have: the mass to TRXI_LEAST_MASS, each moment to that of
/// a ball of this mass and TRXI_LEAST_RADIUS, then the smallest ones until the smaller two add up to the largest.
void trxi_bound_inertia(double *mass, double moments[3]);

/// Moves ascending moments to the nearest possible ones with the same sum. False when the sum is not positive.
bool trxi_balance_moments(double moments[3]);

#endif
