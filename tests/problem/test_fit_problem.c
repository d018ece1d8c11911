// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section fit as it reaches the identification: files, noise, parameters with their ties, settings.

#include "problem/loading.h"

#include <string.h>

static const char TABLE[] = "run,t,box.x,box.y,box.vx,u.px,u.py,u.pz\n1,0,0,0,1,0,0,0\n1,0.01,0.01,0,1,0,0,0\n2,0,0,0,1,0,0,0\n";
static const char *const names[] = {"slide.csv"};

static trx_status load_fit(sandbox *s, const char *fit)
{
    *s = sandbox_open();
    write_file(s, "slide.csv", TABLE);
    return load_push(s, fit);
}

START_TEST(the_section_reaches_the_fit)
{
    sandbox s;
    ck_assert_int_eq(load_fit(&s, "fit:\n"
                                  "  data: [{file: slide.csv, recording: run, window: 25, holdout: [2]}]\n"
                                  "  noise: {box.position: 0.002}\n"
                                  "  ignore: [box.velocity]\n"
                                  "  huber: 3\n"
                                  "  start: {position: 0.01, first_velocity: 0.02}\n"
                                  "  iterations: 7\n"
                                  "  parameters:\n"
                                  "    - {of: box.mass, start: 0.4, min: 0.1, prior: {mean: 0.5, sd: 0.2}}\n"
                                  "    - {of: box.com}\n"
                                  "    - {of: px.damping}\n"
                                  "    - {of: py.damping, same_as: px.damping, ratio: 2}\n"), TRX_OK);
    trx_fit_data *data;
    trx_fit_problem p;
    trx_fit_settings settings;
    ck_assert_msg(trx_problem_fit(s.f.problem, &data, &p, &settings) == TRX_OK, "%s", trx_context_message(s.f.context));
    ck_assert_int_eq(p.nrecording, 2);
    ck_assert(!p.recordings[0].held_out && p.recordings[1].held_out);
    ck_assert_int_eq(p.recordings[0].window, 25);
    assert_close(p.groups[0].noise, 0.002, 0);
    ck_assert(p.groups[1].ignored && isnan(p.groups[1].noise));
    ck_assert_int_eq(p.nparameter, 6);
    assert_close(p.parameters[0].start, 0.4, 0);
    assert_close(p.parameters[0].min, 0.1, 0);
    assert_close(p.parameters[0].prior_sd, 0.2, 0);
    ck_assert_str_eq(p.parameters[3].name, "box.com.z");
    ck_assert(isnan(p.parameters[4].start) && isinf(p.parameters[4].max));
    ck_assert_int_eq(p.parameters[5].same_as, 4);
    assert_close(p.parameters[5].ratio, 2, 0);
    assert_close(settings.huber, 3, 0);
    assert_close(settings.start_position, 0.01, 0);
    ck_assert(isinf(settings.start_velocity));
    assert_close(settings.first_velocity, 0.02, 0);
    ck_assert_int_eq(settings.iterations, 7);
    trx_fit_data_destroy(data);
    sandbox_close(&s, names, 1);
}
END_TEST

START_TEST(an_inertia_stands_for_ten_numbers_of_its_body)
{
    sandbox s;
    trx_fit_data *data;
    trx_fit_problem p;
    trx_fit_settings settings;
    ck_assert_int_eq(load_fit(&s, "fit:\n"
                                  "  data: [{file: slide.csv, recording: run}]\n"
                                  "  parameters: [{of: px.damping}, {of: inertia(box)}]\n"), TRX_OK);
    ck_assert_msg(trx_problem_fit(s.f.problem, &data, &p, &settings) == TRX_OK, "%s", trx_context_message(s.f.context));
    ck_assert_int_eq(p.nparameter, 11);
    ck_assert_int_eq(p.parameters[0].body_number, 0);
    for (int k = 0; k < 10; k++) ck_assert_int_eq(p.parameters[1 + k].body_number, k + 1);
    ck_assert_str_eq(p.parameters[1].name, "box.mass");
    ck_assert_str_eq(p.parameters[4].name, "box.com.z");
    ck_assert_str_eq(p.parameters[10].name, "box.inertia.yz");
    assert_close(p.parameters[10].prior_sd, 1, 0);
    trx_fit_data_destroy(data);
    sandbox_close(&s, names, 1);
}
END_TEST

