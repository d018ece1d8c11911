// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Controls that keep the start at rest: torques of pendulums in closed form, targets of drives, tendons, joints that nothing
// moves, and several actuators for one joint.

#include "loading.h"

#include "problem/problem.h"

#include <math.h>

START_TEST(holding_controls_balance_gravity_and_springs)
{
    // a double pendulum with massless rods: tau_2 = m g l_2 sin(a + b), tau_1 adds m g l_1 sin(a)
    fixture f = fixture_open();
    load_good(&f, "tractrix: 1\n"
                  "model:\n"
                  "  bodies:\n"
                  "    - name: upper\n"
                  "      joints: [{name: a, type: hinge, axis: [0, 1, 0], armature: 0.1}]\n"
                  "      inertia: {mass: 0}\n"
                  "    - name: lower\n"
                  "      parent: upper\n"
                  "      pose: {xyz: [0, 0, -0.5]}\n"
                  "      joints: [{name: b, type: hinge, axis: [0, 1, 0], stiffness: 2, rest: 0.25}]\n"
                  "      inertia: {mass: 3, com: [0, 0, -0.4]}\n"
                  "  actuators: [{joint: b, gear: 4}, {joint: a, limits: [-0.5, 0.5]}]\n"
                  "time: {step: 0.01, steps: 1}\n"
                  "start: {a: {position: 0.3, velocity: 5}, b: 0.6}\n");
    double u[2], lower = 3 * 9.81 * 0.4 * sin(0.9), upper = lower + 3 * 9.81 * 0.5 * sin(0.3);
    ck_assert_int_eq(trxi_holding_controls(f.problem, u), TRX_OK);
    assert_close(u[0], (lower + 2 * (0.6 - 0.25)) / 4, 1e-13);

    // beyond its limit: what is needed, not what there is
    assert_close(u[1], upper, 1e-13);
    ck_assert(u[1] > 0.5);
    ck_assert_int_eq(trxi_holding_controls_within(f.problem, u), TRX_OK);
    assert_close(u[0], (lower + 2 * (0.6 - 0.25)) / 4, 1e-13);
    ck_assert_double_eq(u[1], 0.5);
    fixture_close(&f);
}
END_TEST

// a pendulum of 3 kg at 0.4 m, at 0.5 rad
static const char PENDULUM[] = "tractrix: 1\n"
                               "model:\n"
                               "  bodies: [{name: arm, joints: [{name: a, type: hinge, axis: [0, 1, 0]}], "
                               "inertia: {mass: 3, com: [0, 0, -0.4]}}]\n"
                               "  actuators: [{joint: a}]\n"
                               "time: {step: 0.01, steps: 1}\n"
                               "start: {a: 0.5}\n";

START_TEST(loads_at_the_start_are_borne)
{
    fixture f = fixture_open();
    const char *const set[] = {"model.loads=[{body: arm, force: [7, 0, 0], torque: [0, 0.3, 0], at: [0, 0, -0.8]}, {body: arm, "
                               "force: [90, 0, 0], start: 0.1}]"};
    ck_assert_int_eq(load_text(&f, PENDULUM, set, 1), TRX_OK);
    double u;
    ck_assert_int_eq(trxi_holding_controls(f.problem, &u), TRX_OK);
    assert_close(u, 3 * 9.81 * 0.4 * sin(0.5) + 7 * 0.8 * cos(0.5) - 0.3, 1e-12);
    fixture_close(&f);
}
END_TEST

START_TEST(a_drive_aims_beyond_where_it_holds)
{
    fixture f = fixture_open();
    const char *const set[] = {"model.actuators=[{joint: a, type: pd, kp: 200, kd: 3, effort: 50, gear: 2}]"};
    ck_assert_int_eq(load_text(&f, PENDULUM, set, 1), TRX_OK);
    double u, force, torque = 3 * 9.81 * 0.4 * sin(0.5);
    ck_assert_int_eq(trxi_holding_controls(f.problem, &u), TRX_OK);
    ck_assert_int_eq(trxi_holding_forces(f.problem, &force), TRX_OK);
    assert_close(force, torque / 2, 1e-12);
    assert_close(u, 2 * 0.5 + torque / 2 / 200, 1e-12);
    fixture_close(&f);
}
END_TEST

