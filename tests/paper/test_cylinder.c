// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The cylinder on a spring (docs/validation.md; Castro, Permenter, Han, section VI-B): what the time schemes of theory 2 do
// to energy and accuracy, sliding without friction and rolling.

#include "paper/run.h"
#include "support/support.h"

#include <stdio.h>

static const double MASS = 0.5, SPRING = 100, START = 0.1;

// the case under a scheme
static paper_run open_scheme(trx_scheme scheme, const char *step, const char *friction)
{
    char rough[60], smooth[60];
    snprintf(rough, sizeof rough, "model.materials.ground.friction=%s", friction);
    snprintf(smooth, sizeof smooth, "model.materials.cylinder.friction=%s", friction);
    paper_run run = paper_open("spring_cylinder", step, rough, smooth, NULL);
    trx_sim_settings settings = trx_sim_get_settings(run.sim);
    settings.scheme = scheme;
    ck_assert_int_eq(trx_sim_set_settings(run.sim, &settings), TRX_OK);
    return run;
}

// largest relative change of the energy of spring and motion along x over 5 s without friction
static double energy_change(trx_scheme scheme)
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
    assert_below(energy_change(TRX_MIDPOINT), 1e-10);
    ck_assert_double_gt(energy_change(TRX_IMPLICIT), 0.5);
    ck_assert_double_gt(energy_change(TRX_SYMPLECTIC), 0.1);
}
END_TEST

// error against the motion of a rolling cylinder: effective mass m + I/R^2 = 1.5 m
static double rolling_error(trx_scheme scheme, double dt)
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
    const trx_scheme scheme[] = {TRX_MIDPOINT, TRX_SYMPLECTIC, TRX_IMPLICIT};
    const double dt[] = {0.01, 0.005, 0.0025, 0.00125}, small[] = {0.0025, 0.00125, 0.000625, 0.0003125};
    for (int k = 0; k < 3; k++) {
        double error[4];
        for (int i = 0; i < 4; i++) error[i] = rolling_error(scheme[k], k ? small[i] : dt[i]);
        assert_close(paper_order(k ? small : dt, error, 4, NULL), k ? 1 : 2, 0.2);
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
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return run_suite(suite());
}
