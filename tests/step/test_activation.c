// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Actuators with a state of their own (theory 4): closed forms on one slide, A, B and C against differences in every scheme,
// products against the matrices, the ends of a range.

#include "step/robot.h"
#include "step/schemes.h"
#include "support/support.h"
#include "verify/gradient_check.h"

#include <string.h>

enum { NX = 64, NU = 5, STATES = SANITIZED ? 8 : 40 };

static trx_actuator_def with(trx_actuator_def a, trx_activation_type type, double time_constant, bool early)
{
    a.activation.type = type;
    a.activation.time_constant = time_constant;
    a.activation.early = early;
    return a;
}

static const trx_joint_factor parts[] = {{ROBOT_RIGHT_TIP, 0, 0.7}, {ROBOT_LEFT, 0, -1.2}, {ROBOT_LEFT_TIP, 0, 0.5}};
static const trx_tendon_def tendon = {.name = "tendon", .joints = parts, .njoint = 3};

// a motor without a state; an early filter and a late one; an integrator as a position drive; a filtered motor with an effort
static robot all_kinds(void)
{
    trx_actuator_def a[NU] = {
        robot_actuator("plain", ROBOT_LEFT, 0, 0, 0),
        with(robot_actuator("early", ROBOT_LEFT_TIP, 0, 0, 0), TRX_ACTIVATION_FILTER, 0.03, true),
        with(robot_actuator("late", ROBOT_LEFT, 0, 0, 0), TRX_ACTIVATION_FILTER, 0.01, false),
        with(robot_actuator("steps", ROBOT_RIGHT_TIP, 20, 0.5, 0), TRX_ACTIVATION_INTEGRATOR, 0, true),
        with(robot_actuator("pull", -1, 0, 0, 1.5), TRX_ACTIVATION_FILTER, 0.02, true),
    };
    a[3].activation.lower = -0.6, a[3].activation.upper = 0.6;
    a[4].joint = -1, a[4].tendon = 0;
    return robot_create_with_tendons(&tendon, 1, NULL, 0, a, NU, 0.3, 0.02);
}

START_TEST(the_state_has_a_number_for_each_activation)
{
    robot r = all_kinds();
    const trx_model_size size = trx_model_get_size(r.model);
    ck_assert_int_eq(size.na, 4);
    ck_assert_int_eq(size.nstate, size.nq + size.nv + 4);
    ck_assert_int_eq(size.ntangent, 2 * size.nv + 4);
    ck_assert_str_eq(trx_model_state_name(r.model, size.nq + size.nv), "early.a");
    ck_assert_str_eq(trx_model_state_name(r.model, size.nstate - 1), "pull.a");
    ck_assert_ptr_null(trx_model_state_name(r.model, size.nstate));
    ck_assert_int_eq(trx_model_actuator(r.model, 0).a_index, -1);
    ck_assert_int_eq(trx_model_actuator(r.model, 3).a_index, 2);
    robot_destroy(&r);
}
END_TEST

START_TEST(derivatives_agree_with_differences_in_every_scheme)
{
    robot r = all_kinds();
    double x[NX], u[NU];
    for (int k = 0; k < SCHEMES; k++) {
        use_scheme(r.sim, &schemes[k]);
        double worst = 0;
        int judged = 0, at_end = 0, saturated = 0;
        for (int i = 0; i < STATES; i++) {
            robot_state(&r, 0.3, 3, i, x, u);
            const double error = robot_derivative_error(&r, x, u);
            if (error < 0) continue;
            judged++;
            worst = fmax(worst, error);
            const double *a = x + r.nq + r.nv, steps = a[2] + 0.01 * u[3];
            at_end += fabs(steps) > 0.6;
            saturated += fabs(trx_sim_actuator_force(r.sim, 4)) == 1.5;
        }
        assert_below(worst, 1e-6);
        const int some = 5 * STATES / 40;
        ck_assert_msg(judged >= 5 * some && at_end >= some && at_end < judged && saturated >= some,
                      "%s: %d judged, %d at an end, %d saturated",
                      schemes[k].name, judged, at_end, saturated);
    }
    robot_destroy(&r);
}
END_TEST

