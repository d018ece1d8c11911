// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies at rest, and how slowly they creep (theory 4): the box on a slope (Drumwright, section 6.4), stacks of
// spheres (6.5) and of boxes, a ton on a gram (Le Lidec et al., section IV-A).

#include "paper/run.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double G = 9.81, SLOPE = 15 * 3.141592653589793 / 180;

static paper_run slope(const char *law, double mu)
{
    char friction[60], approximation[60];
    snprintf(friction, sizeof friction, "model.materials.default.friction=%.17g", mu);
    snprintf(approximation, sizeof approximation, "contact.approximation=%s", law);
    if (strcmp(law, "sap")) return paper_open("inclined_box", friction, approximation, NULL);
    return paper_open("inclined_box", friction, approximation, "contact.force_law=kelvin_voigt",
                      "model.materials.default.stiffness=2e7", NULL);
}

// Euler's way at constant acceleration is a t (t + dt)/2: one percent more than a t^2/2 at these steps
START_TEST(slides_down_a_slope_as_far_as_friction_says)
{
    const double mu[] = {0, 0.125, 0.25};
    for (int i = 0; i < 3; i++) {
        paper_run run = slope("lagged", mu[i]);
        paper_until(&run, 1);
        double a = G * (sin(SLOPE) - mu[i] * cos(SLOPE));
        assert_close(paper_value(&run, "box.x"), a / 2 * 1 * (1 + run.dt), 1e-4 * a);
        assert_close(paper_value(&run, "box.y"), 0, 1e-9);
        paper_close(&run);
    }
}
END_TEST

// in stiction every foot uses the same part r = tan(slope)/mu of its friction, and slips at vs r/sqrt(1 - r^2)
START_TEST(creeps_on_a_slope_at_the_speed_of_its_friction_usage)
{
    const char *const law[] = {"lagged", "similar"};
    const double mu[] = {0.28, 0.3, 0.375, 1};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 4; i++) {
            paper_run run = slope(law[k], mu[i]);
            paper_until(&run, 1);
            const trx_contact *contacts;
            int count = trx_sim_contacts(run.sim, &contacts);
            ck_assert_int_eq(count, 4);
            double r = tan(SLOPE) / mu[i], creep = 1e-5 * r / sqrt(1 - r * r);
            for (int c = 0; c < count; c++) {
                assert_close(contacts[c].f_t / (mu[i] * contacts[c].f_n), r, 1e-4);
                assert_close(contacts[c].v_t, creep, 1e-3 * creep);
            }
            paper_close(&run);
        }
}
END_TEST

// sap slips at sigma w gamma_t, w the inverse mass that the contact feels: below sigma w mu gamma_n, and not far below where
// friction is used up
START_TEST(sap_creeps_below_sigma_times_the_impulse)
{
    const double sigma[] = {1e-2, 1e-3, 1e-4};
    double slip[3];
    for (int i = 0; i < 3; i++) {
        paper_run run = slope("sap", 0.3);
        trx_sim_settings settings = trx_sim_get_settings(run.sim);
        settings.friction_regularization = sigma[i];
        ck_assert_int_eq(trx_sim_set_settings(run.sim, &settings), TRX_OK);
        paper_until(&run, 1);
        const trx_contact *contacts;
        int count = trx_sim_contacts(run.sim, &contacts);
        ck_assert_int_eq(count, 4);
        slip[i] = 0;
        for (int c = 0; c < count; c++) {
            // W = I/m + [r]x^T I^-1 [r]x about the box's centre; its norm is at least sqrt(3) w
            double arm[3], inertia[3] = {0.00104166666666667, 0.00354166666666667, 0.00416666666666667}, W[9];
            for (int d = 0; d < 3; d++) arm[d] = contacts[c].position[d] - run.x[d];
            double cross[9] = {0, arm[2], -arm[1], -arm[2], 0, arm[0], arm[1], -arm[0], 0}, norm = 0;
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++) {
                    W[a + 3 * b] = a == b;
                    for (int d = 0; d < 3; d++) W[a + 3 * b] += cross[d + 3 * a] * cross[d + 3 * b] / inertia[d];
                    norm += W[a + 3 * b] * W[a + 3 * b];
                }
            double w = sqrt(norm) / 3, bound = sigma[i] * w * 0.3 * contacts[c].f_n * run.dt;
            assert_below(contacts[c].v_t, bound);
            assert_close(contacts[c].v_t, sigma[i] * w * contacts[c].f_t * run.dt, 0.01 * bound);
            slip[i] = fmax(slip[i], contacts[c].v_t);
        }
        paper_close(&run);
    }
    assert_close(paper_order(sigma, slip, 3, NULL), 1, 0.02);
}
END_TEST

