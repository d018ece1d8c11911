// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// STL, binary and ASCII, as a mesh. Equal vertices are merged; normals in the file are ignored, as they follow from the
// order of the vertices.

#ifndef TRXI_FORMATS_STL_H
#define TRXI_FORMATS_STL_H

#include "base/arena.h"
#include "base/context.h"

#include <stddef.h>
#include <tractrix/geometry.h>

/// Parses `data` (length bytes) called `file` into the pool. Errors: INPUT (with the line of ASCII files, the triangle or
/// byte of binary ones), MEMORY.
trx_status trxi_stl_parse(trx_context *context, trxi_pool *pool, const char *file, const char *data, size_t length,
                          trx_mesh *mesh);

#endif
