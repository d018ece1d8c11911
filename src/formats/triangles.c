// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Growing lists of points and triangles; see triangles.h.

#include "formats/triangles.h"

#include "formats/polygon.h"

#include <math.h>
#include <string.h>

trxi_triangles trxi_triangles_begin(trx_context *context, const char *file)
{
    return (trxi_triangles){.context = context, .scratch = trxi_pool_create(context), .file = file};
}

trx_status trxi_triangles_point(trxi_triangles *t, trx_source source, const double p[3])
{
    if (t->npoint == TRXI_MESH_MAX_POINTS)
        return trxi_error_at(t->context, source, "more than %d vertices", TRXI_MESH_MAX_POINTS);
    for (int i = 0; i < 3; i++)
        if (!(fabs(p[i]) <= TRXI_MESH_MAX_COORDINATE))
            return trxi_error_at(t->context, source, "vertex %d: a coordinate is no finite number, or beyond 1e12", t->npoint);
    if (t->npoint == t->point_capacity) {
        t->points = trxi_pool_grow(t->scratch, t->points, t->npoint, &t->point_capacity, 3 * sizeof(double));
        if (!t->points) return TRX_ERR_MEMORY;
    }
    memcpy(t->points + 3 * (size_t)t->npoint++, p, 3 * sizeof *p);
    return TRX_OK;
}

trx_status trxi_triangles_add(trxi_triangles *t, trx_source source, const int corners[3])
{
    for (int i = 0; i < 3; i++)
        if (corners[i] < 0 || corners[i] >= t->npoint)
            return trxi_error_at(t->context, source, "triangle %d names vertex %d, but there are %d, counted from 0",
                                 t->ntriangle, corners[i], t->npoint);
    return trxi_triangles_add_unchecked(t, source, corners);
}

trx_status trxi_triangles_add_unchecked(trxi_triangles *t, trx_source source, const int corners[3])
{
    if (t->ntriangle == TRXI_MESH_MAX_TRIANGLES)
        return trxi_error_at(t->context, source, "more than %d triangles", TRXI_MESH_MAX_TRIANGLES);
    if (t->ntriangle == t->triangle_capacity) {
        t->corners = trxi_pool_grow(t->scratch, t->corners, t->ntriangle, &t->triangle_capacity, 3 * sizeof(int));
        if (!t->corners) return TRX_ERR_MEMORY;
    }
    memcpy(t->corners + 3 * (size_t)t->ntriangle++, corners, 3 * sizeof *corners);
    return TRX_OK;
}

trx_status trxi_triangles_divide(trxi_triangles *t, int first)
{
    if (t->ntriangle < first + 2) return TRX_OK;
    const int count = t->ntriangle - first;
    int *fan = t->corners + 3 * (size_t)first;
    return trxi_polygon_divide(t->scratch, t->points, TRXI_POLYGONS_COVERED, fan, count) ? TRX_OK : TRX_ERR_MEMORY;
}

trx_status trxi_triangles_end(trxi_triangles *t, trx_status status, trxi_pool *pool, trx_mesh *mesh)
{
    *mesh = (trx_mesh){0};
    if (status == TRX_OK)
        status = trxi_mesh_merge(t->context, pool, t->file, t->points, t->npoint, t->corners, t->ntriangle, mesh);
    trxi_pool_destroy(t->scratch);
    return status;
}
