// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The triangle of the surface of C = {b - a} nearest to the origin, for cores that overlap or touch: the expanding
// polytope algorithm (theory 6). A polytope with corners on C's surface grows at its nearest face, the face with
// normal n and least offset o. (o is signed: the origin is outside when the cores just touch.) C's support point w
// along n joins the polytope, unless n . w shows that C ends at the face. Then
//
//     o  <=  depth  <=  n . w
//
// For smooth cores the search ends when the bounds agree to 1e-3 of the depth and of the smallest radius (less with
// more effort); the equations of witness.c then give exact points. For polytopes the search ends when the
// bounds agree to round-off. Faces that a new point sees within round-off are replaced too, so no slivers of nearly coplanar faces
// remain. The polytope has at most MAX_POINTS corners; a search that needs more ends with the n of the least upper
// bound.

#include "geometry/gjk.h"

#include "math/vec3.h"

#include <stdbool.h>

enum { MAX_POINTS = 128, MAX_FACES = 2 * MAX_POINTS + 64 };

static const double smooth_gap[3] = {1e-3, 1e-6, 1e-10}; // by effort
static const double round_off = 1e-13;                   // of the scale

typedef struct face {
    double n[3], offset;
    short corner[3], next[3]; // counterclockwise from outside; the face across the side from corner k to corner k + 1
    bool used;
} face;

typedef struct polytope {
    int npoint, nface, nfree;
    double w[MAX_POINTS][3], a[MAX_POINTS][3];
    int id_A[MAX_POINTS], id_B[MAX_POINTS];
    face faces[MAX_FACES];
    short free[MAX_FACES];
    short gone[MAX_FACES]; // faces that the new point sees; free after it has joined
    int ngone;
    short first, last; // of the ring of new faces
    bool broken;       // no room, or a horizon that is not a ring
    double seen;       // tolerance below a face within which a point sees the face [m]
} polytope;

// support point along d as a new point of the simplex
static void add_support(trxi_core_pair *pair, const double d[3], trxi_simplex *s)
{
    trxi_difference_support(pair, d, s->count, s);
}

static double distance_from(const trxi_simplex *s, const double x[3])
{
    double e[3], f[3], c[3];
    trxi_sub3(x, s->w[0], f);
    if (s->count == 1) return trxi_norm3(f);
    trxi_sub3(s->w[1], s->w[0], e);
    trxi_cross3(e, f, c);
    if (s->count == 2) return trxi_norm3(c);
    trxi_sub3(s->w[2], s->w[0], f);
    trxi_cross3(e, f, c);
    trxi_sub3(x, s->w[0], f);
    return fabs(trxi_dot3(c, f));
}

// one more point: the farthest candidate from the point, line or plane of the simplex
static void widen(trxi_core_pair *pair, trxi_simplex *s)
{
    double d[6][3], e[3], f[3], best = -1;
    int directions = 6, chosen = 0;
    for (int i = 0; i < 6; i++) {
        trxi_zero3(d[i]);
        d[i][i / 2] = i % 2 ? -1 : 1;
    }
    if (s->count > 1) {
        trxi_sub3(s->w[1], s->w[0], e);
        trxi_normalize3(e, e);
        int least = fabs(e[0]) < fabs(e[1]) ? 0 : 1;
        if (fabs(e[2]) < fabs(e[least])) least = 2;
        directions = 4;
        if (s->count == 2) trxi_cross3(e, d[2 * least], f);
        else {
            directions = 2;
            double g[3];
            trxi_sub3(s->w[2], s->w[0], g);
            trxi_cross3(e, g, f);
        }
        trxi_normalize3(f, d[0]);
        trxi_scale3(-1, d[0], d[1]);
        trxi_cross3(e, d[0], d[2]);
        trxi_scale3(-1, d[2], d[3]);
    }
    for (int i = 0; i < directions; i++) {
        add_support(pair, d[i], s);
        double distance = distance_from(s, s->w[s->count]);
        if (distance > best) best = distance, chosen = i;
    }
    add_support(pair, d[chosen], s);
    s->count++;
}

static bool is_flat(const trxi_simplex *s)
{
    double e[3], f[3], g[3], c[3];
    trxi_sub3(s->w[1], s->w[0], e);
    trxi_sub3(s->w[2], s->w[0], f);
    trxi_sub3(s->w[3], s->w[0], g);
    trxi_cross3(e, f, c);
    return !(fabs(trxi_dot3(c, g)) > 1e-10 * trxi_norm3(e) * trxi_norm3(f) * trxi_norm3(g));
}

