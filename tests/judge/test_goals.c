// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Goals keep the worst knot, count only components that have a weight, and a trajectory that stopped meets none.

#include "judge/goals.h"

#include "support/support.h"

#include <math.h>

static const double weight[3] = {1, 0, 2};

START_TEST(a_goal_keeps_its_worst_knot_without_components_that_have_no_weight)
{
    double components[3] = {7, 7, 7}, near[3] = {0.1, 9, 0}, far[3] = {3, 9, -4}, later[3] = {1, 0, 1};
    trxi_goal_error goal = {2, 3, components};
    trxi_goals_reset(1, &goal);
    ck_assert(goal.error == 0 && max_magnitude(components, 3) == 0);
    trxi_goal_raise(&goal, weight, near);
    trxi_goal_raise(&goal, weight, far);
    trxi_goal_raise(&goal, weight, later);
    assert_close(goal.error, 5, 1e-15);
    ck_assert(components[0] == 3 && components[1] == 0 && components[2] == -4);
}
END_TEST

// a residual of the caller that was NAN on the replay alone counted as no error
START_TEST(a_residual_that_is_no_number_misses_its_goal)
{
    double components[3] = {0}, good[3] = {0.1, 0, 0}, bad[3] = {0.1, 0, NAN};
    trxi_goal_error goal = {0, 3, components};
    trx_goal_result result = {.name = "a", .tolerance = 0.2};
    trxi_goal_raise(&goal, weight, good);
    trxi_goal_raise(&goal, weight, bad);
    trxi_goal_raise(&goal, weight, good);
    trxi_goals_conclude(1, &goal, true, &result);
    ck_assert(!result.met && isinf(result.error));
}
END_TEST

START_TEST(a_trajectory_that_stopped_has_met_nothing)
{
    double components[2][3] = {{0}};
    trxi_goal_error goals[2] = {{0.1, 3, components[0]}, {0.3, 3, components[1]}};
    trx_goal_result results[2] = {{.name = "a", .tolerance = 0.2}, {.name = "b", .tolerance = 0.2}};
    trxi_goals_conclude(2, goals, true, results);
    ck_assert(results[0].met && !results[1].met && results[1].error == 0.3);
    trxi_goals_conclude(2, goals, false, results);
    ck_assert(!results[0].met && isinf(results[0].error) && isinf(results[1].error));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("judge/goals");
    TCase *cases = tcase_create("goals");
    tcase_add_test(cases, a_goal_keeps_its_worst_knot_without_components_that_have_no_weight);
    tcase_add_test(cases, a_residual_that_is_no_number_misses_its_goal);
    tcase_add_test(cases, a_trajectory_that_stopped_has_met_nothing);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