// the velocities depend on the activation of a late filter, not on its control
START_TEST(a_late_activation_hides_the_control_for_a_step)
{
    robot r = all_kinds();
    double x[NX], u[NU], A[NX * NX], B[NX * NU];
    robot_state(&r, 0.3, 3, 0, x, u);
    ck_assert_int_ge(trx_step(r.sim, x, u, NULL), 0);
    ck_assert_int_ge(trx_step_jac(r.sim, A, B), 0);
    const int a = 2 * r.nv;
    ck_assert(max_magnitude(B + 2 * r.nx, a) == 0 && B[a + 1 + 2 * r.nx] > 0.5); // late: u
    ck_assert(max_magnitude(A + (a + 1) * r.nx, a) > 0);                         // late: a
    ck_assert(max_magnitude(B + 1 * r.nx, a) > 0 && max_magnitude(A + a * r.nx, a) > 0);
    ck_assert(max_magnitude(B, a) > 0 && max_magnitude(B + a, 4) == 0); // plain
    robot_destroy(&r);
}
END_TEST

START_TEST(products_are_those_of_the_matrices)
{
    robot r = all_kinds();
    double x[NX], u[NU], A[NX * NX], only_A[NX * NX], B[NX * NU], grad_x[NX], grad_u[NU];
    for (int k = 0; k < SCHEMES; k++) {
        use_scheme(r.sim, &schemes[k]);
        robot_state(&r, 0.3, 5, k, x, u);
        ck_assert_int_ge(trx_step(r.sim, x, u, NULL), 0);
        ck_assert_int_ge(trx_step_jac(r.sim, A, B), 0);
        ck_assert_int_ge(trx_step_jac(r.sim, only_A, NULL), 0);
        ck_assert_mem_eq(A, only_A, (size_t)(r.nx * r.nx) * sizeof *A);
        robot_check_products(&r, A, B, grad_x, grad_u);
        ck_assert(max_magnitude(grad_x + 2 * r.nv, 4) > 0);
    }
    robot_destroy(&r);
}
END_TEST

// products for each input alone
START_TEST(a_product_may_leave_out_an_input_or_an_output)
{
    robot r = all_kinds();
    double x[NX], u[NU], dx[NX] = {0}, du[NU] = {0}, both[NX], by_x[NX], by_u[NX], seed[NX], grad_x[NX], grad_u[NU], alone[NX];
    robot_state(&r, 0.3, 5, 1, x, u);
    for (int i = 0; i < r.nx; i++) dx[i] = sin(i), seed[i] = cos(3 * i);
    for (int i = 0; i < r.nu; i++) du[i] = 1 + i;
    ck_assert_int_ge(trx_step(r.sim, x, u, NULL), 0);
    ck_assert_int_ge(trx_step_jvp(r.sim, dx, du, both), 0);
    ck_assert_int_ge(trx_step_jvp(r.sim, dx, NULL, by_x), 0);
    ck_assert_int_ge(trx_step_jvp(r.sim, NULL, du, by_u), 0);
    for (int i = 0; i < r.nx; i++) assert_close(by_x[i] + by_u[i], both[i], 1e-11);
    ck_assert_int_ge(trx_step_vjp(r.sim, seed, grad_x, grad_u), 0);
    ck_assert_int_ge(trx_step_vjp(r.sim, seed, alone, NULL), 0);
    ck_assert_mem_eq(alone, grad_x, (size_t)r.nx * sizeof *alone);
    ck_assert_int_ge(trx_step_vjp(r.sim, seed, NULL, alone), 0);
    ck_assert_mem_eq(alone, grad_u, (size_t)r.nu * sizeof *alone);
    robot_destroy(&r);

    // one activation alone
    const trx_actuator_def late = with(robot_actuator("late", ROBOT_LEFT, 0, 0, 0), TRX_ACTIVATION_FILTER, 0.01, false);
    r = robot_create(NULL, 0, &late, 1, 0.3, 0.02);
    robot_state(&r, 0.3, 5, 1, x, u);
    ck_assert_int_ge(trx_step(r.sim, x, u, NULL), 0);
    ck_assert_int_ge(trx_step_vjp(r.sim, seed, grad_x, grad_u), 0);
    ck_assert_int_ge(trx_step_vjp(r.sim, seed, alone, NULL), 0);
    ck_assert_mem_eq(alone, grad_x, (size_t)r.nx * sizeof *alone);
    ck_assert(grad_x[2 * r.nv] != 0);
    robot_destroy(&r);
}
END_TEST

