// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Targets that need the model: the value of a quantity at the start, and tables over time.

#include "loading.h"

#include <stdio.h>

START_TEST(a_target_at_the_start_is_the_quantity_there)
{
    static const char rest[] = "start:\n"
                               "  box: {xyz: [1, 2, 3], rpy: [0, 0, 1.5707963267948966], velocity: [4, 5, 6], spin: [1, 0, 0]}\n"
                               "  px: {position: 0.25, velocity: 7}\n"
                               "  py: {position: -0.5, velocity: 8}\n"
                               "cost:\n"
                               "  - {of: box.position, target: start}\n"
                               "  - {of: box.orientation, target: start}\n"
                               "  - {of: box.velocity, target: start}\n"
                               "  - {of: box.spin, target: start}\n"
                               "  - {of: tip.position, target: start}\n"
                               "  - {of: tip.velocity, target: start}\n"
                               "  - {of: joints(pusher).velocity, target: start}\n"
                               "  - {of: velocity, target: start}\n"
                               "  - {of: ground.position, target: start}\n";
    const double half = sqrt(0.5);
    static const double expected[9][9] = {{1, 2, 3}, {0}, {4, 5, 6}, {0, 1, 0}, {0.27, -0.5, 0}, {7, 8, 0}, {7, 8},
                                          {4, 5, 6, 1, 0, 0, 7, 8}, {0, 0, 0}};
    sandbox s = sandbox_open();
    ck_assert_int_eq(load_push(&s, rest), TRX_OK);
    for (int i = 0; i < 9; i++) {
        const trx_cost_term *t = plan_term(&s, i);
        int count = trx_cost_term_target_length(trx_problem_model(s.f.problem), t);
        const double turned[4] = {half, 0, 0, half};
        ck_assert_ptr_nonnull(t->target);
        assert_below(max_difference(t->target, i == 1 ? turned : expected[i], count), 1e-15);
    }
    sandbox_close(&s, NULL, 0);
}
END_TEST

// a level arm of 2 kg with its centre of mass at 0.5 m: a motor needs 9.81 N m; a drive with kp = 100 N m/rad needs a target that
// is 0.0981 rad away
START_TEST(controls_aim_at_what_holds_the_start)
{
    static const char format[] =
        "tractrix: 1\nmodel:\n  bodies:\n    - name: arm\n      joints: [{name: h, type: hinge, axis: [0, 1, 0]}]\n"
        "      inertia: {mass: 2, com: [0.5, 0, 0], tensor: [0.1, 0.1, 0.1]}\n  actuators: [%s]\n"
        "time: {step: 0.01, steps: 5}\ncost:\n  - {of: control, target: start, weight: 1}\n";
    static const char *const actuators[2] = {"{joint: h}", "{joint: h, type: pd, kp: 100, kd: 1}"};
    static const double expected[2] = {-9.81, -0.0981};
    for (int i = 0; i < 2; i++) {
        sandbox s = sandbox_open();
        char text[1024];
        snprintf(text, sizeof text, format, actuators[i]);
        ck_assert_int_eq(load_text(&s.f, text, NULL, 0), TRX_OK);
        assert_close(plan_term(&s, 0)->target[0], expected[i], 1e-12);
        sandbox_close(&s, NULL, 0);
    }
}
END_TEST

START_TEST(distances_and_centres_of_mass_have_targets_too)
{
    sandbox s = sandbox_open();
    write_file(&s, "ref.csv", "t,distance,com.position.x,com.position.y,com.position.z\n0,0.5,1,2,3\n1,1.5,2,2,3\n");
    ck_assert_int_eq(load_push(&s, "start: {box: {xyz: [1, 0, 0.05], velocity: [2, 0, 0]}, px: -0.5}\n"
                                   "cost:\n"
                                   "  - {of: \"distance(box, pusher)\", target: start}\n"
                                   "  - {of: \"distance(ground, pusher)\", target: 0.25}\n"
                                   "  - {of: com.position, target: start}\n"
                                   "  - {of: com(box).velocity, target: start}\n"
                                   "  - {of: \"distance(box, pusher)\", target: {file: ref.csv}}\n"
                                   "  - {of: com.position, target: {file: ref.csv}}\n"),
                     TRX_OK);
    const double height = 0.05 * 0.5 / 0.8; // of 0.5 kg at 0.05 m and 0.3 kg at 0
    assert_close(plan_term(&s, 0)->target[0], 1.5 - 0.05 - 0.02, 1e-14);
    assert_close(plan_term(&s, 1)->target[0], 0.25, 0);
    const double com[3] = {(1 * 0.5 - 0.5 * 0.3) / 0.8, 0, height}, velocity[3] = {2, 0, 0}, later[3] = {1.2, 2, 3};
    assert_below(max_difference(plan_term(&s, 2)->target, com, 3), 1e-14);
    assert_below(max_difference(plan_term(&s, 3)->target, velocity, 3), 1e-14);
    assert_close(plan_term(&s, 4)->target[10], 0.5 + 10 * 0.02, 1e-12);
    assert_below(max_difference(plan_term(&s, 5)->target + 3 * 10, later, 3), 1e-12);
    const char *const names[] = {"ref.csv"};
    sandbox_close(&s, names, 1);
}
END_TEST

