// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// World poses of bodies: chains worked out by hand, and agreement with the kinematics of the step.

#include "fixture.h"
#include "math/rotation.h"
#include "support/support.h"

START_TEST(a_chain_turns_about_its_points)
{
    // a hinge along y through (1, 0, 0), then a slide along x, then a ball about (0, 0, 2)
    trx_joint_def joints[3] = {trx_joint_def_default(), trx_joint_def_default(), trx_joint_def_default()};
    joints[0].name = "turn", joints[0].axis[1] = 1, joints[0].axis[2] = 0, joints[0].at[0] = 1;
    joints[1].name = "push", joints[1].type = TRX_JOINT_SLIDE, joints[1].axis[0] = 2, joints[1].axis[2] = 0;
    joints[1].at[1] = 5; // a slide has no point
    joints[2].name = "ball", joints[2].type = TRX_JOINT_BALL, joints[2].at[2] = 2;
    trx_body_def bodies[2] = {trx_body_def_default(), trx_body_def_default()};
    bodies[0].name = "arm";
    bodies[0].pose.p[2] = 10;
    bodies[0].joints = joints;
    bodies[0].njoint = 3;
    bodies[0].has_inertia = true;
    bodies[0].inertia.mass = 1;
    bodies[1].name = "tool"; // welded, a quarter turn about x
    bodies[1].parent = 0;
    bodies[1].pose = (trx_pose){{0, 0, 1}, {2, 2, 0, 0}};
    trx_model_def def = trx_model_def_default();
    def.bodies = bodies;
    def.nbody = 2;
    fixture f = fixture_open(&def);

    // at q = 0 every frame is where the poses say
    double q[6] = {0, 0, 1, 0, 0, 0};
    trx_pose poses[2];
    trx_model_body_poses(f.model, q, poses);
    assert_below(max_difference(poses[0].p, (double[]){0, 0, 10}, 3), 1e-15);
    assert_below(max_difference(poses[1].p, (double[]){0, 0, 11}, 3), 1e-15);
    assert_below(max_difference(poses[1].quat, (double[]){sqrt(0.5), sqrt(0.5), 0, 0}, 4), 1e-15);

    // a quarter turn about y maps x to -z: the origin, 1 before the hinge point, goes 1 above it; the slide's 3
    // go down; the ball's half turn about z leaves its own axis, so the origin stays
    q[0] = acos(0), q[1] = 3, q[2] = 0, q[5] = 1;
    trx_model_body_poses(f.model, q, poses);
    assert_below(max_difference(poses[0].p, (double[]){1, 0, 11 - 3}, 3), 1e-14);
    // the tool sits at z = 1 of the arm, which points along world x
    assert_below(max_difference(poses[1].p, (double[]){2, 0, 8}, 3), 1e-14);
    fixture_close(&f);
}
END_TEST

START_TEST(a_planar_body_moves_in_the_plane_of_its_pose)
{
    trx_joint_def joint = trx_joint_def_default();
    joint.name = "puck";
    joint.type = TRX_JOINT_PLANAR;
    trx_body_def body = trx_body_def_default();
    body.name = "puck";
    body.joints = &joint;
    body.njoint = 1;
    body.has_inertia = true;
    body.inertia = (trx_body_inertia){.mass = 1, .tensor = {1, 1, 1, 0, 0, 0}};
    body.pose = (trx_pose){{0, 0, 5}, {sqrt(0.5), sqrt(0.5), 0, 0}}; // its y is the world's z
    trx_model_def def = trx_model_def_default();
    def.bodies = &body;
    def.nbody = 1;
    fixture f = fixture_open(&def);
    const double q[3] = {1, 2, 0.6};
    trx_pose pose;
    trx_model_body_poses(f.model, q, &pose);
    assert_below(max_difference(pose.p, (double[]){1, 0, 7}, 3), 1e-15);
    double turned[4];
    trxi_quat_mul(body.pose.quat, (double[]){cos(0.3), 0, 0, sin(0.3)}, turned);
    assert_below(max_difference(pose.quat, turned, 4), 1e-15);
    fixture_close(&f);
}
END_TEST

START_TEST(the_coordinates_of_a_free_body_are_its_pose)
{
    fixture f = fixture_of_free_body((trx_body_inertia){1, {1, 2, 3}, {1, 1, 1, 0, 0, 0}});
    const double q[7] = {1, -2, 3, 0.5, -0.5, 0.5, 0.5};
    trx_pose pose;
    trx_model_body_poses(f.model, q, &pose);
    assert_below(max_difference(pose.p, q, 3), 1e-15);
    assert_below(max_difference(pose.quat, q + 3, 4), 1e-15);
    fixture_close(&f);
}
END_TEST

START_TEST(poses_agree_with_the_kinematics_of_the_step)
{
    fixture f = fixture_of_everything();
    double q[MAX_NQ];
    trx_pose poses[MAX_BODIES];
    random_configuration(&f, 601, false, q);
    trx_model_body_poses(f.model, q, poses);
    trxi_kinematics_compute(f.model, q, &f.kin);
    for (int i = 0; i < f.model->nbody; i++) {
        const trxi_body *body = &f.model->bodies[i];
        const double *R = f.kin.R + 9 * body->link;
        double expected[9], p[3], actual[9];
        trxi_mul33(R, body->R_LB, expected);
        trxi_mulv3(R, body->p_LB, p);
        trxi_add3(p, f.kin.p + 3 * body->link, p);
        trxi_quat_to_matrix(poses[i].quat, actual);
        assert_below(max_difference(p, poses[i].p, 3), 1e-13);
        assert_below(max_difference(expected, actual, 9), 1e-13);
    }
    fixture_close(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dynamics/body_poses");
    TCase *cases = tcase_create("body_poses");
    tcase_add_test(cases, a_chain_turns_about_its_points);
    tcase_add_test(cases, a_planar_body_moves_in_the_plane_of_its_pose);
    tcase_add_test(cases, the_coordinates_of_a_free_body_are_its_pose);
    tcase_add_test(cases, poses_agree_with_the_kinematics_of_the_step);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
