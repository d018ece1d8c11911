// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section parameters and files of values: they replace values of the model and of its settings; mistakes are errors.

#include "problem/loading.h"

#include <stdio.h>
#include <string.h>

static double value_of(const fixture *f, const char *name)
{
    trx_parameter p;
    double value;
    ck_assert_int_eq(trx_model_find_parameter(f->context, trx_problem_model(f->problem), name, &p), TRX_OK);
    ck_assert_int_eq(trx_model_parameter_value(f->context, trx_problem_model(f->problem), p, &value), TRX_OK);
    return value;
}

START_TEST(values_replace_those_of_the_model_and_its_settings)
{
    sandbox s = sandbox_open();
    load_push(&s, "parameters: {\"pair(box, ground).friction\": 0.123, box.mass: 0.7, contact.stiction_tolerance: 0.002}\n");
    assert_close(value_of(&s.f, "pair(box, ground).friction"), 0.123, 0);
    assert_close(value_of(&s.f, "box.mass"), 0.7, 0);
    assert_close(trx_problem_sim_settings(s.f.problem).stiction_tolerance, 0.002, 0);
    sandbox_close(&s, NULL, 0);
}
END_TEST

START_TEST(a_file_of_values_comes_before_settings_and_replaces_the_section)
{
    static const char *const names[] = {"fitted.yaml"};
    static const char TEXT[] = "parameters: {box.mass: 0.7, px.damping: 3}\n";
    static const char *const set[] = {"parameters.\"px.damping\"=5"};
    sandbox s = sandbox_open();
    write_file(&s, "fitted.yaml", "parameters: {box.mass: 0.9, py.damping: 4}\n");
    char path[256], text[8192];
    snprintf(path, sizeof path, "%s", in_folder(&s, "fitted.yaml"));
    snprintf(text, sizeof text, "%s%s", PUSH, TEXT);
    const char *const with[] = {path};
    trx_problem_options options = trx_problem_options_default();
    options.with = with, options.nwith = 1;
    options.set = set, options.nset = 1;
    ck_assert_int_eq(trx_problem_load_text(s.f.context, "text.yaml", text, strlen(text), &options, &s.f.problem), TRX_OK);
    assert_close(value_of(&s.f, "box.mass"), 0.9, 0);
    assert_close(value_of(&s.f, "px.damping"), 5, 0);
    assert_close(value_of(&s.f, "py.damping"), 4, 0);
    // the problem as run holds them all
    ck_assert_ptr_nonnull(strstr(trx_problem_text(s.f.problem), "box.mass: 0.9"));
    sandbox_close(&s, names, 1);
}
END_TEST

static void refuses(const char *rest, const char *words)
{
    sandbox s = sandbox_open();
    ck_assert_int_eq(load_push(&s, rest), TRX_ERR_INPUT);
    ck_assert_msg(has_finding(&s.f, TRX_ERROR, words), "%s", trx_context_message(s.f.context));
    sandbox_close(&s, NULL, 0);
}

START_TEST(wrong_names_and_values_are_errors)
{
    refuses("parameters: {box.mas: 1}\n", "did you mean");
    refuses("parameters: {box.mass: -1}\n", "box.mass is -1");
    refuses("parameters: {box.mass: heavy}\n", "box.mass");
    refuses("parameters: [1]\n", "parameters");
    refuses("parameters: {contact.stiction_tolerance: 0}\n", "write a positive number");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/read_values");
    TCase *cases = tcase_create("all");
    tcase_add_test(cases, values_replace_those_of_the_model_and_its_settings);
    tcase_add_test(cases, a_file_of_values_comes_before_settings_and_replaces_the_section);
    tcase_add_test(cases, wrong_names_and_values_are_errors);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
