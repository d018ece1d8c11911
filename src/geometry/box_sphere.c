// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A box against a sphere (theory 6). In the box's frame let l be the sphere's centre and c = clamp(l) the
// nearest point of the box. With the centre outside
//
//     d = |l - c|,   n = (l - c)/d,   phi = d - r - rho,   a = c + r n,
//     dn = (I - Pi - n n^T) dl / d,   da = Pi dl + r dn,   Pi: keeps the axes that were not clamped
//
// with the box's rounding r and the sphere's radius rho.
//
// With the centre inside, the face of least depth takes over: n is its normal, d = -depth, c the projection of
// the centre on this face. This is the formula of the face continued inwards, so both share one feature and there
// is no change of branch in passing through a face.
//
// feature = sum of 3^i k_i, with k_i = 0 where axis i is not clamped, 1 at the lower and 2 at the upper face.
// tie is the distance from l to the boundary of the region with the same feature: the planes of the faces outside,
// the bisectors between two faces and the middle planes inside.

#include "geometry/pairs.h"

static const double sqrt_half = 0.70710678118654752440;

typedef struct nearest {
    double c[3];    // nearest point of the surface, box frame [m]
    double n[3];    // outward normal there, box frame [1]
    double d;       // distance of the centre from the surface, negative inside [m]
    double over[3]; // |l_i| - h_i [m]
    int clamped;    // how many axes are clamped; 1 is a face
    int axis;       // the axis of that face
    int feature;
} nearest;

static const int power_of_three[3] = {1, 3, 9};

// centre inside: the nearest face
static void nearest_from_inside(const double l[3], const double h[3], nearest *f)
{
    int axis = f->over[1] > f->over[0] ? 1 : 0;
    if (f->over[2] > f->over[axis]) axis = 2;
    double sign = l[axis] < 0 ? -1 : 1;
    trxi_zero3(f->n);
    f->n[axis] = sign;
    f->c[axis] = sign * h[axis];
    f->d = f->over[axis];
    f->clamped = 1;
    f->axis = axis;
    f->feature = power_of_three[axis] * (sign < 0 ? 1 : 2);
}

static void find_nearest(const double l[3], const double h[3], nearest *f)
{
    double square = 0;
    f->clamped = f->axis = f->feature = 0;
    for (int i = 0; i < 3; i++) {
        f->over[i] = fabs(l[i]) - h[i];
        f->c[i] = l[i];
        f->n[i] = 0;
        if (f->over[i] > 0) {
            f->c[i] = l[i] < 0 ? -h[i] : h[i];
            f->n[i] = l[i] - f->c[i];
            f->feature += power_of_three[i] * (l[i] < 0 ? 1 : 2);
            f->axis = i;
            f->clamped++;
            square += f->n[i] * f->n[i];
        }
    }

    if (square > 0) {
        f->d = sqrt(square);
        trxi_scale3(1 / f->d, f->n, f->n);
    } else {
        nearest_from_inside(l, h, f);
    }
}

// distance of the centre to the nearest change of feature
static double tie_distance(const double h[3], const nearest *f)
{
    double tie = INFINITY;
    if (f->clamped > 1) {
        for (int i = 0; i < 3; i++) tie = fmin(tie, fabs(f->over[i]));
        return tie;
    }
    // over a face: its four sides; under it, also the bisectors with the neighbours and the middle plane
    for (int i = 0; i < 3; i++)
        tie = fmin(tie, i == f->axis ? h[i] + f->over[i] : fmin(-f->over[i], sqrt_half * (f->d - f->over[i])));
    return tie;
}

static void derive(const double R[9], const nearest *f, double radius, double rounding, trxi_contact_point *out)
{
    double arm = out->phi + radius;
    if (f->clamped == 1) {
        trxi_derive_plane(arm, out);
        return;
    }
    // Pi is u u^T along the edge, 0 at a corner
    double u[3] = {0};
    for (int i = 0; i < 3; i++)
        if (!(f->over[i] > 0)) trxi_copy3(R + 3 * i, u);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            double Pi = u[i] * u[j];
            out->dn_dx[i + 3 * j] = ((i == j) - Pi - out->n[i] * out->n[j]) / f->d;
            out->da_dx[i + 3 * j] = Pi + rounding * out->dn_dx[i + 3 * j];
        }
    trxi_derive_theta(arm, out);
}

int trxi_collide_box_sphere(const trxi_placed_shape *A, const trxi_placed_shape *B, double margin, bool derivatives,
                            trxi_contact_point *points)
{
    double offset[3], l[3], h[3], radius = B->shape->radius, rounding = A->shape->rounding;
    trxi_sub3(B->p, A->p, offset);
    trxi_mulv3_t(A->R, offset, l);
    trxi_scale3(0.5, A->shape->size, h);

    nearest f;
    find_nearest(l, h, &f);
    if (!(f.d - rounding - radius < margin)) return 0;

    points->phi = f.d - rounding - radius;
    trxi_mulv3(A->R, f.n, points->n);
    trxi_mulv3(A->R, f.c, points->a);
    trxi_add3(A->p, points->a, points->a);
    trxi_axpy3(rounding, points->n, points->a);
    points->sliding = false;
    points->tie = tie_distance(h, &f);
    points->feature = f.feature;
    if (derivatives) derive(A->R, &f, radius, rounding, points);
    return 1;
}
