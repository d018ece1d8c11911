// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Recording the result of a plan.

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

static bool record(const trx_iteration *iteration, void *user)
{
    return trx_run_add_iteration(user, iteration) >= 0;
}

START_TEST(a_plan_is_recorded_as_it_came_out)
{
    trx_problem *problem;
    trx_run *run;
    fixture_load_other(&f, "push_box", "solve.iterations=6", &problem, &run);
    trx_plan_problem task = trx_plan_problem_default();
    trx_plan_settings settings = trx_plan_settings_default();
    trx_plan *plan;
    ck_assert_int_eq(trx_problem_plan(problem, &task, &settings), TRX_OK);
    ck_assert_int_eq(trx_plan_create(f.context, &task, &settings, &plan), TRX_OK);
    ck_assert_int_ge(trx_plan_solve(plan, record, run), 0);
    ck_assert_int_eq(trx_run_set_plan(run, plan), TRX_OK);

    // states and controls, matrices transposed, stages with the settings they had
    const double *A = trx_plan_A(plan), *K = trx_plan_gains(plan);
    ck_assert_int_eq(run->steps, 50);
    ck_assert_mem_eq(run->x, trx_plan_states(plan), sizeof(double) * NX * 51);
    ck_assert_mem_eq(run->u, trx_plan_controls(plan), sizeof(double) * NU * 50);
    for (int i = 0; i < 2 * NV; i++)
        for (int j = 0; j < 2 * NV; j++)
            ck_assert_double_eq(run->A[49 * 4 * NV * NV + 2 * NV * i + j], A[49 * 4 * NV * NV + i + 2 * NV * j]);
    for (int i = 0; i < NU; i++)
        for (int j = 0; j < 2 * NV; j++) ck_assert_double_eq(run->K[2 * NV * i + j], K[i + NU * j]);
    trx_plan_info info = trx_plan_get_info(plan);
    ck_assert_int_eq(run->nstage, task.nstage);
    for (int i = 0; i < run->nstage; i++) {
        ck_assert_int_eq(run->stages[i].set.iterations, 6);
        ck_assert_int_eq(run->stages[i].info.iterations, info.stages[i].iterations);
    }
    ck_assert_int_ge(run->niteration, run->iteration_count);

    // the contacts of the run are the contacts of the replay
    double penetration = 0;
    for (int i = 0; i < run->ncontact; i++) penetration = fmax(penetration, -run->contacts[i].contact.distance);
    assert_close(penetration, info.physical.penetration, 1e-9);
    ck_assert_int_eq(run->contacts[run->ncontact - 1].knot, 49);

    // and every knot is a frame, whose forces are those of its step
    ck_assert_int_eq(run->frames.count, 51);
    ck_assert_mem_eq(run->frames.x, run->x, sizeof(double) * NX * 51);
    ck_assert_double_eq(run->frames.drive_force[NU * 49], run->u[NU * 49]);

    // everything was copied: the plan may go
    double error = info.physical.goals[0].error;
    trx_plan_destroy(plan);
    ck_assert_str_eq(run->physical.goals[0].name, "box.position");
    ck_assert_double_eq(run->physical.goals[0].error, error);
    trx_run_destroy(run);
    trx_problem_destroy(problem);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report/record");
    TCase *cases = tcase_create("record");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, a_plan_is_recorded_as_it_came_out);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
