// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Bounds of numbers: at each end a number is accepted, and one step beyond it is refused with the end, the unit and the
// reason. The page shows the same table.

#include "loading.h"

#include "problem/bounds.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct record {
    double positive, any, vector[3];
    int count;
} record;

// whether `text` reads without an error in a field of the quantity `of`; a refusal names unit and reason
static bool is_read(const char *text, trxi_bounded of)
{
    const trxi_field fields[] = {
        TRXI_FIELD("positive", TRXI_POSITIVE, record, positive, .of = of),
        TRXI_FIELD("any", TRXI_NUMBER, record, any, .of = of),
        TRXI_FIELD("vector", TRXI_VECTOR, record, vector, .count = 3, .of = of),
        TRXI_FIELD("count", TRXI_COUNT, record, count, .of = of),
    };
    desk d = desk_open(text);
    record r = {0};
    ck_assert(TRXI_READ_RECORD(&d.reader, d.root, "a record", fields, &r));
    const bool read = trx_context_error_count(d.context) == 0;
    if (!read && !strstr(text, "count")) ck_assert_ptr_nonnull(strstr(trx_context_message(d.context), trxi_bounds_of(of)->reason));
    desk_close(&d);
    return read;
}

START_TEST(both_ends_are_accepted_and_nothing_beyond)
{
    char text[128];
    for (int of = 0; of < TRXI_BOUNDED; of++) {
        const trxi_bounds *bounds = trxi_bounds_of((trxi_bounded)of);
        const double ends[] = {bounds->least, bounds->most}, beyond[] = {0.9 * bounds->least, 1.1 * bounds->most};
        for (int i = 0; i < 2; i++) {
            if (ends[i] == 0) continue;
            snprintf(text, sizeof text, "positive: %.17g", ends[i]);
            ck_assert_msg(is_read(text, (trxi_bounded)of), "%s: %s", bounds->name, text);
            snprintf(text, sizeof text, "positive: %.17g", beyond[i]);
            ck_assert_msg(!is_read(text, (trxi_bounded)of), "%s: %s", bounds->name, text);
        }
        // of either sign, only the size is limited: a small number may be rounding
        snprintf(text, sizeof text, "any: %.17g\nvector: [0, 1.0, %.17g]", -bounds->most, -bounds->most);
        ck_assert_msg(is_read(text, (trxi_bounded)of) == (bounds->most >= 1), "%s: %s", bounds->name, text);
        snprintf(text, sizeof text, "vector: [0, 0, %.17g]", -1.1 * bounds->most);
        ck_assert_msg(!is_read(text, (trxi_bounded)of), "%s: %s", bounds->name, text);
        snprintf(text, sizeof text, "any: 1.0e-30");
        ck_assert_msg(is_read(text, (trxi_bounded)of), "%s: %s", bounds->name, text);
    }
}
END_TEST

START_TEST(a_direction_has_a_number_to_see)
{
    ck_assert(is_read("vector: [1.0e-9, 1.0e-300, 0]", TRXI_OF_DIRECTION));
    ck_assert(!is_read("vector: [1.0e-10, 1.0e-10, 0]", TRXI_OF_DIRECTION));
}
END_TEST

START_TEST(whole_numbers_end_at_their_bound)
{
    ck_assert(is_read("count: 10000000", TRXI_OF_STEPS));
    ck_assert(!is_read("count: 10000001", TRXI_OF_STEPS));
    ck_assert(is_read("count: 2147483647", TRXI_OF_ANYTHING));
}
END_TEST

START_TEST(the_page_shows_the_table)
{
    size_t length;
    char *page = read_all("docs/problem_file.md", &length), row[512];
    for (int of = 1; of < TRXI_BOUNDED; of++) {
        const trxi_bounds *b = trxi_bounds_of((trxi_bounded)of);
        snprintf(row, sizeof row, "| %s | %s | %g | %g | %s |\n", b->name, b->unit, b->least, b->most, b->reason);
        ck_assert_msg(strstr(page, row) != NULL, "docs/problem_file.md lacks: %s", row);
    }
    free(page);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/bounds");
    TCase *cases = tcase_create("bounds");
    tcase_add_test(cases, both_ends_are_accepted_and_nothing_beyond);
    tcase_add_test(cases, a_direction_has_a_number_to_see);
    tcase_add_test(cases, whole_numbers_end_at_their_bound);
    tcase_add_test(cases, the_page_shows_the_table);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
