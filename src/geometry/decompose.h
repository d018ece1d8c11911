// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Approximate convex decomposition of a mesh (theory 1): convex parts whose union covers the surface of the mesh and its
// solid, and reaches out of the solid by at most a tolerance.

#ifndef TRXI_GEOMETRY_DECOMPOSE_H
#define TRXI_GEOMETRY_DECOMPOSE_H

#include "base/arena.h"
#include "base/context.h"

#include <tractrix/geometry.h>

typedef struct trxi_convex_parts {
    trx_mesh *parts; // npart closed meshes in the frame of the mesh, each its own convex hull to about 1e-6 of its size
    int npart;
    double tolerance; // wanted [m]
    double excess;    // largest distance of a point of the parts from the solid, to about the side of a cell [m]
    double cell;      // side of a cell of the grid that measured the excess [m]
} trxi_convex_parts;

/// The error in the numbers of `settings`, as the end of a sentence; NULL without an error.
const char *trxi_decomposition_defect(const trx_decomposition *settings);

/// Parts of a mesh without defect, in the pool, in a fixed order: the same mesh and settings give the same parts. If
/// `settings->most` ends the division early, `excess` is above `tolerance`. Errors: INPUT (no hull: all vertices nearly in one
/// plane; a longest side beyond 1e-15 to 1e15 m; the context's message says so, without a place), MEMORY.
trx_status trxi_decompose(trx_context *context, trxi_pool *pool, const trx_mesh *mesh, const trx_decomposition *settings,
                          trxi_convex_parts *parts);

#endif
