// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Cheap rejection of pairs that are certainly farther apart than their margin (theory 1).

#ifndef TRXI_GEOMETRY_BROAD_PHASE_H
#define TRXI_GEOMETRY_BROAD_PHASE_H

#include "geometry/contact_geometry.h"

/// Two shapes by their index, in the order trxi_collide wants them.
typedef struct trxi_shape_pair {
    int a;
    int b;
} trxi_shape_pair;

/// Writes the indices of the pairs that may have a point with phi < margin[pair] [m] to `candidates` (capacity
/// npairs), ascending, and returns their number. `radii` [m] are the bounding radii of `shapes`. No pair
/// with such a point is dropped; some pairs without one are kept.
int trxi_broad_phase(const trxi_placed_shape *shapes, const double *radii, int npairs, const trxi_shape_pair *pairs,
                     const double *margin, int *candidates);

#endif
