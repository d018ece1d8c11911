// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Positions and orientations against MuJoCo's, in frames and classes.

#include "import/mjcf/case.h"
#include "support/support.h"

START_TEST(poses_are_those_of_mujoco)
{
    mjcf_case c;
    case_open(&c, "mjcf_poses", NULL);
    compare_with_reference(&c, "mjcf_poses", 1e-9, "body geom site pose M");
    case_close(&c);
}
END_TEST

START_TEST(an_orientation_of_the_element_beats_any_of_its_class)
{
    mjcf_case c;
    case_open_text(&c,
                   "<mujoco><default><geom euler=\"90 0 0\" size=\"1 1 1\" type=\"box\"/></default><worldbody>"
                   "<geom name=\"own\" quat=\"0 0 2 0\"/><geom name=\"inherited\"/></worldbody></mujoco>",
                   NULL);
    assert_close(case_geometry(&c, "own")->pose.quat[2], 1, 0);
    assert_close(case_geometry(&c, "inherited")->pose.quat[1], sqrt(0.5), 1e-15);
    case_close(&c);
}
END_TEST

START_TEST(wrong_orientations_are_refused)
{
    case_refuses(IN_BODY("<site name=\"s\" quat=\"0 0 0 0\"/>"),
                 "3: the quaternion of this site is zero; 1 0 0 0 is no rotation");
    case_refuses(IN_BODY("<site name=\"s\" quat=\"1 0 0 0\" euler=\"1 2 3\"/>"),
                 "3: this site has both quat and euler; keep one of them");
    case_refuses(IN_BODY("<site name=\"s\" axisangle=\"0 0 0 5\"/>"),
                 "3: the axis of axisangle has no direction; write one such as 0 0 1");
    case_refuses(IN_BODY("<site name=\"s\" xyaxes=\"1 0 0 2 0 0\"/>"),
                 "3: xyaxes of this site are no two directions; write the x axis, then the y axis");
    case_refuses(IN_BODY("<site name=\"s\" zaxis=\"0 0 0\"/>"), "3: zaxis of this site has no direction");
    case_refuses(ONE_BODY("<compiler eulerseq=\"abc\"/>"),
                 "3: eulerseq of this compiler is 'abc'; write three letters of x, y, z, X, Y, Z, such as xyz");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mjcf/pose");
    TCase *tests = tcase_create("mjcf_pose");
    tcase_add_test(tests, poses_are_those_of_mujoco);
    tcase_add_test(tests, an_orientation_of_the_element_beats_any_of_its_class);
    tcase_add_test(tests, wrong_orientations_are_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
