// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Two-stage schemes (theory 2): closed forms of one spring, orders of convergence against a Runge-Kutta integration of the same
// equations, what midpoint conserves, independence of trees, and trees whose motion has no solution.

#include "math/dense.h"
#include "math/rotation.h"
#include "step/scenes.h"
#include "step/sim.h"
#include "support/support.h"

#include <stdio.h>
#include <string.h>

static scene finish(trx_model_def *def, trx_scheme scheme, double theta, double theta_vq, double time_step)
{
    scene s = {0};
    s.context = context_open();
    ck_assert_msg(trx_model_create(s.context, def, &s.model) == TRX_OK, "%s", trx_context_message(s.context));
    trx_sim_settings settings = trx_sim_settings_default();
    settings.time_step = time_step;
    settings.tolerance = 1e-12;
    settings.scheme = scheme, settings.theta = theta, settings.theta_vq = theta_vq;
    ck_assert_msg(trx_sim_create(s.context, s.model, &settings, &s.sim) == TRX_OK, "%s", trx_context_message(s.context));
    trx_model_size size = trx_model_get_size(s.model);
    s.nq = size.nq, s.nv = size.nv, s.nu = size.nu, s.nx = 2 * size.nv;
    return s;
}

// 1 kg on a spring of stiffness k, along a slide
static scene make_spring(double k, trx_scheme scheme, double theta, double theta_vq, double time_step)
{
    trx_joint_def joint = trx_joint_def_default();
    joint.name = "j", joint.type = TRX_JOINT_SLIDE, joint.stiffness = k;
    trx_body_def body = trx_body_def_default();
    body.name = "body", body.joints = &joint, body.njoint = 1;
    body.has_inertia = true;
    body.inertia = (trx_body_inertia){1, {0}, {0.02, 0.03, 0.04, 0, 0, 0}};
    trx_model_def def = trx_model_def_default();
    memset(def.gravity, 0, sizeof def.gravity);
    def.bodies = &body, def.nbody = 1;
    return finish(&def, scheme, theta, theta_vq, time_step);
}

// energy after `steps` over that at the start
static double energy_left(double k, trx_scheme scheme, double theta, double theta_vq, double time_step, int steps)
{
    scene s = make_spring(k, scheme, theta, theta_vq, time_step);
    double x[2] = {0.01, 0.4}, before = k * x[0] * x[0] + x[1] * x[1];
    for (int i = 0; i < steps; i++) ck_assert_int_ge(trx_step(s.sim, x, NULL, x), 0);
    scene_destroy(&s);
    return (k * x[0] * x[0] + x[1] * x[1]) / before;
}

START_TEST(a_stiff_spring_keeps_its_energy_under_midpoint_alone)
{
    // w dt = 3.2 and 0.1
    assert_close(energy_left(1e5, TRX_MIDPOINT, 0, 0, 0.01, 500), 1, 1e-12);
    assert_close(energy_left(100, TRX_MIDPOINT, 0, 0, 0.01, 500), 1, 1e-12);
    assert_close(energy_left(100, TRX_IMPLICIT, 0, 0, 0.01, 500), pow(1.01, -500), 1e-9);
    assert_close(energy_left(100, TRX_SYMPLECTIC, 0, 0, 0.01, 500), pow(1.01, -500), 1e-9);
    ck_assert(energy_left(1e5, TRX_THETA, 0, 1, 0.01, 7) > 1e6);
}
END_TEST

START_TEST(a_spring_follows_the_formulas_of_the_scheme)
{
    // th = 0.7, th_vq = 0.4: v' = v - dt k (q + dt th (th_vq v' + (1 - th_vq) v))
    const double dt = 0.01, k = 3e3, th = 0.7, vq = 0.4;
    scene s = make_spring(k, TRX_THETA, th, vq, dt);
    double x[2] = {0.1, -1}, q = 0.1, v = -1;
    for (int i = 0; i < 100; i++) {
        double next = (v - dt * k * (q + dt * th * (1 - vq) * v)) / (1 + dt * dt * th * vq * k);
        q += dt * (vq * next + (1 - vq) * v);
        v = next;
        ck_assert_int_ge(trx_step(s.sim, x, NULL, x), 0);
        assert_close(x[0], q, 1e-12);
        assert_close(x[1], v, 1e-10);
    }
    scene_destroy(&s);
}
END_TEST

