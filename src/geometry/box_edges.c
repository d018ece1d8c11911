// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The nearest points of the edges of two boxes, which are the nearest points of the boxes if no corner of one box is
// over a face of the other (theory 6). With the points at s and t from the middles of two edges, w from middle to
// middle, b the cosine of the angle between the edges:
//
//     s = (a . w - b (b_j . w))/(1 - b^2),   t = b s - b_j . w,   each clamped to its edge  (as for capsules, segment.c)
//
// The three edges at the foremost corner of each box come first. Another edge can be nearer only if its distance from
// the plane of support along the given axis, plus the separation of the axis, is less than the best distance so far.
//
// Derivatives of the contact, with k = d - r_A, x_B = x + k theta x n, Pi = u_A u_A^T where A has an edge, otherwise 0:
//
//     B a corner           dn = (I - Pi - n n^T) x_B/d,   da = Pi x_B + r_A dn
//     A a corner, B edge   dn = ((I - n n^T - u_B u_B^T) x + k theta x n + r_A u_B (n x u_B) . theta)/d,  da = r_A dn
//     two edges            as for capsules whose axes cross (segment.c)

#include "geometry/box_pair.h"
#include "geometry/pairs.h"

#include <stddef.h>

static const double least_sine = 1e-3;
static const double parallel_sine = 0.02;
static const double least_overlap = 1e-3; // of the smallest half length
static const double meeting_distance = 1e-12; // [m]

// one of the four edges along an axis
typedef struct edge {
    int axis, corner;
    double x[3];   // middle [m]
    double behind; // distance of its nearer end from the plane of support [m]
} edge;

bool trxi_box_inside_edge(double along, double half)
{
    return fabs(along) < half;
}

// a box in the frame of A: its axes are the columns of M, its centre is p, and m is the direction of support in its axes
typedef struct box {
    const double *h, *M, *p;
    double m[3];
} box;

// box_A, box_B: the boxes with their directions of support, n for A and -n for B
static box box_A(const trxi_box_pair *pair, const double n[3])
{
    static const double origin[3] = {0, 0, 0}, identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    return (box){pair->A.h, identity, origin, {n[0], n[1], n[2]}};
}

static box box_B(const trxi_box_pair *pair, const double n[3])
{
    box B = {.h = pair->B.h, .M = pair->C, .p = pair->t};
    trxi_mulv3_t(pair->C, n, B.m);
    trxi_scale3(-1, B.m, B.m);
    return B;
}

// edge `number` (0 to 3) along `axis`
static edge edge_of(const box *of, int axis, int number)
{
    const double *h = of->h, *m = of->m;
    edge e = {.axis = axis};
    trxi_copy3(of->p, e.x);
    for (int k = 1; k <= 2; k++) {
        int other = (axis + k) % 3;
        bool front = !(number >> (k - 1) & 1), positive = (m[other] < 0) != front;
        if (positive && h[other] > 0) e.corner |= 1 << other;
        if (!front) e.behind += 2 * h[other] * fabs(m[other]);
        trxi_axpy3(positive ? h[other] : -h[other], of->M + 3 * other, e.x);
    }
    return e;
}

// fills `out` for the points s, t of two edges: w and its length, and the bits of the nearer ends
static void finish(const trxi_box_pair *pair, const edge *a, const edge *b, double s, double t, trxi_box_edges *out)
{
    *out = (trxi_box_edges){.a = a->axis, .b = b->axis, .corner_A = a->corner, .corner_B = b->corner, .s = s, .t = t};
    if (s > 0) out->corner_A |= 1 << a->axis;
    if (t > 0) out->corner_B |= 1 << b->axis;
    trxi_copy3(a->x, out->x_A);
    out->x_A[a->axis] += s;
    trxi_sub3(b->x, out->x_A, out->w);
    trxi_axpy3(t, pair->C + 3 * b->axis, out->w);
    out->distance = trxi_norm3(out->w);
}