START_TEST(parameters_change_positions_and_velocities_only)
{
    robot r = all_kinds();
    double x[NX], u[NU], C[NX * 4], grad[4], seed[NX];
    const trx_parameter p[4] = {
        {TRX_ACTUATOR_GAIN, 1, 0}, {TRX_ACTUATOR_KP, 3, 0}, {TRX_ACTUATOR_GEAR, 2, 0}, {TRX_BODY_MASS, 1, 0}};
    robot_state(&r, 0.3, 5, 1, x, u);
    for (int i = 0; i < r.nx; i++) seed[i] = cos(3 * i);
    ck_assert_int_ge(trx_step(r.sim, x, u, NULL), 0);
    for (int i = 0; i < NX * 4; i++) C[i] = NAN;
    ck_assert_int_ge(trx_step_jac_parameters(r.sim, p, 4, C), 0);
    ck_assert_int_ge(trx_step_vjp_parameters(r.sim, p, 4, seed, grad), 0);
    for (int k = 0; k < 4; k++) {
        double sum = 0;
        for (int i = 0; i < r.nx; i++) sum += seed[i] * C[i + k * r.nx];
        ck_assert(max_magnitude(C + k * r.nx, 2 * r.nv) > 0 && max_magnitude(C + k * r.nx + 2 * r.nv, 4) == 0);
        assert_close(sum, grad[k], 1e-11 * (1 + fabs(sum)));
    }
    robot_destroy(&r);
}
END_TEST

// every parameter of the model against differences
START_TEST(parameters_agree_with_differences)
{
    robot r = all_kinds();
    trxi_gradient_checker *checker;
    const trx_sim_settings settings = trx_sim_get_settings(r.sim);
    ck_assert_int_eq(trxi_gradient_checker_create(r.context, r.model, &settings, &checker), TRX_OK);
    trx_gradient_check found = {0};
    double x[NX], u[NU];
    for (int i = 0; i < 5; i++) {
        robot_state(&r, 0.3, 7, i, x, u);
        ck_assert_int_ge(trxi_gradient_checker_judge(checker, i, x, u, &found), 0);
    }
    ck_assert(found.states >= 3 && trxi_gradient_check_passed(&found));
    assert_below(found.c_error, 1e-5);
    trxi_gradient_checker_destroy(checker);
    robot_destroy(&r);
}
END_TEST

// one slide of 1 kg without gravity
static robot slide(trx_actuator_def a)
{
    trx_joint_def joint = trx_joint_def_default();
    joint.name = "s", joint.type = TRX_JOINT_SLIDE, joint.axis[0] = 1, joint.axis[2] = 0;
    trx_body_def body = trx_body_def_default();
    body.name = "cart", body.joints = &joint, body.njoint = 1, body.gravity = false, body.has_inertia = true;
    body.inertia.mass = 1;
    a.body = 0, a.joint = 0, a.gear = 1;
    robot r = {.context = context_open()};
    trx_model_def def = trx_model_def_default();
    def.bodies = &body, def.nbody = 1, def.actuators = &a, def.nactuator = 1;
    ck_assert_msg(trx_model_create(r.context, &def, &r.model) == TRX_OK, "%s", trx_context_message(r.context));
    ck_assert_int_eq(trx_sim_create(r.context, r.model, NULL, &r.sim), TRX_OK);
    return r;
}

// a' = u + (a - u) exp(-t/T), whatever the step
START_TEST(a_filter_follows_its_closed_form)
{
    robot r = slide(with(trx_actuator_def_default(), TRX_ACTIVATION_FILTER, 0.07, true));
    double x[3] = {0, 0, 0.4}, u = -1.5, v = 0;
    for (int k = 1; k <= 50; k++) {
        ck_assert_int_ge(trx_step(r.sim, x, &u, x), 0);
        const double a = u + (0.4 - u) * exp(-0.01 * k / 0.07);
        v += 0.01 * a; // the force is the activation at the end of the step
        assert_close(x[2], a, 1e-13);
        assert_close(x[1], v, 1e-12);
        assert_close(trx_sim_actuator_force(r.sim, 0), a, 1e-13);
    }
    robot_destroy(&r);
}
END_TEST

