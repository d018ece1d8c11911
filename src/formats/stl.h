// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// STL, binary and ASCII, as a mesh. Equal vertices are merged, and triangles with two equal corners are left out
// (formats/merge.h). Normals in the file are ignored, because the order of the vertices gives them. Names, colours
// and attributes are ignored too. Several solids in one ASCII file become one mesh.

#ifndef TRXI_FORMATS_STL_H
#define TRXI_FORMATS_STL_H

#include "base/arena.h"
#include "base/context.h"

#include <stddef.h>
#include <tractrix/geometry.h>

/// Parses `data` (length bytes) called `file` into the pool. A file is binary, whatever its first word, if its
/// length fits the number of triangles in its head. Any other file is ASCII unless it contains a zero byte. At most
/// 5 million triangles, coordinates at most 1e12. Errors: INPUT (ASCII: with line and column; binary: with triangle
/// and byte in the text), MEMORY. On failure the mesh is empty.
trx_status trxi_stl_parse(trx_context *context, trxi_pool *pool, const char *file, const char *data, size_t length,
                          trx_mesh *mesh);

#endif
