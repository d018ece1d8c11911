// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Drag in the step: falls and drifts in closed form, and derivatives of every scheme.

#include "base/random.h"
#include "math/constants.h"
#include "step/timed.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static timed open_box(const char *drag)
{
    char text[1024];
    snprintf(text, sizeof text,
             "tractrix: 1\n"
             "model:\n"
             "  gravity: [0, 0, -10]\n"
             "  bodies: [{name: box, joint: free, inertia: {mass: 2, tensor: [0.5, 0.5, 0.5]}, drag: {%s}}]\n"
             "time: {step: 0.001, steps: 100}\n",
             drag);
    return timed_open(text);
}

START_TEST(a_fall_ends_at_the_terminal_speed)
{
    // form: m g = rho/2 area v^2; viscous: m g = 3 pi d mu v
    timed t = open_box("size: [0.5, 0.4, 0.1], density: 100");
    timed_run(&t, 0, 4000);
    assert_close(t.x[timed_v(&t, "box.vz")], -sqrt(2 * 20 / (100 * 0.2)), 1e-9);
    timed_close(&t);
    t = open_box("size: [0.6, 0.4, 0.2], viscosity: 20");
    timed_run(&t, 0, 4000);
    assert_close(t.x[timed_v(&t, "box.vz")], -20 / (3 * TRXI_PI * 0.4 * 20), 1e-9);
    timed_close(&t);
}
END_TEST

START_TEST(wind_carries_a_body_along)
{
    timed t = open_box("size: [0.5, 0.5, 0.5], viscosity: 100, wind: [3, -1, 0]");
    timed_run(&t, 0, 3000);
    assert_close(t.x[timed_v(&t, "box.vx")], 3, 1e-9);
    assert_close(t.x[timed_v(&t, "box.vx") + 1], -1, 1e-9);
    timed_close(&t);
}
END_TEST

START_TEST(a_spin_decays)
{
    // I dw/dt = -pi d^3 mu w, and after it -rho/64 s_z (s_x^4 + s_y^4) w^2
    const double d3 = 0.5 * 0.5 * 0.5, rate = TRXI_PI * d3 * 2 / 0.5;
    timed t = open_box("size: [0.5, 0.5, 0.5], viscosity: 2");
    t.x[timed_v(&t, "box.wz")] = 10;
    timed_run(&t, 0, 1000);
    assert_close(t.x[timed_v(&t, "box.wz")], 10 * pow(1 - 0.001 * rate, 1000), 1e-10);
    timed_close(&t);
    t = open_box("size: [1, 2, 0.5], density: 3");
    t.x[timed_v(&t, "box.wz")] = 10;
    timed_run(&t, 0, 1000);
    assert_close(t.x[timed_v(&t, "box.wz")], 10 / (1 + 10 * 3.0 / 64 * 0.5 * 17 / 0.5), 0.01);
    timed_close(&t);
}
END_TEST

static const char CHAIN[] =
    "tractrix: 1\n"
    "model:\n"
    "  bodies:\n"
    "    - {name: base, joint: free, inertia: {mass: 2, com: [0.02, 0, 0.01], tensor: [0.03, 0.02, 0.04]}, drag: {size: [0.3, "
    "0.2, 0.4], density: 50, viscosity: 2, wind: [1, 2, -1], pose: {xyz: [0.05, 0, 0.1], rpy: [0.1, 0.4, 0]}}}\n"
    "    - {name: upper, parent: base, pose: {xyz: [0.1, 0, 0.2], rpy: [0.3, 0, 1]}, joints: [{name: a, type: hinge, axis: "
    "[0.2, 1, 0]}, {name: b, type: slide, axis: [1, 0.1, 0.3]}], inertia: {mass: 1, com: [0.1, 0, 0], tensor: [0.01, 0.02, "
    "0.015]}, drag: {size: [0.5, 0.1, 0.2], density: 80, wind: [1, 2, -1], pose: {xyz: [0.2, 0.1, 0]}}}\n"
    "    - {name: tip, parent: upper, pose: {xyz: [0.3, 0, 0]}, joints: [{name: c, type: ball}], inertia: {mass: 0.5, "
    "tensor: [0.003, 0.004, 0.005]}, drag: {size: [0.1, 0.2, 0.3], viscosity: 0.5, density: 20}}\n"
    "time: {step: 0.01, steps: 100, scheme: %s}\n";

