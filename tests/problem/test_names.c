// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Names: valid names, names that are taken already, and messages about unknown names.

#include "loading.h"

#include "problem/names.h"

#include <stdio.h>
#include <string.h>

static trx_source at_line(int line)
{
    return (trx_source){"desk.yaml", line, 1};
}

static void add(desk *d, trxi_names *names, const char *name, int things, int line)
{
    trxi_names_add(&d->reader, names, (trxi_named){.name = name, .things = things, .source = at_line(line)});
}

START_TEST(names_begin_with_a_letter)
{
    static const char *const good[] = {"a", "Z9", "left_arm-2", "x_"};
    static const char *const bad[] = {"", "9a", "_a", "-a", "a b", "a.b", "a#1", "a/b", "\303\244", "world"};
    desk d = desk_open("a: 1\n");
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        ck_assert(trxi_name_check(&d.reader, at_line(1), good[i]));
    ck_assert(trxi_reader_ok(&d.reader));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!trxi_name_check(&d.reader, at_line(1), bad[i]), "%s", bad[i]);
    ck_assert_int_eq(trx_context_error_count(d.context), (int)(sizeof bad / sizeof *bad));
    ck_assert_ptr_nonnull(strstr(trx_context_diagnostic(d.context, 9).text, "\"world\" is reserved"));
    desk_close(&d);
}
END_TEST

START_TEST(every_name_is_found_whatever_the_order)
{
    enum { COUNT = 1000 };
    static char texts[COUNT][16];
    desk d = desk_open("a: 1\n");
    trxi_names names = {0};
    for (int i = 0; i < COUNT; i++) {
        snprintf(texts[i], sizeof texts[i], "n%d", (i * 617) % COUNT);
        trxi_names_add(&d.reader, &names, (trxi_named){.name = texts[i], .things = TRXI_BODY, .index = i});
    }
    trxi_names_finish(&d.reader, &names);
    ck_assert_int_eq(names.count, COUNT);
    for (int i = 0; i < COUNT; i++) {
        const trxi_named *entry = trxi_names_find(&names, texts[i], TRXI_ANY);
        ck_assert_ptr_nonnull(entry);
        ck_assert_int_eq(entry->index, i);
    }
    ck_assert_ptr_null(trxi_names_find(&names, "n1000", TRXI_ANY));
    ck_assert_ptr_null(trxi_names_find(&names, "", TRXI_ANY));
    ck_assert(trxi_reader_ok(&d.reader));
    desk_close(&d);
}
END_TEST

START_TEST(the_first_in_the_file_keeps_a_name)
{
    desk d = desk_open("a: 1\n");
    trxi_names names = {0};
    add(&d, &names, "arm", TRXI_FRAME, 9);
    add(&d, &names, "arm", TRXI_BODY, 3);
    add(&d, &names, "leg", TRXI_BODY, 5);
    trxi_names_finish(&d.reader, &names);
    ck_assert_int_eq(names.count, 2);
    ck_assert_int_eq(trxi_names_find(&names, "arm", TRXI_ANY)->things, TRXI_BODY);
    const char *const words[] = {"the name \"arm\" is taken in line 3"};
    assert_errors(&d, words, 1);
    ck_assert_int_eq(trx_context_diagnostic(d.context, 0).source.line, 9);
    desk_close(&d);
}
END_TEST

START_TEST(things_of_different_kinds_share_a_name)
{
    desk d = desk_open("a: 1\n");
    trxi_names names = {0};
    trx_body_def body = trx_body_def_default();
    body.name = "knee";
    trxi_names_add_geometry(&d.reader, &names, &body, 0, 2, "knee", at_line(4));
    add(&d, &names, "knee", TRXI_JOINT, 3);
    add(&d, &names, "knee", TRXI_BODY, 2);
    add(&d, &names, "box", TRXI_BODY | TRXI_JOINT, 6);
    add(&d, &names, "box", TRXI_GEOMETRY, 7);
    trxi_names_finish(&d.reader, &names);
    ck_assert(trxi_reader_ok(&d.reader));
    static const int kinds[] = {TRXI_BODY, TRXI_JOINT, TRXI_GEOMETRY};
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(trxi_names_find(&names, "knee", kinds[i])->things, kinds[i]);
        ck_assert_int_eq(trxi_names_find(&names, "knee", kinds[i])->source.line, 2 + i);
    }
    // a place before a geometry; BODY#N is the geometry
    ck_assert_int_eq(trxi_names_find(&names, "knee", TRXI_ANY)->things, TRXI_BODY);
    ck_assert_int_eq(trxi_names_find(&names, "knee#3", TRXI_ANY)->index, 2);
    ck_assert_int_eq(trxi_names_find(&names, "box", TRXI_JOINT)->source.line, 6);
    // messages do not propose both names of a geometry
    ck_assert_ptr_null(trxi_names_resolve(&d.reader, &names, at_line(9), "x", TRXI_GEOMETRY));
    const char *const words[] = {"unknown geometry \"x\": write box or knee"};
    assert_errors(&d, words, 1);
    desk_close(&d);
}
END_TEST

