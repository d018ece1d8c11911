// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Every finding of validate.c: one error, at the place of the definition, saying what to do. Each case opens a
// good scene and spoils one thing.

#include "fixture.h"
#include "support/support.h"

#include <string.h>

START_TEST(a_good_scene_is_built)
{
    scene s;
    scene_open(&s);
    ck_assert_ptr_nonnull(scene_build(&s));
    ck_assert_int_eq(trx_context_diagnostic_count(s.context), 0);
    scene_close(&s);
}
END_TEST

START_TEST(joints_are_checked)
{
    scene s;
    scene_open(&s), s.slides[1].axis[1] = 0;
    scene_refuses(&s, LINE_PY, "joint 'py': the axis has no direction; give one such as [0, 0, 1]");
    scene_open(&s), s.slides[1].axis[1] = NAN;
    scene_refuses(&s, LINE_PY, "axis has no direction");
    scene_open(&s), s.slides[0].at[2] = INFINITY;
    scene_refuses(&s, LINE_PX, "'at' is not finite");
    scene_open(&s), s.slides[0].lower = 1, s.slides[0].upper = 1;
    scene_refuses(&s, LINE_PX, "joint 'px': limits [1, 1] leave no room; the lower one comes first");
    scene_open(&s), s.slides[0].upper = NAN;
    scene_refuses(&s, LINE_PX, "leave no room");
    scene_open(&s), s.box_joint.upper = 1;
    scene_refuses(&s, LINE_BOX_JOINT, "joint 'box': limits are for hinge and slide joints");
    scene_open(&s), s.slides[2].damping = -1;
    scene_refuses(&s, LINE_PZ, "joint 'pz': damping is -1; it must not be negative");
    scene_open(&s), s.slides[2].stiffness = -2;
    scene_refuses(&s, LINE_PZ, "stiffness is -2");
    scene_open(&s), s.slides[2].armature = INFINITY;
    scene_refuses(&s, LINE_PZ, "armature is inf");
    scene_open(&s), s.slides[2].rest = NAN;
    scene_refuses(&s, LINE_PZ, "rest is not finite");
    scene_open(&s), s.slides[2].velocity_limit = NAN;
    scene_refuses(&s, LINE_PZ, "joint 'pz': the velocity limit is nan; it must be positive");
    scene_open(&s), s.slides[2].velocity_limit = -1;
    scene_refuses(&s, LINE_PZ, "the velocity limit is -1");
    scene_open(&s), s.slides[0].type = (trx_joint_type)99, s.def.nactuator = 0;
    scene_refuses(&s, LINE_PX, "joint 'px': there is no joint type 99");
    scene_open(&s), s.slides[0].friction = -0.1;
    scene_refuses(&s, LINE_PX, "joint 'px': friction is -0.1; it must not be negative");
    scene_open(&s), s.slides[0].reference = NAN;
    scene_refuses(&s, LINE_PX, "joint 'px': reference is a finite number");
    scene_open(&s), s.box_joint.reference = 1;
    scene_refuses(&s, LINE_BOX_JOINT, "for hinge and slide joints");
    scene_open(&s), s.box_joint.rest = 1;
    scene_refuses(&s, LINE_BOX_JOINT, "rest is for hinge and slide joints");
}
END_TEST

START_TEST(limits_of_ball_and_planar_joints_are_refused)
{
    const trx_joint_type types[] = {TRX_JOINT_BALL, TRX_JOINT_PLANAR};
    for (int i = 0; i < 2; i++) {
        scene s;
        scene_open(&s), s.slides[0].type = types[i], s.slides[0].lower = -1, s.def.nactuator = 0;
        scene_refuses(&s, LINE_PX, "limits are for hinge and slide joints");
    }
}
END_TEST

START_TEST(a_free_joint_stands_alone_in_the_world)
{
    scene s;
    scene_open(&s), s.bodies[BOX].parent = GROUND;
    scene_refuses(&s, LINE_BOX_JOINT, "body 'box': a free joint needs the world as parent");
    scene_open(&s), s.bodies[BOX].pose.p[2] = 1;
    scene_refuses(&s, LINE_BOX_JOINT, "body 'box': a free joint takes no pose");
    scene_open(&s), s.slides[1].type = TRX_JOINT_FREE, s.def.nactuator = 1;
    scene_refuses(&s, LINE_PY, "body 'pusher': a free joint stands alone");
}
END_TEST

