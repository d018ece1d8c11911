// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Boxes that something prescribed moves (docs/validation.md): the conveyor belt (Castro, Han, Masterjohn, section XI-A), the cube
// dragged by a growing force (Le Lidec et al., section IV-A), the cube on an elastic foundation under a load that goes around
// (Drumwright, section 5.5), and the rod in a hand that goes around (Castro, Han, Masterjohn, section XII-B).

#include "paper/run.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>

static const double G = 9.81;

START_TEST(a_belt_moves_its_box_without_lifting_it)
{
    paper_run run = paper_open("conveyor_belt", NULL);
    double lowest = paper_value(&run, "z"), highest = lowest;
    int sticking = 0, sliding = 0;
    while (run.step < run.steps) {
        paper_step(&run);
        lowest = fmin(lowest, paper_value(&run, "z"));
        highest = fmax(highest, paper_value(&run, "z"));
        assert_close(paper_normal_force(&run), G, 1e-6 * G);
        const trx_contact *contacts;
        ck_assert_int_gt(trx_sim_contacts(run.sim, &contacts), 0);
        sticking += contacts->mode == TRX_CONTACT_STICK;
        sliding += contacts->mode == TRX_CONTACT_SLIP && contacts->v_t > 0.01;
    }
    assert_below(highest - lowest, 1e-9);
    // the box sticks and slides, each for a fifth of the time or more
    ck_assert_int_gt(sticking, run.steps / 5);
    ck_assert_int_gt(sliding, run.steps / 5);
    paper_close(&run);
}
END_TEST

// under similar and sap a sliding box glides above the belt, and comes down when it sticks
START_TEST(coupled_models_glide_on_the_belt)
{
    const char *const law[] = {"contact.approximation=similar", "contact.approximation=sap"};
    for (int i = 0; i < 2; i++) {
        paper_run run = paper_open("conveyor_belt", law[i], NULL);
        double rest = paper_value(&run, "z"), highest = 0, force = 0;
        while (run.step < run.steps) {
            paper_step(&run);
            highest = fmax(highest, paper_value(&run, "z") - rest);
            force = fmax(force, paper_normal_force(&run));
        }
        ck_assert_double_gt(highest, 5e-4);
        ck_assert_double_gt(force, 1.05 * G);
        paper_close(&run);
    }
}
END_TEST

START_TEST(the_belt_is_of_first_order_for_lagged_and_similar_and_sap_plateaus)
{
    enum { SIZES = 6, ROWS = 100 };
    const double grid = 0.02, dt[SIZES] = {grid, grid / 2, grid / 4, grid / 8, grid / 16, grid / 32};
    const char *const law[] = {"contact.approximation=lagged", "contact.approximation=similar", "contact.approximation=sap"};
    double *reference = paper_reference("conveyor_belt", NULL, 0, grid / 800, grid, ROWS), error[3][SIZES];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < SIZES; i++) error[k][i] = paper_error("conveyor_belt", law + k, 1, dt[i], grid, reference, ROWS);
    free(reference);
    assert_close(paper_order(dt, error[0], SIZES, NULL), 1, 0.15);
    assert_close(paper_order(dt, error[1], SIZES, NULL), 1, 0.15);
    // a step four times finer takes away three quarters of the error of similar, and little of that of sap
    assert_below(error[1][5], 0.3 * error[1][3]);
    ck_assert_double_gt(error[2][5], 0.7 * error[2][3]);
    ck_assert_double_gt(error[2][5], 5 * error[1][5]);
}
END_TEST

START_TEST(a_cube_dragged_by_a_growing_force_slides_when_it_exceeds_friction_and_stays_down)
{
    paper_run run = paper_open("cube_drag", "time.step=0.001", NULL);
    double rest = paper_value(&run, "cube.z"), onset = 0.4 * G / 20, started = 0;
    while (run.step < run.steps) {
        paper_step(&run);
        assert_close(paper_value(&run, "cube.z"), rest, 1e-9);
        assert_close(paper_value(&run, "cube.y"), 0, 1e-12);
        if (started == 0 && paper_value(&run, "cube.vx") > 1e-3) started = run.step * run.dt;
    }
    assert_close(started, onset, 0.02);
    // m x'' = 20 (t - onset)
    assert_close(paper_value(&run, "cube.x"), 20 / 6. * pow(1 - onset, 3), 0.01);
    assert_close(paper_value(&run, "cube.vx"), 10 * pow(1 - onset, 2), 0.01);
    paper_close(&run);
}
END_TEST