START_TEST(a_late_force_is_a_step_behind)
{
    robot r = slide(with(trx_actuator_def_default(), TRX_ACTIVATION_INTEGRATOR, 0, false));
    double x[3] = {0, 0, 0.25}, u = 2;
    ck_assert_int_ge(trx_step(r.sim, x, &u, x), 0);
    assert_close(x[1], 0.01 * 0.25, 1e-15);
    assert_close(x[2], 0.25 + 0.01 * 2, 1e-15);
    ck_assert_int_ge(trx_step(r.sim, x, &u, x), 0);
    assert_close(x[1], 0.01 * (0.25 + 0.27), 1e-15);
    robot_destroy(&r);
}
END_TEST

START_TEST(an_integrator_stops_at_the_end_of_its_range_and_leaves_it_at_once)
{
    trx_actuator_def a = with(trx_actuator_def_default(), TRX_ACTIVATION_INTEGRATOR, 0, true);
    a.activation.lower = -0.05, a.activation.upper = 0.05;
    robot r = slide(a);
    double x[3] = {0}, u = 1, A[9], B[3];
    unsigned long long inside = 0;
    for (int k = 0; k < 10; k++) {
        ck_assert_int_ge(trx_step(r.sim, x, &u, x), 0);
        if (k == 0) inside = trx_sim_step_info(r.sim).branches;
    }
    ck_assert(x[2] == 0.05 && trx_sim_step_info(r.sim).branches != inside);
    ck_assert_int_ge(trx_step_jac(r.sim, A, B), 0);
    ck_assert(A[8] == 0 && B[2] == 0 && B[1] == 0);
    u = -1;
    ck_assert_int_ge(trx_step(r.sim, x, &u, x), 0);
    assert_close(x[2], 0.04, 1e-15);
    ck_assert(trx_sim_step_info(r.sim).branches == inside);
    // exactly at the end there is a kink
    x[2] = 0.04, u = 1;
    ck_assert_int_ge(trx_step(r.sim, x, &u, NULL), 0);
    assert_below(trx_sim_step_info(r.sim).kink, 1e-15);
    robot_destroy(&r);
}
END_TEST

// u may be any number: the force of a motor with an activation ends at its effort, not the control
START_TEST(effort_limits_the_force_of_a_filtered_motor)
{
    trx_actuator_def a = with(trx_actuator_def_default(), TRX_ACTIVATION_FILTER, 1e-3, true);
    a.effort_lower = -2, a.effort_upper = 3;
    robot r = slide(a);
    double x[3] = {0}, u = 10;
    ck_assert(isinf(trx_model_actuator(r.model, 0).upper));
    ck_assert_int_ge(trx_step(r.sim, x, &u, x), 0);
    ck_assert(x[2] > 9.9);
    assert_close(trx_sim_actuator_force(r.sim, 0), 3, 1e-14);
    assert_close(x[1], 0.03, 1e-15);
    robot_destroy(&r);
}
END_TEST

// two slides, each a tree, and a filtered motor on both
static robot on_two_trees(void)
{
    static const trx_joint_factor both[] = {{0, 0, 1}, {1, 0, -2}};
    trx_joint_def joints[2];
    trx_body_def bodies[2];
    for (int i = 0; i < 2; i++) {
        joints[i] = trx_joint_def_default(), bodies[i] = trx_body_def_default();
        joints[i].name = i ? "t" : "s", joints[i].type = TRX_JOINT_SLIDE, joints[i].axis[0] = 1, joints[i].axis[2] = 0;
        bodies[i].name = i ? "second" : "first", bodies[i].joints = &joints[i], bodies[i].njoint = 1;
        bodies[i].has_inertia = true, bodies[i].inertia.mass = 1;
    }
    trx_tendon_def pair = trx_tendon_def_default();
    pair.name = "pair", pair.joints = both, pair.njoint = 2;
    trx_actuator_def a = with(trx_actuator_def_default(), TRX_ACTIVATION_FILTER, 0.1, true);
    a.name = "both", a.tendon = 0;
    robot r = {.context = context_open(), .nq = 2, .nv = 2, .nu = 1, .nx = 5};
    trx_model_def def = trx_model_def_default();
    def.bodies = bodies, def.nbody = 2, def.tendons = &pair, def.ntendon = 1, def.actuators = &a, def.nactuator = 1;
    ck_assert_msg(trx_model_create(r.context, &def, &r.model) == TRX_OK, "%s", trx_context_message(r.context));
    ck_assert_int_eq(trx_sim_create(r.context, r.model, NULL, &r.sim), TRX_OK);
    return r;
}

