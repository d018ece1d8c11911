// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The conventions of docs/conventions.md, one test each, against numbers written out by hand.

#include "fixture.h"
#include "geometry/contact_geometry.h"
#include "math/dense.h"
#include "math/rotation.h"
#include "support/support.h"

static const double quarter = 1.5707963267948966;

// a scene whose only moving body hangs on the joint given
static const trx_model *one_joint(scene *s, trx_joint_type type)
{
    scene_open(s);
    s->slides[0].type = type;
    s->bodies[PUSHER].njoint = 1;
    s->bodies[BOX].njoint = 0;
    s->def.nactuator = 0;
    return scene_build(s);
}

START_TEST(units_are_si)
{
    // a ball of radius 1 m and 1000 kg/m^3 one metre up
    scene s;
    scene_open(&s);
    s.box_geometry.shape = (trx_shape){.type = TRX_SHAPE_SPHERE, .radius = 1};
    s.box_geometry.mass = NAN, s.box_geometry.density = 1000;
    const trx_model *m = scene_build(&s);
    double q[10], v[9] = {0}, potential, mass = 1000 * 4.1887902047863905;
    trx_model_neutral(m, q);
    q[2] = 1;
    assert_close(trx_model_body(m, BOX).mass, mass, 1e-9);
    ck_assert_int_eq(trx_model_energy(s.context, m, q, v, NULL, &potential), TRX_OK);
    assert_close(potential, mass * 9.81, 1e-8); // the pusher is exempt from gravity
    scene_close(&s);
}
END_TEST

START_TEST(matrices_are_column_major)
{
    // a quarter turn about z maps x to y: the first column is y
    double R[9], out[3];
    trxi_axis_angle33((double[]){0, 0, 1}, quarter, R);
    assert_below(max_difference(R, (double[]){0, 1, 0, -1, 0, 0, 0, 0, 1}, 9), 1e-15);
    trxi_mulv3(R, (double[]){1, 0, 0}, out);
    assert_below(max_difference(out, (double[]){0, 1, 0}, 3), 1e-15);

    const double A[6] = {1, 2, -1, 3, 4, -1}; // 2 x 2 with leading dimension 3
    double y[2];
    trxi_gemv(2, 2, 1, A, 3, (double[]){1, 10}, 0, y);
    assert_below(max_difference(y, (double[]){31, 42}, 2), 1e-15);

    // the upper triangle of a symmetric matrix is not read
    const double S[4] = {1, 2, NAN, 5};
    trxi_symv(2, S, 2, (double[]){1, 10}, y);
    assert_below(max_difference(y, (double[]){21, 52}, 2), 1e-15);
}
END_TEST

START_TEST(poses_map_the_inner_frame_to_the_outer)
{
    // the box is fixed at (0, 0, 1), turned a quarter about x; its geometry sits at y = 2 of it: world z = 3
    scene s;
    scene_open(&s);
    s.bodies[BOX].njoint = 0;
    s.bodies[BOX].pose = (trx_pose){{0, 0, 1}, {1, 1, 0, 0}};
    s.box_geometry.pose.p[1] = 2;
    const trx_model *m = scene_build(&s);
    assert_below(max_difference(m->geoms[0].p_LG, (double[]){0, 0, 3}, 3), 1e-15);
    scene_close(&s);
}
END_TEST

START_TEST(quaternions_are_w_x_y_z)
{
    const double about_x[4] = {sqrt(0.5), sqrt(0.5), 0, 0}, about_z[4] = {sqrt(0.5), 0, 0, sqrt(0.5)};
    double R[9], A[9], B[9], AB[9], product[4], negative[4];
    trxi_quat_to_matrix(about_x, A);
    assert_below(max_difference(A, (double[]){1, 0, 0, 0, 0, 1, 0, -1, 0}, 9), 1e-15); // y to z
    trxi_quat_to_matrix(about_z, B);
    trxi_quat_mul(about_x, about_z, product);
    trxi_quat_to_matrix(product, R);
    trxi_mul33(A, B, AB);
    assert_below(max_difference(R, AB, 9), 1e-15);
    for (int i = 0; i < 4; i++) negative[i] = -product[i];
    trxi_quat_to_matrix(negative, R);
    assert_below(max_difference(R, AB, 9), 1e-15);
}
END_TEST

