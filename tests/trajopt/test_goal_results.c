// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Results of goals: their components have the names and units of their terms.

#include "trajopt/scenes.h"

#include "trajopt/goal_results.h"
#include "trajopt/plan.h"

START_TEST(components_have_names_and_units)
{
    push p;
    open_push(&p, -0.08, 0, 0.08, 0, 0);
    ck_assert_int_ge(solve_push(&p, trx_plan_settings_default()), TRX_OK);
    const trx_plan_info info = trx_plan_get_info(p.plan);
    static const char *const axes[] = {"x", "y", "z"}, *const turns[] = {"rx", "ry", "rz"};
    ck_assert_int_eq(info.ngoal, 2);
    for (int i = 0; i < 3; i++) {
        ck_assert_str_eq(info.physical.goals[0].names[i], axes[i]);
        ck_assert_str_eq(info.fine.goals[0].units[i], "m");
        ck_assert_str_eq(info.physical.goals[1].names[i], turns[i]);
        ck_assert_str_eq(info.physical.goals[1].units[i], "rad");
    }
    close_push(&p);
}
END_TEST

START_TEST(the_largest_component_is_found)
{
    const double r[4] = {0.1, -0.3, 0.2, NAN};
    trx_goal_result goal = {.ncomponent = 3, .components = r};
    ck_assert_int_eq(trxi_goal_largest(&goal), 1);
    goal.ncomponent = 4;
    ck_assert_int_eq(trxi_goal_largest(&goal), 1);
    goal.ncomponent = 1;
    ck_assert_int_eq(trxi_goal_largest(&goal), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/goal_results");
    TCase *cases = tcase_create("goal_results");
    tcase_add_test(cases, components_have_names_and_units);
    tcase_add_test(cases, the_largest_component_is_found);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
