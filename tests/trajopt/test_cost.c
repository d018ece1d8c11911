// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The cost of a knot: gradients and Gauss-Newton Hessians of every quantity on a model with all kinds of joints, the
// sum over terms, targets that move, and what goals see.

#include "trajopt/scenes.h"

#include "trajopt/plan.h"

// x (+) eps e_j, tangent column j of 2 nv
static void perturb(const mixed_scene *f, const double *x, int j, double eps, double *out)
{
    double dq[32] = {0};
    memcpy(out, x, (size_t)(f->size.nq + f->size.nv) * sizeof(double));
    if (j >= f->size.nv) {
        out[f->size.nq + j - f->size.nv] += eps;
        return;
    }
    dq[j] = eps;
    trx_model_integrate(f->model, x, dq, out);
}

// d f/dx_j by extrapolated central differences of the residual or of the cost
static void difference(mixed_scene *f, trx_plan *plan, int knot, int j, bool residual, int count, double *out)
{
    double forward[MAX_DIM], backward[MAX_DIM], x[64], coarse[MAX_DIM];
    for (int level = 0; level < 2; level++) {
        double eps = level == 0 ? 2e-3 : 1e-3;
        for (int side = 0; side < 2; side++) {
            double *value = side ? backward : forward;
            perturb(f, f->x, j, side ? -eps : eps, x);
            trx_status status = residual ? trx_plan_residual(plan, 0, knot, x, f->u, value)
                                         : trx_plan_cost(plan, knot, x, f->u, value, NULL, NULL, NULL, NULL, NULL);
            ck_assert_int_eq(status, TRX_OK);
        }
        for (int i = 0; i < count; i++) {
            double slope = (forward[i] - backward[i]) / (2 * eps);
            if (level == 0) coarse[i] = slope;
            else out[i] = (4 * slope - coarse[i]) / 3;
        }
    }
}

// gradient against differences of the cost, Hessian against 2 s R^T W R with R from differences of the residual
static void check_term(mixed_scene *f, trx_cost_term term, int knot)
{
    static double l_x[64], l_xx[64 * 64], R[MAX_DIM * 64];
    static const int joints[3] = {2, 3, 4};
    term.joints = joints, term.njoint = 3;
    int nx = 2 * f->size.nv, dim = trx_cost_term_dimension(f->model, &term);
    trx_plan *plan = plan_of_term(f, term);
    double cost, scale = knot < 3 ? 0.01 : 1;
    ck_assert_int_eq(trx_plan_cost(plan, knot, f->x, f->u, &cost, l_x, NULL, l_xx, NULL, NULL), TRX_OK);
    double size = max_magnitude(l_x, nx);
    for (int j = 0; j < nx; j++) {
        double slope;
        difference(f, plan, knot, j, false, 1, &slope);
        assert_close(l_x[j], slope, 1e-7 * size);
        difference(f, plan, knot, j, true, dim, R + dim * j);
    }
    double curvature = max_magnitude(l_xx, nx * nx);
    for (int j = 0; j < nx; j++)
        for (int i = 0; i < nx; i++) {
            double sum = 0;
            for (int k = 0; k < dim; k++) sum += 2 * scale * (0.5 + 0.3 * k) * R[k + dim * i] * R[k + dim * j];
            assert_close(l_xx[i + nx * j], sum, 1e-7 * curvature);
        }

    // cost is the weighted sum of squares
    double r[MAX_DIM], sum = 0;
    ck_assert_int_eq(trx_plan_residual(plan, 0, knot, f->x, f->u, r), TRX_OK);
    for (int k = 0; k < dim; k++) sum += scale * (0.5 + 0.3 * k) * r[k] * r[k];
    assert_close(cost, sum, 1e-14 * (1 + fabs(cost)));
    if (term.quantity != TRX_CONTROL) ck_assert(size > 1e-5 && curvature > 1e-5);
    trx_plan_destroy(plan);
}

START_TEST(derivatives_of_bodies_and_frames_agree_with_differences)
{
    mixed_scene f = open_mixed();
    for (int q = TRX_BODY_POSITION; q <= TRX_FRAME_SPIN; q++) {
        int count = q <= TRX_BODY_SPIN ? 4 : 2;
        for (int index = 0; index < count; index++) {
            trx_cost_term term = {.quantity = (trx_quantity)q, .index = index, .time = TRX_ALL};
            check_term(&f, term, 1);
            check_term(&f, term, 3);
        }
    }
    close_mixed(&f);
}
END_TEST

