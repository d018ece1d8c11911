// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Placements: configurations from which contact can give a passive body the motion that the cost wants (theory 9).

#ifndef TRXI_SEARCH_PLACEMENT_H
#define TRXI_SEARCH_PLACEMENT_H

#include "search/reach.h"
#include "search/wrench.h"

typedef struct trxi_placement {
    double *q; // nq: the state's configuration with the placed dofs moved
    double miss;
    int count; // touches
    int geoms[TRXI_MOST_TOUCHES]; // placed geometries
    trxi_touch touches[TRXI_MOST_TOUCHES];
    trxi_aim aims[TRXI_MOST_TOUCHES]; // points of the placed bodies that touch, or centres of spheres
    double radii[TRXI_MOST_TOUCHES];  // of these spheres; else 0 [m]
    double *motion;                   // npassive: the wanted motion
} trxi_placement;

/// Finds at most `wanted` placements at the state x, best first, different from each other. Memory comes from `pool`. Returns their
/// number, or an error.
int trxi_placements_find(trxi_scout *scout, trxi_pool *pool, const double *x, double time, uint64_t seed, int wanted,
                         trxi_placement *placements);

#endif
