// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives of the step with respect to parameters against central differences of the whole step, for every approximation, on
// free bodies and in trees with active joint limits, of dry friction, drives and spinning bodies in every scheme; and the adjoint
// product against them.

#include "step/parameter_fd.h"
#include "step/scenes.h"
#include "step/schemes.h"
#include "step/timed.h"
#include "support/support.h"

#include <stdio.h>

enum { MAX_X = 64, STATES = SANITIZED ? 4 : 24, MAX_PARAMETERS = 160 };

static const trx_parameter_kind pair_kinds[] = {TRX_PAIR_STIFFNESS, TRX_PAIR_DISSIPATION, TRX_PAIR_RELAXATION_TIME,
                                                TRX_PAIR_FRICTION, TRX_STICTION_TOLERANCE};

START_TEST(contact_parameters_agree_with_differences)
{
    static const trx_shape_type shapes[][2] = {{TRX_SHAPE_HALFSPACE, TRX_SHAPE_SPHERE}, {TRX_SHAPE_BOX, TRX_SHAPE_SPHERE}};
    parameter_tally t[5] = {0};
    for (int approximation = 0; approximation <= TRX_SAP; approximation++)
        for (int kind = 0; kind < SCENE_KINDS; kind++)
            for (int k = 0; k < STATES; k++) {
                scene s = scene_pair((scene_kind)kind, shapes[k % 2][0], shapes[k % 2][1]);
                scene_aim aim = k % 4 == 0 ? SCENE_STICK : SCENE_SLIP;
                double x[MAX_X], u[MAX_X];
                scene_law(&s, (trx_approximation)approximation, aim, 11, k);
                scene_state(&s, aim, 11, k, x, u);
                for (int i = 0; i < 5; i++) parameter_judge(s.sim, (trx_parameter){pair_kinds[i], 0, 0}, x, u, 1e-6, &t[i]);
                scene_destroy(&s);
            }
    for (int i = 0; i < 5; i++) {
        ck_assert_int_ge(t[i].judged, 200 * STATES / 24);
        ck_assert_int_ge(t[i].nonzero, 10 * STATES / 24);
    }
}
END_TEST

// all others, at one state of one scene
static void judge_all(const scene *s, const double *x, const double *u, parameter_tally tallies[TRX_PLACE_TURN + 1])
{
    trx_parameter list[MAX_PARAMETERS];
    int count = trx_model_parameters(s->model, list, MAX_PARAMETERS);
    ck_assert_int_le(count, MAX_PARAMETERS);
    for (int i = 0; i < count; i++)
        if (list[i].kind > TRX_STICTION_TOLERANCE) parameter_judge(s->sim, list[i], x, u, 1e-6, &tallies[list[i].kind]);
}

START_TEST(parameters_of_bodies_joints_and_shapes_agree_with_differences)
{
    static const trx_shape_type shapes[][2] = {{TRX_SHAPE_HALFSPACE, TRX_SHAPE_SPHERE}, {TRX_SHAPE_BOX, TRX_SHAPE_SPHERE},
                                               {TRX_SHAPE_HALFSPACE, TRX_SHAPE_BOX}, {TRX_SHAPE_CAPSULE, TRX_SHAPE_CAPSULE}};
    const trx_approximation approximation = (trx_approximation)_i;
    parameter_tally t[TRX_PLACE_TURN + 1] = {0};
    for (int kind = 0; kind < SCENE_KINDS; kind++)
        for (int k = 0; k < 8; k += SANITIZED ? 3 : 1) {
            scene s = scene_pair((scene_kind)kind, shapes[k % 4][0], shapes[k % 4][1]);
            scene_aim aim = k % 8 < 4 ? SCENE_STICK : SCENE_SLIP;
            double x[MAX_X], u[MAX_X];
            scene_law(&s, approximation, aim, 12, k);
            scene_state(&s, aim, 12, k, x, u);
            judge_all(&s, x, u, t);
            scene_destroy(&s);
        }
    static const trx_parameter_kind there[] = {TRX_JOINT_DAMPING, TRX_JOINT_STIFFNESS, TRX_JOINT_ARMATURE, TRX_JOINT_REST,
                                               TRX_ACTUATOR_GEAR, TRX_ACTUATOR_GAIN, TRX_ACTUATOR_BIAS, TRX_GRAVITY,
                                               TRX_BODY_MASS, TRX_BODY_COM, TRX_BODY_TENSOR, TRX_GEOM_SIZE, TRX_GEOM_RADIUS,
                                               TRX_GEOM_LENGTH, TRX_PLACE_POSITION, TRX_PLACE_TURN};
    for (size_t i = 0; i < sizeof there / sizeof *there; i++)
        ck_assert_msg(t[there[i]].nonzero >= (SANITIZED ? 1 : 3), "kind %d: %d of %d judged are not zero, %d kinks", (int)there[i],
                      t[there[i]].nonzero, t[there[i]].judged, t[there[i]].kinks);
}
END_TEST

