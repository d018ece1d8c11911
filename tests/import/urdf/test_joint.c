// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Joints of URDF: limits, damping, dry friction, and their start values; kinds that become other kinds. What they do to the poses
// of links is in test_urdf, refusals in tests/malformed_robots.

#include "import/robots.h"

#include <math.h>
#include <string.h>

#define LIMIT(lower, upper) "<limit lower=\"" lower "\" upper=\"" upper "\" effort=\"7\" velocity=\"1\"/>"
#define Z "<axis xyz=\"0 0 1\"/>"

// two links and a joint, on lines 2 to 4
#define PAIR(type, inside) ROBOT(LINK("a", "") LINK("b", "") JOINT("j", type, "a", "b", inside))

START_TEST(revolute_and_prismatic_joints_have_limits_damping_and_dry_friction)
{
    robot r = read_text(PAIR("revolute", "<axis xyz=\"0 0 -4\"/>" LIMIT("-0.5", "1.5") "<dynamics damping=\"0.2\" "
                                                                                       "friction=\"0.3\"/>"),
                        NULL);
    const trx_joint_def *j = joint_of(&r, "b");
    ck_assert_str_eq(j->name, "j");
    ck_assert_int_eq(j->source.line, 4);
    ck_assert_int_eq(j->type, TRX_JOINT_HINGE);
    assert_close(max_difference(j->axis, (double[]){0, 0, -1}, 3), 0, 0);
    assert_close(j->lower, -0.5, 0);
    assert_close(j->upper, 1.5, 0);
    assert_close(j->damping, 0.2, 0);
    assert_close(j->friction, 0.3, 0);
    free_robot(&r);

    r = read_text(PAIR("prismatic", LIMIT("0", "2")), NULL);
    j = joint_of(&r, "b");
    ck_assert_int_eq(j->type, TRX_JOINT_SLIDE);
    assert_close(max_difference(j->axis, (double[]){1, 0, 0}, 3), 0, 0);
    assert_close(j->upper, 2, 0);
    free_robot(&r);
}
END_TEST

START_TEST(velocity_limits_are_kept_and_0_is_none)
{
    robot r = read_text(PAIR("revolute", Z "<limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"2.5\"/>"), NULL);
    assert_close(joint_of(&r, "b")->velocity_limit, 2.5, 0);
    free_robot(&r);
    r = read_text(PAIR("continuous", Z "<limit effort=\"1\" velocity=\"0\"/>"), NULL);
    ck_assert(isinf(joint_of(&r, "b")->velocity_limit));
    free_robot(&r);
    r = read_text(PAIR("revolute", Z), NULL);
    ck_assert(isinf(joint_of(&r, "b")->velocity_limit));
    free_robot(&r);
}
END_TEST

START_TEST(continuous_joints_have_no_limits_even_if_the_file_gives_some)
{
    robot r = read_text(PAIR("continuous", Z LIMIT("-1", "1")), NULL);
    ck_assert(isinf(joint_of(&r, "b")->lower) && isinf(joint_of(&r, "b")->upper));
    assert_note(&r, TRX_NOTE_DROPPED, 4, "limits of 1 joint that turn for ever (continuous): not enforced");
    assert_note(&r, TRX_NOTE_DROPPED, 4, "velocity limits of 1 joint hold in plans with robot: true in limits, nowhere else");
    free_robot(&r);
}
END_TEST

START_TEST(missing_limits_are_none_and_a_missing_end_is_zero)
{
    robot r = read_text(PAIR("revolute", Z), NULL);
    ck_assert(isinf(joint_of(&r, "b")->lower) && isinf(joint_of(&r, "b")->upper));
    assert_note(&r, TRX_NOTE_ASSUMED, 4, "1 joint without limits is not limited");
    free_robot(&r);

    r = read_text(PAIR("revolute", Z "<limit upper=\"2\" effort=\"1\" velocity=\"1\"/>"), NULL);
    assert_close(joint_of(&r, "b")->lower, 0, 0);
    assert_close(joint_of(&r, "b")->upper, 2, 0);
    assert_note(&r, TRX_NOTE_ASSUMED, 4, "the missing limit of 1 joint is 0");
    free_robot(&r);
}
END_TEST

