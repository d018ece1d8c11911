// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The plane that divides a part of a mesh best: the hulls of its two sides reach least out of the solid (theory 1).

#ifndef TRXI_GEOMETRY_CUT_H
#define TRXI_GEOMETRY_CUT_H

#include "geometry/mesh_part.h"

enum { TRXI_CUT_DIRECTIONS = 12 };

/// Normals of planes that are tried for a mesh: its axes, the diagonals between two axes, and the normals of its largest flat
/// sides, if they are others.
typedef struct trxi_cut_directions {
    double n[TRXI_CUT_DIRECTIONS][3]; // of unit length
    int count;
} trxi_cut_directions;

void trxi_cut_directions_find(const trx_mesh *mesh, trxi_cut_directions *directions);

/// The best plane n . x = d for a part with a hull; `*found` is false when no plane has surface on both sides. Errors: MEMORY.
trx_status trxi_cut_choose(trxi_cutter *cutter, const trxi_cut_directions *directions, const trxi_mesh_part *part,
                           double plane[4], bool *found);

#endif
