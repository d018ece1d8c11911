// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section policy: its values reach the settings, and wrong ones are refused at their place.

#include "loading.h"

START_TEST(values_reach_the_settings)
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

START_TEST(wrong_values_are_refused)
{
    static const char *const wrong[][2] = {
        {"policy={delay: -1}", "delay"}, {"policy={delay: 11}", "at most 10"},
        {"policy={smoothing: soft}", "smoothing"}, {"policy={smoothnig: 1}", "smoothing"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        fixture f = fixture_open();
        ck_assert_int_lt(load_text(&f, PUSH, &wrong[i][0], 1), 0);
        ck_assert_msg(strstr(trx_context_message(f.context), wrong[i][1]), "%s: %s", wrong[i][0], trx_context_message(f.context));
        fixture_close(&f);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/read_policy");
    TCase *cases = tcase_create("read_policy");
    tcase_add_test(cases, values_reach_the_settings);
    tcase_add_test(cases, wrong_values_are_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
