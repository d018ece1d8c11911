// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Deviations assume that the objective is a parabola. A mass on a spring has such an objective. A mass that bounces on stiff ground
// in long steps has a sawtooth function: the step in which the mass touches the ground determines the speed afterwards.

#include "fit/scene.h"

static const char OSCILLATOR[] = "tractrix: 1\n"
                                 "model:\n"
                                 "  gravity: [0, 0, 0]\n"
                                 "  bodies:\n"
                                 "    - name: mass\n"
                                 "      joints: [{name: x, type: slide, axis: [1, 0, 0], stiffness: 50, damping: 0.3}]\n"
                                 "      inertia: {mass: 1}\n"
                                 "time: {step: 0.01, steps: 60}\n";

static const char BOUNCES[] = "tractrix: 1\n"
                              "model:\n"
                              "  gravity: [0, 0, -9.81]\n"
                              "  materials: {steel: {stiffness: 2.0e4, dissipation: 0.1, friction: 0.3}}\n"
                              "  bodies:\n"
                              "    - name: mass\n"
                              "      joints: [{name: x, type: slide, axis: [0, 0, 1], damping: 0.3}]\n"
                              "      geometry: [{shape: sphere, radius: 0.05, mass: 0.5, material: steel}]\n"
                              "    - {name: ground, geometry: [{shape: halfspace, material: steel}]}\n"
                              "time: {scheme: midpoint, contact: midpoint, step: 0.01, steps: 60}\n"
                              "start: {x: 0.3}\n";

static const double NOISE = 2e-3;
static scene s;

// some recordings of the only joint, and its damping as a parameter
static void open_motions(const char *text, int recordings)
{
    scene_open(&s, text);
    add_group(&s, "x.position", NOISE);
    add_channel(&s, TRX_FIT_COORDINATE, 0, 0, "x");
    for (int i = 0; i < recordings; i++) {
        const double x[2] = {0.3 + 0.04 * i, 0.1 * i};
        record(&s, x, 120, 1, 0, NOISE, (uint64_t)i);
    }
    add_parameter(&s, "x.damping", 0.3);
}

static trx_fit_settings with_given_starts(void)
{
    trx_fit_settings settings = trx_fit_settings_default();
    settings.start_position = settings.start_velocity = 0;
    return settings;
}

START_TEST(a_smooth_objective_is_not_mentioned)
{
    open_motions(OSCILLATOR, 3);
    trx_fit *fit = run_fit(&s, trx_fit_settings_default());
    const trx_fit_info info = trx_fit_get_info(fit);
    ck_assert_double_gt(info.roughness, 0);
    ck_assert_double_lt(info.roughness, 0.02);
    ck_assert_ptr_null(info.rough_verdict);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

START_TEST(teeth_are_measured_and_mentioned)
{
    open_motions(BOUNCES, 3);
    trx_fit *fit = run_fit(&s, trx_fit_settings_default());
    const trx_fit_info info = trx_fit_get_info(fit);
    ck_assert_double_gt(info.roughness, 0.1);
    ck_assert_ptr_nonnull(info.rough_verdict);
    ck_assert_ptr_nonnull(strstr(info.rough_verdict, "the objective is rough: one deviation from the estimates it rises by "));
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

// with one unknown and given start states, all directions are the same two values of the objective
START_TEST(the_roughness_is_the_second_difference_of_the_objective)
{
    static const char *const scenes[] = {OSCILLATOR, BOUNCES};
    for (int i = 0; i < 2; i++) {
        open_motions(scenes[i], 3);
        const trx_fit_settings settings = with_given_starts();
        trx_fit *fit = run_fit(&s, settings);
        const trx_fit_estimate e = trx_fit_get_estimate(fit, 0);
        const double deviation = e.sd / e.value; // of the logarithm
        const double ends[] = {e.value * exp(deviation), e.value * exp(-deviation)};
        const double minimum = objective_at(&s, &e.value, &settings);
        const double error = objective_at(&s, &ends[0], &settings) + objective_at(&s, &ends[1], &settings) - 2 * minimum - 1;
        ck_assert_double_ne(error, 0);
        assert_close(trx_fit_get_info(fit).roughness, fabs(error), 1e-6 * (1 + fabs(error)));
        assert_close(trx_fit_get_info(fit).objective, minimum, 1e-9 * minimum); // the estimates are as before
        trx_fit_destroy(fit);
        scene_close(&s);
    }
}
END_TEST

START_TEST(values_of_sessions_follow_the_shared_ones)
{
    open_motions(OSCILLATOR, 3);
    static char names[3][16];
    for (int i = 0; i < 3; i++) {
        snprintf(names[i], sizeof names[i], "swing %d", i);
        s.recordings[i].name = names[i];
    }
    s.parameters[s.fit.nparameter++] =
        (trx_fit_parameter){.name = "bias(x)", .start = 0, .min = -INFINITY, .max = INFINITY, .prior_sd = INFINITY, .same_as = -1,
                            .signal = TRX_FIT_BIAS, .signal_channel = 0, .per = TRX_FIT_PER_RECORDING};
    trx_fit *fit = run_fit(&s, trx_fit_settings_default());
    ck_assert_int_eq(trx_fit_get_info(fit).nparameter, 4);
    ck_assert_double_gt(trx_fit_get_info(fit).roughness, 0);
    ck_assert_double_lt(trx_fit_get_info(fit).roughness, 0.02);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

START_TEST(many_windows_are_left_to_the_sandwich)
{
    open_motions(OSCILLATOR, 3);
    for (int i = 0; i < 3; i++) s.recordings[i].window = 5;
    trx_fit *fit = run_fit(&s, trx_fit_settings_default());
    ck_assert_int_gt(trx_fit_get_info(fit).windows, 64);
    ck_assert(isnan(trx_fit_get_info(fit).roughness));
    ck_assert_ptr_null(trx_fit_get_info(fit).rough_verdict);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

START_TEST(threads_change_no_bit)
{
    double roughness[2];
    for (int i = 0; i < 2; i++) {
        open_motions(BOUNCES, 3);
        trx_fit_settings settings = trx_fit_settings_default();
        settings.threads = 1 + 2 * i;
        trx_fit *fit = run_fit(&s, settings);
        roughness[i] = trx_fit_get_info(fit).roughness;
        trx_fit_destroy(fit);
        scene_close(&s);
    }
    ck_assert(roughness[0] == roughness[1] && roughness[0] > 0);
}
END_TEST

static trx_status fit_in(trx_context *context)
{
    return try_fit(&s, context);
}

START_TEST(a_failing_allocation_is_reported_and_leaks_nothing)
{
    open_motions(BOUNCES, 2);
    fail_some_allocations(fit_in);
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit/parabola");
    TCase *cases = tcase_create("parabola");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, a_smooth_objective_is_not_mentioned);
    tcase_add_test(cases, teeth_are_measured_and_mentioned);
    tcase_add_test(cases, the_roughness_is_the_second_difference_of_the_objective);
    tcase_add_test(cases, values_of_sessions_follow_the_shared_ones);
    tcase_add_test(cases, many_windows_are_left_to_the_sandwich);
    tcase_add_test(cases, threads_change_no_bit);
    tcase_add_test(cases, a_failing_allocation_is_reported_and_leaks_nothing);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
