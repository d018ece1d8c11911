// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Parameters per recording and per file: sessions, their normal equations (arrow.c) and estimates (estimate.c).

#include "scene.h"

#include "fit/sessions.h"

#include <math.h>

static scene s;

static trx_fit_parameter *add_bias(const char *name, int channel)
{
    trx_fit_parameter *p = &s.parameters[s.fit.nparameter++];
    *p = (trx_fit_parameter){.name = name, .start = NAN, .min = -INFINITY, .max = INFINITY, .prior_sd = INFINITY, .same_as = -1,
                             .signal = TRX_FIT_BIAS, .signal_group = 0, .signal_channel = channel};
    return p;
}

// swings of the arm, whose elbow is recorded with an offset of its own in each recording
static void open_arms(int count)
{
    static const double x[4] = {0.4, -0.2, 0, 0};
    scene_open(&s, ARM);
    add_group(&s, "arm.position", 1e-3);
    add_channel(&s, TRX_FIT_COORDINATE, 0, 0, "shoulder");
    add_channel(&s, TRX_FIT_COORDINATE, 1, 0, "elbow");
    for (int i = 0; i < count; i++) {
        record(&s, x, 60, 2, 2 + i, 1e-3, (uint64_t)i);
        double *values = (double *)s.recordings[i].values;
        for (int row = 0; row < s.recordings[i].rows; row++) values[2 * row + 1] += 0.02 * (i + 1);
    }
}

START_TEST(files_and_recordings_make_sessions)
{
    open_arms(4);
    static const char *const files[] = {"a/one.csv", "two.csv", "a/one.csv", "three.csv"};
    for (int i = 0; i < 4; i++) s.recordings[i].file = files[i];
    s.recordings[2].held_out = s.recordings[3].held_out = true;
    add_parameter(&s, "lower.mass", 0.5);
    trx_fit_parameter *damping = add_parameter(&s, "elbow.damping", 0.2);
    trxi_pool *pool = trxi_pool_create(s.context);
    trxi_unknowns u;
    trxi_sessions sessions;

    damping->per = TRX_FIT_PER_FILE;
    ck_assert_int_eq(trxi_unknowns_begin(s.context, pool, &s.fit, &u), TRX_OK);
    ck_assert_int_eq(trxi_sessions_begin(s.context, pool, &s.fit, &sessions), TRX_OK);
    ck_assert_int_eq(sessions.count, 2);
    const int expected[] = {0, 1, 0, 2};
    for (int i = 0; i < 4; i++) ck_assert_int_eq(sessions.of_recording[i], expected[i]);
    ck_assert_int_eq(sessions.nentry, 3);
    ck_assert_str_eq(sessions.entries[0].name, "lower.mass");
    ck_assert_str_eq(sessions.entries[1].name, "elbow.damping of one.csv");
    ck_assert_str_eq(sessions.entries[2].name, "elbow.damping of two.csv");
    ck_assert_int_eq(trxi_sessions_free(&sessions, &u), 3);
    ck_assert_int_eq(u.local, 1);

    // a recording without a session has the mean of the logarithms
    const double entries[] = {0.7, 0.1, 0.4};
    double z[4], values[6];
    trxi_sessions_from_entries(&sessions, &u, entries, z);
    trxi_sessions_values(&sessions, &u, z, values);
    const double all[] = {0.7, 0.1, 0.7, 0.4, 0.7, 0.2};
    for (int i = 0; i < 6; i++) assert_close(values[i], all[i], 1e-14);

    damping->per = TRX_FIT_PER_RECORDING;
    ck_assert_int_eq(trxi_sessions_begin(s.context, pool, &s.fit, &sessions), TRX_OK);
    ck_assert_int_eq(sessions.count, 2);
    ck_assert_int_eq(sessions.of_recording[2], 2);
    trxi_pool_destroy(pool);
    scene_close(&s);
}
END_TEST

