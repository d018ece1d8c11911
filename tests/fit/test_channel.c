// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Residuals of recorded poses, also of marker frames beside their bodies: derivatives, and offsets found again.

#include "fit/scene.h"

#include "math/rotation.h"
#include "math/vec3.h"

static scene s;

static trx_fit_parameter *add_marker(const char *name, trx_fit_signal signal, int group, int axis)
{
    trx_fit_parameter *p = &s.parameters[s.fit.nparameter++];
    *p = (trx_fit_parameter){.name = name, .start = NAN, .min = -INFINITY, .max = INFINITY, .prior_sd = INFINITY, .same_as = -1,
                             .signal = signal, .signal_group = group, .signal_channel = -1, .signal_axis = axis};
    return p;
}

static void add_markers(int position, int rotation)
{
    static const char *const names[] = {"x", "y", "z", "rx", "ry", "rz"};
    for (int i = 0; i < 3; i++) add_marker(names[i], TRX_FIT_OFFSET, position, i);
    for (int i = 0; i < 3; i++) add_marker(names[3 + i], TRX_FIT_TURN, rotation, i);
}

// the marker on the upper link, and the turns of both links
static void open_marked_arm(void)
{
    scene_open(&s, ARM);
    add_group(&s, "marker.position", 1e-3);
    for (int i = 0; i < 3; i++) add_channel(&s, TRX_FIT_FRAME_POSITION, 0, i, "marker");
    add_group(&s, "lower.orientation", 1e-2);
    add_channel(&s, TRX_FIT_BODY_ORIENTATION, 1, 0, "lower.orientation");
    add_group(&s, "upper.orientation", 1e-2);
    add_channel(&s, TRX_FIT_BODY_ORIENTATION, 0, 0, "upper.orientation");
}

START_TEST(gradient_with_markers_on_an_arm_agrees_with_central_differences)
{
    static const double x[4] = {0.4, -0.3, 0.5, 0.2};
    static const double values[] = {0.02, -0.03, 0.05, 0.3, -0.8, 1.2, 0.5, 1.1};
    static const bool positive[] = {false, false, false, false, false, false, true, false};
    const trx_fit_settings settings = trx_fit_settings_default();
    open_marked_arm();
    record(&s, x, 60, 1, 2, 0.01, 3);
    s.fit.sim.time_step = 0.007; // samples between knots
    add_markers(0, 1);
    add_parameter(&s, "lower.mass", NAN);
    add_marker("gain", TRX_FIT_GAIN, 0, 0);
    check_gradient(&s, &settings, values, positive, 8);
    scene_close(&s);
}
END_TEST

START_TEST(gradient_with_a_marker_on_a_free_body_agrees_with_central_differences)
{
    static const double values[] = {0.02, -0.03, 0.05, 0.3, -0.8, 1.2, 0.25};
    static const bool positive[] = {false, false, false, false, false, false, true};
    const trx_fit_settings settings = trx_fit_settings_default();
    scene_open(&s, SLIDE);
    add_box_channels(&s, 1e-3, 1e-2);
    record_slide(&s, 1e-3, 4);
    add_markers(0, 1);
    add_parameter(&s, "pair(box, ground).friction", NAN);
    check_gradient(&s, &settings, values, positive, 7);

    // first guesses at other start values of the marker
    for (int i = 0; i < 6; i++) s.parameters[i].start = 0.9 * values[i];
    check_gradient(&s, &settings, values, positive, 7);
    scene_close(&s);
}
END_TEST

// replaces the recorded poses by the poses of markers: positions on the upper link, rotations of the lower link
static void move_markers(const double offset[3], const double turn[3], double noise, uint64_t seed)
{
    uint64_t draw = 0;
    for (int i = 0; i < s.fit.nrecording; i++) {
        double *values = (double *)s.recordings[i].values;
        for (int row = 0; row < s.recordings[i].rows; row++, values += s.fit.columns) {
            double R[9], arm[3], noisy[3];
            trxi_quat_to_matrix(values + 7, R);
            trxi_mulv3(R, offset, arm);
            trxi_add3(values, arm, values);
            trxi_quat_integrate(values + 3, turn, values + 3);
            for (int k = 0; k < 2; k++) {
                for (int j = 0; j < 3; j++) noisy[j] = noise * trxi_random_normal(seed, draw++);
                trxi_quat_integrate(values + 3 + 4 * k, noisy, values + 3 + 4 * k);
            }
        }
    }
}

