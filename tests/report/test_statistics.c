// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Statistics of a simulation against numbers known beforehand, its energy against closed forms.

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

START_TEST(the_median_of_times_is_known_to_one_percent)
{
    static const double scales[] = {3e-8, 1e-6, 2.5e-3, 40};
    for (int i = 0; i < 4; i++) {
        trxi_statistics statistics = {0};
        ck_assert_double_eq(trxi_statistics_median(&statistics), 0);
        // 1001 times from 0.5 to 1.5 of the scale, in a mixed order
        for (int k = 0; k <= 1000; k++) {
            trx_step_info info = {.iterations = k % 7, .contacts = k % 3};
            trx_status status = k % 10 == 0 ? TRX_ROUND_OFF : TRX_OK;
            trxi_statistics_add(&statistics, &info, status, scales[i] * (0.5 + (k * 617 % 1001) / 1000.0));
        }
        assert_close(trxi_statistics_median(&statistics) / scales[i], 1, 0.0115);
        assert_close(statistics.longest, 1.5 * scales[i], 1e-12 * scales[i]);
        assert_close(statistics.seconds, 1001 * scales[i], 1e-9 * scales[i]);
        ck_assert_int_eq(statistics.steps, 1001);
        ck_assert_int_eq(statistics.most_iterations, 6);
        ck_assert_int_eq(statistics.iterations, 143 * 21);
        ck_assert_int_eq(statistics.most_contacts, 2);
        ck_assert_int_eq(statistics.round_off, 101);
    }
}
END_TEST

static const char slider[] =
    "tractrix: 1\n"
    "model:\n"
    "  bodies:\n"
    "    - name: cart\n"
    "      joints: [{name: s, type: slide, axis: [1, 0, 0]}]\n"
    "      inertia: {mass: 2, com: [0, 0, 0], tensor: [1, 1, 1]}\n"
    "    - name: bob\n"
    "      joints: [{name: b, type: slide, axis: [0, 0, 1], stiffness: 50, rest: 0.1}]\n"
    "      inertia: {mass: 0.5, com: [0, 0, 0], tensor: [1, 1, 1]}\n"
    "  actuators: [{joint: s}]\n"
    "time: {step: 0.001, steps: 1000}\n"
    "start: {b: 0.3}\n";

START_TEST(energy_is_that_of_closed_forms_and_the_rest_is_called_lost)
{
    trx_problem *problem;
    trx_run *run;
    const double force = 3, dt = 1e-3, N = 1000;
    ck_assert_msg(trx_problem_load_text(f.context, "p.yaml", slider, strlen(slider), NULL, &problem) == TRX_OK, "%s",
                  trx_context_message(f.context));
    ck_assert_int_eq(trx_run_create(f.context, problem, &run), TRX_OK);
    trx_simulation simulation = fixture_simulation(&force);
    simulation.control_steps = 1;
    ck_assert_int_eq(trx_run_simulate(run, &simulation), TRX_OK);
    trx_simulation_info info = trx_run_get_simulation(run);
    ck_assert_double_eq(info.kinetic[0], 0);
    assert_close(info.springs[0], 0.5 * 50 * 0.2 * 0.2, 1e-12);
    assert_close(info.gravity[0], 0.5 * 9.81 * 0.3, 1e-12);

    // the cart: v_k = k dt f / m, and the work is f times the sum of the displacements dt v_k
    double cart = 0.5 * force * force * dt * dt * N * N / 2;
    assert_close(info.actuators, force * force * dt * dt / 2 * N * (N + 1) / 2, 1e-9);
    double total[2];
    for (int end = 0; end < 2; end++) total[end] = info.kinetic[end] + info.gravity[end] + info.springs[end];
    assert_close(info.lost, total[0] + info.actuators - total[1], 1e-12);
    ck_assert(info.kinetic[1] > cart);

    // the bob swings, and an implicit spring loses some of that
    double bob = info.kinetic[1] - cart + info.gravity[1] + info.springs[1];
    assert_below(bob, total[0]);
    assert_below(0.5 * total[0], bob);
    trx_run_destroy(run);
    trx_problem_destroy(problem);
}
END_TEST

// the spring of a tendon once counted as gravity
START_TEST(energy_of_springs_has_the_springs_of_tendons)
{
    trx_joint_def joint = trx_joint_def_default();
    joint.name = "b", joint.type = TRX_JOINT_SLIDE, joint.stiffness = 50, joint.rest = 0.1;
    trx_body_def body = trx_body_def_default();
    body.name = "bob", body.joints = &joint, body.njoint = 1, body.has_inertia = true, body.inertia.mass = 0.5;
    const trx_joint_factor factor = {.body = 0, .joint = 0, .factor = 2};
    trx_tendon_def tendon = trx_tendon_def_default();
    tendon.joints = &factor, tendon.njoint = 1, tendon.stiffness = 30, tendon.rest_upper = 0.1;
    trx_model_def def = trx_model_def_default();
    def.bodies = &body, def.nbody = 1, def.tendons = &tendon, def.ntendon = 1;
    trx_model *model;
    ck_assert_msg(trx_model_create(f.context, &def, &model) == TRX_OK, "%s", trx_context_message(f.context));
    trxi_statistics statistics = {0};
    const double x[2] = {0.3, 2};
    ck_assert_int_eq(trxi_statistics_energy(f.context, model, x, 1, &statistics), TRX_OK);
    assert_close(statistics.kinetic[1], 0.5 * 0.5 * 4, 1e-14);
    assert_close(statistics.gravity[1], 0.5 * 9.81 * 0.3, 1e-14);
    assert_close(statistics.springs[1], 0.5 * 50 * 0.2 * 0.2 + 0.5 * 30 * 0.5 * 0.5, 1e-14);
    trx_model_destroy(model);
}
END_TEST

START_TEST(a_simulation_tells_what_its_steps_took)
{
    double u[NU * STEPS];
    fixture_controls(u);
    trx_simulation simulation = fixture_simulation(u);
    ck_assert_int_eq(trx_run_simulate(f.run, &simulation), TRX_OK);
    trx_simulation_info info = trx_run_get_simulation(f.run);
    double contacts = (double)trx_run_get_info(f.run).contacts / STEPS;
    assert_close(info.contacts, contacts, 1e-12);
    ck_assert(info.most_contacts >= 5 && info.most_iterations >= 1);
    ck_assert(info.iterations > 0 && info.iterations <= info.most_iterations);
    ck_assert(info.step_median > 0 && info.step_median <= 1.01 * info.step_most && info.step_mean <= info.step_most);
    ck_assert(info.actuators > 0 && info.lost > 0); // pushed against friction
    ck_assert_int_eq(info.frames, STEPS + 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report/statistics");
    TCase *cases = tcase_create("statistics");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, the_median_of_times_is_known_to_one_percent);
    tcase_add_test(cases, energy_is_that_of_closed_forms_and_the_rest_is_called_lost);
    tcase_add_test(cases, energy_of_springs_has_the_springs_of_tendons);
    tcase_add_test(cases, a_simulation_tells_what_its_steps_took);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
