// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A cube that slides to rest (docs/validation.md; Le Lidec et al., section IV-A, figures 9 and 10): the cube slides
// straight, stays on the ground, and loses energy as Coulomb's law says. Convex models with coupled normal and friction differ.

#include "paper/run.h"
#include "support/support.h"

static const double G = 9.81, MU = 0.4, U0 = 4;

START_TEST(lagged_slides_straight_on_the_ground_and_dissipates_mu_m_g_times_the_way)
{
    paper_run run = paper_open("cube_slide", NULL);
    double z = paper_value(&run, "cube.z"), energy = paper_energy(&run);
    while (run.step < run.steps) {
        paper_step(&run);
        double t = run.step * run.dt, v = paper_value(&run, "cube.vx"), x = paper_value(&run, "cube.x");
        assert_close(paper_value(&run, "cube.y"), 0, 1e-12);
        assert_close(paper_value(&run, "cube.z"), z, 1e-8);
        assert_close(v, fmax(0, U0 - MU * G * t), 1e-3);
        // Euler's method moves by the velocity at the end of a step
        if (t < 1) assert_close(energy - paper_energy(&run), MU * G * (x + run.dt / 2 * (U0 - v)), 1e-3);
    }
    assert_close(paper_value(&run, "cube.x"), U0 * U0 / (2 * MU * G), 0.01 * 2.04);
    paper_close(&run);
}
END_TEST

// largest height of the cube above where it rests, started touching or `lift` above
static double largest_height(const char *law, double lift)
{
    paper_run run = paper_open("cube_slide", law, NULL);
    int z = paper_index(&run, "cube.z");
    double rest = run.x[z], highest = 0;
    run.x[z] += lift;
    while (run.step < run.steps) {
        paper_step(&run);
        highest = fmax(highest, run.x[z] - rest);
    }
    paper_close(&run);
    return highest;
}

// the cone complementarity relaxation throws a cube that starts on the ground into the air; a cube that starts at its
// gliding height mu dt v comes down as it slows down
START_TEST(coupled_models_lift_the_cube_lagged_does_not)
{
    const char *const law[] = {"contact.approximation=similar", "contact.approximation=sap"};
    assert_below(largest_height("contact.approximation=lagged", 0), 1e-8);
    for (int i = 0; i < 2; i++) {
        ck_assert_double_gt(largest_height(law[i], 0), 0.05);
        assert_close(largest_height(law[i], MU * 0.005 * U0), MU * 0.005 * U0, 1e-4);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("paper/cube");
    TCase *c = tcase_create("cube");
    tcase_set_timeout(c, 0);
    tcase_add_test(c, lagged_slides_straight_on_the_ground_and_dissipates_mu_m_g_times_the_way);
    tcase_add_test(c, coupled_models_lift_the_cube_lagged_does_not);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return run_suite(suite());
}
