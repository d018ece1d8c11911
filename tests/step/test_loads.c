// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Loads in the step: momentum against integration by hand for every wave, forces at a point of a body that turns, and
// derivatives.

#include "base/random.h"
#include "math/constants.h"
#include "math/rotation.h"
#include "step/timed.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// a weightless box of 2 kg under one load
static timed open_box(const char *load)
{
    char text[1024];
    snprintf(text, sizeof text,
             "tractrix: 1\n"
             "model:\n"
             "  gravity: [0, 0, 0]\n"
             "  bodies: [{name: box, joint: free, inertia: {mass: 2, tensor: [0.5, 0.5, 0.5]}}]\n"
             "  loads: [{body: box, %s}]\n"
             "time: {step: 0.01, steps: 100}\n",
             load);
    return timed_open(text);
}

static void assert_velocity(const timed *t, double x, double y, double z, double tolerance)
{
    const double *v = t->x + timed_v(t, "box.vx");
    assert_close(v[0], x, tolerance);
    assert_close(v[1], y, tolerance);
    assert_close(v[2], z, tolerance);
}

START_TEST(constant_loads_and_ramps_give_their_impulse_exactly)
{
    timed t = open_box("force: [3, 0, -1]");
    timed_run(&t, 0, 100);
    assert_velocity(&t, 1.5, 0, -0.5, 1e-13);
    timed_close(&t);

    // from 0.2 s to 0.7 s
    t = open_box("force: [3, 0, -1], start: 0.2, stop: 0.7");
    timed_run(&t, 0, 20);
    assert_velocity(&t, 0, 0, 0, 0);
    timed_run(&t, 20, 100);
    assert_velocity(&t, 0.75, 0, -0.25, 1e-13);
    timed_close(&t);

    // a ramp to 4 N within 0.5 s: the impulse of the ramp is half of 4 N times 0.5 s; then the whole force
    t = open_box("force: [0, 4, 0], wave: ramp, duration: 0.5");
    timed_run(&t, 0, 25);
    assert_velocity(&t, 0, 0.5 * 0.25 * 2 / 2, 0, 1e-13);
    timed_run(&t, 25, 100);
    assert_velocity(&t, 0, (0.5 * 0.5 * 4 + 0.5 * 4) / 2, 0, 1e-13);
    timed_close(&t);
}
END_TEST

START_TEST(waves_are_integrated_to_second_order)
{
    // m v = int f sin(w T + p) dT
    const double w = 2 * TRXI_PI * 1.25, p = 0.4;
    timed t = open_box("force: [6, 0, 0], wave: sine, frequency: 1.25, phase: 0.4");
    timed_run(&t, 0, 100);
    double exact = 3 * (cos(p) - cos(w + p)) / w;
    assert_close(t.x[timed_v(&t, "box.vx")], exact, 3 * w * t.dt * t.dt / 8);
    timed_close(&t);

    // a force of 6 N that turns about z from y on
    t = open_box("force: [0, 6, 0], wave: rotate, frequency: 1.25, axis: [0, 0, 2]");
    timed_run(&t, 0, 100);
    assert_velocity(&t, -3 * (1 - cos(w)) / w, 3 * sin(w) / w, 0, 3 * w * t.dt * t.dt / 8);
    timed_close(&t);
}
END_TEST

START_TEST(a_force_beside_the_centre_turns_the_body)
{
    // a couple and a force at 0.1 m: the first step, from rest
    timed t = open_box("force: [0, 5, 0], torque: [0.2, 0, 0], at: [0.1, 0, 0]");
    timed_run(&t, 0, 1);
    const double *v = t.x + timed_v(&t, "box.vx");
    assert_close(v[1], 5 * 0.01 / 2, 1e-15);
    assert_close(v[3], 0.2 * 0.01 / 0.5, 1e-15);
    assert_close(v[5], 0.1 * 5 * 0.01 / 0.5, 1e-15);
    timed_close(&t);

    // the point turns with the body, the force does not: turned by 90 degrees about z the arm lies along the force
    t = open_box("force: [0, 5, 0], at: [0.1, 0, 0]");
    double *quat = t.x + timed_q(&t, "box.qw");
    quat[0] = quat[3] = sqrt(0.5);
    timed_run(&t, 0, 1);
    v = t.x + timed_v(&t, "box.vx");
    assert_close(v[1], 5 * 0.01 / 2, 1e-15);
    assert_close(v[5], 0, 1e-15);
    timed_close(&t);
}
END_TEST

