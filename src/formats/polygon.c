// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Polygons of mesh files as triangles; see polygon.h. A convex quadrilateral is divided by its shorter diagonal; if its corners are
// not in one plane, the volume of a solid depends on this choice. Other polygons are projected along an axis close to their normal
//
//     N = sum_k x_k x x_{k+1}
//
// and ears are cut off until a triangle is left. An ear is a convex corner whose triangle holds no other corner. A convex
// polygon becomes the fan about its first corner. A polygon that crosses or touches itself may have no ear left; then a corner
// without area is cut off, or else the next corner. The work grows with the square of the number of corners, sometimes with the
// cube, so polygons of more than MOST corners stay fans.

#include "formats/polygon.h"

#include "formats/polygon_tinyobj.h"
#include "math/vec3.h"

#include <string.h>

enum { MOST = 1000, FEW = 8 };

typedef struct ring {
    const int *corners; // numbers of points, in order
    double (*at)[2];    // in the plane, turning left
    int *next, *before;
} ring;

// twice the area of a, b, c in the plane
static double area(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static double turn(const ring *r, int i)
{
    return area(r->at[r->before[i]], r->at[i], r->at[r->next[i]]);
}

static bool same(const double a[2], const double b[2])
{
    return a[0] == b[0] && a[1] == b[1];
}

// whether corner i is convex and its triangle holds none of the corners left
static bool is_ear(const ring *r, int i)
{
    const double *a = r->at[r->before[i]], *b = r->at[i], *c = r->at[r->next[i]];
    if (!(area(a, b, c) > 0)) return false;
    for (int k = r->next[r->next[i]]; k != r->before[i]; k = r->next[k]) {
        const double *p = r->at[k];
        if (same(p, a) || same(p, b) || same(p, c)) continue;
        if (area(a, b, p) >= 0 && area(b, c, p) >= 0 && area(c, a, p) >= 0) return false;
    }
    return true;
}

// chooses the corner to cut off: the first ear from `from` on, else a corner without area, else any corner
static int choose(const ring *r, int from)
{
    int i = from, flat = -1;
    do {
        if (is_ear(r, i)) return i;
        if (flat < 0 && turn(r, i) == 0) flat = i;
        i = r->next[i];
    } while (i != from);
    return flat >= 0 ? flat : from;
}

static void cut_ears(ring *r, int n, int *triangles)
{
    int from = 1;
    for (int left = n; left > 3; left--, triangles += 3) {
        const int i = choose(r, from), a = r->before[i], c = r->next[i];
        memcpy(triangles, (const int[]){r->corners[a], r->corners[i], r->corners[c]}, 3 * sizeof *triangles);
        r->next[a] = c, r->before[c] = a;
        from = c;
    }
    const int a = r->before[from], c = r->next[from];
    memcpy(triangles, (const int[]){r->corners[a], r->corners[from], r->corners[c]}, 3 * sizeof *triangles);
}

// projects the corners along the axis of N's largest component; false when N is zero
static bool flatten(const double *points, const ring *r, int n)
{
    double N[3] = {0}, x[3], y[3];
    const double *first = points + 3 * (size_t)r->corners[0];
    for (int k = 1; k + 1 < n; k++) {
        trxi_sub3(points + 3 * (size_t)r->corners[k], first, x);
        trxi_sub3(points + 3 * (size_t)r->corners[k + 1], first, y);
        trxi_cross_add3(x, y, N);
    }
    int axis = 0;
    for (int i = 1; i < 3; i++)
        if (N[i] * N[i] > N[axis] * N[axis]) axis = i;
    if (!(N[axis] * N[axis] > 0)) return false;
    const int u = N[axis] > 0 ? (axis + 1) % 3 : (axis + 2) % 3, v = N[axis] > 0 ? (axis + 2) % 3 : (axis + 1) % 3;
    for (int k = 0; k < n; k++) {
        r->at[k][0] = points[3 * (size_t)r->corners[k] + (size_t)u];
        r->at[k][1] = points[3 * (size_t)r->corners[k] + (size_t)v];
    }
    return true;
}

static double diagonal(const double *points, int a, int b)
{
    double d[3];
    trxi_sub3(points + 3 * (size_t)a, points + 3 * (size_t)b, d);
    return trxi_dot3(d, d);
}

static void divide_four(const double *points, const ring *r, int *triangles)
{
    const int *c = r->corners;
    if (diagonal(points, c[1], c[3]) < diagonal(points, c[0], c[2]))
        memcpy(triangles, (const int[]){c[0], c[1], c[3], c[1], c[2], c[3]}, 6 * sizeof *triangles);
}

bool trxi_polygon_divide(trxi_pool *scratch, const double *points, trxi_polygons rule, int *fan, int count)
{
    const int n = count + 2;
    if (n < 4 || (n > MOST && rule == TRXI_POLYGONS_COVERED)) return true;
    int few[3 * FEW], *corners = n <= FEW ? few : TRXI_POOL(scratch, int, 3 * n);
    double few_at[FEW][2];
    ring r = {.corners = corners, .at = n <= FEW ? few_at : trxi_pool_take(scratch, (size_t)n, sizeof *r.at)};
    if (!corners || !r.at) return false;
    r.next = corners + n, r.before = corners + 2 * n;
    corners[0] = fan[0], corners[1] = fan[1];
    for (int k = 0; k < count; k++) corners[k + 2] = fan[3 * k + 2];
    if (rule == TRXI_POLYGONS_TINYOBJ) {
        trxi_polygon_divide_tinyobj(points, corners, n, fan);
        return true;
    }
    for (int k = 0; k < n; k++) r.next[k] = (k + 1) % n, r.before[k] = (k + n - 1) % n;
    if (!flatten(points, &r, n)) return true;

    bool convex = true;
    for (int k = 0; k < n; k++) convex &= turn(&r, k) > 0;
    if (!convex)
        cut_ears(&r, n, fan);
    else if (n == 4)
        divide_four(points, &r, fan);
    return true;
}
