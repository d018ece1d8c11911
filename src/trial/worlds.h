// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The worlds of a trial (theory 7, trials): the quantities that vary, and their random draws, which depend on seed, world and
// quantity. The draws of a world determine its model, its start and its push. A channel lies between world and controller.

#ifndef TRXI_TRIAL_WORLDS_H
#define TRXI_TRIAL_WORLDS_H

#include "base/arena.h"

#include <tractrix/trial.h>

typedef enum trxi_varied { TRXI_VARIED_PAIR, TRXI_VARIED_BODY, TRXI_VARIED_JOINT, TRXI_VARIED_START, TRXI_VARIED_PUSH } trxi_varied;

typedef struct trxi_variation {
    const char *name;
    trxi_varied what;
    trx_parameter_kind kind; // of pairs and joints
    int index;               // group of pairs, body, joint, or dof
    double range;
} trxi_variation;

typedef struct trxi_worlds {
    const trx_model *model;
    trx_trial_settings settings;
    trx_model_size size;
    int *groups;  // npair: pairs of the same two bodies have the same number
    bool *linear; // nv: true if the dof is a length, false if it is an angle
    double *noise; // 2 nv: standard deviations of measured positions and velocities
    int count;
    trxi_variation *variations;
} trxi_worlds;

/// Lists the variations, in memory of `pool`. Errors: MEMORY.
trx_status trxi_worlds_begin(trxi_pool *pool, const trx_model *model, const trx_trial_settings *settings, trxi_worlds *worlds);

/// The draws (count numbers, uniform in [-1, 1]) of a world.
void trxi_world_draw(const trxi_worlds *worlds, int world, double *draws);

/// The model of a world; the caller destroys it. Errors: INPUT (a value that the model refuses), MEMORY.
trx_status trxi_world_model(const trxi_worlds *worlds, trx_context *context, const double *draws, trx_model **model);

/// The start of a world from the start x0 of the task; both nstate. `dx` is scratch (nv).
void trxi_world_start(const trxi_worlds *worlds, const double *draws, const double *x0, double *dx, double *x);

/// Adds the push of a world to the velocities v (nv).
void trxi_world_push(const trxi_worlds *worlds, const double *draws, double *v);
/// Time of the push as a share of the whole motion, 0 to 1.
double trxi_world_push_time(const trxi_worlds *worlds, int world);

#endif
