// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Three lower bounds on the distance of a pair, cheapest first; a pair is dropped by the first that reaches its
// margin (theory 1):
//
//   bounding spheres    |p_B - p_A| - r_A - r_B
//   faces of a box A    max_i |l_i| - h_i - r_B, with l = R_A^T (p_B - p_A)
//   centre line         |p_B - p_A| - e_A(m) - e_B(m), with m along p_B - p_A and e(m) the shape's extent from its
//                       centre in the direction m
//
// A halfspace A has one bound, the height of B's lowest point, which is exact for each shape. The second bound
// serves plates and tables, whose bounding sphere and centre line both say little.
//
// The list of pairs is walked as it is, without sorting the shapes first: the model's list is already filtered and
// most pairs end at the first bound.

#include "geometry/broad_phase.h"

#include "geometry/support.h"
#include "math/vec3.h"

// extent of a hull from its centre: that of its farthest vertex
static double hull_extent(const trxi_placed_shape *s, const double m[3])
{
    double l[3];
    trxi_mulv3_t(s->R, m, l);
    const trxi_hull *hull = s->shape->hull;
    return trxi_dot3(hull->vertices + 3 * trxi_hull_climb(hull, 0, l), l);
}

// extent of a shape from its centre along a unit vector m
static double extent(const trxi_placed_shape *s, const double m[3])
{
    const double *size = s->shape->size, r = s->shape->radius, h = s->shape->length / 2, rounding = s->shape->rounding;
    double along = trxi_dot3(s->R + 6, m), l[3] = {trxi_dot3(s->R, m), trxi_dot3(s->R + 3, m), along};
    switch (s->shape->type) {
    case TRX_SHAPE_HALFSPACE: break;
    case TRX_SHAPE_MESH: return hull_extent(s, m) + rounding;
    case TRX_SHAPE_BOX: return 0.5 * (size[0] * fabs(l[0]) + size[1] * fabs(l[1]) + size[2] * fabs(l[2])) + rounding;
    case TRX_SHAPE_CYLINDER: return h * fabs(along) + r * sqrt(fmax(0, 1 - along * along)) + rounding;
    case TRX_SHAPE_ELLIPSOID:
        for (int i = 0; i < 3; i++) l[i] *= size[i];
        return 0.5 * trxi_norm3(l) + rounding;
    case TRX_SHAPE_CAPSULE: return h * fabs(along) + r;
    case TRX_SHAPE_SPHERE: return r;
    }
    return INFINITY;
}

static bool may_touch(const trxi_placed_shape *A, const trxi_placed_shape *B, double rA, double rB, double margin)
{
    double w[3];
    trxi_sub3(B->p, A->p, w);
    // round-off must not drop what the exact query would find
    margin += 1e-12 * (fabs(w[0]) + fabs(w[1]) + fabs(w[2]) + rB);
    if (A->shape->type == TRX_SHAPE_HALFSPACE) {
        const double *n = A->R + 6;
        double z = trxi_dot3(n, w) - margin;
        double down[3] = {-n[0], -n[1], -n[2]};
        return z < rB && z < extent(B, down);
    }

    // bounding spheres
    double square = trxi_dot3(w, w), reach = rA + rB + margin;
    if (!(reach > 0 && square < reach * reach)) return false;

    // faces of the box
    if (A->shape->type == TRX_SHAPE_BOX)
        for (int i = 0; i < 3; i++)
            if (fabs(trxi_dot3(A->R + 3 * i, w)) - 0.5 * A->shape->size[i] - A->shape->rounding >= rB + margin) return false;

    // centre line
    double d = sqrt(square), m[3];
    if (!(d > 0)) return true;
    trxi_scale3(1 / d, w, m);
    double minus[3] = {-m[0], -m[1], -m[2]};
    return d - extent(A, m) - extent(B, minus) < margin;
}

void trxi_pair_filter_layout(trxi_arena *arena, int ngeom, int npair, trxi_pair_filter *filter)
{
    *filter = (trxi_pair_filter){.ngeom = ngeom, .npair = npair};
    filter->pairs = TRXI_TAKE(arena, trxi_shape_pair, npair);
    filter->reach = TRXI_TAKE(arena, double, npair);
    filter->candidates = TRXI_TAKE(arena, int, npair);
    filter->margin = TRXI_TAKE(arena, double, npair);
}

void trxi_pair_filter_prepare(trxi_pair_filter *filter, const trxi_placed_shape *shapes, const double *radii)
{
    filter->shapes = shapes;
    filter->radii = radii;
}

void trxi_pair_filter_set_reach(trxi_pair_filter *filter, int pair, double reach)
{
    filter->reach[pair] = reach;
    filter->stale = true;
}

int trxi_pair_filter_query(trxi_pair_filter *filter, const double *travel)
{
    for (int k = 0; k < filter->npair; k++)
        filter->margin[k] = fmax(travel[filter->pairs[k].a] + travel[filter->pairs[k].b], filter->reach[k]);
    return trxi_broad_phase(filter->shapes, filter->radii, filter->npair, filter->pairs, filter->margin, filter->candidates);
}

int trxi_broad_phase(const trxi_placed_shape *shapes, const double *radii, int npairs, const trxi_shape_pair *pairs,
                     const double *margin, int *candidates)
{
    int count = 0;
    for (int k = 0; k < npairs; k++) {
        int a = pairs[k].a, b = pairs[k].b;
        if (may_touch(shapes + a, shapes + b, radii[a], radii[b], margin[k])) candidates[count++] = k;
    }
    return count;
}
