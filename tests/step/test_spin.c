// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Spin by momentum (theory 2): what it does to angular momentum, its derivatives, and which bodies it serves.

#include "math/rotation.h"
#include "step/scenes.h"
#include "step/sim.h"
#include "step/spin.h"
#include "support/support.h"

#include <string.h>
#include <tractrix/verify.h>

// one weightless body on a joint, its centre of mass off its origin by `offset`
static scene make(trx_joint_type type, double offset, double time_step, trx_spin spin)
{
    scene s = {0};
    s.context = context_open();
    trx_joint_def joint = trx_joint_def_default();
    joint.name = "j", joint.type = type;
    trx_body_def body = trx_body_def_default();
    body.name = "body", body.joints = &joint, body.njoint = 1;
    body.has_inertia = true;
    body.inertia = (trx_body_inertia){1, {offset, -offset, 0.5 * offset}, {1e-3, 2e-3, 3e-3, 0, 0, 0}};
    trx_model_def def = trx_model_def_default();
    def.gravity[2] = 0;
    def.bodies = &body, def.nbody = 1;
    ck_assert_msg(trx_model_create(s.context, &def, &s.model) == TRX_OK, "%s", trx_context_message(s.context));
    trx_sim_settings settings = trx_sim_settings_default();
    settings.time_step = time_step;
    settings.spin = spin;
    ck_assert_msg(trx_sim_create(s.context, s.model, &settings, &s.sim) == TRX_OK, "%s", trx_context_message(s.context));
    trx_model_size size = trx_model_get_size(s.model);
    s.nq = size.nq, s.nv = size.nv, s.nu = size.nu, s.nx = 2 * size.nv;
    return s;
}

// angular momentum of a body of I = (1, 2, 3)e-3 about its centre of mass, in the world
static void momentum(const double *x, double L[3])
{
    double R[9], h[3];
    for (int a = 0; a < 3; a++) h[a] = (a + 1) * 1e-3 * x[10 + a];
    trxi_quat_to_matrix(x + 3, R);
    trxi_mulv3(R, h, L);
}

// relative change of angular momentum over 5 s, from 20 rad/s about the middle axis and 0.1 rad/s beside it
static double momentum_drift(double time_step, trx_spin spin)
{
    scene s = make(TRX_JOINT_FREE, 0, time_step, spin);
    double x[13] = {0}, before[3], after[3];
    trx_model_neutral(s.model, x);
    x[10] = 0.1, x[11] = 20, x[12] = 0.1;
    momentum(x, before);
    for (int k = 0; k < (int)lround(5 / time_step); k++) ck_assert_int_ge(trx_step(s.sim, x, NULL, x), 0);
    momentum(x, after);
    scene_destroy(&s);
    trxi_sub3(after, before, after);
    return trxi_norm3(after) / trxi_norm3(before);
}

START_TEST(angular_momentum_drifts_as_theory_says)
{
    assert_close(momentum_drift(0.01, TRX_SPIN_EXPLICIT), 0.882, 0.01);
    assert_close(momentum_drift(0.001, TRX_SPIN_EXPLICIT), 0.058, 0.001);
    assert_close(momentum_drift(0.01, TRX_SPIN_MOMENTUM), 6.5e-4, 1e-5);
    assert_close(momentum_drift(0.001, TRX_SPIN_MOMENTUM), 1.07e-2, 2e-4);
}
END_TEST

// a body frame off the centre of mass is a matter of description: the same spin, the same path of the centre of mass
START_TEST(the_body_frame_may_sit_anywhere)
{
    scene at = make(TRX_JOINT_FREE, 0, 0.002, TRX_SPIN_MOMENTUM), off = make(TRX_JOINT_FREE, 0.3, 0.002, TRX_SPIN_MOMENTUM);
    double x[13] = {0}, y[13];
    trx_model_neutral(at.model, x);
    x[10] = 1, x[11] = 4, x[12] = -2;
    memcpy(y, x, sizeof x);
    double c[3] = {0.3, -0.3, 0.15}, w[3] = {1, 4, -2}, u[3];
    trxi_cross3(w, c, u);
    for (int a = 0; a < 3; a++) y[7 + a] = -u[a]; // the centre of mass rests
    for (int k = 0; k < 100; k++) {
        ck_assert_int_ge(trx_step(at.sim, x, NULL, x), 0);
        ck_assert_int_ge(trx_step(off.sim, y, NULL, y), 0);
    }
    assert_below(max_difference(x + 10, y + 10, 3), 0.05 * max_magnitude(w, 3)); // explicit centripetal force of the offset
    scene_destroy(&at);
    scene_destroy(&off);
}
END_TEST

