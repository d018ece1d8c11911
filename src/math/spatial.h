// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Spatial algebra (Featherstone 2008) in one fixed, world-aligned frame: motion vectors [w; v] (angular
// first, v the velocity of the point at the frame's origin), force vectors [moment about the origin;
// force]. Inertias are kept as mass, first moment and the rotational inertia about the origin.

#ifndef TRXI_MATH_SPATIAL_H
#define TRXI_MATH_SPATIAL_H

#include "math/tensor.h"

/// Rigid-body inertia about the frame's origin: I = [J, [h]x; [h]x^T, m 1].
typedef struct trxi_inertia {
    double m;    // mass [kg]
    double h[3]; // first moment m c [kg m]
    double J[6]; // rotational inertia: xx yy zz xy xz yz [kg m^2]
} trxi_inertia;

/// out = X x Y, motion cross motion.
static inline void trxi_cross_motion(const double x[6], const double y[6], double out[6])
{
    trxi_cross3(x, y, out);
    trxi_cross3(x, y + 3, out + 3);
    trxi_cross_add3(x + 3, y, out + 3);
}

/// out = X x* F, motion cross force.
static inline void trxi_cross_force(const double x[6], const double f[6], double out[6])
{
    trxi_cross3(x, f, out);
    trxi_cross_add3(x + 3, f + 3, out);
    trxi_cross3(x, f + 3, out + 3);
}

/// u = v + w x arm: the velocity by V of the point at `arm` from the frame's origin.
static inline void trxi_velocity_at(const double V[6], const double arm[3], double u[3])
{
    trxi_cross3(V, arm, u);
    trxi_add3(u, V + 3, u);
}

static inline double trxi_dot6(const double a[6], const double b[6])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

/// out += s a.
static inline void trxi_axpy6(double s, const double a[6], double out[6])
{
    for (int i = 0; i < 6; i++) out[i] += s * a[i];
}

/// out = I X.
static inline void trxi_inertia_mul(const trxi_inertia *in, const double x[6], double out[6])
{
    trxi_tensor_mulv(in->J, x, out);
    trxi_cross_add3(in->h, x + 3, out);
    trxi_cross3(x, in->h, out + 3);
    trxi_axpy3(in->m, x + 3, out + 3);
}

#endif