START_TEST(gradient_of_parameters_per_recording_agrees_with_central_differences)
{
    open_arms(3);
    add_parameter(&s, "lower.mass", NAN);
    add_bias("bias(elbow)", 1)->per = TRX_FIT_PER_RECORDING;
    s.parameters[1].prior_mean = 0.01, s.parameters[1].prior_sd = 0.05;
    const trx_fit_settings settings = trx_fit_settings_default();
    const double values[] = {0.65, 0.01, 0.03, 0.05};
    double gradient[4], ends[2];
    ck_assert_int_eq(trx_fit_objective(s.context, &s.fit, &settings, values, NULL, gradient), TRX_OK);
    for (int k = 0; k < 4; k++) {
        const double h = 1e-5;
        for (int side = 0; side < 2; side++) {
            double moved[4];
            memcpy(moved, values, sizeof values);
            moved[k] = k == 0 ? values[k] * exp(side ? h : -h) : values[k] + (side ? h : -h);
            ck_assert_int_eq(trx_fit_objective(s.context, &s.fit, &settings, moved, &ends[side], NULL), TRX_OK);
        }
        ck_assert(fabs(gradient[k]) > 1);
        assert_close(gradient[k], (ends[1] - ends[0]) / (2 * h), 1e-6 * fabs(gradient[k]));
    }
    scene_close(&s);
}
END_TEST

// puts the elbow of each recording into a column of its own: one shared bias per column then equals one bias per recording
static void spread_columns(int count)
{
    for (int i = 0; i < count; i++) {
        const double *values = s.recordings[i].values;
        double *spread = scene_take(&s, (size_t)(s.recordings[i].rows * (1 + count)));
        for (int row = 0; row < s.recordings[i].rows; row++) {
            for (int k = 0; k <= count; k++) spread[row * (1 + count) + k] = NAN;
            spread[row * (1 + count)] = values[2 * row];
            spread[row * (1 + count) + 1 + i] = values[2 * row + 1];
        }
        s.recordings[i].values = spread;
    }
    for (int i = 1; i < count; i++) add_channel(&s, TRX_FIT_COORDINATE, 1, 0, "elbow");
}

START_TEST(values_deviations_and_correlations_are_those_of_the_same_problem_without_sessions)
{
    enum { RECORDINGS = 4, ESTIMATES = 2 + RECORDINGS };
    trx_fit_estimate dense[ESTIMATES];
    double correlations[ESTIMATES][ESTIMATES], objective = 0;
    for (int way = 0; way < 2; way++) {
        open_arms(RECORDINGS);
        if (way == 0) spread_columns(RECORDINGS);
        add_parameter(&s, "lower.mass", 0.9)->prior_sd = 0.5;
        s.parameters[0].prior_mean = 0.7;
        add_parameter(&s, "elbow.damping", 0.2);
        for (int i = 0; i < (way == 0 ? RECORDINGS : 1); i++) {
            trx_fit_parameter *bias = add_bias("bias", 1 + i);
            bias->prior_mean = 0.01, bias->prior_sd = 0.02;
            bias->max = 0.065; // the last one ends there
            bias->per = way == 0 ? TRX_FIT_SHARED : TRX_FIT_PER_RECORDING;
        }
        trx_fit *fit = run_fit(&s, trx_fit_settings_default());
        ck_assert_int_eq(trx_fit_get_info(fit).nparameter, ESTIMATES);
        ck_assert_int_eq(trx_fit_get_info(fit).nfree, ESTIMATES);
        if (way == 1) assert_close(trx_fit_get_info(fit).objective, objective, 1e-6 * objective);
        objective = trx_fit_get_info(fit).objective;
        for (int i = 0; i < ESTIMATES; i++) {
            const trx_fit_estimate e = trx_fit_get_estimate(fit, i);
            if (way == 0) dense[i] = e;
            else {
                ck_assert_int_eq(e.verdict, dense[i].verdict);
                assert_close(e.value, dense[i].value, 1e-3 * (isnan(dense[i].sd) ? 1e-6 : dense[i].sd));
                if (!isnan(dense[i].sd)) assert_close(e.sd, dense[i].sd, 1e-4 * dense[i].sd);
            }
            for (int k = 0; k < ESTIMATES; k++) {
                const double c = trx_fit_correlation(fit, i, k);
                if (way == 1 && !isnan(e.sd)) assert_close(c, correlations[i][k], 1e-4);
                correlations[i][k] = c;
            }
        }
        ck_assert_int_eq(dense[ESTIMATES - 1].verdict, TRX_FIT_AT_BOUND);
        ck_assert(fabs(correlations[2][3]) > 0.02 && fabs(correlations[0][2]) > 0.2);
        trx_fit_destroy(fit);
        scene_close(&s);
    }
}
END_TEST

