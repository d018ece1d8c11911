// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Meshes of a draft: found, read once per file, scaled once per scale. An odd number of negative factors mirrors
// the mesh; its triangles are then reversed so that their normals still point outwards.

#include "formats/mesh_read.h"
#include "import/draft_state.h"
#include "import/mesh_path.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// the mesh stored under `key`; a new key gets an empty mesh, which stays empty if reading fails
static trx_mesh *cached(trxi_draft *draft, const char *key, bool *known)
{
    const int *index = trxi_table_at(draft, &draft->mesh_keys, key, draft->meshes.count, known);
    if (!index) return NULL;
    if (*known) return draft->meshes.items[*index];
    trx_mesh *made = trxi_draft_push(draft, &draft->meshes, sizeof *made);
    return draft->memory ? made : NULL;
}

static const trx_mesh *read_mesh(trxi_draft *draft, trx_source source, const char *path)
{
    bool known;
    trx_mesh *mesh = cached(draft, path, &known);
    if (!mesh || known) return mesh && mesh->ntriangle ? mesh : NULL;

    trx_mesh made;
    trx_status status = trxi_mesh_read(draft->context, draft->pool, path, &made);
    if (status == TRX_ERR_IO) trxi_error_at(draft->context, source, "the mesh \"%.300s\" cannot be read", path);
    if (status == TRX_ERR_MEMORY) draft->memory = false;
    if (status < 0) return NULL;
    *mesh = made;
    return mesh;
}

static void scale_vertices(const trx_mesh *mesh, const double scale[3], double *out)
{
    for (int i = 0; i < mesh->nvertex; i++)
        for (int a = 0; a < 3; a++) out[3 * i + a] = scale[a] * mesh->vertices[3 * i + a];
}

static const trx_mesh *scaled(trxi_draft *draft, const char *path, const trx_mesh *mesh, const double scale[3])
{
    if (scale[0] == 1 && scale[1] == 1 && scale[2] == 1) return mesh;
    bool known;
    trx_mesh *out = cached(draft, trxi_draft_printf(draft, "%.17g %.17g %.17g|%s", scale[0], scale[1], scale[2], path),
                           &known);
    if (!out || known) return out && out->ntriangle ? out : NULL;

    double *vertices = TRXI_DRAFT_TAKE(draft, double, 3 * (size_t)mesh->nvertex);
    int *triangles = TRXI_DRAFT_TAKE(draft, int, 3 * (size_t)mesh->ntriangle);
    if (!vertices || !triangles) return NULL;
    scale_vertices(mesh, scale, vertices);
    memcpy(triangles, mesh->triangles, 3 * (size_t)mesh->ntriangle * sizeof *triangles);
    for (int t = 0; t < mesh->ntriangle && scale[0] * scale[1] * scale[2] < 0; t++) {
        int second = triangles[3 * t + 1];
        triangles[3 * t + 1] = triangles[3 * t + 2];
        triangles[3 * t + 2] = second;
    }
    *out = (trx_mesh){mesh->name, mesh->nvertex, vertices, mesh->ntriangle, triangles};
    return out;
}

static bool check_scale(trxi_draft *draft, trx_source source, const double scale[3])
{
    for (int i = 0; i < 3; i++) {
        if (scale[i] != 0 && isfinite(scale[i])) continue;
        trxi_error_at(draft->context, source, "scale %g %g %g: write three numbers that are not 0", scale[0], scale[1],
                      scale[2]);
        return false;
    }
    return true;
}

static const trx_mesh *load(trxi_draft *draft, trx_source source, const char *uri, const char *folder,
                            const double scale[3], bool needed)
{
    const char *why = "", *path = trxi_mesh_path(draft, uri, folder, &why);
    bool served = path && trxi_mesh_has_parser(path);
    if (path && !served)
        why = trxi_draft_printf(draft, "\"%.300s\" is neither STL nor OBJ: convert it to one of them", path);
    if (!served) {
        if (needed && draft->memory)
            trxi_error_at(draft->context, source, "mesh: %s", why);
        else
            trxi_draft_note(draft, TRX_NOTE_DROPPED, source, "mesh: %s; it is not drawn", why);
        return NULL;
    }
    if (!check_scale(draft, source, scale)) return NULL;
    const trx_mesh *mesh = read_mesh(draft, source, path);
    return mesh ? scaled(draft, path, mesh, scale) : NULL;
}

const trx_mesh *trxi_draft_mesh(trxi_draft *draft, trx_source source, const char *uri, const char *folder,
                                const double scale[3])
{
    return load(draft, source, uri, folder, scale, true);
}

const trx_mesh *trxi_draft_drawing(trxi_draft *draft, trx_source source, const char *uri, const char *folder,
                                   const double scale[3])
{
    return load(draft, source, uri, folder, scale, false);
}
