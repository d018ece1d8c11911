// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Names of a draft: what fits is kept, what does not is changed and noted, what is taken gets an ending, what has none is
// numbered; things of different kinds may share a name.

#include "drafts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *name(fixture *f, const char *raw, const char *what)
{
    return trxi_draft_name(f->draft, raw, what, at(3));
}

static void finish(fixture *f, int notes)
{
    ck_assert_int_eq(trxi_draft_finish(f->draft, &f->result), TRX_OK);
    ck_assert_int_eq(f->result.nnote, notes);
}

START_TEST(names_that_fit_are_kept_without_a_note)
{
    fixture f = begin(NULL, TRX_REPAIR_NONE);
    ck_assert_str_eq(name(&f, "left-arm_2", "link"), "left-arm_2");
    ck_assert_str_eq(name(&f, "Gripper", "joint"), "Gripper");
    ck_assert_str_eq(name(&f, "robot0:FFJ3", "joint"), "robot0:FFJ3");
    ck_assert_str_eq(name(&f, "left upper arm+@", "body"), "left upper arm+@");
    finish(&f, 0);
    end(&f);
}
END_TEST

START_TEST(letters_that_do_not_fit_become_underscores)
{
    fixture f = begin(NULL, TRX_REPAIR_NONE);
    ck_assert_str_eq(name(&f, "left arm/hand.2", "link"), "left arm_hand_2");
    ck_assert_str_eq(name(&f, "arm ", "link"), "arm_");
    ck_assert_str_eq(name(&f, "a,b|c", "link"), "a_b_c");
    ck_assert_str_eq(name(&f, "2nd", "link"), "link_2nd");
    ck_assert_str_eq(name(&f, "_base", "frame"), "frame__base");
    ck_assert_str_eq(name(&f, "world", "body"), "body_world");
    ck_assert_str_eq(name(&f, "\xc3\xa4rm", "body"), "body___rm");
    finish(&f, 7);
    ck_assert_int_eq(f.result.notes[0].kind, TRX_NOTE_REPLACED);
    end(&f);
}
END_TEST

START_TEST(after_a_prefix_any_of_the_letters_may_come_first)
{
    fixture f = begin("arm", TRX_REPAIR_NONE);
    ck_assert_str_eq(name(&f, "2nd", "link"), "arm/2nd");
    ck_assert_str_eq(name(&f, "world", "link"), "arm/world");
    finish(&f, 0);
    end(&f);
}
END_TEST

START_TEST(names_that_are_taken_get_an_ending_then_a_number)
{
    fixture f = begin(NULL, TRX_REPAIR_NONE);
    ck_assert_str_eq(name(&f, "arm", "link"), "arm");
    ck_assert_str_eq(name(&f, "arm", "frame"), "arm_frame");
    ck_assert_str_eq(name(&f, "arm", "link"), "arm_link");
    ck_assert_str_eq(name(&f, "arm", "link"), "arm_link_2");
    ck_assert_str_eq(name(&f, "arm", "link"), "arm_link_3");
    ck_assert_str_eq(name(&f, "arm_frame", "body"), "arm_frame_body");
    // two that become the same
    ck_assert_str_eq(name(&f, "a,b", "link"), "a_b");
    ck_assert_str_eq(name(&f, "a.b", "link"), "a_b_link");
    finish(&f, 7);
    end(&f);
}
END_TEST

START_TEST(kinds_of_things_have_names_of_their_own)
{
    fixture f = begin(NULL, TRX_REPAIR_NONE);
    ck_assert_str_eq(name(&f, "knee", "body"), "knee");
    ck_assert_str_eq(name(&f, "knee", "joint"), "knee");
    ck_assert_str_eq(name(&f, "knee", "geometry"), "knee");
    ck_assert_str_eq(name(&f, "knee", "actuator"), "knee");
    ck_assert_str_eq(name(&f, "knee", "constraint"), "knee");
    ck_assert_str_eq(name(&f, "knee", "keyframe"), "knee");
    ck_assert_str_eq(name(&f, "knee", "actuator"), "knee_actuator");
    finish(&f, 1);
    end(&f);
}
END_TEST

