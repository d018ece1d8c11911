// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Prescribed motions: poses at given times, what moves along, and what is refused.

#include "fixture.h"
#include "math/constants.h"
#include "support/support.h"

#include <string.h>

static trx_motion_def along(trx_motion_type type, double x, double y, double z)
{
    return (trx_motion_def){.type = type, .source = at_line(60), .axis = {x, y, z}, .amplitude = 0.2, .frequency = 0.5};
}

static trx_pose ground_at(const scene *s, double t)
{
    double q[16];
    trx_pose poses[SCENE_BODIES];
    trx_model_neutral(s->model, q);
    trx_model_body_poses_at(s->model, q, t, poses);
    return poses[GROUND];
}

START_TEST(a_slide_swings_along_its_axis)
{
    scene s;
    scene_open(&s);
    s.bodies[GROUND].motion = along(TRX_MOTION_SLIDE, 3, 0, 4);
    s.bodies[GROUND].motion.velocity = 0.5;
    s.bodies[GROUND].motion.phase = 0.3;
    s.bodies[GROUND].pose.p[1] = 7;
    scene_build(&s);
    double t = 1.3, way = 0.5 * t + 0.2 * sin(TRXI_PI * t + 0.3);
    trx_pose pose = ground_at(&s, t);
    assert_close(pose.p[0], 0.6 * way, 1e-15);
    assert_close(pose.p[1], 7, 0);
    assert_close(pose.p[2], 0.8 * way, 1e-15);

    // a pose without a time is the pose at t = 0
    double q[16];
    trx_pose poses[SCENE_BODIES];
    trx_model_neutral(s.model, q);
    trx_model_body_poses(s.model, q, poses);
    assert_close(poses[GROUND].p[0], 0.6 * 0.2 * sin(0.3), 1e-15);
    ck_assert(trx_model_body(s.model, GROUND).motion && !trx_model_body(s.model, BOX).motion);
    ck_assert_int_eq(trx_model_get_size(s.model).nmotion, 1);
    ck_assert(trx_model_is_timed(s.model));
    scene_close(&s);
}
END_TEST

START_TEST(a_hinge_turns_about_its_point_in_the_frame_of_the_pose)
{
    scene s;
    scene_open(&s);
    s.bodies[GROUND].motion = along(TRX_MOTION_HINGE, 0, 0, 2);
    s.bodies[GROUND].motion.amplitude = TRXI_PI / 2;
    s.bodies[GROUND].motion.at[0] = 1;
    s.bodies[GROUND].pose = (trx_pose){{0, 0, 3}, {sqrt(0.5), sqrt(0.5), 0, 0}}; // its z axis is the world's -y
    scene_build(&s);
    trx_pose pose = ground_at(&s, 1); // sin(pi) = 0
    assert_close(pose.p[0], 0, 1e-15);
    pose = ground_at(&s, 0.5); // a quarter turn: the origin goes to (1, -1, 0) in the pose's frame
    assert_close(pose.p[0], 1, 1e-15);
    assert_close(pose.p[1], 0, 1e-15);
    assert_close(pose.p[2], 3 - 1, 1e-15);
    scene_close(&s);
}
END_TEST

START_TEST(a_table_is_interpolated_and_held_at_its_ends)
{
    const double times[] = {1, 2, 4};
    const trx_pose poses[] = {{{0, 0, 0}, {2, 0, 0, 0}}, {{0, 0, 1}, {1, 0, 0, 0}}, {{2, 0, 1}, {0, 0, 0, 1}}};
    scene s;
    scene_open(&s);
    s.bodies[GROUND].motion =
        (trx_motion_def){.type = TRX_MOTION_TABLE, .times = times, .poses = poses, .ntime = 3, .source = at_line(60)};
    scene_build(&s);
    assert_close(ground_at(&s, -5).p[2], 0, 0);
    assert_close(ground_at(&s, 1.25).p[2], 0.25, 1e-15);
    assert_close(ground_at(&s, 2).p[2], 1, 0);
    trx_pose pose = ground_at(&s, 2.5); // a quarter of half a turn about z
    assert_close(pose.p[0], 0.5, 1e-15);
    assert_close(fabs(pose.quat[3]), sin(TRXI_PI / 8), 1e-15);
    pose = ground_at(&s, 9);
    assert_close(pose.p[0], 2, 0);
    assert_close(fabs(pose.quat[3]), 1, 1e-15);
    scene_close(&s);
}
END_TEST

