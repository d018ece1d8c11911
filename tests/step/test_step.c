// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The step as a function: of its arguments alone, to the last bit; the same a kilometre away; with its refusals.

#include "step/scenes.h"
#include "support/support.h"

#include "base/random.h"

#include <string.h>
#include <tractrix/verify.h>

enum { MAX_X = 48, MAX_NU = 4 };

static void random_state(const scene *s, int index, double *x, double *u)
{
    scene_law(s, (trx_approximation)(index % (TRX_SAP + 1)), SCENE_SLIP, 21, index);
    scene_state(s, (scene_aim)(index % SCENE_AIMS), 21, index, x, u);
}

START_TEST(a_step_repeated_has_the_same_bits)
{
    scene s = scene_pair(SCENE_ARM, TRX_SHAPE_BOX, TRX_SHAPE_SPHERE), t = scene_pair(SCENE_ARM, TRX_SHAPE_BOX, TRX_SHAPE_SPHERE);
    for (int i = 0; i < 60; i++) {
        double x[MAX_X], u[MAX_NU], a[MAX_X], b[MAX_X], c[MAX_X];
        size_t bytes = (size_t)(s.nq + s.nv) * sizeof *x;
        random_state(&s, i, x, u);
        ck_assert_int_ge(trx_step(s.sim, x, u, a), 0);
        ck_assert_int_ge(trx_step(s.sim, x, u, b), 0);
        random_state(&t, i, c, u);
        scene_step(&t, c, u);
        ck_assert(memcmp(a, b, bytes) == 0 && memcmp(a, c, bytes) == 0);
    }
    scene_destroy(&s);
    scene_destroy(&t);
}
END_TEST

START_TEST(a_missing_control_is_zero_and_the_result_may_replace_the_state)
{
    scene s = scene_pair(SCENE_ARM, TRX_SHAPE_CAPSULE, TRX_SHAPE_SPHERE);
    double x[MAX_X], u[MAX_NU], zero[MAX_NU] = {0}, a[MAX_X], b[MAX_X];
    random_state(&s, 1, x, u);
    size_t bytes = (size_t)(s.nq + s.nv) * sizeof *x;
    ck_assert_int_ge(trx_step(s.sim, x, NULL, a), 0);
    ck_assert_int_ge(trx_step(s.sim, x, zero, b), 0);
    ck_assert(memcmp(a, b, bytes) == 0);
    ck_assert_int_ge(trx_step(s.sim, x, u, b), 0);
    ck_assert(memcmp(a, b, bytes) != 0);
    ck_assert_int_ge(trx_step(s.sim, x, NULL, x), 0);
    ck_assert(memcmp(a, x, bytes) == 0);
    scene_destroy(&s);
}
END_TEST

START_TEST(positions_move_with_the_new_velocity)
{
    scene s = scene_pair(SCENE_SAME, TRX_SHAPE_CAPSULE, TRX_SHAPE_SPHERE);
    for (int i = 0; i < 20; i++) {
        double x[MAX_X], u[MAX_NU], next[MAX_X], dq[MAX_X], q[MAX_X];
        random_state(&s, i, x, u);
        ck_assert_int_ge(trx_step(s.sim, x, u, next), 0);
        for (int j = 0; j < s.nv; j++) dq[j] = trx_sim_get_settings(s.sim).time_step * next[s.nq + j];
        trx_model_integrate(s.model, x, dq, q);
        ck_assert(memcmp(q, next, (size_t)s.nq * sizeof *q) == 0);
    }
    scene_destroy(&s);
}
END_TEST

START_TEST(a_warm_start_is_used_once_and_changes_nothing_but_the_cost)
{
    scene s = scene_pair(SCENE_FREE, TRX_SHAPE_BOX, TRX_SHAPE_SPHERE);
    for (int i = 0; i < 20; i++) {
        double x[MAX_X], u[MAX_NU], cold[MAX_X], warm[MAX_X];
        random_state(&s, i, x, u);
        ck_assert_int_ge(trx_step(s.sim, x, u, cold), 0);
        int iterations = trx_sim_step_info(s.sim).iterations;
        trx_sim_warm_start(s.sim, cold + s.nq);
        ck_assert_int_ge(trx_step(s.sim, x, u, warm), 0);
        ck_assert_int_eq(trx_sim_step_info(s.sim).iterations, 0);
        ck_assert(memcmp(cold, warm, (size_t)(s.nq + s.nv) * sizeof *x) == 0);
        ck_assert_int_ge(trx_step(s.sim, x, u, warm), 0);
        ck_assert_int_eq(trx_sim_step_info(s.sim).iterations, iterations);
    }
    scene_destroy(&s);
}
END_TEST

