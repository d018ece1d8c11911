// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// An identification finds the parameters that made its recordings, says how sure they are, and gives no number for what the
// recordings do not determine. Its gradient agrees with central differences.

#include "fit/moments.h"
#include "fit/scene.h"
#include "fit/window.h"

#include <limits.h>
#include <stdio.h>

static scene s;

static trx_fit *run(trx_fit_settings settings)
{
    trx_fit *fit;
    const trx_status status = trx_fit_run(s.context, &s.fit, &settings, NULL, NULL, &fit);
    ck_assert_msg(status >= 0, "%s", trx_context_message(s.context));
    return fit;
}

// ---- derivatives ----

START_TEST(gradient_of_sliding_boxes_agrees_with_central_differences)
{
    scene_open(&s, SLIDE);
    add_box_channels(&s, 0.001, 0.01);
    for (int i = 0; i < 2; i++) record_slide(&s, 0.001, (uint64_t)i);
    add_parameter(&s, "pair(box, ground).friction", NAN);
    add_parameter(&s, "pair(box, ground).stiffness", NAN);
    add_parameter(&s, "box.mass", NAN)->prior_sd = 0.1;
    s.parameters[2].prior_mean = 0.5;
    trx_fit_settings settings = trx_fit_settings_default();
    const double values[] = {0.2, 1.5e4, 0.6};
    const bool positive[] = {true, true, true};
    check_gradient(&s, &settings, values, positive, 3);

    // with a loss that is linear far out, and windows
    settings.huber = 1.5;
    for (int i = 0; i < 2; i++) s.recordings[i].window = 20;
    check_gradient(&s, &settings, values, positive, 3);
    scene_close(&s);
}
END_TEST

START_TEST(gradient_of_a_driven_arm_seen_by_a_marker_agrees_with_central_differences)
{
    scene_open(&s, ARM);
    add_group(&s, "marker.position", 0.01);
    for (int i = 0; i < 3; i++) add_channel(&s, TRX_FIT_FRAME_POSITION, 0, i, "marker");
    add_group(&s, "lower.orientation", 0.05);
    add_channel(&s, TRX_FIT_BODY_ORIENTATION, 1, 0, "lower.orientation");
    add_group(&s, "elbow.velocity", 0.1);
    add_channel(&s, TRX_FIT_VELOCITY, 1, 0, "elbow.v");
    const double x[4] = {0.4, -0.3, 0.5, 0.2};
    record(&s, x, 60, 1, 2, 0.01, 3);

    // samples between the knots of a coarser simulation
    s.fit.sim.time_step = 0.007;
    add_parameter(&s, "shoulder.damping", NAN);
    add_parameter(&s, "lower.com.x", NAN);
    add_parameter(&s, "lower.mass", NAN);
    const trx_fit_settings settings = trx_fit_settings_default();
    const double values[] = {0.3, 0.02, 0.7};
    const bool positive[] = {true, false, true};
    check_gradient(&s, &settings, values, positive, 3);
    scene_close(&s);
}
END_TEST

START_TEST(gradient_with_a_whole_body_agrees_with_central_differences)
{
    scene_open(&s, ARM);
    add_group(&s, "position", 0.01);
    for (int i = 0; i < 2; i++) add_channel(&s, TRX_FIT_COORDINATE, i, 0, trx_model_q_name(s.fit.model, i));
    const double x[4] = {0.4, -0.3, 0.5, 0.2};
    record(&s, x, 60, 1, 2, 0.01, 3);
    add_body(&s, "lower");
    const double start[10] = {0.6, 0, 0, -0.2, 0.02, 0.02, 0.003, 0, 0, 0};
    const trx_fit_settings settings = trx_fit_settings_default();
    double z[10], values[10], gradient[10];
    for (int k = 0; k < 10; k++) z[k] = 0.06 * (k % 3 - 1);
    trxi_moments_values(start, z, values, NULL);
    ck_assert_int_eq(trx_fit_objective(s.context, &s.fit, &settings, values, NULL, gradient), TRX_OK);
    double norm = 0;
    for (int k = 0; k < 10; k++) norm = fmax(norm, fabs(gradient[k]));
    for (int k = 0; k < 10; k++) {
        double ends[2];
        const double h = 1e-5, at = z[k];
        for (int side = 0; side < 2; side++) {
            z[k] = at + (side ? h : -h);
            trxi_moments_values(start, z, values, NULL);
            ck_assert_int_eq(trx_fit_objective(s.context, &s.fit, &settings, values, &ends[side], NULL), TRX_OK);
        }
        z[k] = at;
        ck_assert_double_gt(fabs(gradient[k]), 1e-6 * norm);
        assert_close(gradient[k], (ends[1] - ends[0]) / (2 * h), 1e-6 * norm);
    }
    scene_close(&s);
}
END_TEST

