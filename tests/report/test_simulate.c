// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Simulations: interrupted runs, clamped feedback, piecewise constant controls, refused settings, valid starts.

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
    double u[NU * STEPS], x[NX * (STEPS + 1)], *K = TRXI_POOL(f.pool, double, NU * 2 * NV * STEPS);
    fixture_controls(u);
    // a reference 1 m ahead of the pusher, whose position px is dof 6
    for (int k = 0; k <= STEPS; k++) {
        memcpy(x + NX * k, trx_problem_start(f.problem), NX * sizeof *x);
        x[NX * k + 7] += 1;
        if (k < STEPS) K[NU * 2 * NV * k + NU * 6] = -1e3;
    }
    trx_policy_def def = trx_policy_def_default();
    def.steps = STEPS, def.time_step = trx_problem_sim_settings(f.problem).time_step;
    def.x = x, def.u = u, def.K = K;
    trx_policy *policy;
    ck_assert_int_eq(trx_policy_create(f.context, trx_problem_model(f.problem), &def, &policy), TRX_OK);
    trx_simulation simulation = fixture_simulation(u);
    simulation.policy = policy;
    ck_assert_int_eq(trx_run_simulate(f.run, &simulation), TRX_ERR_ARGUMENT); // controls twice
    simulation.u = NULL;
    ck_assert_int_eq(trx_run_simulate(f.run, &simulation), TRX_OK);
    for (int k = 0; k < STEPS; k++) {
        ck_assert_double_eq(f.run->u[NU * k], 20);
        ck_assert_double_eq(f.run->u[NU * k + 1], u[NU * k + 1]);
    }
    trx_policy_destroy(policy);
}
END_TEST

START_TEST(holding_controls_carry_what_gravity_pulls)
{
    // arm and bob, 0.5 kg at 0.5 m each: m g l sin(theta) in all
    trx_problem *pendulum;
    trx_run *held;
    fixture_load_other(&f, "pendulum", "start.theta=0.7", &pendulum, &held);
    double u;
    ck_assert_int_eq(trx_run_hold_controls(held, &u), TRX_OK);
    assert_close(u, 9.81 * 0.5 * sin(0.7), 1e-12);
    trx_simulation simulation = fixture_simulation(&u);
    simulation.control_steps = 1;
    ck_assert_int_eq(trx_run_simulate(held, &simulation), TRX_OK);
    ck_assert_int_eq(held->steps, 200);
    for (int k = 0; k < 200; k++) ck_assert_double_eq(held->u[k], u);
    assert_close(held->x[2 * 200], 0.7, 1e-9);
    trx_run_destroy(held);
    trx_problem_destroy(pendulum);
}
END_TEST

START_TEST(what_cannot_be_simulated_is_refused)
{
    trx_simulation simulation = trx_simulation_default();
    simulation.size = 0;
    ck_assert_int_eq(trx_run_simulate(f.run, &simulation), TRX_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(trx_context_message(f.context), "trx_simulation_default"));
    for (int i = 0; i < 5; i++) {
        simulation = trx_simulation_default();
        if (i == 0) simulation.every = 0;
        if (i == 1) simulation.control_steps = -1;
        if (i == 2) simulation.save_every = -1;
        if (i == 3) simulation.first_step = -1;
        if (i == 4) simulation.first_step = STEPS;
        ck_assert_int_eq(trx_run_simulate(f.run, &simulation), TRX_ERR_ARGUMENT);
    }
    ck_assert_ptr_nonnull(strstr(trx_context_message(f.context), "nothing is left to simulate"));
}
END_TEST

START_TEST(a_simulation_may_begin_anywhere)
{
    double u[NU * STEPS], x[NX];
    fixture_controls(u);
    trx_simulation simulation = fixture_simulation(u);
    ck_assert_int_eq(trx_run_simulate(f.run, &simulation), TRX_OK);
    memcpy(x, f.run->x + NX * 5, sizeof x);
    double end[NX];
    memcpy(end, f.run->x + NX * STEPS, sizeof end);
    simulation.start = x;
    simulation.first_step = 5;
    ck_assert_int_eq(trx_run_simulate(f.run, &simulation), TRX_OK);
    ck_assert_int_eq(trx_run_get_info(f.run).steps, STEPS - 5);
    ck_assert_int_eq(trx_run_get_simulation(f.run).first_step, 5);
    ck_assert_mem_eq(f.run->u, u + NU * 5, sizeof(double) * NU * (STEPS - 5));
    ck_assert_mem_eq(f.run->x + NX * (STEPS - 5), end, sizeof end);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report/simulate");
    TCase *cases = tcase_create("simulate");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, an_interrupted_simulation_keeps_its_steps);
    tcase_add_test(cases, feedback_is_clamped_to_the_actuators);
    tcase_add_test(cases, holding_controls_carry_what_gravity_pulls);
    tcase_add_test(cases, what_cannot_be_simulated_is_refused);
    tcase_add_test(cases, a_simulation_may_begin_anywhere);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