START_TEST(the_velocity_target_of_a_turning_frame_counts_its_arm)
{
    static const char text[] = "tractrix: 1\n"
                               "model:\n"
                               "  bodies:\n"
                               "    - name: arm\n"
                               "      pose: {xyz: [5, 0, 0]}\n"
                               "      joints: [{name: theta, type: hinge, axis: [0, 0, 2]}]\n"
                               "      inertia: {mass: 1, com: [1, 0, 0]}\n"
                               "      frames: [{name: tip, pose: {xyz: [2, 0, 0], rpy: [1, 0, 0]}}]\n"
                               "time: {step: 0.01, steps: 1}\n"
                               "start: {theta: {position: 1.5707963267948966, velocity: 3}}\n"
                               "cost: [{of: tip.velocity, target: start}, {of: tip.spin, target: start}, "
                               "{of: tip.position, target: start}]\n";
    sandbox s = sandbox_open();
    load_good(&s.f, text);
    const double velocity[] = {-6, 0, 0}, spin[] = {0, 0, 3}, position[] = {5, 2, 0};
    assert_below(max_difference(plan_term(&s, 0)->target, velocity, 3), 1e-14);
    assert_below(max_difference(plan_term(&s, 1)->target, spin, 3), 1e-14);
    assert_below(max_difference(plan_term(&s, 2)->target, position, 3), 1e-14);
    sandbox_close(&s, NULL, 0);
}
END_TEST

START_TEST(a_table_is_interpolated_at_the_knots)
{
    // turns about z from 0 to -90 degrees (with the other sign of the quaternion), moves along x, holds at the end
    static const char table[] = "t,box.x,box.position.y,box.z,box.qw,box.qx,box.qy,box.qz,px,px.v,u.px,u.py\n"
                                "0,0,1,2,1,0,0,0,0,1,10,20\n"
                                "0.1,1,1,2,-0.7071067811865476,0,0,0.7071067811865476,0.5,3,11,21\n";
    static const char rest[] = "cost:\n"
                               "  - {of: box.position, target: {file: ref.csv}}\n"
                               "  - {of: box.orientation, target: {file: ref.csv}}\n"
                               "  - {of: px.position, target: {file: ref.csv}}\n"
                               "  - {of: px.velocity, target: {file: ref.csv}}\n"
                               "  - {of: control, target: {file: ref.csv}}\n";
    sandbox s = sandbox_open();
    write_file(&s, "ref.csv", table);
    trx_status status = load_push(&s, rest);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(s.f.context));
    for (int k = 0; k <= 10; k++) {
        double share = k < 5 ? k / 5.0 : 1, position[] = {share, 1, 2};
        const trx_cost_term *t = plan_term(&s, 0);
        ck_assert_int_eq(t->target_stride, 3);
        assert_below(max_difference(t->target + 3 * k, position, 3), 1e-11);

        // between the rows the rotation is about z and monotone, and a quaternion stays one
        const double *q = plan_term(&s, 1)->target + 4 * k;
        assert_close(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-14);
        double angle = 2 * atan2(q[3], q[0]);
        if (k == 0) assert_close(angle, 0, 1e-11);
        if (k >= 5) assert_close(fabs(remainder(angle, 6.283185307179586)), 1.5707963267948966, 1e-9);
        if (k == 2) ck_assert(fabs(angle) > 0.5 && fabs(angle) < 0.75);

        assert_close(plan_term(&s, 2)->target[k], 0.5 * share, 1e-11);
        assert_close(plan_term(&s, 3)->target[k], 1 + 2 * share, 1e-11);
        assert_close(plan_term(&s, 4)->target[2 * k + 1], k < 5 ? 20 : 21, 0);
    }
    const char *const names[] = {"ref.csv"};
    sandbox_close(&s, names, 1);
}
END_TEST

