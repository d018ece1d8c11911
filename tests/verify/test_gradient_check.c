// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The check of one state after the other: counts add up, right derivatives pass, an error above the bound does not. What it says on
// whole problems is in tests/problem/test_check_gradients.c.

#include "verify/gradient_check.h"

#include "step/scenes.h"
#include "support/support.h"

#include <string.h>

enum { MAX_X = 48, STATES = 6 };

START_TEST(right_derivatives_pass_and_every_state_is_counted)
{
    scene s = scene_pair(SCENE_ARM, TRX_SHAPE_BOX, TRX_SHAPE_SPHERE);
    trx_sim_settings settings = trx_sim_get_settings(s.sim);
    trxi_gradient_checker *checker;
    trx_gradient_check result = {0};
    double x[MAX_X], u[8];
    ck_assert_int_eq(trxi_gradient_checker_create(s.context, s.model, &settings, &checker), TRX_OK);
    ck_assert_ptr_nonnull(trxi_gradient_checker_sim(checker));
    for (int i = 0; i < STATES; i++) {
        scene_state(&s, i % 2 ? SCENE_SLIP : SCENE_STICK, 8, i, x, u);
        trx_status status = trxi_gradient_checker_judge(checker, i, x, u, &result);
        ck_assert_msg(status == TRX_OK, "%s", trx_context_message(s.context));
    }
    ck_assert_int_eq(result.states + result.kinks, STATES);
    ck_assert_int_ge(result.states, 4);
    ck_assert_int_eq(result.term_states, 2); // the first of every five
    ck_assert_int_gt(result.parameters, 10 * result.states);
    ck_assert(result.a_error > 0 && result.b_error > 0 && result.c_error > 0);
    ck_assert_int_eq(strncmp(result.a_at, "knot ", 5), 0);
    ck_assert_msg(trxi_gradient_check_passed(&result), "%g at %s, %g at %s, %g at %s", result.a_error, result.a_at, result.b_error,
                  result.b_at, result.c_error, result.c_at);

    // states that fail leave a status, not a verdict
    x[0] = NAN;
    ck_assert_int_eq(trxi_gradient_checker_judge(checker, 9, x, u, &result), TRX_ERR_NOT_FINITE);
    trxi_gradient_checker_destroy(checker);
    trxi_gradient_checker_destroy(NULL);
    scene_destroy(&s);
}
END_TEST

START_TEST(one_error_above_the_bound_is_enough_to_fail)
{
    trx_gradient_check result = {0};
    ck_assert(trxi_gradient_check_passed(&result));
    double *const errors[] = {&result.a_error, &result.b_error, &result.c_error, &result.terms[TRX_TERM_LIMIT].error};
    for (int k = 0; k < 4; k++) {
        *errors[k] = 2e-5;
        ck_assert(!trxi_gradient_check_passed(&result));
        *errors[k] = NAN;
        ck_assert(!trxi_gradient_check_passed(&result));
        *errors[k] = 0;
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("verify/gradient_check");
    TCase *cases = tcase_create("gradient_check");
    tcase_add_test(cases, right_derivatives_pass_and_every_state_is_counted);
    tcase_add_test(cases, one_error_above_the_bound_is_enough_to_fail);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
