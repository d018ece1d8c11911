// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Mesh files; see mesh_read.h. The name alone determines the parser; the bytes are not inspected.

#include "formats/mesh_read.h"

#include "formats/files.h"

#include <string.h>
#include <strings.h>

static const size_t MAX_SIZE = (size_t)256 << 20;

static trxi_mesh_parser *parser_of(const char *path, trxi_polygons polygons)
{
    static const struct {
        const char *ending;
        trxi_mesh_parser *parser;
    } known[] = {{".stl", trxi_stl_parse}, {".obj", trxi_obj_parse}, {".dae", trxi_dae_parse},
                 {".glb", trxi_glb_parse}, {".ply", trxi_ply_parse}, {".msh", trxi_msh_parse}};
    const char *dot = strrchr(path, '.');
    trxi_mesh_parser *parser = NULL;
    for (size_t i = 0; dot && i < sizeof known / sizeof *known; i++)
        if (strcasecmp(dot, known[i].ending) == 0) parser = known[i].parser;
    return parser == trxi_obj_parse && polygons == TRXI_POLYGONS_TINYOBJ ? trxi_obj_parse_tinyobj : parser;
}

bool trxi_mesh_has_parser(const char *path)
{
    return parser_of(path, TRXI_POLYGONS_COVERED) != NULL;
}

trx_status trxi_mesh_read(trx_context *context, trxi_pool *pool, const char *path, trxi_polygons polygons, trx_mesh *mesh)
{
    char *bytes;
    size_t length;
    *mesh = (trx_mesh){0};
    trx_status status = trxi_file_read(context, pool, path, MAX_SIZE, &bytes, &length);
    if (status == TRX_OK) status = parser_of(path, polygons)(context, pool, path, bytes, length, mesh);
    if (status < 0) return status;
    const char *slash = strrchr(path, '/');
    mesh->name = slash ? slash + 1 : path;
    return TRX_OK;
}
