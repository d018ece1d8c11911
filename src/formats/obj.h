// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Wavefront OBJ as a mesh: vertices and faces; polygons become fans of triangles. Normals, texture, groups, materials,
// lines and points are ignored.

#ifndef TRXI_FORMATS_OBJ_H
#define TRXI_FORMATS_OBJ_H

#include "base/arena.h"
#include "base/context.h"

#include <stddef.h>
#include <tractrix/geometry.h>

/// Parses `text` (length bytes) called `file` into the pool. Errors: INPUT with file:line, MEMORY.
trx_status trxi_obj_parse(trx_context *context, trxi_pool *pool, const char *file, const char *text, size_t length,
                          trx_mesh *mesh);

#endif