START_TEST(what_is_fixed_to_a_moving_body_moves_along)
{
    // the pusher without joints stands on the ground and slides on it
    scene s;
    scene_open(&s);
    trx_body_def *pusher = &s.bodies[PUSHER];
    s.def.nactuator = 0;
    pusher->joints = NULL, pusher->njoint = 0;
    pusher->parent = GROUND;
    pusher->pose.p[0] = 1;
    pusher->motion = along(TRX_MOTION_SLIDE, 0, 1, 0);
    s.bodies[GROUND].motion = along(TRX_MOTION_HINGE, 0, 0, 1);
    scene_build(&s);
    ck_assert_int_eq(s.model->nprescribed, 2);
    double q[16], t = 0.5;
    trx_pose poses[SCENE_BODIES];
    trx_model_neutral(s.model, q);
    trx_model_body_poses_at(s.model, q, t, poses);
    double angle = 0.2, way = 0.2;
    assert_close(poses[PUSHER].p[0], cos(angle) - way * sin(angle), 1e-15);
    assert_close(poses[PUSHER].p[1], sin(angle) + way * cos(angle), 1e-15);

    // bodies that joints do not move never meet each other; the box meets both
    ck_assert_int_eq(find_pair(s.model, "pusher#1", "ground#1"), -1);
    ck_assert_int_ge(find_pair(s.model, "box#1", "ground#1"), 0);
    ck_assert_int_ge(find_pair(s.model, "box#1", "pusher#1"), 0);
    scene_close(&s);
}
END_TEST

START_TEST(motions_are_checked)
{
    scene s;
    scene_open(&s), s.bodies[GROUND].motion = along(TRX_MOTION_SLIDE, 0, 0, 0);
    scene_refuses(&s, 60, "the motion of 'ground': the axis has no direction; give one such as [1, 0, 0]");
    scene_open(&s), s.bodies[GROUND].motion = along(TRX_MOTION_SLIDE, 0, 0, 1), s.bodies[GROUND].motion.phase = NAN;
    scene_refuses(&s, 60, "a number is not finite");
    scene_open(&s), s.bodies[GROUND].motion = along((trx_motion_type)9, 0, 0, 1);
    scene_refuses(&s, 60, "there is no type 9");
    scene_open(&s), s.bodies[BOX].motion = along(TRX_MOTION_SLIDE, 0, 0, 1);
    scene_refuses(&s, 60, "the motion of 'box': its joints move it already");
    scene_open(&s), s.bodies[GROUND].motion = along(TRX_MOTION_SLIDE, 0, 0, 1), s.bodies[GROUND].parent = PUSHER;
    scene_refuses(&s, 60, "the motion of 'ground': joints carry this body");
    scene_open(&s), s.bodies[GROUND].motion = along(TRX_MOTION_SLIDE, 0, 0, 1), s.bodies[PUSHER].parent = GROUND;
    scene_refuses(&s, LINE_PUSHER, "body 'pusher' has joints on 'ground', whose motion is prescribed");
    scene_open(&s), s.ground_geometry.surface_velocity[2] = NAN;
    scene_refuses(&s, LINE_GROUND_GEOMETRY, "the surface velocity is not finite");

    double times[] = {0, 1, 1};
    trx_pose poses[] = {trx_pose_identity(), trx_pose_identity(), trx_pose_identity()};
    trx_motion_def table = {.type = TRX_MOTION_TABLE, .times = times, .poses = poses, .ntime = 3, .source = at_line(60)};
    scene_open(&s), s.bodies[GROUND].motion = table;
    scene_refuses(&s, 60, "the times of its table do not ascend at row 3");
    times[2] = 2, poses[1].quat[0] = 0;
    scene_open(&s), s.bodies[GROUND].motion = table;
    scene_refuses(&s, 60, "pose 2 of its table is not finite, or its quaternion is zero");
    scene_open(&s), s.bodies[GROUND].motion = table, s.bodies[GROUND].motion.ntime = 0;
    scene_refuses(&s, 60, "a table needs at least one row");
}
END_TEST

START_TEST(nothing_is_held_to_a_moving_body)
{
    scene s;
    trx_constraint_def weld = trx_constraint_def_default();
    weld.name = "hook", weld.source = at_line(61), weld.type = TRX_CONSTRAINT_WELD;
    weld.body_a = BOX, weld.body_b = GROUND;
    scene_open(&s), s.bodies[GROUND].motion = along(TRX_MOTION_SLIDE, 0, 0, 1);
    s.def.constraints = &weld, s.def.nconstraint = 1;
    scene_refuses(&s, 61, "weld 'hook' connects to 'ground', whose motion is prescribed");
}
END_TEST

START_TEST(surface_velocities_are_kept_in_body_axes)
{
    scene s;
    scene_open(&s);
    trxi_set3(1, 2, 3, s.ground_geometry.surface_velocity);
    scene_build(&s);
    trx_geom_info ground = trx_model_geom(s.model, trx_model_find_geom(s.model, "ground#1"));
    assert_close(ground.surface_velocity[1], 2, 0);
    ck_assert(!trx_model_is_timed(s.model));
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/motion");
    TCase *cases = tcase_create("motion");
    tcase_add_test(cases, a_slide_swings_along_its_axis);
    tcase_add_test(cases, a_hinge_turns_about_its_point_in_the_frame_of_the_pose);
    tcase_add_test(cases, a_table_is_interpolated_and_held_at_its_ends);
    tcase_add_test(cases, what_is_fixed_to_a_moving_body_moves_along);
    tcase_add_test(cases, motions_are_checked);
    tcase_add_test(cases, nothing_is_held_to_a_moving_body);
    tcase_add_test(cases, surface_velocities_are_kept_in_body_axes);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
