// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Small scenes for the tests of contact and step: two shapes that touch, each on a body of its own, at random
// states drawn in contact.

#ifndef TESTS_STEP_SCENES_H
#define TESTS_STEP_SCENES_H

#include <stdint.h>
#include <tractrix/sim.h>

typedef struct scene {
    trx_context *context;
    trx_model *model;
    trx_sim *sim;
    int nq, nv, nu, nx; // nx = 2 nv
} scene;

typedef enum scene_kind {
    SCENE_FREE, // both shapes on free bodies (a half space is fixed)
    SCENE_ARM,  // A on the end of hinge, slide, ball with limits, springs, dampers and motors, B on a free body; a
                // half space is fixed, B on the arm
    SCENE_SAME, // A and B in one tree: a common base, then two arms (as SCENE_ARM for a half space)
    SCENE_KINDS,
} scene_kind;

/// What a drawn state is meant to do; what it does is for the step to say.
typedef enum scene_aim { SCENE_OPEN, SCENE_STICK, SCENE_SLIP, SCENE_AIMS } scene_aim;

/// Shapes a and b, nothing else. The scene must be destroyed with scene_destroy.
scene scene_pair(scene_kind kind, trx_shape_type a, trx_shape_type b);

/// Sets the contact law number `index` of the pair: stiffness 1e3 to 1e5 N/m and stiction tolerance 1e-4 to 1e-2 m/s,
/// both log-uniform; dissipation, relaxation time, smoothing, friction and force law at random.
void scene_law(const scene *s, trx_approximation approximation, scene_aim aim, uint64_t seed, int index);

/// The push task: a box (free), a sphere on three slides with motors, the ground.
scene scene_push(trx_approximation approximation, trx_force_law law, double smoothing, double stiffness,
                 double stiction_tolerance);

void scene_destroy(scene *s);

/// State number `index`: the shapes in contact, from 3 mm deep to 1 mm apart; speeds over several magnitudes.
/// Writes x (nq + nv) and u (nu).
void scene_state(const scene *s, scene_aim aim, uint64_t seed, int index, double *x, double *u);

/// Moves b's tree along the normal, or the slide of its arm, until the deepest point has the gap wanted.
void scene_set_gap(const scene *s, double gap, double *x);

/// The configuration of the push task with the box `depth` deep in the ground and a gap between pusher and box.
void push_state(const scene *s, double depth, double gap, double *x);

#endif
