// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Meshes of a draft: found, read once per file, scaled once per scale. An odd number of negative factors mirrors
// the mesh; its triangles are then reversed so that their normals still point outwards.

#include "formats/mesh_read.h"
#include "geometry/hull.h"
#include "geometry/mesh.h"
#include "import/draft_state.h"
#include "import/mesh_path.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// a mesh, or the reason why there is none
typedef struct mesh_item {
    trx_mesh mesh; // first; empty when it cannot be used
    trx_source source; // of the error in the mesh's file
    const char *why;
    bool reported;
} mesh_item;

// the item stored under `key`; a new key gets an empty item, which stays empty if reading fails
static mesh_item *cached(trxi_draft *draft, const char *key, bool *known)
{
    const int *index = trxi_table_at(draft, &draft->mesh_keys, key, draft->meshes.count, known);
    if (!index) return NULL;
    if (*known) return draft->meshes.items[*index];
    mesh_item *made = trxi_draft_push(draft, &draft->meshes, sizeof *made);
    return draft->memory ? made : NULL;
}

// reads with a context of its own: whether an error of the mesh is an error of the robot depends on its use
static void read_apart(trxi_draft *draft, trx_source source, const char *path, trxi_polygons polygons, mesh_item *item)
{
    trx_context_settings settings = trx_context_settings_default();
    trx_context *context = NULL;
    settings.allocator = *trxi_allocator(draft->context);
    trx_status status = trx_context_create(&settings, &context);
    if (status == TRX_OK) status = trxi_mesh_read(context, draft->pool, path, polygons, &item->mesh);
    if (status == TRX_ERR_MEMORY) draft->memory = false;
    if (status == TRX_ERR_IO) {
        item->source = source;
        item->why = trxi_draft_printf(draft, "the mesh \"%.300s\" cannot be read", path);
    } else if (status < 0 && status != TRX_ERR_MEMORY) {
        trx_diagnostic first = trx_context_diagnostic(context, 0);
        item->source = first.source;
        item->source.file = path;
        item->why = trxi_draft_printf(draft, "%s", first.text);
    }
    trx_context_destroy(context);
}

// how a mesh is used: which triangles are read, and the message when the mesh cannot be used: a note of this kind that ends with
// `without`, or, if `without` is NULL, an error
typedef struct use {
    trxi_polygons polygons;
    trx_note_kind kind;
    const char *without;
} use;

// the mesh of a file; NULL when it is wrong: one error for all its uses, or a note for each
static const trx_mesh *read_mesh(trxi_draft *draft, trx_source source, const char *path, use otherwise)
{
    bool known;
    mesh_item *item = cached(draft, trxi_draft_printf(draft, "%d|%s", otherwise.polygons, path), &known);
    if (item && !known) read_apart(draft, source, path, otherwise.polygons, item);
    if (!item || !item->why) return item && item->mesh.ntriangle ? &item->mesh : NULL;
    if (otherwise.without)
        trxi_draft_note(draft, otherwise.kind, source, "%s:%d:%d: %s; %s", item->source.file, item->source.line,
                        item->source.column, item->why, otherwise.without);
    else if (!item->reported)
        trxi_error_at(draft->context, item->source, "%s", item->why);
    item->reported |= !otherwise.without;
    return NULL;
}

static void scale_vertices(const trx_mesh *mesh, const double scale[3], double *out)
{
    for (int i = 0; i < mesh->nvertex; i++)
        for (int a = 0; a < 3; a++) out[3 * i + a] = scale[a] * mesh->vertices[3 * i + a];
}

