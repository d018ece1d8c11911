// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Joints: types, units, springs and limits, and what a joint may not be.

#include "import/mjcf/case.h"
#include "support/support.h"

#include <math.h>

START_TEST(joints_are_those_of_mujoco)
{
    mjcf_case c;
    case_open(&c, "mjcf_joints", NULL);
    compare_with_reference(&c, "mjcf_joints", 1e-9, "size body joint pose M bias");
    ck_assert_int_eq(case_body(&c, "cart")->njoint, 3);
    ck_assert_int_eq(case_joint(&c, "wrist")->type, TRX_JOINT_BALL);
    assert_close(case_joint(&c, "wrist")->damping, 0.01, 0);
    case_close(&c);
    case_open(&c, "mjcf_radians", NULL);
    compare_with_reference(&c, "mjcf_radians", 1e-9, "joint actuator pose M");
    case_close(&c);
}
END_TEST

START_TEST(a_body_moved_by_one_joint_shares_its_name)
{
    mjcf_case c;
    case_open_text(&c,
                   "<mujoco><worldbody><body name=\"box\"><freejoint/><geom size=\"1\"/></body>"
                   "<body name=\"two\"><joint/><joint type=\"slide\"/><geom size=\"1\" pos=\"1 0 0\"/></body>"
                   "</worldbody></mujoco>",
                   NULL);
    ck_assert_int_eq(case_joint(&c, "box")->type, TRX_JOINT_FREE);
    ck_assert_str_ne(case_body(&c, "two")->joints[0].name, "two");
    case_close(&c);
}
END_TEST

START_TEST(what_a_joint_cannot_do_here_is_noted)
{
    mjcf_case c;
    case_open_text(
        &c,
        "<mujoco><worldbody><body name=\"b\"><joint name=\"j\" type=\"ball\" range=\"0 90\"/><geom size=\"1\"/>"
        "<body><joint damping=\"1 2 0\" stiffness=\"3 0 1\" springyield=\"0.1\"/><geom size=\"1\"/></body></body>"
        "<body><freejoint align=\"true\"/><geom size=\"1\" pos=\"1 0 0\"/></body>"
        "<body><joint type=\"free\" stiffness=\"3\" damping=\"2\"/><geom size=\"1\"/></body></worldbody></mujoco>",
        NULL);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "limit of a ball joint"), 1);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_REPLACED, "polynomial"), 2);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_REPLACED, "springyield"), 1);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "align"), 1);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "spring of a free joint"), 1);
    const trx_joint_def *free = &c.result->def.bodies[3].joints[0];
    assert_close(free->damping, 2, 0);
    assert_close(free->stiffness, 0, 0);
    case_close(&c);
}
END_TEST

START_TEST(infinite_ends_of_a_range_are_no_limits)
{
    mjcf_case c;
    case_open_text(&c,
                   "<mujoco><default><joint limited=\"true\"/></default><worldbody><body name=\"b\">"
                   "<joint name=\"j\" range=\"-inf inf\"/>"
                   "<joint name=\"k\" axis=\"0 1 0\" range=\"-90 +Infinity\"/><geom size=\"1\"/>"
                   "<body><joint name=\"ball\" type=\"ball\"/><geom size=\"1\"/></body></body></worldbody></mujoco>",
                   NULL);
    ck_assert(isinf(case_joint(&c, "j")->lower));
    ck_assert(isinf(case_joint(&c, "j")->upper));
    assert_close(case_joint(&c, "k")->lower, -acos(-1) / 2, 1e-15);
    ck_assert(isinf(case_joint(&c, "k")->upper));
    case_close(&c);
    case_refuses("<mujoco><worldbody><body><joint range=\"-inf\"/><geom size=\"1\"/></body></worldbody></mujoco>",
                 "1: range of this joint is '-inf'; write 2 numbers");
}
END_TEST

START_TEST(wrong_joints_are_refused)
{
    case_refuses(IN_BODY("<joint axis=\"0 0 0\"/>"),
                 "3: the axis of this joint has no direction; write one such as 0 0 1");
    case_refuses(IN_BODY("<joint type=\"screw\"/>"),
                 "3: type of this joint is 'screw'; write free, ball, slide or hinge");
    case_refuses(IN_BODY("<freejoint/>"), "3: a free joint stands alone; remove the other joints of this body");
    case_refuses(IN_BODY("<body><freejoint/><geom size=\"1\"/></body>"),
                 "3: a free joint inside a body that has a parent; only bodies of worldbody are free");
    case_refuses(IN_BODY("<joint damping=\"-2\"/>"), "3: damping of this joint is -2; it must not be negative");
    case_refuses(IN_BODY("<joint range=\"2 1\"/>"), "3: range of this joint is '2 1'; the smaller number comes first");
    case_refuses(IN_BODY("<joint limited=\"true\"/>"), "3: limited of this joint is true, but it has no range");
}
END_TEST

// limits that a start violated were closed within the first step, at any speed
START_TEST(a_start_outside_the_limits_moves_to_the_limit_unless_it_is_to_be_kept)
{
    static const char text[] = "<mujoco><compiler angle=\"radian\"/><worldbody><body><joint name=\"a\" range=\"0.5 1\"/>"
                               "<joint name=\"b\" axis=\"0 1 0\" range=\"-1 1\" ref=\"3\"/><joint name=\"c\" axis=\"1 0 0\" "
                               "range=\"-1 1\" ref=\"0.3\"/><geom size=\"1\"/></body></worldbody></mujoco>";
    mjcf_case c;
    trx_import_options options = trx_import_options_default();
    case_open_text(&c, text, &options);
    static const double moved[] = {0.5, 1, 0.3}, kept[] = {0, 3, 0.3};
    for (int i = 0; i < 3; i++) assert_close(c.result->q0[i], moved[i], 0);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_REPLACED, "start of 2 joints outside the limits"), 1);
    case_close(&c);
    options.keep_start = true;
    case_open_text(&c, text, &options);
    for (int i = 0; i < 3; i++) assert_close(c.result->q0[i], kept[i], 0);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_REPLACED, "start of"), 0);
    case_close(&c);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mjcf/joint");
    TCase *tests = tcase_create("mjcf_joint");
    tcase_add_test(tests, joints_are_those_of_mujoco);
    tcase_add_test(tests, a_body_moved_by_one_joint_shares_its_name);
    tcase_add_test(tests, what_a_joint_cannot_do_here_is_noted);
    tcase_add_test(tests, infinite_ends_of_a_range_are_no_limits);
    tcase_add_test(tests, wrong_joints_are_refused);
    tcase_add_test(tests, a_start_outside_the_limits_moves_to_the_limit_unless_it_is_to_be_kept);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
