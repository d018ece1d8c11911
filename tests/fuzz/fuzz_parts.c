// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Any bytes as a mesh that is divided into convex parts: two bytes of settings, the number of vertices, signed bytes as
// coordinates, the rest as indices of triangles. The parts have hulls, and every vertex of a triangle lies in one of them.

#include "geometry/decompose.h"
#include "geometry/hull.h"
#include "geometry/mesh.h"
#include "math/vec3.h"

#include "fuzz.h"

enum { MOST_VERTICES = 60, MOST_TRIANGLES = 120 };

static bool in_some_part(const trxi_hull *const *hulls, int count, const double x[3], double slack)
{
    for (int i = 0; i < count; i++) {
        double r[3], height = -INFINITY;
        trxi_sub3(x, hulls[i]->centre, r);
        for (int f = 0; f < hulls[i]->nface; f++)
            height = fmax(height, trxi_dot3(hulls[i]->faces + 4 * f, r) - hulls[i]->faces[4 * f + 3]);
        if (height <= slack) return true;
    }
    return false;
}

static void check_parts(trx_context *context, trxi_pool *pool, const trx_mesh *mesh, const trxi_convex_parts *parts)
{
    const trxi_hull *hulls[TRX_MOST_PARTS];
    for (int i = 0; i < parts->npart; i++) {
        FUZZ_CHECK(!trxi_mesh_defect(&parts->parts[i]));
        FUZZ_CHECK(trxi_hull_create(context, pool, &parts->parts[i], &hulls[i]) == TRX_OK);
    }
    for (int i = 0; i < 3 * mesh->ntriangle; i++)
        FUZZ_CHECK(in_some_part(hulls, parts->npart, mesh->vertices + 3 * mesh->triangles[i], 1e-3));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    double vertices[3 * MOST_VERTICES];
    int triangles[3 * MOST_TRIANGLES];
    if (size < 3) return 0;
    trx_decomposition settings = trx_decomposition_default();
    settings.most = 1 + data[0] % 8;
    settings.share = 0.05 + data[1] / 512.0;
    trx_mesh mesh = {"fuzz", 3 + data[2] % (MOST_VERTICES - 2), vertices, 0, triangles};
    data += 3, size -= 3;
    for (int i = 0; i < 3 * mesh.nvertex; i++) vertices[i] = (size_t)i < size ? (int8_t)data[i] : 0;
    for (size_t i = 3 * (size_t)mesh.nvertex; i + 2 < size && mesh.ntriangle < MOST_TRIANGLES; i += 3, mesh.ntriangle++)
        for (size_t k = 0; k < 3; k++) triangles[3 * mesh.ntriangle + (int)k] = data[i + k] % mesh.nvertex;
    if (trxi_mesh_defect(&mesh)) return 0;

    trx_context *context = fuzz_context();
    trxi_pool *pool = trxi_pool_create(context);
    trxi_convex_parts parts;
    const trx_status status = trxi_decompose(context, pool, &mesh, &settings, &parts);
    if (status == TRX_OK) check_parts(context, pool, &mesh, &parts);
    else FUZZ_CHECK(status == TRX_ERR_INPUT);
    trxi_pool_destroy(pool);
    return 0;
}