START_TEST(one_kind_has_a_name_once)
{
    desk d = desk_open("a: 1\n");
    trxi_names names = {0};
    add(&d, &names, "a", TRXI_JOINT, 1);
    add(&d, &names, "a", TRXI_JOINT, 2);
    add(&d, &names, "b", TRXI_GEOMETRY, 3);
    add(&d, &names, "b", TRXI_GEOMETRY, 4);
    add(&d, &names, "c", TRXI_BODY | TRXI_JOINT, 5);
    add(&d, &names, "c", TRXI_JOINT, 6);
    trxi_names_finish(&d.reader, &names);
    const char *const words[] = {"the name \"a\" is taken in line 1", "the name \"b\" is taken in line 3",
                                 "the name \"c\" is taken in line 5"};
    assert_errors(&d, words, 3);
    desk_close(&d);
}
END_TEST

START_TEST(a_failed_reference_says_what_would_do)
{
    desk d = desk_open("a: 1\n");
    trxi_names names = {0};
    add(&d, &names, "ball", TRXI_BODY | TRXI_JOINT, 1);
    add(&d, &names, "theta", TRXI_JOINT, 2);
    add(&d, &names, "tip", TRXI_FRAME, 3);
    add(&d, &names, "skin", TRXI_GEOMETRY, 4);
    trxi_names_finish(&d.reader, &names);
    const trx_source here = at_line(7);
    ck_assert_ptr_eq(trxi_names_resolve(&d.reader, &names, here, "ball", TRXI_JOINT), trxi_names_find(&names, "ball", TRXI_BODY));
    ck_assert_ptr_nonnull(trxi_names_resolve(&d.reader, &names, here, "tip", TRXI_BODY | TRXI_FRAME));
    ck_assert(trxi_reader_ok(&d.reader));

    ck_assert_ptr_null(trxi_names_resolve(&d.reader, &names, here, "tip", TRXI_BODY));
    ck_assert_ptr_null(trxi_names_resolve(&d.reader, &names, here, "tetha", TRXI_JOINT));
    ck_assert_ptr_null(trxi_names_resolve(&d.reader, &names, here, "elbow", TRXI_JOINT | TRXI_FRAME));
    ck_assert_ptr_null(trxi_names_resolve(&d.reader, &names, here, "hull", TRXI_INCLUDE));
    const char *const words[] = {"\"tip\" is a frame, but a body is needed here",
                                 "unknown joint \"tetha\": did you mean \"theta\"?",
                                 "unknown joint or frame \"elbow\": write ball, theta or tip",
                                 "unknown include \"hull\": the model has none"};
    assert_errors(&d, words, 4);
    desk_close(&d);
}
END_TEST

START_TEST(nothing_is_said_of_broken_things_and_of_what_is_in_them)
{
    desk d = desk_open("a: 1\n");
    trxi_names names = {0};
    trxi_names_add(&d.reader, &names, (trxi_named){.name = "bad", .things = TRXI_BODY, .broken = true});
    trxi_names_add(&d.reader, &names, (trxi_named){.name = "lost", .things = TRXI_INCLUDE, .broken = true});
    add(&d, &names, "robot", TRXI_INCLUDE, 2);
    add(&d, &names, "robot/hand", TRXI_BODY, 3);
    trxi_names_finish(&d.reader, &names);
    ck_assert_ptr_null(trxi_names_resolve(&d.reader, &names, at_line(4), "bad", TRXI_BODY));
    ck_assert_ptr_null(trxi_names_resolve(&d.reader, &names, at_line(4), "lost/hand", TRXI_BODY));
    ck_assert_ptr_null(trxi_names_resolve(&d.reader, &names, at_line(4), "lost", TRXI_BODY | TRXI_INCLUDE));
    ck_assert_ptr_nonnull(trxi_names_resolve(&d.reader, &names, at_line(4), "robot/hand", TRXI_BODY));
    ck_assert(trxi_reader_ok(&d.reader));
    ck_assert_ptr_null(trxi_names_resolve(&d.reader, &names, at_line(4), "robot/hadn", TRXI_BODY));
    ck_assert_ptr_null(trxi_names_resolve(&d.reader, &names, at_line(5), "los/hand", TRXI_BODY));
    ck_assert_ptr_null(trxi_names_resolve(&d.reader, &names, at_line(6), "robot", TRXI_BODY));
    const char *const words[] = {"unknown body \"robot/hadn\": did you mean \"robot/hand\"?", "unknown body \"los/hand\"",
                                 "\"robot\" is an include, but a body is needed here"};
    assert_errors(&d, words, 3);
    desk_close(&d);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/names");
    TCase *cases = tcase_create("names");
    tcase_add_test(cases, names_begin_with_a_letter);
    tcase_add_test(cases, every_name_is_found_whatever_the_order);
    tcase_add_test(cases, the_first_in_the_file_keeps_a_name);
    tcase_add_test(cases, things_of_different_kinds_share_a_name);
    tcase_add_test(cases, one_kind_has_a_name_once);
    tcase_add_test(cases, a_failed_reference_says_what_would_do);
    tcase_add_test(cases, nothing_is_said_of_broken_things_and_of_what_is_in_them);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