// a gain or bias of one channel, or of all channels of a group (channel -1)
static void add_signal(const char *name, trx_fit_signal signal, int group, int channel)
{
    s.parameters[s.fit.nparameter++] =
        (trx_fit_parameter){.name = name, .start = NAN, .min = -INFINITY, .max = INFINITY, .prior_sd = INFINITY, .same_as = -1,
                            .signal = signal, .signal_group = group, .signal_channel = channel};
}

static void open_arm_with_signals(void)
{
    scene_open(&s, ARM);
    add_group(&s, "marker.position", 0.01);
    for (int i = 0; i < 3; i++) add_channel(&s, TRX_FIT_FRAME_POSITION, 0, i, "marker");
    add_group(&s, "elbow.velocity", 0.1);
    add_channel(&s, TRX_FIT_VELOCITY, 1, 0, "elbow.v");
    add_group(&s, "lower.orientation", 0.05);
    add_channel(&s, TRX_FIT_BODY_ORIENTATION, 1, 0, "lower.orientation");
    const double x[4] = {0.4, -0.3, 0.5, 0.2};
    record(&s, x, 60, 1, 2, 0.01, 3);
    s.fit.sim.time_step = 0.007;
}

START_TEST(gradient_with_gains_and_biases_agrees_with_central_differences)
{
    open_arm_with_signals();
    add_signal("marker.gain", TRX_FIT_GAIN, 0, -1);
    add_parameter(&s, "shoulder.damping", NAN);
    add_signal("marker.x.bias", TRX_FIT_BIAS, 0, 0);
    add_signal("elbow.velocity.gain", TRX_FIT_GAIN, 1, -1);
    const trx_fit_settings settings = trx_fit_settings_default();
    const double values[] = {1.1, 0.3, 0.02, 0.9};
    const bool positive[] = {false, true, false, false};
    check_gradient(&s, &settings, values, positive, 4);
    scene_close(&s);
}
END_TEST

// no sample shows a knot: the prediction between knots is a line, whose slope jumps there
START_TEST(gradient_with_delays_agrees_with_central_differences)
{
    open_arm_with_signals();
    add_signal("marker.delay", TRX_FIT_DELAY, 0, -1);
    add_parameter(&s, "shoulder.damping", NAN);
    add_signal("marker.gain", TRX_FIT_GAIN, 0, -1);
    add_signal("lower.orientation.delay", TRX_FIT_DELAY, 2, -1);
    add_signal("elbow.velocity.delay", TRX_FIT_DELAY, 1, -1);
    for (int i = 0; i < 5; i++) s.parameters[i].min = -0.01, s.parameters[i].max = 1;
    s.parameters[0].max = 0.05, s.parameters[3].max = 0.03;
    s.parameters[4].same_as = 0, s.parameters[4].ratio = -0.5;
    trx_fit_settings settings = trx_fit_settings_default();
    const double values[] = {0.0123, 0.3, 1.1, -0.0043, -0.00615};
    const bool positive[] = {false, true, false, false};
    double gradient[5], ends[2];
    s.fit.nparameter = 4;
    check_gradient(&s, &settings, values, positive, 4);
    s.recordings[0].window = 11;
    check_gradient(&s, &settings, values, positive, 4);

    // the tied delay moves with the first one
    s.fit.nparameter = 5;
    ck_assert_int_eq(trx_fit_objective(s.context, &s.fit, &settings, values, NULL, gradient), TRX_OK);
    for (int side = 0; side < 2; side++) {
        const double h = side ? 1e-5 : -1e-5;
        const double moved[] = {0.0123 + h, 0.3, 1.1, -0.0043, -0.00615 - 0.5 * h};
        ends[side] = objective_at(&s, moved, &settings);
    }
    assert_close(gradient[0], (ends[1] - ends[0]) / 2e-5, 1e-5 * fabs(gradient[0]));
    scene_close(&s);
}
END_TEST

