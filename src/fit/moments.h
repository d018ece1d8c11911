// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The ten numbers of a body's inertia by its second moments relative to those at the start (theory 10): z = 0 is the
// start. The numbers are those of trx_body_inertia, in its order; z has no unit.

#ifndef TRXI_FIT_MOMENTS_H
#define TRXI_FIT_MOMENTS_H

#include <stdbool.h>

enum { TRXI_BODY_NUMBERS = 10 };

/// Values at z, and their derivatives (10 x 10, NULL: not wanted).
void trxi_moments_values(const double start[10], const double z[10], double values[10], double *jacobian);

/// z at the values. False when the start or the values are no inertia of a body with mass and extent in all directions.
bool trxi_moments_unknowns(const double start[10], const double values[10], double z[10]);

/// The largest share of the step dz, at most 1, that stays away from bodies that cannot exist.
double trxi_moments_reach(const double z[10], const double dz[10]);

/// The prior's half square, infinite for a body that cannot exist; adds its gradient (10) and its Hessian (10 x 10,
/// lower triangle, leading dimension ldh), if given. sd: the relative change of the moments that it expects.
double trxi_moments_prior(double sd, const double z[10], double *gradient, double *H, int ldh);

#endif
