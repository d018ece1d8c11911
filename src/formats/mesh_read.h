// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Mesh files: STL, OBJ, Collada (.dae), GLB, PLY or MuJoCo's .msh, by the ending of their name in any letter case. Only
// geometry is read: no normals, colours, materials, lines or curves. Equal vertices are merged, vertices that no triangle
// uses are left out, and so are triangles with two equal corners (formats/merge.h).

#ifndef TRXI_FORMATS_MESH_READ_H
#define TRXI_FORMATS_MESH_READ_H

#include "base/arena.h"
#include "base/context.h"
#include "formats/polygon.h"

#include <stdbool.h>
#include <stddef.h>
#include <tractrix/geometry.h>

/// Whether there is a parser for files of this name.
bool trxi_mesh_has_parser(const char *path);

/// Reads the file at `path` with its parser, which must exist, into the pool, which must also own `path`: the mesh's name is the
/// part of `path` after the last slash. `TRXI_POLYGONS_TINYOBJ`: of OBJ files only the triangles that MuJoCo takes.
/// Errors: IO; INPUT (reported) from the parser, or when the file is larger than 256 MiB; MEMORY. On failure the mesh is empty.
trx_status trxi_mesh_read(trx_context *context, trxi_pool *pool, const char *path, trxi_polygons polygons, trx_mesh *mesh);

/// Parses `data` (length bytes) called `file` into the pool. At most 5 million triangles and 15 million vertices, coordinates
/// at most 1e12. Errors: INPUT (reported; in text files with line and column), MEMORY. On failure the mesh is empty.
typedef trx_status trxi_mesh_parser(trx_context *context, trxi_pool *pool, const char *file, const char *data, size_t length,
                                    trx_mesh *mesh);

/// Collada, GLB (the binary form of glTF 2.0), MuJoCo's binary mesh, and PLY as text or as bytes of either order.
trxi_mesh_parser trxi_dae_parse, trxi_glb_parse, trxi_msh_parse, trxi_ply_parse;

/// A file is binary, whatever its first word, if its length fits the number of triangles in its head. Any other file is ASCII
/// unless it contains a zero byte. Several solids in one ASCII file become one mesh.
trxi_mesh_parser trxi_stl_parse;

/// Polygons become triangles (formats/polygon.h). A face may name vertices that come later, but not count backwards beyond the
/// first.
trxi_mesh_parser trxi_obj_parse;

/// The triangles that MuJoCo takes: all of the first object or group (o, g) that has any, with polygons divided as in
/// formats/polygon_tinyobj.h and vertices in single precision.
trxi_mesh_parser trxi_obj_parse_tinyobj;

#endif
