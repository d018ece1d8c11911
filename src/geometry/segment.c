// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Capsule against capsule and against sphere (theory 6): distance between two segments, or a segment and a point, less
// the radii. With centres and unit axes u_A, u_B, half lengths h, w = c_B - c_A between the closest points
//
//     c_A = p_A + s u_A,  c_B = p_B + t u_B,   d = |w|,  n = w/d,  phi = d - r_A - r_B,  a = c_A + r_A n
//
// and s = d_1 + b t, t = b s - d_2 wherever they are inside their segments, with b = u_A . u_B,
// d_1 = u_A . (p_B - p_A), d_2 = u_B . (p_B - p_A) (Ericson 2005, section 5.1.9).
//
// Derivatives relative to A, with k = d - r_A, so that B's material at c_B moves by x_B = x + k theta x n and u_B by
// theta x u_B. The motion of the closest points in each pair of regions:
//
//     A end or inside, B end    dc_A = Pi x_B,  dn = (I - Pi - n n^T) x_B/d,   Pi = 0 or u_A u_A^T
//     A end, B inside           u_B . w = 0 stays:  dn = (I - n n^T - u_B u_B^T) x/d
//                                                      + (k theta x n + r_A u_B (n x u_B) . theta)/d
//     both inside               n is normal to both axes:  dn = e ((n x u_B) . theta)/(u_B . e),  e = n x u_A,
//                               dc_A = u_A ds,  ds = (u_A . x_B - b (u_B . x - r_A (n x u_B) . theta))/(1 - b^2)
//
// and always da = dc_A + r_A dn. Where the axes meet (d below 1e-12 of the radii) the normal is normal to both axes,
// or A's x axis where they are parallel.
//
// Nearly parallel capsules touch on a line. One closest point would then run from end to end under the slightest
// rotation, and nothing would resist rotation. Below an angle of 0.02 rad the contact is therefore the two ends of
// the overlap, each the end of one segment against the other segment. With half overlap L and distance d of the axes,
// the least phi is then too large by at most (0.02 L)^2/(2 d). A step that crosses 0.02 rad sees one point become
// two.
//
// feature = 3 region_A + region_B, region 0 lower end, 1 inside, 2 upper end (a sphere is 1); 9 more for each of the
// two ends of an overlap. tie: the distance of the closest points from the ends of their regions, along the axes,
// from a meeting of the axes (d), and from the angle at which one point becomes two, measured at the ends.

#include "geometry/pairs.h"

#include <stddef.h>

static const double parallel_sine = 0.02;
static const double meeting_distance = 1e-12; // of the sum of the radii

typedef struct segment {
    const double *p; // middle [m]
    const double *u; // unit axis
    double h;        // half length, 0 for a sphere [m]
    double r;        // [m]
} segment;

// two segments and quantities that depend only on their axes and middles
typedef struct segment_pair {
    segment A, B;
    const double *fallback; // A's x axis
    double b, d1, d2;       // see the top of the file
    double cross[3];        // u_A x u_B
    double sine;            // |u_A x u_B|
    double angle_tie;       // distance from the change between one point and two [m]
    int base_feature;       // 9 for the ends of an overlap
} segment_pair;

static int region(double x, double h)
{
    if (h == 0) return 1;
    return x <= -h ? 0 : x >= h ? 2 : 1;
}

static segment segment_of(const trxi_placed_shape *shape)
{
    double h = shape->shape->type == TRX_SHAPE_CAPSULE ? shape->shape->length / 2 : 0;
    return (segment){shape->p, shape->R + 6, h, shape->shape->radius};
}

// unit normal between the closest points w apart, and their distance; false if the axes meet
static bool normal_between(const segment_pair *pair, const double w[3], bool both_inside, double n[3], double *d)
{
    double meeting = meeting_distance * (pair->A.r + pair->B.r);
    if (both_inside) {
        // along u_A x u_B, which stays accurate as d goes to 0
        double along = trxi_dot3(pair->cross, w) / pair->sine;
        trxi_scale3((along < 0 ? -1 : 1) / pair->sine, pair->cross, n);
        *d = fabs(along);
        return true;
    }
    *d = trxi_norm3(w);
    if (*d > meeting) {
        trxi_scale3(1 / *d, w, n);
        return true;
    }
    if (pair->sine > parallel_sine) trxi_scale3(1 / pair->sine, pair->cross, n);
    else trxi_copy3(pair->fallback, n);
    return false;
}

