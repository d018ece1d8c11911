// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Integrals over the solid inside a closed triangle mesh: the sum over signed tetrahedra from one point to the
// triangles (for M of theory 2). About a point o, a tetrahedron (o, a, b, c) has with edges a, b, c from o
//
//     6 V = a . (b x c)      com = (a + b + c)/4      int x x^T = V/20 (s s^T + a a^T + b b^T + c c^T),  s = a + b + c

#include "geometry/mesh.h"

#include "base/random.h"
#include "math/vec3.h"

#include <stddef.h>

static const double MIN_VOLUME = 1e-14; // relative to the sum of products of edges

const char *trxi_mesh_defect(const trx_mesh *mesh)
{
    if (mesh->nvertex < 3 || !mesh->vertices) return "the mesh has no vertices";
    if (mesh->ntriangle < 1 || !mesh->triangles) return "the mesh has no triangles";
    for (int i = 0; i < 3 * mesh->nvertex; i++)
        if (!isfinite(mesh->vertices[i])) return "a vertex of the mesh is not finite";
    for (int i = 0; i < 3 * mesh->ntriangle; i++)
        if (mesh->triangles[i] < 0 || mesh->triangles[i] >= mesh->nvertex)
            return "a triangle of the mesh names a vertex that it does not have";
    return NULL;
}

double trxi_point_bounds(const double *points, int count, double lower[3], double upper[3])
{
    double longest = 0;
    for (int a = 0; a < 3; a++) {
        lower[a] = INFINITY, upper[a] = -INFINITY;
        for (int i = 0; i < count; i++) lower[a] = fmin(lower[a], points[3 * i + a]), upper[a] = fmax(upper[a], points[3 * i + a]);
        longest = fmax(longest, upper[a] - lower[a]);
    }
    return longest;
}

void trxi_triangle_normal(const trx_mesh *mesh, int triangle, double out[3])
{
    const int *corner = mesh->triangles + 3 * (size_t)triangle;
    double e1[3], e2[3];
    trxi_sub3(mesh->vertices + 3 * (size_t)corner[1], mesh->vertices + 3 * (size_t)corner[0], e1);
    trxi_sub3(mesh->vertices + 3 * (size_t)corner[2], mesh->vertices + 3 * (size_t)corner[0], e2);
    trxi_cross3(e1, e2, out);
}

// the centroid of the surface, weighted by area; the middle of the box when there is no area
static void surface_centroid(const trx_mesh *mesh, const trxi_mesh_integrals *box, double out[3])
{
    double middle[3], sum[3] = {0, 0, 0}, area = 0;
    for (int a = 0; a < 3; a++) middle[a] = 0.5 * (box->box_lower[a] + box->box_upper[a]);
    for (int t = 0; t < mesh->ntriangle; t++) {
        double p[3][3], e1[3], e2[3], normal[3];
        for (int k = 0; k < 3; k++) trxi_sub3(mesh->vertices + 3 * mesh->triangles[3 * t + k], middle, p[k]);
        trxi_sub3(p[1], p[0], e1);
        trxi_sub3(p[2], p[0], e2);
        trxi_cross3(e1, e2, normal);
        double twice = trxi_norm3(normal);
        area += twice;
        for (int k = 0; k < 3; k++) trxi_axpy3(twice / 3, p[k], sum);
    }
    trxi_scale3(area > 0 ? 1 / area : 0, sum, sum);
    trxi_add3(middle, sum, out);
}

typedef struct sums {
    double volume;
    double first[3];  // int x
    double second[6]; // int x x^T: xx yy zz xy xz yz
    double rounding;  // scale of the volume's rounding error
} sums;

static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};

// sums over the tetrahedra from `o`, with x relative to o
static sums tetrahedra(const trx_mesh *mesh, const double o[3])
{
    sums total = {0};
    for (int t = 0; t < mesh->ntriangle; t++) {
        double e[3][3], normal[3], s[3];
        for (int k = 0; k < 3; k++) trxi_sub3(mesh->vertices + 3 * mesh->triangles[3 * t + k], o, e[k]);
        trxi_cross3(e[1], e[2], normal);
        double V = trxi_dot3(e[0], normal) / 6;
        for (int a = 0; a < 3; a++) s[a] = e[0][a] + e[1][a] + e[2][a];
        total.volume += V;
        total.rounding += trxi_norm3(e[0]) * trxi_norm3(e[1]) * trxi_norm3(e[2]);
        trxi_axpy3(V / 4, s, total.first);
        for (int k = 0; k < 6; k++) {
            int i = row[k], j = column[k];
            total.second[k] += V / 20 * (s[i] * s[j] + e[0][i] * e[0][j] + e[1][i] * e[1][j] + e[2][i] * e[2][j]);
        }
    }
    return total;
}

static uint64_t edge_hash(uint64_t seed, int a, int b)
{
    return trxi_random_bits(seed, (uint64_t)(unsigned)a << 32 | (unsigned)b);
}

// The boundary of the triangles is the sum of their directed edges, in which opposite edges cancel. With a random
// number for each edge the boundary is a sum of integers. The sum is 0 when all edges cancel, and otherwise nonzero
// except with a probability of 2^-128. This test needs no memory and no sorting.
static bool is_closed(const trx_mesh *mesh)
{
    uint64_t boundary[2] = {0, 0};
    for (int t = 0; t < mesh->ntriangle; t++)
        for (int k = 0; k < 3; k++) {
            int a = mesh->triangles[3 * t + k], b = mesh->triangles[3 * t + (k + 1) % 3];
            for (uint64_t i = 0; i < 2; i++) {
                if (a < b) boundary[i] += edge_hash(i, a, b);
                if (b < a) boundary[i] -= edge_hash(i, b, a);
            }
        }
    return boundary[0] == 0 && boundary[1] == 0;
}

void trxi_mesh_integrate(const trx_mesh *mesh, trxi_mesh_integrals *out)
{
    *out = (trxi_mesh_integrals){0};
    trxi_point_bounds(mesh->vertices, mesh->nvertex, out->box_lower, out->box_upper);
    out->closed = is_closed(mesh);
    surface_centroid(mesh, out, out->com);
    sums x = tetrahedra(mesh, out->com);

    // a volume that is only rounding counts as 0 and has no centre of its own
    if (!(fabs(x.volume) > MIN_VOLUME * x.rounding)) return;
    out->volume = x.volume;
    double c[3];
    trxi_scale3(1 / x.volume, x.first, c);
    trxi_add3(out->com, c, out->com);

    // to the centre of mass, then from int x x^T to the tensor
    for (int k = 0; k < 6; k++) x.second[k] -= x.volume * c[row[k]] * c[column[k]];
    double trace = x.second[0] + x.second[1] + x.second[2];
    for (int k = 0; k < 6; k++) out->moment[k] = k < 3 ? trace - x.second[k] : -x.second[k];
}
