// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The gradient of the objective agrees with central differences, for parameters of the model and for gains, biases and delays of
// the sensors. Signals that no channel can have are refused. Every step of a window has the controls of the recording at its time.

#include "fit/create.h"
#include "fit/moments.h"
#include "fit/scene.h"

static scene s;

// ---- parameters of the model ----

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

// ---- signals of the sensors ----

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

// the message spoke of the start of a fit
START_TEST(values_at_which_a_step_fails_are_reported_without_a_fit)
{
    const double values[] = {1.0};
    double objective;
    const trx_fit_settings settings = trx_fit_settings_default();
    open_arm_with_signals();
    add_parameter(&s, "lower.mass", 1.0);
    double *u = scene_take(&s, 2 * (size_t)s.recordings[0].rows);
    u[5] = NAN;
    s.recordings[0].u = u;
    ck_assert_int_lt(trx_fit_objective(s.context, &s.fit, &settings, values, &objective, NULL), 0);
    ck_assert_msg(strstr(trx_context_message(s.context), "at these values: ") == trx_context_message(s.context), "%s",
                  trx_context_message(s.context));
    scene_close(&s);
}
END_TEST

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

// ---- controls of windows ----

// The arm is recorded every third step. Its motion is known BEYOND steps before and behind the recording, too
enum { STRIDE = 3, STEPS = 60, ROWS = STEPS / STRIDE + 1, BEYOND = 5, KNOTS = STEPS + 2 * BEYOND + 1 };

// the angles of sample times show the motion of an earlier time; a control acts from its sample to the next one
static void record_late(double delay, double motion[KNOTS][4])
{
    double *t = scene_take(&s, ROWS), *angles = scene_take(&s, 2 * ROWS), *u = scene_take(&s, 2 * ROWS);
    const double dt = s.fit.sim.time_step, start[4] = {0.4, -0.3, 0.5, 0.2};
    trx_sim *sim;
    ck_assert_int_eq(trx_sim_create(s.context, s.fit.model, &s.fit.sim, &sim), TRX_OK);
    for (int row = 0; row < ROWS; row++) {
        t[row] = STRIDE * row * dt;
        for (int i = 0; i < 2; i++) u[2 * row + i] = 4 * sin(2.0 * row + i);
    }
    memcpy(motion[0], start, sizeof start);
    for (int k = 0; k + 1 < KNOTS; k++) {
        const int step = k - BEYOND, row = step < 0 ? 0 : step < STEPS ? step / STRIDE : ROWS - 1;
        const trx_step_input input = {.time = step * dt, .x = motion[k], .u = u + 2 * row};
        ck_assert_int_eq(trx_step_from(sim, &input, motion[k + 1]), TRX_OK);
    }
    for (int row = 0; row < ROWS; row++) {
        const double shown = STRIDE * row - delay / dt + BEYOND, share = shown - floor(shown);
        const double *before = motion[(int)shown], *after = motion[(int)shown + 1];
        for (int i = 0; i < 2; i++) angles[2 * row + i] = (1 - share) * before[i] + share * after[i];
    }
    s.recordings[s.fit.nrecording++] =
        (trx_fit_recording){.name = "late", .rows = ROWS, .t = t, .values = angles, .u = u, .window = 10};
    trx_sim_destroy(sim);
}

static void open_late_arm(double delay, double motion[KNOTS][4])
{
    scene_open(&s, ARM);
    add_group(&s, "angles", 0.01);
    add_channel(&s, TRX_FIT_COORDINATE, 0, 0, "shoulder");
    add_channel(&s, TRX_FIT_COORDINATE, 1, 0, "elbow");
    add_signal("angles.delay", TRX_FIT_DELAY, 0, -1);
    s.parameters[0].min = fmin(-0.001, 2 * delay), s.parameters[0].max = fmax(0, 2 * delay);
    record_late(delay, motion);
}

// Windows of ten steps begin between samples. With a delay they also begin before their first sample, or end after their last one
static const double delays[] = {0, 0.015, -0.015};

// A window began with the controls of its own first sample, and kept the controls of its last sample to its end
START_TEST(windows_have_the_controls_of_the_recording)
{
    const double delay = delays[_i];
    const trx_fit_settings settings = trx_fit_settings_default();
    double motion[KNOTS][4], residuals[2 * ROWS], worst = 0;
    open_late_arm(delay, motion);
    trx_fit *fit;
    ck_assert_int_eq(trxi_fit_create(s.context, &s.fit, &settings, &fit), TRX_OK);
    ck_assert_int_eq(trxi_bench_set(&fit->benches[0], &delay), TRX_OK);
    ck_assert_int_eq(fit->fitted.count, STEPS / 10);
    for (int i = 0; i < fit->fitted.count; i++) {
        const trxi_window *w = &fit->fitted.list[i];
        const int begin = (int)lround(w->begin / s.fit.sim.time_step);
        trxi_evaluation *e = &fit->fitted.now[i];
        e->residuals = residuals;
        trxi_evaluate(&fit->benches[0], w, motion[begin + BEYOND], fit->noise, TRXI_VALUE, e);
        ck_assert_int_eq(e->status, TRX_OK);
        worst = fmax(worst, max_magnitude(residuals, 2 * w->rows));
    }
    assert_below(worst, 1e-13);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

START_TEST(gradient_with_delays_of_sparse_controls_agrees_with_central_differences)
{
    const trx_fit_settings settings = trx_fit_settings_default();
    double motion[KNOTS][4];
    const double values[] = {0.8 * delays[_i], 0.7, 0.15};
    const bool positive[] = {false, true, true};
    open_late_arm(delays[_i], motion);
    add_parameter(&s, "lower.mass", NAN);
    add_parameter(&s, "elbow.damping", NAN);
    check_gradient(&s, &settings, values, positive, 3);
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit/evaluate");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, gradient_of_sliding_boxes_agrees_with_central_differences);
    tcase_add_test(tests, gradient_of_a_driven_arm_seen_by_a_marker_agrees_with_central_differences);
    tcase_add_test(tests, gradient_with_a_whole_body_agrees_with_central_differences);
    tcase_add_test(tests, gradient_with_gains_and_biases_agrees_with_central_differences);
    tcase_add_test(tests, gradient_with_delays_agrees_with_central_differences);
    tcase_add_test(tests, a_delay_without_bounds_is_refused);
    tcase_add_test(tests, signals_that_no_channel_can_have_are_refused);
    tcase_add_test(tests, values_at_which_a_step_fails_are_reported_without_a_fit);
    tcase_add_test(tests, delays_beyond_the_steps_of_a_window_are_refused);
    tcase_add_loop_test(tests, windows_have_the_controls_of_the_recording, 0, 3);
    tcase_add_loop_test(tests, gradient_with_delays_of_sparse_controls_agrees_with_central_differences, 1, 3);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
