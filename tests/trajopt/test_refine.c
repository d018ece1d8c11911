// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Refinement: the same problem at a fraction of the step, from a plan.

#include "trajopt/scenes.h"

#include "trajopt/plan.h"

START_TEST(a_refined_plan_meets_its_goals_at_the_finer_step)
{
    push p;
    open_push(&p, -0.08, 0.01, 0.08, 0, 0.2);
    ck_assert_int_ge(solve_push(&p, trx_plan_settings_default()), TRX_OK);
    const trx_plan_settings settings = trx_plan_settings_default();
    trx_plan *refined;
    const trx_stage *stages;
    trxi_warn_at(p.context, (trx_source){0}, "a finding of the caller, which a refinement cleared");
    ck_assert_int_eq(trx_plan_create_refined(p.context, &p.task.problem, &settings, p.plan, 4, &refined), TRX_OK);
    ck_assert_int_eq(trx_context_diagnostic_count(p.context), 1);
    ck_assert_int_eq(refined->rollout.steps, 4 * p.task.problem.steps);
    assert_close(refined->sim_settings.time_step, p.task.problem.sim.time_step / 4, 1e-18);
    ck_assert_int_eq(trx_plan_stages(refined, &stages), 1);
    ck_assert(stages[0].physical);
    ck_assert_int_ge(trx_plan_solve(refined, NULL, NULL), TRX_OK);
    const trx_plan_info before = trx_plan_get_info(p.plan), after = trx_plan_get_info(refined);
    ck_assert(after.physical.goals[0].met && after.physical.goals[1].met);

    // the costs of both plans are near, because the cost has a limit for small steps
    ck_assert(fabs(after.cost - before.cost) < 0.3 * before.cost && after.cost != before.cost);
    trx_plan_destroy(refined);
    close_push(&p);
}
END_TEST

// a cart on a rail follows x = t; its target and weight are given per knot
START_TEST(rows_per_knot_are_interpolated)
{
    enum { N = 4 };
    trx_context *context = make_context();
    trx_model *model = rail_model(context, 1);
    double target[N + 1], weight[N + 1];
    for (int k = 0; k <= N; k++) target[k] = 0.1 * k, weight[k] = 1 + k;
    const double x0[2] = {0, 0}, w_u[1] = {1e-3};
    const trx_cost_term terms[2] = {
        {.name = "x", .quantity = TRX_JOINT_POSITION, .joints = (const int[1]){0}, .njoint = 1, .target = target,
         .target_stride = 1, .weight = weight, .weight_stride = 1, .time = TRX_ALL},
        {.name = "u", .quantity = TRX_CONTROL, .weight = w_u},
    };
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = model, problem.steps = N, problem.sim.time_step = 0.1, problem.x0 = x0;
    problem.terms = terms, problem.nterm = 2;
    const trx_plan_settings settings = trx_plan_settings_default();
    trx_plan *plan = make_plan(context, &problem, settings), *refined;
    ck_assert_int_eq(trx_plan_create_refined(context, &problem, &settings, plan, 2, &refined), TRX_ERR_NO_STEP);
    ck_assert_int_ge(trx_plan_solve(plan, NULL, NULL), TRX_OK);
    ck_assert_int_eq(trx_plan_create_refined(context, &problem, &settings, plan, 0, &refined), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_plan_create_refined(context, &problem, &settings, plan, 2, &refined), TRX_OK);
    for (int k = 0; k <= 2 * N; k++) {
        double r, cost, at_rest[2] = {0, 0};
        ck_assert_int_eq(trx_plan_residual(refined, 0, k, at_rest, w_u, &r), TRX_OK);
        assert_close(r, -0.05 * k, 1e-15);
        ck_assert_int_eq(trx_plan_cost(refined, k, at_rest, k < 2 * N ? x0 : NULL, &cost, NULL, NULL, NULL, NULL, NULL), TRX_OK);
        assert_close(cost, (k < 2 * N ? 0.05 : 1) * (1 + 0.5 * k) * r * r, 1e-12);
    }
    trx_plan_destroy(refined);
    trx_plan_destroy(plan);
    trx_model_destroy(model);
    trx_context_destroy(context);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/refine");
    TCase *cases = tcase_create("refine");
    tcase_add_test(cases, a_refined_plan_meets_its_goals_at_the_finer_step);
    tcase_add_test(cases, rows_per_knot_are_interpolated);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
