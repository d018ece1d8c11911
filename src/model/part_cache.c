// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The cache of convex parts; see part_cache.h. An entry is FOLDER/parts-HASH.npz with the arrays
//
//     measures  tolerance, excess, cell [m]       counts     2 x npart: vertices and triangles of each part
//     vertices  of all parts, 3 numbers each [m]  triangles  of all parts, 3 indices each
//
// HASH is the SHA-256 of the version of the method, the settings, the vertices and the triangles. The archive has checksums. An
// entry that is not exactly of this form counts as missing. Entries are written under a temporary name and moved into
// place, so that processes may share a folder.

#include "model/part_cache.h"

#include "formats/files.h"
#include "formats/npz.h"
#include "formats/sha256.h"
#include "geometry/mesh.h"

#include <string.h>

static const char VERSION[] = "convex parts 2"; // another number when the method gives other parts

static void hash_of(trx_context *context, const trx_mesh *mesh, const trx_decomposition *s, char hash[65], bool *memory)
{
    trxi_text text = trxi_text_create(context);
    trxi_text_append(&text, VERSION, sizeof VERSION);
    trxi_text_append(&text, &s->most, sizeof s->most);
    trxi_text_append(&text, &s->tolerance, sizeof s->tolerance);
    trxi_text_append(&text, &s->share, sizeof s->share);
    trxi_text_append(&text, &mesh->nvertex, sizeof mesh->nvertex);
    trxi_text_append(&text, mesh->vertices, 3 * (size_t)mesh->nvertex * sizeof *mesh->vertices);
    trxi_text_append(&text, mesh->triangles, 3 * (size_t)mesh->ntriangle * sizeof *mesh->triangles);
    *memory = text.status == TRX_OK;
    if (*memory) trxi_sha256(text.data, text.length, hash);
    trxi_text_destroy(&text);
}

// ---- reading ----

// a count or an index, from 0 to `most`
static bool whole(double number, int most, int *out)
{
    if (!(number >= 0 && number <= most)) return false;
    *out = (int)number;
    return *out == number;
}

// takes the next part from the arrays, which have `numbers` and `indices` numbers left
static bool take_part(trxi_pool *pool, const double counts[2], const double **vertices, int *numbers, const double **triangles,
                      int *indices, trx_mesh *part)
{
    *part = (trx_mesh){0};
    if (!whole(counts[0], *numbers / 3, &part->nvertex) || !whole(counts[1], *indices / 3, &part->ntriangle)) return false;
    double *x = TRXI_POOL(pool, double, 3 * (size_t)part->nvertex);
    int *corners = TRXI_POOL(pool, int, 3 * (size_t)part->ntriangle);
    if (!x || !corners) return false;
    memcpy(x, *vertices, 3 * (size_t)part->nvertex * sizeof *x);
    for (int i = 0; i < 3 * part->ntriangle; i++)
        if (!whole((*triangles)[i], part->nvertex - 1, &corners[i])) return false;
    *vertices += 3 * part->nvertex, *triangles += 3 * part->ntriangle;
    *numbers -= 3 * part->nvertex, *indices -= 3 * part->ntriangle;
    part->vertices = x, part->triangles = corners;
    return !trxi_mesh_defect(part);
}

static bool take_parts(trxi_pool *pool, const trxi_npz_archive *archive, trxi_convex_parts *out)
{
    const trxi_npz_array *measures = trxi_npz_find(archive, "measures"), *counts = trxi_npz_find(archive, "counts");
    const trxi_npz_array *vertices = trxi_npz_find(archive, "vertices"), *triangles = trxi_npz_find(archive, "triangles");
    if (!measures || !counts || !vertices || !triangles || measures->dims != 1 || measures->shape[0] != 3 || counts->dims != 1 ||
        vertices->dims != 1 || triangles->dims != 1 || counts->shape[0] < 2 || counts->shape[0] % 2)
        return false;
    const double *x = vertices->data, *corners = triangles->data;
    int numbers = vertices->shape[0], indices = triangles->shape[0];
    *out = (trxi_convex_parts){.npart = counts->shape[0] / 2, .tolerance = measures->data[0], .excess = measures->data[1],
                               .cell = measures->data[2]};
    out->parts = TRXI_POOL(pool, trx_mesh, out->npart);
    bool fine = out->parts && out->npart <= TRX_MOST_PARTS;
    for (int i = 0; i < out->npart && fine; i++)
        fine = take_part(pool, counts->data + 2 * i, &x, &numbers, &corners, &indices, &out->parts[i]);
    return fine && numbers == 0 && indices == 0;
}

