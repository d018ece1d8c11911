// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A comparison: the numbers of its table and JSON against the runs, texts that need escapes, and refusals.

#include "report/fixture.h"

#include "formats/yaml.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static fixture f;

static void setup(void)
{
    fixture_open(&f);
}

static void teardown(void)
{
    fixture_close(&f);
}

static char *read_file(const char *name, size_t *length)
{
    char path[TEMPORARY_PATH + 32];
    static char text[1 << 18];
    snprintf(path, sizeof path, "%s/%s", f.place, name);
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    *length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    unlink(path);
    text[*length] = '\0';
    return text;
}

START_TEST(rows_are_the_numbers_of_the_runs)
{
    size_t length;
    ck_assert_int_eq(trx_run_simulate(f.run, NULL), TRX_OK);
    const trx_variant variants[2] = {{.name = "a, \"b\"", .folder = "01", .run = f.run},
                                     {.name = "c", .message = "line 1: </script>"}};
    ck_assert_int_eq(trx_compare_write(f.context, "A & <B>", variants, 2, f.place), TRX_OK);
    const char *csv = read_file("compare.csv", &length);
    ck_assert_ptr_nonnull(strstr(csv, "\n\"a, \"\"b\"\"\",converged,"));
    ck_assert_ptr_nonnull(strstr(csv, "\n\"c\",failed,,0,0,,,0,,,,,,,,,,,,,,,\"\",\"line 1: </script>\"\n"));

    const char *json = read_file("compare.json", &length);
    trxi_yaml_node *root;
    ck_assert_int_eq(trxi_yaml_parse(f.context, f.pool, "compare.json", json, length, &root), TRX_OK);
    const trxi_yaml_node *list = trxi_yaml_get(root, "variants"), *first = list->items[0];
    ck_assert_int_eq(list->count, 2);
    ck_assert_int_eq(trxi_yaml_get(first, "t")->count, STEPS + 1);
    ck_assert_int_eq(trxi_yaml_get(first, "series")->count, NX + NU);
    ck_assert_str_eq(trxi_yaml_get(list->items[1], "cost")->text, "null");
    ck_assert_ptr_null(trxi_yaml_get(list->items[1], "series"));

    const char *page = read_file("compare.html", &length);
    ck_assert_ptr_nonnull(strstr(page, "<h1>A &amp; &lt;B&gt;</h1>"));
    ck_assert_ptr_null(strstr(page, "1: </script>"));
    ck_assert_ptr_null(strstr(page, "@DATA@"));
}
END_TEST

START_TEST(missing_arguments_are_refused)
{
    const trx_variant none = {.name = "x"};
    ck_assert_int_eq(trx_compare_write(NULL, "t", &none, 1, f.place), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_compare_write(f.context, NULL, &none, 1, f.place), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_compare_write(f.context, "t", &none, 0, f.place), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_compare_write(f.context, "t", &none, 1, "/dev/null/x"), TRX_ERR_IO);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report/compare");
    TCase *cases = tcase_create("compare");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, rows_are_the_numbers_of_the_runs);
    tcase_add_test(cases, missing_arguments_are_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
