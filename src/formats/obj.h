// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Wavefront OBJ as a mesh: vertices and faces; polygons become triangles (formats/polygon.h). Equal vertices
// are merged, vertices that no face uses are left out, and so are triangles with two equal corners (formats/merge.h).
// Normals, texture, groups, materials, lines, points and free-form curves and surfaces are ignored.

#ifndef TRXI_FORMATS_OBJ_H
#define TRXI_FORMATS_OBJ_H

#include "base/arena.h"
#include "base/context.h"

#include <stddef.h>
#include <tractrix/geometry.h>

/// Parses `text` (length bytes) called `file` into the pool. At most 5 million triangles and 15 million vertices,
/// coordinates at most 1e12; a face may name vertices that come later, but not count backwards beyond the first. Errors:
/// INPUT with file:line:column, MEMORY. On failure the mesh is empty.
trx_status trxi_obj_parse(trx_context *context, trxi_pool *pool, const char *file, const char *text, size_t length,
                          trx_mesh *mesh);

/// The triangles that MuJoCo takes: those of the first object or group (o, g) that has any, with polygons divided as in
/// formats/polygon_tinyobj.h and vertices in single precision.
trx_status trxi_obj_parse_tinyobj(trx_context *context, trxi_pool *pool, const char *file, const char *text, size_t length,
                                  trx_mesh *mesh);

#endif
