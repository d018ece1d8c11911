// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Values of URDF elements: numbers in attributes and texts, references with a suggestion; what to write instead.

#include "import/robots.h"

#include <stdio.h>
#include <string.h>

static robot with_origin(const char *origin)
{
    static char text[2000];
    snprintf(text, sizeof text, ROBOT(LINK("a", "") LINK("b", "") JOINT("j", "fixed", "a", "b", "%s")), origin);
    return read_text(text, NULL);
}

START_TEST(numbers_stand_between_any_white_space)
{
    robot r = with_origin("<origin xyz=\" 1\t-2.5e0 \n +.5 \"/>");
    assert_close(max_difference(body_of(&r, "b")->pose.p, (double[]){1, -2.5, 0.5}, 3), 0, 0);
    free_robot(&r);
}
END_TEST

START_TEST(roll_pitch_yaw_turn_about_fixed_axes)
{
    // first a quarter turn about x, then one about z: y goes to z, which stays; z goes to -y, to x
    robot r = with_origin("<origin rpy=\"1.5707963267948966 0 1.5707963267948966\"/>");
    assert_close(max_difference(body_of(&r, "b")->pose.quat, (double[]){0.5, 0.5, 0.5, 0.5}, 4), 0, 1e-15);
    free_robot(&r);
}
END_TEST

START_TEST(wrong_numbers_say_how_many_are_wanted)
{
    static const char *const wrong[] = {"1 2", "1,2", "1 2 x", "1;2;3", "1 2 3 x", "1 2 nan", "1 2 1e999", "", "0x1 0 0"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char origin[100], message[100];
        snprintf(origin, sizeof origin, "<origin xyz=\"%s\"/>", wrong[i]);
        snprintf(message, sizeof message, "xyz=\"%s\" of <origin>: write three numbers", wrong[i]);
        robot r = with_origin(origin);
        assert_refused(&r, 4, message);
        ck_assert_int_eq(trx_context_error_count(r.context), 1);
        free_robot(&r);
    }
}
END_TEST

START_TEST(commas_and_numbers_too_many_are_read_with_a_note)
{
    robot r = with_origin("<origin xyz=\"1, -2,3\" rpy=\"0 0 0 7\"/>");
    assert_close(max_difference(body_of(&r, "b")->pose.p, (double[]){1, -2, 3}, 3), 0, 0);
    assert_close(body_of(&r, "b")->pose.quat[0], 1, 0);
    assert_note(&r, TRX_NOTE_REPAIRED, 4, "1 vector has commas: they are read as blanks");
    assert_note(&r, TRX_NOTE_DROPPED, 4, "1 vector has more numbers than needed: the first ones count");
    free_robot(&r);
}
END_TEST

START_TEST(references_that_lead_nowhere_suggest_what_is_near)
{
    robot r = read_text(ROBOT(LINK("left_wheel", "") LINK("b", "") JOINT("axle", "ball", "left_whel", "b", "")), NULL);
    assert_refused(&r, 4, "<parent>: there is no link \"left_whel\"; did you mean \"left_wheel\"?");
    free_robot(&r);
    r = read_text(ROBOT(LINK("a", "") LINK("b", "") JOINT("axle", "continuous", "a", "b", "") "<transmission "
                                                                                              "name=\"t\"><joint "
                                                                                              "name=\"axel\"/></"
                                                                                              "transmission>\n"),
                  NULL);
    assert_note(&r, TRX_NOTE_DROPPED, 5, "the transmission of joint \"axel\": there is no such joint; did you mean \"axle\"?");
    ck_assert_int_eq(r.result->def.nactuator, 0);
    free_robot(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/urdf/read");
    TCase *tests = tcase_create("urdf_read");
    tcase_add_test(tests, numbers_stand_between_any_white_space);
    tcase_add_test(tests, roll_pitch_yaw_turn_about_fixed_axes);
    tcase_add_test(tests, wrong_numbers_say_how_many_are_wanted);
    tcase_add_test(tests, commas_and_numbers_too_many_are_read_with_a_note);
    tcase_add_test(tests, references_that_lead_nowhere_suggest_what_is_near);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
