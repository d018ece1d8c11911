// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Every byte-prefix of every shipped problem, some bytes changed at random, and memory that runs out at every
// allocation: a status each time, never a crash, never a leak.

#include "loading.h"

#include "base/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 100, MUTATIONS = 400 };

// loads and forgets; the context is the caller's
static trx_status try_text(trx_context *context, const char *file, const char *text, size_t length)
{
    trx_problem *problem = NULL;
    trx_context_clear(context);
    trx_status status = trx_problem_load_text(context, file, text, length, NULL, &problem);
    ck_assert((status < 0) == (problem == NULL));
    // IO: a file name that is cut off is the name of another file
    ck_assert_msg(status == TRX_OK || status == TRX_ERR_INPUT || status == TRX_ERR_UNSUPPORTED || status == TRX_ERR_IO,
                  "%s: %s", file, trx_status_name(status));
    if (status == TRX_ERR_INPUT || status == TRX_ERR_IO) ck_assert_int_gt(trx_context_error_count(context), 0);
    trx_problem_destroy(problem);
    return status;
}

START_TEST(every_prefix_of_every_shipped_problem_is_answered)
{
    static char paths[MAX_FILES][256];
    counting_allocator counter = {0};
    trx_context_settings settings = counting_settings(&counter);
    trx_context *context;
    ck_assert_int_eq(trx_context_create(&settings, &context), TRX_OK);
    int count = list_files("problems", ".yaml", paths, MAX_FILES), outstanding = counter.outstanding;
    for (int i = 0; i < count; i++) {
        size_t size;
        char *text = read_all(paths[i], &size);
        int good = 0;
        for (size_t cut = 0; cut <= size; cut += SANITIZED ? 5 : 1) {
            const size_t length = size - cut;
            // a copy of exactly this size, so that a sanitizer sees any read beyond it
            char *prefix = malloc(length ? length : 1);
            memcpy(prefix, text, length);
            good += try_text(context, paths[i], prefix, length) == TRX_OK;
            free(prefix);
        }
        ck_assert_int_gt(good, 0);
        free(text);
    }
    ck_assert_int_eq(counter.outstanding, outstanding);
    trx_context_destroy(context);
}
END_TEST

static void change_bytes(const char *path, const char *name)
{
    static const char bytes[] = "{}[]:,-#\"' \n\t.0189eaxq()&*!|>%@\xc3\x7f";
    size_t size;
    char *text = read_all(path, &size), *changed = malloc(size);
    trx_context *context;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    int bad = 0;
    for (uint64_t i = 0; i < MUTATIONS; i++) {
        memcpy(changed, text, size);
        for (uint64_t k = 0; k < 1 + i % 3; k++) {
            size_t at = (size_t)(trxi_random_uniform(7, 10 * i + k) * (double)size);
            size_t byte = (size_t)(trxi_random_uniform(8, 10 * i + k) * (double)(sizeof bytes - 1));
            changed[at] = bytes[byte];
        }
        bad += try_text(context, name, changed, size) != TRX_OK;
    }
    ck_assert_int_gt(bad, MUTATIONS / 4);
    trx_context_destroy(context);
    free(changed);
    free(text);
}

START_TEST(changed_bytes_are_answered)
{
    change_bytes("problems/push_box.yaml", "changed.yaml");
    change_bytes("tests/problem/robots/everything.yaml", "tests/problem/robots/changed.yaml");
    change_bytes("tests/problem/robots/everything_timed.yaml", "tests/problem/robots/changed.yaml");
}
END_TEST

START_TEST(many_errors_take_no_longer_than_many_bodies)
{
    // 20000 bodies, each with an unknown parent and an axis without direction
    const int n = 20000;
    char *text = malloc((size_t)n * 128 + 256);
    int used = sprintf(text, "tractrix: 1\ntime: {step: 0.01, steps: 1}\nmodel:\n  bodies:\n");
    for (int i = 0; i < n; i++)
        used += sprintf(text + used, "    - {name: b%d, parent: c%d, joints: [{name: q%d, type: hinge, axis: [0, 0, 0]}]}\n", i,
                        i + 1, i);
    fixture f = fixture_open();
    double start = trx_clock();
    ck_assert_int_eq(load_text(&f, text, NULL, 0), TRX_ERR_INPUT);
    assert_below(trx_clock() - start, 10);
    ck_assert_int_eq(trx_context_error_count(f.context), 2 * n);
    fixture_close(&f);
    free(text);
}
END_TEST

// everything that can be asked of a problem; stops at the first failure
static trx_status use_everything(trx_context *context, const char *path)
{
    trx_problem *problem;
    trx_plan_problem plan;
    trx_plan_settings settings;
    trx_gradient_check check;
    trx_status status = trx_problem_load(context, path, NULL, &problem);
    if (status < 0) return status;
    status = trx_problem_plan(problem, &plan, &settings);
    if (status == TRX_OK && trx_problem_text(problem)[0] == '\0') status = TRX_ERR_MEMORY;
    if (status == TRX_OK) status = trx_problem_diagnose(problem);
    if (status == TRX_OK) status = trx_problem_check_gradients(problem, 0, &check);
    trx_problem_destroy(problem);
    return status;
}

static void fail_everywhere(const char *path)
{
    int failures = 0;
    for (int k = 2;; k++) {
        counting_allocator counter = {.fail_at = k};
        trx_context_settings settings = counting_settings(&counter);
        trx_context *context;
        ck_assert_int_eq(trx_context_create(&settings, &context), TRX_OK);
        trx_status status = use_everything(context, path);
        if (status < 0) {
            ck_assert_msg(status == TRX_ERR_MEMORY, "%s: allocation %d: %s: %s", path, k, trx_status_name(status),
                          trx_context_message(context));
            ck_assert_ptr_nonnull(strstr(trx_context_message(context), "memory"));
            failures++;
        }
        trx_context_destroy(context);
        ck_assert_int_eq(counter.outstanding, 0);
        if (counter.calls < k) break;
        ck_assert_msg(status < 0, "%s: allocation %d failed without a word", path, k);
    }
    ck_assert_int_gt(failures, 10);
}

START_TEST(memory_may_run_out_at_every_allocation)
{
    fail_everywhere("problems/push_box.yaml");
    fail_everywhere("tests/problem/robots/everything.yaml");
    fail_everywhere("tests/problem/robots/everything_timed.yaml");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/faults");
    TCase *cases = tcase_create("faults");
    tcase_set_timeout(cases, 300);
    tcase_add_test(cases, every_prefix_of_every_shipped_problem_is_answered);
    tcase_add_test(cases, changed_bytes_are_answered);
    tcase_add_test(cases, many_errors_take_no_longer_than_many_bodies);
    tcase_add_test(cases, memory_may_run_out_at_every_allocation);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
