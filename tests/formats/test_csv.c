// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The CSV reader: values, places, every kind of malformed table.

#include "base/random.h"
#include "formats/csv.h"
#include "support/parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static trx_status parse(const char *text, size_t length, trxi_csv *csv)
{
    char *copy = exact_copy(text, length);
    trx_status status = trxi_csv_parse(context, pool, "a.csv", copy, length, csv);
    free(copy);
    return status;
}

START_TEST(a_table_is_read_with_its_places)
{
    const char *text = "\xEF\xBB\xBFt, \"box \"\"x\"\"\" ,u.px\r\n0,1.5,-2\r\n\r\n  0.1 , \"3\",\r\n.2,nan,1e3";
    trxi_csv csv;
    ck_assert_int_eq(parse(text, strlen(text), &csv), TRX_OK);
    ck_assert_int_eq(csv.rows, 3);
    ck_assert_int_eq(csv.cols, 3);
    ck_assert_int_eq(trxi_csv_find(&csv, "box \"x\""), 1);
    ck_assert_int_eq(trxi_csv_find(&csv, "v"), -1);
    static const double expected[9] = {0, 1.5, -2, 0.1, 3, NAN, 0.2, NAN, 1e3};
    for (int i = 0; i < 9; i++)
        ck_assert(isnan(expected[i]) ? isnan(csv.data[i]) : csv.data[i] == expected[i]);
    trx_source at = trxi_csv_source(&csv, 1, 1);
    ck_assert_str_eq(at.file, "a.csv");
    ck_assert_int_eq(at.line, 4);
    ck_assert_int_eq(at.column, 9);
    ck_assert_int_eq(csv.name_sources[2].column, 17);
}
END_TEST

