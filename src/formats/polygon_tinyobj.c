// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Polygons of OBJ files, divided as in tinyobjloader, the reader that MuJoCo uses; see polygon_tinyobj.h. A quadrilateral is
// divided by its shorter diagonal. Polygons of more corners lose corners one after another. Three neighbouring corners a, b, c,
// which begin at a moving place, form a triangle if
//
//     turn(a, b, c) (x_a y_b - y_a x_b) >= 0    and no other corner lies within a, b, c
//
// in the plane of two axes. The second factor stands for the orientation of the polygon, but depends on the place of the
// origin. Triangles of polygons with reflex corners may therefore overlap or lie outside of the polygon. When all places
// fail, the rest of the polygon stays open. tinyobjloader computes in single precision, and so does this file. A polygon of more
// than MOST corners has no triangles in MuJoCo.

#include "formats/polygon_tinyobj.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { MOST = 100 };

typedef struct polygon {
    const double *points;
    int *corners;
    int count;
    int axes[2];
} polygon;

static float coordinate(const polygon *p, int corner, int axis)
{
    return (float)p->points[3 * (size_t)p->corners[corner % p->count] + (size_t)axis];
}

static float squared_distance(const polygon *p, int a, int b)
{
    float sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        const float d = coordinate(p, b, axis) - coordinate(p, a, axis);
        sum += d * d;
    }
    return sum;
}

static void divide_four(const polygon *p, int *triangles)
{
    const int *c = p->corners;
    if (squared_distance(p, 0, 2) < squared_distance(p, 1, 3))
        memcpy(triangles, (const int[]){c[0], c[1], c[2], c[0], c[2], c[3]}, 6 * sizeof *triangles);
    else
        memcpy(triangles, (const int[]){c[0], c[1], c[3], c[1], c[2], c[3]}, 6 * sizeof *triangles);
}

// chooses the axes of the plane: all but the axis along which the normal of the first corner with an area is longest
static void choose_axes(polygon *p)
{
    p->axes[0] = 1, p->axes[1] = 2;
    for (int k = 0; k < p->count; k++) {
        float e[3], f[3], n[3], largest = 0;
        for (int i = 0; i < 3; i++) {
            e[i] = coordinate(p, k + 1, i) - coordinate(p, k, i);
            f[i] = coordinate(p, k + 2, i) - coordinate(p, k + 1, i);
        }
        for (int i = 0; i < 3; i++) {
            n[i] = fabsf(e[(i + 1) % 3] * f[(i + 2) % 3] - e[(i + 2) % 3] * f[(i + 1) % 3]);
            largest = fmaxf(largest, n[i]);
        }
        if (!(largest > FLT_EPSILON)) continue;
        if (n[0] > n[1] && n[0] > n[2]) return;
        p->axes[0] = 0;
        if (n[2] > n[0] && n[2] > n[1]) p->axes[1] = 1;
        return;
    }
}

// whether a ray from (x, y) along the first axis crosses the boundary an odd number of times
static bool within(const float u[3], const float v[3], float x, float y)
{
    bool inside = false;
    for (int i = 0, j = 2; i < 3; j = i++)
        if ((v[i] > y) != (v[j] > y) && x < (u[j] - u[i]) * (y - v[i]) / (v[j] - v[i]) + u[i]) inside = !inside;
    return inside;
}

static bool is_taken(const polygon *p, int at)
{
    float u[3], v[3];
    for (int k = 0; k < 3; k++) u[k] = coordinate(p, at + k, p->axes[0]), v[k] = coordinate(p, at + k, p->axes[1]);
    const float turn = (u[1] - u[0]) * (v[2] - v[1]) - (v[1] - v[0]) * (u[2] - u[1]);
    const float about_origin = (u[0] * v[1] - v[0] * u[1]) * 0.5f;
    if (turn * about_origin < 0) return false;
    for (int k = 3; k < p->count; k++)
        if (within(u, v, coordinate(p, at + k, p->axes[0]), coordinate(p, at + k, p->axes[1]))) return false;
    return true;
}

// returns the number of triangles; a first triangle that is found at the last place ends the search, as in tinyobjloader
static int cut(polygon *p, int *triangles)
{
    int at = 0, made = 0, before = p->count;
    for (int tries = p->count; p->count > 3 && tries > 0;) {
        tries = p->count == before ? tries - 1 : p->count;
        before = p->count;
        at = at >= p->count ? at - p->count : at;
        if (!is_taken(p, at)) {
            at++;
            continue;
        }
        for (int k = 0; k < 3; k++) triangles[3 * made + k] = p->corners[(at + k) % p->count];
        made++;
        const int gone = (at + 1) % p->count;
        memmove(p->corners + gone, p->corners + gone + 1, (size_t)(p->count - gone - 1) * sizeof *p->corners);
        p->count--;
    }
    if (p->count == 3) memcpy(triangles + 3 * made++, p->corners, 3 * sizeof *triangles);
    return made;
}

void trxi_polygon_divide_tinyobj(const double *points, int *corners, int count, int *triangles)
{
    polygon p = {.points = points, .corners = corners, .count = count};
    if (count == 4) {
        divide_four(&p, triangles);
        return;
    }
    choose_axes(&p);
    const int made = count <= MOST ? cut(&p, triangles) : 0;
    for (int k = 3 * made; k < 3 * (count - 2); k++) triangles[k] = corners[0];
}
