// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Drives, muscles, tendons and dry friction (theory 4): closed forms on one slide, derivatives against differences, products
// against the matrices.

#include "step/robot.h"
#include "model/muscle.h"
#include "step/schemes.h"
#include "step/sim.h"
#include "support/support.h"
#include "verify/gradient_check.h"

#include <string.h>

enum { STATES = SANITIZED ? 5 : 20 }; ///< random states are drawn by so many

static trx_actuator_def actuator(int body)
{
    trx_actuator_def a = trx_actuator_def_default();
    a.body = body, a.joint = 0;
    return a;
}

static const trx_joint_factor parts[] = {{ROBOT_RIGHT_TIP, 0, 0.7}, {ROBOT_LEFT, 0, -1.2}, {ROBOT_LEFT_TIP, 0, 0.5}};
static const trx_tendon_def tendon = {.name = "tendon", .joints = parts, .njoint = 3};

// a motor with a bias, a position drive, a velocity drive with a narrow effort, a tendon drive
static void all_actuators(trx_actuator_def out[4])
{
    out[0] = actuator(ROBOT_LEFT);
    out[0].gear = 2, out[0].gain = 3, out[0].bias = 0.4;
    out[1] = actuator(ROBOT_RIGHT_TIP);
    out[1].gear = -1.5, out[1].gain = out[1].kp = 20, out[1].kd = 0.5, out[1].name = "position";
    out[2] = actuator(ROBOT_LEFT_TIP);
    out[2].gain = out[2].kd = 8, out[2].effort_lower = -2, out[2].effort_upper = 1.5, out[2].name = "velocity";
    out[3] = actuator(-1);
    out[3].tendon = 0, out[3].gain = out[3].kp = 12, out[3].kd = 1, out[3].name = "pull";
    out[3].effort_lower = -6, out[3].effort_upper = 6;
}

START_TEST(derivatives_agree_with_differences_inside_and_outside_the_effort)
{
    trx_actuator_def actuators[4];
    all_actuators(actuators);
    robot r = robot_create_with_tendons(&tendon, 1, NULL, 0, actuators, 4, 0.3, 0.02);
    double x[64], u[4], worst = 0;
    int judged = 0, saturated = 0, inside = 0;
    for (int i = 0; i < 4 * STATES; i++) {
        robot_state(&r, 0.3, 3, i, x, u);
        double error = robot_derivative_error(&r, x, u);
        if (error < 0) continue;
        judged++;
        worst = fmax(worst, error);
        double force = trx_sim_actuator_force(r.sim, 2);
        bool full = force == -2 || force == 1.5;
        saturated += full, inside += !full;
    }
    assert_below(worst, 1e-6);
    ck_assert_msg(judged >= 3 * STATES && saturated >= STATES / 2 && inside >= STATES / 2,
                  "%d judged, %d saturated, %d inside", judged, saturated, inside);
    robot_destroy(&r);
}
END_TEST

START_TEST(products_are_those_of_the_matrices)
{
    trx_actuator_def actuators[4];
    all_actuators(actuators);
    robot r = robot_create_with_tendons(&tendon, 1, NULL, 0, actuators, 4, 0.3, 0.02);
    double x[64], u[4], A[64 * 64], B[64 * 4], grad_x[64], grad_u[4];
    robot_state(&r, 0.3, 5, 0, x, u);
    ck_assert_int_ge(trx_step(r.sim, x, u, NULL), 0);
    ck_assert_int_ge(trx_step_jac(r.sim, A, B), 0);
    robot_check_products(&r, A, B, grad_x, grad_u);
    ck_assert(max_magnitude(grad_u, r.nu) > 0);
    robot_destroy(&r);
}
END_TEST

