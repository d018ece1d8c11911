// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Fixed tendons carry drives, couplings, limits, springs and dampers; friction and rotors are noted.

#include "import/mjcf/case.h"
#include "support/support.h"

#include <stdio.h>

START_TEST(a_drive_along_a_tendon_pushes_its_joints_in_proportion)
{
    mjcf_case c;
    case_open(&c, "mjcf_actuators", NULL);
    const trx_tendon_def *along = &c.result->def.tendons[case_actuator(&c, "along")->tendon];
    ck_assert_int_eq(along->njoint, 2);
    assert_close(along->joints[0].factor, 1.5, 0);
    assert_close(along->joints[1].factor, -2, 0);
    ck_assert_str_eq(c.result->def.bodies[along->joints[1].body].joints[along->joints[1].joint].name, "slide");
    case_close(&c);
}
END_TEST

START_TEST(friction_and_rotors_of_tendons_are_noted)
{
    mjcf_case c;
    case_open_text(
        &c,
        ONE_BODY("<tendon><fixed name=\"t\" stiffness=\"3\" damping=\"1\" frictionloss=\"2\" armature=\"1\" "
                 "range=\"0 1\"><joint joint=\"j\" coef=\"1\"/></fixed></tendon>"),
        NULL);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "of this tendon"), 2);
    ck_assert_int_eq(c.result->def.ntendon, 1);
    ck_assert(c.result->def.tendons[0].stiffness == 3 && c.result->def.tendons[0].damping == 1);
    case_close(&c);
}
END_TEST

START_TEST(limits_of_a_tendon_are_a_constraint)
{
    static const char scene[] = "<mujoco><option>%s</option><worldbody><body name=\"b\"><joint name=\"i\"/>"
                                "<joint name=\"j\" axis=\"1 0 0\"/><geom size=\"1\"/></body></worldbody><tendon>"
                                "<fixed name=\"t\" range=\"-0.2 0.5\">"
                                "<joint joint=\"j\" coef=\"2\"/><joint joint=\"i\" coef=\"-1\"/></fixed>"
                                "<fixed range=\"0 1\"><joint joint=\"i\" coef=\"1\"/></fixed>"
                                "<fixed range=\"0 1\" limited=\"false\"><joint joint=\"i\" coef=\"1\"/></fixed></tendon></mujoco>";
    for (int off = 0; off < 2; off++) {
        char text[900];
        mjcf_case c;
        snprintf(text, sizeof text, scene, off ? "<flag limit=\"disable\"/>" : "");
        case_open_text(&c, text, NULL);
        ck_assert_int_eq(c.result->def.nconstraint, off ? 0 : 2);
        if (!off) {
            const trx_constraint_def *t = &c.result->def.constraints[0];
            ck_assert_str_eq(t[0].name, "t");
            ck_assert_str_eq(t[1].name, "tendon");
            ck_assert(t->type == TRX_CONSTRAINT_TENDON && t->lower == -0.2 && t->upper == 0.5);
            const trx_tendon_def *of = &c.result->def.tendons[t->tendon];
            ck_assert(of->njoint == 2 && of->joints[0].joint == 1 && of->joints[0].factor == 2 && of->joints[1].factor == -1);
        }
        case_close(&c);
    }
}
END_TEST

START_TEST(factors_of_zero_say_nothing)
{
    mjcf_case c;
    case_open_text(
        &c,
        "<mujoco><worldbody><body name=\"b\"><joint name=\"i\"/><joint name=\"j\" axis=\"1 0 0\"/><geom size=\"1\"/>"
        "</body></worldbody><tendon><fixed name=\"t\"><joint joint=\"i\" coef=\"0\"/><joint joint=\"j\" coef=\"2\"/>"
        "</fixed><fixed name=\"u\"><joint joint=\"i\" coef=\"0\"/></fixed></tendon><actuator>"
        "<motor name=\"m\" tendon=\"t\"/><motor name=\"n\" tendon=\"u\"/></actuator></mujoco>",
        NULL);
    ck_assert_int_eq(c.result->def.nactuator, 1);
    const trx_tendon_def *of = &c.result->def.tendons[case_actuator(&c, "m")->tendon];
    ck_assert_int_eq(of->njoint, 1);
    ck_assert_int_eq(of->joints[0].joint, 1);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "a motor on a tendon that is left out"), 1);
    case_close(&c);
}
END_TEST

START_TEST(wrong_tendons_are_refused)
{
    case_refuses(ONE_BODY("<tendon><fixed name=\"t\"/></tendon>"), "3: a fixed tendon needs a joint");
    case_refuses(ONE_BODY("<tendon><fixed><joint joint=\"j\"/></fixed></tendon>"),
                 "3: this joint needs the attribute coef");
    case_refuses(ONE_BODY("<tendon><fixed><joint joint=\"k\" coef=\"1\"/></fixed></tendon>"),
                 "3: joint of this joint is 'k'; there is no joint of that name");
    case_refuses(
        ONE_BODY("<tendon><fixed><joint joint=\"j\" coef=\"1\"/><joint joint=\"j\" coef=\"2\"/></fixed></tendon>"),
        "3: this joint is already part of this tendon; add up the two coef");
    case_refuses(IN_BODY("<body><joint name=\"s\" type=\"ball\"/><geom size=\"1\"/></body></body></worldbody>\n"
                         "<tendon><fixed><joint joint=\"s\" coef=\"1\"/></fixed></tendon><worldbody><body>"),
                 "4: a fixed tendon is made of hinges and slides; this joint is another one");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mjcf/tendon");
    TCase *tests = tcase_create("mjcf_tendon");
    tcase_add_test(tests, a_drive_along_a_tendon_pushes_its_joints_in_proportion);
    tcase_add_test(tests, friction_and_rotors_of_tendons_are_noted);
    tcase_add_test(tests, limits_of_a_tendon_are_a_constraint);
    tcase_add_test(tests, factors_of_zero_say_nothing);
    tcase_add_test(tests, wrong_tendons_are_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
