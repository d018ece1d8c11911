// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The geometries of one step in the world (theory 1): poses, shapes, prescribed motions and the broad phase.

#ifndef TRXI_STEP_PLACED_GEOMETRY_H
#define TRXI_STEP_PLACED_GEOMETRY_H

#include "geometry/broad_phase.h"
#include "model/model.h"

#include <tractrix/sim.h>

/// The prescribed motion of a body, with its origin at the start of the step. A point p of the body has the velocity
/// linear + W (p - origin) over this step, and linear0 + W0 (p - origin) over the previous step (motion.c).
typedef struct trxi_prescribed_motion {
    double origin[3];
    double linear[3], W[9];
    double linear0[3], W0[9];
} trxi_prescribed_motion;

typedef struct trxi_placed_geometry {
    trxi_prescribed_motion *prescribed; // nprescribed
    trxi_placed_shape *shapes;          // ngeom
    double *R, *p;                      // ngeom x 9, x 3
    double *radii, *travel;             // ngeom: bounding radius, bound of the displacement in this step [m]
    trxi_pair_filter filter;
} trxi_placed_geometry;

void trxi_geometry_layout(trxi_arena *arena, const trx_model *model, trxi_placed_geometry *geometry);

/// Reads shapes, poses and sizes from the model: at creation and after a change of these.
void trxi_geometry_read(const trx_model *model, trxi_placed_geometry *geometry);

#endif
