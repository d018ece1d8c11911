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
    SCENE_FREE, // both shapes on free bodies (a halfspace is fixed)
    SCENE_ARM,  // A on the end of hinge, slide, ball with limits, springs, dampers and motors, B on a free body; a
                // halfspace is fixed, B on the arm
    SCENE_SAME, // A and B in one tree: a common base, then two arms (as SCENE_ARM for a halfspace)
    SCENE_KINDS,
    SCENE_PLANAR = SCENE_KINDS, // B on the arm of a cart that slides and turns in the plane, A fixed: a halfspace
} scene_kind;

/// The intended contact of a drawn state; only the step tells the actual one.
typedef enum scene_aim { SCENE_OPEN, SCENE_STICK, SCENE_SLIP, SCENE_AIMS } scene_aim;

/// Shapes a and b, nothing else. The scene must be destroyed with scene_destroy.
scene scene_pair(scene_kind kind, trx_shape_type a, trx_shape_type b);

/// Sets the contact law number `index` of the pair: stiffness 1e3 to 1e5 N/m and stiction tolerance 1e-4 to 1e-2 m/s,
/// both log-uniform; dissipation, relaxation time, smoothing, friction and force law at random.
void scene_law(const scene *s, trx_approximation approximation, scene_aim aim, uint64_t seed, int index);

/// The push task: a box (free), a sphere on three slides with motors, the ground.
scene scene_push(trx_approximation approximation, trx_force_law law, double smoothing, double stiffness,
                 double stiction_tolerance);

/// One body "b" of a shape and a mass on a floor.
typedef struct floor_def {
    trx_shape shape;
    double mass;
    bool turns;        // free joint; else three slides along x, y, z
    trx_pair_law law;
    double tilt;       // of the floor about y: x points down the slope [rad]
    double time_step, stiction_tolerance, tolerance;
    bool weightless;
} floor_def;

/// A 1 kg cube of 10 cm that turns: lagged, 1e5 N/m, no dissipation, friction 0.5; 10 ms, 1e-4 m/s, tolerance 1e-8.
floor_def floor_def_default(void);
scene scene_floor(const floor_def *def);

/// The same with a sphere of 0.5 kg and 10 cm across, in steps of 1 ms.
floor_def floor_def_sphere(void);

/// x with b's origin at `height` above the floor, measured along its normal, upright on it, moving at `speed` down the
/// slope. Slides keep the world's axes: use them on a level floor.
void floor_state(const scene *s, const floor_def *def, double height, double speed, double *x);

void scene_destroy(scene *s);

/// One step in place; fails the test unless it converged and its momentum residual is below the tolerance or at the
/// round-off floor.
void scene_step(const scene *s, double *x, const double *u);

/// State number `index`: the shapes in contact, from 3 mm deep to 1 mm apart; speeds over several magnitudes.
/// Writes x (nq + nv) and u (nu).
void scene_state(const scene *s, scene_aim aim, uint64_t seed, int index, double *x, double *u);

/// Moves b's tree along the normal, or the slide of its arm, until the deepest point has the gap wanted.
void scene_set_gap(const scene *s, double gap, double *x);

/// The configuration of the push task with the box `depth` deep in the ground and a gap between pusher and box.
void push_state(const scene *s, double depth, double gap, double *x);

#endif
