// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Numbers, integers, suggestions, equal names.

#include "base/random.h"
#include "formats/scalar.h"
#include "support/support.h"

#include <float.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

START_TEST(decimal_numbers_are_read)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"0", 0},        {"1e4", 1e4},         {".5", 0.5},        {"-3.", -3},
        {"+2.5E-3", 2.5e-3}, {"1.7976931348623157e308", DBL_MAX}, {"5e-324", 5e-324}, {"1e-400", 0},
        {"0.1", 0.1},    {"123456789012345678901234567890", 123456789012345678901234567890.0}, {"007", 7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double value = -1;
        ck_assert_msg(trxi_number_parse(cases[i].text, &value), "%s was refused", cases[i].text);
        ck_assert_msg(value == cases[i].value, "%s was read as %.17g", cases[i].text, value);
    }
    double zero = 1;
    ck_assert(trxi_number_parse("-0", &zero) && zero == 0 && signbit(zero));
}
END_TEST

START_TEST(what_is_not_a_decimal_number_is_refused)
{
    static const char *const cases[] = {"",     " 1",  "1 ",   "5 cm", "0x10", "inf",  "nan", "NaN", "1e",   "1e+", ".",
                                        "-",    "+.",  "1,5",  "1_0",  "--1",  "1e999", "1.2.3", "e5", "1d3", "infinity",
                                        "1e5.", "0x1p3", "\t1", "1\n"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double value = 42;
        ck_assert_msg(!trxi_number_parse(cases[i], &value), "\"%s\" was read as %g", cases[i], value);
        ck_assert(value == 42);
    }
    char digits[300];
    double value;
    memset(digits, '1', sizeof digits);
    digits[255] = '\0';
    ck_assert(trxi_number_parse(digits, &value));
    digits[255] = '1';
    digits[256] = '\0';
    ck_assert(!trxi_number_parse(digits, &value));
}
END_TEST

START_TEST(numbers_do_not_depend_on_the_locale)
{
    // any installed locale with a decimal comma will do
    static const char *const comma[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "es_ES.UTF-8", "nl_NL.UTF-8"};
    bool found = false;
    for (size_t i = 0; i < sizeof comma / sizeof comma[0] && !found; i++)
        found = setlocale(LC_NUMERIC, comma[i]) && localeconv()->decimal_point[0] == ',';
    double value = 0;
    bool point = trxi_number_parse("-12.5e1", &value), with_comma = trxi_number_parse("1,5", &(double){0});
    setlocale(LC_NUMERIC, "C");
    ck_assert(point && value == -125 && !with_comma);
}
END_TEST

START_TEST(integers_stay_within_int)
{
    int value = 0;
    ck_assert(trxi_int_parse("2147483647", &value) && value == INT_MAX);
    ck_assert(trxi_int_parse("-2147483648", &value) && value == INT_MIN);
    ck_assert(trxi_int_parse("+012", &value) && value == 12);
    static const char *const bad[] = {"2147483648", "-2147483649", "99999999999999999999999", "", "-", "1.0", "1e3", " 1", "0x1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ck_assert_msg(!trxi_int_parse(bad[i], &value), "\"%s\" was read as %d", bad[i], value);
}
END_TEST

START_TEST(suggestions_are_close_and_never_far_fetched)
{
    static const char *const known[] = {"stiffness", "friction", "dissipation", "box", "size", "step", "steps"};
    int n = sizeof known / sizeof known[0];
    ck_assert_str_eq(trxi_suggest("stifness", known, n), "stiffness");
    ck_assert_str_eq(trxi_suggest("firction", known, n), "friction");
    ck_assert_str_eq(trxi_suggest("bxo", known, n), "box");
    ck_assert_str_eq(trxi_suggest("stes", known, n), "step");
    ck_assert_ptr_null(trxi_suggest("bx", known, n));
    ck_assert_ptr_null(trxi_suggest("mass", known, n));
    ck_assert_ptr_null(trxi_suggest("", known, n));
    char longest[100];
    memset(longest, 'a', sizeof longest - 1);
    longest[99] = '\0';
    ck_assert_ptr_null(trxi_suggest(longest, known, n));
}
END_TEST

START_TEST(equal_names_point_to_the_first)
{
    trx_context *context;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    trxi_pool *pool = trxi_pool_create(context);
    enum { N = 500 };
    const char *names[N];
    for (uint64_t i = 0; i < N; i++) names[i] = trxi_pool_printf(pool, "n%d", (int)(trxi_random_bits(1, i) % 300));
    const int *first = trxi_first_equal(pool, names, N);
    int repeated = 0;
    for (int i = 0; i < N; i++) {
        int expected = 0;
        while (strcmp(names[expected], names[i]) != 0) expected++;
        ck_assert_int_eq(first[i], expected);
        repeated += expected != i;
    }
    ck_assert_int_gt(repeated, 0);
    trxi_pool_destroy(pool);
    trx_context_destroy(context);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formats/scalar");
    TCase *cases = tcase_create("scalar");
    tcase_add_test(cases, decimal_numbers_are_read);
    tcase_add_test(cases, what_is_not_a_decimal_number_is_refused);
    tcase_add_test(cases, numbers_do_not_depend_on_the_locale);
    tcase_add_test(cases, integers_stay_within_int);
    tcase_add_test(cases, suggestions_are_close_and_never_far_fetched);
    tcase_add_test(cases, equal_names_point_to_the_first);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