// A drive on a tendon over three joints. v_free treats the drive as if it acted alone against the diagonal of A: A v_free = p0 +
// dt gear J^T f, where f = clamp((f0 - slope rate)/(1 + dt slope w)), rate = gear J v0 and w = gear^2 J diag(A)^-1 J^T
START_TEST(a_drive_pushes_the_free_velocity_along_its_tendon)
{
    const double dt = 0.01, gear = -1.5, kp = 12, kd = 3, gain = 20, most = 6;
    trx_actuator_def drive = actuator(-1);
    drive.tendon = 0, drive.gear = gear, drive.gain = gain, drive.kp = kp, drive.kd = kd;
    drive.effort_lower = -most, drive.effort_upper = most;
    robot r = robot_create_with_tendons(&tendon, 1, NULL, 0, &drive, 1, 0, 0.02);
    double x[64], u[1];
    int bounded = 0;
    for (int i = 0; i < 20; i++) {
        robot_state(&r, 0.3, 11, i, x, u);
        ck_assert_int_ge(trx_step(r.sim, x, u, NULL), 0);
        const trxi_smooth *smooth = &r.sim->smooth;
        const ptrdiff_t *column = r.model->column;
        const int *tree = r.model->dof_tree;
        double length = 0, rate = 0, w = 0, impulse[64];
        int dof[3];
        for (int k = 0; k < 3; k++) {
            const trxi_joint *joint = &r.model->joints[parts[k].body]; // every body has one joint
            ck_assert_int_eq(joint->body, parts[k].body);
            dof[k] = joint->v;
            length += parts[k].factor * x[joint->q];
            rate += gear * parts[k].factor * x[r.nq + dof[k]];
            w += gear * gear * parts[k].factor * parts[k].factor / smooth->A[dof[k] + column[dof[k]]];
        }
        const double f0 = gain * u[0] - kp * gear * length, slope = dt * kp + kd;
        const double f = fmax(-most, fmin(most, (f0 - slope * rate) / (1 + dt * slope * w)));
        bounded += fabs(f) == most;
        memcpy(impulse, smooth->p0, (size_t)r.nv * sizeof *impulse);
        for (int k = 0; k < 3; k++) impulse[dof[k]] += dt * gear * parts[k].factor * f;
        for (int row = 0; row < r.nv; row++) {
            double sum = 0;
            for (int c = 0; c < r.nv; c++)
                if (tree[c] == tree[row]) sum += smooth->A[row >= c ? row + column[c] : c + column[row]] * smooth->v_free[c];
            assert_close(sum, impulse[row], 1e-11);
        }
    }
    ck_assert_msg(bounded > 0 && bounded < 20, "%d of 20 at the bound", bounded);
    robot_destroy(&r);
}
END_TEST

// one slide of 1 kg without gravity
static robot slide(const trx_actuator_def *a, int count, double friction)
{
    trx_joint_def joint = trx_joint_def_default();
    joint.name = "s", joint.type = TRX_JOINT_SLIDE, joint.axis[0] = 1, joint.axis[2] = 0, joint.friction = friction;
    trx_body_def body = trx_body_def_default();
    body.name = "cart", body.joints = &joint, body.njoint = 1, body.gravity = false, body.has_inertia = true;
    body.inertia.mass = 1;
    robot r = {0};
    r.context = context_open();
    trx_model_def def = trx_model_def_default();
    def.bodies = &body, def.nbody = 1, def.actuators = a, def.nactuator = count;
    ck_assert_msg(trx_model_create(r.context, &def, &r.model) == TRX_OK, "%s", trx_context_message(r.context));
    ck_assert_int_eq(trx_sim_create(r.context, r.model, NULL, &r.sim), TRX_OK);
    return r;
}

START_TEST(a_position_drive_is_an_implicit_spring_and_damper)
{
    trx_actuator_def a = actuator(0);
    a.gain = a.kp = 50, a.kd = 4;
    robot r = slide(&a, 1, 0);
    double x[2] = {0.1, 0.3}, next[2], u = 0.5, dt = 0.01;
    ck_assert_int_ge(trx_step(r.sim, x, &u, next), 0);
    double v = (x[1] + dt * 50 * (u - x[0])) / (1 + dt * (4 + dt * 50));
    assert_close(next[1], v, 1e-12);
    assert_close(trx_sim_actuator_force(r.sim, 0), (v - x[1]) / dt, 1e-9);
    robot_destroy(&r);
}
END_TEST

START_TEST(effort_limits_the_drive)
{
    trx_actuator_def a = actuator(0);
    a.gain = a.kp = 1000, a.effort_lower = -3, a.effort_upper = 2;
    robot r = slide(&a, 1, 0);
    double x[2] = {0, 0}, next[2], u = 1;
    ck_assert_int_ge(trx_step(r.sim, x, &u, next), 0);
    assert_close(next[1], 0.02, 1e-14);
    u = -1;
    ck_assert_int_ge(trx_step(r.sim, x, &u, next), 0);
    assert_close(next[1], -0.03, 1e-14);
    robot_destroy(&r);
}
END_TEST

// ---- muscles ----

static trx_actuator_def muscle(const char *name, int body, double force, double optimal_length, double tendon_length)
{
    trx_actuator_def a = actuator(body);
    a.name = name, a.gain = force;
    a.muscle.optimal_length = optimal_length, a.muscle.tendon_length = tendon_length;
    a.activation.type = TRX_ACTIVATION_MUSCLE;
    return a;
}

