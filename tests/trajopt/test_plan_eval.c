// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The single evaluations that other optimizers ask for: what they refuse, and what they give.

#include "trajopt/scenes.h"

#include "trajopt/plan.h"

START_TEST(single_evaluations_check_their_arguments)
{
    push p;
    double value, r[3], u[3] = {0};
    trx_stage stages[3];
    open_stages(&p, stages);
    const double *x = p.task.x0;
    ck_assert_int_eq(trx_plan_solve(NULL, NULL, NULL), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_plan_cost(NULL, 0, x, u, &value, NULL, NULL, NULL, NULL, NULL), TRX_ERR_ARGUMENT);
    for (int knot = -1; knot <= 51; knot += 52) {
        ck_assert_int_eq(trx_plan_cost(p.plan, knot, x, u, &value, NULL, NULL, NULL, NULL, NULL), TRX_ERR_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(trx_context_message(p.context), "is not in 0 .. 50"));
        ck_assert_int_eq(trx_plan_residual(p.plan, 0, knot, x, u, r), TRX_ERR_ARGUMENT);
    }
    ck_assert_int_eq(trx_plan_cost(p.plan, 0, NULL, u, &value, NULL, NULL, NULL, NULL, NULL), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_plan_cost(p.plan, 0, x, NULL, &value, NULL, NULL, NULL, NULL, NULL), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_plan_cost(p.plan, 50, x, NULL, NULL, NULL, NULL, NULL, NULL, NULL), TRX_OK);
    ck_assert_int_eq(trx_plan_residual(p.plan, -1, 0, x, u, r), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_plan_residual(p.plan, PUSH_TERMS, 0, x, u, r), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_plan_residual(p.plan, 0, 0, x, u, NULL), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_plan_residual(p.plan, PUSH_TERMS - 1, 50, x, NULL, r), TRX_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(trx_context_message(p.context), "u is NULL"));
    ck_assert_int_eq(trx_plan_measure(p.plan, NULL), TRX_ERR_ARGUMENT);
    close_push(&p);
}
END_TEST

START_TEST(a_message_is_never_older_than_the_call_that_it_is_read_for)
{
    push p;
    double value, u[3] = {0};
    trx_stage stages[3];
    open_stages(&p, stages);
    const char *message = trx_context_message(p.context);
    ck_assert_int_eq(trx_plan_residual(p.plan, 99, 0, p.task.x0, u, u), TRX_ERR_ARGUMENT);
    ck_assert_str_eq(message, "there is no cost term 99");
    ck_assert_int_eq(trx_plan_cost(p.plan, 0, p.task.x0, u, &value, NULL, NULL, NULL, NULL, NULL), TRX_OK);
    ck_assert_str_eq(message, "");
    ck_assert_int_eq(trx_plan_measure(p.plan, NULL), TRX_ERR_ARGUMENT);
    ck_assert_str_eq(message, "trx_plan_measure: no place for the times");
    trx_plan_settings settings = trx_plan_settings_default();
    ck_assert_int_eq(trx_plan_create(p.context, &p.task.problem, &settings, NULL), TRX_ERR_ARGUMENT);
    ck_assert_str_eq(message, "trx_plan_create: no place for the plan");
    ck_assert_int_eq(trx_plan_set_start(p.plan, p.task.x0, 0), TRX_OK);
    ck_assert_str_eq(message, "");
    close_push(&p);
}
END_TEST

START_TEST(hessians_are_full_and_symmetric)
{
    push p;
    enum { NX = 18 };
    double l_xx[NX * NX], l_ux[3 * NX], l_uu[9], u[3] = {1, 2, 3};
    trx_stage stages[3];
    open_stages(&p, stages);
    ck_assert_int_eq(trx_plan_cost(p.plan, 0, p.task.x0, u, NULL, NULL, NULL, l_xx, l_ux, l_uu), TRX_OK);
    for (int j = 0; j < NX; j++)
        for (int i = 0; i < NX; i++) ck_assert(l_xx[i + NX * j] == l_xx[j + NX * i]);
    ck_assert(max_magnitude(l_ux, 3 * NX) == 0);
    for (int i = 0; i < 9; i++) assert_close(l_uu[i], i % 4 == 0 ? 2 * 0.02 * 0.1 : 0, 1e-16);
    close_push(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/plan_eval");
    TCase *cases = tcase_create("plan_eval");
    tcase_add_test(cases, single_evaluations_check_their_arguments);
    tcase_add_test(cases, hessians_are_full_and_symmetric);
    tcase_add_test(cases, a_message_is_never_older_than_the_call_that_it_is_read_for);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