START_TEST(a_delay_without_bounds_is_refused)
{
    const trx_fit_settings settings = trx_fit_settings_default();
    const double values[] = {0};
    open_arm_with_signals();
    add_signal("marker.delay", TRX_FIT_DELAY, 0, -1);
    ck_assert_int_eq(trx_fit_objective(s.context, &s.fit, &settings, values, NULL, NULL), TRX_ERR_ARGUMENT);
    ck_assert_str_eq(trx_context_message(s.context), "marker.delay: a delay needs finite bounds: give min and max");
    scene_close(&s);
}
END_TEST

START_TEST(signals_that_no_channel_can_have_are_refused)
{
    const trx_fit_settings settings = trx_fit_settings_default();
    const double values[] = {1, 1};
    open_arm_with_signals();
    add_signal("lower.orientation.gain", TRX_FIT_GAIN, 2, -1);
    ck_assert_int_eq(trx_fit_objective(s.context, &s.fit, &settings, values, NULL, NULL), TRX_ERR_ARGUMENT);
    ck_assert_str_eq(trx_context_message(s.context), "lower.orientation.gain: a rotation has no gain and no bias");
    s.fit.nparameter = 0;
    add_signal("marker.gain", TRX_FIT_GAIN, 0, -1);
    add_signal("marker.x.gain", TRX_FIT_GAIN, 0, 0);
    ck_assert_int_eq(trx_fit_objective(s.context, &s.fit, &settings, values, NULL, NULL), TRX_ERR_ARGUMENT);
    ck_assert_str_eq(trx_context_message(s.context), "marker.x.gain: marker has this signal already, by marker.gain");
    s.fit.nparameter = 0;
    add_signal("nobody.gain", TRX_FIT_GAIN, 7, -1);
    ck_assert_int_eq(trx_fit_objective(s.context, &s.fit, &settings, values, NULL, NULL), TRX_ERR_ARGUMENT);
    ck_assert_str_eq(trx_context_message(s.context), "nobody.gain: no channel has this signal");
    scene_close(&s);
}
END_TEST

// ---- estimates ----

static void open_slides(int count, double noise)
{
    scene_open(&s, SLIDE);
    add_box_channels(&s, noise > 0 ? noise : NAN, noise > 0 ? noise : NAN);
    for (int i = 0; i < count; i++) record_slide(&s, noise > 0 ? noise : 1e-3, (uint64_t)i);
}

// the swing of a point mass tells how long its rod is, and nothing about the mass
static void open_pendulums(void)
{
    scene_open(&s, PENDULUM);
    add_group(&s, "swing.position", 1e-3);
    add_channel(&s, TRX_FIT_COORDINATE, 0, 0, "swing");
    for (int i = 0; i < 3; i++) {
        const double x[2] = {0.5 + 0.2 * i, 0};
        record(&s, x, 60, 1, 0, 1e-3, (uint64_t)i);
    }
    add_parameter(&s, "bob.com.z", -0.4);
}

