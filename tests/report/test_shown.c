// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Rows that the player shows: the rows of the frames, complete, whatever the blocks in which they are read.

#include "report/fixture.h"

#include "report/shown.h"

#include <stdio.h>
#include <string.h>

static fixture f;

static void setup(void)
{
    fixture_open(&f);
}

static void teardown(void)
{
    fixture_close(&f);
}

START_TEST(times_are_those_of_the_outermost_object)
{
    static const char scene[] = "{\n \"title\": \"a \\\"times\\\": [9] in a title {\",\n"
                                " \"limits\": {\"times\": [7, 8], \"every\": [1, 2]},\n"
                                " \"every\": 4,\n \"times\": [0, 0.04,\n 8e-2 , 0.1],\n \"poses\": []\n}\n";
    trxi_shown shown;
    ck_assert_int_eq(trxi_shown_times(f.pool, scene, &shown), TRX_OK);
    static const double expected[] = {0, 0.04, 0.08, 0.1};
    ck_assert_int_eq(shown.count, 4);
    for (int i = 0; i < 4; i++) ck_assert_double_eq(shown.times[i], expected[i]);

    // every knot is shown where the scene does not say otherwise
    static const char *const all[] = {"{\"times\": [0, 1]}", "{\"every\": 1, \"times\": [0, 1]}", "{\"every\": 2}",
                                      "{\"every\": \"", "", "{\"every\": 2, \"times\": 3}"};
    for (int i = 0; i < 6; i++) {
        ck_assert_int_eq(trxi_shown_times(f.pool, all[i], &shown), TRX_OK);
        ck_assert_ptr_null(shown.times);
    }
}
END_TEST

static void take(void *user, const char *bytes, size_t length)
{
    trxi_text_append(user, bytes, length);
}

START_TEST(rows_of_the_frames_are_taken_and_no_others)
{
    enum { ROWS = 20000, EVERY = 128 };
    const char *path = trxi_pool_printf(f.pool, "%s/table.csv", f.place);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    trxi_text whole = trxi_text_create(f.context), expected = whole, got = whole;
    double times[ROWS / EVERY + 2];
    int count = 0;
    trxi_text_string(&expected, "t,x\n");
    for (int k = 0; k < ROWS; k++) {
        bool is_frame = k % EVERY == 0 || k == ROWS - 1;
        if (is_frame) times[count++] = round(k * 1e-3 * 1e9) / 1e9;
        // two rows for each time. Their lengths differ, so blocks end anywhere within rows. The last row has no line end
        for (int i = 0; i < 2; i++) {
            const char *end = k == ROWS - 1 && i == 1 ? "" : "\n";
            trxi_text row = trxi_text_create(f.context);
            trxi_text_number(&row, k * 1e-3);
            trxi_text_printf(&row, ",%d %.*s%s", i, k % 11, "..............", end);
            trxi_text_append(&whole, row.data, row.length);
            if (is_frame) trxi_text_append(&expected, row.data, row.length);
            trxi_text_destroy(&row);
        }
    }
    fprintf(file, "t,x\n%s", trxi_text_get(&whole));
    fclose(file);
    const trxi_shown shown = {times, count};
    ck_assert_int_eq(trxi_shown_rows(f.context, &shown, path, take, &got), TRX_OK);
    ck_assert_str_eq(trxi_text_get(&got), trxi_text_get(&expected));

    // without frames, all
    trxi_text_clear(&got);
    ck_assert_int_eq(trxi_shown_rows(f.context, NULL, path, take, &got), TRX_OK);
    ck_assert(got.length == whole.length + 4);
    ck_assert_str_eq(trxi_text_get(&got) + 4, trxi_text_get(&whole));
    ck_assert_int_eq(trxi_shown_rows(f.context, &shown, f.folder, take, &got), TRX_ERR_IO);
    ck_assert_int_eq(trxi_shown_rows(f.context, &shown, f.place, take, &got), TRX_ERR_IO);
    trxi_text_destroy(&whole);
    trxi_text_destroy(&expected);
    trxi_text_destroy(&got);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report/shown");
    TCase *cases = tcase_create("shown");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, times_are_those_of_the_outermost_object);
    tcase_add_test(cases, rows_of_the_frames_are_taken_and_no_others);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
