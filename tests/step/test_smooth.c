// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The smooth part of the step (theory 2): closed forms of one body, and A and p0 by their definitions.

#include "step/scenes.h"
#include "step/sim.h"
#include "support/support.h"

#include <string.h>

typedef struct one_joint {
    trx_joint_type type;
    double mass, damping, stiffness, rest, armature, gravity, com;
} one_joint;

// one body on one joint: a slide along z or a hinge about y, driven by a motor of gear 3, or a ball
static scene make(const one_joint *o, double time_step)
{
    scene s = {0};
    s.context = context_open();
    trx_joint_def joint = trx_joint_def_default();
    joint.name = "j", joint.type = o->type;
    joint.axis[1] = o->type == TRX_JOINT_HINGE, joint.axis[2] = o->type != TRX_JOINT_HINGE;
    joint.damping = o->damping, joint.stiffness = o->stiffness, joint.rest = o->rest, joint.armature = o->armature;
    trx_body_def body = trx_body_def_default();
    body.name = "body", body.joints = &joint, body.njoint = 1;
    body.has_inertia = true;
    body.inertia = (trx_body_inertia){o->mass, {0, 0, o->com}, {0.02, 0.03, 0.04, 0, 0, 0}};
    trx_actuator_def motor = trx_actuator_def_default();
    motor.body = motor.joint = 0, motor.gear = 3;
    trx_model_def def = trx_model_def_default();
    def.gravity[2] = -o->gravity;
    def.bodies = &body, def.nbody = 1;
    if (o->type == TRX_JOINT_HINGE || o->type == TRX_JOINT_SLIDE) def.actuators = &motor, def.nactuator = 1;
    ck_assert_msg(trx_model_create(s.context, &def, &s.model) == TRX_OK, "%s", trx_context_message(s.context));
    trx_sim_settings settings = trx_sim_settings_default();
    settings.time_step = time_step;
    settings.tolerance = 1e-13;
    ck_assert_int_eq(trx_sim_create(s.context, s.model, &settings, &s.sim), TRX_OK);
    trx_model_size size = trx_model_get_size(s.model);
    s.nq = size.nq, s.nv = size.nv, s.nu = size.nu, s.nx = 2 * size.nv;
    return s;
}

START_TEST(free_fall_is_symplectic_euler)
{
    const one_joint slide = {.type = TRX_JOINT_SLIDE, .mass = 2, .gravity = 9.81};
    scene s = make(&slide, 0.01);
    double x[2] = {1, 0.5};
    for (int k = 1; k <= 100; k++) {
        scene_step(&s, x, NULL);
        assert_close(x[1], 0.5 - 9.81 * 0.01 * k, 1e-12);
        assert_close(x[0], 1 + 0.5 * 0.01 * k - 9.81 * 1e-4 * k * (k + 1) / 2, 1e-12);
    }
    scene_destroy(&s);
}
END_TEST

START_TEST(springs_and_dampers_are_backward_euler)
{
    const one_joint slide = {.type = TRX_JOINT_SLIDE, .mass = 2, .damping = 30, .stiffness = 1e5, .rest = 0.1, .armature = 0.5};
    const double dt = 0.01, m = 2.5, u = 4;
    scene s = make(&slide, dt);
    double x[2] = {0.3, -1}, q = 0.3, v = -1;
    for (int k = 0; k < 50; k++) {
        // (m + dt d + dt^2 k) v' = m v - dt k (q - rest) + dt 3 u
        v = (m * v - dt * 1e5 * (q - 0.1) + dt * 3 * u) / (m + dt * 30 + dt * dt * 1e5);
        q += dt * v;
        scene_step(&s, x, &u);
        assert_close(x[0], q, 1e-12);
        assert_close(x[1], v, 1e-10);
    }
    scene_destroy(&s);
}
END_TEST

START_TEST(a_pendulum_is_driven_by_its_weight)
{
    const one_joint hinge = {.type = TRX_JOINT_HINGE, .mass = 2, .gravity = 9.81, .com = -0.4, .armature = 0.1};
    const double dt = 0.005, inertia = 0.03 + 2 * 0.16 + 0.1, u = 0.2;
    scene s = make(&hinge, dt);
    double x[2] = {1.2, -0.3}, q = 1.2, v = -0.3;
    for (int k = 0; k < 200; k++) {
        v += dt * (3 * u - 2 * 9.81 * 0.4 * sin(q)) / inertia;
        q += dt * v;
        scene_step(&s, x, &u);
        assert_close(x[0], q, 1e-11);
        assert_close(x[1], v, 1e-11);
    }
    scene_destroy(&s);
}
END_TEST

START_TEST(a_ball_spring_pulls_along_its_rotation_vector)
{
    const one_joint ball = {.type = TRX_JOINT_BALL, .mass = 1, .stiffness = 5, .damping = 0.1};
    const double dt = 0.01, turn[3] = {0, 0.7, 0};
    scene s = make(&ball, dt);
    double x[7] = {1, 0, 0, 0, 0, 0, 0};
    trx_model_integrate(s.model, x, turn, x);
    double q = 0.7, v = 0;
    for (int k = 0; k < 100; k++) {
        v = (0.03 * v - dt * 5 * q) / (0.03 + dt * 0.1 + dt * dt * 5);
        q += dt * v;
        scene_step(&s, x, NULL);
        assert_close(x[5], v, 1e-11);
        assert_close(2 * atan2(x[2], x[0]), q, 1e-11);
    }
    scene_destroy(&s);
}
END_TEST