// the row or column of the whole matrix that belongs to row or column k of an island
static int global(const robot *r, const trx_island *part, int k)
{
    if (k >= 2 * part->nv) return 2 * r->nv + part->activations[k - 2 * part->nv];
    return k < part->nv ? part->dofs[k] : r->nv + part->dofs[k - part->nv];
}

// both trees are islands; an activation on both makes them one
START_TEST(islands_have_the_entries_of_the_dense_form_and_it_has_no_others)
{
    for (int tied = 0; tied < 2; tied++) {
        robot r = tied ? on_two_trees() : all_kinds();
        double x[NX], u[NU], A[NX * NX], B[NX * NU], part_A[NX * NX], part_B[NX * NU];
        const trx_island *islands;
        int count, activations = 0;
        robot_state(&r, 0.3, 5, 1, x, u);
        ck_assert_int_ge(trx_step(r.sim, x, u, NULL), 0);
        ck_assert_int_ge(trx_step_jac(r.sim, A, B), 0);
        for (int i = 0; i < NX * NX; i++) part_A[i] = NAN;
        ck_assert_int_eq(trx_step_jac_islands(r.sim, part_A, part_B, &count, &islands), TRX_OK);
        ck_assert_int_eq(count, tied ? 1 : 2);
        for (int p = 0; p < count; p++) {
            const trx_island *part = &islands[p];
            const int n = 2 * part->nv + part->na;
            activations += part->na;
            for (int c = 0; c < n; c++)
                for (int i = 0; i < n; i++) {
                    double *dense = &A[global(&r, part, i) + global(&r, part, c) * r.nx];
                    assert_close(part->A[i + c * n], *dense, 1e-14); // free trees are placed in two ways
                    *dense = 0;
                }
            for (int c = 0; c < part->nu; c++)
                for (int i = 0; i < n; i++) {
                    double *dense = &B[global(&r, part, i) + part->controls[c] * r.nx];
                    assert_close(part->B[i + c * n], *dense, 1e-14);
                    *dense = 0;
                }
        }
        ck_assert_int_eq(activations, trx_model_get_size(r.model).na);
        ck_assert(max_magnitude(A, r.nx * r.nx) == 0 && max_magnitude(B, r.nx * r.nu) == 0);
        robot_destroy(&r);
    }
}
END_TEST

START_TEST(an_activation_that_is_not_finite_is_refused)
{
    robot r = slide(with(trx_actuator_def_default(), TRX_ACTIVATION_FILTER, 0.1, true));
    double x[3] = {0, 0, NAN}, u = 1;
    ck_assert_int_eq(trx_step(r.sim, x, &u, x), TRX_ERR_NOT_FINITE);
    robot_destroy(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/activation");
    TCase *cases = tcase_create("activation");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, the_state_has_a_number_for_each_activation);
    tcase_add_test(cases, derivatives_agree_with_differences_in_every_scheme);
    tcase_add_test(cases, a_late_activation_hides_the_control_for_a_step);
    tcase_add_test(cases, products_are_those_of_the_matrices);
    tcase_add_test(cases, a_product_may_leave_out_an_input_or_an_output);
    tcase_add_test(cases, parameters_change_positions_and_velocities_only);
    tcase_add_test(cases, parameters_agree_with_differences);
    tcase_add_test(cases, a_filter_follows_its_closed_form);
    tcase_add_test(cases, a_late_force_is_a_step_behind);
    tcase_add_test(cases, an_integrator_stops_at_the_end_of_its_range_and_leaves_it_at_once);
    tcase_add_test(cases, effort_limits_the_force_of_a_filtered_motor);
    tcase_add_test(cases, islands_have_the_entries_of_the_dense_form_and_it_has_no_others);
    tcase_add_test(cases, an_activation_that_is_not_finite_is_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
