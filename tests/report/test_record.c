// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Recording: interrupted runs, clamped feedback, holding controls, and the result of a plan.

#include "report/fixture.h"

#include "formats/csv.h"
#include "formats/yaml.h"

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

static bool stop_after_five(int step, void *user)
{
    *(int *)user = step;
    return step < 5;
}

START_TEST(an_interrupted_simulation_keeps_its_steps)
{
    int last = 0;
    trx_simulation simulation = trx_simulation_default();
    simulation.progress = stop_after_five;
    simulation.user = &last;
    ck_assert_int_eq(trx_run_simulate(f.run, &simulation), TRX_INTERRUPTED);
    ck_assert_int_eq(last, 5);
    ck_assert_int_eq(trx_run_get_info(f.run).steps, 5);
    ck_assert_int_eq(trx_run_write(f.run, f.folder), TRX_OK);
    trxi_yaml_node *summary;
    ck_assert_int_eq(trxi_yaml_read(f.context, f.pool, fixture_file(&f, "summary.json"), &summary), TRX_OK);
    ck_assert_str_eq(trxi_yaml_get(summary, "status")->text, "interrupted");
    trxi_csv table;
    ck_assert_int_eq(trxi_csv_read(f.context, f.pool, fixture_file(&f, "trajectory.csv"), &table), TRX_OK);
    ck_assert_int_eq(table.rows, 6);
}
END_TEST

START_TEST(feedback_is_clamped_to_the_actuators)
{
    double u[NU * STEPS], x[NX * STEPS], *K = TRXI_POOL(f.pool, double, NU * 2 * NV * STEPS);
    fixture_controls(u);
    // a reference 1 m ahead of the pusher, whose position px is dof 6
    for (int k = 0; k < STEPS; k++) {
        memcpy(x + NX * k, trx_problem_start(f.problem), NX * sizeof *x);
        x[NX * k + 7] += 1;
        K[NU * 2 * NV * k + NU * 6] = -1e3;
    }
    trx_simulation simulation = fixture_simulation(u);
    simulation.K = K;
    ck_assert_int_eq(trx_run_simulate(f.run, &simulation), TRX_ERR_ARGUMENT);
    simulation.x_reference = x;
    ck_assert_int_eq(trx_run_simulate(f.run, &simulation), TRX_OK);
    for (int k = 0; k < STEPS; k++) {
        ck_assert_double_eq(f.run->u[NU * k], 20);
        ck_assert_double_eq(f.run->u[NU * k + 1], u[NU * k + 1]);
    }
}
END_TEST

START_TEST(holding_controls_carry_what_gravity_pulls)
{
    // arm and bob, 0.5 kg at 0.5 m each: m g l sin(theta) in all
    trx_problem *pendulum;
    trx_run *held;
    fixture_load_other(&f, "pendulum", "start.theta=0.7", &pendulum, &held);
    double u[200];
    ck_assert_int_eq(trx_problem_steps(pendulum), 200);
    ck_assert_int_eq(trx_run_hold_controls(held, u), TRX_OK);
    for (int k = 0; k < 200; k++) assert_close(u[k], 9.81 * 0.5 * sin(0.7), 1e-12);
    trx_run_destroy(held);
    trx_problem_destroy(pendulum);
}
END_TEST

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

    // its contacts are those of the replay
    double penetration = 0;
    for (int i = 0; i < run->ncontact; i++) penetration = fmax(penetration, -run->contacts[i].contact.distance);
    assert_close(penetration, info.physical.penetration, 1e-9);
    ck_assert_int_eq(run->contacts[run->ncontact - 1].knot, 49);

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
    tcase_add_test(cases, an_interrupted_simulation_keeps_its_steps);
    tcase_add_test(cases, feedback_is_clamped_to_the_actuators);
    tcase_add_test(cases, holding_controls_carry_what_gravity_pulls);
    tcase_add_test(cases, a_plan_is_recorded_as_it_came_out);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
