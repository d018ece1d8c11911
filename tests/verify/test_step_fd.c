// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The finite-difference reference itself: exact where the step is linear, honest about kinks, and without traces.

#include "step/scenes.h"
#include "support/support.h"

#include <string.h>
#include <tractrix/verify.h>

enum { MAX_X = 48, MAX_NX = 36, MAX_NU = 4 };

// a body in the air is a linear map: x' = x + dt v', v' = v
START_TEST(differences_of_a_linear_step_are_exact)
{
    floor_def def = floor_def_default();
    def.turns = false;
    scene s = scene_floor(&def);
    double x[6], A[36];
    bool kink = true;
    floor_state(&s, &def, 1, 0.3, x);
    ck_assert_int_eq(trx_step_fd(s.sim, x, NULL, 1e-6, A, NULL, &kink), TRX_OK);
    ck_assert(!kink);
    for (int j = 0; j < 6; j++)
        for (int i = 0; i < 6; i++) assert_close(A[i + 6 * j], i == j ? 1 : j == i + 3 ? 0.01 : 0, 1e-8);
    scene_destroy(&s);
}
END_TEST

// one point contact pressed from rest: dv_n'/dq = -k dt^2 / (m + k dt^2) / dt, in closed form
START_TEST(differences_of_a_pressed_contact_match_its_closed_form)
{
    floor_def def = floor_def_default();
    def.turns = false;
    def.shape = (trx_shape){.type = TRX_SHAPE_SPHERE, .radius = 0.05};
    def.law.stiffness = 1e4, def.law.friction = 0;
    scene s = scene_floor(&def);
    double x[6], A[36], k = 1e4, dt = 0.01;
    bool kink;
    floor_state(&s, &def, 0.05 - 1e-3, 0, x);
    ck_assert_int_eq(trx_step_fd(s.sim, x, NULL, 1e-6, A, NULL, &kink), TRX_OK);
    ck_assert(!kink);
    assert_close(A[3 + 2 + 6 * 2], -k * dt / (1 + k * dt * dt), 1e-6);
    assert_close(A[3 + 2 + 6 * 5], 1 / (1 + k * dt * dt), 1e-7);
    scene_destroy(&s);
}
END_TEST

START_TEST(a_difference_across_a_kink_is_reported)
{
    floor_def def = floor_def_default();
    def.turns = false;
    def.shape = (trx_shape){.type = TRX_SHAPE_SPHERE, .radius = 0.05};
    def.weightless = true;
    scene s = scene_floor(&def);
    double x[6], A[36];
    bool kink;

    // ends the step half a nanometre above the floor: velocities of 1e-6 m/s more or less decide whether it touches
    floor_state(&s, &def, 0.05 + 1e-3 + 5e-10, 0, x);
    x[5] = -0.1;
    ck_assert_int_eq(trx_step_fd(s.sim, x, NULL, 1e-6, A, NULL, &kink), TRX_OK);
    ck_assert(kink);
    x[5] = -0.09;
    ck_assert_int_eq(trx_step_fd(s.sim, x, NULL, 1e-6, A, NULL, &kink), TRX_OK);
    ck_assert(!kink);
    scene_destroy(&s);
}
END_TEST

START_TEST(the_last_step_is_that_of_the_state_afterwards)
{
    scene s = scene_pair(SCENE_ARM, TRX_SHAPE_CAPSULE, TRX_SHAPE_SPHERE);
    double x[MAX_X], u[MAX_NU], A[MAX_NX * MAX_NX], B[MAX_NX * MAX_NU], after[MAX_NX * MAX_NX], alone[MAX_NX * MAX_NX];
    for (int i = 0; i < 10; i++) {
        scene_law(&s, (trx_approximation)(i % (TRX_SAP + 1)), SCENE_STICK, 4, i);
        scene_state(&s, SCENE_STICK, 4, i, x, u);
        ck_assert_int_eq(trx_step_fd(s.sim, x, u, 1e-6, A, B, NULL), TRX_OK);
        ck_assert(trx_sim_get_settings(s.sim).tolerance == 1e-10);
        ck_assert_int_eq(trx_step_jac(s.sim, after, NULL), TRX_OK);
        ck_assert_int_ge(trx_step(s.sim, x, u, NULL), 0);
        ck_assert_int_eq(trx_step_jac(s.sim, alone, NULL), TRX_OK);
        assert_below(max_difference(after, alone, s.nx * s.nx), 1e-6 * max_magnitude(alone, s.nx * s.nx));

        // A alone and B alone equal A and B together
        double only[MAX_NX * MAX_NX];
        ck_assert_int_eq(trx_step_fd(s.sim, x, u, 1e-6, only, NULL, NULL), TRX_OK);
        ck_assert(memcmp(only, A, (size_t)(s.nx * s.nx) * sizeof *A) == 0);
        ck_assert_int_eq(trx_step_fd(s.sim, x, u, 1e-6, NULL, only, NULL), TRX_OK);
        ck_assert(memcmp(only, B, (size_t)(s.nx * s.nu) * sizeof *B) == 0);
    }
    scene_destroy(&s);
}
END_TEST

START_TEST(bad_arguments_are_refused)
{
    scene s = scene_pair(SCENE_FREE, TRX_SHAPE_CAPSULE, TRX_SHAPE_SPHERE);
    double x[MAX_X], u[MAX_NU], A[MAX_NX * MAX_NX];
    scene_state(&s, SCENE_SLIP, 1, 1, x, u);
    ck_assert_int_eq(trx_step_fd(s.sim, x, u, 0, A, NULL, NULL), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_step_fd(s.sim, x, u, NAN, A, NULL, NULL), TRX_ERR_ARGUMENT);
    x[0] = NAN;
    ck_assert_int_eq(trx_step_fd(s.sim, x, u, 1e-6, A, NULL, NULL), TRX_ERR_NOT_FINITE);
    ck_assert(trx_sim_get_settings(s.sim).tolerance == 1e-10);
    scene_destroy(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("verify/step_fd");
    TCase *cases = tcase_create("step_fd");
    tcase_set_timeout(cases, 0);
    tcase_add_test(cases, differences_of_a_linear_step_are_exact);
    tcase_add_test(cases, differences_of_a_pressed_contact_match_its_closed_form);
    tcase_add_test(cases, a_difference_across_a_kink_is_reported);
    tcase_add_test(cases, the_last_step_is_that_of_the_state_afterwards);
    tcase_add_test(cases, bad_arguments_are_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