START_TEST(things_without_a_name_are_numbered_past_names_that_are_taken)
{
    fixture f = begin(NULL, TRX_REPAIR_NONE);
    ck_assert_str_eq(name(&f, "body_2", "body"), "body_2");
    ck_assert_str_eq(name(&f, NULL, "body"), "body_1");
    ck_assert_str_eq(name(&f, "", "body"), "body_3");
    ck_assert_str_eq(name(&f, NULL, "joint"), "joint_1");
    finish(&f, 2);
    ck_assert_str_eq(f.result.notes[0].text, "names of 2 bodies are made up: the file gives none");
    ck_assert_str_eq(f.result.notes[1].text, "names of 1 joint are made up: the file gives none");
    end(&f);
}
END_TEST

START_TEST(the_only_joint_of_a_body_without_a_name_has_the_bodys)
{
    fixture f = begin("p", TRX_REPAIR_NONE);
    int body = trxi_draft_body(f.draft, name(&f, "wheel", "body"), at(1), -1);
    ck_assert_str_eq(trxi_draft_joint_name(f.draft, NULL, body, at(2)), "p/wheel");
    ck_assert_str_eq(trxi_draft_joint_name(f.draft, "axle", body, at(2)), "p/axle");
    int other = trxi_draft_body(f.draft, name(&f, "frame", "body"), at(1), -1);
    ck_assert_str_eq(name(&f, "frame", "joint"), "p/frame");
    // the name of the body is taken by another joint
    ck_assert_str_eq(trxi_draft_joint_name(f.draft, "", other, at(2)), "p/joint_1");
    // a made up name has its prefix once
    int nameless = trxi_draft_body(f.draft, name(&f, NULL, "body"), at(1), -1);
    ck_assert_str_eq(trxi_draft_joint_name(f.draft, NULL, nameless, at(2)), "p/body_1");
    finish(&f, 2);
    end(&f);
}
END_TEST

START_TEST(ten_thousand_equal_names_cost_little)
{
    fixture f = begin(NULL, TRX_REPAIR_NONE);
    const char *last = "";
    for (int i = 0; i < 10000; i++) last = name(&f, "x", "body");
    ck_assert_str_eq(last, "x_body_9999");
    double start = trx_clock();
    for (int i = 0; i < 10000; i++) last = name(&f, NULL, "body");
    ck_assert_str_eq(last, "body_10000");
    assert_below(trx_clock() - start, 5);
    end(&f);
}
END_TEST

START_TEST(tables_find_what_was_entered_and_nothing_else)
{
    fixture f = begin(NULL, TRX_REPAIR_NONE);
    trxi_table table = {0};
    ck_assert_int_eq(trxi_table_find(&table, "a"), -1);
    for (int i = 0; i < 1000; i++) {
        char key[20];
        bool known;
        snprintf(key, sizeof key, "key %d", i % 500);
        int *value = trxi_table_at(f.draft, &table, key, i, &known);
        ck_assert_int_eq(known, i >= 500);
        ck_assert_int_eq(*value, i % 500);
    }
    ck_assert_int_eq(trxi_table_find(&table, "key 499"), 499);
    ck_assert_int_eq(trxi_table_find(&table, "key 500"), -1);
    ck_assert_int_eq(table.count, 500);
    end(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/draft_names");
    TCase *tests = tcase_create("draft_names");
    tcase_add_test(tests, names_that_fit_are_kept_without_a_note);
    tcase_add_test(tests, letters_that_do_not_fit_become_underscores);
    tcase_add_test(tests, after_a_prefix_any_of_the_letters_may_come_first);
    tcase_add_test(tests, names_that_are_taken_get_an_ending_then_a_number);
    tcase_add_test(tests, kinds_of_things_have_names_of_their_own);
    tcase_add_test(tests, things_without_a_name_are_numbered_past_names_that_are_taken);
    tcase_add_test(tests, the_only_joint_of_a_body_without_a_name_has_the_bodys);
    tcase_add_test(tests, ten_thousand_equal_names_cost_little);
    tcase_add_test(tests, tables_find_what_was_entered_and_nothing_else);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