// on a hinge with the activation of a muscle, late; on a slide without an activation and with a narrow effort; on three joints
// through a filter, with a spring beside it
static robot muscled(void)
{
    trx_actuator_def a[3] = {muscle("hinge", ROBOT_LEFT, 3, 1.1, -1), muscle("slide", ROBOT_LEFT_TIP, 20, 0.7, -0.8),
                             muscle("three", -1, 8, 1.3, -1.2)};
    a[0].activation.early = false, a[0].gear = -1.3;
    a[1].activation.type = TRX_ACTIVATION_NONE, a[1].effort_lower = -12, a[1].effort_upper = -0.5;
    a[2].tendon = 0, a[2].kp = 2, a[2].kd = 0.1, a[2].bias = 0.3;
    a[2].activation.type = TRX_ACTIVATION_FILTER, a[2].activation.time_constant = 0.02;
    return robot_create_with_tendons(&tendon, 1, NULL, 0, a, 3, 0.3, 0.02);
}

// the control of a muscle may be anything; activations are random about the middle
static void muscled_state(const robot *r, uint64_t seed, int index, double *x, double *u)
{
    robot_state(r, 0.5, seed, index, x, u);
    for (int i = r->nq + r->nv; i < r->nq + r->nv + 2; i++) x[i] = 0.5 + 0.3 * tanh(x[i]);
    for (int i = 0; i < r->nu; i++) u[i] = 0.4 + 0.5 * tanh(u[i]);
}

START_TEST(derivatives_of_muscles_agree_with_differences_in_every_scheme)
{
    robot r = muscled();
    double x[64], u[3];
    for (int k = 0; k < SCHEMES; k++) {
        use_scheme(r.sim, &schemes[k]);
        double worst = 0;
        int judged = 0, limited = 0, idle = 0;
        for (int i = 0; i < 3 * STATES; i++) {
            muscled_state(&r, 3, i, x, u);
            const double error = robot_derivative_error(&r, x, u);
            if (error < 0) continue;
            judged++;
            worst = fmax(worst, error);
            const double force = trx_sim_actuator_force(r.sim, 1);
            limited += force == -12 || force == -0.5;
            idle += trx_sim_actuator_force(r.sim, 0) == 0;
        }
        assert_below(worst, 1e-6);
        ck_assert_msg(judged >= 2 * STATES && limited >= STATES / 4 && limited < judged && idle < judged,
                      "%s: %d judged, %d limited, %d idle",
                      schemes[k].name, judged, limited, idle);
    }
    robot_destroy(&r);
}
END_TEST

START_TEST(products_and_parameters_of_muscles_agree_with_the_matrices_and_with_differences)
{
    robot r = muscled();
    double x[64], u[3], A[64 * 64], B[64 * 3], grad_x[64], grad_u[3];
    muscled_state(&r, 5, 1, x, u);
    ck_assert_int_ge(trx_step(r.sim, x, u, NULL), 0);
    ck_assert_int_ge(trx_step_jac(r.sim, A, B), 0);
    robot_check_products(&r, A, B, grad_x, grad_u);
    ck_assert(max_magnitude(grad_u, r.nu) > 0);

    trxi_gradient_checker *checker;
    const trx_sim_settings settings = trx_sim_get_settings(r.sim);
    ck_assert_int_eq(trxi_gradient_checker_create(r.context, r.model, &settings, &checker), TRX_OK);
    trx_gradient_check found = {0};
    for (int i = 0; i < 8; i++) {
        muscled_state(&r, 7, i, x, u);
        ck_assert_int_ge(trxi_gradient_checker_judge(checker, i, x, u, &found), 0);
    }
    ck_assert(found.states >= 4 && trxi_gradient_check_passed(&found));
    assert_below(found.c_error, 1e-5);
    trxi_gradient_checker_destroy(checker);
    robot_destroy(&r);
}
END_TEST

