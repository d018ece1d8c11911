// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// When a loop counts as stuck.

#include "mpc/stuck.h"

#include "loop.h"

START_TEST(a_miss_that_does_not_fall_is_stuck_after_a_while)
{
    trxi_stuck stuck;
    trxi_stuck_reset(0, &stuck);
    for (int k = 0; k <= 20; k++) ck_assert(trxi_stuck_update(0.01 * k, 5, 0.1, &stuck) == (0.01 * k >= 0.1));

    // a small decrease of the miss is no progress; a larger decrease starts the patience anew
    ck_assert(trxi_stuck_update(0.21, 4.9, 0.1, &stuck));
    ck_assert(!trxi_stuck_update(0.22, 4.5, 0.1, &stuck));
    ck_assert(!trxi_stuck_update(0.31, 4.5, 0.1, &stuck));
    ck_assert(trxi_stuck_update(0.33, INFINITY, 0.1, &stuck));
}
END_TEST

START_TEST(a_loop_whose_miss_falls_or_that_meets_its_goals_is_not_stuck)
{
    trxi_stuck stuck;
    double miss = 100;
    trxi_stuck_reset(0, &stuck);
    for (int k = 0; k < 100; k++, miss *= 0.94) ck_assert(!trxi_stuck_update(k, miss, 1.5, &stuck));
    for (int k = 100; k < 110; k++) ck_assert(!trxi_stuck_update(k, 1, 1.5, &stuck));
}
END_TEST

START_TEST(the_miss_of_a_plan_is_its_worst_goal_in_tolerances)
{
    loop l;
    trx_mpc_settings settings = trx_mpc_settings_default();
    settings.first_plan = false, settings.iterations = 1;
    begin(&l, "problems/push_box.yaml", &settings);
    // without contact the box stays 15 cm from its goal, whose tolerance is 5 mm
    ck_assert_int_ge(trx_mpc_update(l.mpc, 0, l.x), 0);
    assert_close(trxi_goal_miss(trx_mpc_plan(l.mpc)), 30, 0.01);
    end(&l);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mpc/stuck");
    TCase *cases = tcase_create("stuck");
    tcase_add_test(cases, a_miss_that_does_not_fall_is_stuck_after_a_while);
    tcase_add_test(cases, a_loop_whose_miss_falls_or_that_meets_its_goals_is_not_stuck);
    tcase_add_test(cases, the_miss_of_a_plan_is_its_worst_goal_in_tolerances);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
