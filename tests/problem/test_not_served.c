// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Unsupported keys are reported by their dotted path: keys of the model at loading, keys of the plan only when a plan
// is asked for, of other verbs never. Errors win.

#include "loading.h"

#include <stdio.h>
#include <string.h>

typedef struct refused {
    const char *set, *path;
} refused;

START_TEST(things_of_the_model_fail_at_loading)
{
    static const refused cases[] = {
        {"model.include=[{name: arm, file: tests/problem/robots/other.sdf}]", "model.include.arm.file"},
    };
    fixture f = fixture_open();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char expected[256];
        snprintf(expected, sizeof expected, "not in this version: %s", cases[i].path);
        trx_status status = load_text(&f, PUSH, &cases[i].set, 1);
        ck_assert_msg(status == TRX_ERR_UNSUPPORTED, "%s: %s: %s", cases[i].set, trx_status_name(status),
                      trx_context_message(f.context));
        const char *message = trx_context_message(f.context);
        ck_assert_msg(strncmp(message, expected, strlen(expected)) == 0, "%s", message);
    }
    fixture_close(&f);
}
END_TEST

START_TEST(things_of_the_plan_fail_only_when_planned)
{
    static const refused cases[] = {
        {"solve.continuation=[{force_law: ipc}]", "solve.continuation.0.force_law: ipc"},
    };
    fixture f = fixture_open();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char expected[256];
        trx_plan_problem p;
        trx_plan_settings s;
        const char *const set[] = {"cost=[{of: velocity}]", cases[i].set};
        snprintf(expected, sizeof expected, "not in this version: %s", cases[i].path);
        ck_assert_int_eq(load_text(&f, PUSH, set, 2), TRX_OK);
        ck_assert_int_eq(trx_problem_plan(f.problem, &p, &s), TRX_ERR_UNSUPPORTED);
        ck_assert_str_eq(trx_context_message(f.context), expected);
    }
    fixture_close(&f);
}
END_TEST

START_TEST(sections_of_other_verbs_do_not_matter)
{
    const char *const set[] = {
        "cost=[{of: velocity}]",
        "mpc={duration: 5.0, replan_every: 0.02, horizon: 20, iterations: 1, latency: 0.0, noise: {box.position: 0.001, "
        "px.position: 1}, plant: {contact.stiction_tolerance: 1.0e-4, time.step: 0.001}}",
        "fit={data: [{file: data/slide.csv, window: 25}], noise: {box.position: 0.002}, parameters: [{of: box.mass, min: "
        "0.05, max: 5}, {of: \"pair(box, ground).friction\", start: 0.3, prior: {mean: 0.3, sd: 0.1}}, {of: px.damping}]}",
    };
    fixture f = fixture_open();
    trx_plan_problem p;
    trx_plan_settings s;
    trx_status status = load_text(&f, PUSH, set, 3);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(f.context));
    ck_assert_int_eq(trx_problem_plan(f.problem, &p, &s), TRX_OK);
    fixture_close(&f);
}
END_TEST

START_TEST(errors_win)
{
    const char *const set[] = {"model.include=[{name: arm, file: tests/problem/robots/other.sdf}]", "start.px=high"};
    fixture f = fixture_open();
    ck_assert_int_eq(load_text(&f, PUSH, set, 2), TRX_ERR_INPUT);
    ck_assert_int_eq(trx_context_error_count(f.context), 1);
    ck_assert(has_finding(&f, TRX_ERROR, "found \"high\""));
    fixture_close(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/not_served");
    TCase *cases = tcase_create("not_served");
    tcase_add_test(cases, things_of_the_model_fail_at_loading);
    tcase_add_test(cases, things_of_the_plan_fail_only_when_planned);
    tcase_add_test(cases, sections_of_other_verbs_do_not_matter);
    tcase_add_test(cases, errors_win);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
