// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Integrals over the solid inside a closed triangle mesh: the sum over signed tetrahedra from one point to the triangles
// (what M of theory 2 is made of). About a point o, a tetrahedron (o, a, b, c) has with edges a, b, c from o
//
//     6 V = a . (b x c)      com = (a + b + c)/4      int x x^T = V/20 (s s^T + a a^T + b b^T + c c^T),  s = a + b + c

#include "geometry/mesh.h"

#include "math/vec3.h"

#include <stddef.h>

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

static void bounds(const trx_mesh *mesh, trxi_mesh_integrals *out)
{
    for (int a = 0; a < 3; a++) {
        double lower = INFINITY, upper = -INFINITY;
        for (int i = 0; i < mesh->nvertex; i++) {
            lower = fmin(lower, mesh->vertices[3 * i + a]);
            upper = fmax(upper, mesh->vertices[3 * i + a]);
        }
        out->box_lower[a] = lower, out->box_upper[a] = upper;
    }
}

// sums over the tetrahedra from `o`: volume, first moment, and int x x^T as xx yy zz xy xz yz
static void tetrahedra(const trx_mesh *mesh, const double o[3], double *volume, double first[3], double second[6])
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int t = 0; t < mesh->ntriangle; t++) {
        double e[3][3], normal[3], s[3];
        for (int k = 0; k < 3; k++) trxi_sub3(mesh->vertices + 3 * mesh->triangles[3 * t + k], o, e[k]);
        trxi_cross3(e[1], e[2], normal);
        double V = trxi_dot3(e[0], normal) / 6;
        for (int a = 0; a < 3; a++) s[a] = e[0][a] + e[1][a] + e[2][a];
        *volume += V;
        trxi_axpy3(V / 4, s, first);
        for (int k = 0; k < 6; k++) {
            int i = row[k], j = column[k];
            second[k] += V / 20 * (s[i] * s[j] + e[0][i] * e[0][j] + e[1][i] * e[1][j] + e[2][i] * e[2][j]);
        }
    }
}

void trxi_mesh_integrate(const trx_mesh *mesh, trxi_mesh_integrals *out)
{
    *out = (trxi_mesh_integrals){0};
    bounds(mesh, out);
    double o[3], first[3] = {0, 0, 0}, x[6] = {0};
    for (int a = 0; a < 3; a++) o[a] = 0.5 * (out->box_lower[a] + out->box_upper[a]);
    tetrahedra(mesh, o, &out->volume, first, x);
    double c[3] = {0, 0, 0};
    if (out->volume != 0) trxi_scale3(1 / out->volume, first, c);
    trxi_add3(o, c, out->com);

    // to the centre of mass, then from int x x^T to the tensor
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++) x[k] -= out->volume * c[row[k]] * c[column[k]];
    double trace = x[0] + x[1] + x[2];
    for (int k = 0; k < 6; k++) out->moment[k] = k < 3 ? trace - x[k] : -x[k];
}
