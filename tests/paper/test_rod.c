// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The sliding rod (docs/validation.md; Castro, Han, Masterjohn, section XI-C): friction turns the rod into the ground, the tip jams
// and the rod jumps. Judged against a run at 1e-7 s, 500,000 steps up to just after the jump; orders against 5e-7 s.

#include "paper/run.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>

static const double G = 9.81, END = 0.05, GRID = 1.6e-4, REFERENCE = 1e-7;
enum { SIZES = 5, ROWS = 312 };
static const double dt[SIZES] = {1.6e-4, 8e-5, 4e-5, 2e-5, 1e-5};

// results of a run to END: how long the tip sticks, how high the rod would fly, the largest force
typedef struct jump {
    double stuck, height, force;
} jump;

static jump watch(double step)
{
    char text[40];
    snprintf(text, sizeof text, "time.step=%.17g", step);
    paper_run run = paper_open("sliding_rod", text, NULL);
    jump j = {0, 0, 0};
    int pitch = paper_index(&run, "pitch.v");
    while (run.step * step < END) {
        paper_step(&run);
        const trx_contact *contacts;
        if (!trx_sim_contacts(run.sim, &contacts)) continue;
        j.force = fmax(j.force, contacts->f_n);
        if (contacts->f_n > 0 && contacts->v_t < 1e-4) j.stuck += step;
    }
    double z = paper_value(&run, "z"), v = paper_value(&run, "z.v");
    ck_assert_double_gt(v, 0);
    ck_assert_double_gt(run.x[pitch], 0);
    j.height = z + v * v / (2 * G);
    paper_close(&run);
    return j;
}

START_TEST(jams_sticks_and_jumps)
{
    jump fine = watch(REFERENCE), coarse = watch(1e-5);
    // an impact without collision: many times the weight of 2.9 N
    ck_assert_double_gt(fine.force, 500);
    ck_assert_double_gt(fine.height, 0.5);
    assert_close(fine.stuck, 2e-4, 0.2 * 2e-4);
    assert_close(coarse.stuck, 2e-4, 0.2 * 2e-4);
    assert_close(coarse.height, fine.height, 0.05 * fine.height);
}
END_TEST

START_TEST(is_of_first_order_below_2e_4)
{
    const char *const sets[][1] = {{"model.materials.default.dissipation=0"}, {"model.materials.default.dissipation=0.2"}};
    for (int k = 0; k < 2; k++) {
        double error[SIZES], r_squared;
        double *reference = paper_reference("sliding_rod", sets[k], 1, 5 * REFERENCE, GRID, ROWS);
        for (int i = 0; i < SIZES; i++) error[i] = paper_error("sliding_rod", sets[k], 1, dt[i], GRID, reference, ROWS);
        free(reference);
        double order = paper_order(dt, error, SIZES, &r_squared);
        assert_close(order, 1, 0.15);
        ck_assert_double_gt(r_squared, 0.95);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("paper/rod");
    TCase *c = tcase_create("rod");
    tcase_set_timeout(c, 0);
    tcase_add_test(c, jams_sticks_and_jumps);
    tcase_add_test(c, is_of_first_order_below_2e_4);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return run_suite(suite());
}