// two hinges about different axes, dampers and springs, under gravity, driven by a motor of 0.3 N m
static scene make_chain(trx_scheme scheme, double theta, double theta_vq, double time_step)
{
    trx_joint_def joints[2] = {trx_joint_def_default(), trx_joint_def_default()};
    trx_body_def bodies[2] = {trx_body_def_default(), trx_body_def_default()};
    for (int i = 0; i < 2; i++) {
        joints[i].name = i ? "second" : "first", joints[i].type = TRX_JOINT_HINGE;
        joints[i].axis[0] = i ? 0.3 : 0, joints[i].axis[1] = 1, joints[i].axis[2] = i ? -0.4 : 0;
        joints[i].stiffness = 0.5, joints[i].damping = 0.02, joints[i].armature = 0.001;
        bodies[i].name = i ? "lower" : "upper", bodies[i].joints = &joints[i], bodies[i].njoint = 1;
        bodies[i].parent = i - 1;
        bodies[i].pose.p[2] = i ? -0.4 : 0;
        bodies[i].has_inertia = true;
        bodies[i].inertia = (trx_body_inertia){0.5, {0, 0.05, -0.3}, {0.01, 0.02, 0.015, 0, 0, 0}};
    }
    trx_actuator_def motor = trx_actuator_def_default();
    motor.body = 1, motor.joint = 0, motor.name = "motor";
    trx_model_def def = trx_model_def_default();
    def.bodies = bodies, def.nbody = 2;
    def.actuators = &motor, def.nactuator = 1;
    return finish(&def, scheme, theta, theta_vq, time_step);
}

// (v, M^-1 (tau - bias - K q - D v)) of a chain of hinges
static void chain_rate(const scene *s, const double *x, double *rate)
{
    double M[4], bias[2];
    ck_assert_int_eq(trx_model_dynamics(s->context, s->model, x, x + 2, M, bias), TRX_OK);
    for (int i = 0; i < 2; i++) bias[i] = (i ? 0.3 : 0) - bias[i] - 0.5 * x[i] - 0.02 * x[2 + i];
    double det = M[0] * M[3] - M[1] * M[2];
    rate[0] = x[2], rate[1] = x[3];
    rate[2] = (M[3] * bias[0] - M[2] * bias[1]) / det;
    rate[3] = (M[0] * bias[1] - M[1] * bias[0]) / det;
}

