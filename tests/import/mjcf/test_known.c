// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Unknown elements are noted one by one; known elements without counterpart are noted as one sum.

#include "import/mjcf/case.h"
#include "support/support.h"

START_TEST(unknown_words_are_noted_where_they_are)
{
    mjcf_case c;
    case_open_text(
        &c,
        "<mujoco modell=\"m\">\n<worldbody><body name=\"b\"><joint dampingg=\"3\"/><geom size=\"1\"/>\n<wheel/></body>"
        "</worldbody>\n<default><geom colour=\"red\"/></default><geom size=\"1\"/></mujoco>",
        NULL);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "modell"), 1);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "dampingg"), 1);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "wheel"), 1);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "colour"), 1);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "geom"), 1 + 1);
    ck_assert_int_eq(c.result->notes[1].source.line, 2);
    case_close(&c);
}
END_TEST

START_TEST(what_draws_or_measures_is_one_note)
{
    mjcf_case c;
    case_open_text(
        &c,
        ONE_BODY("<visual><map zfar=\"3\"/></visual><statistic extent=\"1\"/><sensor><gyro site=\"s\"/></sensor>"
                 "<asset><texture name=\"t\" type=\"2d\"/><material name=\"m\" specular=\"1\"/></asset>"
                 "<custom><numeric name=\"n\" data=\"1\"/></custom><size njmax=\"5\"/>"),
        NULL);
    ck_assert_int_eq(c.result->nnote, 2);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "what 7 elements say"), 1);
    case_close(&c);
}
END_TEST

// the activations of a key were read, but counted among what is left out
START_TEST(activations_of_a_key_are_read_without_a_note)
{
    mjcf_case c;
    case_open_text(&c,
                   ONE_BODY("<actuator><general joint=\"j\" dyntype=\"integrator\"/></actuator>"
                            "<keyframe><key name=\"k\" act=\"0.5\"/></keyframe>"),
                   NULL);
    assert_close(c.result->keyframes[0].a[0], 0.5, 0);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "for drawing, measuring"), 0);
    case_close(&c);
}
END_TEST

START_TEST(softness_is_one_note)
{
    mjcf_case c;
    case_open_text(
        &c,
        IN_BODY("<geom size=\"1\" solref=\"0.01 1\" margin=\"0.1\"/><geom size=\"1\" solimp=\"0.9 0.9 0.1\"/>"
                "<joint axis=\"1 0 0\" solreflimit=\"0.1 1\"/>"),
        NULL);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_REPLACED, "of 3 elements"), 1);
    case_close(&c);
}
END_TEST

START_TEST(a_robot_that_is_understood_has_no_notes)
{
    mjcf_case c;
    case_open_text(
        &c,
        "<mujoco model=\"m\"><worldbody><body name=\"b\"><joint name=\"j\"/><geom name=\"g\" size=\"1\" pos=\"1 0 0\" "
        "friction=\"1\"/></body></worldbody></mujoco>",
        NULL);
    ck_assert_int_eq(c.result->nnote, 0);
    case_close(&c);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mjcf/known");
    TCase *tests = tcase_create("mjcf_known");
    tcase_add_test(tests, unknown_words_are_noted_where_they_are);
    tcase_add_test(tests, what_draws_or_measures_is_one_note);
    tcase_add_test(tests, activations_of_a_key_are_read_without_a_note);
    tcase_add_test(tests, softness_is_one_note);
    tcase_add_test(tests, a_robot_that_is_understood_has_no_notes);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