// the largest way that any coordinate x, y, z went since `start` was taken
static double displacement(const paper_run *run, const double *start)
{
    double largest = 0;
    for (int i = 0; i < run->size.nq; i += 7)
        for (int d = 0; d < 3; d++) largest = fmax(largest, fabs(run->x[i + d] - start[i + d]));
    return largest;
}

START_TEST(ten_boxes_turned_against_each_other_do_not_move)
{
    paper_run run = paper_open("box_stack", NULL);
    double start[7 * 10];
    ck_assert_int_eq(run.size.nq, 70);
    paper_until(&run, 1);
    memcpy(start, run.x, sizeof start);
    while (run.step < run.steps) {
        paper_step(&run);
        assert_below(displacement(&run, start), 1e-5);
    }
    assert_close(run.step * run.dt, 11, 1e-9);
    // and it is a stack under load, not ten boxes in the air
    assert_close(paper_normal_force(&run), G * 55, 1e-3);
    paper_close(&run);
}
END_TEST

START_TEST(a_column_of_spheres_stands)
{
    paper_run run = paper_open("sphere_stack", NULL);
    paper_until(&run, 5);
    for (int i = 0; i < 20; i++) {
        assert_close(run.x[7 * i], 0, 1e-9);
        assert_close(run.x[7 * i + 1], 0, 1e-9);
        assert_close(run.x[7 * i + 2], 0.05 + 0.1 * i, 2e-4);
    }
    assert_below(max_magnitude(run.x + run.size.nq, run.size.nv), 1e-6);
    paper_close(&run);
}
END_TEST

START_TEST(a_ton_on_a_gram_takes_no_more_iterations_than_two_grams)
{
    const char *const mass[] = {"model.bodies.heavy.geometry.0.mass=1.0e-3", "model.bodies.heavy.geometry.0.mass=1.0e+3"};
    const double sum[] = {0.003 * 9.81, 2000.001 * 9.81};
    for (int i = 0; i < 2; i++) {
        paper_run run = paper_open("unlike_masses", mass[i], NULL);
        paper_until(&run, 1);
        ck_assert_int_le(run.most_iterations, 5);
        assert_close(paper_normal_force(&run), sum[i], 1e-5 * sum[i]);
        assert_close(paper_value(&run, "heavy.x"), 0, 1e-9);
        assert_close(paper_value(&run, "heavy.z"), 0.3, 1e-4);
        paper_close(&run);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("paper/rest");
    TCase *c = tcase_create("rest");
    tcase_set_timeout(c, 0);
    tcase_add_test(c, slides_down_a_slope_as_far_as_friction_says);
    tcase_add_test(c, creeps_on_a_slope_at_the_speed_of_its_friction_usage);
    tcase_add_test(c, sap_creeps_below_sigma_times_the_impulse);
    tcase_add_test(c, ten_boxes_turned_against_each_other_do_not_move);
    tcase_add_test(c, a_column_of_spheres_stands);
    tcase_add_test(c, a_ton_on_a_gram_takes_no_more_iterations_than_two_grams);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return run_suite(suite());
}
