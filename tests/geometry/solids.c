// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See solids.h.

#include "geometry/solids.h"

#include "math/vec3.h"

#include <string.h>

static void view(solid *s, int nvertex, int ntriangle)
{
    s->mesh = (trx_mesh){"solid", nvertex, s->vertices, ntriangle, s->triangles};
}

void make_box(solid *s, const double size[3], const double c[3])
{
    static const int triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                      2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    for (int i = 0; i < 8; i++)
        for (int a = 0; a < 3; a++) s->vertices[3 * i + a] = c[a] + (i >> a & 1 ? 0.5 : -0.5) * size[a];
    memcpy(s->triangles, triangles, sizeof triangles);
    view(s, 8, 12);
}

void make_corner(solid *s, const double ends[3])
{
    static const int triangles[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    memset(s->vertices, 0, 12 * sizeof *s->vertices);
    for (int a = 0; a < 3; a++) s->vertices[3 * (a + 1) + a] = ends[a];
    memcpy(s->triangles, triangles, sizeof triangles);
    view(s, 4, 4);
}

// the vertex at the place of p, a new one if need be
static int vertex_at(solid *s, int *count, const double p[3])
{
    for (int i = 0; i < *count; i++) {
        double d[3];
        trxi_sub3(s->vertices + 3 * i, p, d);
        if (trxi_norm3(d) < 1e-9) return i;
    }
    trxi_copy3(p, s->vertices + 3 * *count);
    return (*count)++;
}

void make_icosphere(solid *s, int n)
{
    static const int faces[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                                     {11, 10, 2}, {10, 7, 6}, {7, 1, 8},   {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                                     {3, 8, 9},  {4, 9, 5},  {2, 4, 11},  {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
    const double g = 0.5 * (1 + sqrt(5));
    const double corners[12][3] = {{-1, g, 0}, {1, g, 0}, {-1, -g, 0}, {1, -g, 0}, {0, -1, g}, {0, 1, g},
                                   {0, -1, -g}, {0, 1, -g}, {g, 0, -1}, {g, 0, 1}, {-g, 0, -1}, {-g, 0, 1}};
    int nvertex = 0, ntriangle = 0;
    for (int f = 0; f < 20; f++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n - i; j++)
                for (int half = 0; half < (j + 1 < n - i ? 2 : 1); half++) {
                    // the corners of a small triangle, up or down, in steps along two sides of the face
                    const int steps[2][3][2] = {{{i, j}, {i + 1, j}, {i, j + 1}}, {{i + 1, j}, {i + 1, j + 1}, {i, j + 1}}};
                    for (int k = 0; k < 3; k++) {
                        double p[3] = {0, 0, 0}, u = steps[half][k][0] / (double)n, w = steps[half][k][1] / (double)n;
                        trxi_axpy3(1 - u - w, corners[faces[f][0]], p);
                        trxi_axpy3(u, corners[faces[f][1]], p);
                        trxi_axpy3(w, corners[faces[f][2]], p);
                        trxi_normalize3(p, p);
                        s->triangles[3 * ntriangle + k] = vertex_at(s, &nvertex, p);
                    }
                    ntriangle++;
                }
    view(s, nvertex, ntriangle);
}

void move_solid(solid *s, const double axis[3], double angle, const double by[3])
{
    double k[3], R[9], K[9], K2[9];
    trxi_normalize3(axis, k);
    trxi_skew33(k, K);
    trxi_mul33(K, K, K2);
    for (int i = 0; i < 9; i++) R[i] = (i % 4 == 0) + sin(angle) * K[i] + (1 - cos(angle)) * K2[i];
    for (int i = 0; i < s->mesh.nvertex; i++) {
        double p[3];
        trxi_mulv3(R, s->vertices + 3 * i, p);
        trxi_add3(p, by, s->vertices + 3 * i);
    }
}

void round_solid(solid *s)
{
    for (int i = 0; i < 3 * s->mesh.nvertex; i++) s->vertices[i] = (double)(float)s->vertices[i];
}