// two edges, their nearest points, and the square of the distance
typedef struct candidate {
    const edge *a, *b;
    double s, t, square;
} candidate;

static void consider(const trxi_box_pair *pair, candidate *c, double s, double t, candidate *best)
{
    const double *u = pair->C + 3 * c->b->axis;
    double w[3];
    for (int k = 0; k < 3; k++) w[k] = c->b->x[k] - c->a->x[k] + t * u[k];
    w[c->a->axis] -= s;
    c->s = s, c->t = t, c->square = trxi_dot3(w, w);
    if (c->square < best->square) *best = *c;
}

static void consider_edges(const trxi_box_pair *pair, const edge *a, const edge *b, candidate *best)
{
    const double *u = pair->C + 3 * b->axis, hA = pair->A.h[a->axis], hB = pair->B.h[b->axis], cosine = u[a->axis];
    double w[3], square = 1 - cosine * cosine;
    candidate c = {.a = a, .b = b};
    trxi_sub3(b->x, a->x, w);
    double d1 = w[a->axis], d2 = trxi_dot3(u, w);
    if (square > least_sine * least_sine) {
        double s = trxi_clamp((d1 - cosine * d2) / square, hA), along = cosine * s - d2, t = trxi_clamp(along, hB);
        if (t != along) s = trxi_clamp(d1 + cosine * t, hA);
        consider(pair, &c, s, t, best);
        return;
    }
    // nearly parallel: the best of the four ends
    for (int k = 0; k < 2; k++) {
        double end_A = k ? hA : -hA, end_B = k ? hB : -hB;
        consider(pair, &c, end_A, trxi_clamp(cosine * end_A - d2, hB), best);
        consider(pair, &c, trxi_clamp(d1 + cosine * end_B, hA), end_B, best);
    }
}

// all edges of nonzero length, foremost first; returns their number, 3 or 1 of them foremost
static int list_edges(const trxi_core *core, const box *of, edge *edges)
{
    int count = 0;
    for (int number = 0; number < (core->kind == TRXI_CORE_BOX ? 4 : 1); number++)
        for (int axis = core->kind == TRXI_CORE_BOX ? 0 : 2; axis < 3; axis++)
            edges[count++] = edge_of(of, axis, number);
    return count;
}

trxi_box_edges trxi_box_nearest_edges(const trxi_box_pair *pair, const trxi_box_axis *axis)
{
    const box A = box_A(pair, axis->n), B = box_B(pair, axis->n);
    edge edges_A[12], edges_B[12];
    int nA = list_edges(&pair->A, &A, edges_A), nB = list_edges(&pair->B, &B, edges_B), foremost = nB < 3 ? nB : 3;

    candidate best = {.square = INFINITY};
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < (pass ? nA : 3); i++) {
            // edges at the foremost corners first
            double bound = sqrt(best.square) - axis->separation - edges_A[i].behind;
            for (int j = pass && i < 3 ? foremost : 0; j < (pass ? nB : foremost); j++)
                if (edges_B[j].behind < bound) consider_edges(pair, &edges_A[i], &edges_B[j], &best);
        }
    trxi_box_edges found;
    finish(pair, best.a, best.b, best.s, best.t, &found);
    return found;
}

trxi_box_edges trxi_box_crossing_edges(const trxi_box_pair *pair, const trxi_box_axis *axis)
{
    const box A = box_A(pair, axis->n), B = box_B(pair, axis->n);
    const edge a = edge_of(&A, axis->a, 0), b = edge_of(&B, axis->b, 0);
    const double *c = pair->C + 3 * axis->b;
    double w[3];
    trxi_sub3(b.x, a.x, w);
    double cosine = c[axis->a], d1 = w[axis->a], d2 = trxi_dot3(c, w), square = trxi_dot3(c, c) - cosine * cosine;
    double s = (d1 - cosine * d2) / square;
    trxi_box_edges found;
    finish(pair, &a, &b, s, cosine * s - d2, &found);
    return found;
}

