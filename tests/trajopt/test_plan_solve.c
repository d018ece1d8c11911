// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A solve as a whole: the same bits twice, and no memory taken.

#include "trajopt/scenes.h"

#include "trajopt/plan.h"

START_TEST(two_solves_give_the_same_bits)
{
    swing_up s = make_swing_up(make_context(), 4, 0.01, 200, trx_plan_settings_default());
    double first[200];
    ck_assert_int_ge(trx_plan_solve(s.plan, NULL, NULL), TRX_OK);
    memcpy(first, trx_plan_controls(s.plan), sizeof first);
    ck_assert_int_ge(trx_plan_solve(s.plan, NULL, NULL), TRX_OK);
    ck_assert_int_eq(memcmp(first, trx_plan_controls(s.plan), sizeof first), 0);
    close_swing_up(&s);
}
END_TEST

START_TEST(a_solve_allocates_nothing)
{
    counting_allocator counter = {0};
    trx_context_settings settings = counting_settings(&counter);
    trx_context *context;
    ck_assert_int_eq(trx_context_create(&settings, &context), TRX_OK);
    swing_up s = make_swing_up(context, 4, 0.01, 100, trx_plan_settings_default());
    int before = counter.calls;
    ck_assert_int_ge(trx_plan_solve(s.plan, NULL, NULL), TRX_OK);
    ck_assert_int_eq(counter.calls, before);
    close_swing_up(&s);
    ck_assert_int_eq(counter.outstanding, 0);
}
END_TEST

START_TEST(a_push_allocates_nothing)
{
    counting_allocator counter = {0};
    trx_context_settings counting = counting_settings(&counter);
    push p;
    ck_assert_int_eq(trx_context_create(&counting, &p.context), TRX_OK);
    p.model = push_model(p.context);
    push_task_init(&p.task, p.model, -0.08, 0.01, (double[3]){0.1, 0, 0.2});
    trx_plan_settings settings = trx_plan_settings_default();
    ck_assert_int_eq(trx_plan_create(p.context, &p.task.problem, &settings, &p.plan), TRX_OK);
    int before = counter.calls;
    ck_assert_int_ge(trx_plan_solve(p.plan, NULL, NULL), TRX_OK);
    trx_plan_timing timing;
    ck_assert_int_eq(trx_plan_measure(p.plan, &timing), TRX_OK);
    ck_assert(timing.rollout > 0 && timing.linearize > 0 && timing.backward > 0 && timing.search > 0);
    ck_assert_int_eq(counter.calls, before);
    close_push(&p);
    ck_assert_int_eq(counter.outstanding, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/plan_solve");
    TCase *cases = tcase_create("plan_solve");
    tcase_set_timeout(cases, 300);
    tcase_add_test(cases, two_solves_give_the_same_bits);
    tcase_add_test(cases, a_solve_allocates_nothing);
    tcase_add_test(cases, a_push_allocates_nothing);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