START_TEST(roll_pitch_yaw_are_about_fixed_axes)
{
    // roll brings y to z, then yaw, about the world's z, leaves it there
    double q[4], R[9], out[3];
    trxi_quat_from_rpy((double[]){quarter, 0, quarter}, q);
    trxi_quat_to_matrix(q, R);
    trxi_mulv3(R, (double[]){0, 1, 0}, out);
    assert_below(max_difference(out, (double[]){0, 0, 1}, 3), 1e-15);
    trxi_mulv3(R, (double[]){1, 0, 0}, out);
    assert_below(max_difference(out, (double[]){0, 1, 0}, 3), 1e-15);
}
END_TEST

START_TEST(spatial_vectors_are_angular_first)
{
    // a unit spin of a 2 kg point at x = 3: it moves along y with 3 m/s, momentum 6, moment of momentum 18
    const trxi_inertia point = {.m = 2, .h = {6, 0, 0}, .J = {0, 18, 18, 0, 0, 0}};
    double momentum[6];
    trxi_inertia_mul(&point, (double[]){0, 0, 1, 0, 0, 0}, momentum);
    assert_below(max_difference(momentum, (double[]){0, 0, 18, 0, 6, 0}, 6), 1e-15);
}
END_TEST

START_TEST(tensors_are_matrix_entries_about_the_centre_of_mass)
{
    // two points of 1 kg at +-(1, 1, 0) about the centre: I_xx = I_yy = 2, I_zz = 4, I_xy = -2
    scene s;
    scene_open(&s);
    s.box_geometry.mass = NAN;
    s.bodies[BOX].has_inertia = true;
    s.bodies[BOX].inertia = (trx_body_inertia){2, {5, 6, 7}, {2, 2, 4, -2, 0, 0}};
    const trx_model *m = scene_build(&s);
    double q[10], v[9] = {0}, kinetic;
    trx_model_neutral(m, q);

    // the points lie on the axis of the spin, so all kinetic energy is in the motion of the centre, w x com
    v[3] = v[4] = sqrt(0.5);
    double w[3] = {v[3], v[4], 0}, speed[3];
    trxi_cross3(w, (double[]){5, 6, 7}, speed);
    ck_assert_int_eq(trx_model_energy(s.context, m, q, v, &kinetic, NULL), TRX_OK);
    assert_close(kinetic, 0.5 * 2 * trxi_dot3(speed, speed), 1e-13);
    scene_close(&s);
}
END_TEST

START_TEST(coordinates_go_depth_first)
{
    // ground - pusher - box, given as box, pusher, ground: the pusher's numbers come first
    scene s;
    scene_open(&s);
    s.box_joint.type = TRX_JOINT_BALL;
    s.bodies[BOX].parent = PUSHER;
    const trx_model *m = scene_build(&s);
    ck_assert_int_eq(m->nq, 7);
    ck_assert_int_eq(m->nv, 6);
    ck_assert_str_eq(trx_model_q_name(m, 0), "px");
    ck_assert_str_eq(trx_model_q_name(m, 3), "box.qw");
    ck_assert_str_eq(trx_model_v_name(m, 3), "box.wx");
    scene_close(&s);
}
END_TEST

START_TEST(a_free_body_moves_in_world_axes_and_spins_in_its_own)
{
    scene s;
    const trx_model *m = one_joint(&s, TRX_JOINT_FREE);
    // turned a quarter about z: body x is world y
    double q[7] = {1, 2, 3, sqrt(0.5), 0, 0, sqrt(0.5)}, moved[7], R[9], out[3];
    trx_model_integrate(m, q, (double[6]){0.5, 0, 0, quarter, 0, 0}, moved);
    assert_below(max_difference(moved, (double[]){1.5, 2, 3}, 3), 1e-15);

    // a turn about body x leaves world y alone and takes world x (body -y) to -z
    trxi_quat_to_matrix(moved + 3, R);
    trxi_mulv3(R, (double[]){1, 0, 0}, out);
    assert_below(max_difference(out, (double[]){0, 1, 0}, 3), 1e-15);
    trxi_mulv3(R, (double[]){0, -1, 0}, out);
    assert_below(max_difference(out, (double[]){0, 0, -1}, 3), 1e-15);
    scene_close(&s);
}
END_TEST