START_TEST(equal_actuators_share_a_load)
{
    fixture f = fixture_open();
    const char *const set[] = {"model.actuators=[{joint: a}, {joint: a, name: b}]"};
    ck_assert_int_eq(load_text(&f, PENDULUM, set, 1), TRX_OK);
    double u[2], torque = 3 * 9.81 * 0.4 * sin(0.5);
    ck_assert_int_eq(trxi_holding_controls(f.problem, u), TRX_OK);
    assert_close(u[0] + u[1], torque, 1e-12);
    assert_close(u[0], u[1], 1e-6);
    fixture_close(&f);
}
END_TEST

START_TEST(a_tendon_lets_its_length_rest)
{
    // two equal pendulums side by side, pulled by one wire of length a + 2 b: the wire can stop the acceleration of its length only
    fixture f = fixture_open();
    const char *const set[] = {
        ("model.bodies=[{name: one, joints: [{name: a, type: hinge, axis: [0, 1, 0]}], inertia: {mass: 3, com: [0, 0, -0.4]}}, "
         "{name: two, joints: [{name: b, type: hinge, axis: [0, 1, 0]}], inertia: {mass: 3, com: [0, 0, -0.4]}}]"),
        "model.actuators=[{name: wire, joints: {a: 1, b: 2}}]", "start={a: 0.5, b: -0.2}"};
    ck_assert_int_eq(load_text(&f, PENDULUM, set, 3), TRX_OK);
    double u, one = 3 * 9.81 * 0.4 * sin(0.5), two = 3 * 9.81 * 0.4 * sin(-0.2);
    ck_assert_int_eq(trxi_holding_controls(f.problem, &u), TRX_OK);
    assert_close(u, (one + 2 * two) / 5, 1e-12);
    double length;
    ck_assert_int_eq(trx_model_tendon(f.context, f.problem->model, 0, f.problem->start, &length, NULL), TRX_OK);
    assert_close(length, 0.1, 1e-15);
    fixture_close(&f);
}
END_TEST

START_TEST(what_falls_freely_pushes_nothing)
{
    // a body in the air with a leg: the joint of the leg has nothing to hold
    fixture f = fixture_open();
    load_good(&f, "tractrix: 1\n"
                  "model:\n"
                  "  bodies:\n"
                  "    - {name: trunk, joint: free, inertia: {mass: 2, tensor: [0.1, 0.1, 0.1]}}\n"
                  "    - {name: leg, parent: trunk, joints: [{name: hip, type: hinge, axis: [0, 1, 0]}], "
                  "inertia: {mass: 1, com: [0, 0, -0.3], tensor: [0.01, 0.01, 0.01]}}\n"
                  "  actuators: [{joint: hip}]\n"
                  "time: {step: 0.01, steps: 1}\n"
                  "start: {hip: 0.8}\n");
    double u;
    ck_assert_int_eq(trxi_holding_controls(f.problem, &u), TRX_OK);
    assert_close(u, 0, 1e-12);
    fixture_close(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/holding");
    TCase *cases = tcase_create("holding");
    tcase_add_test(cases, holding_controls_balance_gravity_and_springs);
    tcase_add_test(cases, loads_at_the_start_are_borne);
    tcase_add_test(cases, a_drive_aims_beyond_where_it_holds);
    tcase_add_test(cases, equal_actuators_share_a_load);
    tcase_add_test(cases, a_tendon_lets_its_length_rest);
    tcase_add_test(cases, what_falls_freely_pushes_nothing);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
