// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Designs: the deviations of a planned motion are those of its closed form and of a fit of its recording; the search finds the best
// motion where it is known, keeps limits, and does not depend on threads.

#include "fit/scene.h"

#include <tractrix/fit_design.h>

static const char CART[] = "tractrix: 1\n"
                           "model:\n"
                           "  bodies:\n"
                           "    - name: cart\n"
                           "      joints: [{name: track, type: slide, axis: [1, 0, 0]}]\n"
                           "      inertia: {mass: 2.0, com: [0, 0, 0], tensor: [0.1, 0.1, 0.1]}\n"
                           "  actuators: [{joint: track}]\n"
                           "time: {step: 0.01, steps: 100}\n";

enum { STEPS = 100 };
static const double NOISE = 0.001, MASS = 2, DT = 0.01;
static scene s;
static trx_fit_motion motion;

static trx_fit_design *run(trx_fit_settings settings, trx_fit_design_settings design)
{
    trx_fit_design *made;
    const trx_status status = trx_fit_design_run(s.context, &s.fit, &settings, &motion, &design, NULL, NULL, &made);
    ck_assert_msg(status >= 0, "%s", trx_context_message(s.context));
    return made;
}

static trx_fit_settings known_start(void)
{
    trx_fit_settings settings = trx_fit_settings_default();
    settings.start_position = settings.start_velocity = 0;
    return settings;
}

// a cart whose place is recorded, pushed by a constant force of half its limit
static void open_cart(void)
{
    static double u[STEPS];
    static const double lower = -3, upper = 3;
    scene_open(&s, CART);
    add_group(&s, "track.position", NOISE);
    add_channel(&s, TRX_FIT_COORDINATE, 0, 0, "track");
    add_parameter(&s, "cart.mass", NAN);
    for (int k = 0; k < STEPS; k++) u[k] = 1.5;
    motion = (trx_fit_motion){.steps = STEPS, .every = 5, .u = u, .lower = &lower, .upper = &upper};
}

// relative deviation of the mass from samples of the place x = u t^2/(2 m), whose start is known: dx/d log m = -x
static double relative_deviation(double u)
{
    double x = 0, v = 0, squares = 0;
    for (int k = 1; k <= STEPS; k++) {
        v += DT * u / MASS;
        x += DT * v;
        if (k % 5 == 0) squares += x * x;
    }
    return NOISE / sqrt(squares);
}

START_TEST(a_constant_push_has_the_deviation_of_its_closed_form)
{
    open_cart();
    trx_fit_design_settings settings = trx_fit_design_settings_default();
    settings.evaluations = 0;
    trx_fit_design *design = run(known_start(), settings);
    const trx_fit_design_info info = trx_fit_design_get_info(design);
    ck_assert_int_eq(info.evaluations, 0);
    assert_close(info.planned, relative_deviation(1.5), 1e-6 * info.planned);
    ck_assert(info.designed == info.planned);
    assert_close(trx_fit_design_deviation(design, 0, false), MASS * relative_deviation(1.5), 1e-6 * MASS * info.planned);
    for (int k = 0; k < STEPS; k++) ck_assert(trx_fit_design_controls(design)[k] == 1.5);
    ck_assert(isnan(trx_fit_design_deviation(design, 1, true)));
    trx_fit_design_destroy(design);
    scene_close(&s);
}
END_TEST

START_TEST(the_best_push_is_the_strongest_one)
{
    open_cart();
    trx_fit_design_settings settings = trx_fit_design_settings_default();
    settings.knots = 4;
    settings.evaluations = 1500;
    for (int c = 0; c < 2; c++) {
        settings.criterion = c == 0 ? TRX_FIT_TRACE : TRX_FIT_LOG_DETERMINANT;
        trx_fit_design *design = run(known_start(), settings);
        const trx_fit_design_info info = trx_fit_design_get_info(design);
        assert_close(info.designed, relative_deviation(3), 0.01 * info.designed);
        assert_close(trx_fit_design_deviation(design, 0, true), MASS * info.designed, 1e-9);
        trx_fit_design_destroy(design);
    }
    scene_close(&s);
}
END_TEST

START_TEST(limits_of_a_motion_are_kept)
{
    // the cart may not go farther than 0.1 m; the planned push does
    open_cart();
    static const double low[2] = {-0.1, -INFINITY}, high[2] = {0.1, INFINITY};
    motion.low = low, motion.high = high;
    trx_fit_design_settings settings = trx_fit_design_settings_default();
    trx_fit_design *design = run(known_start(), settings);
    const trx_fit_design_info info = trx_fit_design_get_info(design);
    ck_assert(isnan(info.planned) && isnan(trx_fit_design_deviation(design, 0, false)));
    double x = 0, v = 0, farthest = 0;
    for (int k = 0; k < STEPS; k++) {
        const double u = trx_fit_design_controls(design)[k];
        ck_assert(-3 <= u && u <= 3);
        v += DT * u / MASS;
        x += DT * v;
        farthest = fmax(farthest, fabs(x));
    }
    ck_assert_double_le(farthest, 0.1 + 1e-12);
    // all 20 samples at the limit would give this much
    ck_assert_double_gt(info.designed, NOISE / (0.1 * sqrt(20.0)));
    ck_assert_double_lt(info.designed, 2 * NOISE / (0.1 * sqrt(20.0)));

    // no motion that starts outside its limits keeps them
    static const double nowhere[2] = {0.2, -INFINITY}, farther[2] = {0.3, INFINITY};
    motion.low = nowhere, motion.high = farther;
    settings.evaluations = 100;
    const trx_fit_settings fit = known_start();
    trx_fit_design *none;
    ck_assert_int_eq(trx_fit_design_run(s.context, &s.fit, &fit, &motion, &settings, NULL, NULL, &none), TRX_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(trx_context_message(s.context), "no motion within the limits"));
    ck_assert_ptr_null(none);
    trx_fit_design_destroy(design);
    scene_close(&s);
}
END_TEST

