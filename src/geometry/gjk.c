// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Distance of two cores by the algorithm of Gilbert, Johnson and Keerthi (theory 6). With v the point of the current simplex of C
// that is nearest to the origin and w C's support point along -v,
//
//     v . w / |v|  <=  distance  <=  |v|
//
// w joins the simplex until the two bounds agree: to 1e-4 of v^2 for smooth cores (less with more effort), and for
// two polytopes until nothing changes, because they have finitely many simplices. A distance below 1e-10 of the pair's
// scale (more with more effort) counts as overlap: v/|v| is inaccurate there, but the faces of C are accurate (epa.c).

#include "geometry/gjk.h"

#include "math/vec3.h"

#include <float.h>
#include <stdbool.h>

static const double smooth_gap[3] = {1e-4, 1e-8, 1e-14}; // of v^2, by effort
static const double touching_distance[3] = {1e-10, 1e-6, 1e-3}; // of the scale, by effort
enum { MAX_ITERATIONS = 100 };

static double smoothness(const trxi_core *core)
{
    if (core->kind == TRXI_CORE_CYLINDER) return fmin(core->h[0], core->h[2]);
    if (core->kind == TRXI_CORE_ELLIPSOID) return fmin(core->h[0], fmin(core->h[1], core->h[2]));
    return 0;
}

trxi_core_pair trxi_core_pair_of(const trxi_core *A, const trxi_core *B)
{
    double w[3], a = smoothness(A), b = smoothness(B);
    trxi_sub3(B->p, A->p, w);
    double smooth = a > 0 && b > 0 ? fmin(a, b) : a + b;
    return (trxi_core_pair){A, B, trxi_core_size(A) + trxi_core_size(B) + trxi_norm3(w), smooth, 0, 0, 0};
}

void trxi_difference_support(trxi_core_pair *pair, const double d[3], int k, trxi_simplex *simplex)
{
    double minus[3] = {-d[0], -d[1], -d[2]}, b[3];
    simplex->id_A[k] = pair->start_A = trxi_core_support(pair->A, pair->start_A, minus, simplex->a[k]);
    simplex->id_B[k] = pair->start_B = trxi_core_support(pair->B, pair->start_B, d, b);
    trxi_sub3(b, simplex->a[k], simplex->w[k]);
}

// nearest2, nearest3, nearest4: the point of a segment, a triangle or a tetrahedron that is nearest to the origin, by the
// weights l of the corners, and the square of its distance

static double nearest2(const double p[3], const double q[3], double l[2])
{
    double e[3], x[3];
    trxi_sub3(q, p, e);
    double square = trxi_dot3(e, e), along = -trxi_dot3(p, e);
    double t = along <= 0 || !(square > 0) ? 0 : along >= square ? 1 : along / square;
    l[0] = 1 - t, l[1] = t;
    if (t >= 1) return trxi_dot3(q, q);
    trxi_copy3(p, x);
    trxi_axpy3(t, e, x);
    return trxi_dot3(x, x);
}

static double nearest3(const double *const p[3], double l[3])
{
    double e[3], f[3], normal[3], c[3][3];
    trxi_sub3(p[1], p[0], e);
    trxi_sub3(p[2], p[0], f);
    trxi_cross3(e, f, normal);
    double area = trxi_dot3(normal, normal);
    // weights of the nearest point of the plane
    if (area > 1e-28 * trxi_dot3(e, e) * trxi_dot3(f, f)) {
        bool inside = true;
        for (int i = 0; i < 3; i++) {
            trxi_cross3(p[(i + 1) % 3], p[(i + 2) % 3], c[i]);
            l[i] = trxi_dot3(c[i], normal) / area;
            inside = inside && l[i] > 0;
        }
        if (inside) {
            double sum = l[0] + l[1] + l[2];
            trxi_scale3(1 / sum, l, l);
            double height = trxi_dot3(p[0], normal);
            return height * height / area;
        }
    }
    // the nearest of the three sides
    double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        double side[2], square = nearest2(p[i], p[j], side);
        if (!(square < best)) continue;
        best = square;
        l[i] = side[0], l[j] = side[1], l[(i + 2) % 3] = 0;
    }
    return best;
}

