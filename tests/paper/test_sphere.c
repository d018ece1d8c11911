// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The falling sphere (docs/validation.md; Castro, Han, Masterjohn, section XI-B): thrown along the ground it falls 5
// cm, slides, and rolls. The moment at which it rolls follows from the impulses alone: friction is mu times the
// normal impulse, including the impact. The normal impulse up to the time t after the release is m g t, for every
// height.

#include "paper/run.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>

static const double U0 = 2, MU = 0.5, G = 9.81, GRID = 0.01, REFERENCE = 4e-5;
enum { ROWS = 30, SIZES = 5 };
static const double dt[SIZES] = {1e-2, 5e-3, 2.5e-3, 1.25e-3, 6.25e-4};

// errors at all sizes against a fine lagged run; `sets` chooses the law
static void errors(const char *const *sets, int nset, double *error)
{
    double *reference = paper_reference("falling_sphere", NULL, 0, REFERENCE, GRID, ROWS);
    for (int i = 0; i < SIZES; i++) error[i] = paper_error("falling_sphere", sets, nset, dt[i], GRID, reference, ROWS);
    free(reference);
}

START_TEST(lagged_and_similar_are_of_first_order)
{
    const char *const law[] = {"contact.approximation=lagged", "contact.approximation=similar"};
    for (int i = 0; i < 2; i++) {
        double error[SIZES];
        errors(law + i, 1, error);
        assert_close(paper_order(dt, error, SIZES, NULL), 1, 0.15);
        assert_below(error[SIZES - 1], 1e-3);
    }
}
END_TEST

// SAP glides over mu (dt + tau_d) |v_t|, which does not vanish with the step: a step four times finer takes away
// three quarters of the error of lagged, and little of the error of sap. (The error is smaller for steps that resolve the contact,
// below sqrt(m/k) = 0.2 ms.)
START_TEST(the_error_of_sap_stays)
{
    const char *const law[] = {"contact.approximation=lagged", "contact.approximation=sap"};
    const double fine[] = {GRID / 8, GRID / 32};
    double *reference = paper_reference("falling_sphere", NULL, 0, GRID / 512, GRID, ROWS), error[2][2];
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 2; i++)
            error[k][i] = paper_error("falling_sphere", law + k, 1, fine[i], GRID, reference, ROWS);
    free(reference);
    assert_below(error[0][1], 0.35 * error[0][0]);
    ck_assert_double_gt(error[1][1], 0.65 * error[1][0]);
    ck_assert_double_gt(error[1][1], 5 * error[0][1]);
}
END_TEST

START_TEST(rolls_when_and_as_fast_as_impulses_say)
{
    const double steps[] = {2e-3, 4e-4}, gaps[] = {0.05, 0.02};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            char step[40], height[60];
            snprintf(step, sizeof step, "time.step=%g", steps[i]);
            snprintf(height, sizeof height, "start.sphere.xyz=[0, 0, %g]", 0.025 + gaps[k]);
            paper_run run = paper_open("falling_sphere", step, height, NULL);
            double rolling = 0;
            while (run.step * run.dt < 0.3) {
                paper_step(&run);
                const trx_contact *contacts;
                if (rolling == 0 && trx_sim_contacts(run.sim, &contacts) && contacts->mode == TRX_CONTACT_STICK)
                    rolling = run.step * run.dt;
            }
            assert_close(rolling, 2 * U0 / (7 * MU * G), 2 * steps[i]);
            assert_close(paper_value(&run, "sphere.vx"), 5 * U0 / 7, 1e-4 * 5 * U0 / 7);
            assert_close(paper_value(&run, "sphere.vx") - 0.025 * paper_value(&run, "sphere.wy"), 0, 1e-4);
            paper_close(&run);
        }
}
END_TEST

// gliding: similar meets the ground at phi = mu dt |v_t|, and sap still earlier
START_TEST(similar_and_sap_meet_the_ground_early_lagged_does_not)
{
    const char *const law[] = {"contact.approximation=lagged", "contact.approximation=similar", "contact.approximation=sap"};
    double reach[3];
    for (int i = 0; i < 3; i++) {
        paper_run run = paper_open("falling_sphere", law[i], NULL);
        do paper_step(&run);
        while (!(paper_normal_force(&run) > 0) && run.step < run.steps);
        reach[i] = paper_value(&run, "sphere.z") - 0.025;
        paper_close(&run);
    }
    assert_close(reach[0], 0, 1e-5);
    assert_close(reach[1], MU * 2e-3 * U0, 5e-5);
    ck_assert_double_gt(reach[2], MU * 3e-3 * U0);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("paper/sphere");
    TCase *c = tcase_create("sphere");
    tcase_set_timeout(c, 0);
    tcase_add_test(c, lagged_and_similar_are_of_first_order);
    tcase_add_test(c, the_error_of_sap_stays);
    tcase_add_test(c, rolls_when_and_as_fast_as_impulses_say);
    tcase_add_test(c, similar_and_sap_meet_the_ground_early_lagged_does_not);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return run_suite(suite());
}