START_TEST(biases_of_sessions_are_found_and_tied_ones_follow_in_each)
{
    open_arms(8);
    add_bias("bias(elbow)", 1)->per = TRX_FIT_PER_RECORDING;
    trx_fit_parameter *tied = add_bias("bias(shoulder)", 0);
    tied->same_as = 0, tied->ratio = -0.01;
    add_parameter(&s, "lower.mass", 0.9);
    s.recordings[7].held_out = true;
    s.recordings[7].name = "other";
    trx_fit *fit = run_fit(&s, trx_fit_settings_default());
    ck_assert_int_eq(trx_fit_get_info(fit).nparameter, 15);
    for (int i = 0; i < 7; i++) {
        const trx_fit_estimate e = trx_fit_get_estimate(fit, i), follower = trx_fit_get_estimate(fit, 7 + i);
        ck_assert_int_eq(e.verdict, TRX_FIT_DETERMINED);
        ck_assert_str_eq(e.session, "simulated");
        assert_close(e.value, 0.02 * (i + 1), 4 * e.sd);
        ck_assert(e.sd > 1e-5 && e.sd < 0.01); // half the difference of two sessions
        ck_assert_int_eq(follower.same_as, i);
        assert_close(follower.value, -0.01 * e.value, 1e-12);
        assert_close(trx_fit_correlation(fit, i, 7 + i), -1, 1e-12);
    }
    const trx_fit_estimate mass = trx_fit_get_estimate(fit, 14);
    ck_assert_ptr_null(mass.session);
    assert_close(mass.value, 0.6, 4 * mass.sd);

    // the held-out recording has the mean bias of the others, 0.08, and 0.16 itself
    ck_assert(trx_fit_get_group(fit, 0).rms_held > 1.5e-3 && trx_fit_get_group(fit, 0).rms_held < 0.1);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

START_TEST(sharing_that_cannot_be_is_refused)
{
    const trx_fit_settings settings = trx_fit_settings_default();
    trx_fit *fit;
    open_arms(2);
    add_parameter(&s, "lower.mass", 0.9)->per = TRX_FIT_PER_FILE;
    ck_assert_int_eq(trx_fit_run(s.context, &s.fit, &settings, NULL, NULL, &fit), TRX_ERR_ARGUMENT);
    ck_assert_str_eq(trx_context_message(s.context), "simulated has no file: parameters per file need one");
    add_parameter(&s, "elbow.damping", 0.2)->per = TRX_FIT_PER_RECORDING;
    ck_assert_int_eq(trx_fit_run(s.context, &s.fit, &settings, NULL, NULL, &fit), TRX_ERR_UNSUPPORTED);
    s.parameters[1].same_as = 0;
    ck_assert_int_eq(trx_fit_run(s.context, &s.fit, &settings, NULL, NULL, &fit), TRX_ERR_ARGUMENT);
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit/sessions");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, files_and_recordings_make_sessions);
    tcase_add_test(tests, gradient_of_parameters_per_recording_agrees_with_central_differences);
    tcase_add_test(tests, values_deviations_and_correlations_are_those_of_the_same_problem_without_sessions);
    tcase_add_test(tests, biases_of_sessions_are_found_and_tied_ones_follow_in_each);
    tcase_add_test(tests, sharing_that_cannot_be_is_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
