// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Queries of a loaded problem, and the problem as run: its text loads to the same, its paths are absolute.

#define _XOPEN_SOURCE 700

#include "problem/loading.h"

#include "problem/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

START_TEST(a_problem_answers_what_the_file_says)
{
    static const char text[] = "tractrix: 1\n"
                               "title: A ball\n"
                               "model: {bodies: [{name: ball, joint: free, inertia: {mass: 2, tensor: [1, 1, 1]}}]}\n"
                               "time: {step: 0.004, steps: 7}\n"
                               "start: {ball: {xyz: [1, 2, 3]}}\n"
                               "cost: []\n";
    fixture f = fixture_open();
    load_good(&f, text);
    ck_assert_str_eq(trx_problem_title(f.problem), "A ball");
    ck_assert_str_eq(trx_problem_path(f.problem), "text.yaml");
    ck_assert_int_eq(trx_problem_steps(f.problem), 7);
    ck_assert(trx_problem_sim_settings(f.problem).time_step == 0.004);
    ck_assert(trx_model_mass(trx_problem_model(f.problem)) == 2);
    ck_assert(trx_problem_start(f.problem)[2] == 3);
    ck_assert(trx_problem_has_cost(f.problem));
    fixture_close(&f);
}
END_TEST

START_TEST(the_fingerprint_is_that_of_the_text)
{
    // the hash of this text is by sha256sum of coreutils
    static const char text[] = "tractrix: 1\nmodel: {bodies: []}\ntime: {step: 0.01, steps: 1}\n";
    fixture f = fixture_open();
    load_good(&f, text);
    ck_assert_str_eq(trx_problem_sha256(f.problem), "bb4c5650759e8f8379a8b23f8e2e9f8a9a1c699b6eae0dfe54df084a715581e0");
    fixture_close(&f);
}
END_TEST

START_TEST(the_text_is_written_once_and_loads_to_itself)
{
    fixture f = fixture_open(), again = fixture_open();
    const char *const set[] = {"time.steps=3", "title=\"a: b\""};
    ck_assert_int_eq(load_text(&f, PUSH, set, 2), TRX_OK);
    const char *text = trx_problem_text(f.problem);
    ck_assert_ptr_eq(trx_problem_text(f.problem), text);
    load_good(&again, text);
    ck_assert_str_eq(trx_problem_text(again.problem), text);
    ck_assert_int_eq(trx_problem_steps(again.problem), 3);
    ck_assert_str_eq(trx_problem_title(again.problem), "a: b");
    fixture_close(&again);
    fixture_close(&f);
}
END_TEST

START_TEST(paths_of_the_problem_as_run_are_absolute)
{
    char here[1024], expected[1400];
    fixture f = fixture_open();
    ck_assert_ptr_nonnull(getcwd(here, sizeof here));
    static const char text[] = "tractrix: 1\nmodel: {bodies: []}\ntime: {step: 0.01, steps: 1}\n"
                               "fit: {data: [{file: data/slide.csv}, {file: /else/where.csv}], parameters: []}\n"
                               "solve: {guess: runs/last}\n";
    ck_assert_int_eq(trx_problem_load_text(f.context, "problems/x.yaml", text, strlen(text), NULL, &f.problem), TRX_OK);
    snprintf(expected, sizeof expected, "%s/problems/data/slide.csv", here);
    ck_assert_ptr_nonnull(strstr(trx_problem_text(f.problem), expected));
    snprintf(expected, sizeof expected, "%s/problems/runs/last", here);
    ck_assert_ptr_nonnull(strstr(trx_problem_text(f.problem), expected));
    ck_assert_ptr_nonnull(strstr(trx_problem_text(f.problem), "{file: /else/where.csv}"));
    fixture_close(&f);
}
END_TEST