START_TEST(a_joint_whose_limits_leave_no_room_is_fixed_where_they_are)
{
    robot r = read_text(PAIR("revolute", "<origin xyz=\"0 0 1\"/>" Z LIMIT("0.5", "0.5")), NULL);
    ck_assert_int_eq(body_of(&r, "b")->njoint, 0);
    assert_close(body_of(&r, "b")->pose.quat[0], cos(0.25), 1e-15);
    assert_close(body_of(&r, "b")->pose.quat[3], sin(0.25), 1e-15);
    assert_close(body_of(&r, "b")->pose.p[2], 1, 0);
    assert_note(&r, TRX_NOTE_REPLACED, 4, "joint \"j\" has both limits at 0.5: it is fixed there");
    ck_assert_int_eq(r.result->def.nactuator, 0);
    free_robot(&r);

    r = read_text(PAIR("prismatic", "<origin xyz=\"0 0 1\"/>" Z LIMIT("0.5", "0.5")), NULL);
    assert_close(body_of(&r, "b")->pose.p[2], 1.5, 0);
    free_robot(&r);
}
END_TEST

START_TEST(joints_start_at_zero_or_at_the_limit_next_to_it)
{
    robot r = read_text(ROBOT(LINK("a", "") LINK("b", "") LINK("c", "") LINK("d", "")
                                  JOINT("j", "revolute", "a", "b", Z LIMIT("-1", "1"))
                                      JOINT("k", "revolute", "b", "c", Z LIMIT("-2", "-0.5"))
                                          JOINT("l", "prismatic", "c", "d", Z LIMIT("0.1", "0.3"))),
                        NULL);
    assert_close(max_difference(r.result->q0, (double[]){0, -0.5, 0.1}, 3), 0, 0);
    assert_note(&r, TRX_NOTE_ASSUMED, 7, "2 joints start at a limit: 0 is outside");
    free_robot(&r);
}
END_TEST

START_TEST(a_planar_joint_about_z_is_one_and_about_another_axis_two_slides_and_a_hinge)
{
    robot r = read_text(PAIR("planar", Z "<dynamics damping=\"0.2\"/>"), NULL);
    ck_assert_int_eq(joint_of(&r, "b")->type, TRX_JOINT_PLANAR);
    assert_close(joint_of(&r, "b")->damping, 0.2, 0);
    ck_assert_int_eq(r.result->nq, 3);
    free_robot(&r);

    r = read_text(PAIR("planar", "<axis xyz=\"0 1 0\"/><dynamics damping=\"0.2\"/>"), NULL);
    const trx_body_def *b = body_of(&r, "b");
    ck_assert_int_eq(b->njoint, 3);
    ck_assert_str_eq(b->joints[0].name, "j_x");
    ck_assert_str_eq(b->joints[2].name, "j_yaw");
    ck_assert_int_eq(b->joints[1].type, TRX_JOINT_SLIDE);
    ck_assert_int_eq(b->joints[2].type, TRX_JOINT_HINGE);
    for (int i = 0; i < 3; i++) assert_close(b->joints[i].damping, 0.2, 0);
    // a right-handed frame whose third axis is that of the file
    const double *x = b->joints[0].axis, *y = b->joints[1].axis;
    assert_close(x[1], 0, 1e-15);
    assert_close(y[1], 0, 1e-15);
    assert_close(x[2] * y[0] - x[0] * y[2], 1, 1e-15);
    ck_assert_int_eq(count_notes(&r, TRX_NOTE_REPLACED, "planar joint \"j\" is two slides"), 1);
    free_robot(&r);
}
END_TEST

START_TEST(a_floating_joint_on_the_world_is_free_and_starts_where_its_origin_is)
{
    // through a fixed link, and with the pose of the options before all
    trx_import_options options = trx_import_options_default();
    options.pose.p[0] = 10;
    robot r = read_text(ROBOT(LINK("a", "") LINK("b", "") LINK("c", "")
                                  JOINT("f", "fixed", "a", "b", "<origin xyz=\"0 1 0\" rpy=\"0 0 1.5707963267948966\"/>")
                                      JOINT("j", "floating", "b", "c", "<origin xyz=\"2 0 0.5\"/><axis xyz=\"0 0 1\"/>")),
                        &options);
    ck_assert_int_eq(joint_of(&r, "c")->type, TRX_JOINT_FREE);
    ck_assert_int_eq(body_of(&r, "c")->parent, -1);
    assert_close(max_difference(r.result->q0, (double[]){10, 3, 0.5, sqrt(0.5), 0, 0, sqrt(0.5)}, 7), 0, 1e-14);
    trx_model *model = model_of(&r);
    trx_model_destroy(model);
    free_robot(&r);
}
END_TEST