// false when the origin is inside
static bool nearest4(const double p[4][3], double l[4], double *square)
{
    static const int faces[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};
    *square = INFINITY;
    for (int k = 0; k < 4; k++) {
        const int *f = faces[k];
        const double *corners[3] = {p[f[0]], p[f[1]], p[f[2]]};
        double e[3], g[3], o[3], normal[3], part[3] = {0};
        trxi_sub3(corners[1], corners[0], e);
        trxi_sub3(corners[2], corners[0], g);
        trxi_sub3(p[f[3]], corners[0], o);
        trxi_cross3(e, g, normal);
        double opposite = trxi_dot3(normal, o), origin = -trxi_dot3(normal, corners[0]);
        bool flat = fabs(opposite) <= 1e-13 * trxi_norm3(normal) * trxi_norm3(o);
        if (!flat && opposite * origin > 0) continue;
        double candidate = nearest3(corners, part);
        if (!(candidate < *square)) continue;
        *square = candidate;
        for (int i = 0; i < 3; i++) l[f[i]] = part[i];
        l[f[3]] = 0;
    }
    return *square < INFINITY;
}

static bool nearest(trxi_simplex *s, double *square)
{
    const double *p[3] = {s->w[0], s->w[1], s->w[2]};
    if (s->count == 2) *square = nearest2(p[0], p[1], s->lambda);
    else if (s->count == 3) *square = nearest3(p, s->lambda);
    else return nearest4(s->w, s->lambda, square);
    return true;
}

// drops the points without weight
static void reduce(trxi_simplex *s)
{
    int kept = 0;
    for (int i = 0; i < s->count; i++) {
        if (!(s->lambda[i] > 0)) continue;
        if (kept < i) {
            trxi_copy3(s->w[i], s->w[kept]);
            trxi_copy3(s->a[i], s->a[kept]);
            s->id_A[kept] = s->id_A[i], s->id_B[kept] = s->id_B[i], s->lambda[kept] = s->lambda[i];
        }
        kept++;
    }
    s->count = kept;
}

static bool has_last_twice(const trxi_simplex *s, int last)
{
    for (int i = 0; i < last; i++)
        if (s->w[i][0] == s->w[last][0] && s->w[i][1] == s->w[last][1] && s->w[i][2] == s->w[last][2]) return true;
    return false;
}

static void nearest_point(const trxi_simplex *s, double v[3])
{
    trxi_zero3(v);
    for (int i = 0; i < s->count; i++) trxi_axpy3(s->lambda[i], s->w[i], v);
}

trxi_gjk_answer trxi_gjk(trxi_core_pair *pair, double reach, trxi_simplex *s, double n[3])
{
    double v[3], d[3], tolerance = pair->smooth > 0 ? smooth_gap[pair->effort] : 4 * DBL_EPSILON;
    double touching = touching_distance[pair->effort] * pair->scale;
    trxi_sub3(pair->A->p, pair->B->p, d);
    if (!(trxi_dot3(d, d) > 0)) trxi_set3(1, 0, 0, d);
    trxi_difference_support(pair, d, 0, s);
    s->count = 1;
    s->lambda[0] = 1;
    trxi_copy3(s->w[0], v);
    double square = trxi_dot3(v, v);

    for (int k = 0; k < MAX_ITERATIONS && square > touching * touching; k++) {
        trxi_scale3(-1, v, d);
        int last = s->count;
        trxi_difference_support(pair, d, last, s);
        double along = trxi_dot3(v, s->w[last]);
        if (along > 0 && (reach <= 0 || along * along >= reach * reach * square)) return TRXI_GJK_BEYOND;
        if (square - along <= tolerance * square || has_last_twice(s, last)) break;

        // the larger simplex, unless round-off makes it no nearer
        trxi_simplex before = *s;
        double next;
        s->count++;
        if (!nearest(s, &next)) return TRXI_GJK_OVERLAP;
        if (!(next < square)) {
            *s = before;
            break;
        }
        reduce(s);
        nearest_point(s, v);
        square = trxi_dot3(v, v);
    }
    if (!(square > touching * touching)) return TRXI_GJK_OVERLAP;
    trxi_scale3(1 / sqrt(square), v, n);
    return TRXI_GJK_APART;
}
