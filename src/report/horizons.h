// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The motion that the policy of a closed loop predicts after each tick, as paths of bodies, for the player.

#ifndef TRXI_REPORT_HORIZONS_H
#define TRXI_REPORT_HORIZONS_H

#include "base/arena.h"
#include "formats/json.h"

#include <tractrix/policy.h>

enum {
    TRXI_HORIZON_POINTS = 12,      // of a path
    TRXI_MAX_HORIZONS = 500,       // ticks that are kept
    TRXI_HORIZON_NUMBERS = 200000, // of all paths together: about 2 MB of player.html
};

typedef struct trxi_horizons {
    int *bodies; // nbody: bodies with geometry that joints move and that carry no other body
    int nbody;
    int seen, every; // ticks so far; each `every`-th one is kept
    int count, capacity; // ticks that are kept, and room for them
    double *times;   // when the tick began [s]
    int *points;     // of each path of the tick
    double *paths;   // of each tick nbody x TRXI_HORIZON_POINTS x 3 [m]
    trx_pose *poses; // scratch: of all bodies
} trxi_horizons;

/// Starts without ticks. Errors: MEMORY.
trx_status trxi_horizons_begin(trxi_pool *pool, const trx_model *model, trxi_horizons *horizons);

/// Adds the motion that the policy predicts after a tick. If there are too many ticks, every other tick is dropped first.
void trxi_horizons_add(trxi_horizons *horizons, double time, const trx_policy *policy);

/// The object `horizons` of scene.json.
void trxi_horizons_write(const trxi_horizons *horizons, trxi_json *json);

#endif