static bool read_entry(trx_context *apart, trxi_pool *pool, const char *path, trxi_convex_parts *parts)
{
    trxi_npz_archive archive;
    trxi_pool *scratch = trxi_pool_create(apart);
    const bool fine = scratch && trxi_npz_read(apart, scratch, path, NULL, &archive) == TRX_OK && take_parts(pool, &archive, parts);
    trxi_pool_destroy(scratch);
    return fine;
}

// ---- writing ----

static void write_entry(trx_context *apart, trxi_pool *scratch, const char *path, const trxi_convex_parts *parts)
{
    int numbers = 0, indices = 0, npart = 2 * parts->npart;
    for (int i = 0; i < parts->npart; i++) numbers += 3 * parts->parts[i].nvertex, indices += 3 * parts->parts[i].ntriangle;
    double *x = TRXI_POOL(scratch, double, numbers), *corners = TRXI_POOL(scratch, double, indices);
    double *counts = TRXI_POOL(scratch, double, npart), *next = x, *index = corners;
    if (!x || !corners || !counts) return;
    for (int i = 0; i < parts->npart; i++) {
        const trx_mesh *part = &parts->parts[i];
        counts[2 * i] = part->nvertex, counts[2 * i + 1] = part->ntriangle;
        memcpy(next, part->vertices, 3 * (size_t)part->nvertex * sizeof *next);
        next += 3 * part->nvertex;
        for (int k = 0; k < 3 * part->ntriangle; k++) *index++ = part->triangles[k];
    }
    const double measures[3] = {parts->tolerance, parts->excess, parts->cell};
    const int three = 3;
    trxi_text bytes = trxi_text_create(apart);
    trxi_npz npz = trxi_npz_create(&bytes);
    trxi_npz_add(&npz, "measures", 1, &three, measures);
    trxi_npz_add(&npz, "counts", 1, &npart, counts);
    trxi_npz_add(&npz, "vertices", 1, &numbers, x);
    trxi_npz_add(&npz, "triangles", 1, &indices, corners);
    if (trxi_npz_finish(&npz) == TRX_OK) trxi_file_replace(apart, path, bytes.data, bytes.length);
    trxi_text_destroy(&bytes);
}

// ---- entry point ----

trx_status trxi_parts_of(trx_context *context, trxi_pool *pool, const trx_mesh *mesh, const trx_decomposition *settings,
                         trxi_convex_parts *parts)
{
    const char *folder = trxi_cache(context);
    if (!folder) return trxi_decompose(context, pool, mesh, settings, parts);

    // findings about the cache stay in a context of their own
    trx_context_settings own = trx_context_settings_default();
    own.allocator = *trxi_allocator(context);
    trx_context *apart;
    char hash[65];
    bool memory;
    hash_of(context, mesh, settings, hash, &memory);
    if (!memory || trx_context_create(&own, &apart) < 0)
        return trxi_fail(context, TRX_ERR_MEMORY, "out of memory (parts of a mesh)");
    trxi_pool *scratch = trxi_pool_create(apart);
    const char *path = scratch ? trxi_pool_printf(scratch, "%s/parts-%s.npz", folder, hash) : NULL;
    trx_status status = TRX_OK;
    if (!path || !read_entry(apart, pool, path, parts)) {
        status = trxi_decompose(context, pool, mesh, settings, parts);
        if (status == TRX_OK && path) write_entry(apart, scratch, path, parts);
    }
    trxi_pool_destroy(scratch);
    trx_context_destroy(apart);
    return status;
}
