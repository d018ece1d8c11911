// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The cylinder on a spring (docs/validation.md; Castro, Permenter, Han, section VI-B): what the time schemes of theory 2 do
// to energy and accuracy, sliding without friction and rolling.

#include "paper/run.h"
#include "support/support.h"

#include <stdio.h>

static const double MASS = 0.5, SPRING = 100, START = 0.1;

// the case under a scheme
static paper_run open_scheme(const char *scheme, const char *step, const char *friction)
{
    char text[60], rough[60], smooth[60];
    snprintf(text, sizeof text, "time.scheme=%s", scheme);
    snprintf(rough, sizeof rough, "model.materials.ground.friction=%s", friction);
    snprintf(smooth, sizeof smooth, "model.materials.cylinder.friction=%s", friction);
    return paper_open("spring_cylinder", text, step, rough, smooth, NULL);
}

// largest relative change of the energy of spring and motion along x over 5 s without friction
static double energy_change(const char *scheme)
{
    paper_run run = open_scheme(scheme, "time.step=0.02", "0");
    double height = MASS * 9.81 * paper_value(&run, "z"), start = paper_energy(&run) - height, change = 0;
    assert_close(start, SPRING * START * START / 2, 1e-12);
    while (run.step < run.steps) {
        paper_step(&run);
        change = fmax(change, fabs(paper_energy(&run) - height - start) / start);
    }
    paper_close(&run);
    return change;
}

START_TEST(midpoint_keeps_the_energy_and_the_others_do_not)
{
    assert_below(energy_change("midpoint"), 1e-10);
    ck_assert_double_gt(energy_change("implicit"), 0.5);
    ck_assert_double_gt(energy_change("symplectic"), 0.1);
}
END_TEST

// error against the motion of a rolling cylinder: effective mass m + I/R^2 = 1.5 m
static double rolling_error(const char *scheme, double dt)
{
    char step[60];
    snprintf(step, sizeof step, "time.step=%.17g", dt);
    paper_run run = open_scheme(scheme, step, "1");
    const double omega = sqrt(SPRING / (1.5 * MASS));
    double sum = 0;
    while (run.step < run.steps) {
        paper_step(&run);
        double error = paper_value(&run, "x") - START * cos(omega * run.step * run.dt);
        sum += error * error;
    }
    sum /= run.steps;
    paper_close(&run);
    return sqrt(sum);
}

START_TEST(midpoint_is_of_second_order_while_rolling_and_the_others_of_first)
{
    const char *const scheme[] = {"midpoint", "symplectic", "implicit"};
    const double dt[] = {0.01, 0.005, 0.0025, 0.00125}, small[] = {0.0025, 0.00125, 0.000625, 0.0003125};
    for (int k = 0; k < 3; k++) {
        double error[4];
        for (int i = 0; i < 4; i++) error[i] = rolling_error(scheme[k], k ? small[i] : dt[i]);
        assert_close(paper_order(k ? small : dt, error, 4, NULL), k ? 1 : 2, 0.2);
    }
}
END_TEST

// error of the height of the cylinder over a tenth of a second. The cylinder is pressed down by 0.1 mm and let go, on two springs
// of 1e4 N/m without damping; at rest it sinks in by 0.25 mm
static double bouncing_error(const char *contact, double dt)
{
    char law[60], step[60];
    snprintf(law, sizeof law, "time.contact=%s", contact);
    snprintf(step, sizeof step, "time.step=%.17g", dt);
    paper_run run = paper_open("spring_cylinder", law, step, "start.x=0", "model.materials.ground.relaxation_time=0", NULL);
    const double omega = sqrt(2e4 / MASS), depth = 1e-4;
    int z = paper_index(&run, "z"), steps = (int)round(0.1 / dt);
    double rest = run.x[z], sum = 0;
    run.x[z] -= depth;
    while (run.step < steps) {
        paper_step(&run);
        double error = (rest - run.x[z]) / depth - cos(omega * run.step * dt);
        sum += error * error;
    }
    paper_close(&run);
    return sqrt(sum / steps);
}

START_TEST(compliant_contact_is_of_first_order_and_of_second_in_the_middle_of_the_step)
{
    const char *const contact[] = {"end", "midpoint"};
    const double dt[] = {2e-4, 1e-4, 5e-5, 2.5e-5};
    for (int k = 0; k < 2; k++) {
        double error[4];
        for (int i = 0; i < 4; i++) error[i] = bouncing_error(contact[k], dt[i]);
        assert_close(paper_order(dt, error, 4, NULL), k + 1, 0.2);
        assert_below(error[3], k ? 1e-3 : 0.1);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("paper/cylinder");
    TCase *c = tcase_create("cylinder");
    tcase_set_timeout(c, 0);
    tcase_add_test(c, midpoint_keeps_the_energy_and_the_others_do_not);
    tcase_add_test(c, midpoint_is_of_second_order_while_rolling_and_the_others_of_first);
    tcase_add_test(c, compliant_contact_is_of_first_order_and_of_second_in_the_middle_of_the_step);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return run_suite(suite());
}
