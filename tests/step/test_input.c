// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// What follows from settings: the numbers of the schemes (theory 2), settings of laws and solver.

#include "step/input.h"
#include "support/support.h"

START_TEST(schemes_have_their_thetas)
{
    const struct {
        trx_scheme scheme;
        double th, th_vq;
        bool two_stage;
    } expected[] = {{TRX_SYMPLECTIC, 1, 1, false}, {TRX_IMPLICIT, 1, 1, true}, {TRX_MIDPOINT, 0.5, 0.5, true},
                    {TRX_THETA, 0.7, 0.3, true}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        trx_sim_settings settings = trx_sim_settings_default();
        trxi_input in = {0};
        settings.scheme = expected[i].scheme, settings.theta = 0.7, settings.theta_vq = 0.3;
        trxi_input_use_settings(&in, &settings);
        assert_close(in.th, expected[i].th, 0);
        assert_close(in.th_vq, expected[i].th_vq, 0);
        ck_assert(in.two_stage == expected[i].two_stage);
    }
}
END_TEST

START_TEST(laws_see_the_settings)
{
    trx_sim_settings settings = trx_sim_settings_default();
    trxi_input in = {0};
    settings.time_step = 3e-3, settings.stiction_tolerance = 2e-4, settings.kappa = 1e-5, settings.compliance = 1e-7;
    trxi_input_use_settings(&in, &settings);
    assert_close(in.law.dt, 3e-3, 0);
    assert_close(in.law.stiction_tolerance, 2e-4, 0);
    assert_close(in.law.kappa, 1e-5, 0);
    assert_close(in.law.compliance, 1e-7, 0);
}
END_TEST

START_TEST(only_newton_on_a_symmetric_law_leaves_slopes)
{
    const struct {
        trx_contact_model model;
        trx_contact_solver solver;
        bool slopes;
    } expected[] = {{TRX_CONTACT_CONVEX, TRX_SOLVER_USUAL, true}, {TRX_CONTACT_CCP, TRX_SOLVER_USUAL, true},
                    {TRX_CONTACT_CCP, TRX_SOLVER_PGS, false}, {TRX_CONTACT_NCP, TRX_SOLVER_USUAL, false}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        trx_sim_settings settings = trx_sim_settings_default();
        trxi_input in = {0};
        settings.contact_model = expected[i].model, settings.contact_solver = expected[i].solver;
        settings.max_iterations = 17, settings.tolerance = 1e-7;
        trxi_input_use_settings(&in, &settings);
        ck_assert_msg(trxi_input_has_slopes(&in) == expected[i].slopes, "model %d, solver %d", (int)expected[i].model,
                      (int)expected[i].solver);
        ck_assert_int_eq(in.solver.max_iterations, 17);
        assert_close(in.solver.tolerance, 1e-7, 0);
        ck_assert(in.solver.methods == trxi_contact_model_methods(expected[i].model, expected[i].solver));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/input");
    TCase *cases = tcase_create("input");
    tcase_add_test(cases, schemes_have_their_thetas);
    tcase_add_test(cases, laws_see_the_settings);
    tcase_add_test(cases, only_newton_on_a_symmetric_law_leaves_slopes);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