// the contact of the points s, t of the two axes, if phi < margin
static int put_point(const segment_pair *pair, double s, double t, double margin, bool derivatives,
                     trxi_contact_point *out)
{
    const segment *A = &pair->A, *B = &pair->B;
    int region_A = region(s, A->h), region_B = region(t, B->h);
    bool A_inside = region_A == 1, B_inside = region_B == 1 && B->h > 0;
    double c_A[3], c_B[3], w[3], d;
    for (int i = 0; i < 3; i++) {
        c_A[i] = A->p[i] + s * A->u[i];
        c_B[i] = B->p[i] + t * B->u[i];
        w[i] = c_B[i] - c_A[i];
    }
    bool apart = normal_between(pair, w, A_inside && B_inside, out->n, &d);
    if (!(d - A->r - B->r < margin)) return 0;

    out->phi = d - A->r - B->r;
    trxi_copy3(c_A, out->a);
    trxi_axpy3(A->r, out->n, out->a);
    out->feature = pair->base_feature + 3 * region_A + region_B;
    out->sliding = false;
    out->tie = fmin(d, fmin(pair->angle_tie, fabs(fabs(pair->d1 + pair->b * t) - A->h)));
    if (B->h > 0) out->tie = fmin(out->tie, fabs(fabs(pair->b * s - pair->d2) - B->h));

    if (!derivatives) return 1;
    double inverse = apart ? 1 / d : 0;
    if (!B_inside) trxi_derive_corner_B(A_inside ? A->u : NULL, d, inverse, A->r, out);
    else if (!A_inside) trxi_derive_corner_A(B->u, d, inverse, A->r, out);
    else trxi_derive_crossing(A->u, B->u, pair->sine * pair->sine, d, A->r, out);
    return 1;
}

int trxi_collide_capsule_sphere(const trxi_placed_shape *A, const trxi_placed_shape *B, double margin, bool derivatives,
                                trxi_contact_point *points)
{
    segment_pair pair = {.A = segment_of(A), .B = segment_of(B), .fallback = A->R, .angle_tie = INFINITY};
    double offset[3];
    trxi_sub3(B->p, A->p, offset);
    pair.d1 = trxi_dot3(pair.A.u, offset);
    return put_point(&pair, trxi_clamp(pair.d1, pair.A.h), 0, margin, derivatives, points);
}

static segment_pair make_pair(const trxi_placed_shape *A, const trxi_placed_shape *B)
{
    segment_pair pair = {.A = segment_of(A), .B = segment_of(B), .fallback = A->R};
    double offset[3];
    trxi_sub3(B->p, A->p, offset);
    pair.b = trxi_dot3(pair.A.u, pair.B.u);
    pair.d1 = trxi_dot3(pair.A.u, offset);
    pair.d2 = trxi_dot3(pair.B.u, offset);
    trxi_cross3(pair.A.u, pair.B.u, pair.cross);
    pair.sine = trxi_norm3(pair.cross);
    pair.angle_tie = fabs(pair.sine - parallel_sine) * fmax(pair.A.h, pair.B.h);
    return pair;
}

// closest points of the two segments; parallel segments without overlap get the right ends from any s
static void closest_points(const segment_pair *pair, double *s, double *t)
{
    double square = pair->sine * pair->sine;
    *s = square > 0 ? trxi_clamp((pair->d1 - pair->b * pair->d2) / square, pair->A.h) : 0;
    double along = pair->b * *s - pair->d2;
    *t = trxi_clamp(along, pair->B.h);
    if (*t != along) *s = trxi_clamp(pair->d1 + pair->b * *t, pair->A.h);
}

// the two ends of the overlap along A's axis, lower one first
static int overlap_ends(const segment_pair *pair, double lo, double hi, double margin, bool derivatives,
                        trxi_contact_point *points)
{
    double h_A = pair->A.h, h_B = pair->B.h, ends[2] = {lo, hi};
    int count = 0;
    for (int i = 0; i < 2; i++) {
        double s, t;
        if (fabs(ends[i]) < h_A) {
            // B's end over the inside of A
            t = (i ? h_B : -h_B) * (pair->b < 0 ? -1 : 1);
            s = ends[i];
        } else {
            // A's end over B
            s = i ? h_A : -h_A;
            t = trxi_clamp(pair->b * s - pair->d2, h_B);
        }
        count += put_point(pair, s, t, margin, derivatives, points + count);
    }
    return count;
}

int trxi_collide_capsule_capsule(const trxi_placed_shape *A, const trxi_placed_shape *B, double margin, bool derivatives,
                                 trxi_contact_point *points)
{
    segment_pair pair = make_pair(A, B);
    if (pair.sine < parallel_sine) {
        // part of A's axis beside B's axis
        double half = fabs(pair.b) * pair.B.h;
        double lo = fmax(pair.d1 - half, -pair.A.h), hi = fmin(pair.d1 + half, pair.A.h);
        if (lo < hi) {
            pair.base_feature = 9;
            return overlap_ends(&pair, lo, hi, margin, derivatives, points);
        }
    }
    double s, t;
    closest_points(&pair, &s, &t);
    return put_point(&pair, s, t, margin, derivatives, points);
}
