// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section trial: its values reach the settings, and wrong ones are refused at their place.

#include "loading.h"

#include <stdio.h>

START_TEST(values_reach_the_settings)
{
    fixture f = fixture_open();
    ck_assert_int_eq(load_text(&f, PUSH, NULL, 0), TRX_OK);
    const trx_trial_settings defaults = trx_trial_settings_default();
    ck_assert_double_eq(trx_problem_trial(f.problem).friction, defaults.friction);
    fixture_close(&f);

    f = fixture_open();
    const char *const sets[] = {"trial={worlds: 7, time_step: 0.25, friction: 0.3, stiffness: 0.4, dissipation: 0.5, mass: 0.6, "
                                "damping: 0.7, start: {position: 0.01}, noise: {rotation: 0.1, velocity: 0.2}, delay: 0.03, "
                                "push: 0.9, success: {tolerances: 2, distance: 0.1}}"};
    ck_assert_int_eq(load_text(&f, PUSH, sets, 1), TRX_OK);
    const trx_trial_settings s = trx_problem_trial(f.problem);
    ck_assert(s.worlds == 7 && s.step_share == 0.25 && s.friction == 0.3 && s.stiffness == 0.4 && s.dissipation == 0.5);
    ck_assert(s.mass == 0.6 && s.damping == 0.7 && s.start_position == 0.01 && s.start_rotation == defaults.start_rotation);
    ck_assert(s.noise_position == 0 && s.noise_rotation == 0.1 && s.noise_velocity == 0.2 && s.delay == 0.03 && s.push == 0.9);
    ck_assert(s.tolerance_factor == 2 && s.least_tolerance == 0.1);
    fixture_close(&f);
}
END_TEST

// each change of a value is refused with its words
static void refused(size_t count, const char *const wrong[][2])
{
    for (size_t i = 0; i < count; i++) {
        fixture f = fixture_open();
        ck_assert_int_lt(load_text(&f, PUSH, &wrong[i][0], 1), 0);
        ck_assert_msg(strstr(trx_context_message(f.context), wrong[i][1]), "%s: %s", wrong[i][0], trx_context_message(f.context));
        fixture_close(&f);
    }
}

START_TEST(wrong_values_are_refused)
{
    static const char *const wrong[][2] = {
        {"trial={friction: 1.5}", "below 1"},           {"trial={mass: -0.1}", "mass"},
        {"trial={time_step: 0.3}", "inverse is whole"}, {"trial={time_step: 2}", "inverse is whole"},
        {"trial={worlds: 0}", "worlds"},                {"trial={start: 0.1}", "start"},
        {"trial={success: {tolerances: 0}}", "tolerances"}, {"trial={frictoin: 0.1}", "friction"},
    };
    refused(sizeof wrong / sizeof *wrong, wrong);
}
END_TEST

START_TEST(values_reach_the_policy)
{
    fixture f = fixture_open();
    ck_assert_int_eq(load_text(&f, PUSH, NULL, 0), TRX_OK);
    const trx_policy_settings defaults = trx_policy_settings_default();
    ck_assert_double_eq(trx_problem_policy(f.problem).delay, defaults.delay);
    ck_assert_double_eq(trx_problem_policy(f.problem).smoothing, defaults.smoothing);
    fixture_close(&f);

    f = fixture_open();
    const char *const sets[] = {"policy={delay: 0.02, smoothing: 0}"};
    ck_assert_int_eq(load_text(&f, PUSH, sets, 1), TRX_OK);
    ck_assert_double_eq(trx_problem_policy(f.problem).delay, 0.02);
    ck_assert_double_eq(trx_problem_policy(f.problem).smoothing, 0);
    fixture_close(&f);
}
END_TEST

START_TEST(wrong_values_of_the_policy_are_refused)
{
    static const char *const wrong[][2] = {
        {"policy={delay: -1}", "delay"}, {"policy={delay: 11}", "at most 10"},
        {"policy={smoothing: soft}", "smoothing"}, {"policy={smoothnig: 1}", "smoothing"},
    };
    refused(sizeof wrong / sizeof *wrong, wrong);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/read_trial");
    TCase *cases = tcase_create("read_trial");
    tcase_add_test(cases, values_reach_the_settings);
    tcase_add_test(cases, wrong_values_are_refused);
    tcase_add_test(cases, values_reach_the_policy);
    tcase_add_test(cases, wrong_values_of_the_policy_are_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
