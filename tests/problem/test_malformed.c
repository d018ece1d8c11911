// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Every file of tests/malformed is refused with exactly the errors beside it, in file order, and nothing else.

#include "loading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 200, MAX_ERRORS = 20, TEXT_SIZE = 32768 };

// the errors as a terminal shows them, the first twenty
static void print_errors(const trx_context *context, char text[TEXT_SIZE])
{
    size_t used = 0;
    int errors = 0;
    text[0] = '\0';
    for (int i = 0; i < trx_context_diagnostic_count(context); i++) {
        trx_diagnostic finding = trx_context_diagnostic(context, i);
        if (finding.severity != TRX_ERROR || ++errors > MAX_ERRORS) continue;
        int length = snprintf(text + used, TEXT_SIZE - used, "%s:%d:%d: error: %s\n", finding.source.file,
                              finding.source.line, finding.source.column, finding.text);
        ck_assert_int_gt(length, 0);
        used += (size_t)length;
        ck_assert_uint_lt(used, TEXT_SIZE);
    }
}

static void check(const char *path)
{
    char expected_path[256], errors[TEXT_SIZE];
    int stem = (int)(strlen(path) - strlen(".yaml"));
    snprintf(expected_path, sizeof expected_path, "%.*s.expected", stem, path);
    size_t length;
    char *expected = read_all(expected_path, &length);
    ck_assert_uint_gt(length, 0);

    trx_context *context;
    trx_problem *problem = NULL;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    trx_status status = trx_problem_load(context, path, NULL, &problem);
    ck_assert_msg(status == TRX_ERR_INPUT, "%s: %s", path, trx_status_name(status));
    ck_assert_ptr_null(problem);
    print_errors(context, errors);
    ck_assert_msg(strcmp(errors, expected) == 0, "%s\n--- expected\n%s--- found\n%s", path, expected, errors);
    trx_context_destroy(context);
    free(expected);
}

START_TEST(every_malformed_file_is_refused_with_its_exact_errors)
{
    static char paths[MAX_FILES][256];
    int count = list_files("tests/malformed", ".yaml", paths, MAX_FILES);
    ck_assert_int_ge(count, 80);
    for (int i = 0; i < count; i++) check(paths[i]);
}
END_TEST

START_TEST(more_errors_than_are_shown_are_counted)
{
    trx_context *context;
    trx_problem *problem;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    ck_assert_int_eq(trx_problem_load(context, "tests/malformed/many_errors.yaml", NULL, &problem), TRX_ERR_INPUT);
    ck_assert_int_eq(trx_context_error_count(context), 25);
    trx_context_destroy(context);
}
END_TEST

START_TEST(a_missing_file_is_no_bad_input)
{
    trx_context *context;
    trx_problem *problem;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    ck_assert_int_eq(trx_problem_load(context, "tests/malformed/nowhere.yaml", NULL, &problem), TRX_ERR_IO);
    ck_assert_ptr_nonnull(strstr(trx_context_message(context), "nowhere.yaml"));
    ck_assert_int_eq(trx_context_error_count(context), 0);
    trx_context_destroy(context);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/malformed");
    TCase *cases = tcase_create("malformed");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, every_malformed_file_is_refused_with_its_exact_errors);
    tcase_add_test(cases, more_errors_than_are_shown_are_counted);
    tcase_add_test(cases, a_missing_file_is_no_bad_input);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