START_TEST(friction_is_found_within_its_interval)
{
    open_slides(6, 0.001);
    add_parameter(&s, "pair(box, ground).friction", 0.5);
    trx_fit *fit = run(trx_fit_settings_default());
    const trx_fit_estimate e = trx_fit_get_estimate(fit, 0);
    ck_assert_int_eq(trx_fit_get_info(fit).status, TRX_OK);
    ck_assert_int_eq(e.verdict, TRX_FIT_DETERMINED);
    assert_close(e.start, 0.5, 1e-12);
    assert_close(e.value, 0.3, 0.003);
    assert_close(e.value, 0.3, 4 * e.sd);
    ck_assert(e.sd > 0 && e.low < e.value && e.value < e.high);
    ck_assert(isnan(e.sd_robust)); // too few recordings
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

START_TEST(noise_is_estimated_from_the_residuals)
{
    open_slides(6, 0);
    add_parameter(&s, "pair(box, ground).friction", 0.4);
    trx_fit *fit = run(trx_fit_settings_default());
    const trx_fit_group_info position = trx_fit_get_group(fit, 0), rotation = trx_fit_get_group(fit, 1);
    ck_assert(position.estimated && rotation.estimated);
    assert_close(position.noise, 1e-3, 1e-4);
    assert_close(rotation.noise, 1e-3, 1e-4);
    assert_close(position.autocorrelation, 0, 0.15);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

START_TEST(the_mass_of_a_swinging_point_is_not_determined_and_has_no_number)
{
    open_pendulums();
    add_parameter(&s, "bob.mass", 0.8);
    trx_fit *fit = run(trx_fit_settings_default());
    const trx_fit_estimate length = trx_fit_get_estimate(fit, 0), mass = trx_fit_get_estimate(fit, 1);
    ck_assert_int_eq(length.verdict, TRX_FIT_DETERMINED);
    ck_assert_int_eq(mass.verdict, TRX_FIT_UNDETERMINED);
    ck_assert(isnan(mass.sd) && isnan(mass.low));
    ck_assert_int_eq(trx_fit_get_info(fit).ndirection, 1);
    ck_assert_str_eq(trx_fit_direction(fit, 0), "bob.mass is not determined by these recordings");
    assert_close(length.value, -0.5, 4 * length.sd);
    assert_close(length.value, -0.5, 0.002);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

START_TEST(numbers_of_which_only_a_combination_is_seen_are_told_together)
{
    open_pendulums();
    add_parameter(&s, "gravity.z", -8);
    trx_fit *fit = run(trx_fit_settings_default());
    ck_assert_int_eq(trx_fit_get_estimate(fit, 0).verdict, TRX_FIT_UNDETERMINED);
    ck_assert_int_eq(trx_fit_get_estimate(fit, 1).verdict, TRX_FIT_UNDETERMINED);
    ck_assert_int_eq(trx_fit_get_info(fit).ndirection, 1);
    ck_assert_ptr_nonnull(strstr(trx_fit_direction(fit, 0), "only a combination is determined: bob.com.z up, gravity.z up"));
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

START_TEST(a_prior_gives_what_the_recordings_do_not)
{
    open_pendulums();
    trx_fit_parameter *mass = add_parameter(&s, "bob.mass", 0.8);
    mass->prior_mean = 0.5, mass->prior_sd = 0.05;
    trx_fit *fit = run(trx_fit_settings_default());
    const trx_fit_estimate e = trx_fit_get_estimate(fit, 1);
    ck_assert_int_eq(e.verdict, TRX_FIT_BY_PRIOR);
    assert_close(e.value, 0.5, 1e-3);
    assert_close(e.sd, 0.05, 1e-3);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

START_TEST(a_bound_holds_and_gives_no_deviation)
{
    open_slides(3, 0.001);
    trx_fit_parameter *friction = add_parameter(&s, "pair(box, ground).friction", 0.2);
    friction->max = 0.25;
    trx_fit *fit = run(trx_fit_settings_default());
    const trx_fit_estimate e = trx_fit_get_estimate(fit, 0);
    ck_assert_int_eq(e.verdict, TRX_FIT_AT_BOUND);
    assert_close(e.value, 0.25, 1e-12);
    ck_assert(isnan(e.sd));
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

static void open_arm(int count)
{
    scene_open(&s, ARM);
    add_group(&s, "arm.position", 1e-3);
    add_channel(&s, TRX_FIT_COORDINATE, 0, 0, "shoulder");
    add_channel(&s, TRX_FIT_COORDINATE, 1, 0, "elbow");
    for (int i = 0; i < count; i++) {
        const double x[4] = {0.3 * i, -0.2, 0, 0};
        record(&s, x, 60, 2, 2, 1e-3, (uint64_t)i);
    }
}

START_TEST(masses_and_damping_of_a_driven_arm_are_found)
{
    open_arm(8);
    add_parameter(&s, "lower.mass", 1.0);
    add_parameter(&s, "shoulder.damping", 0.05);
    trx_fit_parameter *tied = add_parameter(&s, "elbow.damping", NAN);
    tied->same_as = 1, tied->ratio = 0.5;
    trx_fit *fit = run(trx_fit_settings_default());
    const trx_fit_estimate mass = trx_fit_get_estimate(fit, 0), damping = trx_fit_get_estimate(fit, 1),
        follower = trx_fit_get_estimate(fit, 2);
    assert_close(mass.value, 0.6, 0.01);
    assert_close(damping.value, 0.2, 0.01);
    assert_close(follower.value, 0.5 * damping.value, 1e-12);
    assert_close(follower.sd, 0.5 * damping.sd, 1e-9);
    ck_assert(mass.sd_robust > 0.2 * mass.sd && mass.sd_robust < 5 * mass.sd);
    ck_assert(fabs(trx_fit_correlation(fit, 0, 1)) < 1 && trx_fit_correlation(fit, 1, 1) > 0.999);
    assert_close(trx_fit_correlation(fit, 1, 2), 1, 1e-12);
    assert_close(trx_fit_correlation(fit, 0, 2), trx_fit_correlation(fit, 0, 1), 1e-12);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

// a link that turns about one fixed axis shows three combinations of its ten numbers
START_TEST(an_inertia_three_times_too_large_predicts_what_was_not_fitted)
{
    double errors[2];
    for (int way = 0; way < 2; way++) {
        open_arm(8);
        s.recordings[7].held_out = true;
        trx_parameter of[7];
        double wrong[7];
        add_body(&s, "upper");
        for (int k = 0; k < 7; k++) {
            of[k] = s.parameters[k == 0 ? 0 : 3 + k].of;
            ck_assert_int_eq(trx_model_parameter_value(s.context, s.fit.model, of[k], &wrong[k]), TRX_OK);
            wrong[k] *= way == 0 ? 1 : 3;
        }
        trx_model *model;
        ck_assert_int_eq(trx_model_change(s.context, s.fit.model, of, wrong, 7, &model), TRX_OK);
        s.fit.model = model;
        trx_fit *fit = run(trx_fit_settings_default());
        const trx_fit_info info = trx_fit_get_info(fit);
        errors[way] = trx_fit_get_recording(fit, 7).rotation;
        trx_body_inertia found = {0};
        double chart[10];
        int determined = 0;
        for (int k = 0; k < 10; k++) {
            const trx_fit_estimate e = trx_fit_get_estimate(fit, k);
            if (k == 0) found.mass = e.value;
            else if (k < 4) found.com[k - 1] = e.value;
            else found.tensor[k - 4] = e.value;
            determined += e.verdict == TRX_FIT_DETERMINED;
            ck_assert(e.verdict == TRX_FIT_DETERMINED || e.verdict == TRX_FIT_UNDETERMINED);
            ck_assert(isnan(e.sd) == (e.verdict == TRX_FIT_UNDETERMINED));
        }
        ck_assert(trx_inertia_to_chart(&found, chart));
        ck_assert_int_lt(determined, 10);
        ck_assert_int_ge(info.ndirection, 1);
        ck_assert_ptr_nonnull(strstr(trx_fit_direction(fit, info.ndirection - 1), "3 combinations of the 10 numbers of inertias"));
        assert_close(found.mass * found.com[2], -0.3, 0.006);
        trx_fit_destroy(fit);
        trx_model_destroy(model);
        scene_close(&s);
    }
    ck_assert_double_lt(errors[1], 1.2 * errors[0]);
    ck_assert_double_lt(errors[0], 2e-3);
}
END_TEST

// the first solves take every third of these 96 windows; the answer must be that of all of them
START_TEST(many_windows_are_all_seen_in_the_end)
{
    open_arm(16);
    for (int i = 0; i < 16; i++) s.recordings[i].window = 10;
    add_parameter(&s, "lower.mass", 1.0);
    add_parameter(&s, "shoulder.damping", 0.05);
    trx_fit *fit = run(trx_fit_settings_default());
    const trx_fit_info info = trx_fit_get_info(fit);
    const trx_fit_estimate mass = trx_fit_get_estimate(fit, 0), damping = trx_fit_get_estimate(fit, 1);
    ck_assert_int_eq(info.windows, 96);
    ck_assert_int_ge(info.rounds, 2);
    ck_assert_int_eq(info.residuals, 16 * 31 * 2);
    assert_close(mass.value, 0.6, fmin(4 * mass.sd, 0.03));
    assert_close(damping.value, 0.2, fmin(4 * damping.sd, 0.03));

    // the same minimum as from a start beside the truth
    s.parameters[0].start = 0.61, s.parameters[1].start = 0.19;
    trx_fit *again = run(trx_fit_settings_default());
    assert_close(trx_fit_get_estimate(again, 0).value, mass.value, 0.05 * mass.sd);
    assert_close(trx_fit_get_estimate(again, 1).value, damping.value, 0.05 * damping.sd);
    trx_fit_destroy(again);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

START_TEST(a_parameter_tied_by_a_negative_ratio_has_the_opposite_correlation)
{
    open_arm(8);
    add_parameter(&s, "shoulder.damping", 0.05);
    add_parameter(&s, "lower.com.x", 0.01);
    trx_fit_parameter *tied = add_parameter(&s, "upper.com.x", NAN);
    tied->same_as = 1, tied->ratio = -0.5;
    trx_fit *fit = run(trx_fit_settings_default());
    ck_assert(fabs(trx_fit_correlation(fit, 0, 1)) > 0);
    assert_close(trx_fit_correlation(fit, 1, 2), -1, 1e-12);
    assert_close(trx_fit_correlation(fit, 0, 2), -trx_fit_correlation(fit, 0, 1), 1e-12);
    assert_close(trx_fit_correlation(fit, 2, 2), 1, 1e-12);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

START_TEST(an_interval_of_a_value_tied_below_zero_is_in_order)
{
    open_arm(8);
    add_parameter(&s, "elbow.damping", 0.05);
    trx_fit_parameter *tied = add_parameter(&s, "upper.com.x", NAN);
    tied->same_as = 0, tied->ratio = -0.5;
    trx_fit *fit = run(trx_fit_settings_default());
    const trx_fit_estimate free = trx_fit_get_estimate(fit, 0), e = trx_fit_get_estimate(fit, 1);
    ck_assert(e.low < e.value && e.value < e.high && e.high < 0);
    assert_close(e.low, -0.5 * free.high, 1e-12);
    assert_close(e.high, -0.5 * free.low, 1e-12);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

START_TEST(missing_samples_and_held_out_recordings_are_left_out)
{
    open_arm(4);
    double *values = s.memory[1];
    for (int row = 5; row < 20; row++) values[row * s.fit.columns] = NAN;
    s.recordings[3].held_out = true;
    add_parameter(&s, "lower.mass", 1.0);
    trx_fit *fit = run(trx_fit_settings_default());
    const trx_fit_info info = trx_fit_get_info(fit);
    ck_assert_int_eq(info.residuals, 3 * 31 * 2 - 15);
    ck_assert_int_eq(info.held_windows, 1);
    assert_close(trx_fit_get_estimate(fit, 0).value, 0.6, 0.02);
    assert_close(trx_fit_get_group(fit, 0).rms_held, 1e-3, 3e-4);
    ck_assert(trx_fit_get_recording(fit, 3).held_out);
    assert_below(trx_fit_get_recording(fit, 3).rotation, 2e-3);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

START_TEST(every_number_of_threads_gives_the_same_bits)
{
    double values[2][2];
    for (int i = 0; i < 2; i++) {
        open_slides(4, 0.001);
        for (int k = 0; k < 4; k++) s.recordings[k].window = 17;
        add_parameter(&s, "pair(box, ground).friction", 0.5);
        trx_fit_settings settings = trx_fit_settings_default();
        settings.threads = i ? 3 : 1;
        trx_fit *fit = run(settings);
        values[i][0] = trx_fit_get_estimate(fit, 0).value;
        values[i][1] = trx_fit_get_estimate(fit, 0).sd;
        trx_fit_destroy(fit);
        scene_close(&s);
    }
    ck_assert(memcmp(values[0], values[1], sizeof values[0]) == 0);
}
END_TEST

static bool stop_at_once(const trx_fit_iteration *iteration, void *user)
{
    ++*(int *)user;
    return iteration->iteration < 1;
}

START_TEST(a_fit_can_be_stopped_with_its_best_values)
{
    int calls = 0;
    open_slides(3, 0.001);
    add_parameter(&s, "pair(box, ground).friction", 0.5);
    const trx_fit_settings settings = trx_fit_settings_default();
    trx_fit *fit;
    ck_assert_int_eq(trx_fit_run(s.context, &s.fit, &settings, stop_at_once, &calls, &fit), TRX_INTERRUPTED);
    ck_assert_int_eq(calls, 1);
    ck_assert(trx_fit_get_estimate(fit, 0).value > 0);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

// ---- refusals ----

// The memory for a delay of 2e9 s was a negative number of bytes
START_TEST(delays_beyond_the_steps_of_a_window_are_refused)
{
    const double most = TRXI_MOST_WINDOW_STEPS * 0.007, values[] = {0};
    const trx_fit_settings settings = trx_fit_settings_default();
    open_arm_with_signals();
    add_signal("marker.delay", TRX_FIT_DELAY, 0, -1);
    s.parameters[0].min = -1e9, s.parameters[0].max = 1e9;
    scene_refuses(&s, TRX_ERR_INPUT, "delays from -1e+09 to 1e+09 s are more than 10000000 steps");
    s.parameters[0].min = 0, s.parameters[0].max = most * (1 + 1e-9);
    ck_assert_int_eq(trx_fit_objective(s.context, &s.fit, &settings, values, NULL, NULL), TRX_ERR_INPUT);
    scene_close(&s);
}
END_TEST

START_TEST(more_rounds_than_a_table_holds_are_allowed)
{
    open_slides(1, 0.001);
    add_parameter(&s, "pair(box, ground).friction", 0.5);
    trx_fit_settings settings = trx_fit_settings_default();
    settings.rounds = INT_MAX;
    trx_fit *fit = run(settings);
    ck_assert_int_eq(trx_fit_get_info(fit).status, TRX_OK);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

static trx_status fit_once(trx_context *context)
{
    trx_fit_settings settings = trx_fit_settings_default();
    settings.iterations = 2;
    trx_fit *fit = NULL;
    open_arm(1);
    add_parameter(&s, "lower.mass", 1.0);
    const trx_status status = trx_fit_run(context, &s.fit, &settings, NULL, NULL, &fit);
    trx_fit_destroy(fit);
    scene_close(&s);
    return status;
}

START_TEST(memory_that_runs_out_is_a_status_and_nothing_leaks)
{
    fail_some_allocations(fit_once);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit/fit");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, gradient_of_sliding_boxes_agrees_with_central_differences);
    tcase_add_test(tests, gradient_with_a_whole_body_agrees_with_central_differences);
    tcase_add_test(tests, an_inertia_three_times_too_large_predicts_what_was_not_fitted);
    tcase_add_test(tests, gradient_of_a_driven_arm_seen_by_a_marker_agrees_with_central_differences);
    tcase_add_test(tests, gradient_with_gains_and_biases_agrees_with_central_differences);
    tcase_add_test(tests, gradient_with_delays_agrees_with_central_differences);
    tcase_add_test(tests, a_delay_without_bounds_is_refused);
    tcase_add_test(tests, signals_that_no_channel_can_have_are_refused);
    tcase_add_test(tests, friction_is_found_within_its_interval);
    tcase_add_test(tests, noise_is_estimated_from_the_residuals);
    tcase_add_test(tests, the_mass_of_a_swinging_point_is_not_determined_and_has_no_number);
    tcase_add_test(tests, numbers_of_which_only_a_combination_is_seen_are_told_together);
    tcase_add_test(tests, a_prior_gives_what_the_recordings_do_not);
    tcase_add_test(tests, a_bound_holds_and_gives_no_deviation);
    tcase_add_test(tests, masses_and_damping_of_a_driven_arm_are_found);
    tcase_add_test(tests, many_windows_are_all_seen_in_the_end);
    tcase_add_test(tests, a_parameter_tied_by_a_negative_ratio_has_the_opposite_correlation);
    tcase_add_test(tests, more_rounds_than_a_table_holds_are_allowed);
    tcase_add_test(tests, an_interval_of_a_value_tied_below_zero_is_in_order);
    tcase_add_test(tests, missing_samples_and_held_out_recordings_are_left_out);
    tcase_add_test(tests, every_number_of_threads_gives_the_same_bits);
    tcase_add_test(tests, a_fit_can_be_stopped_with_its_best_values);
    tcase_add_test(tests, delays_beyond_the_steps_of_a_window_are_refused);
    tcase_add_test(tests, memory_that_runs_out_is_a_status_and_nothing_leaks);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
