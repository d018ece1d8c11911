// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Horizons of a closed loop: the predicted paths of the moving bodies, at knots at equal distances, and few enough however long the
// loop is.

#include "report/fixture.h"

#include <math.h>
#include <stdio.h>
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

enum { MOST = 30 };

// the box moves by `speed` and the pusher by twice as much from knot to knot
static trx_policy *moving_policy(int steps, double speed)
{
    static double x[NX * (MOST + 1)], u[NU * MOST];
    const trx_model *model = trx_problem_model(f.problem);
    memset(x, 0, sizeof x);
    for (int k = 0; k <= steps; k++) {
        trx_model_neutral(model, x + NX * k);
        x[NX * k] = speed * k, x[NX * k + 7] = 2 * speed * k;
    }
    const trx_policy_def def = {.size = sizeof def, .steps = steps, .time_step = 0.02, .x = x, .u = u};
    trx_policy *policy;
    ck_assert_int_eq(trx_policy_create(f.context, model, &def, &policy), TRX_OK);
    return policy;
}

START_TEST(a_path_has_the_moving_bodies_at_equal_distances)
{
    static const int lengths[] = {1, 5, 11, 22};
    for (int i = 0; i < 4; i++) {
        trxi_horizons h;
        const int steps = lengths[i], points = steps < 11 ? steps + 1 : 12;
        trx_policy *policy = moving_policy(steps, 0.01);
        ck_assert_int_eq(trxi_horizons_begin(f.pool, trx_problem_model(f.problem), &h), TRX_OK);
        ck_assert_int_eq(h.nbody, 2);
        trxi_horizons_add(&h, 0.5, policy);
        ck_assert(h.count == 1 && h.points[0] == points && h.times[0] == 0.5);
        for (int b = 0; b < 2; b++)
            for (int k = 0; k < points; k++)
                assert_close(h.paths[3 * (12 * b + k)], (b + 1) * 0.01 * steps * k / (points - 1), 1e-12);
        trx_policy_destroy(policy);
    }
}
END_TEST

START_TEST(a_long_loop_keeps_few_ticks_at_equal_distances)
{
    trxi_horizons h;
    trx_policy *policy = moving_policy(3, 0.01);
    ck_assert_int_eq(trxi_horizons_begin(f.pool, trx_problem_model(f.problem), &h), TRX_OK);
    for (int i = 0; i < 7000; i++) {
        trxi_horizons_add(&h, i, policy);
        ck_assert_int_le(h.count, TRXI_MAX_HORIZONS);
    }
    ck_assert_int_ge(h.count, TRXI_MAX_HORIZONS / 2 - 1);
    for (int i = 0; i < h.count; i++) {
        ck_assert_double_eq(h.times[i], (double)i * h.every);
        assert_close(h.paths[72 * i + 9], 0.03, 1e-12);
    }
    trx_policy_destroy(policy);
}
END_TEST

START_TEST(the_scene_has_the_horizons_of_a_loop)
{
    trx_policy *policy = moving_policy(2, 0.25);
    trx_run_set_loop(f.run, 0.02, 1);
    for (int i = 0; i < 3; i++) {
        const trx_tick tick = {.time = 0.02 * i, .status = TRX_OK, .knots = 2, .seconds = 1e-3, .policy = policy};
        ck_assert_int_eq(trx_run_add_tick(f.run, &tick), TRX_OK);
    }
    double u[NU * STEPS];
    fixture_controls(u);
    trx_simulation simulation = fixture_simulation(u);
    ck_assert_int_eq(trx_run_simulate(f.run, &simulation), TRX_OK);
    trxi_text scene = trxi_text_create(f.context);
    ck_assert_int_eq(trxi_write_scene(f.run, &scene), TRX_OK);
    const char *found = strstr(trxi_text_get(&scene), "\"horizons\"");
    ck_assert_ptr_nonnull(found);
    ck_assert_ptr_nonnull(strstr(found, "0.25"));
    ck_assert_ptr_nonnull(strstr(found, "0.5"));
    trxi_text_destroy(&scene);

    int count;
    const trx_tick *ticks = trx_run_ticks(f.run, &count);
    ck_assert(count == 3 && ticks[2].knots == 2 && !ticks[2].policy);
    trx_loop_info info;
    ck_assert_int_eq(trx_run_get_loop(f.run, &info), TRX_OK);
    ck_assert(info.ticks == 3 && info.late == 0 && info.median == 1e-3 && info.most == 1e-3);
    for (int i = 0; i < TRX_TICK_BINS; i++) ck_assert_int_eq(info.histogram[i], i == 11 ? 3 : 0); // 1 ms: up to 2^-9 s
    trx_policy_destroy(policy);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report/horizons");
    TCase *cases = tcase_create("horizons");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, a_path_has_the_moving_bodies_at_equal_distances);
    tcase_add_test(cases, a_long_loop_keeps_few_ticks_at_equal_distances);
    tcase_add_test(cases, the_scene_has_the_horizons_of_a_loop);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
