// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Numbers and names as text; see scalar.h.
//
// A number is first checked against
//
//     [+-] ( digits [. [digits]] | . digits ) [ (e|E) [+-] digits ]
//
// Other texts that strtod accepts (hexadecimal, inf, nan, blanks) are thus refused. strtod then converts the
// number, with the locale's own decimal point in place of ours. The suggestion uses the optimal-string-alignment
// distance (Damerau 1964, Wagner and Fischer 1974) on three rows of the table: O(|word| |known|).

#include "formats/scalar.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NUMBER = 255, MAX_WORD = 63, MAX_EDITS = 2 };

static int count_digits(const char *text)
{
    int n = 0;
    while (text[n] >= '0' && text[n] <= '9') n++;
    return n;
}

// length of the number at `text` by the grammar above, 0 if there is none; `point` is the index of its point, or -1
static int scan_number(const char *text, int *point)
{
    int at = text[0] == '+' || text[0] == '-';
    int whole = count_digits(text + at), fraction = 0;
    at += whole;
    *point = -1;
    if (text[at] == '.') {
        *point = at++;
        fraction = count_digits(text + at);
        at += fraction;
    }
    if (whole + fraction == 0) return 0;
    if (text[at] == 'e' || text[at] == 'E') {
        int sign = text[at + 1] == '+' || text[at + 1] == '-';
        int digits = count_digits(text + at + 1 + sign);
        if (digits == 0) return 0;
        at += 1 + sign + digits;
    }
    return at;
}

bool trxi_number_parse(const char *text, double *out)
{
    int point;
    size_t length = strnlen(text, MAX_NUMBER + 1);
    if (length > MAX_NUMBER || scan_number(text, &point) != (int)length || length == 0) return false;

    char copy[MAX_NUMBER + 16];
    if (point < 0) {
        memcpy(copy, text, length + 1);
    } else {
        // "0.5" in this locale, without its digits, is the decimal point for strtod
        char half[16];
        snprintf(half, sizeof half, "%.1f", 0.5);
        half[strlen(half) - 1] = '\0';
        snprintf(copy, sizeof copy, "%.*s%s%s", point, text, half + 1, text + point + 1);
    }
    double value = strtod(copy, NULL);
    if (!isfinite(value)) return false;
    *out = value;
    return true;
}

bool trxi_int_parse(const char *text, int *out)
{
    int sign = text[0] == '+' || text[0] == '-';
    int digits = count_digits(text + sign);
    if (digits == 0 || text[sign + digits] != '\0') return false;

    long long value = 0;
    for (int i = 0; i < digits; i++) {
        value = 10 * value + (text[sign + i] - '0');
        if (value > (long long)INT_MAX + 1) return false;
    }
    if (text[0] == '-') value = -value;
    if (value > INT_MAX) return false;
    *out = (int)value;
    return true;
}

static int min3(int a, int b, int c)
{
    int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

// edits between two words of at most MAX_WORD letters
static int edit_distance(const char *a, int na, const char *b, int nb)
{
    // d[i][j]: edits between the first i letters of a and the first j of b; rows i-2, i-1, i are kept
    int rows[3][MAX_WORD + 1];
    int *before = rows[0], *above = rows[1], *row = rows[2];
    for (int j = 0; j <= nb; j++) above[j] = j;
    for (int i = 1; i <= na; i++) {
        row[0] = i;
        for (int j = 1; j <= nb; j++) {
            row[j] = min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < row[j])
                row[j] = before[j - 2] + 1;
        }
        int *free_row = before;
        before = above;
        above = row;
        row = free_row;
    }
    return above[nb];
}

const char *trxi_suggest(const char *word, const char *const *known, int n)
{
    const char *best = NULL;
    int best_distance = MAX_EDITS + 1;
    int length = (int)strnlen(word, MAX_WORD + 1);
    if (length > MAX_WORD) return NULL;
    for (int i = 0; i < n; i++) {
        int other = (int)strnlen(known[i], MAX_WORD + 1);
        if (other > MAX_WORD || abs(other - length) >= best_distance) continue;
        int distance = edit_distance(word, length, known[i], other);
        if (distance < best_distance && 2 * distance < length) {
            best = known[i];
            best_distance = distance;
        }
    }
    return best;
}

typedef struct numbered_name {
    const char *name;
    int index;
} numbered_name;

static int compare_names(const void *a, const void *b)
{
    const numbered_name *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : x->index < y->index ? -1 : x->index > y->index;
}

int *trxi_first_equal(trxi_pool *pool, const char *const *names, int n)
{
    numbered_name *sorted = TRXI_POOL(pool, numbered_name, n);
    int *first = TRXI_POOL(pool, int, n);
    if (!sorted || !first) return NULL;
    for (int i = 0; i < n; i++) sorted[i] = (numbered_name){names[i], i};
    qsort(sorted, (size_t)n, sizeof *sorted, compare_names);

    // equal names are neighbours, the smallest index first
    for (int i = 0; i < n; i++) {
        bool repeats = i > 0 && strcmp(sorted[i].name, sorted[i - 1].name) == 0;
        first[sorted[i].index] = repeats ? first[sorted[i - 1].index] : sorted[i].index;
    }
    return first;
}
