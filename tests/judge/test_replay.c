// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A replay asks its policy before every step, measures every knot once, and reports the largest penetration, slip and momentum
// residual of the steps. The replays of a plan are in tests/trajopt/test_replay.c.

#include "judge/replay.h"

#include "step/scenes.h"
#include "support/support.h"

enum { KNOTS = 20, PARTS = 4, MAX_X = 13 };

typedef struct log_of_calls {
    int asked, measured, last;
    double share; // sum
    int fail_at;  // the knot whose state is made not finite, -1: none
    double *x;    // of all knots
} log_of_calls;

static void policy(void *data, int knot, double share, const double *x, double *u)
{
    log_of_calls *calls = data;
    (void)x, (void)u;
    ck_assert_int_eq(calls->asked++ / PARTS, knot);
    calls->share += share;
    if (knot == calls->fail_at) calls->x[knot * MAX_X] = NAN;
}

static double measure(void *data, int knot, const double *x, const double *u)
{
    log_of_calls *calls = data;
    ck_assert_int_eq(knot, calls->measured++);
    ck_assert((u == NULL) == (knot == KNOTS));
    calls->last = knot;
    return x[2];
}

static trxi_experiment drop(const scene *s, const floor_def *def, log_of_calls *calls, double *x, double *u)
{
    floor_state(s, def, 0.06, 0, x);
    calls->x = x;
    return (trxi_experiment){.sim = s->sim, .knots = KNOTS, .parts = PARTS, .knot_time = PARTS * def->time_step, .policy = policy,
                             .measure = measure, .data = calls, .x = x, .stride = MAX_X, .u = u};
}

START_TEST(a_policy_is_asked_before_every_step_and_every_knot_is_measured)
{
    floor_def def = floor_def_default();
    scene s = scene_floor(&def);
    static double x[(KNOTS + 1) * MAX_X];
    double u[1], again[MAX_X], height = 0;
    log_of_calls calls = {.fail_at = -1};
    trx_replay replay = {0}, expected = {0};
    trxi_experiment experiment = drop(&s, &def, &calls, x, u);
    trxi_replay_run(&experiment, &replay);
    ck_assert_int_eq(replay.status, TRX_OK);
    ck_assert(calls.asked == KNOTS * PARTS && calls.measured == KNOTS + 1 && experiment.failed_knot == -1);
    assert_close(calls.share, KNOTS * 1.5, 1e-12);
    for (int k = 0; k <= KNOTS; k++) height += x[k * MAX_X + 2];
    assert_close(replay.cost, height, 1e-12);

    // the same steps taken by hand
    for (int i = 0; i < MAX_X; i++) again[i] = x[i];
    for (int k = 0; k < KNOTS * PARTS; k++) {
        ck_assert_int_ge(trx_step(s.sim, again, NULL, again), 0);
        trxi_replay_observe(s.sim, &expected);
    }
    for (int i = 0; i < MAX_X; i++) ck_assert(again[i] == x[KNOTS * MAX_X + i]);
    ck_assert(replay.penetration >= expected.penetration && replay.penetration > 0);
    ck_assert(replay.slip == expected.slip && replay.momentum_residual == expected.momentum_residual);
    scene_destroy(&s);
}
END_TEST

START_TEST(a_step_that_fails_ends_the_replay)
{
    floor_def def = floor_def_default();
    scene s = scene_floor(&def);
    static double x[(KNOTS + 1) * MAX_X];
    double u[1];
    log_of_calls calls = {.fail_at = 3};
    trx_replay replay = {0};
    trxi_experiment experiment = drop(&s, &def, &calls, x, u);
    trxi_replay_run(&experiment, &replay);
    ck_assert_int_eq(replay.status, TRX_ERR_NOT_FINITE);
    ck_assert(isinf(replay.cost) && experiment.failed_knot == 3 && calls.last == 3);
    scene_destroy(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("judge/replay");
    TCase *cases = tcase_create("replay");
    tcase_add_test(cases, a_policy_is_asked_before_every_step_and_every_knot_is_measured);
    tcase_add_test(cases, a_step_that_fails_ends_the_replay);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
