// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The first guess of start states: activations are those that the recorded controls make, and fits of models with activations find
// the true values.

#include "fit/create.h"
#include "fit/scene.h"
#include "fit/state.h"

static const char SLOW_ARM[] = "tractrix: 1\n"
                               "model:\n"
                               "  bodies:\n"
                               "    - name: upper\n"
                               "      joints: [{name: shoulder, type: hinge, axis: [0, 1, 0], damping: 0.2}]\n"
                               "      inertia: {mass: 1.0, com: [0, 0, -0.3], tensor: [0.03, 0.03, 0.004]}\n"
                               "    - name: lower\n"
                               "      parent: upper\n"
                               "      pose: {xyz: [0, 0, -0.6]}\n"
                               "      joints: [{name: elbow, type: hinge, axis: [1, 0, 0], damping: 0.1}]\n"
                               "      inertia: {mass: 0.6, com: [0, 0, -0.2], tensor: [0.02, 0.02, 0.003]}\n"
                               "  actuators:\n"
                               "    - {joint: shoulder}\n"
                               "    - {joint: elbow, activation: {type: filter, time_constant: 0.15, start: 0.5}}\n"
                               "time: {step: 0.01, steps: 60}\n";

enum { STEPS = 120, WINDOW = 30 };

static scene s;

static void open_arm(double noise, double activation)
{
    scene_open(&s, SLOW_ARM);
    ck_assert_int_eq(trx_model_get_size(s.fit.model).nstate, 5);
    add_group(&s, "arm.position", fmax(noise, 1e-3));
    add_channel(&s, TRX_FIT_COORDINATE, 0, 0, "shoulder");
    add_channel(&s, TRX_FIT_COORDINATE, 1, 0, "elbow");
    for (int i = 0; i < 3; i++) {
        const double x[5] = {0.4 - 0.3 * i, 0.2 * i, 0, 0, activation};
        record(&s, x, STEPS, 2, 1.5 + 0.5 * i, noise, (uint64_t)i);
        s.recordings[i].window = WINDOW;
    }
    add_parameter(&s, "lower.mass", 0.4);
    add_parameter(&s, "elbow.damping", 0.3);
}

// the activation of the recording `k` steps after its start
static double activation_after(int recording, int k)
{
    const trx_fit_recording *r = &s.recordings[recording];
    double x[5] = {0, 0, 0, 0, 0.5}, u[2];
    trx_sim *sim;
    ck_assert_int_eq(trx_sim_create(s.context, s.fit.model, &s.fit.sim, &sim), TRX_OK);
    for (int step = 0; step < k; step++) {
        const int row = step / 2;
        u[0] = r->u[2 * row], u[1] = r->u[2 * row + 1];
        const trx_step_input input = {.time = 0.01 * step, .x = x, .u = u};
        ck_assert_int_ge(trx_step_from(sim, &input, x), TRX_OK);
    }
    trx_sim_destroy(sim);
    return x[4];
}

// Windows of 15 steps begin between samples: their first step had the controls of the sample after the step
START_TEST(windows_begin_with_the_activation_that_the_controls_make)
{
    const int steps = _i == 0 ? WINDOW : WINDOW / 2, count = STEPS / steps;
    open_arm(0, 0.5);
    for (int i = 0; i < 3; i++) s.recordings[i].window = steps;
    trx_fit *fit;
    const trx_fit_settings settings = trx_fit_settings_default();
    ck_assert_int_eq(trxi_fit_create(s.context, &s.fit, &settings, &fit), TRX_OK);
    ck_assert_int_eq(fit->fitted.count, 3 * count);
    ck_assert_int_eq(fit->benches[0].ns, 5);
    for (int i = 0; i < fit->fitted.count; i++) {
        const trxi_window *w = &fit->fitted.list[i];
        const double expected = activation_after(w->recording, steps * (i % count));
        ck_assert(i % count == 0 ? expected == 0.5 : fabs(expected - 0.5) > 0.01);
        assert_close(w->guess[4], expected, 1e-12);
        assert_close(w->x[4], expected, 1e-12);
    }
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

START_TEST(the_gradient_agrees_with_differences)
{
    static const double values[2] = {0.5, 0.2};
    static const bool positive[2] = {true, true};
    open_arm(1e-3, 0.5);
    const trx_fit_settings settings = trx_fit_settings_default();
    check_gradient(&s, &settings, values, positive, 2);
    scene_close(&s);
}
END_TEST

// recordings that began with another activation than the start of the problem; the fit finds the activation as part of the start
START_TEST(a_fit_finds_the_values_and_the_activation_of_the_start)
{
    open_arm(1e-3, -0.8);
    trx_fit *fit;
    trx_fit_settings settings = trx_fit_settings_default();
    ck_assert_int_eq(trx_fit_run(s.context, &s.fit, &settings, NULL, NULL, &fit), TRX_OK);
    const trx_fit_estimate mass = trx_fit_get_estimate(fit, 0), damping = trx_fit_get_estimate(fit, 1);
    assert_close(mass.value, 0.6, 4 * mass.sd);
    assert_close(damping.value, 0.1, 4 * damping.sd);
    ck_assert(mass.sd < 0.01 && damping.sd < 0.01);
    assert_close(fit->fitted.list[0].x[4], -0.8, 0.2);
    trx_fit_destroy(fit);

    // with a deviation of 0 the activation stays at the value of the problem, which is wrong here
    settings.start_activation = 0;
    ck_assert_int_ge(trx_fit_run(s.context, &s.fit, &settings, NULL, NULL, &fit), TRX_OK);
    assert_close(fit->fitted.list[0].x[4], 0.5, 1e-6);
    ck_assert(fabs(trx_fit_get_estimate(fit, 0).value - 0.6) > 4 * mass.sd);
    trx_fit_destroy(fit);
    settings.start_activation = -1;
    ck_assert_int_eq(trx_fit_run(s.context, &s.fit, &settings, NULL, NULL, &fit), TRX_ERR_ARGUMENT);
    scene_close(&s);
}
END_TEST

START_TEST(start_states_that_are_known_have_no_unknowns)
{
    open_arm(1e-3, 0.5);
    trx_fit *fit;
    trx_fit_settings settings = trx_fit_settings_default();
    settings.start_position = settings.start_velocity = 0;
    ck_assert_int_eq(trxi_fit_create(s.context, &s.fit, &settings, &fit), TRX_OK);
    ck_assert_int_eq(fit->benches[0].ns, 5);
    trx_fit_destroy(fit);
    settings.start_activation = 0;
    ck_assert_int_eq(trxi_fit_create(s.context, &s.fit, &settings, &fit), TRX_OK);
    ck_assert_int_eq(fit->benches[0].ns, 0);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit/guess");
    TCase *cases = tcase_create("guess");
    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, windows_begin_with_the_activation_that_the_controls_make, 0, 2);
    tcase_add_test(cases, the_gradient_agrees_with_differences);
    tcase_add_test(cases, a_fit_finds_the_values_and_the_activation_of_the_start);
    tcase_add_test(cases, start_states_that_are_known_have_no_unknowns);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
