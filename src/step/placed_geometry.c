// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Memory and constant parts of the geometries of a step (theory 1); see placed_geometry.h.

#include "step/placed_geometry.h"

#include <string.h>

void trxi_geometry_layout(trxi_arena *arena, const trx_model *model, trxi_placed_geometry *geometry)
{
    geometry->prescribed = TRXI_TAKE(arena, trxi_prescribed_motion, model->nprescribed);
    geometry->shapes = TRXI_TAKE(arena, trxi_placed_shape, model->ngeom);
    geometry->R = TRXI_TAKE(arena, double, 9 * model->ngeom);
    geometry->p = TRXI_TAKE(arena, double, 3 * model->ngeom);
    geometry->radii = TRXI_TAKE(arena, double, model->ngeom);
    geometry->travel = TRXI_TAKE(arena, double, model->ngeom);
    trxi_pair_filter_layout(arena, model->ngeom, &geometry->filter);
}

void trxi_geometry_read(const trx_model *model, trxi_placed_geometry *geometry)
{
    for (int g = 0; g < model->ngeom; g++) {
        const trxi_geom *geom = &model->geoms[g];
        memcpy(geometry->R + 9 * g, geom->R_LG, sizeof geom->R_LG);
        memcpy(geometry->p + 3 * g, geom->p_LG, sizeof geom->p_LG);
        geometry->radii[g] = geom->radius;
        geometry->shapes[g] = (trxi_placed_shape){&geom->shape, geometry->R + 9 * g, geometry->p + 3 * g};
    }
    trxi_pair_filter_prepare(&geometry->filter, geometry->shapes, geometry->radii);
}