START_TEST(the_gain_has_its_derivative_and_is_linear_in_the_inertia)
{
    const double I[6] = {1e-3, 2e-3, 2.5e-3, 1e-4, -3e-4, 2e-4}, w[3] = {3, -20, 7}, dt = 0.01, e = 1e-4;
    double D[9], F[9], gain[3], sum[3] = {0};
    trxi_spin_gain_deriv(I, w, dt, D);
    for (int b = 0; b < 3; b++) {
        double plus[3], minus[3], moved[3] = {w[0], w[1], w[2]};
        moved[b] = w[b] + e;
        trxi_spin_gain(I, moved, dt, plus);
        moved[b] = w[b] - e;
        trxi_spin_gain(I, moved, dt, minus);
        for (int a = 0; a < 3; a++) F[a + 3 * b] = (plus[a] - minus[a]) / (2 * e);
    }
    assert_below(max_difference(D, F, 9), 1e-9 * max_magnitude(F, 9) + 1e-13);
    ck_assert(max_magnitude(F, 9) > 1e-5);
    trxi_spin_gain(I, w, dt, gain);
    for (int k = 0; k < 6; k++) {
        double unit[6] = {0}, part[3];
        unit[k] = 1;
        trxi_spin_gain(unit, w, dt, part);
        trxi_axpy3(I[k], part, sum);
    }
    assert_below(max_difference(gain, sum, 3), 1e-16);
    ck_assert(max_magnitude(gain, 3) > 1e-6);
}
END_TEST

START_TEST(steps_that_turn_momentum_have_exact_derivatives)
{
    scene s = make(TRX_JOINT_FREE, 0.1, 0.01, TRX_SPIN_MOMENTUM);
    double x[13] = {0}, A[144], F[144], explicit_A[144];
    bool kink;
    trx_model_neutral(s.model, x);
    x[10] = 3, x[11] = 20, x[12] = -5, x[7] = 0.3;
    ck_assert_int_ge(trx_step_fd(s.sim, x, NULL, 1e-4, F, NULL, &kink), 0);
    ck_assert(!kink);
    ck_assert_int_ge(trx_step_jac(s.sim, A, NULL), 0);
    assert_below(max_difference(A, F, 144), 1e-8 * max_magnitude(F, 144));

    // the derivatives differ from the derivatives of explicit spin
    trx_sim_settings settings = trx_sim_get_settings(s.sim);
    settings.spin = TRX_SPIN_EXPLICIT;
    ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_OK);
    ck_assert_int_ge(trx_step(s.sim, x, NULL, NULL), 0);
    ck_assert_int_ge(trx_step_jac(s.sim, explicit_A, NULL), 0);
    ck_assert(max_difference(A, explicit_A, 144) > 1e-3);
    scene_destroy(&s);
}
END_TEST

START_TEST(only_single_free_bodies_are_served)
{
    scene turned = make(TRX_JOINT_BALL, 0, 0.01, TRX_SPIN_MOMENTUM), plain = make(TRX_JOINT_BALL, 0, 0.01, TRX_SPIN_EXPLICIT);
    double x[7] = {1, 0, 0, 0, 3, 20, -5}, y[7];
    memcpy(y, x, sizeof x);
    ck_assert_int_ge(trx_step(turned.sim, x, NULL, x), 0);
    ck_assert_int_ge(trx_step(plain.sim, y, NULL, y), 0);
    ck_assert(memcmp(x, y, sizeof x) == 0);
    scene_destroy(&turned);
    scene_destroy(&plain);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/spin");
    TCase *cases = tcase_create("spin");
    tcase_add_test(cases, angular_momentum_drifts_as_theory_says);
    tcase_add_test(cases, the_body_frame_may_sit_anywhere);
    tcase_add_test(cases, the_gain_has_its_derivative_and_is_linear_in_the_inertia);
    tcase_add_test(cases, steps_that_turn_momentum_have_exact_derivatives);
    tcase_add_test(cases, only_single_free_bodies_are_served);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
