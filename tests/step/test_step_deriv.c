// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives of the whole step: A and B on the push task against the finite-difference twin, products, what they need and
// what they leave alone (theory 6). Random states of every kind are in test_accuracy.c.

#include "base/random.h"
#include "math/dense.h"
#include "step/judge.h"
#include "step/scenes.h"
#include "support/support.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NX = 36, MAX_NU = 4, MAX_X = 48 };
enum { APPROXIMATIONS = TRX_SAP + 1 };

// a box on the floor and a pusher against it, all sliding: the scene of the push task, many contacts of two laws
START_TEST(the_push_scene_has_exact_derivatives)
{
    judge_tally t = {0};
    for (int a = 0; a < APPROXIMATIONS; a++)
        for (int smooth = 0; smooth < 2 && !(smooth && a == TRX_SAP); smooth++) {
            scene s = scene_push((trx_approximation)a, smooth ? TRX_SMOOTHED : TRX_HUNT_CROSSLEY, 2e-3, 1e4, 1e-3);
            for (int i = 0; i < 12; i++) {
                double x[MAX_X], dq[MAX_NX], u[MAX_NU];
                push_state(&s, 5e-4, smooth ? 2e-3 : -4e-4, x);
                for (int j = 0; j < s.nv; j++) dq[j] = 1e-4 * trxi_random_normal((uint64_t)i, (uint64_t)j);
                trx_model_integrate(s.model, x, dq, x);
                for (int j = 0; j < s.nv; j++) x[s.nq + j] = 0.1 * trxi_random_normal((uint64_t)i, (uint64_t)(100 + j));
                for (int j = 0; j < s.nu; j++) u[j] = 3 * trxi_random_normal((uint64_t)i, (uint64_t)(200 + j));
                judge_state(s.sim, x, u, &t);
            }
            scene_destroy(&s);
        }
    printf("push: %d accepted, %d rejected, worst %.1e\n", t.accepted, t.rejected, t.worst);
    ck_assert_int_ge(t.accepted, 60);
    ck_assert_int_ge(t.modes[TRX_CONTACT_STICK], 20);
    ck_assert_int_ge(t.modes[TRX_CONTACT_SLIP], 100);
    assert_below(t.worst, 1e-6);
}
END_TEST

// some state in contact of the scene
static void step_somewhere(const scene *s, int index, double *x, double *u)
{
    scene_law(s, (trx_approximation)(index % APPROXIMATIONS), SCENE_SLIP, 9, index);
    scene_state(s, index % 2 ? SCENE_STICK : SCENE_SLIP, 9, index, x, u);
    ck_assert_int_ge(trx_step(s->sim, x, u, NULL), 0);
}

START_TEST(products_agree_with_the_matrices_and_with_each_other)
{
    scene s = scene_pair(SCENE_ARM, TRX_SHAPE_CAPSULE, TRX_SHAPE_SPHERE);
    for (int i = 0; i < 50; i++) {
        double x[MAX_X], u[MAX_NU];
        step_somewhere(&s, i, x, u);
        judge_products(s.sim, (uint64_t)i, 1e-12);
    }
    scene_destroy(&s);
}
END_TEST

START_TEST(a_missing_tangent_is_zero_and_a_missing_gradient_is_left_out)
{
    scene s = scene_pair(SCENE_ARM, TRX_SHAPE_BOX, TRX_SHAPE_SPHERE);
    double x[MAX_X], u[MAX_NU], B[MAX_NX * MAX_NU], column[MAX_NX], seed[MAX_NX] = {0}, grad[MAX_NX], both[MAX_NX], gu[MAX_NU];
    step_somewhere(&s, 1, x, u);
    ck_assert_int_eq(trx_step_jac(s.sim, NULL, B), TRX_OK);
    const double second[MAX_NU] = {0, 1};
    ck_assert_int_eq(trx_step_jvp(s.sim, NULL, second, column), TRX_OK);
    assert_below(max_difference(column, B + s.nx, s.nx), 1e-13);
    ck_assert_int_eq(trx_step_jvp(s.sim, NULL, NULL, column), TRX_OK);
    ck_assert(max_magnitude(column, s.nx) == 0);
    seed[3] = 1;
    ck_assert_int_eq(trx_step_vjp(s.sim, seed, grad, NULL), TRX_OK);
    ck_assert_int_eq(trx_step_vjp(s.sim, seed, both, gu), TRX_OK);
    ck_assert(memcmp(grad, both, (size_t)s.nx * sizeof *grad) == 0);
    ck_assert_int_eq(trx_step_vjp(s.sim, seed, NULL, gu), TRX_OK);
    scene_destroy(&s);
}
END_TEST

