// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The tree of bodies: order, frames, the world's own body, what is left out.

#include "import/mjcf/case.h"
#include "support/support.h"

START_TEST(what_belongs_to_the_world_is_on_a_body_of_its_own)
{
    mjcf_case c;
    case_open(&c, "mjcf_geoms", NULL);
    const trx_body_def *world = case_body(&c, "worldbody");
    ck_assert(world->parent == -1 && world->njoint == 0 && world->ngeometry == 2 && world->nframe == 1);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_REPLACED, "'worldbody'"), 1);
    case_close(&c);
}
END_TEST

START_TEST(frames_pass_their_pose_and_class_to_their_content)
{
    mjcf_case c;
    case_open_text(
        &c,
        "<mujoco><default><default class=\"k\"><joint damping=\"4\"/></default></default><worldbody>"
        "<frame pos=\"1 0 0\"><frame euler=\"0 0 90\" childclass=\"k\"><body name=\"b\" pos=\"1 0 0\">"
        "<frame pos=\"0 0 5\"><joint name=\"j\" axis=\"1 0 0\"/></frame><geom size=\"1\"/></body></frame></frame>"
        "</worldbody></mujoco>",
        NULL);
    const trx_body_def *b = case_body(&c, "b");
    assert_close(b->pose.p[0], 1, 1e-15);
    assert_close(b->pose.p[1], 1, 1e-15);
    assert_close(case_joint(&c, "j")->at[2], 5, 0);
    assert_close(case_joint(&c, "j")->damping, 4, 0);
    case_close(&c);
}
END_TEST

START_TEST(gravity_can_be_switched_off_for_a_body)
{
    mjcf_case c;
    case_open_text(&c, IN_BODY("<body name=\"light\" gravcomp=\"1\"/><body name=\"half\" gravcomp=\"0.5\"/>"), NULL);
    ck_assert(!case_body(&c, "light")->gravity && case_body(&c, "half")->gravity);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "gravcomp 0.5"), 1);
    case_close(&c);
}
END_TEST

START_TEST(what_makes_bodies_in_other_ways_is_left_out_with_a_note)
{
    mjcf_case c;
    case_open_text(
        &c,
        IN_BODY("<composite type=\"cable\"/><flexcomp name=\"f\"/><site/><body mocap=\"true\"/>"),
        NULL);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_MISSING, "and all that is in it"), 2);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "1 site without a name"), 1);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_REPLACED, "mocap"), 1);
    ck_assert_int_eq(case_body(&c, "b")->ngeometry, 1);
    case_close(&c);
}
END_TEST

START_TEST(the_world_does_not_move)
{
    case_refuses("<mujoco><worldbody>\n<joint/></worldbody></mujoco>",
                 "2: worldbody takes no joint; put it inside a body");
    case_refuses("<mujoco><worldbody>\n<inertial/></worldbody></mujoco>",
                 "2: worldbody takes no inertial; put it inside a body");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mjcf/body");
    TCase *tests = tcase_create("mjcf_body");
    tcase_add_test(tests, what_belongs_to_the_world_is_on_a_body_of_its_own);
    tcase_add_test(tests, frames_pass_their_pose_and_class_to_their_content);
    tcase_add_test(tests, gravity_can_be_switched_off_for_a_body);
    tcase_add_test(tests, what_makes_bodies_in_other_ways_is_left_out_with_a_note);
    tcase_add_test(tests, the_world_does_not_move);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