bool trxi_box_parallel_edges(const trxi_box_pair *pair, const double n[3], trxi_box_edges ends[2])
{
    const box A = box_A(pair, n), B = box_B(pair, n);
    const double *hA = A.h, *hB = B.h;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            const double *c = pair->C + 3 * j, cosine = c[i], square = trxi_dot3(c, c) - cosine * cosine;
            if (!(hB[j] > 0) || square > parallel_sine * parallel_sine) continue;
            if (fabs(n[i]) > parallel_sine || fabs(B.m[j]) > parallel_sine) continue;
            const edge a = edge_of(&A, i, 0), b = edge_of(&B, j, 0);
            double w[3];
            trxi_sub3(b.x, a.x, w);
            double d1 = w[i], d2 = trxi_dot3(c, w), half = fabs(cosine) * hB[j];
            double lo = fmax(d1 - half, -hA[i]), hi = fmin(d1 + half, hA[i]);
            if (!(hi - lo > least_overlap * pair->least)) continue;
            for (int k = 0; k < 2; k++) {
                // B's end over A's edge, or A's end over B's
                double s = k ? hi : lo, t = (k ? hB[j] : -hB[j]) * (cosine < 0 ? -1 : 1);
                if (fabs(s) >= hA[i]) t = trxi_clamp(cosine * s - d2, hB[j]);
                else s = trxi_clamp(d1 + cosine * t, hA[i]);
                finish(pair, &a, &b, s, t, &ends[k]);
            }
            return true;
        }
    return false;
}

int trxi_box_edge_number(int corner0, int corner1)
{
    int along = corner0 ^ corner1;
    if (along == 1) return corner0 >> 1 & 3;
    if (along == 2) return 4 + ((corner0 & 1) | (corner0 >> 1 & 2));
    return 8 + (corner0 & 3);
}

// corner (below 8) or edge of a box
static int sharp_feature(int corner, int axis, bool inside)
{
    return inside ? 8 + trxi_box_edge_number(corner & ~(1 << axis), corner | 1 << axis) : corner;
}

void trxi_box_edges_contact(const trxi_box_pair *pair, const trxi_box_edges *e, const double n[3], double d,
                            bool derivatives, trxi_contact_point *out)
{
    const trxi_core *A = &pair->A, *B = &pair->B;
    bool edge_A = trxi_box_inside_edge(e->s, A->h[e->a]), edge_B = trxi_box_inside_edge(e->t, B->h[e->b]);
    trxi_mulv3(A->R, n, out->n);
    trxi_mulv3(A->R, e->x_A, out->a);
    trxi_add3(A->p, out->a, out->a);
    trxi_axpy3(A->radius, out->n, out->a);
    out->phi = d - A->radius - B->radius;
    out->sliding = false;
    out->feature = 20 * sharp_feature(e->corner_A, e->a, edge_A) + sharp_feature(e->corner_B, e->b, edge_B);
    out->tie = INFINITY;
    if (edge_A) out->tie = A->h[e->a] - fabs(e->s);
    if (edge_B) out->tie = fmin(out->tie, B->h[e->b] - fabs(e->t));

    if (!derivatives) return;
    const double *u_A = edge_A ? A->R + 3 * e->a : NULL, *u_B = edge_B ? B->R + 3 * e->b : NULL;
    double inverse = d > meeting_distance ? 1 / d : 0, cross[3];
    if (!u_B) trxi_derive_corner_B(u_A, d, inverse, A->radius, out);
    else if (!u_A) trxi_derive_corner_A(u_B, d, inverse, A->radius, out);
    else {
        trxi_cross3(u_A, u_B, cross);
        trxi_derive_crossing(u_A, u_B, trxi_dot3(cross, cross), d, A->radius, out);
    }
}
