// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The record of a refinement: finer steps, one more stage, summed iterations.

#include "report/fixture.h"

START_TEST(a_refinement_replaces_the_plan_and_adds_its_stage)
{
    fixture f;
    fixture_open(&f);
    trx_plan_problem problem = trx_plan_problem_default();
    trx_plan_settings settings = trx_plan_settings_default();
    trx_plan *plan, *refined;
    ck_assert_int_eq(trx_problem_plan(f.problem, &problem, &settings), TRX_OK);
    settings.iterations = 2;
    ck_assert_int_eq(trx_plan_create(f.context, &problem, &settings, &plan), TRX_OK);
    ck_assert_int_ge(trx_plan_solve(plan, NULL, NULL), 0);
    ck_assert_int_eq(trx_run_set_plan(f.run, plan), TRX_OK);
    const int nstage = f.run->nstage, iterations = f.run->iteration_count;
    ck_assert_int_eq(trx_plan_create_refined(f.context, &problem, &settings, plan, 2, &refined), TRX_OK);
    ck_assert_int_ge(trx_plan_solve(refined, NULL, NULL), 0);
    ck_assert_int_eq(trx_run_set_refined(f.run, refined), TRX_OK);
    ck_assert_int_eq(f.run->nstage, nstage + 1);
    ck_assert_int_eq(f.run->iteration_count, iterations + trx_plan_get_info(refined).iterations);
    ck_assert_int_eq(f.run->steps, 2 * problem.steps);
    assert_close(f.run->time_step, problem.sim.time_step / 2, 1e-18);
    trx_plan_destroy(refined);
    trx_plan_destroy(plan);
    fixture_close(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report/refined");
    TCase *cases = tcase_create("refined");
    tcase_add_test(cases, a_refinement_replaces_the_plan_and_adds_its_stage);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
