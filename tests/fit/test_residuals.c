// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Residuals at the estimates: noise gets the verdict white noise, a motion that the model lacks does not, and predictions are
// recorded values plus residuals.

#include "fit/scene.h"

#include "fit/residuals.h"
#include "math/rotation.h"

static scene s;
static const double NOISE = 0.01;

// swings from several sides, the last one held out
static void open_swings(int count)
{
    scene_open(&s, PENDULUM);
    add_group(&s, "swing.position", NOISE);
    add_channel(&s, TRX_FIT_COORDINATE, 0, 0, "swing");
    for (int i = 0; i < count; i++) {
        const double x[2] = {0.4 + 0.1 * i, 0.2 * i};
        record(&s, x, 200, 1, 0, NOISE, (uint64_t)(40 + i));
    }
    s.recordings[count - 1].held_out = true;
}

START_TEST(noise_on_the_motion_of_the_model_looks_like_noise)
{
    open_swings(6);
    trx_fit *fit = run_fit(&s, trx_fit_settings_default());
    ck_assert_int_eq(trx_fit_get_info(fit).nresidual, 1);
    const trx_fit_residual_info r = trx_fit_get_residual(fit, 0);
    ck_assert_int_eq(r.whiteness, TRX_FIT_WHITE);
    ck_assert_str_eq(r.verdict, "looks like white noise");
    ck_assert_str_eq(r.name, "swing");
    ck_assert_int_eq(r.count, 5 * 201);
    assert_close(r.rms, NOISE, 0.06 * NOISE);
    assert_close(r.rms_held, NOISE, 0.15 * NOISE);
    ck_assert_double_lt(fabs(r.mean), 4 * NOISE / sqrt(1005.0));
    assert_close(r.band, 3.291 / sqrt(5 * 200.0), 1e-12);
    assert_close(r.rms, trx_fit_get_group(fit, 0).rms, 1e-12 * NOISE);
    ck_assert_ptr_null(trx_fit_get_residual(fit, 1).name);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

// adds a part to the recordings that no pendulum can explain
static void disturb(double (*part)(double t, int row))
{
    for (int i = 0; i < s.fit.nrecording; i++)
        for (int k = 0; k < s.recordings[i].rows; k++) ((double *)s.recordings[i].values)[k] += part(s.recordings[i].t[k], k);
}

static double slow_wave(double t, int row)
{
    (void)row;
    return 2 * NOISE * sin(15 * t);
}

static double alternating(double t, int row)
{
    (void)t;
    return row % 2 ? NOISE : -NOISE;
}

static double offset(double t, int row)
{
    (void)t, (void)row;
    return 0.5 * NOISE;
}

START_TEST(a_motion_that_the_model_lacks_is_not_white)
{
    open_swings(6);
    disturb(slow_wave);
    trx_fit *fit = run_fit(&s, trx_fit_settings_default());
    trx_fit_residual_info r = trx_fit_get_residual(fit, 0);
    ck_assert_int_eq(r.whiteness, TRX_FIT_COLOURED);
    ck_assert_ptr_nonnull(strstr(r.verdict, "neighbours are alike"));
    // the wave has a mean square of 2 noise^2 and the noise one: of neighbours 2/3 cos(15 dt)
    assert_close(r.autocorrelation[0], 2.0 / 3 * cos(0.15), 0.06);
    // half a period of the wave
    assert_close(r.autocorrelation[19], 2.0 / 3 * cos(3.0), 0.1);
    trx_fit_destroy(fit);
    scene_close(&s);

    open_swings(6);
    disturb(alternating);
    fit = run_fit(&s, trx_fit_settings_default());
    r = trx_fit_get_residual(fit, 0);
    ck_assert_int_eq(r.whiteness, TRX_FIT_COLOURED);
    ck_assert_ptr_nonnull(strstr(r.verdict, "neighbours differ"));
    assert_close(r.autocorrelation[0], -0.5, 0.06);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

START_TEST(an_offset_is_named)
{
    // swings go to both sides, so no start state explains an offset
    open_swings(6);
    disturb(offset);
    trx_fit *fit = run_fit(&s, trx_fit_settings_default());
    const trx_fit_residual_info r = trx_fit_get_residual(fit, 0);
    ck_assert_int_eq(r.whiteness, TRX_FIT_WHITE);
    ck_assert_msg(strstr(r.verdict, "; an offset of -0.00") != NULL, "%s", r.verdict);
    assert_close(r.mean, -0.5 * NOISE, 0.15 * NOISE);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

START_TEST(few_residuals_have_no_verdict)
{
    scene_open(&s, PENDULUM);
    add_group(&s, "swing.position", NOISE);
    add_channel(&s, TRX_FIT_COORDINATE, 0, 0, "swing");
    const double x[2] = {0.4, 0};
    record(&s, x, 20, 1, 0, NOISE, 3);
    trx_fit *fit = run_fit(&s, trx_fit_settings_default());
    ck_assert_int_eq(trx_fit_get_residual(fit, 0).whiteness, TRX_FIT_TOO_FEW);
    ck_assert(isnan(trx_fit_get_residual(fit, 0).band));
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

START_TEST(predictions_are_recorded_plus_residual_and_missing_samples_have_none)
{
    scene_open(&s, SLIDE);
    add_box_channels(&s, 0.001, 0.01);
    for (int i = 0; i < 2; i++) record_slide(&s, 0.001, (uint64_t)i);
    s.recordings[0].window = 20;
    ((double *)s.recordings[0].values)[7 * 30 + 1] = NAN; // y of row 30
    add_parameter(&s, "pair(box, ground).friction", NAN);
    trx_fit *fit = run_fit(&s, trx_fit_settings_default());
    ck_assert_int_eq(trx_fit_get_info(fit).nresidual, 6);
    ck_assert_str_eq(trx_fit_get_residual(fit, 5).name, "box.orientation about z");
    double *tables[2] = {fit->windowed, fit->whole}, out[4], turn[3];
    double largest = 0;
    for (int w = 0; w < 2; w++)
        for (int row = 0; row < s.recordings[0].rows; row++) {
            const double *recorded = s.recordings[0].values + 7 * row, *r = trxi_residuals_of(fit, tables[w], 0) + 6 * row;
            ck_assert(trxi_predicted(fit, tables[w], 0, row, 1, out));
            ck_assert_int_eq(isnan(out[0]) != 0, row == 30);
            if (row != 30) assert_close(out[0] - recorded[1], r[1], 1e-15);
            ck_assert(trxi_predicted(fit, tables[w], 0, row, 3, out));
            trxi_quat_difference(out, recorded + 3, turn);
            for (int k = 0; k < 3; k++) assert_close(turn[k], r[3 + k], 1e-12);
            for (int k = 0; k < 3; k++) largest = fmax(largest, fabs(r[3 + k]));
        }
    ck_assert_double_gt(largest, 1e-4);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit/residuals");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, noise_on_the_motion_of_the_model_looks_like_noise);
    tcase_add_test(tests, a_motion_that_the_model_lacks_is_not_white);
    tcase_add_test(tests, an_offset_is_named);
    tcase_add_test(tests, few_residuals_have_no_verdict);
    tcase_add_test(tests, predictions_are_recorded_plus_residual_and_missing_samples_have_none);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