START_TEST(malformed_tables_are_refused_at_their_place)
{
    static const struct {
        const char *text;
        int line, column;
        const char *says;
    } cases[] = {
        {"", 1, 1, "no columns"},
        {"\n \n", 1, 1, "no columns"},
        {"a,b\n1\n", 2, 1, "1 cells, but the table has 2"},
        {"a,b\n1,2,3\n", 2, 5, "3 cells"},
        {"a,b\n1,x\n", 2, 3, "\"x\" is not a number (column b)"},
        {"a,b\n1, 5 cm\n", 2, 4, "\"5 cm\" is not a number"},
        {"a,b\n1,inf\n", 2, 3, "not a number"},
        {"a,b,a\n", 1, 5, "two columns are called a"},
        {"a,,b\n", 1, 3, "without a name"},
        {"a;b\n1;2\n", 1, 1, "commas, not by semicolons"},
        {"a,\"b\n", 1, 3, "a quote is not closed"},
        {"a,b\n1,\"2\"3\n", 2, 3, "a quote is not closed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        trxi_csv csv;
        trx_context_clear(context);
        ck_assert_msg(parse(cases[i].text, strlen(cases[i].text), &csv) == TRX_ERR_INPUT, "%s was read", cases[i].text);
        trx_diagnostic found = trx_context_diagnostic(context, 0);
        ck_assert_msg(strstr(found.text, cases[i].says), "%s: %s", cases[i].text, found.text);
        ck_assert_int_eq(found.source.line, cases[i].line);
        ck_assert_int_eq(found.source.column, cases[i].column);
    }
    trxi_csv csv;
    ck_assert_int_eq(parse("a\n1\0002\n", 6, &csv), TRX_ERR_INPUT);
    ck_assert_int_eq(parse("a\0b\n1\n", 6, &csv), TRX_ERR_INPUT);
}
END_TEST

START_TEST(all_bad_cells_are_reported_up_to_a_limit)
{
    trxi_csv csv;
    ck_assert_int_eq(parse("a,b\nx,1\n2,y\n3\n", 14, &csv), TRX_ERR_INPUT);
    ck_assert_int_eq(trx_context_error_count(context), 3);
    trx_context_clear(context);
    char text[1000] = "a\n";
    for (int i = 0; i < 400; i++) memcpy(text + 2 + 2 * i, "x\n", 2);
    ck_assert_int_eq(parse(text, 802, &csv), TRX_ERR_INPUT);
    ck_assert_int_eq(trx_context_error_count(context), 20);
}
END_TEST

// gives no block of more than 64 MiB
static void *allocate_little(size_t bytes, void *user)
{
    (void)user;
    return bytes > 64 << 20 ? NULL : malloc(bytes);
}

static void release_little(void *memory, void *user)
{
    (void)user;
    free(memory);
}

START_TEST(short_rows_do_not_take_memory_for_many_columns)
{
    // 20000 columns and 20000 lines would make 400 million cells
    size_t length = 0;
    char *text = malloc(400000);
    for (int j = 0; j < 20000; j++) length += (size_t)sprintf(text + length, "%sc%d", j ? "," : "", j);
    for (int i = 0; i < 20000; i++) length += (size_t)sprintf(text + length, "\n1");
    trx_context_settings settings = trx_context_settings_default();
    settings.allocator = (trx_allocator){allocate_little, release_little, NULL};
    trx_context *poor;
    ck_assert_int_eq(trx_context_create(&settings, &poor), TRX_OK);
    trxi_pool *small = trxi_pool_create(poor);
    trxi_csv csv;
    ck_assert_int_eq(trxi_csv_parse(poor, small, "a.csv", text, length, &csv), TRX_ERR_INPUT);
    trxi_pool_destroy(small);
    trx_context_destroy(poor);
    free(text);
}
END_TEST

START_TEST(damaged_text_never_crashes)
{
    const char *sample = "t,\"a\"\"b\",c\r\n0,1,2\r\n1,,\"3\"\n2,nan,-1e-3\n";
    size_t length = strlen(sample);
    trxi_csv csv;
    for (size_t n = 0; n <= length; n++) parse(sample, n, &csv);
    for (uint64_t i = 0; i < 5000; i++) {
        char damaged[64];
        memcpy(damaged, sample, length);
        for (uint64_t k = 0; k < 3; k++)
            damaged[trxi_random_bits(3, 8 * i + k) % length] = "\"\n\r, x\0\xFF"[trxi_random_bits(4, 8 * i + k) % 8];
        parse(damaged, length, &csv);
    }
}
END_TEST

static trx_status parse_counted(trx_context *counted, trxi_pool *its_pool, const void *text)
{
    trxi_csv csv;
    return trxi_csv_parse(counted, its_pool, "a.csv", text, strlen(text), &csv);
}

START_TEST(exhausted_memory_is_a_status_at_every_allocation)
{
    // more rows than the first block of a pool holds
    enum { ROWS = 4000 };
    static char text[4 + 4 * ROWS + 1] = "a,b\n";
    for (int i = 0; i < ROWS; i++) memcpy(text + 4 + 4 * i, "1,2\n", 5);
    ck_assert_int_gt(fail_every_allocation(parse_counted, text), 1);
}
END_TEST

START_TEST(a_missing_file_is_an_io_error)
{
    trxi_csv csv;
    ck_assert_int_eq(trxi_csv_read(context, pool, "/nonexistent/a.csv", &csv), TRX_ERR_IO);
    ck_assert_ptr_nonnull(strstr(trx_context_message(context), "/nonexistent/a.csv"));
}
END_TEST

START_TEST(too_many_rows_are_refused_with_their_number)
{
    char path[TEMPORARY_PATH];
    temporary_path(path, "csvXXXXXX");
    FILE *file = fdopen(mkstemp(path), "w");
    ck_assert_ptr_nonnull(file);
    fputs("t\n1\n2\n3\n", file);
    fclose(file);
    trxi_csv csv;
    ck_assert_int_eq(trxi_csv_read_rows(context, pool, path, 3, &csv), TRX_OK);
    ck_assert_int_eq(csv.rows, 3);
    ck_assert_int_eq(trxi_csv_read_rows(context, pool, path, 2, &csv), TRX_ERR_INPUT);
    remove(path);
    const trx_diagnostic d = trx_context_diagnostic(context, 0);
    ck_assert_str_eq(d.text, "a table of 3 rows: at most 2 are read");
    ck_assert_int_eq(d.source.line, 4);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formats/csv");
    TCase *cases = tcase_create("csv");
    tcase_add_checked_fixture(cases, open_pool, close_pool);
    tcase_add_test(cases, a_table_is_read_with_its_places);
    tcase_add_test(cases, malformed_tables_are_refused_at_their_place);
    tcase_add_test(cases, all_bad_cells_are_reported_up_to_a_limit);
    tcase_add_test(cases, short_rows_do_not_take_memory_for_many_columns);
    tcase_add_test(cases, damaged_text_never_crashes);
    tcase_add_test(cases, exhausted_memory_is_a_status_at_every_allocation);
    tcase_add_test(cases, a_missing_file_is_an_io_error);
    tcase_add_test(cases, too_many_rows_are_refused_with_their_number);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