START_TEST(a_floating_joint_on_a_link_that_moves_is_three_slides_and_a_ball)
{
    robot r = read_text(ROBOT(LINK("a", "") LINK("b", "") LINK("c", "") JOINT("i", "continuous", "a", "b", Z)
                                  JOINT("j", "floating", "b", "c", "<dynamics damping=\"0.1\"/>")),
                        NULL);
    const trx_body_def *c = body_of(&r, "c");
    ck_assert_int_eq(c->njoint, 4);
    ck_assert_int_eq(c->joints[3].type, TRX_JOINT_BALL);
    ck_assert_str_eq(c->joints[3].name, "j_turn");
    assert_close(c->joints[3].damping, 0.1, 0);
    assert_note(&r, TRX_NOTE_REPLACED, 6,
                "floating joint \"j\" hangs on a link that moves: it is three slides and a ball");
    // q0: the hinge, three slides, the identity
    assert_close(max_difference(r.result->q0, (double[]){0, 0, 0, 0, 1, 0, 0, 0}, 8), 0, 0);
    free_robot(&r);
}
END_TEST

START_TEST(ball_joints_are_read_under_both_of_their_names)
{
    robot r = read_text(PAIR("ball", ""), NULL);
    ck_assert_int_eq(joint_of(&r, "b")->type, TRX_JOINT_BALL);
    free_robot(&r);
    r = read_text(ROBOT(LINK("a", "") LINK("b", "") "<drake:joint name=\"j\" type=\"spherical\"><parent "
                                                    "link=\"a\"/><child "
                                                    "link=\"b\"/></drake:joint>"),
                  NULL);
    ck_assert_int_eq(joint_of(&r, "b")->type, TRX_JOINT_BALL);
    free_robot(&r);
}
END_TEST

START_TEST(what_says_nothing_about_a_fixed_joint_is_not_noted)
{
    robot r = read_text(PAIR("fixed", Z LIMIT("0", "1") "<dynamics damping=\"1\"/>"), NULL);
    ck_assert_int_eq(count_notes(&r, TRX_NOTE_DROPPED, ""), 0);
    free_robot(&r);
}
END_TEST

START_TEST(an_origin_may_have_a_quaternion)
{
    robot r = read_text(PAIR("fixed", "<origin xyz=\"1 2 3\" quat_xyzw=\"0 0 2 0\"/>"), NULL);
    assert_close(max_difference(body_of(&r, "b")->pose.quat, (double[]){0, 0, 0, 1}, 4), 0, 0);
    assert_close(body_of(&r, "b")->pose.p[2], 3, 0);
    free_robot(&r);
}
END_TEST

START_TEST(limits_in_the_wrong_order_are_none_as_in_pybullet)
{
    robot r = read_text(ROBOT(LINK("a", "") LINK("b", "")
                                  JOINT("j", "prismatic", "a", "b", "<limit lower=\"1\" upper=\"-1\" effort=\"2\"/>")),
                        NULL);
    ck_assert(isinf(joint_of(&r, "b")->lower) && isinf(joint_of(&r, "b")->upper));
    assert_note(&r, TRX_NOTE_REPLACED, 4,
                "1 joint has a lower limit above its upper one: it is not limited, as in PyBullet");
    free_robot(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/urdf/joint");
    TCase *tests = tcase_create("urdf_joint");
    tcase_add_test(tests, revolute_and_prismatic_joints_have_limits_damping_and_dry_friction);
    tcase_add_test(tests, velocity_limits_are_kept_and_0_is_none);
    tcase_add_test(tests, continuous_joints_have_no_limits_even_if_the_file_gives_some);
    tcase_add_test(tests, missing_limits_are_none_and_a_missing_end_is_zero);
    tcase_add_test(tests, a_joint_whose_limits_leave_no_room_is_fixed_where_they_are);
    tcase_add_test(tests, joints_start_at_zero_or_at_the_limit_next_to_it);
    tcase_add_test(tests, a_planar_joint_about_z_is_one_and_about_another_axis_two_slides_and_a_hinge);
    tcase_add_test(tests, a_floating_joint_on_the_world_is_free_and_starts_where_its_origin_is);
    tcase_add_test(tests, a_floating_joint_on_a_link_that_moves_is_three_slides_and_a_ball);
    tcase_add_test(tests, ball_joints_are_read_under_both_of_their_names);
    tcase_add_test(tests, what_says_nothing_about_a_fixed_joint_is_not_noted);
    tcase_add_test(tests, an_origin_may_have_a_quaternion);
    tcase_add_test(tests, limits_in_the_wrong_order_are_none_as_in_pybullet);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
