// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Typed values from nodes: every kind of field, the message and the place of a wrong value, and the words of messages.

#include "loading.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct record {
    double number, positive, not_negative, vector[3], range[2];
    int count, index, word;
    bool flag;
    const char *text, *path, *name;
    trx_pose pose;
    const trxi_yaml_node *list, *map, *node;
} record;

static const char *const colors[] = {"red", "green", "blue"};

static const trxi_field fields[] = {
    TRXI_FIELD("number", TRXI_NUMBER, record, number, .required = true),
    TRXI_FIELD("positive", TRXI_POSITIVE, record, positive),
    TRXI_FIELD("not_negative", TRXI_NOT_NEGATIVE, record, not_negative),
    TRXI_FIELD("count", TRXI_COUNT, record, count),
    TRXI_FIELD("index", TRXI_INDEX, record, index),
    TRXI_FIELD("flag", TRXI_BOOL, record, flag),
    TRXI_FIELD("text", TRXI_TEXT, record, text),
    TRXI_FIELD("path", TRXI_PATH, record, path),
    TRXI_FIELD("name", TRXI_NAME, record, name),
    TRXI_FIELD("word", TRXI_WORD, record, word, .words = colors, .count = 3),
    TRXI_FIELD("vector", TRXI_VECTOR, record, vector, .count = 3),
    TRXI_FIELD("range", TRXI_RANGE, record, range),
    TRXI_FIELD("pose", TRXI_POSE, record, pose),
    TRXI_FIELD("list", TRXI_LIST, record, list),
    TRXI_FIELD("map", TRXI_MAP, record, map),
    TRXI_FIELD("node", TRXI_NODE, record, node),
};

START_TEST(every_kind_of_value_is_read)
{
    desk d = desk_open("number: -1.5e2\npositive: .5\nnot_negative: 0\ncount: 1\nindex: 0\nflag: true\n"
                       "text: 'a: b'\npath: data/x.csv\nname: left_arm\nword: green\nvector: [1, 2, 3]\n"
                       "range: [-1, 1]\npose: {xyz: [4, 5, 6], quat: [0, 3e200, 0, 4e200]}\nlist: [1]\nmap: {a: 1}\n"
                       "node: anything\n");
    record r = {.pose = trx_pose_identity()};
    ck_assert(TRXI_READ_RECORD(&d.reader, d.root, "a record", fields, &r));
    assert_errors(&d, NULL, 0);
    ck_assert(r.number == -150 && r.positive == 0.5 && r.not_negative == 0 && r.count == 1 && r.index == 0 && r.flag);
    ck_assert_str_eq(r.text, "a: b");
    ck_assert_str_eq(r.path, "data/x.csv");
    ck_assert_str_eq(r.name, "left_arm");
    ck_assert(r.word == 1 && r.vector[2] == 3 && r.range[0] == -1 && r.range[1] == 1);
    ck_assert(r.pose.p[1] == 5);
    assert_close(r.pose.quat[1], 0.6, 1e-15);
    assert_close(r.pose.quat[3], 0.8, 1e-15);
    ck_assert(r.list->count == 1 && r.map->count == 1 && r.node->kind == TRXI_YAML_SCALAR);
    desk_close(&d);
}
END_TEST