START_TEST(derivatives_change_nothing_that_a_step_depends_on)
{
    scene s = scene_pair(SCENE_SAME, TRX_SHAPE_CAPSULE, TRX_SHAPE_CAPSULE);
    double x[MAX_X], u[MAX_NU], before[MAX_X], after[MAX_X], A[MAX_NX * MAX_NX], again[MAX_NX * MAX_NX];
    for (int i = 0; i < 10; i++) {
        step_somewhere(&s, i, x, u);
        ck_assert_int_ge(trx_step(s.sim, x, u, before), 0);
        const trx_contact *contacts;
        int count = trx_sim_contacts(s.sim, &contacts);
        trx_contact kept = contacts[0];
        ck_assert_int_eq(trx_step_jac(s.sim, A, NULL), TRX_OK);
        double seed[MAX_NX] = {1}, g[MAX_NX];
        ck_assert_int_eq(trx_step_jvp(s.sim, seed, NULL, g), TRX_OK);
        ck_assert_int_eq(trx_step_vjp(s.sim, seed, g, NULL), TRX_OK);
        ck_assert_int_eq(trx_step_jac(s.sim, again, NULL), TRX_OK);
        ck_assert(memcmp(A, again, (size_t)(s.nx * s.nx) * sizeof *A) == 0);
        ck_assert_int_eq(trx_sim_contacts(s.sim, &contacts), count);
        ck_assert(contacts[0].f_n == kept.f_n && contacts[0].v_t == kept.v_t);
        ck_assert_int_ge(trx_step(s.sim, x, u, after), 0);
        ck_assert(memcmp(before, after, (size_t)(s.nq + s.nv) * sizeof *before) == 0);
    }
    scene_destroy(&s);
}
END_TEST

START_TEST(derivatives_need_a_converged_step)
{
    scene s = scene_pair(SCENE_FREE, TRX_SHAPE_SPHERE, TRX_SHAPE_SPHERE);
    double x[MAX_X], u[MAX_NU], A[MAX_NX * MAX_NX], seed[MAX_NX] = {1}, g[MAX_NX];
    ck_assert_int_eq(trx_step_jac(s.sim, A, NULL), TRX_ERR_NO_STEP);
    ck_assert_int_eq(trx_step_jvp(s.sim, seed, NULL, g), TRX_ERR_NO_STEP);
    ck_assert_int_eq(trx_step_vjp(s.sim, seed, g, NULL), TRX_ERR_NO_STEP);
    ck_assert_ptr_nonnull(strstr(trx_context_message(s.context), "trx_step"));

    // new settings and new laws forget the step, and so does one that failed
    step_somewhere(&s, 0, x, u);
    ck_assert_int_eq(trx_step_jac(s.sim, A, NULL), TRX_OK);
    trx_sim_settings settings = trx_sim_get_settings(s.sim);
    ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_OK);
    ck_assert_int_eq(trx_step_jac(s.sim, A, NULL), TRX_ERR_NO_STEP);
    step_somewhere(&s, 0, x, u);
    trx_pair_law law = trx_sim_pair_law(s.sim, 0);
    ck_assert_int_eq(trx_sim_set_pair_law(s.sim, 0, &law), TRX_OK);
    ck_assert_int_eq(trx_step_jac(s.sim, A, NULL), TRX_ERR_NO_STEP);
    step_somewhere(&s, 0, x, u);
    x[s.nq] = NAN;
    ck_assert_int_eq(trx_step(s.sim, x, u, NULL), TRX_ERR_NOT_FINITE);
    ck_assert_int_eq(trx_step_jac(s.sim, A, NULL), TRX_ERR_NO_STEP);
    scene_destroy(&s);
}
END_TEST

// the tolerance of a simulation is too loose for derivatives: they continue the solve, and agree with derivatives of a tight step
START_TEST(derivatives_of_a_loose_step_are_those_of_a_tight_one)
{
    scene s = scene_pair(SCENE_FREE, TRX_SHAPE_BOX, TRX_SHAPE_SPHERE);
    double x[MAX_X], u[MAX_NU], tight[MAX_NX * MAX_NX], loose[MAX_NX * MAX_NX], x_tight[MAX_X], x_loose[MAX_X];
    for (int i = 0; i < 20; i++) {
        step_somewhere(&s, i, x, u);
        ck_assert_int_ge(trx_step(s.sim, x, u, x_tight), 0);
        ck_assert_int_eq(trx_step_jac(s.sim, tight, NULL), TRX_OK);
        trx_sim_settings settings = trx_sim_get_settings(s.sim);
        settings.tolerance = 1e-3;
        ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_OK);
        ck_assert_int_ge(trx_step(s.sim, x, u, x_loose), 0);
        ck_assert_int_eq(trx_step_jac(s.sim, loose, NULL), TRX_OK);
        assert_below(column_error(s.nx, s.nx, loose, tight), 1e-6);
        settings.tolerance = 1e-10;
        ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_OK);
    }
    scene_destroy(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/step_deriv");
    TCase *cases = tcase_create("step_deriv");
    tcase_set_timeout(cases, 0);
    tcase_add_test(cases, the_push_scene_has_exact_derivatives);
    tcase_add_test(cases, products_agree_with_the_matrices_and_with_each_other);
    tcase_add_test(cases, a_missing_tangent_is_zero_and_a_missing_gradient_is_left_out);
    tcase_add_test(cases, derivatives_change_nothing_that_a_step_depends_on);
    tcase_add_test(cases, derivatives_need_a_converged_step);
    tcase_add_test(cases, derivatives_of_a_loose_step_are_those_of_a_tight_one);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