START_TEST(what_is_wrong_with_a_table_is_said_at_its_place)
{
    static const struct {
        const char *table, *words;
    } cases[] = {
        {"t,box.x,box.y\n0,0,0\n", "has no column \"box.position.z\" or \"box.z\": add it"},
        {"box.x,box.y,box.z\n0,0,0\n", "has no column \"t\""},
        {"t,box.x,box.y,box.z\n", "has no rows"},
        {"t,box.x,box.y,box.z\n0,0,,0\n", "an empty cell"},
        {"t,box.x,box.y,box.z\n0,0,0,0\n0,1,1,1\n", "t does not increase"},
        {"t,box.x,box.y,box.z\n0,0,0,up\n", "\"up\" is not a number"},
    };
    sandbox s = sandbox_open();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_file(&s, "ref.csv", cases[i].table);
        ck_assert_int_eq(load_push(&s, "cost: [{of: box.position, target: {file: ref.csv}}]\n"), TRX_ERR_INPUT);
        ck_assert_msg(has_finding(&s.f, TRX_ERROR, cases[i].words), "%s", trx_context_message(s.f.context));
    }
    write_file(&s, "ref.csv", "t,box.qw,box.qx,box.qy,box.qz\n0,0,0,0,0\n");
    ck_assert_int_eq(load_push(&s, "cost: [{of: box.orientation, target: {file: ref.csv}}]\n"), TRX_ERR_INPUT);
    ck_assert(has_finding(&s.f, TRX_ERROR, "a zero quaternion"));

    // spins are in world axes, the coordinates of a free body are not
    write_file(&s, "ref.csv", "t,box.wx,box.wy,box.wz\n0,0,0,0\n");
    ck_assert_int_eq(load_push(&s, "cost: [{of: box.spin, target: {file: ref.csv}}]\n"), TRX_ERR_INPUT);
    ck_assert(has_finding(&s.f, TRX_ERROR, "\"box.spin.x\""));
    const char *const names[] = {"ref.csv"};
    sandbox_close(&s, names, 1);
}
END_TEST

START_TEST(a_whole_configuration_comes_from_a_trajectory)
{
    static const char table[] = "t,box.x,box.y,box.z,box.qw,box.qx,box.qy,box.qz,px,py,other\n"
                                "0,1,2,3,2,0,0,0,4,5,0\n";
    sandbox s = sandbox_open();
    write_file(&s, "ref.csv", table);
    ck_assert_int_eq(load_push(&s, "cost: [{of: position, target: {file: ref.csv}}]\n"), TRX_OK);
    const double q[] = {1, 2, 3, 1, 0, 0, 0, 4, 5};
    assert_below(max_difference(plan_term(&s, 0)->target + 9 * 10, q, 9), 1e-15);
    const char *const names[] = {"ref.csv"};
    sandbox_close(&s, names, 1);
}
END_TEST

// the last row of a trajectory has states but no controls; such a table was refused
START_TEST(controls_to_follow_come_from_a_trajectory)
{
    sandbox s = sandbox_open();
    write_file(&s, "ref.csv", "t,px,u.px,u.py\n0,0,1,2\n0.02,0,3,4\n0.04,0,,\n");
    ck_assert_int_eq(load_push(&s, "cost: [{of: control, target: {file: ref.csv}}]\n"), TRX_OK);
    const double *target = plan_term(&s, 0)->target;
    ck_assert(target[0] == 1 && target[1] == 2 && target[2] == 3 && target[3] == 4 && target[4] == 3);
    write_file(&s, "ref.csv", "t,u.px,u.py\n0,1,2\n0.01,3,\n");
    ck_assert_int_eq(load_push(&s, "cost: [{of: control, target: {file: ref.csv}}]\n"), TRX_ERR_INPUT);
    ck_assert(has_finding(&s.f, TRX_ERROR, "an empty cell"));
    const char *const names[] = {"ref.csv"};
    sandbox_close(&s, names, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/target");
    TCase *cases = tcase_create("target");
    tcase_add_test(cases, a_target_at_the_start_is_the_quantity_there);
    tcase_add_test(cases, controls_aim_at_what_holds_the_start);
    tcase_add_test(cases, distances_and_centres_of_mass_have_targets_too);
    tcase_add_test(cases, the_velocity_target_of_a_turning_frame_counts_its_arm);
    tcase_add_test(cases, a_table_is_interpolated_at_the_knots);
    tcase_add_test(cases, what_is_wrong_with_a_table_is_said_at_its_place);
    tcase_add_test(cases, a_whole_configuration_comes_from_a_trajectory);
    tcase_add_test(cases, controls_to_follow_come_from_a_trajectory);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