// the classical Runge-Kutta method, 1 s in steps of 1 ms
static void chain_reference(const scene *s, double *x)
{
    const double dt = 1e-3, share[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    for (int k = 0; k < 1000; k++) {
        double sum[4] = {0}, rate[4] = {0}, at[4];
        for (int stage = 0; stage < 4; stage++) {
            for (int i = 0; i < 4; i++) at[i] = x[i] + dt * share[stage] * rate[i];
            chain_rate(s, at, rate);
            for (int i = 0; i < 4; i++) sum[i] += weight[stage] * rate[i];
        }
        for (int i = 0; i < 4; i++) x[i] += dt * sum[i];
    }
}

static double chain_error(trx_scheme scheme, double theta, double theta_vq, int steps)
{
    const double u = 0.3;
    scene s = make_chain(scheme, theta, theta_vq, 1.0 / steps);
    double x[4] = {0.8, -0.5, 1, -2}, y[4];
    memcpy(y, x, sizeof x);
    chain_reference(&s, y);
    for (int k = 0; k < steps; k++) ck_assert_int_ge(trx_step(s.sim, x, &u, x), 0);
    scene_destroy(&s);
    return max_difference(x, y, 4);
}

// smallest and largest slope of log error over log step between neighbours
static void assert_order(const double *errors, int count, double order, double tolerance)
{
    for (int i = 1; i < count; i++) assert_close(log2(errors[i - 1] / errors[i]), order, tolerance);
}

START_TEST(a_double_pendulum_converges_with_the_order_of_the_scheme)
{
    static const struct {
        trx_scheme scheme;
        double theta, theta_vq, order;
    } cases[] = {{TRX_SYMPLECTIC, 0, 0, 1}, {TRX_IMPLICIT, 0, 0, 1}, {TRX_MIDPOINT, 0, 0, 2}, {TRX_THETA, 0.5, 0.5, 2},
                 {TRX_THETA, 1, 0.5, 1}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double errors[4];
        for (int i = 0; i < 4; i++) errors[i] = chain_error(cases[c].scheme, cases[c].theta, cases[c].theta_vq, 400 << i);
        printf("double pendulum, scheme %d: errors %.2e %.2e %.2e %.2e\n", (int)cases[c].scheme, errors[0], errors[1],
               errors[2], errors[3]);
        assert_order(errors, 4, cases[c].order, 0.1);
    }
}
END_TEST

// a free body without gravity, I = (1, 2, 3)e-3
static scene make_top(trx_scheme scheme, double time_step)
{
    trx_joint_def joint = trx_joint_def_default();
    joint.name = "free", joint.type = TRX_JOINT_FREE;
    trx_body_def body = trx_body_def_default();
    body.name = "top", body.joints = &joint, body.njoint = 1;
    body.has_inertia = true;
    body.inertia = (trx_body_inertia){1, {0}, {1e-3, 2e-3, 3e-3, 0, 0, 0}};
    trx_model_def def = trx_model_def_default();
    memset(def.gravity, 0, sizeof def.gravity);
    def.bodies = &body, def.nbody = 1;
    return finish(&def, scheme, 0, 0, time_step);
}

static double top_energy(const double *x)
{
    return 1e-3 * (x[10] * x[10] + 2 * x[11] * x[11] + 3 * x[12] * x[12]);
}

// world angular momentum after 1 s against that before; energy left
static double top_drift(trx_scheme scheme, int steps, double *energy)
{
    scene s = make_top(scheme, 1.0 / steps);
    double x[13] = {0}, L[2][3], R[9];
    trx_model_neutral(s.model, x);
    x[10] = 0.1, x[11] = 20, x[12] = 0.1;
    double before = top_energy(x);
    for (int end = 0; end < 2; end++) {
        const double h[3] = {1e-3 * x[10], 2e-3 * x[11], 3e-3 * x[12]};
        trxi_quat_to_matrix(x + 3, R);
        trxi_mulv3(R, h, L[end]);
        for (int k = 0; k < steps && end == 0; k++) ck_assert_int_ge(trx_step(s.sim, x, NULL, x), 0);
    }
    scene_destroy(&s);
    *energy = top_energy(x) / before;
    return max_difference(L[0], L[1], 3) / trxi_norm3(L[0]);
}

START_TEST(a_free_top_keeps_its_energy_under_midpoint_and_its_momentum_to_second_order)
{
    double drift[4], energy;
    for (int i = 0; i < 4; i++) {
        drift[i] = top_drift(TRX_MIDPOINT, 400 << i, &energy);
        assert_close(energy, 1, 1e-11);
    }
    printf("free top: momentum %.2e %.2e %.2e %.2e\n", drift[0], drift[1], drift[2], drift[3]);
    assert_order(drift, 4, 2, 0.2);
    top_drift(TRX_IMPLICIT, 400, &energy);
    assert_below(energy, 0.99);
}
END_TEST

// 1 kg on a floor of 1e4 N/m that it never leaves, for 0.1 s: the largest error of height and of speed over w
static double contact_error(trx_approximation approximation, bool middle, double time_step, double *energy)
{
    const double k = 1e4, w = 100, rest = -9.81 / k, amplitude = 5e-4;
    floor_def def = floor_def_default();
    def.shape = (trx_shape){.type = TRX_SHAPE_SPHERE, .radius = 0.05};
    def.turns = false;
    def.law.approximation = approximation, def.law.stiffness = k, def.law.relaxation_time = 0;
    def.law.force_law = TRX_KELVIN_VOIGT;
    def.time_step = time_step;
    scene s = scene_floor(&def);
    trx_sim_settings settings = trx_sim_get_settings(s.sim);
    settings.scheme = TRX_MIDPOINT, settings.contact_midpoint = middle, settings.near_rigid = 1e-6;
    settings.tolerance = 1e-12;
    ck_assert_msg(trx_sim_set_settings(s.sim, &settings) == TRX_OK, "%s", trx_context_message(s.context));
    double x[6], worst = 0;
    floor_state(&s, &def, 0.05 + rest + amplitude, 0, x);
    const double start = x[2];
    for (int i = 1; i <= (int)lround(0.1 / time_step); i++) {
        ck_assert_int_ge(trx_step(s.sim, x, NULL, x), 0);
        double phase = w * time_step * i, height = x[2] - start + amplitude;
        worst = fmax(worst, fmax(fabs(height - amplitude * cos(phase)), fabs(x[5] / w + amplitude * sin(phase))));
        *energy = (height * height + x[5] * x[5] / (w * w)) / (amplitude * amplitude);
    }
    scene_destroy(&s);
    return worst / amplitude;
}

START_TEST(contacts_of_the_middle_are_of_second_order_and_keep_the_energy)
{
    static const trx_approximation kinds[] = {TRX_LAGGED, TRX_SIMILAR, TRX_SAP};
    for (int a = 0; a < 3; a++) {
        double end[4], middle[4], energy;
        for (int i = 0; i < 4; i++) {
            double dt = 5e-4 / (1 << i);
            end[i] = contact_error(kinds[a], false, dt, &energy);
            assert_below(energy, 0.99);
            middle[i] = contact_error(kinds[a], true, dt, &energy);
            assert_close(energy, 1, 1e-9);
        }
        printf("mass on a contact spring, %s: end %.2e %.2e %.2e %.2e, middle %.2e %.2e %.2e %.2e\n",
               trx_approximation_name(kinds[a]), end[0], end[1], end[2], end[3], middle[0], middle[1], middle[2], middle[3]);
        assert_order(end, 4, 1, 0.15);
        assert_order(middle, 4, 2, 0.1);
    }
}
END_TEST

// friction holds a block still: under midpoint stiction is as good as under the other schemes
START_TEST(friction_is_of_the_end_of_the_step)
{
    floor_def def = floor_def_default();
    def.turns = false;
    scene s = scene_floor(&def);
    trx_sim_settings settings = trx_sim_get_settings(s.sim);
    settings.scheme = TRX_MIDPOINT, settings.contact_midpoint = true;
    ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_OK);
    double x[6];
    floor_state(&s, &def, 0.05 - 9.81 / 4e5, 0, x);
    x[3] = 0.2;
    for (int k = 0; k < 100; k++) ck_assert_int_ge(trx_step(s.sim, x, NULL, x), 0);
    assert_below(fabs(x[3]), 1e-4);
    scene_destroy(&s);
}
END_TEST

