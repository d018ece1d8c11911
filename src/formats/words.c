// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Words of a text; see words.h.
//
// Most numbers of meshes are short and need no strtod: an integer m below 2^53 and a power of ten 10^k, 0 <= k <=
// 22, are both exact doubles, so the single rounding of m / 10^k or m 10^k is correct (Clinger 1990).

#include "formats/words.h"

#include "formats/scalar.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MAX_NUMBER = 255, MAX_POWER = 22 };

static const int64_t LARGEST_EXACT = (int64_t)1 << 53;

trxi_words trxi_words_begin(const char *file, const char *text, size_t length, bool continued)
{
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3, length -= 3;
    return (trxi_words){file, text, text + length, text, 1, continued};
}

static bool ends_line(char c)
{
    return c == '\n' || c == '\r';
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// bytes of the line end at `at`: 2 for "\r\n", 1 for others, 0 if there is none
static int line_end(const trxi_words *words, const char *at)
{
    if (at >= words->end || !ends_line(*at)) return 0;
    return *at == '\r' && at + 1 < words->end && at[1] == '\n' ? 2 : 1;
}

static void pass_line_end(trxi_words *words, int bytes)
{
    words->at += bytes;
    words->line_start = words->at;
    words->line++;
}

// whether a backslash and the end of a line follow
static bool is_continued(const trxi_words *words)
{
    return words->continued && words->at < words->end && *words->at == '\\' && line_end(words, words->at + 1) > 0;
}

bool trxi_words_next_in_line(trxi_words *words, trxi_word *word)
{
    for (;;) {
        if (is_continued(words))
            words->at++, pass_line_end(words, line_end(words, words->at));
        else if (words->at < words->end && is_blank(*words->at) && !ends_line(*words->at))
            words->at++;
        else
            break;
    }
    const char *begin = words->at;
    *word = (trxi_word){begin, 0, {words->file, words->line, (int)(begin - words->line_start) + 1}};
    while (words->at < words->end && !is_blank(*words->at) && !is_continued(words)) words->at++;
    word->length = (size_t)(words->at - begin);
    return word->length > 0;
}

bool trxi_words_next(trxi_words *words, trxi_word *word)
{
    while (!trxi_words_next_in_line(words, word)) {
        if (words->at >= words->end) return false;
        pass_line_end(words, line_end(words, words->at));
    }
    return true;
}

void trxi_words_skip_line(trxi_words *words)
{
    while (words->at < words->end && !ends_line(*words->at)) {
        bool joined = is_continued(words);
        words->at++;
        if (joined) pass_line_end(words, line_end(words, words->at));
    }
    if (words->at < words->end) pass_line_end(words, line_end(words, words->at));
}

bool trxi_word_is(const trxi_word *word, const char *name)
{
    if (strlen(name) != word->length) return false;
    for (size_t i = 0; i < word->length; i++) {
        char c = word->text[i];
        if ((c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c) != name[i]) return false;
    }
    return true;
}

// reads the digits of the word from *at into *integer, as long as *integer is small; returns their number
static size_t take_digits(const trxi_word *word, size_t *at, int64_t *integer)
{
    size_t begin = *at;
    for (; *at < word->length && word->text[*at] >= '0' && word->text[*at] <= '9'; ++*at) {
        if (*integer > LARGEST_EXACT / 10) break;
        *integer = 10 * *integer + (word->text[*at] - '0');
    }
    return *at - begin;
}

// a short number, exactly; false for all other words
static bool short_number(const trxi_word *word, double *out)
{
    static const double powers[MAX_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    int64_t mantissa = 0, exponent = 0;
    size_t at = 0, fraction = 0;
    bool negative = word->text[0] == '-';
    if (negative || word->text[0] == '+') at++;
    size_t digits = take_digits(word, &at, &mantissa);
    if (at < word->length && word->text[at] == '.') at++, fraction = take_digits(word, &at, &mantissa);
    if (digits + fraction == 0 || mantissa > LARGEST_EXACT) return false;
    if (at + 1 < word->length && (word->text[at] == 'e' || word->text[at] == 'E')) {
        at++;
        bool down = word->text[at] == '-';
        if (down || word->text[at] == '+') at++;
        if (take_digits(word, &at, &exponent) == 0 || exponent > 1000) return false;
        if (down) exponent = -exponent;
    }
    exponent -= (int64_t)fraction;
    if (at != word->length || exponent > MAX_POWER || exponent < -MAX_POWER) return false;
    double magnitude = exponent < 0 ? (double)mantissa / powers[-exponent] : (double)mantissa * powers[exponent];
    *out = negative ? -magnitude : magnitude;
    return true;
}

bool trxi_word_number(const trxi_word *word, double *out)
{
    if (word->length == 0 || word->length > MAX_NUMBER) return false;
    if (short_number(word, out)) return true;
    char copy[MAX_NUMBER + 1];
    memcpy(copy, word->text, word->length);
    copy[word->length] = '\0';
    return strlen(copy) == word->length && trxi_number_parse(copy, out);
}

const char *trxi_word_shown(const trxi_word *word, char shown[TRXI_WORD_SHOWN])
{
    enum { MOST = TRXI_WORD_SHOWN - 8 };
    char *to = shown;
    if (word->length == 0) {
        snprintf(shown, TRXI_WORD_SHOWN, "the end");
        return shown;
    }
    *to++ = '"';
    for (size_t i = 0; i < word->length && i < MOST; i++) {
        char c = word->text[i];
        *to++ = c >= 0x20 && c < 0x7F ? c : '?';
    }
    snprintf(to, 5, "%s\"", word->length > MOST ? "..." : "");
    return shown;
}
