// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Loads in a problem file: what becomes of their keys. Refusals are in tests/malformed, values in tests/model/test_loads.c.

#include "loading.h"

#include <stdio.h>
#include <string.h>

static void assert_load(const fixture *f, int load, double t, const double expected[6])
{
    double found[6];
    trx_model_load(trx_problem_model(f->problem), load, t, found);
    assert_below(max_difference(found, expected, 6), 1e-12);
}

START_TEST(every_wave_is_read_with_its_keys)
{
    const char *const set[] = {
        "model.loads=[{body: box, force: [1, 2, 3], at: [0.1, 0, 0]}, {body: box, torque: [0, 0, 2], wave: sine, frequency: 0.5, "
        "phase: 1.5707963267948966}, {body: pusher, force: [4, 0, 0], wave: ramp, duration: 2, start: 1, stop: 2}, {body: box, "
        "force: [1, 0, 0], wave: rotate, frequency: 0.25}, {body: box, force: [1, 0, 0], wave: rotate, frequency: 0.25, axis: [0, "
        "2, 0]}]"};
    fixture f = fixture_open();
    ck_assert_msg(load_text(&f, PUSH, set, 1) == TRX_OK, "%s", trx_context_message(f.context));
    ck_assert_int_eq(trx_model_get_size(trx_problem_model(f.problem)).nload, 5);
    assert_load(&f, 0, 9, (const double[6]){1, 2, 3});
    assert_load(&f, 1, 1, (const double[6]){0, 0, 0, 0, 0, -2});
    assert_load(&f, 2, 0.5, (const double[6]){0});
    assert_load(&f, 2, 1.5, (const double[6]){1});
    assert_load(&f, 2, 2, (const double[6]){0});
    assert_load(&f, 3, 1, (const double[6]){0, 1});
    assert_load(&f, 4, 1, (const double[6]){0, 0, -1});
    fixture_close(&f);
}
END_TEST

START_TEST(a_file_gives_force_and_torque_over_time)
{
    const char *const files[] = {"gust.csv"};
    char text[4096], name[TEMPORARY_PATH + 16];
    sandbox s = sandbox_open();
    write_file(&s, "gust.csv", "fy,t,tz\n0,0,1\n10,2,3\n");
    snprintf(text, sizeof text, "%.*s  loads: [{body: box, file: gust.csv}]\n%s", (int)(strstr(PUSH, "time:") - PUSH), PUSH,
             strstr(PUSH, "time:"));
    snprintf(name, sizeof name, "%s/problem.yaml", s.folder);
    ck_assert_msg(load_text_as(&s.f, name, text, NULL, 0) == TRX_OK, "%s", trx_context_message(s.f.context));
    assert_load(&s.f, 0, 0.5, (const double[6]){0, 2.5, 0, 0, 0, 1.5});
    assert_load(&s.f, 0, 7, (const double[6]){0, 10, 0, 0, 0, 3});

    write_file(&s, "gust.csv", "t,force\n0,0\n");
    ck_assert_int_eq(load_text_as(&s.f, name, text, NULL, 0), TRX_ERR_INPUT);
    ck_assert(has_finding(&s.f, TRX_ERROR, "none of the columns fx, fy, fz, tx, ty or tz"));
    sandbox_close(&s, files, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/read_loads");
    TCase *cases = tcase_create("read_loads");
    tcase_add_test(cases, every_wave_is_read_with_its_keys);
    tcase_add_test(cases, a_file_gives_force_and_torque_over_time);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