// paths became absolute paths without their folder
START_TEST(a_relative_path_in_a_folder_without_path_is_an_error)
{
    static const char text[] = "tractrix: 1\nmodel: {bodies: []}\ntime: {step: 0.01, steps: 1}\n"
                               "fit: {data: [{file: data/slide.csv}], parameters: []}\n";
    char here[1024], gone[TEMPORARY_PATH], hash[65];
    const char *whole;
    ck_assert_ptr_nonnull(getcwd(here, sizeof here));
    temporary_path(gone, "tractrix-gone-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(gone));
    fixture f = fixture_open(), absolute = fixture_open();
    ck_assert_int_eq(load_text_as(&f, "problems/x.yaml", text, NULL, 0), TRX_OK);
    ck_assert_int_eq(load_text_as(&absolute, "/problems/x.yaml", text, NULL, 0), TRX_OK);
    ck_assert_int_eq(chdir(gone), 0);
    ck_assert_int_eq(rmdir(gone), 0);
    ck_assert_int_eq(trxi_problem_text(f.problem, &whole), TRX_ERR_IO);
    ck_assert_str_eq(whole, "");
    ck_assert_ptr_nonnull(strstr(trx_context_message(f.context), "\"data/slide.csv\" starts at the working directory"));
    ck_assert_str_eq(trx_problem_text(f.problem), "");
    ck_assert_int_eq(trxi_problem_hash(f.problem, hash), TRX_ERR_IO);
    ck_assert_ptr_nonnull(strstr(trx_problem_text(absolute.problem), "{file: /problems/data/slide.csv}"));

    // the text is made when there is a path again
    ck_assert_int_eq(chdir(here), 0);
    ck_assert_int_eq(trxi_problem_text(f.problem, &whole), TRX_OK);
    ck_assert_ptr_nonnull(strstr(whole, "/problems/data/slide.csv"));
    fixture_close(&absolute);
    fixture_close(&f);
}
END_TEST

// time limits decide how long a solve goes on, not what it computes: a run may be continued with others
START_TEST(the_hash_is_that_of_the_text_without_time_limits)
{
    enum { SAME = 6, ALL = 10 };
    static const char *const solves[ALL] = {
        "solve: {}\n", "solve: {time_limit: 3}\n", "solve: {search: {}}\n", "solve: {search: {time_limit: 2}}\n",
        "solve: {time_limit: 1, search: {time_limit: 2}}\n", "solve: {search: {time_limit: 4}, time_limit: 5}\n",
        "", "solve: {search: off}\n", "solve: {iterations: 7}\n", "solve: {search: {time_limit: 2, seed: 3}}\n",
    };
    char hashes[ALL][65];
    for (int i = 0; i < ALL; i++) {
        char text[200];
        fixture f = fixture_open();
        snprintf(text, sizeof text, "tractrix: 1\nmodel: {bodies: []}\ntime: {step: 0.01, steps: 1}\n%s", solves[i]);
        load_good(&f, text);
        ck_assert_int_eq(trxi_problem_hash(f.problem, hashes[i]), TRX_OK);
        ck_assert_uint_eq(strlen(hashes[i]), 64);
        fixture_close(&f);
    }
    for (int i = 1; i < SAME; i++) ck_assert_str_eq(hashes[i], hashes[0]);
    for (int i = SAME + 1; i < ALL; i++)
        for (int k = 0; k < i; k++)
            if (k != SAME) ck_assert_str_ne(hashes[i], hashes[k]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/access");
    TCase *cases = tcase_create("access");
    tcase_add_test(cases, a_problem_answers_what_the_file_says);
    tcase_add_test(cases, the_fingerprint_is_that_of_the_text);
    tcase_add_test(cases, the_text_is_written_once_and_loads_to_itself);
    tcase_add_test(cases, paths_of_the_problem_as_run_are_absolute);
    tcase_add_test(cases, a_relative_path_in_a_folder_without_path_is_an_error);
    tcase_add_test(cases, the_hash_is_that_of_the_text_without_time_limits);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
