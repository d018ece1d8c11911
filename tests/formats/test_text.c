// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The text sink: growth, numbers, exhausted memory.

#include "base/random.h"
#include "formats/scalar.h"
#include "formats/text.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

static trx_context *context;

static void setup(void)
{
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
}

static void teardown(void)
{
    trx_context_destroy(context);
}

START_TEST(a_text_grows_and_keeps_every_byte)
{
    trxi_text text = trxi_text_create(context);
    ck_assert_str_eq(trxi_text_get(&text), "");
    for (int i = 0; i < 20000; i++) trxi_text_printf(&text, "%05d", i);
    trxi_text_append(&text, "a\0b", 3);
    ck_assert_int_eq(text.status, TRX_OK);
    ck_assert_uint_eq(text.length, 100003);
    for (int i = 0; i < 20000; i++) ck_assert_int_eq(strtol((char[]){text.data[5 * i], text.data[5 * i + 1],
        text.data[5 * i + 2], text.data[5 * i + 3], text.data[5 * i + 4], 0}, NULL, 10), i);
    ck_assert_mem_eq(text.data + 100000, "a\0b", 4);
    trxi_text_clear(&text);
    trxi_text_string(&text, "again");
    trxi_text_repeat(&text, '!', 3);
    ck_assert_str_eq(trxi_text_get(&text), "again!!!");
    trxi_text_destroy(&text);
    ck_assert_str_eq(trxi_text_get(&text), "");
}
END_TEST

START_TEST(numbers_are_short_and_read_back_exactly)
{
    static const struct {
        double number;
        const char *text;
    } cases[] = {{0.1, "0.1"}, {-0.0, "-0"},       {3, "3"},     {-1e6, "-1000000"}, {1.0 / 3, "0.3333333333333333"},
                 {1e300, "1e+300"}, {NAN, "nan"}, {INFINITY, "inf"}, {-INFINITY, "-inf"}, {5e-324, "4.94065645841247e-324"}};
    trxi_text text = trxi_text_create(context);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        trxi_text_clear(&text);
        trxi_text_number(&text, cases[i].number);
        ck_assert_str_eq(trxi_text_get(&text), cases[i].text);
    }
    // doubles of every magnitude, by their bits
    for (uint64_t i = 0; i < 20000; i++) {
        uint64_t bits = trxi_random_bits(7, i);
        double number, back = 0;
        memcpy(&number, &bits, sizeof number);
        if (!isfinite(number)) continue;
        trxi_text_clear(&text);
        trxi_text_number(&text, number);
        ck_assert(trxi_number_parse(trxi_text_get(&text), &back));
        ck_assert_msg(memcmp(&back, &number, sizeof back) == 0, "%a was written as %s", number, trxi_text_get(&text));
    }
    trxi_text_destroy(&text);
}
END_TEST

START_TEST(exhausted_memory_is_sticky_and_keeps_what_was_written)
{
    counting_allocator counter = {.fail_at = 3}; // the context, the first block, then failure
    trx_context_settings settings = counting_settings(&counter);
    trx_context *poor;
    ck_assert_int_eq(trx_context_create(&settings, &poor), TRX_OK);
    trxi_text text = trxi_text_create(poor);
    trxi_text_string(&text, "kept");
    trxi_text_repeat(&text, 'x', 1000);
    ck_assert_int_eq(text.status, TRX_ERR_MEMORY);
    size_t length = text.length;
    trxi_text_printf(&text, "%d", 1);
    ck_assert_uint_eq(text.length, length);
    ck_assert(strncmp(trxi_text_get(&text), "keptxxx", 7) == 0 && strlen(trxi_text_get(&text)) == length);
    trxi_text_destroy(&text);
    trx_context_destroy(poor);
    ck_assert_int_eq(counter.outstanding, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formats/text");
    TCase *cases = tcase_create("text");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, a_text_grows_and_keeps_every_byte);
    tcase_add_test(cases, numbers_are_short_and_read_back_exactly);
    tcase_add_test(cases, exhausted_memory_is_sticky_and_keeps_what_was_written);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
