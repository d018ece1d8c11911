// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The task of a search: dofs that can be placed, geometries that these may touch, and their reach.

#include "search/lab.h"

START_TEST(the_pusher_is_placed_and_the_box_is_not)
{
    lab l;
    open_lab(&l, -0.1, 0, 0.15, 0);
    ck_assert_int_eq(l.task.ndof, 3);
    ck_assert_int_eq(l.task.npassive, 6);
    ck_assert_int_eq(l.task.nobstacle, 1);
    ck_assert_int_eq(l.task.ntouch, 1);
    ck_assert(trxi_task_has_placements(&l.task));
    for (int i = 0; i < 3; i++) assert_close(l.task.reach[i], 1, 1e-12);
    assert_close(l.task.clearance, 0.005, 1e-12); // a quarter of the radius of the ball
    close_lab(&l);
}
END_TEST

START_TEST(without_contacts_nothing_can_be_placed)
{
    trx_context *context = make_context();
    const trx_plan_settings settings = trx_plan_settings_default();
    swing_up s = make_swing_up(context, 5, 1e-3, 50, settings);
    trxi_pool *pool = trxi_pool_create(context);
    trx_plan_problem problem = trx_plan_problem_default();
    const double x0[2] = {0, 0};
    problem.model = s.model, problem.x0 = x0, problem.steps = 50;
    trxi_search_task task;
    ck_assert_int_eq(trxi_task_init(context, pool, &problem, &settings, 1, &task), TRX_OK);
    ck_assert(!trxi_task_has_placements(&task));
    trxi_pool_destroy(pool);
    close_swing_up(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("task");
    TCase *cases = tcase_create("task");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, the_pusher_is_placed_and_the_box_is_not);
    tcase_add_test(cases, without_contacts_nothing_can_be_placed);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
