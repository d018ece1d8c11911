// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A fit absorbs the error of the time step. An oscillation m x'' = -k x - c x' is recorded by its closed form. The symplectic step
// evaluates springs at its end, which damps like k h: the fit finds c - k h, and half the step moves it by k h / 2.

#include "fit/scene.h"

static const char OSCILLATOR[] = "tractrix: 1\n"
                                 "model:\n"
                                 "  gravity: [0, 0, 0]\n"
                                 "  bodies:\n"
                                 "    - name: mass\n"
                                 "      joints: [{name: x, type: slide, axis: [1, 0, 0], stiffness: 50, damping: 0.3}]\n"
                                 "      inertia: {mass: 1}\n"
                                 "time: {step: 0.002, steps: 60}\n";
static const double STIFFNESS = 50, DAMPING = 0.5, STEP = 0.002, NOISE = 1e-3;

static scene s;

static void record_closed_form(double amplitude, uint64_t seed)
{
    enum { ROWS = 300 };
    double *t = scene_take(&s, ROWS), *values = scene_take(&s, ROWS);
    const double rate = DAMPING / 2, frequency = sqrt(STIFFNESS - rate * rate);
    for (int k = 0; k < ROWS; k++) {
        t[k] = 0.01 * k;
        const double noise = NOISE * trxi_random_normal(seed, (uint64_t)k);
        values[k] = amplitude * exp(-rate * t[k]) * cos(frequency * t[k]) + noise;
    }
    s.recordings[s.fit.nrecording++] = (trx_fit_recording){.name = "closed form", .rows = ROWS, .t = t, .values = values};
}

static trx_fit *fit_damping(trx_scheme scheme, int threads)
{
    trx_fit_settings settings = trx_fit_settings_default();
    settings.threads = threads;
    scene_open(&s, OSCILLATOR);
    s.fit.sim.scheme = scheme;
    add_group(&s, "x.position", NAN);
    add_channel(&s, TRX_FIT_COORDINATE, 0, 0, "x");
    for (int i = 0; i < 3; i++) record_closed_form(0.2 + 0.1 * i, (uint64_t)i);
    add_parameter(&s, "x.damping", NAN);
    return run_fit(&s, settings);
}

START_TEST(half_the_step_moves_the_damping_by_half_of_what_the_step_damps)
{
    trx_fit *fit = fit_damping(TRX_SYMPLECTIC, 1);
    const trx_fit_estimate e = trx_fit_get_estimate(fit, 0);
    assert_close(e.value, DAMPING - STIFFNESS * STEP, 0.01);
    assert_close(e.halved, STIFFNESS * STEP / 2, 0.005);
    ck_assert_double_gt(DAMPING, e.high); // the interval does not contain the error of the time step
    const char *verdict = trx_fit_get_info(fit).step_verdict;
    ck_assert_ptr_nonnull(verdict);
    const char *begin = "the time step of 0.002 s is too long: half of it moves x.damping by +0.0";
    ck_assert_msg(strstr(verdict, begin) == verdict, "%s", verdict);
    ck_assert_ptr_nonnull(strstr(verdict, "time.scheme: midpoint"));
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

START_TEST(a_step_that_is_short_enough_is_not_mentioned)
{
    trx_fit *fit = fit_damping(TRX_MIDPOINT, 1);
    const trx_fit_estimate e = trx_fit_get_estimate(fit, 0);
    assert_close(e.value, DAMPING, 3 * e.sd);
    ck_assert_double_lt(fabs(e.halved), e.sd);
    ck_assert_ptr_null(trx_fit_get_info(fit).step_verdict);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

START_TEST(threads_change_no_bit)
{
    double halved[2];
    for (int i = 0; i < 2; i++) {
        trx_fit *fit = fit_damping(TRX_SYMPLECTIC, 1 + 2 * i);
        halved[i] = trx_fit_get_estimate(fit, 0).halved;
        trx_fit_destroy(fit);
        scene_close(&s);
    }
    ck_assert(halved[0] == halved[1] && halved[0] != 0);
}
END_TEST

static trx_status fit_in(trx_context *context)
{
    return try_fit(&s, context);
}

START_TEST(a_failing_allocation_is_reported_and_leaks_nothing)
{
    trx_fit_destroy(fit_damping(TRX_SYMPLECTIC, 1));
    fail_some_allocations(fit_in);
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit/half_step");
    TCase *cases = tcase_create("half_step");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, half_the_step_moves_the_damping_by_half_of_what_the_step_damps);
    tcase_add_test(cases, a_step_that_is_short_enough_is_not_mentioned);
    tcase_add_test(cases, threads_change_no_bit);
    tcase_add_test(cases, a_failing_allocation_is_reported_and_leaks_nothing);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