START_TEST(a_hinge_turns_by_the_right_hand_rule)
{
    scene s;
    scene_open(&s);
    s.slides[2].type = TRX_JOINT_HINGE; // about z, after px and py
    s.bodies[PUSHER].pose.p[2] = 5;
    const trx_model *m = scene_build(&s);
    trx_pose poses[SCENE_BODIES];
    double q[10];
    trx_model_neutral(m, q);
    trx_model_body_poses(m, q, poses);
    assert_below(max_difference(poses[PUSHER].p, (double[]){0, 0, 5}, 3), 1e-15);
    assert_below(max_difference(poses[PUSHER].quat, (double[]){1, 0, 0, 0}, 4), 1e-15);
    q[7] = 1, q[8] = 2, q[9] = quarter;
    trx_model_body_poses(m, q, poses);
    assert_below(max_difference(poses[PUSHER].p, (double[]){1, 2, 5}, 3), 1e-15);
    assert_below(max_difference(poses[PUSHER].quat, (double[]){sqrt(0.5), 0, 0, sqrt(0.5)}, 4), 1e-15);
    scene_close(&s);
}
END_TEST

START_TEST(increments_of_quaternions_act_from_the_right)
{
    scene s;
    const trx_model *m = one_joint(&s, TRX_JOINT_BALL);
    const double q[4] = {sqrt(0.5), sqrt(0.5), 0, 0}, dq[3] = {0, 0, quarter};
    double moved[4], expected[4], step[4] = {sqrt(0.5), 0, 0, sqrt(0.5)}, back[3];
    trx_model_integrate(m, q, dq, moved);
    trxi_quat_mul(q, step, expected);
    assert_below(max_difference(moved, expected, 4), 1e-15);
    trx_model_difference(m, moved, q, back);
    assert_below(max_difference(back, dq, 3), 1e-15);
    scene_close(&s);
}
END_TEST

START_TEST(jacobians_have_a_column_per_input)
{
    // Exp(t + d) = Exp(t) Exp(Jr d): column j of Jr belongs to d_j
    const double t[3] = {0.3, -0.4, 0.5}, h = 1e-6;
    double Jr[9], base[4];
    trxi_right_jacobian(t, Jr);
    trxi_quat_exp(t, base);
    for (int j = 0; j < 3; j++) {
        double moved[3] = {t[0], t[1], t[2]}, q[4], column[3];
        moved[j] += h;
        trxi_quat_exp(moved, q);
        trxi_quat_difference(q, base, column);
        trxi_scale3(1 / h, column, column);
        assert_below(max_difference(column, Jr + 3 * j, 3), 1e-6);
    }
}
END_TEST

START_TEST(normals_point_from_a_to_b)
{
    // a ball of radius 0.5 whose centre is 0.4 above the ground: A is the ground
    const trx_shape ground = {.type = TRX_SHAPE_HALFSPACE}, ball = {.type = TRX_SHAPE_SPHERE, .radius = 0.5};
    const double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, origin[3] = {0, 0, 0}, centre[3] = {0, 0, 0.4};
    const trxi_placed_shape A = {&ground, R, origin}, B = {&ball, R, centre};
    trxi_contact_point point[1];
    ck_assert_int_lt(ground.type, ball.type);
    ck_assert_int_eq(trxi_collide(&A, &B, 0.1, false, point), 1);
    assert_below(max_difference(point->n, (double[]){0, 0, 1}, 3), 1e-15);
    assert_close(point->phi, -0.1, 1e-15);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/conventions");
    TCase *cases = tcase_create("conventions");
    tcase_add_test(cases, units_are_si);
    tcase_add_test(cases, matrices_are_column_major);
    tcase_add_test(cases, poses_map_the_inner_frame_to_the_outer);
    tcase_add_test(cases, quaternions_are_w_x_y_z);
    tcase_add_test(cases, roll_pitch_yaw_are_about_fixed_axes);
    tcase_add_test(cases, spatial_vectors_are_angular_first);
    tcase_add_test(cases, tensors_are_matrix_entries_about_the_centre_of_mass);
    tcase_add_test(cases, coordinates_go_depth_first);
    tcase_add_test(cases, a_free_body_moves_in_world_axes_and_spins_in_its_own);
    tcase_add_test(cases, a_hinge_turns_by_the_right_hand_rule);
    tcase_add_test(cases, increments_of_quaternions_act_from_the_right);
    tcase_add_test(cases, jacobians_have_a_column_per_input);
    tcase_add_test(cases, normals_point_from_a_to_b);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
