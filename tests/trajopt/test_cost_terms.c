// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// One term: its residual against closed forms and motions, and the two Jacobians of a spatial one against differences
// of the residual, on a model with all kinds of joints.

#include "trajopt/scenes.h"

#include "math/rotation.h"
#include "trajopt/plan.h"

// residual of the plan's only term at x, with a target of its own
static void residual_at(const mixed_scene *f, trx_plan *plan, const trxi_term *term, const double *target,
                        const double *x, double *r)
{
    trxi_term_prepare(f->model, x, &plan->cost.work);
    trxi_term_residual(f->model, term, &plan->cost.work, target, x, f->u, r);
}

// x (+) h e_j in the first nv columns, v + h e_j in the others
static void step_along(const mixed_scene *f, int j, double h, double *x)
{
    double dq[32] = {0};
    memcpy(x, f->x, sizeof f->x);
    if (j < f->size.nv) {
        dq[j] = h;
        trx_model_integrate(f->model, f->x, dq, x);
    } else {
        x[f->size.nq + j - f->size.nv] += h;
    }
}

// columns of both Jacobians on the path of the link; off the path and in the half without a Jacobian, zeros
static void check_jacobian(const mixed_scene *f, trx_plan *plan)
{
    const trxi_term *term = &plan->cost.terms[0];
    trxi_term_work *work = &plan->cost.work;
    double r[3], forward[3], backward[3], x[64], J[2][3 * 32] = {{0}};
    int nv = f->size.nv;
    const double h = 1e-5;
    residual_at(f, plan, term, term->target, f->x, r);
    trxi_term_spatial_jacobian(f->model, term, work, r);
    for (int k = 0; k < work->ndof; k++) {
        memcpy(J[0] + 3 * work->dofs[k], work->J_q + 3 * k, 3 * sizeof(double));
        if (trxi_quantity_is(term->quantity, TRXI_RATE))
            memcpy(J[1] + 3 * work->dofs[k], work->J_v + 3 * k, 3 * sizeof(double));
    }
    for (int j = 0; j < 2 * nv; j++) {
        step_along(f, j, h, x);
        residual_at(f, plan, term, term->target, x, forward);
        step_along(f, j, -h, x);
        residual_at(f, plan, term, term->target, x, backward);
        const double *column = J[j / nv] + 3 * (j % nv);
        for (int i = 0; i < 3; i++) assert_close(column[i], (forward[i] - backward[i]) / (2 * h), 2e-8);
    }
    ck_assert(max_magnitude(J[0], 3 * nv) > 0.01 || max_magnitude(J[1], 3 * nv) > 0.01);
}

START_TEST(spatial_jacobians_agree_with_differences)
{
    mixed_scene f = open_mixed();
    for (int q = TRX_BODY_POSITION; q <= TRX_FRAME_SPIN; q++) {
        int count = q <= TRX_BODY_SPIN ? 4 : 2;
        for (int index = 0; index < count; index++) {
            trx_plan *plan = plan_of_term(&f, (trx_cost_term){.quantity = (trx_quantity)q, .index = index});
            check_jacobian(&f, plan);
            trx_plan_destroy(plan);
        }
    }
    close_mixed(&f);
}
END_TEST

// where the state moves to in time h
static void drift(const mixed_scene *f, double h, double *x)
{
    double dq[32];
    for (int i = 0; i < f->size.nv; i++) dq[i] = h * f->x[f->size.nq + i];
    memcpy(x, f->x, sizeof f->x);
    trx_model_integrate(f->model, f->x, dq, x);
}

START_TEST(velocities_and_spins_are_the_rates_of_poses)
{
    mixed_scene f = open_mixed();
    const double zero[4] = {0}, h = 1e-5;
    for (int body = 0; body < 4; body++) {
        trx_plan *plan = plan_of_term(&f, (trx_cost_term){.quantity = TRX_BODY_POSITION, .index = body});
        trxi_term position = plan->cost.terms[0], velocity = position, spin = position;
        velocity.quantity = TRX_BODY_VELOCITY, spin.quantity = TRX_BODY_SPIN;
        double ahead[64], behind[64], forward[3], backward[3], r[3];
        drift(&f, h, ahead);
        drift(&f, -h, behind);
        residual_at(&f, plan, &position, zero, ahead, forward);
        residual_at(&f, plan, &position, zero, behind, backward);
        residual_at(&f, plan, &velocity, zero, f.x, r);
        for (int i = 0; i < 3; i++) assert_close(r[i], (forward[i] - backward[i]) / (2 * h), 1e-8);

        // spin in world axes: R Log(R_behind^T R_ahead)
        trx_pose a[5], b[5], now[5];
        double turn[3], R[9], w[3];
        trx_model_body_poses(f.model, ahead, a);
        trx_model_body_poses(f.model, behind, b);
        trx_model_body_poses(f.model, f.x, now);
        trxi_quat_difference(a[body].quat, b[body].quat, turn);
        trxi_quat_to_matrix(now[body].quat, R);
        trxi_mulv3(R, turn, w);
        residual_at(&f, plan, &spin, zero, f.x, r);
        for (int i = 0; i < 3; i++) assert_close(r[i], w[i] / (2 * h), 1e-8);
        ck_assert(max_magnitude(r, 3) > 0.1);
        trx_plan_destroy(plan);
    }
    close_mixed(&f);
}
END_TEST

