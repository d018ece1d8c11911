// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// policy.npz: the policy of a plan, not the gains of its solver, comes back to the bit.

#include "report/fixture.h"

#include <stdio.h>
#include <string.h>

// a short plan, written to the folder of the fixture
static trx_plan *write_plan(const fixture *f)
{
    trx_plan_problem problem = trx_plan_problem_default();
    trx_plan_settings settings = trx_plan_settings_default();
    trx_plan *plan;
    ck_assert_int_eq(trx_problem_plan(f->problem, &problem, &settings), TRX_OK);
    settings.iterations = 2;
    ck_assert_int_eq(trx_plan_create(f->context, &problem, &settings, &plan), TRX_OK);
    ck_assert_int_ge(trx_plan_solve(plan, NULL, NULL), 0);
    ck_assert_int_eq(trx_run_set_plan(f->run, plan), TRX_OK);
    ck_assert_int_eq(trx_run_write(f->run, f->folder), TRX_OK);
    return plan;
}

START_TEST(the_policy_of_a_plan_comes_back)
{
    fixture f;
    fixture_open(&f);
    trx_plan *plan = write_plan(&f);

    trx_policy *back, *made;
    const trx_policy_settings defaults = trx_policy_settings_default();
    ck_assert_int_eq(trx_policy_of_plan(plan, &defaults, &made), TRX_OK);
    ck_assert_int_eq(trx_run_read_policy(f.run, f.folder, &back), TRX_OK);
    const trx_policy_def a = trx_policy_get(back), b = trx_policy_get(made);
    ck_assert_int_eq(a.steps, b.steps);
    assert_close(a.time_step, b.time_step, 1e-15);
    ck_assert_mem_eq(a.x, b.x, sizeof *a.x * NX * (STEPS + 1));
    ck_assert_mem_eq(a.u, b.u, sizeof *a.u * NU * STEPS);
    ck_assert_mem_eq(a.K, b.K, sizeof *a.K * NU * 2 * NV * STEPS);
    ck_assert_int_ne(memcmp(a.K, trx_plan_gains(plan), sizeof *a.K * NU * 2 * NV * STEPS), 0);
    trx_policy_destroy(back);
    trx_policy_destroy(made);
    trx_plan_destroy(plan);
    fixture_close(&f);
}
END_TEST

START_TEST(a_folder_without_a_policy_is_refused)
{
    fixture f;
    fixture_open(&f);
    trx_policy *none;
    ck_assert_int_eq(trx_run_read_policy(f.run, f.place, &none), TRX_ERR_IO);
    ck_assert_ptr_null(none);
    ck_assert_ptr_nonnull(strstr(trx_context_message(f.context), "has no policy"));
    fixture_close(&f);
}
END_TEST

// two problems of the same sizes: a valve's policy drove a drawer, without a word
START_TEST(a_policy_of_other_coordinates_is_refused)
{
    fixture f;
    fixture_open(&f);
    trx_plan *plan = write_plan(&f);

    // the same table under another name of the first coordinate
    const char *file = fixture_file(&f, "trajectory.csv");
    char line[512];
    FILE *table = fopen(file, "r");
    ck_assert_ptr_nonnull(fgets(line, sizeof line, table));
    fclose(table);
    const char *first = trx_model_q_name(trx_problem_model(f.problem), 0);
    ck_assert_mem_eq(line + 2, first, strlen(first));
    table = fopen(file, "w");
    fprintf(table, "t,other%s", line + 2 + strlen(first));
    fclose(table);

    trx_policy *none;
    ck_assert_int_eq(trx_run_read_policy(f.run, f.folder, &none), TRX_ERR_INPUT);
    ck_assert_ptr_null(none);
    ck_assert_ptr_nonnull(strstr(trx_context_message(f.context), "column \"other\" where this problem has"));

    // arrays without the table do not identify the model
    ck_assert_int_eq(remove(file), 0);
    ck_assert_int_eq(trx_run_read_policy(f.run, f.folder, &none), TRX_OK);
    trx_policy_destroy(none);
    trx_plan_destroy(plan);
    fixture_close(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report/policy");
    TCase *cases = tcase_create("policy");
    tcase_add_test(cases, the_policy_of_a_plan_comes_back);
    tcase_add_test(cases, a_policy_of_other_coordinates_is_refused);
    tcase_add_test(cases, a_folder_without_a_policy_is_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