// joints with dry friction, drives inside their effort and at it, a ball that spins on a floor with friction against turning
static timed open_driven(const char *scheme, int state)
{
    char text[4096];
    double signs[6];
    for (int i = 0; i < 6; i++) signs[i] = sin(1.3 + 2.1 * i + 4.7 * state);
    snprintf(text, sizeof text,
             "tractrix: 1\n"
             "model:\n"
             "  materials: {m: {stiffness: 3.0e3, dissipation: 2, friction: 0.5}}\n"
             "  bodies:\n"
             "    - {name: floor, geometry: [{shape: halfspace, material: m}]}\n"
             "    - name: top\n"
             "      joint: free\n"
             "      inertia: {mass: 0.3, com: [0.003, -0.002, 0.004], tensor: [1.2e-3, 1.5e-3, 1.0e-3, 1.0e-4, 5.0e-5, -1.0e-4]}\n"
             "      geometry: [{shape: sphere, radius: 0.08, material: m}]\n"
             "    - name: arm\n"
             "      pose: {xyz: [1, 0, 1]}\n"
             "      joints: [{name: h, type: hinge, axis: [0, 1, 0.2], friction: 0.05}, {name: s, type: slide, "
             "axis: [1, 0, 0], friction: 0.4}]\n"
             "      inertia: {mass: 0.4, com: [0, 0.01, -0.1], tensor: [3.0e-3, 3.0e-3, 1.0e-3]}\n"
             "    - name: bead\n"
             "      parent: arm\n"
             "      joints: [{name: b, type: ball, friction: 0.01}]\n"
             "      inertia: {mass: 0.2, com: [0, 0.01, -0.08], tensor: [1.0e-3, 1.0e-3, 4.0e-4]}\n"
             "  actuators:\n"
             "    - {joint: h, type: pd, kp: 5, kd: 0.2, gear: 1.3}\n"
             "    - {name: both, joints: {h: 1, s: -0.7}, type: pd, kp: 3, kd: 0.1, effort: %s}\n"
             "contact:\n"
             "  stiction_tolerance: 0.01\n"
             "  joint_stiction_tolerance: 0.05\n"
             "  override: [{pair: [top, floor], torsional_friction: 0.02, rolling_friction: 0.01}]\n"
             "time: {step: 0.005, steps: 1%s}\n"
             "start:\n"
             "  top: {xyz: [0, 0, 0.078], velocity: [%g, %g, -0.05], spin: [%g, %g, %g]}\n"
             "  h: {position: 0.2, velocity: %g}\n"
             "  s: {position: -0.1, velocity: %g}\n"
             "  b: {rpy: [0.2, 0.4, -0.3], spin: [%g, %g, %g]}\n",
             state % 2 ? "0.2" : "20", scheme, 0.3 * signs[0], 0.3 * signs[1], 9 * signs[2], 9 * signs[3], 9 * signs[4],
             0.3 * signs[5], 0.2 * signs[0], 0.2 * signs[1], 0.2 * signs[2], 0.2 * signs[3]);
    return timed_open(text);
}

