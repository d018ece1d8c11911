// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Inverse kinematics of placements: points of placed bodies are brought to points in the world, with given normals (theory 9).

#ifndef TRXI_SEARCH_REACH_H
#define TRXI_SEARCH_REACH_H

#include "search/task.h"

/// A point of a placed body and its target in the world.
typedef struct trxi_aim {
    int body;
    double p[3], n[3];   // in the body frame: the point, and the outward normal there [m]
    double to[3];        // world [m]
    double against[3];   // world: the normal there; the two normals point against each other
    bool turned;         // false: any normal will do (a sphere, aimed with its centre)
} trxi_aim;

/// Moves the placed dofs of q, within the limits of the joints, until every aim is met. Returns false when an aim cannot be met
/// near the start; q is then the configuration with the least residual.
bool trxi_reach_aims(trxi_scout *scout, const trxi_aim *aims, int count, double *q, double time);

#endif