START_TEST(a_spinning_body_feels_its_gyroscopic_torque)
{
    const one_joint ball = {.type = TRX_JOINT_BALL, .mass = 1};
    const double dt = 0.01, inertia[3] = {0.02, 0.03, 0.04}, w[3] = {1, 2, -3};
    scene s = make(&ball, dt);
    double x[7] = {1, 0, 0, 0, 1, 2, -3};
    scene_step(&s, x, NULL);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        assert_close(x[4 + i], w[i] - dt * (inertia[k] - inertia[j]) * w[j] * w[k] / inertia[i], 1e-12);
    }
    scene_destroy(&s);
}
END_TEST

START_TEST(the_free_velocity_solves_A_v_is_p0)
{
    scene s = scene_pair(SCENE_SAME, TRX_SHAPE_CAPSULE, TRX_SHAPE_CAPSULE);
    double x[48], u[4];
    for (int i = 0; i < 10; i++) {
        scene_state(&s, SCENE_SLIP, 3, i, x, u);
        ck_assert_int_ge(trx_step(s.sim, x, u, NULL), 0);
        const trx_sim *sim = s.sim;
        const ptrdiff_t *column = s.model->column;
        const int *tree = s.model->dof_tree;
        for (int r = 0; r < s.nv; r++) {
            double sum = 0;
            for (int c = 0; c < s.nv; c++)
                if (tree[c] == tree[r]) sum += sim->smooth.A[r >= c ? r + column[c] : c + column[r]] * sim->smooth.v_free[c];
            assert_close(sum, sim->smooth.p0[r], 1e-10);
            double implicit = 0.01 * (s.model->damping[r] + 0.01 * s.model->stiffness[r]);
            assert_close(sim->smooth.A[r + column[r]] - sim->smooth.M[r + column[r]], implicit, 1e-14);
        }
    }
    scene_destroy(&s);
}
END_TEST

// Hinges about z, y and x of one body: after a quarter turn about y the first and the last axis are one line. Two-stage schemes
// (step/two_stage.h) name the joint with the largest residual: the pitch, whose residual is m g r dt/sqrt(I + m r^2)
START_TEST(a_gimbal_that_locks_is_named)
{
    trx_context *context;
    trx_model *model;
    trx_sim *sim;
    context = context_open();
    trx_joint_def joints[3];
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"yaw", "pitch", "roll"};
        joints[i] = trx_joint_def_default();
        joints[i].name = names[i], joints[i].type = TRX_JOINT_HINGE;
        for (int k = 0; k < 3; k++) joints[i].axis[k] = k == 2 - i;
    }
    trx_body_def body = trx_body_def_default();
    body.name = "top", body.joints = joints, body.njoint = 3, body.has_inertia = true;
    body.inertia = (trx_body_inertia){1, {0, 0, 0.5}, {1, 1, 1, 0, 0, 0}};
    trx_model_def def = trx_model_def_default();
    def.bodies = &body, def.nbody = 1;
    ck_assert_int_eq(trx_model_create(context, &def, &model), TRX_OK);
    trx_sim_settings settings = trx_sim_settings_default();
    settings.scheme = _i ? TRX_IMPLICIT : TRX_SYMPLECTIC;
    ck_assert_int_eq(trx_sim_create(context, model, &settings, &sim), TRX_OK);

    const double quarter = acos(-1) / 2, locked[6] = {0, quarter}, free[6] = {0, quarter - 0.1};
    double next[6] = {7, 7, 7, 7, 7, 7};
    ck_assert_int_eq(trx_step(sim, locked, NULL, next), TRX_ERR_ILL_CONDITIONED);
    static const char *const told[] = {"the mass matrix is not positive definite at joint 'roll'",
                                       "the motion without contact is singular at joint 'pitch' (residual 0.044)"};
    ck_assert_msg(strstr(trx_context_message(context), told[_i]), "%s", trx_context_message(context));
    ck_assert(next[0] == 7 && next[5] == 7);
    ck_assert_int_eq(trx_step(sim, free, NULL, next), TRX_OK);
    trx_sim_destroy(sim);
    trx_model_destroy(model);
    context_close(context);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/smooth");
    TCase *cases = tcase_create("smooth");
    tcase_add_test(cases, free_fall_is_symplectic_euler);
    tcase_add_test(cases, springs_and_dampers_are_backward_euler);
    tcase_add_test(cases, a_pendulum_is_driven_by_its_weight);
    tcase_add_test(cases, a_ball_spring_pulls_along_its_rotation_vector);
    tcase_add_test(cases, a_spinning_body_feels_its_gyroscopic_torque);
    tcase_add_test(cases, the_free_velocity_solves_A_v_is_p0);
    tcase_add_loop_test(cases, a_gimbal_that_locks_is_named, 0, 2);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