START_TEST(parents_are_checked)
{
    scene s;
    scene_open(&s), s.bodies[PUSHER].parent = 3;
    scene_refuses(&s, LINE_PUSHER, "body 'pusher': there is no parent body number 3");
    scene_open(&s), s.bodies[PUSHER].parent = -2;
    scene_refuses(&s, LINE_PUSHER, "there is no parent body number -2");
    scene_open(&s), s.bodies[PUSHER].parent = PUSHER;
    scene_refuses(&s, LINE_PUSHER, "body 'pusher' is its own ancestor (its parent is 'pusher')");
    // a cycle is reported once, at its first body
    scene_open(&s), s.bodies[PUSHER].parent = GROUND, s.bodies[GROUND].parent = PUSHER;
    scene_refuses(&s, LINE_PUSHER, "body 'pusher' is its own ancestor (its parent is 'ground')");
}
END_TEST

START_TEST(poses_are_checked)
{
    scene s;
    scene_open(&s), s.bodies[GROUND].pose.p[0] = NAN;
    scene_refuses(&s, LINE_GROUND, "the pose of body 'ground' is not finite");
    scene_open(&s), s.bodies[GROUND].pose.quat[0] = 0;
    scene_refuses(&s, LINE_GROUND, "the quaternion of body 'ground' is zero");
    scene_open(&s), s.box_geometry.pose.quat[0] = 0;
    scene_refuses(&s, LINE_BOX_GEOMETRY, "the quaternion of the geometry of 'box' is zero");
    scene_open(&s), s.corner.pose.p[1] = INFINITY;
    scene_refuses(&s, LINE_BOX_FRAME, "the pose of frame 'corner' is not finite");
}
END_TEST

START_TEST(shapes_and_their_materials_are_checked)
{
    scene s;
    scene_open(&s), s.pusher_geometry.shape.radius = 0;
    scene_refuses(&s, LINE_PUSHER_GEOMETRY, "geometry of 'pusher': radius");
    scene_open(&s), s.box_geometry.shape.size[1] = -1;
    scene_refuses(&s, LINE_BOX_GEOMETRY, "geometry of 'box': each size");
    scene_open(&s), s.box_geometry.material = 2;
    scene_refuses(&s, LINE_BOX_GEOMETRY, "geometry of 'box': there is no material number 2");
}
END_TEST

START_TEST(materials_are_checked)
{
    scene s;
    scene_open(&s), s.materials[1].stiffness = -1;
    scene_refuses(&s, LINE_TIP, "material 'tip': stiffness is -1; it must be finite and not negative");
    scene_open(&s), s.materials[1].stiffness = INFINITY;
    scene_refuses(&s, LINE_TIP, "write rigid");
    scene_open(&s), s.materials[0].dissipation = -1;
    scene_refuses(&s, LINE_TABLE, "material 'table': dissipation is -1");
    scene_open(&s), s.materials[0].relaxation_time = NAN;
    scene_refuses(&s, LINE_TABLE, "relaxation_time is nan");
    scene_open(&s), s.materials[0].friction = -0.5;
    scene_refuses(&s, LINE_TABLE, "friction is -0.5");
    // the stiffness of a rigid material is not read
    scene_open(&s), s.materials[1].rigid = true, s.materials[1].stiffness = NAN;
    scene_build(&s);
    scene_close(&s);
}
END_TEST


START_TEST(gravity_is_checked)
{
    scene s;
    scene_open(&s), s.def.gravity[1] = NAN;
    scene_refuses(&s, 0, "gravity is not finite");
}
END_TEST

START_TEST(all_errors_are_found_in_one_run)
{
    scene s;
    scene_open(&s);
    s.materials[0].friction = -1;
    s.slides[0].damping = -1;
    s.slides[2].axis[2] = 0;
    s.box_geometry.density = 1;
    s.actuators[0].gear = NAN;
    ck_assert_int_eq(trx_model_create(s.context, &s.def, &s.model), TRX_ERR_INPUT);
    const int lines[] = {LINE_TABLE, LINE_BOX_GEOMETRY, LINE_PX, LINE_PZ, LINE_ACTUATOR_X};
    ck_assert_int_eq(trx_context_error_count(s.context), 5);
    for (int i = 0; i < 5; i++) ck_assert_int_eq(trx_context_diagnostic(s.context, i).source.line, lines[i]);
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/validate");
    TCase *cases = tcase_create("validate");
    tcase_add_test(cases, a_good_scene_is_built);
    tcase_add_test(cases, joints_are_checked);
    tcase_add_test(cases, limits_of_ball_and_planar_joints_are_refused);
    tcase_add_test(cases, a_free_joint_stands_alone_in_the_world);
    tcase_add_test(cases, parents_are_checked);
    tcase_add_test(cases, poses_are_checked);
    tcase_add_test(cases, shapes_and_their_materials_are_checked);
    tcase_add_test(cases, materials_are_checked);
    tcase_add_test(cases, gravity_is_checked);
    tcase_add_test(cases, all_errors_are_found_in_one_run);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