START_TEST(a_step_is_a_function_of_its_input)
{
    scene s = scene_pair(SCENE_FREE, TRX_SHAPE_BOX, TRX_SHAPE_SPHERE);
    for (int i = 0; i < 20; i++) {
        double x[MAX_X], u[MAX_NU], set[MAX_X], given[MAX_X], other[MAX_X];
        random_state(&s, i, x, u);
        trx_step_input input = {.time = 0.3, .x = x, .u = u};
        ck_assert_int_eq(trx_sim_set_time(s.sim, 0.3), TRX_OK);
        ck_assert_int_ge(trx_step(s.sim, x, u, set), 0);
        ck_assert_int_eq(trx_sim_set_time(s.sim, 0.7), TRX_OK);
        ck_assert_int_ge(trx_step_from(s.sim, &input, given), 0);
        ck_assert(memcmp(set, given, (size_t)(s.nq + s.nv) * sizeof *x) == 0);

        // trx_step_from does not use the guess that was set for trx_step
        trx_sim_warm_start(s.sim, given + s.nq);
        ck_assert_int_ge(trx_step_from(s.sim, &input, other), 0);
        ck_assert_int_gt(trx_sim_step_info(s.sim).iterations, 0);
        input.v_guess = given + s.nq;
        ck_assert_int_ge(trx_step_from(s.sim, &input, other), 0);
        ck_assert_int_eq(trx_sim_step_info(s.sim).iterations, 0);
        ck_assert(memcmp(other, given, (size_t)(s.nq + s.nv) * sizeof *x) == 0);
        ck_assert_double_eq(trx_sim_time(s.sim), 0.7);
        trx_sim_warm_start(s.sim, NULL);
        input.time = NAN;
        ck_assert_int_eq(trx_step_from(s.sim, &input, other), TRX_ERR_ARGUMENT);
        ck_assert_int_eq(trx_step_jac(s.sim, NULL, NULL), TRX_ERR_NO_STEP);
    }
    scene_destroy(&s);
}
END_TEST

// adds `away` to the position of every free joint; NULL: rounds the position so that a kilometre can be added exactly
static void shift(const scene *s, const double *away, double *x)
{
    for (int j = 0; j < trx_model_get_size(s->model).njoint; j++) {
        trx_joint_info joint = trx_model_joint(s->model, j);
        if (joint.type != TRX_JOINT_FREE) continue;
        for (int c = 0; c < 3; c++) {
            double *p = &x[joint.q_index + c];
            *p = away ? *p + away[c] : ldexp(rint(ldexp(*p, 42)), -42);
        }
    }
}

START_TEST(a_scene_a_kilometre_away_moves_alike)
{
    static const scene_kind kinds[] = {SCENE_FREE, SCENE_SAME};
    static const double away[3] = {1024, -512, 256}, back[3] = {-1024, 512, -256};
    for (int k = 0; k < 2; k++) {
        scene s = scene_pair(kinds[k], TRX_SHAPE_CAPSULE, TRX_SHAPE_SPHERE);
        for (int i = 0; i < 40; i++) {
            double x[MAX_X], u[MAX_NU], far[MAX_X];
            random_state(&s, i, x, u);
            shift(&s, NULL, x);
            memcpy(far, x, sizeof far);
            shift(&s, away, far);
            scene_step(&s, x, u);
            scene_step(&s, far, u);
            assert_below(max_difference(x + s.nq, far + s.nq, s.nv), 1e-9);
            shift(&s, back, far);
            assert_below(max_difference(x, far, s.nq), 1e-9);
        }
        scene_destroy(&s);
    }
}
END_TEST

