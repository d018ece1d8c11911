// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// MSH, MuJoCo's binary mesh format, as a mesh: geometry only. Equal vertices are merged, and triangles with two equal
// corners are left out (formats/merge.h).

#ifndef TRXI_FORMATS_MSH_H
#define TRXI_FORMATS_MSH_H

#include "base/arena.h"
#include "base/context.h"

#include <stddef.h>
#include <tractrix/geometry.h>

/// Parses `data` (length bytes) called `file` into the pool. At most 5 million triangles, coordinates at most 1e12.
/// Errors: INPUT (reported), MEMORY. On failure the mesh is empty.
trx_status trxi_msh_parse(trx_context *context, trxi_pool *pool, const char *file, const char *data, size_t length,
                         trx_mesh *mesh);

#endif