// a driven arm, its marker and the turn of its lower link recorded, with an unknown start
static void open_arm(double *u)
{
    static const double lower[2] = {-4, -4}, upper[2] = {4, 4};
    scene_open(&s, ARM);
    add_group(&s, "marker.position", 0.002);
    for (int i = 0; i < 3; i++) add_channel(&s, TRX_FIT_FRAME_POSITION, 0, i, "marker");
    add_group(&s, "lower.orientation", 0.01);
    add_channel(&s, TRX_FIT_BODY_ORIENTATION, 1, 0, "lower.orientation");
    add_parameter(&s, "shoulder.damping", NAN);
    add_parameter(&s, "elbow.damping", NAN);
    add_parameter(&s, "lower.mass", NAN);
    for (int k = 0; k < 60; k++)
        for (int i = 0; i < 2; i++) u[2 * k + i] = 3 * sin(3.0 * k * s.fit.sim.time_step + i);
    motion = (trx_fit_motion){.steps = 60, .every = 1, .u = u, .lower = lower, .upper = upper};
}

START_TEST(expected_deviations_are_those_of_a_fit_of_the_recording)
{
    double u[120];
    open_arm(u);
    trx_fit_design_settings settings = trx_fit_design_settings_default();
    settings.evaluations = 0;
    trx_fit_design *design = run(trx_fit_settings_default(), settings);
    record(&s, s.fit.x0, 60, 1, 3, 0, 1);
    trx_fit *fit;
    const trx_fit_settings plain = trx_fit_settings_default();
    ck_assert_int_ge(trx_fit_run(s.context, &s.fit, &plain, NULL, NULL, &fit), TRX_OK);
    for (int i = 0; i < 3; i++) {
        const trx_fit_estimate e = trx_fit_get_estimate(fit, i);
        ck_assert_int_eq(e.verdict, TRX_FIT_DETERMINED);
        assert_close(trx_fit_design_deviation(design, i, false), e.sd, 1e-3 * e.sd);
    }
    trx_fit_destroy(fit);
    trx_fit_design_destroy(design);
    scene_close(&s);
}
END_TEST

START_TEST(every_number_of_threads_gives_the_same_controls)
{
    double u[120];
    open_arm(u);
    trx_fit_design_settings settings = trx_fit_design_settings_default();
    settings.evaluations = 200;
    trx_fit_design *one = run(trx_fit_settings_default(), settings);
    settings.threads = 3;
    trx_fit_design *three = run(trx_fit_settings_default(), settings);
    ck_assert_double_lt(trx_fit_design_get_info(one).designed, trx_fit_design_get_info(one).planned);
    for (int k = 0; k < 120; k++) ck_assert(trx_fit_design_controls(one)[k] == trx_fit_design_controls(three)[k]);
    trx_fit_design_destroy(one);
    trx_fit_design_destroy(three);
    scene_close(&s);
}
END_TEST

START_TEST(wrong_designs_are_refused_with_their_reason)
{
    open_cart();
    const trx_fit_settings fit = known_start();
    trx_fit_design_settings settings = trx_fit_design_settings_default();
    trx_fit_design *none;
    static const double endless = INFINITY;
    motion.upper = &endless;
    ck_assert_int_eq(trx_fit_design_run(s.context, &s.fit, &fit, &motion, &settings, NULL, NULL, &none), TRX_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(trx_context_message(s.context), "finite limits of the control u."));
    settings.knots = 1;
    ck_assert_int_eq(trx_fit_design_run(s.context, &s.fit, &fit, &motion, &settings, NULL, NULL, &none), TRX_ERR_ARGUMENT);
    settings = (trx_fit_design_settings){0};
    ck_assert_int_eq(trx_fit_design_run(s.context, &s.fit, &fit, &motion, &settings, NULL, NULL, &none), TRX_ERR_ARGUMENT);
    scene_close(&s);
}
END_TEST

static trx_status design_once(trx_context *context)
{
    trx_fit_design_settings settings = trx_fit_design_settings_default();
    settings.evaluations = 20;
    const trx_fit_settings fit = trx_fit_settings_default();
    trx_fit_design *design = NULL;
    double u[120];
    open_arm(u);
    const trx_status status = trx_fit_design_run(context, &s.fit, &fit, &motion, &settings, NULL, NULL, &design);
    trx_fit_design_destroy(design);
    scene_close(&s);
    return status;
}

START_TEST(memory_that_runs_out_is_a_status_and_nothing_leaks)
{
    fail_some_allocations(design_once);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit/design");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, a_constant_push_has_the_deviation_of_its_closed_form);
    tcase_add_test(tests, the_best_push_is_the_strongest_one);
    tcase_add_test(tests, limits_of_a_motion_are_kept);
    tcase_add_test(tests, expected_deviations_are_those_of_a_fit_of_the_recording);
    tcase_add_test(tests, every_number_of_threads_gives_the_same_controls);
    tcase_add_test(tests, wrong_designs_are_refused_with_their_reason);
    tcase_add_test(tests, memory_that_runs_out_is_a_status_and_nothing_leaks);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
