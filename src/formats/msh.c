// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// MuJoCo's binary mesh; see mesh_read.h. Everything has four bytes, the least significant first:
//
//     4 integers      numbers of vertices, normals, texture coordinates, triangles
//     3 floats        for each vertex
//     3 floats        for each normal, 2 for each texture coordinate: passed over
//     3 integers      for each triangle: vertices, counted from 0

#include "formats/mesh_read.h"

#include "formats/triangles.h"

enum { HEAD = 16 };

typedef struct layout {
    uint32_t nvertex, nnormal, ntexture, ntriangle;
    size_t first_triangle; // byte
} layout;

static trx_status read_head(trxi_triangles *t, const char *data, size_t length, layout *l)
{
    const trx_source source = {t->file, 0, 0};
    if (length < HEAD) return trxi_error_at(t->context, source, "no mesh of MuJoCo: %zu bytes, less than its head of 16", length);
    *l = (layout){.nvertex = trxi_bytes_whole(data), .nnormal = trxi_bytes_whole(data + 4),
                  .ntexture = trxi_bytes_whole(data + 8), .ntriangle = trxi_bytes_whole(data + 12)};
    unsigned long long before = HEAD + 12ull * l->nvertex + 12ull * l->nnormal + 8ull * l->ntexture;
    unsigned long long expected = before + 12ull * l->ntriangle;
    if (expected != length)
        return trxi_error_at(t->context, source,
                             "a mesh of %lu vertices, %lu normals, %lu texture coordinates and %lu triangles has %llu bytes, but "
                             "this one has %zu",
                             (unsigned long)l->nvertex, (unsigned long)l->nnormal, (unsigned long)l->ntexture,
                             (unsigned long)l->ntriangle, expected, length);
    if (l->ntriangle == 0)
        return trxi_error_at(t->context, source, "the mesh has no triangles: only vertices are not read");
    l->first_triangle = (size_t)before;
    return TRX_OK;
}

static trx_status read_all(trxi_triangles *t, const char *data, size_t length)
{
    const trx_source source = {t->file, 0, 0};
    layout l = {0};
    trx_status status = read_head(t, data, length, &l);
    for (uint32_t i = 0; status == TRX_OK && i < l.nvertex; i++) {
        const char *at = data + HEAD + 12 * (size_t)i;
        const double p[3] = {trxi_bytes_float(at), trxi_bytes_float(at + 4), trxi_bytes_float(at + 8)};
        status = trxi_triangles_point(t, source, p);
    }
    for (uint32_t i = 0; status == TRX_OK && i < l.ntriangle; i++) {
        const char *at = data + l.first_triangle + 12 * (size_t)i;
        int corners[3];
        for (int k = 0; k < 3; k++) {
            const uint32_t vertex = trxi_bytes_whole(at + 4 * k);
            corners[k] = vertex > INT32_MAX ? -1 : (int)vertex;
        }
        status = trxi_triangles_add(t, source, corners);
    }
    return status;
}

trx_status trxi_msh_parse(trx_context *context, trxi_pool *pool, const char *file, const char *data, size_t length,
                          trx_mesh *mesh)
{
    trxi_triangles t = trxi_triangles_begin(context, file);
    trx_status status = t.scratch ? read_all(&t, data, length) : TRX_ERR_MEMORY;
    return trxi_triangles_end(&t, status, pool, mesh);
}