START_TEST(derivatives_of_coordinates_agree_with_differences)
{
    mixed_scene f = open_mixed();
    const trx_quantity quantities[] = {TRX_JOINT_POSITION, TRX_JOINT_VELOCITY, TRX_POSITION, TRX_VELOCITY};
    for (int i = 0; i < 4; i++) {
        check_term(&f, (trx_cost_term){.quantity = quantities[i], .time = TRX_ALL}, 0);
        check_term(&f, (trx_cost_term){.quantity = quantities[i], .time = TRX_END}, 3);
    }
    close_mixed(&f);
}
END_TEST

START_TEST(controls_cost_at_running_knots_only)
{
    mixed_scene f = open_mixed();
    double cost, l_u[2], l_uu[4], l_ux[128], l_x[64];
    trx_plan *plan = plan_of_term(&f, (trx_cost_term){.quantity = TRX_CONTROL});
    ck_assert_int_eq(trx_plan_cost(plan, 2, f.x, f.u, &cost, l_x, l_u, NULL, l_ux, l_uu), TRX_OK);
    double r[2];
    ck_assert_int_eq(trx_plan_residual(plan, 0, 2, f.x, f.u, r), TRX_OK);
    assert_close(cost, 0.01 * (0.5 * r[0] * r[0] + 0.8 * r[1] * r[1]), 1e-15);
    assert_close(l_u[0], 0.01 * r[0], 1e-15);
    assert_close(l_u[1], 0.016 * r[1], 1e-15);
    assert_close(l_uu[0], 0.01, 1e-16);
    assert_close(l_uu[3], 0.016, 1e-16);
    ck_assert(l_uu[1] == 0 && l_uu[2] == 0);
    ck_assert(max_magnitude(l_x, 2 * f.size.nv) == 0 && max_magnitude(l_ux, 4 * f.size.nv) == 0);
    ck_assert_int_eq(trx_plan_cost(plan, 3, f.x, NULL, &cost, NULL, NULL, NULL, NULL, NULL), TRX_OK);
    ck_assert(cost == 0);
    trx_plan_destroy(plan);
    close_mixed(&f);
}
END_TEST

START_TEST(targets_may_move_with_the_knots)
{
    mixed_scene f = open_mixed();
    const double weight[2] = {1, 1};
    const int joint[1] = {3};
    const double targets[8] = {10, 0, 20, 0, 30, 0, 40, 0};
    trx_stage physical = physical_stage();
    trx_cost_term term = {.quantity = TRX_JOINT_POSITION, .joints = joint, .njoint = 1, .target = targets,
                          .target_stride = 2, .weight = weight, .time = TRX_ALL};
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = f.model, problem.steps = 3, problem.x0 = f.x0;
    problem.terms = &term, problem.nterm = 1, problem.stages = &physical, problem.nstage = 1;
    trx_plan_settings settings = trx_plan_settings_default();
    trx_plan *plan;
    ck_assert_int_eq(trx_plan_create(f.context, &problem, &settings, &plan), TRX_OK);
    double first, r;
    ck_assert_int_eq(trx_plan_residual(plan, 0, 0, f.x, f.u, &first), TRX_OK);
    for (int k = 1; k <= 3; k++) {
        ck_assert_int_eq(trx_plan_residual(plan, 0, k, f.x, f.u, &r), TRX_OK);
        assert_close(first - r, 10.0 * k, 1e-13);
    }
    trx_plan_destroy(plan);
    close_mixed(&f);
}
END_TEST

// the norm of what a term weighs
static double weighed(const double r[3], const double w[3])
{
    double sum = 0;
    for (int i = 0; i < 3; i++) sum += w[i] > 0 ? r[i] * r[i] : 0;
    return sqrt(sum);
}