START_TEST(joint_terms_take_coordinates_in_the_order_listed)
{
    mixed_scene f = open_mixed();
    const int joints[2] = {4, 2};
    const double target[2] = {0.25, -3};
    trx_joint_info last = trx_model_joint(f.model, 4), first = trx_model_joint(f.model, 2);
    ck_assert_str_eq(last.name, "j3");
    ck_assert_str_eq(first.name, "j1");
    for (int rate = 0; rate < 2; rate++) {
        trx_quantity quantity = rate ? TRX_JOINT_VELOCITY : TRX_JOINT_POSITION;
        trx_plan *plan = plan_of_term(&f, (trx_cost_term){.quantity = quantity, .joints = joints, .njoint = 2});
        const double *z = rate ? f.x + f.size.nq : f.x;
        double r[2];
        residual_at(&f, plan, &plan->cost.terms[0], target, f.x, r);
        assert_close(r[0], z[rate ? last.v_index : last.q_index] - 0.25, 1e-15);
        assert_close(r[1], z[rate ? first.v_index : first.q_index] + 3, 1e-15);
        trx_plan_destroy(plan);
    }
    close_mixed(&f);
}
END_TEST

START_TEST(a_fixed_frame_costs_without_derivative)
{
    mixed_scene f = open_mixed();
    double cost, l_x[64];
    trx_plan *plan = plan_of_term(&f, (trx_cost_term){.quantity = TRX_FRAME_POSITION, .index = 2, .time = TRX_END});
    ck_assert_int_eq(trx_plan_cost(plan, 3, f.x, NULL, &cost, l_x, NULL, NULL, NULL, NULL), TRX_OK);
    ck_assert(cost > 0);
    ck_assert(max_magnitude(l_x, 2 * f.size.nv) == 0);
    trx_plan_destroy(plan);
    close_mixed(&f);
}
END_TEST

START_TEST(a_pose_is_at_its_own_target)
{
    mixed_scene f = open_mixed();
    trx_pose poses[5];
    trx_model_body_poses(f.model, f.x, poses);
    const double weight[3] = {1, 1, 1};
    trx_stage physical = physical_stage();
    trx_plan_settings settings = trx_plan_settings_default();
    for (int body = 0; body < 4; body++) {
        // quaternion targets need not be unit
        double quat[4];
        for (int i = 0; i < 4; i++) quat[i] = -3 * poses[body].quat[i];
        trx_cost_term terms[2] = {
            {.quantity = TRX_BODY_POSITION, .index = body, .target = poses[body].p, .weight = weight, .time = TRX_END},
            {.quantity = TRX_BODY_ORIENTATION, .index = body, .target = quat, .weight = weight, .time = TRX_END}};
        trx_plan_problem problem = trx_plan_problem_default();
        problem.model = f.model, problem.steps = 1, problem.x0 = f.x0;
        problem.terms = terms, problem.nterm = 2, problem.stages = &physical, problem.nstage = 1;
        trx_plan *plan;
        ck_assert_int_eq(trx_plan_create(f.context, &problem, &settings, &plan), TRX_OK);
        double r[3];
        for (int term = 0; term < 2; term++) {
            ck_assert_int_eq(trx_plan_residual(plan, term, 1, f.x, NULL, r), TRX_OK);
            assert_below(max_magnitude(r, 3), 1e-14);
        }
        trx_plan_destroy(plan);
    }
    close_mixed(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/cost_terms");
    TCase *cases = tcase_create("cost_terms");
    tcase_add_test(cases, spatial_jacobians_agree_with_differences);
    tcase_add_test(cases, velocities_and_spins_are_the_rates_of_poses);
    tcase_add_test(cases, joint_terms_take_coordinates_in_the_order_listed);
    tcase_add_test(cases, a_fixed_frame_costs_without_derivative);
    tcase_add_test(cases, a_pose_is_at_its_own_target);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
