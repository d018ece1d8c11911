// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Mesh files: STL, OBJ, Collada (.dae), GLB, PLY or MuJoCo's .msh, by the ending of their name in any letter case.

#ifndef TRXI_FORMATS_MESH_READ_H
#define TRXI_FORMATS_MESH_READ_H

#include "base/arena.h"
#include "base/context.h"
#include "formats/polygon.h"

#include <stdbool.h>
#include <tractrix/geometry.h>

/// Whether there is a parser for files of this name.
bool trxi_mesh_has_parser(const char *path);

/// Reads the file at `path` with its parser into the pool, which must also own `path`: the mesh's name is the part
/// of `path` after the last slash. `TRXI_POLYGONS_TINYOBJ`: of OBJ files only the triangles that MuJoCo takes (formats/obj.h).
/// Errors: IO; INPUT (reported) from the parser, or when the file is larger than 256 MiB; MEMORY. On failure the mesh is empty.
trx_status trxi_mesh_read(trx_context *context, trxi_pool *pool, const char *path, trxi_polygons polygons, trx_mesh *mesh);

#endif
