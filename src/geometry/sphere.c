// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Two spheres (theory 6): with w = c_B - c_A and d = |w|
//
//     n = w/d,   phi = d - r_A - r_B,   a = c_A + r_A n,
//     dn = (I - n n^T)/d dw,   da = r_A dn    (relative to A)
//
// If the centres coincide (closer than 1e-12 of the radii), n is A's x axis and does not turn relative to A: a
// defined answer at a point without a derivative. tie is d, the distance from this point.

#include "geometry/pairs.h"

#include <stddef.h>

int trxi_collide_sphere_sphere(const trxi_placed_shape *A, const trxi_placed_shape *B, double margin, bool derivatives,
                               trxi_contact_point *points)
{
    double w[3], radius = A->shape->radius, reach = radius + B->shape->radius;
    trxi_sub3(B->p, A->p, w);
    double d = trxi_norm3(w);
    if (!(d - reach < margin)) return 0;

    bool coincident = d <= 1e-12 * reach;
    if (coincident) trxi_copy3(A->R, points->n);
    else trxi_scale3(1 / d, w, points->n);
    points->phi = d - reach;
    trxi_copy3(A->p, points->a);
    trxi_axpy3(radius, points->n, points->a);
    points->sliding = false;
    points->tie = d;
    points->feature = 0;
    if (!derivatives) return 1;

    trxi_derive_corner_B(NULL, d, coincident ? 0 : 1 / d, radius, points);
    return 1;
}
