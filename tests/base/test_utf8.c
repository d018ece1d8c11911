// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Characters of UTF-8 and bytes that are none.

#include "support/support.h"

#include <tractrix/context.h>

START_TEST(characters_have_their_length)
{
    ck_assert_int_eq(trx_utf8_length("a"), 1);
    ck_assert_int_eq(trx_utf8_length(""), 1); // the terminating zero
    ck_assert_int_eq(trx_utf8_length("\xC3\xA9 "), 2);
    ck_assert_int_eq(trx_utf8_length("\xE2\x82\xAC"), 3);
    ck_assert_int_eq(trx_utf8_length("\xF4\x8F\xBF\xBF"), 4); // U+10FFFF
}
END_TEST

START_TEST(other_bytes_have_none)
{
    static const char *const wrong[] = {
        "\xA9",             // a continuation alone
        "\xC3",             // cut off
        "\xE2\x82z",         // a letter inside
        "\xC0\xAF",         // an overlong form
        "\xED\xA0\x80",     // a surrogate
        "\xF4\x90\x80\x80", // beyond U+10FFFF
        "\xFF",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(trx_utf8_length(wrong[i]) == 0, "text %zu", i);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("base/utf8");
    TCase *cases = tcase_create("utf8");
    tcase_add_test(cases, characters_have_their_length);
    tcase_add_test(cases, other_bytes_have_none);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
