// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See solids.h.

#include "geometry/solids.h"

#include "math/vec3.h"

#include <math.h>
#include <stdbool.h>
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

static void add_quad(int *triangles, int *count, int a, int b, int c, int d)
{
    const int six[6] = {a, b, c, a, c, d};
    for (int half = 0; half < 2; half++) {
        const int *t = six + 3 * half;
        if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
        memcpy(triangles + 3 * (*count)++, t, 3 * sizeof *t);
    }
}

static bool is_filled(const int n[3], const char *filled, int x, int y, int z)
{
    bool in = x >= 0 && y >= 0 && z >= 0 && x < n[0] && y < n[1] && z < n[2];
    return in && filled[(z * n[1] + y) * n[0] + x] == '#';
}

void make_cells(solid *s, const int n[3], const char *filled, double h)
{
    int nvertex = 0, ntriangle = 0;
    for (int cell = 0; cell < n[0] * n[1] * n[2]; cell++) {
        const int at[3] = {cell % n[0], cell / n[0] % n[1], cell / (n[0] * n[1])};
        if (!is_filled(n, filled, at[0], at[1], at[2])) continue;
        for (int side = 0; side < 6; side++) {
            const int a = side / 2, b = (a + 1) % 3, c = (a + 2) % 3, up = side % 2;
            int next[3] = {at[0], at[1], at[2]}, corner[4];
            next[a] += up ? 1 : -1;
            if (is_filled(n, filled, next[0], next[1], next[2])) continue;
            for (int k = 0; k < 4; k++) {
                const int turn = up ? k : 3 - k;
                double p[3];
                p[a] = h * (at[a] + up), p[b] = h * (at[b] + (turn == 1 || turn == 2)), p[c] = h * (at[c] + (turn >= 2));
                corner[k] = vertex_at(s, &nvertex, p);
            }
            add_quad(s->triangles, &ntriangle, corner[0], corner[1], corner[2], corner[3]);
        }
    }
    view(s, nvertex, ntriangle);
}

void make_lathe(solid *s, const double (*profile)[2], int count, int n)
{
    int nvertex = 0, ntriangle = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < n; k++) {
            int corner[4];
            for (int j = 0; j < 4; j++) {
                const double *point = profile[(i + (j >= 2)) % count];
                const double angle = 2 * 3.14159265358979323846 * ((k + (j == 1 || j == 2)) % n) / n;
                corner[j] = vertex_at(s, &nvertex, (double[3]){point[0] * cos(angle), point[0] * sin(angle), point[1]});
            }
            add_quad(s->triangles, &ntriangle, corner[0], corner[1], corner[2], corner[3]);
        }
    view(s, nvertex, ntriangle);
}

void add_solid(solid *s, const solid *other)
{
    const int nvertex = s->mesh.nvertex, ntriangle = s->mesh.ntriangle;
    memcpy(s->vertices + 3 * nvertex, other->vertices, 3 * (size_t)other->mesh.nvertex * sizeof *s->vertices);
    for (int i = 0; i < 3 * other->mesh.ntriangle; i++) s->triangles[3 * ntriangle + i] = nvertex + other->triangles[i];
    view(s, nvertex + other->mesh.nvertex, ntriangle + other->mesh.ntriangle);
}

// a half ring about the y axis, from the wall outwards
static void make_handle(solid *s, double from, double middle, double ring, double thickness)
{
    enum { STEPS = 8, SIDES = 8 };
    int nvertex = 0, ntriangle = 0, ends[2][SIDES];
    for (int i = 0; i <= STEPS; i++)
        for (int k = 0; k < SIDES; k++) {
            const double along = 3.14159265358979323846 * (i / (double)STEPS - 0.5), round = 2 * 3.14159265358979323846 * k / SIDES;
            const double r = ring + thickness * cos(round);
            double *p = s->vertices + 3 * nvertex++;
            p[0] = from + r * cos(along), p[1] = thickness * sin(round), p[2] = middle + r * sin(along);
            if (i == 0 || i == STEPS) ends[i > 0][k] = nvertex - 1;
            if (i == 0) continue;
            const int here = SIDES * i + k, next = SIDES * i + (k + 1) % SIDES;
            add_quad(s->triangles, &ntriangle, here - SIDES, here, next, next - SIDES);
        }
    for (int k = 1; k + 1 < SIDES; k++) {
        const int caps[6] = {ends[0][0], ends[0][k], ends[0][k + 1], ends[1][0], ends[1][k + 1], ends[1][k]};
        memcpy(s->triangles + 3 * ntriangle, caps, sizeof caps);
        ntriangle += 2;
    }
    view(s, nvertex, ntriangle);
}

void make_mug(solid *s, double radius, double height, double thickness)
{
    static solid handle;
    const double inner = radius - thickness;
    const double profile[][2] = {{0, 0}, {radius, 0}, {radius, height}, {inner, height}, {inner, thickness}, {0, thickness}};
    make_lathe(s, profile, 6, 32);
    make_handle(&handle, radius - 0.5 * thickness, 0.5 * height, 0.3 * height, 0.5 * thickness);
    add_solid(s, &handle);
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