// m (v' - v) = dt f(q, v'): the force is implicit in the speed
START_TEST(a_muscle_pulls_by_its_curves_at_the_speed_of_the_end)
{
    trx_actuator_def a = muscle("m", 0, 40, 0.5, 0.1);
    a.activation.type = TRX_ACTIVATION_NONE, a.gear = 2;
    robot r = slide(&a, 1, 0);
    trx_sim_settings settings = trx_sim_get_settings(r.sim);
    settings.tolerance = 1e-13;
    ck_assert_int_ge(trx_sim_set_settings(r.sim, &settings), 0);
    for (double q = 0.1; q < 0.5; q += 0.03)
        for (double v = -1; v < 1; v += 0.13) {
            const double x[2] = {q, v}, u = 0.6, l = (2 * q - 0.1) / 0.5;
            double next[2];
            ck_assert_int_ge(trx_step(r.sim, x, &u, next), 0);
            const double speed = trxi_muscle_speed(a.muscle.lengthening_force, 2 * next[1] / (0.5 * a.muscle.max_speed)).value;
            const double f = -40 * (u * trxi_muscle_active(&a.muscle, l).value * speed + trxi_muscle_passive(&a.muscle, l).value);
            assert_close(trx_sim_actuator_force(r.sim, 0), f, 1e-9);
            assert_close(next[1] - v, 0.01 * 2 * f, 1e-10);
        }
    robot_destroy(&r);
}
END_TEST

// a light mass, a strong muscle and a long step: the speed does not overshoot
START_TEST(a_strong_muscle_is_stable)
{
    trx_actuator_def a = muscle("m", 0, 1e5, 0.5, 0);
    a.muscle.passive_force = 0, a.activation.type = TRX_ACTIVATION_NONE;
    robot r = slide(&a, 1, 0);
    double x[2] = {0.5, 3}, u = 1;
    ck_assert_int_ge(trx_step(r.sim, x, &u, x), 0);
    ck_assert(x[1] < 0 && x[1] > -0.5 * a.muscle.max_speed);
    robot_destroy(&r);
}
END_TEST

START_TEST(a_muscle_cannot_push)
{
    trx_actuator_def a = muscle("m", 0, 40, 0.5, 0);
    a.activation.type = TRX_ACTIVATION_NONE;
    robot r = slide(&a, 1, 0);
    double x[2] = {0.45, 0}, u = -1, A[4], B[2];
    ck_assert_int_ge(trx_step(r.sim, x, &u, NULL), 0);
    ck_assert(trx_sim_actuator_force(r.sim, 0) == 0);
    ck_assert_int_ge(trx_step_jac(r.sim, A, B), 0);
    ck_assert(B[1] == 0);
    robot_destroy(&r);
}
END_TEST

START_TEST(the_effort_of_a_motor_limits_its_control)
{
    trx_actuator_def a = actuator(0);
    a.gain = -2, a.bias = 1, a.effort_lower = -5, a.effort_upper = 3, a.lower = -2;
    robot r = slide(&a, 1, 0);
    trx_actuator_info info = trx_model_actuator(r.model, 0);
    assert_close(info.lower, -1, 1e-15);
    assert_close(info.upper, 3, 1e-15);
    robot_destroy(&r);
}
END_TEST

START_TEST(dry_friction_holds_below_its_force_and_yields_above)
{
    trx_actuator_def motor = actuator(0);
    robot r = slide(&motor, 1, 2);
    double x[2] = {0, 0}, u = 1.9;
    for (int k = 0; k < 200; k++) ck_assert_int_ge(trx_step(r.sim, x, &u, x), 0);

    // at rest the creep carries 1.9 of 2: v/sqrt(v^2 + e^2) = 0.95
    assert_close(x[1], 1e-3 * 0.95 / sqrt(1 - 0.95 * 0.95), 1e-7);
    u = 3, x[1] = 0;
    for (int k = 0; k < 100; k++) ck_assert_int_ge(trx_step(r.sim, x, &u, x), 0);
    assert_close(x[1], 1, 1e-3);
    robot_destroy(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/drive_rows");
    TCase *cases = tcase_create("drive_rows");
    tcase_set_timeout(cases, 0);
    tcase_add_test(cases, derivatives_agree_with_differences_inside_and_outside_the_effort);
    tcase_add_test(cases, products_are_those_of_the_matrices);
    tcase_add_test(cases, a_drive_pushes_the_free_velocity_along_its_tendon);
    tcase_add_test(cases, a_position_drive_is_an_implicit_spring_and_damper);
    tcase_add_test(cases, effort_limits_the_drive);
    tcase_add_test(cases, derivatives_of_muscles_agree_with_differences_in_every_scheme);
    tcase_add_test(cases, products_and_parameters_of_muscles_agree_with_the_matrices_and_with_differences);
    tcase_add_test(cases, a_muscle_pulls_by_its_curves_at_the_speed_of_the_end);
    tcase_add_test(cases, a_strong_muscle_is_stable);
    tcase_add_test(cases, a_muscle_cannot_push);
    tcase_add_test(cases, the_effort_of_a_motor_limits_its_control);
    tcase_add_test(cases, dry_friction_holds_below_its_force_and_yields_above);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
