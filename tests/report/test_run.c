// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The run object: what it answers before, after and between recordings.

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

START_TEST(a_run_without_a_recording_says_so)
{
    trx_run_info info = trx_run_get_info(f.run);
    ck_assert_int_eq(info.status, TRX_ERR_FAILED);
    ck_assert_str_eq(info.message, "nothing was recorded");
    ck_assert_ptr_nonnull(strstr(trx_run_summary(f.run), "\"status\": \"failed\""));
}
END_TEST

START_TEST(what_is_missing_is_refused_and_nothing_written)
{
    double u[NU * STEPS];
    trx_run *none = NULL;
    ck_assert_int_eq(trx_run_write(f.run, f.folder), TRX_ERR_ARGUMENT); // nothing recorded
    ck_assert_ptr_nonnull(strstr(trx_context_message(f.context), "nothing was recorded"));
    ck_assert_int_eq(trx_run_simulate(f.run, NULL), TRX_OK);
    ck_assert_int_eq(trx_run_write(f.run, NULL), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_run_write(NULL, f.folder), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_run_create(f.context, NULL, &none), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_run_create(NULL, f.problem, &none), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_run_set_plan(f.run, NULL), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_run_add_iteration(f.run, NULL), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_run_hold_controls(f.run, NULL), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_run_read_policy(f.run, NULL, NULL), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_run_read_state(f.run, NULL, NULL, u, NULL), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_run_write_state(f.run, f.folder, -1, u), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_run_check_path(f.context, NULL), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_run_rewrite_player(f.context, NULL), TRX_ERR_ARGUMENT);
    ck_assert_int_ne(trx_run_check_path(f.context, f.folder), TRX_ERR_ARGUMENT);
}
END_TEST

START_TEST(info_and_summary_describe_the_last_recording)
{
    double u[NU * STEPS];
    fixture_controls(u);
    trx_simulation simulation = fixture_simulation(u);
    ck_assert_int_eq(trx_run_simulate(f.run, &simulation), TRX_OK);
    long long contacts = trx_run_get_info(f.run).contacts;
    ck_assert_int_eq(trx_run_simulate(f.run, NULL), TRX_OK);
    trx_run_info info = trx_run_get_info(f.run);
    ck_assert_int_eq(info.status, TRX_OK);
    ck_assert_int_eq(info.steps, STEPS);
    ck_assert_int_lt(info.contacts, contacts);
    ck_assert(!info.has_fine && !info.has_cost);
    ck_assert(!trx_run_goals_met(f.run)); // nothing pushed
    const char *summary = trx_run_summary(f.run);
    ck_assert_ptr_nonnull(strstr(summary, "\"steps\": 12"));
}
END_TEST

START_TEST(goals_are_met_when_every_goal_and_limit_is)
{
    ck_assert_int_eq(trx_run_simulate(f.run, NULL), TRX_OK);
    trx_goal_result goals[] = {{.name = "a", .error = 0.1, .tolerance = 0.2, .met = true},
                               {.name = "b", .error = 0.1, .tolerance = 0.2, .met = true}};
    trx_limit_result limits[] = {{.name = "c", .met = true}, {.name = "d", .met = true}};
    f.run->physical.goals = goals;
    f.run->ngoal = 2;
    f.run->limits = limits;
    f.run->nlimit = 2;
    ck_assert(trx_run_goals_met(f.run));
    goals[1].met = false;
    ck_assert(!trx_run_goals_met(f.run));
    goals[1].met = true;
    limits[0].met = false;
    ck_assert(!trx_run_goals_met(f.run));
    limits[0].met = true;
    f.run->physical.status = TRX_ERR_NOT_CONVERGED;
    ck_assert(!trx_run_goals_met(f.run));
}
END_TEST

START_TEST(the_worst_goal_that_only_the_plan_meets)
{
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
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report/run");
    TCase *cases = tcase_create("run");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, a_run_without_a_recording_says_so);
    tcase_add_test(cases, what_is_missing_is_refused_and_nothing_written);
    tcase_add_test(cases, info_and_summary_describe_the_last_recording);
    tcase_add_test(cases, goals_are_met_when_every_goal_and_limit_is);
    tcase_add_test(cases, the_worst_goal_that_only_the_plan_meets);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
