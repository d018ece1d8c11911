// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Convex parts of meshes, kept in the context's cache folder under a hash of the mesh and of the settings.

#ifndef TRXI_MODEL_PART_CACHE_H
#define TRXI_MODEL_PART_CACHE_H

#include "geometry/decompose.h"

/// trxi_decompose, or its result from the cache. Whatever goes wrong with the cache only costs time.
trx_status trxi_parts_of(trx_context *context, trxi_pool *pool, const trx_mesh *mesh, const trx_decomposition *settings,
                         trxi_convex_parts *parts);

#endif
