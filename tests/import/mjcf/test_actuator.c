// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Actuators against MuJoCo's compiled ones, and those that are left out.

#include "import/mjcf/case.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

START_TEST(drives_are_those_of_mujoco)
{
    mjcf_case c;
    case_open(&c, "mjcf_actuators", NULL);
    compare_with_reference(&c, "mjcf_actuators", 1e-9, "actuator");
    case_close(&c);
}
END_TEST

START_TEST(muscles_have_the_forces_and_rates_of_mujoco)
{
    mjcf_case c;
    case_open(&c, "mjcf_muscles", NULL);
    compare_with_reference(&c, "mjcf_muscles", 1e-10, "actuator act activation pull key");
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "not served"), 0);
    case_close(&c);
}
END_TEST

// the ends of the range of a length that joints move freely, in both senses; the force by the inertia at the joint
START_TEST(lengths_of_a_muscle_follow_from_the_ranges_of_its_joints)
{
    mjcf_case c;
    case_open_text(
        &c,
        "<mujoco><compiler angle=\"radian\"/><worldbody><site name=\"top\" pos=\"0 0 1\"/>"
        "<body name=\"a\"><joint name=\"j\" axis=\"0 1 0\" range=\"-0.5 1\"/>"
        "<geom name=\"rod\" type=\"capsule\" fromto=\"0 0 0 1 0 0\" size=\"0.05\"/><site name=\"end\" pos=\"1 0 0\"/></body>"
        "<body name=\"b\"><joint name=\"s\" type=\"slide\" axis=\"1 0 0\" range=\"-0.2 0.3\"/><geom size=\"0.1\"/></body>"
        "</worldbody>"
        "<tendon><fixed name=\"f\"><joint joint=\"j\" coef=\"2\"/><joint joint=\"s\" coef=\"-1\"/></fixed>"
        "<spatial name=\"p\"><site site=\"top\"/><site site=\"end\"/></spatial></tendon>"
        "<actuator><muscle name=\"m\" joint=\"s\" gear=\"-3\" force=\"7\"/><muscle name=\"n\" tendon=\"f\"/>"
        "<muscle name=\"o\" tendon=\"p\"/></actuator></mujoco>",
        NULL);
    const double ends[3][2] = {{-0.9, 0.6}, {-1.3, 2.2}, {sqrt(2 - 2 * sin(0.5)), sqrt(2 + 2 * sin(1.0))}};
    const char *const names[3] = {"m", "n", "o"};
    for (int i = 0; i < 3; i++) {
        const trx_muscle_def m = case_actuator(&c, names[i])->muscle;
        assert_close(m.optimal_length, (ends[i][1] - ends[i][0]) / 0.3, 1e-9);
        assert_close(m.tendon_length, ends[i][0] - 0.75 * m.optimal_length, 1e-9);
    }
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_REPLACED, "a muscle without lengthrange"), 3);
    const trx_body_def *a = case_body(&c, "a"), *b = case_body(&c, "b");
    const double I = a->inertia.tensor[1] + a->inertia.mass * 0.25;
    assert_close(case_actuator(&c, "m")->gain, 7, 0);
    assert_close(case_actuator(&c, "n")->gain, 200 / hypot(2 / I, 1 / b->inertia.mass), 1e-9);
    assert_close(case_actuator(&c, "o")->gain, 200 * I * sqrt(2), 1e-9); // the lever of the spatial tendon is 1/sqrt(2)
    case_close(&c);
}
END_TEST

#define MUSCLE(numbers) ONE_BODY("<actuator><muscle joint=\"j\" " numbers "/></actuator>")

START_TEST(impossible_muscles_are_refused)
{
    case_refuses(MUSCLE("range=\"1 0.9\""), "3: this muscle needs range to rise");
    case_refuses(MUSCLE("lmin=\"1\" lengthrange=\"0 1\""), "3: this muscle needs lmin below 1 and lmax above 1");
    case_refuses(MUSCLE("vmax=\"0\" lengthrange=\"0 1\""),
                 "3: this muscle needs scale, vmax, fpmax and fvmax to be positive");
    case_refuses(MUSCLE("force=\"1\""),
                 "3: this muscle has no range of lengths by the ranges of its joints: write lengthrange");
}
END_TEST