START_TEST(a_load_on_a_chain_balances_what_it_lifts)
{
    // a pendulum of 1 kg at 0.5 m, held level by half its weight at twice the length
    timed t = timed_open("tractrix: 1\n"
                         "model:\n"
                         "  bodies: [{name: rod, joints: [{name: a, type: hinge, axis: [0, 1, 0]}], inertia: {mass: 1, com: [0.5, "
                         "0, 0], tensor: [0.01, 0.01, 0.01]}}]\n"
                         "  loads: [{body: rod, force: [0, 0, 4.905], at: [1, 0, 0]}]\n"
                         "time: {step: 0.01, steps: 100}\n");
    timed_run(&t, 0, 100);
    assert_close(t.x[0], 0, 1e-12);
    timed_close(&t);
}
END_TEST

START_TEST(derivatives_agree_with_differences)
{
    timed t = timed_open(
        "tractrix: 1\n"
        "model:\n"
        "  bodies:\n"
        "    - {name: base, joint: free, inertia: {mass: 2, com: [0.02, 0, 0.01], tensor: [0.03, 0.02, 0.04]}}\n"
        "    - {name: upper, parent: base, pose: {xyz: [0.1, 0, 0.2], rpy: [0.3, 0, 1]}, joints: [{name: a, type: hinge, axis: "
        "[0.2, 1, 0]}, {name: b, type: slide, axis: [1, 0.1, 0.3]}], inertia: {mass: 1, com: [0.1, 0, 0], tensor: [0.01, 0.02, "
        "0.015]}}\n"
        "    - {name: tip, parent: upper, pose: {xyz: [0.3, 0, 0]}, joints: [{name: c, type: ball}], inertia: {mass: 0.5, "
        "tensor: [0.003, 0.004, 0.005]}}\n"
        "  loads:\n"
        "    - {body: tip, force: [30, -20, 10], torque: [1, 2, -3], at: [0.2, 0.1, -0.3], wave: rotate, frequency: 1, axis: [1, "
        "1, 0]}\n"
        "    - {body: upper, force: [-10, 40, 20], at: [0, 0.2, 0.1], wave: sine, frequency: 2, phase: 0.5}\n"
        "    - {body: base, torque: [3, -2, 4], force: [5, 5, -9], at: [0.3, 0, 0], wave: ramp, duration: 1}\n"
        "time: {step: 0.01, steps: 100}\n");
    double start[TIMED_MAX_X], dq[TIMED_MAX_X];
    memcpy(start, t.x, sizeof start);
    for (uint64_t i = 0; i < 8; i++) {
        memcpy(t.x, start, sizeof start);
        for (int k = 0; k < t.nv; k++) {
            dq[k] = trxi_random_normal(i, (uint64_t)k);
            t.x[t.nq + k] = trxi_random_normal(i, 50 + (uint64_t)k);
        }
        trx_model_integrate(t.model, t.x, dq, t.x);
        double error = timed_derivative_error(&t, 0.1 * (double)i);
        assert_below(error, 1e-6);
        ck_assert_double_ge(error, 0);
    }
    timed_close(&t);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/loads");
    TCase *cases = tcase_create("loads");
    tcase_add_test(cases, constant_loads_and_ramps_give_their_impulse_exactly);
    tcase_add_test(cases, waves_are_integrated_to_second_order);
    tcase_add_test(cases, a_force_beside_the_centre_turns_the_body);
    tcase_add_test(cases, a_load_on_a_chain_balances_what_it_lifts);
    tcase_add_test(cases, derivatives_agree_with_differences);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
