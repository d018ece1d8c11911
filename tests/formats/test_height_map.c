// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Grids of heights: tables and MuJoCo's binary files, exact errors.

#include "formats/height_map.h"

#include "formats/meshes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>


// 2 rows of 3 heights
static const char *bytes_of(int rows, int columns, const float *heights)
{
    static char bytes[8 + 4 * 6];
    put_number(bytes, &rows, 4, false);
    put_number(bytes + 4, &columns, 4, false);
    for (int i = 0; i < 6; i++) put_number(bytes + 8 + 4 * i, &heights[i], 4, false);
    return bytes;
}

static void assert_refused(const char *bytes, size_t length, const char *words)
{
    trxi_height_map map;
    const int before = trx_context_diagnostic_count(context);
    ck_assert_int_eq(trxi_height_map_parse(context, pool, "field.hf", bytes, length, &map), TRX_ERR_INPUT);
    ck_assert_int_eq(trx_context_diagnostic_count(context), before + 1);
    ck_assert_str_eq(trx_context_diagnostic(context, before).text, words);
}

START_TEST(a_binary_file_is_read_row_by_row)
{
    static const float heights[6] = {0, 1, 2, 3.5, 4, -5};
    trxi_height_map map;
    ck_assert_int_eq(trxi_height_map_parse(context, pool, "field.hf", bytes_of(2, 3, heights), 32, &map), TRX_OK);
    ck_assert_int_eq(map.rows, 2);
    ck_assert_int_eq(map.columns, 3);
    for (int i = 0; i < 6; i++) ck_assert(map.heights[i] == (double)heights[i]);
}
END_TEST

START_TEST(wrong_binary_files_are_refused)
{
    float heights[6] = {0};
    assert_refused("", 0, "no grid of heights: 0 bytes, less than its head of 8");
    assert_refused(bytes_of(1, 6, heights), 32, "a grid of 1 x 6 heights: it needs at least 2 x 2");
    assert_refused(bytes_of(2, 4, heights), 32, "a grid of 2 x 4 heights has 40 bytes, but this one has 32");
    assert_refused(bytes_of(-1, 3, heights), 32, "a grid of 4294967295 x 3 heights: at most 4194304 are read");
    heights[4] = INFINITY;
    assert_refused(bytes_of(2, 3, heights), 32, "height number 5 is not finite");
}
END_TEST

START_TEST(a_table_has_a_line_of_names)
{
    char path[TEMPORARY_PATH + 16], folder[TEMPORARY_PATH];
    temporary_path(folder, "heights_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/field.csv", folder);
    FILE *out = fopen(path, "w");
    fputs("a,b,c\n1,2,3\n4,5,6.5\n", out);
    fclose(out);
    trxi_height_map map;
    ck_assert_int_eq(trxi_height_map_read(context, pool, path, &map), TRX_OK);
    ck_assert_int_eq(map.rows, 2);
    ck_assert_int_eq(map.columns, 3);
    ck_assert(map.heights[5] == 6.5);
    out = fopen(path, "w");
    fputs("a,b,c\n1,2,3\n4,,6.5\n", out);
    fclose(out);
    ck_assert_int_eq(trxi_height_map_read(context, pool, path, &map), TRX_ERR_INPUT);
    ck_assert_int_eq(trx_context_diagnostic(context, 0).source.line, 3);
    ck_assert_str_eq(trx_context_diagnostic(context, 0).text, "write a number: each cell is a height");
    remove(path);
    remove(folder);
    ck_assert_int_eq(trxi_height_map_read(context, pool, path, &map), TRX_ERR_IO);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formats/height_map");
    TCase *cases = tcase_create("height map");
    tcase_add_checked_fixture(cases, open_pool, close_pool);
    tcase_add_test(cases, a_binary_file_is_read_row_by_row);
    tcase_add_test(cases, wrong_binary_files_are_refused);
    tcase_add_test(cases, a_table_has_a_line_of_names);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
