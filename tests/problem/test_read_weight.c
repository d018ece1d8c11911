// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Weights that change over time, and norms, from a problem file to the terms of a plan.

#include "loading.h"

START_TEST(a_schedule_becomes_weights_per_knot)
{
    sandbox s = sandbox_open();
    ck_assert_int_eq(load_push(&s, "cost:\n"
                                   "  - of: box.position\n"
                                   "    weight: {base: [2, 4, 0], times: [0.02, 0.04, 0.08], factors: [0, 1, 3]}\n"
                                   "  - {of: velocity, weight: 3}\n"),
                     TRX_OK);
    const trx_cost_term *term = plan_term(&s, 0);
    const double factors[11] = {0, 0, 1, 2, 3, 3, 3, 3, 3, 3, 3}; // knots are 20 ms apart
    ck_assert_int_eq(term->weight_stride, 3);
    for (int k = 0; k <= 10; k++) {
        assert_close(term->weight[3 * k], 2 * factors[k], 1e-9);
        assert_close(term->weight[3 * k + 1], 4 * factors[k], 1e-9);
        ck_assert(term->weight[3 * k + 2] == 0);
    }
    ck_assert(plan_term(&s, 1)->weight_stride == 0 && plan_term(&s, 1)->weight[7] == 3);
    sandbox_close(&s, NULL, 0);
}
END_TEST

START_TEST(a_file_holds_the_factors)
{
    const char *const files[] = {"ramp.csv"};
    sandbox s = sandbox_open();
    write_file(&s, "ramp.csv", "t,factor\n0,1\n0.2,2\n");
    ck_assert_int_eq(load_push(&s, "cost: [{of: px.position, weight: {base: 5, file: ramp.csv}}]\n"), TRX_OK);
    assert_close(plan_term(&s, 0)->weight[0], 5, 1e-12);
    assert_close(plan_term(&s, 0)->weight[5], 7.5, 1e-9);

    write_file(&s, "ramp.csv", "t,factor\n0,1\n0.1,-2\n");
    ck_assert_int_eq(load_push(&s, "cost: [{of: px.position, weight: {file: ramp.csv}}]\n"), TRX_ERR_INPUT);
    ck_assert(has_finding(&s.f, TRX_ERROR, "a factor is -2"));
    sandbox_close(&s, files, 1);
}
END_TEST

START_TEST(a_norm_reaches_the_plan)
{
    sandbox s = sandbox_open();
    ck_assert_int_eq(load_push(&s, "cost: [{of: velocity, norm: huber, scale: 0.1}, {of: velocity, norm: smooth_abs, scale: 2}, "
                                   "{of: velocity, norm: square}]\n"),
                     TRX_OK);
    ck_assert(plan_term(&s, 0)->norm == TRX_HUBER && plan_term(&s, 0)->norm_scale == 0.1);
    ck_assert(plan_term(&s, 1)->norm == TRX_SMOOTH_ABS && plan_term(&s, 1)->norm_scale == 2);
    ck_assert(plan_term(&s, 2)->norm == TRX_SQUARE);
    sandbox_close(&s, NULL, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/read_weight");
    TCase *cases = tcase_create("read_weight");
    tcase_add_test(cases, a_schedule_becomes_weights_per_knot);
    tcase_add_test(cases, a_file_holds_the_factors);
    tcase_add_test(cases, a_norm_reaches_the_plan);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
