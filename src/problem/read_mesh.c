// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Meshes of the problem file: their format by the ending of the name, read once per file and scale; and how they are divided
// into convex parts.

#include "formats/mesh_read.h"
#include "geometry/decompose.h"
#include "geometry/mesh.h"
#include "problem/read_model.h"

#include <string.h>

static bool read_file(trxi_reader *reader, trx_source source, const char *path, trx_mesh *mesh)
{
    trx_status status = trxi_mesh_read(reader->context, reader->pool, path, TRXI_POLYGONS_COVERED, mesh);
    if (status == TRX_ERR_IO) trxi_unreadable(reader, source, trx_context_message(reader->context));
    if (status == TRX_ERR_MEMORY) reader->memory = false;
    return status == TRX_OK;
}

static const trx_mesh *load(trxi_reader *reader, trx_source source, const char *path, const double scale[3])
{
    if (!trxi_mesh_has_parser(path)) {
        trxi_error_at(reader->context, source, "\"%.200s\" is no STL, OBJ, Collada, GLB, PLY or MSH file: "
                      "write a file that ends in .stl, .obj, .dae, .glb, .ply or .msh",
                      path);
        return NULL;
    }
    trx_mesh *mesh = TRXI_READER_TAKE(reader, trx_mesh, 1);
    const char *found = trxi_file_path(reader, path);
    if (!mesh || !reader->memory || !read_file(reader, source, found, mesh)) return NULL;
    double *vertices = TRXI_READER_TAKE(reader, double, 3 * mesh->nvertex);
    if (!vertices) return NULL;
    for (int i = 0; i < 3 * mesh->nvertex; i++) vertices[i] = scale[i % 3] * mesh->vertices[i];
    mesh->vertices = vertices;
    const char *defect = trxi_mesh_defect(mesh);
    if (defect) trxi_error_at(reader->context, source, "the mesh \"%.200s\": %s", path, defect);
    return defect ? NULL : mesh;
}

const trx_mesh *trxi_scene_mesh_read(trxi_reader *reader, trxi_scene *scene, trx_source source, const char *path,
                                     const double scale[3])
{
    for (int i = 0; i < scene->nmesh; i++) {
        const trxi_scene_mesh *known = &scene->meshes[i];
        if (strcmp(known->path, path) == 0 && memcmp(known->scale, scale, sizeof known->scale) == 0) return known->mesh;
    }
    trxi_scene_mesh *meshes = trxi_reader_grow(reader, scene->meshes, scene->nmesh, &scene->mesh_capacity, sizeof *meshes);
    if (!meshes) return NULL;
    scene->meshes = meshes;
    trxi_scene_mesh *made = &scene->meshes[scene->nmesh++];
    *made = (trxi_scene_mesh){.path = path, .mesh = load(reader, source, path, scale)};
    memcpy(made->scale, scale, sizeof made->scale);
    return made->mesh;
}

// ---- convex parts ----

enum { USUAL_PARTS = 32 };

void trxi_read_decomposition(trxi_reader *reader, const trxi_yaml_node *node, trx_decomposition *decomposition)
{
    static const trxi_field fields[] = {
        TRXI_FIELD("parts", TRXI_COUNT, trx_decomposition, most),
        TRXI_FIELD("tolerance", TRXI_POSITIVE, trx_decomposition, tolerance, .of = TRXI_OF_LENGTH),
        TRXI_FIELD("share", TRXI_POSITIVE, trx_decomposition, share),
    };
    static const trxi_field choice = {.key = "decompose", .kind = TRXI_BOOL};
    trx_decomposition made = trx_decomposition_default();
    made.most = USUAL_PARTS;
    if (node->kind == TRXI_YAML_MAPPING) {
        if (!TRXI_READ_RECORD(reader, node, "decompose", fields, &made)) return;
        if (trxi_yaml_get(node, "tolerance") && trxi_yaml_get(node, "share"))
            trxi_error_at(reader->context, trxi_key_source(node, "share"),
                          "tolerance and share both say how far parts may reach out of the mesh: remove one");
    } else {
        bool wanted = false;
        if (!trxi_read_value(reader, node, &choice, &wanted)) return;
        if (!wanted) made.most = 0;
    }
    const char *defect = made.most > 0 ? trxi_decomposition_defect(&made) : NULL;
    if (defect) trxi_error_at(reader->context, node->source, "decompose: %s", defect);
    else *decomposition = made;
}
