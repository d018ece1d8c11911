// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A mesh from a list of triangles. Equal points become one vertex, numbered by first use. Unused points and
// triangles with two equal corners are left out.

#ifndef TRXI_FORMATS_MERGE_H
#define TRXI_FORMATS_MERGE_H

#include "base/arena.h"
#include "base/context.h"

#include <tractrix/geometry.h>

enum { TRXI_MESH_MAX_TRIANGLES = 5000000, TRXI_MESH_MAX_POINTS = 3 * TRXI_MESH_MAX_TRIANGLES };

/// The largest coordinate that readers of meshes accept [m]. Its fifth power, as in inertias, is far from overflow.
#define TRXI_MESH_MAX_COORDINATE 1e12

/// The mesh of `ntriangle` triangles with corners among the `npoint` points (3 each, finite); `corners` NULL stands for 0, 1,
/// 2, and so on. Its arrays and its name, a copy of `file`, are in the pool. Errors: INPUT when no triangle is left, MEMORY.
trx_status trxi_mesh_merge(trx_context *context, trxi_pool *pool, const char *file, const double *points, int npoint,
                           const int *corners, int ntriangle, trx_mesh *mesh);

#endif
