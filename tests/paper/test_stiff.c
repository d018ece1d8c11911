// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Stiffness far beyond what a step resolves (theory 4; Drumwright, sections 4.4 and 5.4): a pendulum on a joint of
// 1e15 N/m, and one that falls against a stop of 1e12 N/m.

#include "paper/run.h"
#include "support/support.h"

#include <stdio.h>

static const double G = 9.81;

// the largest gap at the pivot within a second [m], and how far the energy (0 at the start) strays [J]
static double largest_gap(double dt, double *energy)
{
    char text[60];
    snprintf(text, sizeof text, "time.step=%g", dt);
    paper_run run = paper_open("stiff_pendulum", text, NULL);
    double largest = 0;
    *energy = 0;
    while (run.step < run.steps) {
        paper_step(&run);
        double x = paper_value(&run, "bob.x"), y = paper_value(&run, "bob.y"), yaw = paper_value(&run, "bob.yaw");
        largest = fmax(largest, hypot(x - cos(yaw), y - sin(yaw)));
        *energy = fmax(*energy, fabs(paper_energy(&run)));
    }
    // the bob has swung from the horizontal through the lowest point
    if (dt < 0.05) assert_below(paper_value(&run, "bob.yaw"), -2);
    paper_close(&run);
    return largest;
}

START_TEST(gap_of_a_stiff_joint_falls_as_the_square_of_the_step)
{
    const double dt[] = {0.1, 0.05, 0.02, 0.01, 1e-3, 1e-4};
    double gap[6], energy[6], r_squared;
    for (int i = 0; i < 6; i++) gap[i] = largest_gap(dt[i], &energy[i]);
    assert_close(paper_order(dt, gap, 6, &r_squared), 2, 0.1);
    ck_assert_double_gt(r_squared, 0.99);
    assert_below(gap[0], 0.5);
    // the energy is kept to first order: 9.81 J are exchanged
    assert_below(energy[4], 0.005 * G);
    assert_below(energy[5], 0.0005 * G);
}
END_TEST

START_TEST(a_stop_is_stable_at_every_step_and_dead_above_1e_5)
{
    const double dt[] = {0.1, 0.01, 1e-3, 1e-4, 1e-5};
    for (int i = 0; i < 5; i++) {
        char text[60];
        snprintf(text, sizeof text, "time.step=%g", dt[i]);
        paper_run run = paper_open("range_limit", text, "time.duration=0.8", NULL);
        double fastest = 0, back = 0;
        while (run.step < run.steps) {
            paper_step(&run);
            fastest = fmin(fastest, paper_value(&run, "theta.v"));
            back = fmax(back, paper_value(&run, "theta.v"));
            ck_assert_double_gt(paper_value(&run, "theta"), -1e-2);
        }
        assert_below(fastest, -4.2);
        assert_below(back, 0.02 * -fastest);
        paper_close(&run);
    }
}
END_TEST

// speed after an impact at 4.43 m/s over the speed before it
static double bounce(double dt)
{
    char step[60], duration[60];
    snprintf(step, sizeof step, "time.step=%g", dt);
    snprintf(duration, sizeof duration, "time.duration=%g", fmax(10 * dt, 8e-6));
    paper_run run = paper_open("range_limit", step, duration, NULL);
    run.x[0] = 4.43 * 2e-6;
    run.x[1] = -4.43;
    while (run.step < run.steps) paper_step(&run);
    double ratio = run.x[1] / 4.43;
    paper_close(&run);
    return ratio;
}

START_TEST(a_stop_is_elastic_where_steps_resolve_it)
{
    assert_below(bounce(1e-4), 0.01);
    assert_close(bounce(1e-8), 1, 0.03);
    // first order: a step ten times finer takes away most of what is missing
    assert_below(1 - bounce(1e-8), 0.2 * (1 - bounce(1e-7)));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("paper/stiff");
    TCase *c = tcase_create("stiff");
    tcase_set_timeout(c, 0);
    tcase_add_test(c, gap_of_a_stiff_joint_falls_as_the_square_of_the_step);
    tcase_add_test(c, a_stop_is_stable_at_every_step_and_dead_above_1e_5);
    tcase_add_test(c, a_stop_is_elastic_where_steps_resolve_it);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return run_suite(suite());
}