START_TEST(a_wrong_value_is_said_at_its_place_and_leaves_what_was_there)
{
    static const struct {
        const char *line, *words;
        int column; // 0: a parser may put a missing value elsewhere
    } cases[] = {
        {"number: far", "number: expected a finite decimal number, found \"far\"", 9},
        {"number: .inf", "number: expected a finite decimal number", 9},
        {"number: '5'", "number: a number in quotes is text: write 5", 9},
        {"number: 5 cm", "write 0.05", 9},
        {"number: 5 parsec", "is more than a number", 9},
        {"number:", "number: expected a number, found nothing", 0},
        {"number: [1]", "number: expected a number, found a list", 9},
        {"number: {a: 1}", "number: expected a number, found a mapping", 9},
        {"positive: 0", "positive is 0: write a number above 0", 11},
        {"not_negative: -1", "not_negative is -1: write 0 or a number above 0", 15},
        {"count: 0", "count is 0: write a whole number from 1 to 2147483647", 8},
        {"count: 1.5", "count is 1.5: write a whole number", 8},
        {"index: -1", "index is -1: write a whole number from 0", 8},
        {"index: 3000000000", "index is 3000000000: write a whole number", 8},
        {"flag: yes", "flag: expected true or false, found \"yes\"", 7},
        {"flag: 'true'", "flag: expected true or false", 7},
        {"text: [a]", "text: expected a text, found a list", 7},
        {"path:", "path: expected a file name, found nothing", 0},
        {"name: 2nd", "\"2nd\" is not a name", 7},
        {"word: gren", "word: \"gren\" is not red, green or blue: did you mean \"green\"?", 7},
        {"word: [red]", "word: expected red, green or blue, found a list", 7},
        {"vector: 3", "vector: expected a list of 3 numbers, found \"3\"", 9},
        {"vector: [1, 2]", "vector: expected a list of 3 numbers, found 2", 9},
        {"vector: [x, 2, 3]", "vector: expected a finite decimal number, found \"x\"", 10},
        {"range: [1, 1]", "range: the first number must be below the second", 8},
        {"pose: {quat: [0, 0, 0, 0]}", "quat: the zero quaternion is no orientation", 14},
        {"pose: {rpy: [0, 0, 0], quat: [1, 0, 0, 0]}", "rpy and quat both give the orientation", 24},
        {"pose: {at: [0, 0, 0]}", "unknown key \"at\": the keys here are xyz, rpy or quat", 8},
        {"list: 1", "list: expected a list [ ... ], found \"1\"", 7},
        {"map: [1]", "map: expected a mapping { key: value }, found a list", 6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        bool number = strncmp(cases[i].line, "number", 6) == 0;
        snprintf(text, sizeof text, "%s\n%s", cases[i].line, number ? "" : "number: 1\n");
        desk d = desk_open(text);
        record r = {.number = 7, .positive = 7, .not_negative = 7, .count = 7, .index = 7, .word = 7, .range = {7, 8}};
        ck_assert(TRXI_READ_RECORD(&d.reader, d.root, "a record", fields, &r));
        assert_errors(&d, &cases[i].words, 1);
        trx_diagnostic finding = trx_context_diagnostic(d.context, 0);
        int column = finding.source.column;
        ck_assert_int_eq(finding.source.line, 1);
        ck_assert_msg(!cases[i].column || column == cases[i].column, "%s: column %d", cases[i].line, column);
        ck_assert(r.number == (number ? 7 : 1));
        ck_assert(r.positive == 7 && r.not_negative == 7 && r.count == 7 && r.index == 7 && r.word == 7 && !r.flag);
        ck_assert(r.range[0] == 7 && r.range[1] == 8 && !r.text && !r.path && !r.list && !r.map);
        desk_close(&d);
    }
}
END_TEST

START_TEST(keys_are_known_given_once_and_there)
{
    // a misspelled key that is required is one error, not two
    desk d = desk_open("nubmer: 1\ncuont: 2\nzzz: 3\n");
    record r = {0};
    ck_assert(TRXI_READ_RECORD(&d.reader, d.root, "a record", fields, &r));
    const char *const words[] = {"unknown key \"nubmer\": did you mean \"number\"?",
                                 "unknown key \"cuont\": did you mean \"count\"?",
                                 "unknown key \"zzz\": the keys here are number, positive, "};
    assert_errors(&d, words, 3);
    ck_assert(!trxi_reader_ok(&d.reader));
    desk_close(&d);

    d = desk_open("count: 2\n");
    ck_assert(TRXI_READ_RECORD(&d.reader, d.root, "a record", fields, &r));
    const char *const missing[] = {"a record: missing key \"number\": add it"};
    assert_errors(&d, missing, 1);
    desk_close(&d);

    d = desk_open("[1, 2]\n");
    ck_assert(!TRXI_READ_RECORD(&d.reader, d.root, "a record", fields, &r));
    const char *const kind[] = {"a record: expected a mapping { key: value }, found a list"};
    assert_errors(&d, kind, 1);
    desk_close(&d);
}
END_TEST

START_TEST(choices_read_as_english)
{
    static const char *const words[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n"};
    desk d = desk_open("a: 1\n");
    ck_assert_str_eq(trxi_choices(&d.reader, words, 0), "");
    ck_assert_str_eq(trxi_choices(&d.reader, words, 1), "a");
    ck_assert_str_eq(trxi_choices(&d.reader, words, 2), "a or b");
    ck_assert_str_eq(trxi_choices(&d.reader, words, 3), "a, b or c");
    ck_assert_str_eq(trxi_choices(&d.reader, words, 14), "a, b, c, d, e, f, g, h, i, j, k, ... (14 in all)");
    ck_assert_str_eq(trxi_did_you_mean(&d.reader, "gren", colors, 3), ": did you mean \"green\"?");
    ck_assert_str_eq(trxi_did_you_mean(&d.reader, "purple", colors, 3), "");
    desk_close(&d);
}
END_TEST

START_TEST(what_an_option_sets_comes_after_the_file)
{
    const trx_source first = {"a.yaml", 2, 9}, same_line = {"a.yaml", 2, 10}, later = {"a.yaml", 3, 1};
    const trx_source option = {"--set time.step=1", 1, 1};
    ck_assert(trxi_source_after(same_line, first) && !trxi_source_after(first, same_line));
    ck_assert(trxi_source_after(later, same_line) && !trxi_source_after(first, first));
    ck_assert(trxi_source_after(option, later) && !trxi_source_after(later, option));
}
END_TEST

START_TEST(the_place_of_a_key_is_that_of_its_mapping_when_it_is_not_there)
{
    desk d = desk_open("outer:\n  inner: 5\n");
    const trxi_yaml_node *outer = trxi_yaml_get(d.root, "outer");
    trx_source there = trxi_key_source(outer, "inner"), absent = trxi_key_source(outer, "other");
    ck_assert(there.line == 2 && there.column == 3);
    ck_assert(absent.line == outer->source.line && absent.column == outer->source.column);
    desk_close(&d);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/reader");
    TCase *cases = tcase_create("reader");
    tcase_add_test(cases, every_kind_of_value_is_read);
    tcase_add_test(cases, a_wrong_value_is_said_at_its_place_and_leaves_what_was_there);
    tcase_add_test(cases, keys_are_known_given_once_and_there);
    tcase_add_test(cases, choices_read_as_english);
    tcase_add_test(cases, what_an_option_sets_comes_after_the_file);
    tcase_add_test(cases, the_place_of_a_key_is_that_of_its_mapping_when_it_is_not_there);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