// a spin of 1e120 rad/s led to finite velocities of 1e230 rad/s, whose exponential is no quaternion: the step succeeded
START_TEST(a_step_that_overflows_fails_and_writes_nothing)
{
    scene s = scene_pair(SCENE_FREE, TRX_SHAPE_BOX, TRX_SHAPE_MESH);
    trx_sim_settings settings = trx_sim_get_settings(s.sim);
    settings.margin = 0;
    ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_OK);
    double x[MAX_X], u[MAX_NU], next[MAX_X];
    int failed = 0, succeeded = 0;
    for (int power = 0; power < 300; power++) {
        // apart from each other
        random_state(&s, 0, x, u);
        x[0] += 10;
        for (int i = 3; i < 6; i++) x[s.nq + i] = pow(10, power) * (i + 1);
        memcpy(next, x, sizeof next);
        trx_status status = trx_step(s.sim, x, u, next);
        failed += status < 0;
        succeeded += status >= 0;
        if (status < 0) ck_assert_int_eq(status, TRX_ERR_NOT_FINITE);
        for (int i = 0; i < s.nq + s.nv; i++) ck_assert(status < 0 ? next[i] == x[i] : isfinite(next[i]));
    }
    ck_assert_int_gt(failed, 100);
    ck_assert_int_gt(succeeded, 50);
    scene_destroy(&s);
}
END_TEST

START_TEST(numbers_that_are_not_finite_are_refused)
{
    scene s = scene_pair(SCENE_ARM, TRX_SHAPE_CAPSULE, TRX_SHAPE_SPHERE);
    double x[MAX_X], u[MAX_NU], next[MAX_X];
    for (int i = 0; i < s.nq + s.nv + s.nu; i++)
        for (int kind = 0; kind < 2; kind++) {
            random_state(&s, 0, x, u);
            *(i < s.nq + s.nv ? &x[i] : &u[i - s.nq - s.nv]) = kind ? NAN : -INFINITY;
            ck_assert_int_eq(trx_step(s.sim, x, u, next), TRX_ERR_NOT_FINITE);
            ck_assert_ptr_nonnull(strstr(trx_context_message(s.context), "not finite"));
        }
    scene_destroy(&s);
}
END_TEST

// a quaternion twice as long would have scaled what it turns by four
START_TEST(quaternions_of_any_length_but_zero_are_taken)
{
    scene s = scene_pair(SCENE_FREE, TRX_SHAPE_CAPSULE, TRX_SHAPE_SPHERE);
    double x[MAX_X], u[MAX_NU], unit[MAX_X], next[MAX_X];
    random_state(&s, 3, x, u);
    ck_assert_int_ge(trx_step(s.sim, x, u, unit), 0);
    for (int i = 3; i < 7; i++) x[i] *= 2;
    ck_assert_int_ge(trx_step(s.sim, x, u, next), 0);
    for (int i = 0; i < s.nq + s.nv; i++) assert_close(next[i], unit[i], 1e-9 * (1 + fabs(unit[i])));
    for (int i = 3; i < 7; i++) x[i] = 0;
    ck_assert_int_eq(trx_step(s.sim, x, u, next), TRX_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(trx_context_message(s.context), "quaternion"));
    scene_destroy(&s);
}
END_TEST

// a ball joint is the first link of the model
START_TEST(a_pendulum_on_a_ball_takes_quaternions_of_any_length)
{
    trx_context *context = context_open();
    trx_joint_def joint = trx_joint_def_default();
    joint.name = "j", joint.type = TRX_JOINT_BALL;
    trx_body_def body = trx_body_def_default();
    body.name = "b", body.joints = &joint, body.njoint = 1;
    body.has_inertia = true;
    body.inertia = (trx_body_inertia){1, {0.1, 0, 0}, {0.2, 0.3, 0.4, 0, 0, 0}};
    trx_model_def def = trx_model_def_default();
    def.bodies = &body, def.nbody = 1;
    trx_model *model;
    trx_sim *sim;
    const trx_sim_settings settings = trx_sim_settings_default();
    ck_assert_int_eq(trx_model_create(context, &def, &model), TRX_OK);
    ck_assert_int_eq(trx_sim_create(context, model, &settings, &sim), TRX_OK);
    for (uint64_t i = 0; i < 20; i++) {
        double x[7], longer[7], next[7], next_longer[7];
        for (uint64_t k = 0; k < 7; k++) x[k] = trxi_random_normal(i, k);
        const double norm = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
        for (int k = 0; k < 4; k++) x[k] /= norm;
        for (int k = 0; k < 7; k++) longer[k] = k < 4 ? 3 * x[k] : x[k];
        ck_assert_int_ge(trx_step(sim, x, NULL, next), 0);
        ck_assert_int_ge(trx_step(sim, longer, NULL, next_longer), 0);
        for (int k = 0; k < 7; k++) assert_close(next_longer[k], next[k], 1e-14 * (1 + fabs(next[k])));
    }
    trx_sim_destroy(sim);
    trx_model_destroy(model);
    context_close(context);
}
END_TEST

