// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Convex hulls; see hull.h (theory 1).

#include "geometry/hull.h"

trx_status trxi_hull_create(trx_context *context, trxi_pool *pool, const trx_mesh *mesh, const trxi_hull **hull)
{
    (void)pool, (void)mesh;
    *hull = NULL;
    return trxi_fail(context, TRX_ERR_UNSUPPORTED, "not in this version: meshes that collide");
}