static const trx_mesh *scaled(trxi_draft *draft, const char *path, trxi_polygons polygons, const trx_mesh *mesh,
                              const double scale[3])
{
    if (scale[0] == 1 && scale[1] == 1 && scale[2] == 1) return mesh;
    bool known;
    const char *key = trxi_draft_printf(draft, "%d %.17g %.17g %.17g|%s", polygons, scale[0], scale[1], scale[2], path);
    mesh_item *item = cached(draft, key, &known);
    trx_mesh *out = item ? &item->mesh : NULL;
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

// NULL when the scale can be used
static const char *scale_defect(trxi_draft *draft, const double scale[3])
{
    for (int i = 0; i < 3; i++)
        if (scale[i] == 0 || !isfinite(scale[i]))
            return trxi_draft_printf(draft, "scale %g %g %g: write three numbers that are not 0", scale[0], scale[1],
                                     scale[2]);
    return NULL;
}

// NULL when there is a file with a parser, whose path is then in *path; else the error
static const char *file_defect(trxi_draft *draft, trx_source source, const char *uri, const char *folder, const char **path)
{
    const char *why = "";
    *path = trxi_mesh_path(draft, uri, folder, &why);
    if (!*path && (*path = trxi_mesh_path_by_end(draft, uri)))
        trxi_draft_tally(draft, TRX_NOTE_ASSUMED, source, "", "mesh was", "meshes were",
                         " found by the end of the path: the whole path leads nowhere");
    if (*path && trxi_mesh_has_parser(*path)) return NULL;
    if (*path)
        why = trxi_draft_printf(draft, "\"%.300s\" is no STL, OBJ, Collada, GLB, PLY or MSH file: convert it to one of them",
                                *path);
    return trxi_draft_printf(draft, "mesh: %s", why);
}

static const trx_mesh *load(trxi_draft *draft, trx_source source, const char *uri, const char *folder,
                            const double scale[3], use otherwise)
{
    const char *path, *why = file_defect(draft, source, uri, folder, &path);
    if (!why) why = scale_defect(draft, scale);
    if (why && !otherwise.without && draft->memory) trxi_error_at(draft->context, source, "%s", why);
    if (why && otherwise.without) trxi_draft_note(draft, otherwise.kind, source, "%s; %s", why, otherwise.without);
    if (why) return NULL;
    const trx_mesh *mesh = read_mesh(draft, source, path, otherwise);
    return mesh ? scaled(draft, path, otherwise.polygons, mesh, scale) : NULL;
}

const trx_mesh *trxi_draft_mesh(trxi_draft *draft, trx_source source, const char *uri, const char *folder,
                                const double scale[3])
{
    const char *without = draft->options.skip_meshes ? "it is left out" : NULL;
    return load(draft, source, uri, folder, scale, (use){TRXI_POLYGONS_COVERED, TRX_NOTE_MISSING, without});
}

const trx_mesh *trxi_draft_mujoco_mesh(trxi_draft *draft, trx_source source, const char *uri, const char *folder,
                                       const double scale[3])
{
    const char *without = draft->options.skip_meshes ? "it is not weighed" : NULL;
    return load(draft, source, uri, folder, scale, (use){TRXI_POLYGONS_TINYOBJ, TRX_NOTE_MISSING, without});
}

const trx_mesh *trxi_draft_drawing(trxi_draft *draft, trx_source source, const char *uri, const char *folder,
                                   const double scale[3])
{
    return load(draft, source, uri, folder, scale, (use){TRXI_POLYGONS_COVERED, TRX_NOTE_DROPPED, "it is not drawn"});
}

// the plate between two copies of a flat mesh
static void fill_plate(const trx_mesh *mesh, const double normal[3], double thickness, double *vertices, int *triangles)
{
    const int n = mesh->nvertex, count = mesh->ntriangle;
    for (int i = 0; i < n; i++) {
        for (int side = 0; side < 2; side++) trxi_copy3(mesh->vertices + 3 * i, vertices + 3 * (i + side * n));
        trxi_axpy3(0.5 * thickness, normal, vertices + 3 * i);
        trxi_axpy3(-0.5 * thickness, normal, vertices + 3 * (i + n));
    }
    for (int t = 0; t < count; t++) {
        const int *corner = mesh->triangles + 3 * t, below[3] = {corner[0] + n, corner[2] + n, corner[1] + n};
        memcpy(triangles + 3 * t, corner, sizeof below);
        memcpy(triangles + 3 * (t + count), below, sizeof below);
    }
}

// a flat mesh has no hull; others give it a thickness too
static const trx_mesh *plate(trxi_draft *draft, trx_source source, const trx_mesh *mesh, const double normal[3])
{
    double lower[3], upper[3];
    const double thickness = TRXI_PLATE_THICKNESS * trxi_point_bounds(mesh->vertices, mesh->nvertex, lower, upper);
    trx_mesh *out = TRXI_DRAFT_TAKE(draft, trx_mesh, 1);
    double *vertices = TRXI_DRAFT_TAKE(draft, double, 6 * (size_t)mesh->nvertex);
    int *triangles = TRXI_DRAFT_TAKE(draft, int, 6 * (size_t)mesh->ntriangle);
    if (!out || !vertices || !triangles) return NULL;
    fill_plate(mesh, normal, thickness, vertices, triangles);
    *out = (trx_mesh){mesh->name, 2 * mesh->nvertex, vertices, 2 * mesh->ntriangle, triangles};
    trxi_draft_tally(draft, TRX_NOTE_REPLACED, source, "", "mesh that touches is flat", "meshes that touch are flat",
                     ": a plate as thick as a thousandth of the longest side");
    return out;
}

const trx_mesh *trxi_draft_touching_mesh(trxi_draft *draft, trx_source source, const char *uri, const char *folder,
                                         const double scale[3])
{
    const bool parts = draft->options.decompose.most > 0;
    const trx_mesh *mesh = trxi_draft_mesh(draft, source, uri, folder, scale);
    double normal[3];
    if (!mesh) return NULL;
    if (trxi_hull_is_flat(draft->pool, mesh, normal) && trxi_norm3(normal) > 0) mesh = plate(draft, source, mesh, normal);
    trxi_draft_tally(draft, TRX_NOTE_REPLACED, source, "", "mesh touches", "meshes touch",
                     parts ? " as convex parts" : " as convex hulls");
    return mesh;
}