static void random_state(timed *t, const double *start, uint64_t seed)
{
    double dq[TIMED_MAX_X];
    memcpy(t->x, start, TIMED_MAX_X * sizeof *start);
    for (int k = 0; k < t->nv; k++) {
        dq[k] = trxi_random_normal(seed, (uint64_t)k);
        t->x[t->nq + k] = trxi_random_normal(seed, 50 + (uint64_t)k);
    }
    trx_model_integrate(t->model, t->x, dq, t->x);
}

// by matrices, and by a product with a random vector
START_TEST(derivatives_agree_with_differences_in_every_scheme)
{
    static const char *const schemes[] = {"symplectic", "midpoint", "implicit"};
    for (int s = 0; s < 3; s++) {
        char text[2048];
        snprintf(text, sizeof text, CHAIN, schemes[s]);
        timed t = timed_open(text);
        double start[TIMED_MAX_X];
        memcpy(start, t.x, sizeof start);
        for (uint64_t i = 0; i < 6; i++) {
            random_state(&t, start, i);
            const double error = timed_derivative_error(&t, 0);
            ck_assert_double_ge(error, 0);
            assert_below(error, 1e-6);

            double A[TIMED_MAX_X * TIMED_MAX_X], next[TIMED_MAX_X], seed[TIMED_MAX_X], gradient[TIMED_MAX_X], u[1];
            const int n = 2 * t.nv;
            ck_assert_int_ge(trx_step(t.sim, t.x, NULL, next), 0);
            ck_assert_int_ge(trx_step_jac(t.sim, A, NULL), 0);
            for (int k = 0; k < n; k++) seed[k] = trxi_random_normal(i, 200 + (uint64_t)k);
            ck_assert_int_ge(trx_step_vjp(t.sim, seed, gradient, u), 0);
            for (int j = 0; j < n; j++) {
                double sum = 0;
                for (int k = 0; k < n; k++) sum += A[k + n * j] * seed[k];
                assert_close(gradient[j], sum, 1e-9 * (1 + fabs(sum)));
            }
        }
        timed_close(&t);
    }
}
END_TEST

// an arm on a base in the wind, with the pose of the base among the parameters
START_TEST(derivatives_by_parameters_agree_with_differences)
{
    trx_gradient_check check;
    timed t = timed_open(
        "tractrix: 1\n"
        "model:\n"
        "  bodies:\n"
        "    - {name: base, pose: {rpy: [0.1, 0.2, 0.3]}}\n"
        "    - {name: arm, parent: base, joints: [{name: a, type: hinge, axis: [0, 1, 0]}, {name: b, type: hinge, axis: [1, 0, "
        "0]}], "
        "inertia: {mass: 1, com: [0.3, 0, 0], tensor: [0.02, 0.03, 0.04]}, drag: {size: [0.6, 0.2, 0.3], density: 20, viscosity: "
        "0.5, wind: [3, 2, 1], pose: {xyz: [0.3, 0, 0]}}}\n"
        "time: {step: 0.01, steps: 100}\n");
    ck_assert_int_eq(trx_problem_check_gradients(t.problem, 20, &check), TRX_OK);
    ck_assert_msg(check.ok, "A %g at %s, C %g at %s", check.a_error, check.a_at, check.c_error, check.c_at);
    ck_assert_int_ge(check.states, 15);
    timed_close(&t);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/drag");
    TCase *cases = tcase_create("drag");
    tcase_add_test(cases, a_fall_ends_at_the_terminal_speed);
    tcase_add_test(cases, wind_carries_a_body_along);
    tcase_add_test(cases, a_spin_decays);
    tcase_add_test(cases, derivatives_agree_with_differences_in_every_scheme);
    tcase_add_test(cases, derivatives_by_parameters_agree_with_differences);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