// a tetrahedron of nonzero volume from the simplex of GJK
static void complete(trxi_core_pair *pair, trxi_simplex *s)
{
    if (s->count == 4 && is_flat(s)) s->count = 1;
    if (s->count == 3) {
        double e[3], f[3], c[3];
        trxi_sub3(s->w[1], s->w[0], e);
        trxi_sub3(s->w[2], s->w[0], f);
        trxi_cross3(e, f, c);
        if (!(trxi_norm3(c) > 1e-6 * trxi_norm3(e) * trxi_norm3(f))) s->count = 1;
    }
    if (s->count == 2) {
        double e[3];
        trxi_sub3(s->w[1], s->w[0], e);
        if (!(trxi_norm3(e) > 1e-6 * pair->scale)) s->count = 1;
    }
    while (s->count < 4) widen(pair, s);
}

static void add_point(polytope *p, const trxi_simplex *s, int k)
{
    int i = p->npoint++;
    trxi_copy3(s->w[k], p->w[i]);
    trxi_copy3(s->a[k], p->a[i]);
    p->id_A[i] = s->id_A[k], p->id_B[i] = s->id_B[k];
}

// a face with three corners; a face without area is never the nearest
static short add_face(polytope *p, int i, int j, int k)
{
    if (p->nfree == 0 && p->nface == MAX_FACES) {
        p->broken = true;
        return 0;
    }
    short at = p->nfree > 0 ? p->free[--p->nfree] : (short)p->nface++;
    face *f = p->faces + at;
    double e[3], g[3];
    trxi_sub3(p->w[j], p->w[i], e);
    trxi_sub3(p->w[k], p->w[i], g);
    trxi_cross3(e, g, f->n);
    double area = trxi_normalize3(f->n, f->n);
    f->offset = area > 1e-14 * trxi_norm3(e) * trxi_norm3(g) ? trxi_dot3(f->n, p->w[i]) : INFINITY;
    f->corner[0] = (short)i, f->corner[1] = (short)j, f->corner[2] = (short)k;
    f->used = true;
    return at;
}

static void start(polytope *p, const trxi_simplex *s)
{
    static const int corners[2][4][3] = {{{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}},
                                         {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};
    double e[3], f[3], g[3], c[3];
    trxi_sub3(s->w[1], s->w[0], e);
    trxi_sub3(s->w[2], s->w[0], f);
    trxi_sub3(s->w[3], s->w[0], g);
    trxi_cross3(e, f, c);
    int side = trxi_dot3(c, g) > 0;
    p->npoint = p->nface = p->nfree = p->ngone = 0;
    p->broken = false;
    for (int k = 0; k < 4; k++) add_point(p, s, k);
    for (int k = 0; k < 4; k++) add_face(p, corners[side][k][0], corners[side][k][1], corners[side][k][2]);
    // each side is also a side of another face, in the opposite direction
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++)
            for (short m = 0; m < 4; m++)
                for (int j = 0; j < 3; j++)
                    if (p->faces[m].corner[j] == p->faces[k].corner[(i + 1) % 3] &&
                        p->faces[m].corner[(j + 1) % 3] == p->faces[k].corner[i])
                        p->faces[k].next[i] = m;
}

static int nearest_face(const polytope *p)
{
    int best = -1;
    double least = INFINITY;
    for (int k = 0; k < p->nface; k++)
        if (p->faces[k].used && p->faces[k].offset < least) least = p->faces[k].offset, best = k;
    return best;
}

// a new face on side i of face f, joined to the ring
static void join(polytope *p, int point, short f, int i)
{
    short at = add_face(p, p->faces[f].corner[(i + 1) % 3], p->faces[f].corner[i], point);
    if (p->broken) return;
    face *new_face = p->faces + at;
    new_face->next[0] = f;
    p->faces[f].next[i] = at;
    if (p->first < 0) p->first = at;
    else {
        // side 1 ends in the point, side 2 starts there
        face *before = p->faces + p->last;
        if (before->corner[1] != new_face->corner[0]) p->broken = true;
        before->next[1] = at;
        new_face->next[2] = p->last;
    }
    p->last = at;
}

