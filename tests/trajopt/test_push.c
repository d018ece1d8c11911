// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Pushing a box (theory 8): with the default stages every task is done on the physical law.

#include "trajopt/scenes.h"

// the plan of a task with default stages reaches the goal on the physical law
static void check_push(double px, double py, double x, double y, double yaw)
{
    push p;
    open_push(&p, px, py, x, y, yaw);
    trx_status status = solve_push(&p, trx_plan_settings_default());
    trx_plan_info info = trx_plan_get_info(p.plan);
    ck_assert_msg(status == TRX_OK || status == TRX_STALLED, "%s: %s", trx_status_name(status), info.message);
    ck_assert_int_eq(info.physical.status, TRX_OK);
    assert_below(info.physical.goals[0].error, 0.005);
    assert_below(info.physical.goals[1].error, 0.02);
    assert_below(info.physical.penetration, 1e-3);
    assert_below(info.physical.slip, 1.001e-4);
    assert_below(info.physical.momentum_residual, 1e-9);
    ck_assert(info.physical.penetration > 1e-4);
    ck_assert_int_eq(info.fine.status, TRX_OK);
    assert_below(info.fine.goals[0].error, 0.02);

    const double *u = trx_plan_controls(p.plan), *end = trx_plan_states(p.plan) + 19 * 50;
    for (int i = 0; i < 150; i++) ck_assert(fabs(u[i]) <= 20);
    assert_close(hypot(end[0] - x, end[1] - y), info.physical.goals[0].error, 1e-12);
    close_push(&p);
}

START_TEST(a_box_is_pushed_straight)
{
    check_push(-0.10, 0, 0.15, 0, 0);
}
END_TEST

START_TEST(a_box_is_pushed_diagonally)
{
    check_push(-0.09, 0, 0.12, 0.08, 0);
}
END_TEST

START_TEST(a_box_is_pushed_sideways)
{
    check_push(-0.09, 0, 0, 0.1, 0);
}
END_TEST

START_TEST(a_box_is_pushed_and_turned)
{
    check_push(-0.09, 0, 0.1, 0.05, 0.6);
}
END_TEST

START_TEST(a_box_is_pushed_from_afar)
{
    check_push(-0.15, 0, 0.15, 0, 0);
    check_push(-0.22, 0, 0.15, 0, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/push");
    TCase *cases = tcase_create("push");
    tcase_set_timeout(cases, 300);
    tcase_add_test(cases, a_box_is_pushed_straight);
    tcase_add_test(cases, a_box_is_pushed_diagonally);
    tcase_add_test(cases, a_box_is_pushed_sideways);
    tcase_add_test(cases, a_box_is_pushed_and_turned);
    tcase_add_test(cases, a_box_is_pushed_from_afar);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
