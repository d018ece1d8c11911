// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A floating base with two arms and a free body beside it, held together by constraints of the test's choice: every kind of
// joint lies between the points that the constraints connect.

#ifndef TESTS_STEP_ROBOT_H
#define TESTS_STEP_ROBOT_H

#include <stdint.h>
#include <tractrix/sim.h>

enum { ROBOT_BASE, ROBOT_LEFT, ROBOT_LEFT_TIP, ROBOT_RIGHT, ROBOT_RIGHT_TIP, ROBOT_OTHER, ROBOT_BODIES, ROBOT_POST = ROBOT_BODIES };

typedef struct robot {
    trx_context *context;
    trx_model *model;
    trx_sim *sim;
    int nq, nv, nu, nx; // nx: ntangent
} robot;

/// Joints: base free; left hinge, left tip slide, right ball, right tip hinge; other free; post fixed. `friction` of both hinges
/// and the slide, armature of the slide as given. A 10 ms step. To be destroyed with robot_destroy.
robot robot_create(const trx_constraint_def *constraints, int nconstraint, const trx_actuator_def *actuators,
                   int nactuator, double friction, double armature);
void robot_destroy(robot *r);

/// The same with tendons.
robot robot_create_with_tendons(const trx_tendon_def *tendons, int ntendon, const trx_constraint_def *constraints, int nconstraint,
                                const trx_actuator_def *actuators, int nactuator, double friction, double armature);

/// A constraint between two bodies whose points and frames differ; compliant ones relax within 20 ms.
trx_constraint_def robot_constraint(const char *name, trx_constraint_type type, int a, int b, double stiffness);

/// One of each kind, near-rigid: ball within a tree, weld between trees, distance to the post, coupler.
void robot_constraints(trx_constraint_def out[4]);

/// A motor (kp 0) or a position drive on the joint of a body, with an effort where that is positive.
trx_actuator_def robot_actuator(const char *name, int body, double kp, double kd, double effort);

/// State number `index`: angles and positions about `spread` from the definition's, speeds of 0.01 to 1 m/s, activations and
/// controls of order 1.
void robot_state(const robot *r, double spread, uint64_t seed, int index, double *x, double *u);

/// Step, jac and differences at (x, u): the largest error of a column of A and B, -1 near a kink.
double robot_derivative_error(robot *r, const double *x, const double *u);

/// trx_step_jvp and trx_step_vjp of the last step against its jac A, B, which are consistent with each other. Leaves the gradients
/// of the adjoint product in grad_x (nx) and grad_u (nu).
void robot_check_products(robot *r, const double *A, const double *B, double *grad_x, double *grad_u);

#endif