START_TEST(missing_arguments_are_a_status)
{
    scene s = scene_pair(SCENE_FREE, TRX_SHAPE_CAPSULE, TRX_SHAPE_SPHERE);
    double x[MAX_X], u[MAX_NU], out[MAX_X];
    random_state(&s, 0, x, u);
    ck_assert_int_eq(trx_step(NULL, x, u, out), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_step(s.sim, NULL, u, out), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_step_from(s.sim, NULL, out), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_step_fd(s.sim, NULL, u, 1e-6, NULL, NULL, NULL), TRX_ERR_ARGUMENT);
    ck_assert_int_ge(trx_step(s.sim, x, u, NULL), 0);
    ck_assert_int_eq(trx_step_jac(NULL, NULL, NULL), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_step_jac(s.sim, NULL, NULL), TRX_OK);
    ck_assert_int_eq(trx_step_jvp(s.sim, x, u, NULL), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_step_vjp(s.sim, NULL, out, NULL), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_sim_set_settings(s.sim, NULL), TRX_ERR_ARGUMENT);
    trx_sim_warm_start(s.sim, NULL);
    ck_assert_int_ge(trx_step(s.sim, x, u, NULL), 0);
    scene_destroy(&s);
}
END_TEST

START_TEST(statistics_tell_what_the_step_did)
{
    scene s = scene_push(TRX_LAGGED, TRX_HUNT_CROSSLEY, 0, 1e4, 1e-3);
    double x[MAX_X] = {0};
    push_state(&s, 1e-4, 0.03, x);
    scene_step(&s, x, NULL);
    trx_step_info info = trx_sim_step_info(s.sim);
    ck_assert_int_eq(info.contacts, 4);
    ck_assert_int_eq(info.limits, 0);
    ck_assert(info.iterations > 0 && info.line_search >= info.iterations && info.scale > 0 && info.kink > 0);
    push_state(&s, 1e-4, -1e-4, x);
    scene_step(&s, x, NULL);
    ck_assert_int_eq(trx_sim_step_info(s.sim).contacts, 5);
    ck_assert(trx_sim_step_info(s.sim).branches != info.branches);
    scene_destroy(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/step");
    TCase *cases = tcase_create("step");
    tcase_set_timeout(cases, 0);
    tcase_add_test(cases, a_step_repeated_has_the_same_bits);
    tcase_add_test(cases, a_missing_control_is_zero_and_the_result_may_replace_the_state);
    tcase_add_test(cases, positions_move_with_the_new_velocity);
    tcase_add_test(cases, a_warm_start_is_used_once_and_changes_nothing_but_the_cost);
    tcase_add_test(cases, a_step_is_a_function_of_its_input);
    tcase_add_test(cases, a_scene_a_kilometre_away_moves_alike);
    tcase_add_test(cases, a_step_that_overflows_fails_and_writes_nothing);
    tcase_add_test(cases, numbers_that_are_not_finite_are_refused);
    tcase_add_test(cases, quaternions_of_any_length_but_zero_are_taken);
    tcase_add_test(cases, a_pendulum_on_a_ball_takes_quaternions_of_any_length);
    tcase_add_test(cases, missing_arguments_are_a_status);
    tcase_add_test(cases, statistics_tell_what_the_step_did);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