START_TEST(muscles_that_differ_from_ours_are_left_out_or_noted)
{
    mjcf_case c;
    case_open_text(&c,
                   ONE_BODY("<actuator><general joint=\"j\" gaintype=\"muscle\" biastype=\"muscle\" lengthrange=\"0 1\" "
                            "gainprm=\"0.75 1.05 5 200 0.5 1.6 1.5 1.3 1.2\" biasprm=\"0.75 1.05 6 200 0.5 1.6 1.5 1.3 1.2\"/>"
                            "<general joint=\"j\" biastype=\"muscle\" biasprm=\"0.75 1.05 6 200 0.5 1.6 1.5 1.3 1.2\"/>"
                            "<muscle name=\"weak\" joint=\"j\" force=\"5\" fvmax=\"0.8\" lengthrange=\"0 1\"/>"
                            "<general name=\"signed\" joint=\"j\" gaintype=\"muscle\" lengthrange=\"0 1\" ctrlrange=\"-1 1\" "
                            "gainprm=\"0.75 1.05 5 200 0.5 1.6 1.5 1.3 1.2\"/></actuator>"),
                   NULL);
    ck_assert_int_eq(c.result->def.nactuator, 2);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "its active and its passive force have muscles of their own"), 2);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_REPLACED, "weaker where it lengthens (fvmax 0.8)"), 1);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_REPLACED, "a general under negative control: a muscle only pulls"), 1);
    ck_assert(case_actuator(&c, "signed")->muscle.passive_force == 0);
    case_close(&c);
}
END_TEST

START_TEST(limits_at_the_joint_are_those_of_its_only_drive)
{
    mjcf_case c;
    case_open_text(
        &c,
        "<mujoco><worldbody><body name=\"b\"><geom size=\"0.1\"/><joint name=\"j\" actuatorfrcrange=\"-30 60\"/>"
        "<joint name=\"k\" axis=\"1 0 0\" actuatorfrcrange=\"-1 1\"/></body></worldbody><actuator>"
        "<motor name=\"a\" joint=\"j\" gear=\"-10\" forcerange=\"-20 2\"/><motor name=\"s\" joint=\"k\"/>"
        "<motor name=\"t\" joint=\"k\"/></actuator></mujoco>",
        NULL);
    assert_close(case_actuator(&c, "a")->effort_lower, -6, 1e-15);
    assert_close(case_actuator(&c, "a")->effort_upper, 2, 0);
    ck_assert(isinf(case_actuator(&c, "s")->effort_upper));
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "several actuators share it"), 1);
    case_close(&c);
}
END_TEST

START_TEST(rotors_and_friction_of_drives_are_added_to_the_joint)
{
    mjcf_case c;
    case_open_text(
        &c,
        ONE_BODY("<actuator><motor name=\"a\" joint=\"j\" gear=\"3\" armature=\"0.1\" damping=\"0.2\"/></actuator>"),
        NULL);
    assert_close(case_joint(&c, "j")->armature, 0.9, 1e-15);
    assert_close(case_joint(&c, "j")->damping, 1.8, 1e-15);
    case_close(&c);
}
END_TEST

// an actuator that is left out has no control in the named states either
START_TEST(drives_without_a_counterpart_are_left_out_with_a_note)
{
    mjcf_case c;
    case_open_text(
        &c,
        "<mujoco><worldbody><body name=\"b\"><joint name=\"j\" axis=\"1 0 0\"/><geom size=\"1\"/><site name=\"s\"/>"
        "<body><joint name=\"ball\" type=\"ball\"/><geom size=\"1\"/></body></body></worldbody><actuator>"
        "<general joint=\"j\" dyntype=\"user\"/><damper joint=\"j\" kv=\"1\" ctrlrange=\"0 1\"/>"
        "<intvelocity joint=\"j\" actrange=\"0 1\"/>"
        "<motor site=\"s\"/><motor joint=\"ball\"/><general joint=\"j\" dyntype=\"integrator\"/>"
        "<general joint=\"j\" gaintype=\"affine\"/><adhesion body=\"b\" ctrlrange=\"0 1\"/>"
        "<motor name=\"kept\" joint=\"j\"/></actuator>"
        "<keyframe><key name=\"k\" ctrl=\"1 2 3 4 5 6 7 8 9\" act=\"0.1 0.2 0.3\"/></keyframe>"
        "</mujoco>",
        NULL);
    ck_assert_int_eq(c.result->def.nactuator, 3);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "state of its own"), 1);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "its gain depends on the length"), 2);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "a motor at a site"), 1);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "ball or free joint"), 1);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "drives of this kind"), 1);
    assert_close(c.result->keyframes[0].u[2], 9, 0);
    assert_close(c.result->keyframes[0].a[1], 0.3, 0);
    case_close(&c);
}
END_TEST

