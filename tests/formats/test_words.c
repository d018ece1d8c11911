// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Words of a text: places, line ends, joined lines, numbers to the last bit, what is shown of them.

#include "base/random.h"
#include "formats/words.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static trxi_word word_of(const char *text)
{
    return (trxi_word){text, strlen(text), {"f", 1, 1}};
}

START_TEST(words_have_their_places_whatever_ends_a_line)
{
    static const char text[] = "\xEF\xBB\xBF" "a  bc\r\n\r\n\td\re\n\n";
    static const struct {
        const char *word;
        int line, column;
    } expected[] = {{"a", 1, 1}, {"bc", 1, 4}, {"d", 3, 2}, {"e", 4, 1}};
    trxi_words words = trxi_words_begin("f", text, sizeof text - 1, false);
    trxi_word word;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        ck_assert(trxi_words_next(&words, &word) && trxi_word_is(&word, expected[i].word));
        ck_assert_int_eq(word.source.line, expected[i].line);
        ck_assert_int_eq(word.source.column, expected[i].column);
        ck_assert_str_eq(word.source.file, "f");
    }
    ck_assert(!trxi_words_next(&words, &word));
    ck_assert(word.length == 0 && word.source.line == 6 && word.source.column == 1);
    ck_assert(!trxi_words_next(&words, &word));
}
END_TEST

START_TEST(a_line_ends_where_it_ends)
{
    static const char text[] = "a b\nc d\n\ne";
    trxi_words words = trxi_words_begin("f", text, sizeof text - 1, false);
    trxi_word word;
    ck_assert(trxi_words_next_in_line(&words, &word) && trxi_words_next_in_line(&words, &word));
    ck_assert(!trxi_words_next_in_line(&words, &word) && !trxi_words_next_in_line(&words, &word));
    ck_assert(word.length == 0 && word.source.line == 1 && word.source.column == 4);
    trxi_words_skip_line(&words);
    ck_assert(trxi_words_next_in_line(&words, &word) && trxi_word_is(&word, "c"));
    trxi_words_skip_line(&words);
    ck_assert(!trxi_words_next_in_line(&words, &word));
    trxi_words_skip_line(&words);
    ck_assert(trxi_words_next_in_line(&words, &word) && trxi_word_is(&word, "e") && word.source.line == 4);
    trxi_words_skip_line(&words);
    trxi_words_skip_line(&words);
    ck_assert(!trxi_words_next(&words, &word));
}
END_TEST

START_TEST(a_backslash_joins_lines_only_at_their_end_and_when_asked)
{
    static const char text[] = "a\\b \\\r\nc\\\nd x\\\ny\nz";
    trxi_words words = trxi_words_begin("f", text, sizeof text - 1, true);
    trxi_word word;
    ck_assert(trxi_words_next_in_line(&words, &word) && trxi_word_is(&word, "a\\b"));
    ck_assert(trxi_words_next_in_line(&words, &word) && trxi_word_is(&word, "c") && word.source.line == 2);
    ck_assert(trxi_words_next_in_line(&words, &word) && trxi_word_is(&word, "d") && word.source.line == 3);
    ck_assert_int_eq(word.source.column, 1);
    trxi_words_skip_line(&words);
    ck_assert(trxi_words_next_in_line(&words, &word) && trxi_word_is(&word, "z") && word.source.line == 5);

    words = trxi_words_begin("f", "a \\\nb", 5, false);
    ck_assert(trxi_words_next_in_line(&words, &word) && trxi_words_next_in_line(&words, &word));
    ck_assert(trxi_word_is(&word, "\\") && !trxi_words_next_in_line(&words, &word));
}
END_TEST

START_TEST(a_word_is_compared_without_regard_to_capitals)
{
    trxi_word word = word_of("Vertex");
    ck_assert(trxi_word_is(&word, "vertex") && !trxi_word_is(&word, "vertexx") && !trxi_word_is(&word, "verte"));
}
END_TEST

START_TEST(numbers_are_those_of_the_library_to_the_last_bit)
{
    char text[64];
    int checked = 0;
    for (uint64_t i = 0; i < 20000; i++) {
        double scale = pow(10, (int)(trxi_random_bits(3, i) % 60) - 30);
        double number = (trxi_random_uniform(4, i) - 0.5) * scale;
        static const char *const forms[] = {"%.3f", "%.6f", "%.9g", "%.15g", "%.17g", "%.4e", "%.14e", "%.0f"};
        for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(text, sizeof text, forms[f], number);
#pragma GCC diagnostic pop
            trxi_word word = word_of(text);
            double read;
            bool right = trxi_word_number(&word, &read) && read == strtod(text, NULL);
            if (!right) ck_abort_msg("%s is %.17g", text, read);
            checked += signbit(read) == signbit(number);
        }
    }
    ck_assert_int_eq(checked, 8 * 20000);
}
END_TEST

START_TEST(what_is_no_number_is_refused)
{
    static const char *const bad[] = {"",    "-",    "+",   ".",    "e5",  "1e",  "1e+", "1,5",  "nan", "inf",
                                      "0x1", "1e400", "--1", "1.2.3", "1e5.", "1 ",  "-.",  "1d5", "1e99999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        trxi_word word = word_of(bad[i]);
        double read = 7;
        ck_assert_msg(!trxi_word_number(&word, &read) && read == 7, "%s", bad[i]);
    }
    static const char *const good[] = {"1", "1.", ".5", "-0", "+3e2", "1E-2", "00012", "123456789012345678901234567890"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        trxi_word word = word_of(good[i]);
        double read;
        ck_assert_msg(trxi_word_number(&word, &read) && read == strtod(good[i], NULL), "%s", good[i]);
    }
    // a zero byte inside, and more characters than any number needs
    trxi_word word = {"1\0002", 3, {"f", 1, 1}};
    double read;
    ck_assert(!trxi_word_number(&word, &read));
    char many[300];
    memset(many, '0', sizeof many);
    word = (trxi_word){many, sizeof many, {"f", 1, 1}};
    ck_assert(!trxi_word_number(&word, &read));
}
END_TEST

START_TEST(what_is_shown_of_a_word_is_short_and_printable)
{
    char shown[TRXI_WORD_SHOWN];
    trxi_word word = word_of("a\x01\xFF" "b");
    ck_assert_str_eq(trxi_word_shown(&word, shown), "\"a??b\"");
    word = word_of("");
    ck_assert_str_eq(trxi_word_shown(&word, shown), "the end");
    word = word_of("0123456789012345678901234567890123456789");
    ck_assert_str_eq(trxi_word_shown(&word, shown), "\"0123456789012345678901234567890123456789\"");
    word = word_of("0123456789012345678901234567890123456789x");
    ck_assert_str_eq(trxi_word_shown(&word, shown), "\"0123456789012345678901234567890123456789...\"");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formats/words");
    TCase *cases = tcase_create("words");
    tcase_add_test(cases, words_have_their_places_whatever_ends_a_line);
    tcase_add_test(cases, a_line_ends_where_it_ends);
    tcase_add_test(cases, a_backslash_joins_lines_only_at_their_end_and_when_asked);
    tcase_add_test(cases, a_word_is_compared_without_regard_to_capitals);
    tcase_add_test(cases, numbers_are_those_of_the_library_to_the_last_bit);
    tcase_add_test(cases, what_is_no_number_is_refused);
    tcase_add_test(cases, what_is_shown_of_a_word_is_short_and_printable);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
