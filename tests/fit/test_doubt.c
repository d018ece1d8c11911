// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A parameter is not determined if the recordings disagree about it by more than their residuals explain.

#include "fit/scene.h"

#include <stdio.h>
#include <string.h>

// The damping of the swing is 0.002 in eight recordings and 2 in the ninth. With residuals taken as independent its deviation is
// small, so the fit called the damping determined.
START_TEST(a_value_about_which_recordings_disagree_is_not_determined)
{
    static const char text[] = "tractrix: 1\n"
                               "model:\n"
                               "  bodies:\n"
                               "    - name: bob\n"
                               "      joints: [{name: swing, type: hinge, axis: [0, 1, 0], damping: %s}]\n"
                               "      inertia: {mass: 0.6, com: [0, 0, -0.5], tensor: [0, 0, 0]}\n"
                               "time: {step: 0.01, steps: 60}\n";
    static const char *const dampings[] = {"0.002", "2", "0.1"};
    static const double x[2] = {0.5, 0};
    static scene made[3];
    for (int k = 0; k < 3; k++) {
        char problem[512];
        snprintf(problem, sizeof problem, text, dampings[k]);
        scene_open(&made[k], problem);
        add_group(&made[k], "swing.position", 1e-3);
        add_channel(&made[k], TRX_FIT_COORDINATE, 0, 0, "swing");
        for (int i = 0; i < 9; i++) record(&made[k], x, 60, 1, 0, 1e-3, (uint64_t)(9 * k + i));
    }
    for (int mixed = 0; mixed < 2; mixed++) {
        // eight recordings of little damping and one of much, or recordings of the model
        scene *last = &made[2];
        for (int i = 0; i < 9 && mixed; i++) last->recordings[i] = made[i == 8].recordings[i];
        last->fit.nparameter = 0;
        trx_fit_parameter *p = add_parameter(last, "swing.damping", 0.1);
        p->min = 1e-3, p->max = 10;
        trx_fit *fit;
        const trx_fit_settings settings = trx_fit_settings_default();
        ck_assert_int_ge(trx_fit_run(last->context, &last->fit, &settings, NULL, NULL, &fit), TRX_OK);
        const trx_fit_estimate e = trx_fit_get_estimate(fit, 0);
        const char *words = trx_fit_direction(fit, 0);
        ck_assert_int_eq(e.verdict, mixed ? TRX_FIT_UNDETERMINED : TRX_FIT_DETERMINED);
        if (mixed) ck_assert_msg(words && strstr(words, "swing.damping is not determined: the recordings disagree"), "%s", words);
        else ck_assert_ptr_null(words);
        trx_fit_destroy(fit);
    }
    for (int k = 0; k < 3; k++) scene_close(&made[k]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit/doubt");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, a_value_about_which_recordings_disagree_is_not_determined);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