START_TEST(settings_that_contradict_the_scheme_are_refused_by_name)
{
    scene s = make_spring(10, TRX_SYMPLECTIC, 0.5, 0.5, 0.01);
    const trx_sim_settings good = trx_sim_get_settings(s.sim);
    const struct {
        trx_scheme scheme;
        double theta, theta_vq;
        bool contact_midpoint;
        trx_spin spin;
        const char *word;
    } cases[] = {{TRX_THETA, 1.1, 0.5, false, TRX_SPIN_EXPLICIT, "theta"},
                 {TRX_THETA, 0.5, -0.1, false, TRX_SPIN_EXPLICIT, "theta_vq"},
                 {TRX_THETA, NAN, 0.1, false, TRX_SPIN_EXPLICIT, "theta"},
                 {(trx_scheme)7, 0.5, 0.5, false, TRX_SPIN_EXPLICIT, "scheme 7"},
                 {TRX_SYMPLECTIC, 0.5, 0.5, false, (trx_spin)3, "spin 3"},
                 {TRX_SYMPLECTIC, 0.5, 0.5, true, TRX_SPIN_EXPLICIT, "contact_midpoint"},
                 {TRX_IMPLICIT, 0.5, 0.5, true, TRX_SPIN_EXPLICIT, "contact_midpoint"},
                 {TRX_THETA, 0, 0.5, true, TRX_SPIN_EXPLICIT, "contact_midpoint"},
                 {TRX_MIDPOINT, 0.5, 0.5, false, TRX_SPIN_MOMENTUM, "spin"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trx_sim_settings bad = good;
        bad.scheme = cases[i].scheme, bad.theta = cases[i].theta, bad.theta_vq = cases[i].theta_vq;
        bad.contact_midpoint = cases[i].contact_midpoint, bad.spin = cases[i].spin;
        ck_assert_int_eq(trx_sim_set_settings(s.sim, &bad), TRX_ERR_ARGUMENT);
        const char *message = trx_context_message(s.context);
        ck_assert_msg(strstr(message, cases[i].word) != NULL, "%s", message);
        ck_assert_int_eq(trx_sim_get_settings(s.sim).scheme, TRX_SYMPLECTIC);
    }
    scene_destroy(&s);
}
END_TEST

// a tree has the same bits alone and beside other trees
START_TEST(a_tree_does_not_depend_on_the_others)
{
    scene chain = make_chain(TRX_MIDPOINT, 0, 0, 0.02);
    double x[4] = {0.8, -0.5, 1, -2}, together[8], u[2] = {0.3, 0};
    static const char *const names[] = {"a", "b", "c", "d"};
    trx_joint_def joints[4];
    trx_body_def bodies[4];
    for (int i = 0; i < 4; i++) {
        joints[i] = trx_joint_def_default(), bodies[i] = trx_body_def_default();
        joints[i].name = names[i], joints[i].type = TRX_JOINT_HINGE;
        joints[i].axis[0] = i % 2 ? 0.3 : 0, joints[i].axis[1] = 1, joints[i].axis[2] = i % 2 ? -0.4 : 0;
        joints[i].stiffness = 0.5, joints[i].damping = 0.02, joints[i].armature = 0.001;
        bodies[i].name = names[i], bodies[i].joints = &joints[i], bodies[i].njoint = 1;
        bodies[i].parent = i % 2 ? i - 1 : -1;
        bodies[i].pose.p[2] = i % 2 ? -0.4 : 0;
        bodies[i].has_inertia = true;
        bodies[i].inertia = (trx_body_inertia){0.5, {0, 0.05, -0.3}, {0.01, 0.02, 0.015, 0, 0, 0}};
    }
    trx_actuator_def motors[2] = {trx_actuator_def_default(), trx_actuator_def_default()};
    motors[0].body = 1, motors[0].joint = 0, motors[0].name = "m";
    motors[1].body = 3, motors[1].joint = 0, motors[1].name = "n";
    trx_model_def def = trx_model_def_default();
    def.bodies = bodies, def.nbody = 4, def.actuators = motors, def.nactuator = 2;
    scene both = finish(&def, TRX_MIDPOINT, 0, 0, 0.02);
    const double start[8] = {0.8, -0.5, 2.5, 1.3, 1, -2, 15, -20};
    memcpy(together, start, sizeof start);
    for (int k = 0; k < 50; k++) {
        ck_assert_int_ge(trx_step(chain.sim, x, u, x), 0);
        ck_assert_int_ge(trx_step(both.sim, together, u, together), 0);
        ck_assert(memcmp(x, together, 2 * sizeof *x) == 0 && memcmp(x + 2, together + 4, 2 * sizeof *x) == 0);
    }
    scene_destroy(&chain);
    scene_destroy(&both);
}
END_TEST

START_TEST(a_motion_without_solution_names_the_joint)
{
    // the fall of 1 s in one step, at a speed that turns the chain over many times
    scene s = make_chain(TRX_IMPLICIT, 0, 0, 1);
    double x[4], before[4];
    int failed = 0;
    for (int i = 0; i < 40 && !failed; i++) {
        const double start[4] = {0.1 * i, -0.3 * i, 300 + 7 * i, -500 + 11 * i};
        memcpy(x, start, sizeof x);
        memcpy(before, start, sizeof x);
        trx_status status = trx_step(s.sim, x, NULL, x);
        if (status >= 0) continue;
        failed++;
        ck_assert_int_eq(status, TRX_ERR_NOT_CONVERGED);
        const char *message = trx_context_message(s.context);
        ck_assert_msg(strstr(message, "'first'") || strstr(message, "'second'"), "%s", message);
        ck_assert_msg(strstr(message, "shorter time step") != NULL, "%s", message);
        ck_assert(memcmp(x, before, sizeof x) == 0);
        double A[16];
        ck_assert_int_eq(trx_step_jac(s.sim, A, NULL), TRX_ERR_NO_STEP);
    }
    ck_assert_int_eq(failed, 1);
    scene_destroy(&s);
}
END_TEST

// turns of a radian and more in one step: a motion is found, or the first search without a step that helps ends the solve
START_TEST(a_fast_motion_is_found_or_given_up_at_once)
{
    enum { STARTS = 60 };
    scene s = make_chain(TRX_IMPLICIT, 0, 0, 0.1);
    int solved = 0, none = 0;
    for (int i = 0; i < STARTS; i++) {
        double x[4] = {0.1 * i, -0.3 * i, 10 + 0.5 * i, -14 + 0.7 * i};
        const trx_status status = trx_step(s.sim, x, NULL, x);
        solved += status >= 0;
        none += status < 0 && strstr(trx_context_message(s.context), "has no step that helps") != NULL;
    }
    ck_assert_int_ge(solved, 50);
    ck_assert_int_eq(none, STARTS - solved);
    scene_destroy(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/two_stage");
    TCase *cases = tcase_create("two_stage");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, a_stiff_spring_keeps_its_energy_under_midpoint_alone);
    tcase_add_test(cases, a_spring_follows_the_formulas_of_the_scheme);
    tcase_add_test(cases, a_double_pendulum_converges_with_the_order_of_the_scheme);
    tcase_add_test(cases, a_free_top_keeps_its_energy_under_midpoint_and_its_momentum_to_second_order);
    tcase_add_test(cases, contacts_of_the_middle_are_of_second_order_and_keep_the_energy);
    tcase_add_test(cases, friction_is_of_the_end_of_the_step);
    tcase_add_test(cases, settings_that_contradict_the_scheme_are_refused_by_name);
    tcase_add_test(cases, a_tree_does_not_depend_on_the_others);
    tcase_add_test(cases, a_motion_without_solution_names_the_joint);
    tcase_add_test(cases, a_fast_motion_is_found_or_given_up_at_once);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
