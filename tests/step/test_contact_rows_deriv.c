// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives of the momentum residual at fixed v (theory 6) for contacts of 1e6 to 1e12 N/m; and the linear solve that turns
// them into derivatives of the step.

#include "step/stiff.h"
#include "support/support.h"

#include <stdio.h>

START_TEST(residual_derivatives_are_exact_up_to_1e12_newton_per_metre)
{
    const stiff_tally t = stiff_judge(0);
    printf("%d judged, %d near a kink, %d unsolved; worst dr/dq %.1e, dr/dv0 %.1e, dr/du %.1e, solve %.1e\n", t.judged,
           t.near_kink, t.unsolved, t.worst_q, t.worst_v, t.worst_u, t.worst_solve);
    ck_assert_int_ge(t.judged, 500 / STIFF_EVERY);
    assert_below((double)t.near_kink, 0.3 * t.judged);
    assert_below((double)t.unsolved, 0.03 * t.judged);
    assert_below(t.worst_q, 1e-8);
    assert_below(t.worst_v, 1e-8);
    assert_below(t.worst_u, 1e-8);
    assert_below(t.worst_solve, 1e-12);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/contact_rows_deriv");
    TCase *cases = tcase_create("contact_rows_deriv");
    tcase_set_timeout(cases, 0);
    tcase_add_test(cases, residual_derivatives_are_exact_up_to_1e12_newton_per_metre);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
