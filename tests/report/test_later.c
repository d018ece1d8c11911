// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The record of a search (its candidates, its result in place of the plan's, and the stages of both) and of a refinement.

#include "report/fixture.h"

#include <string.h>

static fixture f;

static void setup(void)
{
    fixture_open(&f);
}

static void teardown(void)
{
    fixture_close(&f);
}

START_TEST(the_result_of_a_search_replaces_the_plan)
{
    trx_problem *problem;
    trx_run *run;
    fixture_load_other(&f, "push_box", "start={box: {xyz: [0, 0, 0.05]}, px: 0.12, pz: 0.05}", &problem, &run);
    trx_plan_problem task = trx_plan_problem_default();
    trx_plan_settings settings = trx_plan_settings_default();
    trx_search_settings search_settings;
    trx_plan *plan;
    trx_search *search;
    ck_assert_int_eq(trx_problem_plan(problem, &task, &settings), TRX_OK);
    ck_assert(trx_problem_search(problem, &search_settings));
    search_settings.starts = 3;
    ck_assert_int_eq(trx_plan_create(f.context, &task, &settings, &plan), TRX_OK);
    ck_assert_int_ge(trx_plan_solve(plan, NULL, NULL), 0);
    ck_assert_int_eq(trx_run_set_plan(run, plan), TRX_OK);
    const int stages = run->nstage, iterations = run->iteration_count;
    const double seconds = run->solve;
    ck_assert(!run->searched);

    ck_assert_int_eq(trx_search_create(f.context, &task, &settings, &search_settings, &search), TRX_OK);
    ck_assert_int_ge(trx_search_solve(search, plan, NULL, NULL), 0);
    const trx_search_info info = trx_search_get_info(search);
    ck_assert_ptr_nonnull(trx_search_plan(search));
    ck_assert_int_eq(trx_run_set_search(run, search), TRX_OK);
    ck_assert(run->searched);
    ck_assert_int_eq(run->search.ncandidate, info.ncandidate);
    ck_assert_mem_eq(run->search.candidates, info.candidates, (size_t)info.ncandidate * sizeof *info.candidates);
    ck_assert_mem_eq(run->u, trx_plan_controls(trx_search_plan(search)), sizeof(double) * NU * 50);
    ck_assert_int_eq(run->nstage, stages + 1);
    ck_assert(run->stages[stages].set.physical && !run->stages[0].set.physical);
    ck_assert_int_gt(run->iteration_count, iterations);
    assert_close(run->solve, seconds + info.seconds, 1e-12);
    ck_assert_ptr_nonnull(strstr(trx_run_summary(run), "\"outcome\": \"missed\""));
    trx_search_destroy(search);
    trx_plan_destroy(plan);
    trx_run_destroy(run);
    trx_problem_destroy(problem);
}
END_TEST

START_TEST(a_refinement_replaces_the_plan_and_adds_its_stage)
{
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
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report/later");
    TCase *cases = tcase_create("later");
    tcase_set_timeout(cases, 60);
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, the_result_of_a_search_replaces_the_plan);
    tcase_add_test(cases, a_refinement_replaces_the_plan_and_adds_its_stage);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