START_TEST(the_lift_of_coupled_models_is_in_proportion_to_the_step)
{
    double dt[] = {0.02, 0.01, 0.005, 0.0025}, lift[4];
    for (int i = 0; i < 4; i++) {
        char step[40];
        snprintf(step, sizeof step, "time.step=%g", dt[i]);
        paper_run run = paper_open("cube_drag", "contact.approximation=sap", step, NULL);
        double rest = paper_value(&run, "cube.z");
        paper_until(&run, 1);
        lift[i] = paper_value(&run, "cube.z") - rest;
        assert_close(lift[i], 0.4 * dt[i] * paper_value(&run, "cube.vx"), 0.1 * lift[i]);
        paper_close(&run);
    }
    assert_close(paper_order(dt, lift, 4, NULL), 1, 0.05);
}
END_TEST

// height and tilt after one second
static void press(double force, double dt, double *height, double *tilt)
{
    char load[60], torque[60], step[40];
    snprintf(load, sizeof load, "model.loads.0.force=[0, 0, %g]", -force);
    snprintf(torque, sizeof torque, "model.loads.1.torque=[0, %g, 0]", 0.5 * force);
    snprintf(step, sizeof step, "time.step=%g", dt);
    paper_run run = paper_open("elastic_foundation", load, torque, step, NULL);
    paper_until(&run, 1);
    *height = paper_value(&run, "cube.z");
    *tilt = 2 * hypot(paper_value(&run, "cube.qx"), paper_value(&run, "cube.qy"));
    paper_close(&run);
}

// 100 springs of 1e5 N/m: weight and load press the cube down by their sum over 1e7 N/m; the moment of the load tilts
// the cube by 2.5 N m over 1e7/12 N m/rad. Steps of 10 ms do not resolve these vibrations
START_TEST(a_small_load_on_an_elastic_foundation_is_static_at_any_step)
{
    const double dt[] = {0.01, 0.001};
    for (int i = 0; i < 2; i++) {
        double height, tilt;
        press(5, dt[i], &height, &tilt);
        assert_close(0.5 - height, (8 * G + 5) / 1e7, 2e-8);
        assert_close(tilt, 2.5 / (1e7 / 12), 0.1 * 3e-6);
    }
}
END_TEST

// the sum of weight and load acts 0.195 m from the middle, outside the kern of a square (a sixth of its side):
// springs at the far side let go
START_TEST(a_large_load_lifts_a_side_of_the_cube)
{
    const double dt[] = {0.01, 0.001};
    for (int i = 0; i < 2; i++) {
        double height, tilt;
        press(50, dt[i], &height, &tilt);
        assert_close(0.5 - height, (8 * G + 50) / 1e7, 2e-6);
        ck_assert_double_gt(tilt, 1.03 * 25 / (1e7 / 12));
        assert_below(tilt, 1.3 * 25 / (1e7 / 12));
    }
}
END_TEST

// until the rod's middle is 3 cm lower than it was [s], or `limit`
static double time_to_failure(const char *law, double frequency, double limit)
{
    const double mass = 8000 * 3.141592653589793 * 0.01 * 0.01 * 0.15, omega = 2 * 3.141592653589793 * frequency;
    char turn[60], force[60];
    snprintf(turn, sizeof turn, "model.loads.0.frequency=%.17g", frequency);
    snprintf(force, sizeof force, "model.loads.0.force=[%.17g, 0, 0]", mass * omega * omega * 0.03);
    paper_run run = paper_open("grasp_stress", law, turn, force, "model.materials.default.dissipation=0", NULL);
    int z = paper_index(&run, "rod.z");
    while (run.step * run.dt < limit && run.x[z] > -0.09) paper_step(&run);
    double time = run.step * run.dt;
    paper_close(&run);
    return time;
}

START_TEST(a_grasp_holds_at_low_frequencies_and_fails_near_the_pendulum_frequency)
{
    const char *const lagged = "contact.approximation=lagged", *const similar = "contact.approximation=similar";
    ck_assert_double_ge(time_to_failure(lagged, 1.2, 3), 3 - 1e-9);
    double slow = time_to_failure(lagged, 1.5, 3), fast = time_to_failure(lagged, 1.8, 3);
    assert_below(slow, 2.9);
    assert_below(fast, 0.7 * slow);
    assert_close(time_to_failure(similar, 1.5, 3), slow, 0.02 * slow);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("paper/moved");
    TCase *c = tcase_create("moved");
    tcase_set_timeout(c, 0);
    tcase_add_test(c, a_belt_moves_its_box_without_lifting_it);
    tcase_add_test(c, coupled_models_glide_on_the_belt);
    tcase_add_test(c, the_belt_is_of_first_order_for_lagged_and_similar_and_sap_plateaus);
    tcase_add_test(c, a_cube_dragged_by_a_growing_force_slides_when_it_exceeds_friction_and_stays_down);
    tcase_add_test(c, the_lift_of_coupled_models_is_in_proportion_to_the_step);
    tcase_add_test(c, a_small_load_on_an_elastic_foundation_is_static_at_any_step);
    tcase_add_test(c, a_large_load_lifts_a_side_of_the_cube);
    tcase_add_test(c, a_grasp_holds_at_low_frequencies_and_fails_near_the_pendulum_frequency);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return run_suite(suite());
}
