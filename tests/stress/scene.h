// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Random scenes by number: scenes that a user could write, with values over wider ranges than any sensible file has.

#ifndef TESTS_STRESS_SCENE_H
#define TESTS_STRESS_SCENE_H

#include <stdint.h>
#include <tractrix/sim.h>

/// A sequence of random numbers that depends on the seed alone.
typedef struct dice {
    uint64_t seed, index;
} dice;

double uniform(dice *d, double low, double high);
double log_uniform(dice *d, double low, double high);
double normal(dice *d);
bool chance(dice *d, double share);
int pick(dice *d, int count);

/// A scene at its first state.
typedef struct stress_scene {
    int number;
    trx_approximation approximation;
    trx_force_law law;
    double stiffness;    // of the softer material [N/m]
    double mass_ratio;   // heaviest to lightest body [1]
    double friction;     // largest of the materials [1]
    int nbody;           // bodies that move
    trx_model *model;
    trx_sim_settings settings;
    trx_model_size size;
    double *x, *u;       // nq + nv, nu
} stress_scene;

/// Draws scene number `number`. Stiffness 1e2 to 1e12 N/m, mass ratio up to 1e6, friction 0 to 10, time step 1e-5 to 0.1 s, 2 to
/// 12 bodies of all shapes on a floor, between walls or in free space, overlapping or apart, at rest or fast; every
/// approximation and force law in turn; some have joints with limits, springs, motors and drives, some have constraints. On failure
/// the context's message says why.
trx_status stress_scene_draw(trx_context *context, int number, stress_scene *scene);
void stress_scene_free(stress_scene *scene);

#endif
