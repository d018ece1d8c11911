// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The mass that drives and springs feel at the reference configuration.

#include "import/mjcf/case.h"
#include "support/support.h"

// a slide under a slide: one drive feels what its inverse mass matrix says, 1 / (M^-1)_11
START_TEST(a_damping_ratio_counts_the_mass_that_is_felt)
{
    mjcf_case c;
    case_open_text(
        &c,
        "<mujoco><worldbody><body name=\"b\"><joint name=\"j\" type=\"slide\" axis=\"1 0 0\" armature=\"1\"/>"
        "<inertial pos=\"0 0 0\" mass=\"2\" diaginertia=\"1 1 1\"/><body name=\"c\"><joint name=\"k\" type=\"slide\" "
        "axis=\"1 0 0\"/><inertial pos=\"0 0 0\" mass=\"4\" diaginertia=\"1 1 1\"/></body></body></worldbody><actuator>"
        "<position name=\"a\" joint=\"j\" kp=\"9\" dampratio=\"1\"/></actuator></mujoco>",
        NULL);
    // M = [7 4; 4 4]: the second slide follows freely, so only body and rotor are felt
    assert_close(case_actuator(&c, "a")->kd, 2 * sqrt(9 * 3.0), 1e-12);
    case_close(&c);
}
END_TEST

START_TEST(ratios_and_time_constants_are_those_of_mujoco)
{
    mjcf_case c;
    case_open(&c, "mjcf_actuators", NULL);
    compare_with_reference(&c, "mjcf_actuators", 1e-9, "actuator");
    ck_assert_double_gt(case_actuator(&c, "critical")->kd, 0.1);
    ck_assert_double_gt(case_actuator(&c, "geared")->kd, 0.01);
    ck_assert_double_gt(case_actuator(&c, "along")->kd, 0.01);
    case_close(&c);
    case_open(&c, "mjcf_joints", NULL);
    compare_with_reference(&c, "mjcf_joints", 1e-9, "joint");
    ck_assert_double_gt(case_joint(&c, "spring")->stiffness, 0.01);
    case_close(&c);
}
END_TEST

// in this file child bodies stand before the joints of their parents. M had the order of the file and lacked the entries between
// parent and child, so the damping of tails was a fortieth of MuJoCo's
START_TEST(joints_go_by_bodies_wherever_the_file_writes_them)
{
    mjcf_case c;
    case_open(&c, "mjcf_order", NULL);
    compare_with_reference(&c, "mjcf_order", 1e-9, "joint actuator key M bias");
    ck_assert_double_gt(case_joint(&c, "hip_j")->damping, 1);
    case_close(&c);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mjcf/mass");
    TCase *tests = tcase_create("mjcf_mass");
    tcase_add_test(tests, a_damping_ratio_counts_the_mass_that_is_felt);
    tcase_add_test(tests, ratios_and_time_constants_are_those_of_mujoco);
    tcase_add_test(tests, joints_go_by_bodies_wherever_the_file_writes_them);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