START_TEST(a_cost_sums_the_terms_of_its_knot)
{
    mixed_scene f = open_mixed();
    const double w[3] = {2, 0, 5}, w_v[16] = {1, 2, 3}, w_u[2] = {0.5, 4};
    const trx_cost_term terms[4] = {
        {.quantity = TRX_BODY_POSITION, .index = 1, .weight = w},
        {.quantity = TRX_FRAME_SPIN, .index = 0, .weight = w, .time = TRX_END},
        {.quantity = TRX_VELOCITY, .weight = w_v, .time = TRX_ALL},
        {.quantity = TRX_CONTROL, .weight = w_u},
    };
    const double *weights[4] = {w, w, w_v, w_u};
    trx_stage physical = physical_stage();
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = f.model, problem.steps = 2, problem.x0 = f.x0, problem.sim.time_step = 0.03;
    problem.terms = terms, problem.nterm = 4, problem.stages = &physical, problem.nstage = 1;
    trx_plan *plan = make_plan(f.context, &problem, trx_plan_settings_default());
    for (int knot = 1; knot <= 2; knot++) {
        double sum = 0, cost, r[MAX_DIM * 2];
        for (int i = 0; i < 4; i++) {
            if (knot == 2 ? terms[i].time == TRX_RUNNING : terms[i].time == TRX_END) continue;
            ck_assert_int_eq(trx_plan_residual(plan, i, knot, f.x, f.u, r), TRX_OK);
            int dim = trx_cost_term_dimension(f.model, &terms[i]);
            for (int k = 0; k < dim; k++) sum += (knot == 2 ? 1 : 0.03) * weights[i][k] * r[k] * r[k];
        }
        ck_assert_int_eq(trx_plan_cost(plan, knot, f.x, f.u, &cost, NULL, NULL, NULL, NULL, NULL), TRX_OK);
        assert_close(cost, sum, 1e-14 * sum);
        assert_close(trxi_cost_value(&plan->cost, knot, f.x, knot == 2 ? NULL : f.u), sum, 1e-14 * sum);
        ck_assert(sum > 0.01);
    }
    trx_plan_destroy(plan);
    close_mixed(&f);
}
END_TEST

START_TEST(goals_see_the_worst_running_knot_or_the_last)
{
    mixed_scene f = open_mixed();
    const double w[3] = {1, 0, 1}, target[3] = {0.3, 0.2, 0.1};
    trx_cost_term along = {.quantity = TRX_BODY_POSITION, .target = target, .weight = w, .tolerance = 1};
    trx_cost_term terms[4] = {along, along, along, along};
    terms[1].tolerance = 0, terms[2].time = TRX_END, terms[3].time = TRX_ALL;
    trx_stage physical = physical_stage();
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = f.model, problem.steps = 2, problem.x0 = f.x0;
    problem.terms = terms, problem.nterm = 4, problem.stages = &physical, problem.nstage = 1;
    trx_plan *plan = make_plan(f.context, &problem, trx_plan_settings_default());
    ck_assert_int_eq(plan->cost.ngoal, 3);

    // the states of three knots: the second is the worst, the last the best
    double x[3][64], error[3], components[3][3] = {{0}};
    trxi_goal_error goals[3];
    for (int i = 0; i < 3; i++) goals[i] = (trxi_goal_error){0, 3, components[i]};
    for (int k = 0; k < 3; k++) {
        memcpy(x[k], f.x, sizeof f.x);
        for (int i = 0; i < 3; i++) x[k][i] = target[i] + (k == 1 ? 2 : k == 0 ? 1 : 0.5) * (i + 1);
        const double r[3] = {x[k][0] - target[0], x[k][1] - target[1], x[k][2] - target[2]};
        error[k] = weighed(r, w);
        trxi_cost_goal_errors(&plan->cost, k, x[k], k < 2 ? f.u : NULL, goals);
        if (k == 1) ck_assert(goals[1].error == 0);
    }
    ck_assert(error[1] > error[0] && error[0] > error[2]);
    assert_close(goals[0].error, error[1], 1e-14);
    assert_close(goals[1].error, error[2], 1e-14);
    assert_close(goals[2].error, error[1], 1e-14);

    // the components belong to the knot of the error; components without a weight are 0
    for (int goal = 0; goal < 3; goal++)
        for (int i = 0; i < 3; i++) {
            const double expected = w[i] > 0 ? x[goal == 1 ? 2 : 1][i] - target[i] : 0;
            assert_close(goals[goal].components[i], expected, 1e-14);
        }
    trxi_goals_reset(3, goals);
    ck_assert(goals[2].error == 0 && max_magnitude(components[2], 3) == 0);
    trx_plan_destroy(plan);
    close_mixed(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/cost");
    TCase *cases = tcase_create("cost");
    tcase_add_test(cases, derivatives_of_bodies_and_frames_agree_with_differences);
    tcase_add_test(cases, derivatives_of_coordinates_agree_with_differences);
    tcase_add_test(cases, controls_cost_at_running_knots_only);
    tcase_add_test(cases, targets_may_move_with_the_knots);
    tcase_add_test(cases, a_cost_sums_the_terms_of_its_knot);
    tcase_add_test(cases, goals_see_the_worst_running_knot_or_the_last);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
