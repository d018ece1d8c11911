// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Norms of residuals: formulas, slopes against differences, parabolas that lie above a norm. The minimum of a plan is a Huber
// estimate or a median.

#include "trajopt/scenes.h"

#include "trajopt/norm.h"

static const trx_norm norms[3] = {TRX_SQUARE, TRX_HUBER, TRX_SMOOTH_ABS};

START_TEST(values_have_their_closed_forms)
{
    assert_close(trxi_norm_value(TRX_SQUARE, 0, 3, -0.5), 0.75, 1e-15);
    assert_close(trxi_norm_value(TRX_HUBER, 0.2, 3, 0.1), 0.03, 1e-15);
    assert_close(trxi_norm_value(TRX_HUBER, 0.2, 3, -0.5), 3 * 0.2 * (1 - 0.2), 1e-15);
    assert_close(trxi_norm_value(TRX_SMOOTH_ABS, 0.3, 2, -0.4), 2 * 0.2, 1e-15);

    // the limits of smooth_abs: |r| far away, r^2/(2 s) near 0 without cancellation
    assert_close(trxi_norm_value(TRX_SMOOTH_ABS, 1e-9, 1, 0.7), 0.7, 1e-8);
    assert_close(trxi_norm_value(TRX_SMOOTH_ABS, 1, 1, 1e-9) / 5e-19, 1, 1e-12);
    ck_assert(trxi_norm_value(TRX_SMOOTH_ABS, 1, 1, 0) == 0);
}
END_TEST

START_TEST(slopes_agree_with_differences)
{
    for (int n = 0; n < 3; n++)
        for (double r = -1.05; r < 1; r += 0.1) {
            const double e = 1e-4, curvature = trxi_norm_curvature(norms[n], 0.3, 2.5, r), slope = curvature * r;
            const double wide = trxi_norm_value(norms[n], 0.3, 2.5, r + e) - trxi_norm_value(norms[n], 0.3, 2.5, r - e);
            assert_close(slope, wide / (2 * e), 1e-7);
            ck_assert(fabs(slope) > 0.1 && curvature > 0);
        }
}
END_TEST

START_TEST(a_parabola_of_the_curvature_lies_above)
{
    for (int n = 0; n < 3; n++)
        for (double r = -0.95; r < 1; r += 0.1)
            for (double step = -2; step <= 2; step += 0.125) {
                const double curvature = trxi_norm_curvature(norms[n], 0.3, 1, r), slope = curvature * r;
                const double bound = trxi_norm_value(norms[n], 0.3, 1, r) + slope * step + 0.5 * curvature * step * step;
                ck_assert(trxi_norm_value(norms[n], 0.3, 1, r + step) <= bound + 1e-14);
            }
}
END_TEST

// the velocity of a mass after one step. The cost is the sum of the norms of the differences between this velocity and five values
static double estimate(trx_norm norm, double scale, const double values[5])
{
    trx_context *context = make_context();
    trx_model *model = rail_model(context, 2);

    static const double one = 1, little = 1e-9, x0[2] = {0, 0};
    static const int joint = 0;
    trx_cost_term terms[6] = {{.quantity = TRX_CONTROL, .weight = &little}};
    for (int i = 0; i < 5; i++)
        terms[1 + i] = (trx_cost_term){.quantity = TRX_JOINT_VELOCITY, .joints = &joint, .njoint = 1, .target = &values[i],
                                       .weight = &one, .time = TRX_END, .norm = norm, .norm_scale = scale};
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = model, problem.steps = 1, problem.x0 = x0, problem.terms = terms, problem.nterm = 6;
    trx_plan_settings settings = trx_plan_settings_default();
    settings.tolerance = 1e-14;
    trx_plan *plan = make_plan(context, &problem, settings);
    ck_assert_int_ge(trx_plan_solve(plan, NULL, NULL), 0);
    const double v = trx_plan_states(plan)[3];
    trx_plan_destroy(plan);
    trx_model_destroy(model);
    trx_context_destroy(context);
    return v;
}

START_TEST(a_plan_finds_the_huber_estimate)
{
    // the outlier 9 pulls by s only: 4 v = 1 + 1.1 + 0.8 + 1.3 + s
    const double values[5] = {1, 1.1, 9, 0.8, 1.3}, scale = 0.5;
    assert_close(estimate(TRX_SQUARE, 0, values), 13.2 / 5, 1e-6);
    assert_close(estimate(TRX_HUBER, scale, values), (4.2 + scale) / 4, 1e-6);
}
END_TEST

START_TEST(a_plan_finds_the_median)
{
    const double values[5] = {1, 1.1, 9, 0.8, 1.3};
    const double coarse = estimate(TRX_SMOOTH_ABS, 0.1, values), fine = estimate(TRX_SMOOTH_ABS, 1e-4, values);
    assert_close(fine, 1.1, 1e-4);
    ck_assert(fabs(coarse - 1.1) > 1e-3);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/norm");
    TCase *cases = tcase_create("norm");
    tcase_add_test(cases, values_have_their_closed_forms);
    tcase_add_test(cases, slopes_agree_with_differences);
    tcase_add_test(cases, a_parabola_of_the_curvature_lies_above);
    tcase_add_test(cases, a_plan_finds_the_huber_estimate);
    tcase_add_test(cases, a_plan_finds_the_median);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