START_TEST(dry_friction_gains_and_inertia_of_what_spins_agree_with_differences_in_every_scheme)
{
    static const char *const settings[] = {"", ", spin: momentum", ", scheme: implicit", ", scheme: midpoint"};
    static const trx_parameter_kind kinds[] = {TRX_JOINT_FRICTION, TRX_JOINT_STICTION_TOLERANCE, TRX_ACTUATOR_KP, TRX_ACTUATOR_KD,
                                               TRX_ACTUATOR_GEAR, TRX_ACTUATOR_GAIN, TRX_ACTUATOR_BIAS,
                                               TRX_BODY_MASS, TRX_BODY_COM, TRX_BODY_TENSOR};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    const double u[2] = {0.4, -0.6};
    parameter_tally t[KINDS] = {0};
    for (int state = 0; state < 6; state += SANITIZED ? 3 : 1) {
        timed at = open_driven(settings[_i], state);
        trx_parameter list[MAX_PARAMETERS];
        int count = trx_model_parameters(at.model, list, MAX_PARAMETERS);
        for (int i = 0; i < count; i++)
            for (int k = 0; k < KINDS; k++)
                if (list[i].kind == kinds[k]) parameter_judge(at.sim, list[i], at.x, u, 1e-6, &t[k]);
        timed_close(&at);
    }
    for (int k = 0; k < KINDS; k++)
        ck_assert_msg(t[k].nonzero >= (SANITIZED ? 1 : 5),
                      "kind %d: %d of %d judged are not zero, %d kinks", (int)kinds[k], t[k].nonzero,
                      t[k].judged, t[k].kinks);
}
END_TEST

// the derivative is not f/k, which is NAN at k = 0
START_TEST(the_derivative_by_a_stiffness_of_zero_is_that_of_the_first_of_it)
{
    static const trx_force_law laws[] = {TRX_HUNT_CROSSLEY, TRX_HERTZ, TRX_KELVIN_VOIGT, TRX_SMOOTHED};
    for (int approximation = 0; approximation < TRX_SAP; approximation++)
        for (int k = 0; k < 4; k++) {
            floor_def def = floor_def_default();
            def.law.approximation = (trx_approximation)approximation;
            def.law.force_law = laws[k];
            def.law.stiffness = 0, def.law.smoothing = 1e-3, def.law.relaxation_time = 1e-3;
            def.tolerance = 1e-13;
            scene s = scene_floor(&def);
            double x[MAX_X], before[MAX_X], after[MAX_X], C[MAX_X];
            floor_state(&s, &def, 0.04, 0.3, x);
            const trx_parameter p = {TRX_PAIR_STIFFNESS, 0, 0};
            const double small = 1e-2;
            ck_assert_int_ge(trx_step(s.sim, x, NULL, before), 0);
            ck_assert_int_eq(trx_step_jac_parameters(s.sim, &p, 1, C), TRX_OK);
            ck_assert_int_eq(trx_sim_set_parameter(s.sim, p, small), TRX_OK);
            ck_assert_int_ge(trx_step(s.sim, x, NULL, after), 0);
            const double *v = C + s.nv, *v0 = before + s.nq, *v1 = after + s.nq;
            ck_assert_double_gt(max_magnitude(v, s.nv), 1e-5);
            for (int i = 0; i < s.nv; i++) assert_close((v1[i] - v0[i]) / small, v[i], 1e-3 * max_magnitude(v, s.nv));
            scene_destroy(&s);
        }
}
END_TEST