// inheritrange of an intvelocity is the range of its state, in which it starts, also where controls are not clamped
START_TEST(an_intvelocity_inherits_the_range_of_its_state)
{
    for (int clamps = 0; clamps < 2; clamps++) {
        char text[512];
        snprintf(text, sizeof text,
                 "<mujoco><option><flag clampctrl=\"%s\"/></option><worldbody><body name=\"b\"><joint name=\"j\" axis=\"1 0 0\" "
                 "range=\"20 40\" ref=\"30\"/><geom size=\"1\"/></body></worldbody><actuator>"
                 "<intvelocity joint=\"j\" kp=\"2\" ctrlrange=\"-3 3\" inheritrange=\"0.5\"/></actuator></mujoco>",
                 clamps ? "enable" : "disable");
        mjcf_case c;
        case_open_text(&c, text, NULL);
        const trx_actuator_def info = c.result->def.actuators[0];
        const double degree = acos(-1) / 180;
        assert_close(info.activation.lower, 25 * degree, 1e-12);
        assert_close(info.activation.upper, 35 * degree, 1e-12);
        assert_close(info.activation.start, 25 * degree, 1e-12);
        if (clamps) ck_assert(info.lower == -3 && info.upper == 3);
        else ck_assert(isinf(info.lower) && isinf(info.upper));
        case_close(&c);
    }
}
END_TEST

// definitions, activations of keyframes, and forces and activations of a step
START_TEST(activations_are_mujocos)
{
    mjcf_case c;
    case_open(&c, "mjcf_activations", NULL);
    compare_with_reference(&c, "mjcf_activations", 1e-9, "actuator act activation drive key");
    ck_assert_ptr_null(c.result->keyframes[1].a);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_REPLACED, "acts at once"), 0);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "state of its own"), 0);
    case_close(&c);
}
END_TEST

// the control and the state of a filter have ranges of their own
START_TEST(a_filter_keeps_the_range_of_its_state)
{
    mjcf_case c;
    case_open_text(&c,
                   ONE_BODY("<actuator>"
                            "<general name=\"f\" joint=\"j\" dyntype=\"filter\" dynprm=\"0\" ctrlrange=\"-2 1\" "
                            "actrange=\"1 3\"/>"
                            "<position name=\"d\" joint=\"j\" delay=\"0.1\"/></actuator>"),
                   NULL);
    const trx_actuator_def *f = case_actuator(&c, "f");
    assert_close(f->lower, -2, 0);
    ck_assert(f->activation.lower == 1 && f->activation.upper == 3 && f->activation.start == 1);
    ck_assert(f->activation.time_constant > 0 && !f->activation.early);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_REPLACED, "it acts at once"), 1);
    case_close(&c);
}
END_TEST

// the option named actuatorgroupdisable had no effect and no note of its own
START_TEST(actuators_of_disabled_groups_are_left_out_with_a_note)
{
    mjcf_case c;
    case_open_text(&c,
                   "<mujoco><option actuatorgroupdisable=\"1 30\"/><default><default class=\"d\"><motor group=\"30\"/></default>"
                   "</default><worldbody><body><joint name=\"j\" axis=\"1 0 0\"/><geom size=\"1\"/></body></worldbody>"
                   "<actuator><motor joint=\"j\" group=\"1\"/><motor class=\"d\" joint=\"j\"/><motor name=\"kept\" joint=\"j\"/>"
                   "<motor name=\"too\" class=\"d\" joint=\"j\" group=\"2\"/></actuator>"
                   "<keyframe><key ctrl=\"1 2 3 4\"/></keyframe></mujoco>",
                   NULL);
    ck_assert_int_eq(c.result->def.nactuator, 2);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "a motor whose group is disabled"), 2);
    assert_close(c.result->keyframes[0].u[0], 3, 0);
    assert_close(c.result->keyframes[0].u[1], 4, 0);
    case_close(&c);
}
END_TEST

