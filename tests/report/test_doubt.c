// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A plan leans on its time step when a goal that is met is missed at a tenth of the step.

#include "report/fixture.h"

START_TEST(the_worst_goal_that_only_the_plan_meets)
{
    fixture f;
    fixture_open(&f);
    trx_goal_result physical[3] = {{.tolerance = 1, .error = 0.5, .met = true}, {.tolerance = 1, .error = 0.5, .met = true},
                                   {.tolerance = 1, .error = 2}};
    trx_goal_result fine[3] = {{.tolerance = 1, .error = 2}, {.tolerance = 0.1, .error = 0.3}, {.tolerance = 1, .error = 50}};
    f.run->physical.goals = physical, f.run->fine.goals = fine, f.run->ngoal = 3;
    ck_assert_ptr_null(trx_run_doubtful_goal(f.run)); // a simulation
    f.run->planned = true;
    ck_assert_ptr_eq(trx_run_doubtful_goal(f.run), &fine[1]);
    fine[0].error = INFINITY;
    ck_assert_ptr_eq(trx_run_doubtful_goal(f.run), &fine[0]);
    fine[0].error = fine[1].error = 0.05;
    ck_assert_ptr_null(trx_run_doubtful_goal(f.run)); // the third is missed on both
    fixture_close(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report/doubt");
    TCase *cases = tcase_create("doubt");
    tcase_add_test(cases, the_worst_goal_that_only_the_plan_meets);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