START_TEST(the_adjoint_product_is_that_of_C_in_every_scheme)
{
    for (int approximation = 0; approximation <= TRX_SAP; approximation++)
        for (int kind = 0; kind < SCENE_KINDS; kind++) {
            scene s = scene_pair((scene_kind)kind, TRX_SHAPE_BOX, TRX_SHAPE_SPHERE);
            double x[MAX_X], u[MAX_X], seed[MAX_X], C[MAX_PARAMETERS * MAX_X], grad[MAX_PARAMETERS];
            scene_law(&s, (trx_approximation)approximation, SCENE_SLIP, 13, approximation);
            use_scheme(s.sim, &schemes[_i]);
            scene_state(&s, SCENE_SLIP, 13, kind, x, u);
            trx_parameter list[MAX_PARAMETERS];
            int count = trx_model_parameters(s.model, list, MAX_PARAMETERS);
            for (int i = 0; i < s.nx; i++) seed[i] = sin(1 + 3.7 * i);
            ck_assert_int_ge(trx_step(s.sim, x, u, NULL), 0);
            ck_assert_int_eq(trx_step_vjp_parameters(s.sim, list, count, seed, grad), TRX_OK);
            ck_assert_int_eq(trx_step_jac_parameters(s.sim, list, count, C), TRX_OK);
            for (int k = 0; k < count; k++) {
                double sum = 0, size = 0;
                for (int i = 0; i < s.nx; i++) sum += C[i + k * s.nx] * seed[i], size += fabs(C[i + k * s.nx] * seed[i]);
                assert_close(grad[k], sum, 1e-12 * size);
            }
            scene_destroy(&s);
        }
}
END_TEST

START_TEST(a_parameter_that_does_not_exist_is_refused)
{
    scene s = scene_push(TRX_LAGGED, TRX_HUNT_CROSSLEY, 0, 1e4, 1e-4);
    double x[MAX_X], C[MAX_X], seed[MAX_X] = {0};
    push_state(&s, 1e-4, -1e-4, x);
    trx_parameter p = {TRX_PAIR_FRICTION, 0, 0};
    ck_assert_int_eq(trx_step_jac_parameters(s.sim, &p, 1, C), TRX_ERR_NO_STEP);
    ck_assert_int_eq(trx_step_vjp_parameters(s.sim, &p, 1, seed, C), TRX_ERR_NO_STEP);
    ck_assert_int_eq(trx_step(s.sim, x, NULL, NULL), TRX_OK);
    ck_assert_int_eq(trx_step_jac_parameters(s.sim, &p, 1, C), TRX_OK);
    ck_assert_int_eq(trx_step_vjp_parameters(s.sim, &p, 1, seed, C), TRX_OK);
    const trx_parameter wrong[] = {{TRX_PAIR_FRICTION, 7, 0}, {TRX_JOINT_DAMPING, -1, 0}, {TRX_ACTUATOR_GEAR, 3, 0},
                                   {(trx_parameter_kind)99, 0, 0}, {TRX_GRAVITY, 0, 3}, {TRX_BODY_TENSOR, 0, 6}};
    for (int i = 0; i < 6; i++) ck_assert_int_eq(trx_step_jac_parameters(s.sim, &wrong[i], 1, C), TRX_ERR_ARGUMENT);
    const trx_parameter without[] = {{TRX_GEOM_RADIUS, 0, 0}, {TRX_ACTUATOR_KP, 0, 0}, {TRX_PLACE_TURN, 0, 0},
                                     {TRX_JOINT_REST, 0, 0},   {TRX_JOINT_FRICTION, 1, 0}};
    for (int i = 0; i < 5; i++) ck_assert_int_eq(trx_step_jac_parameters(s.sim, &without[i], 1, C), TRX_ERR_UNSUPPORTED);
    ck_assert_int_eq(trx_step_jac_parameters(s.sim, NULL, 1, C), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_step_jac_parameters(NULL, &p, 1, C), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_step_vjp_parameters(s.sim, &p, 1, NULL, C), TRX_ERR_ARGUMENT);
    scene_destroy(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/step_parameters");
    TCase *cases = tcase_create("step_parameters");
    tcase_set_timeout(cases, 300);
    tcase_add_test(cases, contact_parameters_agree_with_differences);
    tcase_add_loop_test(cases, parameters_of_bodies_joints_and_shapes_agree_with_differences, 0, TRX_SAP + 1);
    tcase_add_loop_test(cases, dry_friction_gains_and_inertia_of_what_spins_agree_with_differences_in_every_scheme, 0, 4);
    tcase_add_test(cases, the_derivative_by_a_stiffness_of_zero_is_that_of_the_first_of_it);
    tcase_add_loop_test(cases, the_adjoint_product_is_that_of_C_in_every_scheme, 0, SCHEMES);
    tcase_add_test(cases, a_parameter_that_does_not_exist_is_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
