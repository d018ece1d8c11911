// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Samples at and between knots.

#include "fit/knot.h"
#include "support/support.h"

START_TEST(a_time_within_rounding_of_a_knot_is_at_the_knot)
{
    double share;
    ck_assert_int_eq(trxi_knot_of(1, 0.01, 1.02999999, &share), 3);
    assert_close(share, 0, 0);
    ck_assert_int_eq(trxi_knot_of(1, 0.01, 1.03000001, &share), 3);
    assert_close(share, 0, 0);
    ck_assert_int_eq(trxi_knot_of(1, 0.01, 1.035, &share), 3);
    assert_close(share, 0.5, 1e-9);
}
END_TEST

START_TEST(controls_act_from_their_sample_to_the_next)
{
    static const double t[] = {1, 1.025, 1.03, 1.09}, times[] = {0.5, 1, 1.0249, 1.024999, 1.029, 1.08, 1.09, 2};
    static const int held[] = {0, 0, 0, 1, 1, 2, 3, 3};
    const trx_fit_recording r = {.rows = 4, .t = t};
    for (int i = 0; i < 8; i++)
        for (int from = 0; from < 4; from++) ck_assert_int_eq(trxi_held_row(&r, 0.01, times[i], from), held[i]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit/knot");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_time_within_rounding_of_a_knot_is_at_the_knot);
    tcase_add_test(tests, controls_act_from_their_sample_to_the_next);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