START_TEST(offset_and_turn_of_markers_are_found_within_their_intervals)
{
    static const double truth[] = {0.02, -0.03, 0.05, 0.3, -0.5, 0.7};
    open_marked_arm();
    for (int i = 0; i < 3; i++) {
        const double x[4] = {0.4 - 0.3 * i, -0.3, 0.5, 0.2};
        record(&s, x, 60, 1, 2 + i, 1e-3, 3 + (uint64_t)i);
    }
    move_markers(truth, truth + 3, 1e-2, 77);
    add_markers(0, 1);
    add_parameter(&s, "shoulder.damping", 0.1);
    s.parameters[2].prior_mean = 0.05, s.parameters[2].prior_sd = 0.05;
    const trx_fit_settings settings = trx_fit_settings_default();
    trx_fit *fit;
    ck_assert_int_eq(trx_fit_run(s.context, &s.fit, &settings, NULL, NULL, &fit), TRX_OK);
    for (int i = 0; i < 6; i++) {
        const trx_fit_estimate e = trx_fit_get_estimate(fit, i);
        ck_assert_int_eq(e.verdict, TRX_FIT_DETERMINED);
        ck_assert_msg(e.low < truth[i] && truth[i] < e.high, "%s: %g to %g", e.name, e.low, e.high);
        ck_assert_double_lt(e.sd, i < 3 ? 1e-3 : 5e-3);
    }
    const trx_fit_estimate damping = trx_fit_get_estimate(fit, 6);
    ck_assert(damping.low < 0.2 && 0.2 < damping.high);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

START_TEST(markers_of_what_has_no_pose_are_refused)
{
    const trx_fit_settings settings = trx_fit_settings_default();
    const double values[] = {0, 0};
    open_marked_arm();
    add_group(&s, "elbow.position", 0.1);
    add_channel(&s, TRX_FIT_COORDINATE, 1, 0, "elbow");
    static const double x[4] = {0.4, -0.3, 0.5, 0.2};
    record(&s, x, 10, 1, 2, 0.01, 3);
    static const struct {
        trx_fit_signal signal;
        int group;
        const char *said;
    } cases[] = {
        {TRX_FIT_OFFSET, 3, "m: only the position of a body, a frame or a free joint has the offset of a marker"},
        {TRX_FIT_OFFSET, 1, "m: only the position of a body, a frame or a free joint has the offset of a marker"},
        {TRX_FIT_TURN, 0, "m: only a rotation has the turn of a marker"},
    };
    for (int i = 0; i < 3; i++) {
        s.fit.nparameter = 0;
        add_marker("m", cases[i].signal, cases[i].group, 0);
        ck_assert_int_eq(trx_fit_objective(s.context, &s.fit, &settings, values, NULL, NULL), TRX_ERR_ARGUMENT);
        ck_assert_str_eq(trx_context_message(s.context), cases[i].said);
    }
    s.fit.nparameter = 0;
    add_marker("first", TRX_FIT_TURN, 1, 2);
    add_marker("again", TRX_FIT_TURN, 1, 2);
    ck_assert_int_eq(trx_fit_objective(s.context, &s.fit, &settings, values, NULL, NULL), TRX_ERR_ARGUMENT);
    ck_assert_str_eq(trx_context_message(s.context), "again: lower.orientation has this signal already, by first");
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit/channel");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, gradient_with_markers_on_an_arm_agrees_with_central_differences);
    tcase_add_test(tests, gradient_with_a_marker_on_a_free_body_agrees_with_central_differences);
    tcase_add_test(tests, offset_and_turn_of_markers_are_found_within_their_intervals);
    tcase_add_test(tests, markers_of_what_has_no_pose_are_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
