// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The JSON writer: layout, escapes, numbers.

#include "formats/json.h"
#include "formats/yaml.h"
#include "support/support.h"

#include <string.h>

static trx_context *context;
static trxi_text text;

static void setup(void)
{
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    text = trxi_text_create(context);
}

static void teardown(void)
{
    trxi_text_destroy(&text);
    trx_context_destroy(context);
}

static void write_sample(int indent)
{
    trxi_json json = trxi_json_create(&text, indent);
    trxi_json_begin_object(&json);
    trxi_json_put_string(&json, "name", "box");
    trxi_json_key(&json, "list");
    trxi_json_begin_array(&json);
    trxi_json_int(&json, 1);
    trxi_json_bool(&json, true);
    trxi_json_null(&json);
    trxi_json_begin_object(&json);
    trxi_json_end_object(&json);
    trxi_json_end_array(&json);
    trxi_json_put_numbers(&json, "xyz", (double[]){0.1, NAN, -2}, 3);
    trxi_json_put_bool(&json, "met", false);
    trxi_json_end_object(&json);
}

START_TEST(commas_and_lines_fall_where_they_should)
{
    write_sample(0);
    ck_assert_str_eq(trxi_text_get(&text), "{\"name\":\"box\",\"list\":[1,true,null,{}],\"xyz\":[0.1,null,-2],\"met\":false}");
    trxi_text_clear(&text);
    write_sample(2);
    ck_assert_str_eq(trxi_text_get(&text), "{\n  \"name\": \"box\",\n  \"list\": [\n    1,\n    true,\n    null,\n    {}\n  ],\n"
                                           "  \"xyz\": [0.1, null, -2],\n  \"met\": false\n}\n");
}
END_TEST

START_TEST(objects_of_a_loop_and_named_numbers)
{
    static const double numbers[] = {1, NAN, 0.5};
    trxi_json json = trxi_json_create(&text, 0);
    trxi_json_begin_object(&json);
    for (int count = 0; count < 3; count += 2) {
        trxi_json_put_array(&json, count ? "two" : "none");
        for (int i = 0; trxi_json_next_object(&json, i, count); i++) trxi_json_put_int(&json, "i", i);
    }
    trxi_json_put_named(&json, "named", 3, (const char *const[]){"a", "b", "c"}, numbers);
    trxi_json_end_object(&json);
    ck_assert_str_eq(trxi_text_get(&text), "{\"none\":[],\"two\":[{\"i\":0},{\"i\":1}],\"named\":{\"a\":1,\"b\":null,\"c\":0.5}}");
}
END_TEST

START_TEST(strings_are_escaped_and_always_utf8)
{
    static const struct {
        const char *string, *json;
    } cases[] = {
        {"a\"b\\c\n\t\x01", "\"a\\\"b\\\\c\\n\\u0009\\u0001\""},
        {"</script>", "\"\\u003c/script>\""},
        {"\xC3\xBC \xE2\x82\xAC \xF0\x9F\x98\x80", "\"\xC3\xBC \xE2\x82\xAC \xF0\x9F\x98\x80\""},
        {"x\xFFy", "\"x\xEF\xBF\xBDy\""},                                             // never a byte of UTF-8
        {"\xC3", "\"\xEF\xBF\xBD\""},                                                 // cut short
        {"\xC0\xAF", "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},                                 // overlong
        {"\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},                 // surrogate
        {"\xF4\x90\x80\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""}, // beyond U+10FFFF
        {"\xE2\x80\xA8", "\"\\u2028\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        trxi_text_clear(&text);
        trxi_json json = trxi_json_create(&text, 0);
        trxi_json_string(&json, cases[i].string);
        ck_assert_str_eq(trxi_text_get(&text), cases[i].json);
    }
}
END_TEST

START_TEST(numbers_that_are_not_finite_are_null)
{
    trxi_json json = trxi_json_create(&text, 0);
    trxi_json_begin_array(&json);
    trxi_json_number(&json, INFINITY);
    trxi_json_number(&json, NAN);
    trxi_json_number(&json, 1e-7);
    trxi_json_string(&json, NULL);
    trxi_json_end_array(&json);
    ck_assert_str_eq(trxi_text_get(&text), "[null,null,1e-07,null]");
}
END_TEST

START_TEST(what_is_written_is_yaml_too)
{
    write_sample(2);
    trxi_pool *pool = trxi_pool_create(context);
    trxi_yaml_node *root;
    ck_assert_int_eq(trxi_yaml_parse(context, pool, "sample.json", text.data, text.length, &root), TRX_OK);
    ck_assert_str_eq(trxi_yaml_get(root, "name")->text, "box");
    ck_assert_int_eq(trxi_yaml_get(root, "list")->count, 4);
    trxi_pool_destroy(pool);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formats/json");
    TCase *cases = tcase_create("json");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, commas_and_lines_fall_where_they_should);
    tcase_add_test(cases, objects_of_a_loop_and_named_numbers);
    tcase_add_test(cases, strings_are_escaped_and_always_utf8);
    tcase_add_test(cases, numbers_that_are_not_finite_are_null);
    tcase_add_test(cases, what_is_written_is_yaml_too);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
