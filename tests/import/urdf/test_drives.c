// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Actuators of URDF robots: by transmissions in their order, or a motor for every joint; efforts and rotors. Refusals are in
// tests/malformed_robots.

#include "import/robots.h"

#include <math.h>
#include <string.h>

#define MOVING(name, parent, child, effort)                                                                              \
    JOINT(name, "revolute", parent, child, "<limit lower=\"-1\" upper=\"1\" effort=\"" effort "\" velocity=\"0\"/>")
#define DRIVE(joint, inside) "<transmission name=\"t_" joint "\"><joint name=\"" joint "\"/>" inside "</transmission>\n"

static const trx_actuator_def *actuator(const robot *r, int index)
{
    ck_assert_int_lt(index, r->result->def.nactuator);
    return &r->result->def.actuators[index];
}

START_TEST(without_transmissions_every_joint_has_a_motor_within_its_effort)
{
    robot r = read_text(ROBOT(LINK("a", "") LINK("b", "") LINK("c", "") LINK("d", "") LINK("e", "")
                                  MOVING("i", "a", "b", "5") MOVING("j", "b", "c", "0")
                                      JOINT("k", "continuous", "c", "d", "") JOINT("f", "ball", "a", "e", "")),
                        NULL);
    ck_assert_int_eq(r.result->def.nactuator, 2);
    ck_assert_str_eq(actuator(&r, 0)->name, "i");
    ck_assert_int_eq(actuator(&r, 0)->body, find_body(&r, "b"));
    assert_close(actuator(&r, 0)->lower, -5, 0);
    assert_close(actuator(&r, 0)->upper, 5, 0);
    assert_close(actuator(&r, 0)->gear, 1, 0);
    ck_assert(isinf(actuator(&r, 1)->upper));
    assert_note(&r, TRX_NOTE_ASSUMED, 7, "motors of 3 joints: the file has no transmissions");
    assert_note(&r, TRX_NOTE_DROPPED, 8, "motors of 1 joint whose effort limit is 0");
    assert_note(&r, TRX_NOTE_ASSUMED, 9, "1 motor has no effort limit: the file gives none");
    free_robot(&r);
}
END_TEST

START_TEST(transmissions_say_which_joints_are_driven_in_which_order)
{
    robot r = read_text(ROBOT(LINK("a", "") LINK("b", "") LINK("c", "") LINK("d", "") MOVING("i", "a", "b", "1")
                                  MOVING("j", "b", "c", "2") MOVING("k", "c", "d", "3")
                                      DRIVE("k", "<actuator name=\"motor k\"/>") DRIVE("i", "")),
                        NULL);
    ck_assert_int_eq(r.result->def.nactuator, 2);
    ck_assert_str_eq(actuator(&r, 0)->name, "motor k");
    ck_assert_str_eq(actuator(&r, 1)->name, "i");
    assert_close(actuator(&r, 0)->upper, 3, 0);
    assert_close(actuator(&r, 1)->upper, 1, 0);
    ck_assert_int_eq(count_notes(&r, TRX_NOTE_ASSUMED, "motors"), 0);
    free_robot(&r);
}
END_TEST

START_TEST(rotor_inertia_counts_with_the_square_of_its_gear)
{
    robot r = read_text(ROBOT(LINK("a", "") LINK("b", "") MOVING("i", "a", "b", "1") DRIVE("i", "<actuator "
                                                                                                "name=\"m\"><drake:rotor_"
                                                                                                "inertia "
                                                                                                "value=\"2e-5\"/"
                                                                                                "><drake:gear_ratio>100</"
                                                                                                "drake:gear_ratio>"
                                                                                                "</actuator>")),
                        NULL);
    assert_close(joint_of(&r, "b")->armature, 0.2, 1e-15);
    free_robot(&r);
}
END_TEST

START_TEST(a_reduction_is_noted_and_the_control_stays_the_force_of_the_joint)
{
    robot r = read_text(ROBOT(LINK("a", "") LINK("b", "") LINK("c", "") MOVING("i", "a", "b", "1")
                                  MOVING("j", "b", "c", "1") DRIVE("i", "<actuator "
                                                                        "name=\"m\"><mechanicalReduction>50</"
                                                                        "mechanicalReduction></actuator>")
                                      DRIVE("j", "<actuator "
                                                 "name=\"n\"><mechanicalReduction>1</mechanicalReduction></actuator>")),
                        NULL);
    assert_note(&r, TRX_NOTE_DROPPED, 7,
                "mechanicalReduction 50 is not applied: the control is the force of joint \"i\"");
    ck_assert_int_eq(count_notes(&r, TRX_NOTE_DROPPED, "mechanicalReduction"), 1);
    assert_close(actuator(&r, 0)->gear, 1, 0);
    free_robot(&r);
}
END_TEST

START_TEST(transmissions_of_several_joints_of_fixed_ones_and_of_the_same_twice_are_noted)
{
    robot r = read_text(ROBOT(LINK("a", "") LINK("b", "") LINK("c", "") LINK("d", "") MOVING("i", "a", "b", "1")
                                  MOVING("j", "b", "c", "1")
                                      JOINT("f", "fixed", "c", "d", "") "<transmission name=\"t\"><joint "
                                                                        "name=\"i\"/><joint name=\"j\"/><actuator "
                                                                        "name=\"m\"/><actuator "
                                                                        "name=\"n\"/></transmission>\n" DRIVE("f", "")
                                                                            DRIVE("i", "")),
                        NULL);
    ck_assert_int_eq(r.result->def.nactuator, 2);
    ck_assert_str_eq(actuator(&r, 1)->name, "n");
    assert_note(&r, TRX_NOTE_REPLACED, 9, "a transmission of 2 joints: each is driven by itself");
    assert_note(&r, TRX_NOTE_DROPPED, 10, "the actuator of joint \"f\": it has not one degree of freedom");
    assert_note(&r, TRX_NOTE_DROPPED, 11, "a second actuator of joint \"i\"");
    free_robot(&r);
}
END_TEST

START_TEST(odd_transmissions_are_noted_and_drive_what_they_can)
{
    robot r = read_text(ROBOT(LINK("a", "") LINK("b", "") MOVING("i", "a", "b", "1")
                                  "<transmission name=\"t\"><actuator name=\"m\"/></transmission>\n"
                                  "<transmission name=\"u\"><joint name=\"nobody\"/></transmission>\n"
                                  DRIVE("i", "<mechanicalReduction>reduction</mechanicalReduction>")),
                        NULL);
    ck_assert_int_eq(r.result->def.nactuator, 1);
    assert_note(&r, TRX_NOTE_DROPPED, 5, "1 transmission without a joint");
    assert_note(&r, TRX_NOTE_DROPPED, 6, "the transmission of joint \"nobody\": there is no such joint");
    assert_note(&r, TRX_NOTE_DROPPED, 7, "mechanicalReduction of 1 actuator is no number");
    free_robot(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/urdf/drives");
    TCase *tests = tcase_create("urdf_drives");
    tcase_add_test(tests, without_transmissions_every_joint_has_a_motor_within_its_effort);
    tcase_add_test(tests, transmissions_say_which_joints_are_driven_in_which_order);
    tcase_add_test(tests, rotor_inertia_counts_with_the_square_of_its_gear);
    tcase_add_test(tests, a_reduction_is_noted_and_the_control_stays_the_force_of_the_joint);
    tcase_add_test(tests, transmissions_of_several_joints_of_fixed_ones_and_of_the_same_twice_are_noted);
    tcase_add_test(tests, odd_transmissions_are_noted_and_drive_what_they_can);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
