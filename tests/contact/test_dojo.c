// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The contact model dojo (theory 4): iterations and residuals of a box on four contacts, the limit of a small kappa against ncp by
// sweeps, and A and B against central differences.

#include "step/judge.h"
#include "step/scenes.h"
#include "support/support.h"

#include <check.h>
#include <stdio.h>

enum { MAX_X = 48, MAX_NU = 16 };

static void use(const scene *s, trx_contact_model model, double kappa)
{
    trx_sim_settings settings = trx_sim_get_settings(s->sim);
    settings.contact_model = model, settings.contact_solver = TRX_SOLVER_USUAL;
    settings.kappa = kappa, settings.tolerance = 1e-8, settings.max_sweeps = 100000;
    ck_assert_int_eq(trx_sim_set_settings(s->sim, &settings), TRX_OK);
}

// a box that rests and one that slides
START_TEST(a_box_takes_few_iterations)
{
    double x[16];
    for (int slides = 0; slides < 2; slides++) {
        const floor_def def = floor_def_default();
        scene s = scene_floor(&def);
        use(&s, TRX_CONTACT_DOJO, 1e-9);
        floor_state(&s, &def, 0.05, slides, x);
        ck_assert_msg(trx_step(s.sim, x, NULL, x) >= 0, "%s", trx_context_message(s.context));
        const int iterations = trx_sim_step_statistics(s.sim).iterations;
        const trx_contact_residual r = trx_sim_contact_residual(s.sim);
        printf("%d iterations, e_p %.1e e_d %.1e e_c %.1e\n", iterations, r.e_p, r.e_d, r.e_c);
        ck_assert_int_le(iterations, 8);
        ck_assert(r.e_p < 1e-9 && r.e_d < 1e-9 && r.e_c < 1e-4);
        scene_destroy(&s);
    }
}
END_TEST

static void take_steps(trx_contact_model model, double kappa, double speed, double *x)
{
    const floor_def def = floor_def_default();
    scene s = scene_floor(&def);
    use(&s, model, kappa);
    floor_state(&s, &def, 0.05, speed, x);
    for (int i = 0; i < 10; i++) ck_assert_msg(trx_step(s.sim, x, NULL, x) >= 0, "%s", trx_context_message(s.context));
    scene_destroy(&s);
}

START_TEST(a_small_kappa_is_ncp)
{
    for (int slides = 0; slides < 2; slides++) {
        double ncp[16], dojo[16];
        take_steps(TRX_CONTACT_NCP, 1, slides, ncp);
        for (int p = 4; p <= 10; p += 3) {
            take_steps(TRX_CONTACT_DOJO, pow(10, -p), slides, dojo);
            printf("kappa 1e-%d: %.1e from ncp\n", p, max_difference(dojo, ncp, 13));
            assert_below(max_difference(dojo, ncp, 13), 1e-8 + 100 * pow(10, -p));
        }
    }
}
END_TEST

static void draw(const scene *s, int i, double *x, double *u)
{
    scene_law(s, TRX_SAP, SCENE_SLIP, 5, i);
    scene_state(s, i % 2 ? SCENE_SLIP : SCENE_STICK, 5, i, x, u);
}

START_TEST(derivatives_are_their_differences)
{
    double x[MAX_X], u[MAX_NU];
    for (int p = 2; p <= 6; p += 2) {
        judge_tally t = {0};
        for (int kind = 0; kind < 2 * SCENE_KINDS; kind++) {
            const trx_shape_type a = kind < SCENE_KINDS ? TRX_SHAPE_BOX : TRX_SHAPE_HALFSPACE;
            scene s = scene_pair((scene_kind)(kind % SCENE_KINDS), a, kind < SCENE_KINDS ? TRX_SHAPE_SPHERE : TRX_SHAPE_BOX);
            use(&s, TRX_CONTACT_DOJO, pow(10, -p));
            for (int i = 0; i < SAMPLES(120); i++) {
                draw(&s, i, x, u);
                judge_state(s.sim, x, u, &t);
            }
            scene_destroy(&s);
        }
        printf("kappa 1e-%d: %d accepted, %d rejected, %d stick, %d slip, %d limits, worst %.1e\n", p, t.accepted, t.rejected,
               t.modes[TRX_CONTACT_STICK], t.modes[TRX_CONTACT_SLIP], t.limits, t.worst);
        ck_assert_int_ge(t.accepted, SAMPLES(667));
        ck_assert_int_ge(t.modes[TRX_CONTACT_STICK], SAMPLES(50));
        ck_assert_int_ge(t.limits, SAMPLES(3));
        if (p > 2) ck_assert_int_ge(t.modes[TRX_CONTACT_SLIP], SAMPLES(20));
        assert_below(t.worst, 1e-6);
    }
}
END_TEST

START_TEST(products_agree_with_the_matrices)
{
    double x[MAX_X], u[MAX_NU];
    scene s = scene_pair(SCENE_ARM, TRX_SHAPE_BOX, TRX_SHAPE_SPHERE);
    use(&s, TRX_CONTACT_DOJO, 1e-6);
    for (int i = 0; i < 20; i++) {
        draw(&s, i, x, u);
        ck_assert_msg(trx_step(s.sim, x, u, NULL) >= 0, "%s", trx_context_message(s.context));
        judge_products(s.sim, (uint64_t)i, 1e-8);
    }
    scene_destroy(&s);
}
END_TEST

START_TEST(too_few_iterations_are_a_status)
{
    double x[16];
    const floor_def def = floor_def_default();
    scene s = scene_floor(&def);
    use(&s, TRX_CONTACT_DOJO, 1e-9);
    trx_sim_settings settings = trx_sim_get_settings(s.sim);
    settings.max_iterations = 2;
    ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_OK);
    floor_state(&s, &def, 0.05, 1, x);
    ck_assert_int_eq(trx_step(s.sim, x, NULL, x), TRX_ERR_NOT_CONVERGED);
    settings.kappa = 0;
    ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_ERR_ARGUMENT);
    scene_destroy(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contact/dojo");
    TCase *cases = tcase_create("dojo");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, a_box_takes_few_iterations);
    tcase_add_test(cases, a_small_kappa_is_ncp);
    tcase_add_test(cases, derivatives_are_their_differences);
    tcase_add_test(cases, products_agree_with_the_matrices);
    tcase_add_test(cases, too_few_iterations_are_a_status);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
