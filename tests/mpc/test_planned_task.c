// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The task as a controller plans it: its weights, and what heavier goals do in a plant that is not the model.

#include "loop.h"

#include "base/context.h"
#include "mpc/planned_task.h"

START_TEST(goals_alone_weigh_more)
{
    loop l;
    ck_assert_int_eq(trx_context_create(NULL, &l.context), TRX_OK);
    trx_mpc_settings settings = open_loop(&l, "problems/push_box.yaml");
    settings.refine = 2, settings.goal_weight = 3;
    trxi_pool *pool = trxi_pool_create(l.context);
    trx_plan_problem planned;
    ck_assert_int_eq(trxi_mpc_planned_task(l.context, pool, &l.task, &settings, &planned), TRX_OK);
    ck_assert(planned.steps == 2 * l.task.steps && planned.nterm == l.task.nterm);
    int goals = 0;
    for (int i = 0; i < planned.nterm; i++) {
        const trx_cost_term *before = &l.task.terms[i], *after = &planned.terms[i];
        const bool goal = before->tolerance > 0;
        for (int k = 0; k < trx_cost_term_dimension(l.task.model, before); k++)
            ck_assert_double_eq(after->weight[k], (goal ? 3 : 1) * before->weight[k]);
        ck_assert_double_eq(after->tolerance, before->tolerance);
        goals += goal;
    }
    ck_assert(goals > 0 && goals < planned.nterm);
    trxi_pool_destroy(pool);
    end(&l);
}
END_TEST

// the wall is 20 % softer: the pole returns late, and the plan's weights leave the cart beside its goal
START_TEST(goals_that_weigh_more_are_met_more_closely_in_another_world)
{
    double error[2];
    for (int heavy = 0; heavy < 2; heavy++) {
        loop l;
        ck_assert_int_eq(trx_context_create(NULL, &l.context), TRX_OK);
        trx_mpc_settings settings = open_loop(&l, "problems/cart_pole_with_wall.yaml");
        settings.refine = 8, settings.goal_weight = heavy ? 10 : 1;
        ck_assert_int_eq(trx_mpc_create(l.context, &l.task, &settings, &l.mpc), TRX_OK);
        trx_sim *plant = plant_of(&l, 0.000625, 1);
        trx_pair_law law = trx_sim_pair_law(plant, 0);
        law.stiffness *= 0.8;
        ck_assert_int_eq(trx_sim_set_pair_law(plant, 0, &law), TRX_OK);
        run(&l, plant, 1.0, 0.02);
        error[heavy] = fabs(l.x[0]);
        ck_assert_int_eq(trx_mpc_get_info(l.mpc).failures, 0);
        trx_sim_destroy(plant);
        end(&l);
    }
    ck_assert_double_gt(error[0], 0.01);
    ck_assert_double_lt(error[1], error[0] / 3);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mpc/planned_task");
    TCase *cases = tcase_create("planned_task");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, goals_alone_weigh_more);
    tcase_add_test(cases, goals_that_weigh_more_are_met_more_closely_in_another_world);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
