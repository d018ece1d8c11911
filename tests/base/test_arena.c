// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Arena and pool: what is measured is what is carved, and nothing in a pool moves.

#include "base/arena.h"
#include "support/support.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

START_TEST(an_arena_measures_what_it_carves)
{
    trxi_arena arena = {0};
    ck_assert_ptr_null(TRXI_TAKE(&arena, double, 3));
    ck_assert_ptr_null(TRXI_TAKE(&arena, int, 100));
    size_t measured = arena.used;
    static _Alignas(64) char block[1024];
    ck_assert_uint_le(measured, sizeof block);
    arena = (trxi_arena){.base = block};
    ck_assert_ptr_eq(TRXI_TAKE(&arena, double, 3), block);
    ck_assert_uint_eq((uintptr_t)TRXI_TAKE(&arena, int, 100) % 64, 0);
    ck_assert_uint_eq(arena.used, measured);
}
END_TEST

START_TEST(nothing_in_a_pool_moves_or_is_overwritten)
{
    trx_context *context;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    trxi_pool *pool = trxi_pool_create(context);
    enum { COUNT = 500 };
    char *texts[COUNT];
    for (int i = 0; i < COUNT; i++) {
        texts[i] = trxi_pool_printf(pool, "%d", i);
        double *zeros = TRXI_POOL(pool, double, i % 40 + 1);
        for (int j = 0; j <= i % 40; j++) {
            ck_assert_double_eq(zeros[j], 0);
            zeros[j] = NAN;
        }
    }
    for (int i = 0; i < COUNT; i++) {
        char expected[16];
        snprintf(expected, sizeof expected, "%d", i);
        ck_assert_str_eq(texts[i], expected);
    }
    ck_assert_str_eq(trxi_pool_string(pool, "abcdef", 3), "abc");
    trxi_pool_destroy(pool);
    trx_context_destroy(context);
}
END_TEST

START_TEST(an_array_grows_by_doubling_and_keeps_what_it_held)
{
    trx_context *context;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    trxi_pool *pool = trxi_pool_create(context);
    int *array = NULL, capacity = 0, grown = 0;
    for (int i = 0; i < 1000; i++) {
        if (i == capacity) {
            array = trxi_pool_grow(pool, array, i, &capacity, sizeof *array);
            grown++;
        }
        ck_assert_int_lt(i, capacity);
        array[i] = i;
    }
    for (int i = 0; i < 1000; i++) ck_assert_int_eq(array[i], i);
    ck_assert_int_eq(grown, 8); // 8, 16, ... 1024
    trxi_pool_destroy(pool);
    trx_context_destroy(context);
}
END_TEST

START_TEST(a_pool_that_gets_no_memory_says_so)
{
    counting_allocator counter = {.fail_at = 2};
    trx_context_settings settings = counting_settings(&counter);
    trx_context *context;
    ck_assert_int_eq(trx_context_create(&settings, &context), TRX_OK);
    ck_assert_ptr_null(trxi_pool_create(context));
    trxi_pool_destroy(NULL);
    counter.fail_at = counter.calls + 2;
    trxi_pool *pool = trxi_pool_create(context);
    int capacity = 0, most = INT_MAX / 2 + 1;
    ck_assert_ptr_null(trxi_pool_grow(pool, NULL, 0, &capacity, 8));
    ck_assert_int_eq(capacity, 0);
    counter.fail_at = counter.calls + 1;
    ck_assert_ptr_null(trxi_pool_printf(pool, "%d", 1));
    ck_assert_ptr_null(trxi_pool_grow(pool, NULL, 0, &most, 8));
    ck_assert_ptr_nonnull(strstr(trx_context_message(context), "more than 1073741824 elements"));
    ck_assert_ptr_nonnull(trxi_pool_take(pool, 5, 0));
    trxi_pool_destroy(pool);
    trx_context_destroy(context);
    ck_assert_int_eq(counter.outstanding, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("base/arena");
    TCase *cases = tcase_create("arena");
    tcase_add_test(cases, an_arena_measures_what_it_carves);
    tcase_add_test(cases, nothing_in_a_pool_moves_or_is_overwritten);
    tcase_add_test(cases, an_array_grows_by_doubling_and_keeps_what_it_held);
    tcase_add_test(cases, a_pool_that_gets_no_memory_says_so);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
