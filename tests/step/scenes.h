// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Small scenes for the tests of contact and step: two shapes that touch, each on a body of its own, at random
// states drawn in contact.

#ifndef TESTS_STEP_SCENES_H
#define TESTS_STEP_SCENES_H

#include <tractrix/sim.h>

typedef struct scene {
    trx_context *context;
    trx_model *model;
    trx_sim *sim;
    int nq, nv, nu, nx; // nx = 2 nv
} scene;

typedef enum scene_kind {
    SCENE_FREE, // both shapes on free bodies (a half space is fixed)
    SCENE_ARM,  // A on the end of hinge, slide, ball with limits, springs, dampers and motors; B on a free body
    SCENE_SAME, // A and B in one tree: a common base, then two branches
} scene_kind;

/// Shapes a and b with the law given. The context must be destroyed with scene_destroy.
scene scene_pair(scene_kind kind, trx_shape_type a, trx_shape_type b, const trx_pair_law *law, double time_step,
                 double stiction_tolerance);

/// The push task: a box (free), a sphere on three slides with motors, the ground.
scene scene_push(trx_approximation approximation, trx_force_law law, double smoothing, double stiffness,
                 double stiction_tolerance);

void scene_destroy(scene *s);

/// State number `index`: shapes at a gap drawn from about -3 mm to 1 mm, velocities over several magnitudes. Writes x
/// (nq + nv) and u (nu).
void scene_state(const scene *s, unsigned long long seed, int index, double *x, double *u);

/// The configuration of the push task with the box `depth` deep in the ground and a gap between pusher and box.
void push_state(const scene *s, double depth, double gap, double *x);

#endif
