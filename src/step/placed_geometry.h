// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The geometries of one step in the world (theory 1): poses, shapes, prescribed motions and the broad phase.

#ifndef TRXI_STEP_PLACED_GEOMETRY_H
#define TRXI_STEP_PLACED_GEOMETRY_H

#include "geometry/broad_phase.h"

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
    trxi_contact_point points[TRXI_MAX_CONTACT_POINTS]; // of the pair that was collided last
} trxi_placed_geometry;

#endif