// the lengths of such a muscle were sought for an actuator that the file no longer has
START_TEST(muscles_of_a_file_without_actuation_are_left_out)
{
    mjcf_case c;
    case_open_text(&c,
                   "<mujoco><option><flag actuation=\"disable\"/></option><worldbody><body name=\"b\">"
                   "<joint name=\"j\" axis=\"0 1 0\"/><geom size=\"0.1\" pos=\"0.5 0 0\"/></body></worldbody>"
                   "<actuator><muscle name=\"m\" joint=\"j\" ctrlrange=\"0 1\"/></actuator></mujoco>",
                   NULL);
    ck_assert_int_eq(c.result->def.nactuator, 0);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_REPLACED, "a muscle without lengthrange"), 0);
    case_close(&c);
}
END_TEST

START_TEST(drives_that_push_away_are_tamed)
{
    mjcf_case c;
    case_open_text(
        &c, ONE_BODY("<actuator><general name=\"a\" joint=\"j\" biastype=\"affine\" biasprm=\"0 3 -1\"/></actuator>"),
        NULL);
    ck_assert(case_actuator(&c, "a")->kp == 0 && case_actuator(&c, "a")->kd == 1);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_REPLACED, "pushes away"), 1);
    case_close(&c);
}
END_TEST

START_TEST(an_actuator_without_a_name_is_called_like_its_joint)
{
    mjcf_case c;
    case_open_text(&c, ONE_BODY("<actuator><motor joint=\"j\"/><motor joint=\"j\"/></actuator>"), NULL);
    ck_assert_str_eq(c.result->def.actuators[0].name, "j");
    ck_assert_str_ne(c.result->def.actuators[1].name, "j");
    case_close(&c);
}
END_TEST

START_TEST(wrong_actuators_are_refused)
{
    case_refuses(ONE_BODY("<actuator><motor/></actuator>"), "3: this motor acts on nothing; write joint or tendon");
    case_refuses(ONE_BODY("<actuator><motor joint=\"j\" tendon=\"t\"/></actuator>"),
                 "3: this motor has both joint and tendon; keep one of them");
    case_refuses(ONE_BODY("<actuator><motor joint=\"k\"/></actuator>"),
                 "3: joint of this motor is 'k'; there is no joint of that name");
    case_refuses(ONE_BODY("<actuator><motor joint=\"j\" ctrlrange=\"1 -1\"/></actuator>"),
                 "3: ctrlrange of this motor is '1 -1'; the smaller number comes first");
    case_refuses(ONE_BODY("<actuator><position joint=\"j\" inheritrange=\"1\"/></actuator>"),
                 "3: inheritrange of this position: what it moves has no range; write ctrlrange");
    case_refuses(ONE_BODY("<actuator><position joint=\"j\" inheritrange=\"1\" ctrlrange=\"0 1\"/></actuator>"),
                 "3: this position has both ctrlrange and inheritrange; keep one of them");
    case_refuses(ONE_BODY("<actuator><motor joint=\"j\" forcelimited=\"true\"/></actuator>"),
                 "3: forcelimited of this motor is true, but it has no forcerange");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mjcf/actuator");
    TCase *tests = tcase_create("mjcf_actuator");
    tcase_add_test(tests, drives_are_those_of_mujoco);
    tcase_add_test(tests, muscles_have_the_forces_and_rates_of_mujoco);
    tcase_add_test(tests, lengths_of_a_muscle_follow_from_the_ranges_of_its_joints);
    tcase_add_test(tests, impossible_muscles_are_refused);
    tcase_add_test(tests, muscles_that_differ_from_ours_are_left_out_or_noted);
    tcase_add_test(tests, limits_at_the_joint_are_those_of_its_only_drive);
    tcase_add_test(tests, rotors_and_friction_of_drives_are_added_to_the_joint);
    tcase_add_test(tests, drives_without_a_counterpart_are_left_out_with_a_note);
    tcase_add_test(tests, an_intvelocity_inherits_the_range_of_its_state);
    tcase_add_test(tests, activations_are_mujocos);
    tcase_add_test(tests, a_filter_keeps_the_range_of_its_state);
    tcase_add_test(tests, actuators_of_disabled_groups_are_left_out_with_a_note);
    tcase_add_test(tests, muscles_of_a_file_without_actuation_are_left_out);
    tcase_add_test(tests, drives_that_push_away_are_tamed);
    tcase_add_test(tests, an_actuator_without_a_name_is_called_like_its_joint);
    tcase_add_test(tests, wrong_actuators_are_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