static void refuses(const char *fit, const char *words)
{
    sandbox s;
    ck_assert_int_eq(load_fit(&s, fit), TRX_ERR_INPUT);
    ck_assert_msg(has_finding(&s.f, TRX_ERROR, words), "%s", trx_context_message(s.f.context));
    sandbox_close(&s, names, 1);
}

START_TEST(mistakes_of_the_section_are_errors_at_their_place)
{
    refuses("fit: {data: [{file: slide.csv}], parameters: [{of: box.mass}, {of: box.mass}]}\n", "is in the list twice");
    refuses("fit: {data: [{file: slide.csv}], parameters: [{of: box.mass, same_as: px.damping}]}\n", "is no earlier parameter");
    refuses("fit: {data: [{file: slide.csv}], parameters: [{of: box.mass}, {of: px.damping, same_as: box.mass, start: 1}]}\n",
            "start: the parameter follows another one");
    refuses("fit: {data: [{file: slide.csv, holdout: [2]}], parameters: [{of: box.mass}]}\n", "the file is one recording");
    refuses("fit: {data: [{file: slide.csv}], parameters: [{of: inertia(box), start: 1}]}\n", "ten numbers have no start");
    refuses("fit: {data: [{file: slide.csv}], parameters: [{of: inertia(box), prior: {mean: 1, sd: 1}}]}\n", "write mean: 0");
    refuses("fit: {data: [{file: slide.csv}], parameters: [{of: inertia(box)}, {of: box.mass}]}\n", "is in the list twice");
    refuses("fit: {data: [{file: slide.csv}], parameters: [{of: inertia(box)}, {of: px.damping, same_as: box.mass}]}\n",
            "of an inertia");
    refuses("fit: {data: [{file: slide.csv}], parameters: [{of: inertia(bx)}]}\n", "bx");
    refuses("fit: {data: [{file: slide.csv}], noise: {box.positon: 1}, parameters: [{of: box.mass}]}\n", "positon");
}
END_TEST

START_TEST(a_fit_needs_data_and_parameters)
{
    sandbox s;
    trx_fit_data *data;
    trx_fit_problem p;
    trx_fit_settings settings;
    ck_assert_int_eq(load_fit(&s, "fit: {data: [], parameters: [{of: box.mass}]}\n"), TRX_OK);
    ck_assert_int_eq(trx_problem_fit(s.f.problem, &data, &p, &settings), TRX_ERR_INPUT);
    ck_assert(has_finding(&s.f, TRX_ERROR, "no data"));
    sandbox_close(&s, names, 1);
    ck_assert_int_eq(load_fit(&s, ""), TRX_OK);
    ck_assert_int_eq(trx_problem_fit(s.f.problem, &data, &p, &settings), TRX_ERR_INPUT);
    ck_assert(has_finding(&s.f, TRX_ERROR, "missing key \"fit\""));
    sandbox_close(&s, names, 1);
    ck_assert_int_eq(load_fit(&s, "fit: {data: [{file: nothing.csv}], parameters: [{of: box.mass}]}\n"), TRX_OK);
    ck_assert_int_eq(trx_problem_fit(s.f.problem, &data, &p, &settings), TRX_ERR_IO);
    sandbox_close(&s, names, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/fit_problem");
    TCase *cases = tcase_create("all");
    tcase_add_test(cases, the_section_reaches_the_fit);
    tcase_add_test(cases, an_inertia_stands_for_ten_numbers_of_its_body);
    tcase_add_test(cases, mistakes_of_the_section_are_errors_at_their_place);
    tcase_add_test(cases, a_fit_needs_data_and_parameters);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