// removes the faces that the point sees and builds new ones on the horizon; entered across side `i` of face f
static void silhouette(polytope *p, int point, short f, int i)
{
    face *at = p->faces + f;
    if (!at->used || p->broken) return;
    if (!(trxi_dot3(at->n, p->w[point]) - at->offset > -p->seen)) {
        join(p, point, f, i);
        return;
    }
    at->used = false;
    p->gone[p->ngone++] = f;
    for (int k = 1; k < 3; k++) {
        int side = (i + k) % 3;
        short other = at->next[side];
        // the side of the other face that equals this side
        int back = 0;
        while (back < 2 && p->faces[other].next[back] != f) back++;
        silhouette(p, point, other, back);
    }
}

static bool expand(polytope *p, short f, int point)
{
    p->first = p->last = -1;
    face *at = p->faces + f;
    at->used = false;
    p->gone[p->ngone++] = f;
    for (int side = 0; side < 3; side++) {
        short other = at->next[side];
        int back = 0;
        while (back < 2 && p->faces[other].next[back] != f) back++;
        silhouette(p, point, other, back);
    }
    if (p->broken || p->first < 0) return false;
    face *first = p->faces + p->first, *last = p->faces + p->last;
    if (last->corner[1] != first->corner[0]) return false;
    last->next[1] = p->first;
    first->next[2] = p->last;
    while (p->ngone > 0) p->free[p->nfree++] = p->gone[--p->ngone];
    return true;
}

// weights of the nearest point of the triangle's plane, moved into the triangle
static void weigh(trxi_simplex *s, const double n[3])
{
    double c[3], sum = 0;
    for (int i = 0; i < 3; i++) {
        trxi_cross3(s->w[(i + 1) % 3], s->w[(i + 2) % 3], c);
        s->lambda[i] = fmax(0, trxi_dot3(c, n));
        sum += s->lambda[i];
    }
    for (int i = 0; i < 3; i++) s->lambda[i] = sum > 0 ? s->lambda[i] / sum : 1.0 / 3;
}

static void take(const polytope *p, const face *f, trxi_simplex *s, double n[3])
{
    s->count = 3;
    for (int k = 0; k < 3; k++) {
        int i = f->corner[k];
        trxi_copy3(p->w[i], s->w[k]);
        trxi_copy3(p->a[i], s->a[k]);
        s->id_A[k] = p->id_A[i], s->id_B[k] = p->id_B[i];
    }
    weigh(s, f->n);
    trxi_copy3(f->n, n);
}

// bound from the other faces; for smooth cores, faces beside the best one are the same surface
static void compare(const polytope *p, const double n[3], double depth, bool smooth, trxi_way_out *out)
{
    double apart = smooth ? 0.3 : 1e-6;
    out->tie = out->rival = INFINITY;
    for (int k = 0; k < p->nface; k++) {
        const face *f = p->faces + k;
        if (!f->used || isinf(f->offset)) continue;
        double turn[3];
        trxi_sub3(f->n, n, turn);
        double angle = trxi_norm3(turn);
        if (!(angle > apart)) continue;
        out->rival = fmin(out->rival, f->offset);
        out->tie = fmin(out->tie, fmax(0, f->offset - depth) / angle);
    }
}

trxi_way_out trxi_epa(trxi_core_pair *pair, trxi_simplex *s, double n[3])
{
    polytope p;
    bool smooth = pair->smooth > 0;
    double floor = round_off * pair->scale;
    complete(pair, s);
    start(&p, s);
    p.seen = 1e-2 * floor;
    s->count = 1;
    s->lambda[0] = 1;
    trxi_set3(1, 0, 0, n);
    trxi_way_out out = {.bound = INFINITY};

    double depth = 0;
    while (p.npoint < MAX_POINTS) {
        int at = nearest_face(&p);
        if (at < 0) break;
        face *f = p.faces + at;
        depth = f->offset;
        trxi_simplex support;
        trxi_difference_support(pair, f->n, 0, &support);
        double reach = trxi_dot3(f->n, support.w[0]), gap = reach - f->offset;
        double enough = smooth ? smooth_gap[pair->effort] * (fmax(0, f->offset) + pair->smooth) : 0;
        bool done = gap <= fmax(enough, floor);
        // keeps the face at which the search ends; if the search does not end, the face of the least upper bound
        if (done || reach < out.bound) take(&p, f, s, n);
        out.bound = fmin(out.bound, reach);
        if (done) break;
        add_point(&p, &support, 0);
        if (!expand(&p, (short)at, p.npoint - 1)) break;
    }
    compare(&p, n, depth, smooth, &out);
    return out;
}
