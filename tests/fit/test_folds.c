// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Cross-validation: each fold is the fit without its part, every fitted recording is left out once, and the deviation by leaving
// out agrees with the reported one.

#include "fit/scene.h"

static scene s;

static trx_fit *run(trx_fit_settings settings)
{
    trx_fit *fit = run_fit(&s, settings);
    ck_assert_int_eq(trx_fit_cross_validate(fit), TRX_OK);
    return fit;
}

// slides of a box of which the friction is asked for
static void open_slides(int count)
{
    scene_open(&s, SLIDE);
    add_box_channels(&s, 0.001, 0.01);
    for (int i = 0; i < count; i++) record_slide(&s, 0.001, (uint64_t)i);
    add_parameter(&s, "pair(box, ground).friction", NAN)->min = 0.01;
}

START_TEST(a_fold_is_the_fit_without_its_part)
{
    open_slides(7);
    s.recordings[6].held_out = true;
    trx_fit_settings settings = trx_fit_settings_default();
    settings.folds = 3;
    trx_fit *fit = run(settings);
    ck_assert_int_eq(trx_fit_get_info(fit).folds, 3);

    // fold 1 leaves out the recordings 1 and 4
    settings.folds = 0;
    s.recordings[1].held_out = s.recordings[4].held_out = true;
    trx_fit *without = run(settings);
    const trx_fit_estimate e = trx_fit_get_estimate(without, 0);
    assert_close(trx_fit_fold_value(fit, 0, 1), e.value, 0.01 * e.sd);
    for (int i = 0; i < 7; i++) {
        const trx_fit_recording_info r = trx_fit_get_validated(fit, i), same = trx_fit_get_recording(without, i);
        ck_assert_int_eq(isnan(r.position) != 0, i == 6);
        if (i == 1 || i == 4) assert_close(r.position, same.position, 1e-3 * same.position);
        if (i == 1 || i == 4) assert_close(r.early_position, same.early_position, 0.02 * same.early_position);
    }
    ck_assert(isnan(trx_fit_fold_value(fit, 0, 3)) && isnan(trx_fit_fold_value(fit, 1, 0)));
    ck_assert_ptr_null(trx_fit_get_validated(without, 0).name);
    trx_fit_destroy(without);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

START_TEST(the_deviation_by_leaving_out_agrees_with_the_reported_one)
{
    // swings that an encoder with a gain has seen: gravity is not linear, so the motion tells the gain
    scene_open(&s, PENDULUM);
    add_group(&s, "swing.position", 0.01);
    add_channel(&s, TRX_FIT_COORDINATE, 0, 0, "swing");
    for (int i = 0; i < 12; i++) {
        const double x[2] = {1.2 + 0.05 * i, 0.1 * i};
        record(&s, x, 150, 1, 0, 0.01, (uint64_t)(70 + i));
    }
    s.parameters[s.fit.nparameter++] =
        (trx_fit_parameter){.name = "gain(swing)", .start = NAN, .min = -INFINITY, .max = INFINITY, .prior_sd = INFINITY,
                            .same_as = -1, .signal = TRX_FIT_GAIN, .signal_channel = -1};
    trx_fit_settings settings = trx_fit_settings_default();
    settings.folds = 12;
    trx_fit *fit = run(settings);
    const trx_fit_estimate e = trx_fit_get_estimate(fit, 0);
    const double sd = trx_fit_fold_deviation(fit, 0);
    // a deviation from 12 recordings is uncertain by 1/sqrt(2 * 11), a fifth
    ck_assert_double_gt(sd, 0.5 * e.sd);
    ck_assert_double_lt(sd, 1.6 * e.sd);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

// a bound that the exponential of its logarithm exceeds: a fold refused to start at an estimate beyond its bound
START_TEST(an_estimate_at_its_bound_has_folds)
{
    open_slides(3);
    double most = 0.25;
    while (!(exp(log(most)) > most)) most = nextafter(most, 1);
    s.parameters[0].start = 0.2, s.parameters[0].max = most;
    trx_fit_settings settings = trx_fit_settings_default();
    settings.folds = 3;
    trx_fit *fit = run(settings);
    for (int fold = 0; fold < 3; fold++) assert_close(trx_fit_fold_value(fit, 0, fold), most, 1e-12);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

// a fold gave the ten numbers of a body starts, which such numbers do not have, and was refused
START_TEST(an_inertia_has_folds)
{
    scene_open(&s, SLIDE);
    add_box_channels(&s, 0.001, 0.01);
    for (int i = 0; i < 2; i++) record_slide(&s, 0.001, (uint64_t)i);
    add_body(&s, "box");
    trx_fit_settings settings = trx_fit_settings_default();
    settings.folds = 2, settings.iterations = 3, settings.rounds = 1;
    trx_fit *fit = run(settings);
    ck_assert_int_eq(trx_fit_get_info(fit).folds, 2);
    ck_assert_double_gt(trx_fit_get_validated(fit, 1).position, 0);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

START_TEST(wrong_numbers_of_folds_are_refused)
{
    open_slides(3);
    trx_fit *fit;
    for (int k = 0; k < 3; k++) {
        trx_fit_settings settings = trx_fit_settings_default();
        settings.folds = (int[]){1, 4, -1}[k];
        ck_assert_int_eq(trx_fit_run(s.context, &s.fit, &settings, NULL, NULL, &fit), TRX_ERR_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(trx_context_message(s.context), "folds"));
    }
    trx_fit_settings settings = trx_fit_settings_default();
    settings.folds = 2;
    s.parameters[0].per = TRX_FIT_PER_RECORDING;
    ck_assert_int_eq(trx_fit_run(s.context, &s.fit, &settings, NULL, NULL, &fit), TRX_ERR_UNSUPPORTED);
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit/folds");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, a_fold_is_the_fit_without_its_part);
    tcase_add_test(tests, the_deviation_by_leaving_out_agrees_with_the_reported_one);
    tcase_add_test(tests, an_estimate_at_its_bound_has_folds);
    tcase_add_test(tests, an_inertia_has_folds);
    tcase_add_test(tests, wrong_numbers_of_folds_are_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
