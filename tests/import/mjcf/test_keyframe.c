// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Named states against MuJoCo's.

#include "import/mjcf/case.h"
#include "support/support.h"

START_TEST(named_states_are_those_of_mujoco)
{
    mjcf_case c;
    case_open(&c, "mjcf_keys", NULL);
    compare_with_reference(&c, "mjcf_keys", 1e-9, "key gravity");
    assert_close(c.result->time_step, 0.004, 0);
    assert_close(c.result->gravity[1], 1, 0);
    ck_assert_ptr_null(c.result->keyframes[0].v);
    case_close(&c);
}
END_TEST

START_TEST(a_free_joint_moves_with_the_import)
{
    mjcf_case c;
    trx_import_options options = trx_import_options_default();
    options.pose = (trx_pose){{0, 0, 10}, {0, 0, 0, 1}};
    case_open(&c, "mjcf_keys", &options);
    const trx_keyframe *posed = &c.result->keyframes[1];
    assert_close(posed->q[0], -1, 1e-15);
    assert_close(posed->q[1], -2, 1e-15);
    assert_close(posed->q[2], 13, 1e-15);
    assert_close(posed->v[0], -1, 1e-15);
    assert_close(posed->v[2], 3, 1e-15);
    assert_close(posed->v[3], 4, 0);
    case_close(&c);
}
END_TEST

START_TEST(states_that_are_too_short_go_on_like_the_reference)
{
    mjcf_case c;
    case_open_text(
        &c,
        "<mujoco><compiler angle=\"radian\"/><worldbody><body name=\"b\"><joint name=\"i\"/><joint name=\"j\" "
        "axis=\"1 0 0\" ref=\"0.4\"/><geom size=\"1\"/></body></worldbody><keyframe><key name=\"k\" "
        "qpos=\"3\" qvel=\"5\"/></keyframe></mujoco>",
        NULL);
    const trx_keyframe *k = &c.result->keyframes[0];
    ck_assert(k->q[0] == 3 && k->q[1] == 0.4 && k->v[0] == 5 && k->v[1] == 0);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_ASSUMED, "of this key has 1 of 2 numbers"), 2);
    case_close(&c);
}
END_TEST

// these poses were noted as attributes for drawing
START_TEST(poses_of_mocap_bodies_in_a_key_are_noted)
{
    mjcf_case c;
    case_open_text(&c,
                   "<mujoco><worldbody><body name=\"m\" mocap=\"true\" pos=\"1 0 0\"><geom size=\"1\"/></body><body name=\"b\">"
                   "<joint axis=\"1 0 0\"/><geom size=\"1\"/></body></worldbody><keyframe><key mpos=\"3 0 0\"/><key qpos=\"1\"/>"
                   "</keyframe></mujoco>",
                   NULL);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "mpos and mquat of this key"), 1);
    assert_close(c.result->keyframes[1].q[0], 1, 0);
    case_close(&c);
}
END_TEST

START_TEST(states_that_are_too_long_are_refused)
{
    case_refuses(ONE_BODY("<keyframe><key qpos=\"1 2\"/></keyframe>"),
                 "3: qpos of this key has something else than numbers, or more than 1 of them, as many as the robot");
    case_refuses(ONE_BODY("<keyframe><key qvel=\"fast\"/></keyframe>"),
                 "3: qvel of this key has something else than numbers, or more than 1 of them, as many as the robot");
    case_refuses(ONE_BODY("<keyframe><key ctrl=\"1\"/></keyframe>"),
                 "3: ctrl of this key has something else than numbers, or more than 0 of them, as many as the robot");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mjcf/keyframe");
    TCase *tests = tcase_create("mjcf_keyframe");
    tcase_add_test(tests, named_states_are_those_of_mujoco);
    tcase_add_test(tests, a_free_joint_moves_with_the_import);
    tcase_add_test(tests, states_that_are_too_short_go_on_like_the_reference);
    tcase_add_test(tests, poses_of_mocap_bodies_in_a_key_are_noted);
    tcase_add_test(tests, states_that_are_too_long_are_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
