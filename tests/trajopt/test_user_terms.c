// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Cost terms of the caller, norms and weights per knot in the cost of a knot: derivatives against differences, the mixed block
// of x and u, and the solution of a linear-quadratic problem that couples x and u, against a dense solution.

#include "trajopt/scenes.h"

#include "math/dense.h"
#include "trajopt/plan.h"

enum { NV = 12, NX = 2 * NV, NU = 2, Q = 11, V = 14 + 9 }; // of the mixed scene; Q, V: joint j1 in x

// r = [q u_0 + t; sin(v) (1 + u_0) + gain knot u_1^2] of joint j1
static void coupled(const trx_term_point *at, double *r, double *r_x, double *r_u, void *user)
{
    const double q = at->x[Q], v = at->x[V], gain = *(const double *)user;
    const double u_0 = at->u ? at->u[0] : 2, u_1 = at->u ? at->u[1] : 0;
    r[0] = q * u_0 + at->time;
    r[1] = sin(v) * (1 + u_0) + gain * at->knot * u_1 * u_1;
    if (r_x) {
        r_x[0 + 2 * 9] = u_0;
        r_x[1 + 2 * (NV + 9)] = cos(v) * (1 + u_0);
    }
    if (r_u) {
        r_u[0] = q;
        r_u[1] = sin(v);
        r_u[3] = 2 * gain * at->knot * u_1;
    }
}

static trx_plan *plan_of(mixed_scene *f, const trx_cost_term *term)
{
    static trx_stage physical;
    physical = physical_stage();
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = f->model, problem.steps = 3, problem.x0 = f->x0, problem.sim.time_step = 0.02;
    problem.terms = term, problem.nterm = 1, problem.stages = &physical, problem.nstage = 1;
    return make_plan(f->context, &problem, trx_plan_settings_default());
}

static double cost_at(trx_plan *plan, int knot, const double *x, const double *u)
{
    double cost;
    ck_assert_int_eq(trx_plan_cost(plan, knot, x, u, &cost, NULL, NULL, NULL, NULL, NULL), TRX_OK);
    return cost;
}

// gradients of a knot against differences of its cost
static void check_gradients(mixed_scene *f, trx_plan *plan, int knot)
{
    double l_x[NX], l_u[NU], x[64], u[NU] = {f->u[0], f->u[1]}, e = 1e-5;
    ck_assert_int_eq(trx_plan_cost(plan, knot, f->x, f->u, NULL, l_x, l_u, NULL, NULL, NULL), TRX_OK);
    for (int side = 0; side < 2; side++) {
        const int at = side ? V : Q, column = side ? NV + 9 : 9;
        memcpy(x, f->x, sizeof x);
        x[at] += e;
        const double plus = cost_at(plan, knot, x, f->u);
        x[at] -= 2 * e;
        assert_close(l_x[column], (plus - cost_at(plan, knot, x, f->u)) / (2 * e), 1e-8);
        ck_assert(fabs(l_x[column]) > 1e-5);
    }
    for (int i = 0; i < NU; i++) {
        u[i] = f->u[i] + e;
        const double plus = cost_at(plan, knot, f->x, u);
        u[i] = f->u[i] - e;
        assert_close(l_u[i], (plus - cost_at(plan, knot, f->x, u)) / (2 * e), 1e-8);
        u[i] = f->u[i];
    }
}

START_TEST(functions_of_the_caller_agree_with_differences_under_every_norm)
{
    mixed_scene f = open_mixed();
    double gain = 0.7;
    const double weight[2] = {3, 0.5}, target[2] = {0.1, -0.2};
    for (int norm = TRX_SQUARE; norm <= TRX_SMOOTH_ABS; norm++) {
        const trx_cost_term term = {.quantity = TRX_USER, .function = coupled, .user = &gain, .dimension = 2, .weight = weight,
                                    .target = target, .time = TRX_ALL, .norm = (trx_norm)norm, .norm_scale = 0.3};
        trx_plan *plan = plan_of(&f, &term);
        double r[2], cost, sum = 0;
        ck_assert_int_eq(trx_plan_residual(plan, 0, 2, f.x, f.u, r), TRX_OK);
        assert_close(r[0], f.x[Q] * f.u[0] + 0.04 - 0.1, 1e-14);
        for (int i = 0; i < 2; i++) sum += 0.02 * weight[i] * (norm == TRX_SQUARE ? r[i] * r[i] : norm == TRX_HUBER
            ? (fabs(r[i]) <= 0.3 ? r[i] * r[i] : 0.3 * (2 * fabs(r[i]) - 0.3)) : sqrt(r[i] * r[i] + 0.09) - 0.3);
        cost = cost_at(plan, 2, f.x, f.u);
        assert_close(cost, sum, 1e-14);
        check_gradients(&f, plan, 2);
        ck_assert(cost_at(plan, 3, f.x, NULL) > 0);
        trx_plan_destroy(plan);
    }
    close_mixed(&f);
}
END_TEST

START_TEST(second_derivatives_hold_all_blocks)
{
    mixed_scene f = open_mixed();
    double gain = 0.7, l_xx[NX * NX], l_ux[NU * NX], l_uu[NU * NU], r[2];
    const double weight[2] = {3, 0.5}, s = 2 * 0.02;
    const trx_cost_term term = {.quantity = TRX_USER, .function = coupled, .user = &gain, .dimension = 2, .weight = weight};
    trx_plan *plan = plan_of(&f, &term);
    ck_assert_int_eq(trx_plan_cost(plan, 2, f.x, f.u, NULL, NULL, NULL, l_xx, l_ux, l_uu), TRX_OK);
    double r_x[2 * NX] = {0}, r_u[2 * NU] = {0};
    coupled(&(trx_term_point){2, 0.04, f.x, f.u}, r, r_x, r_u, &gain);
    for (int i = 0; i < NX; i++) {
        for (int j = 0; j < NX; j++)
            assert_close(l_xx[i + NX * j], s * (3 * r_x[2 * i] * r_x[2 * j] + 0.5 * r_x[2 * i + 1] * r_x[2 * j + 1]), 1e-15);
        for (int j = 0; j < NU; j++)
            assert_close(l_ux[j + NU * i], s * (3 * r_x[2 * i] * r_u[2 * j] + 0.5 * r_x[2 * i + 1] * r_u[2 * j + 1]), 1e-15);
    }
    ck_assert(fabs(l_ux[NU * 9]) > 1e-3 && fabs(l_uu[1]) > 1e-3);
    trx_plan_destroy(plan);
    close_mixed(&f);
}
END_TEST

START_TEST(weights_may_change_with_the_knots)
{
    mixed_scene f = open_mixed();
    const double weight[4 * 3] = {1, 2, 0, 10, 20, 0, 0, 0, 0, 5, 5, 0}; // stride 3, the third number is unused
    double gain = 0.7, r[2];
    const trx_cost_term term = {.quantity = TRX_USER, .function = coupled, .user = &gain, .dimension = 2, .weight = weight,
                                .weight_stride = 3, .time = TRX_ALL, .tolerance = 1};
    trx_plan *plan = plan_of(&f, &term);
    for (int k = 0; k < 4; k++) {
        const double *u = k < 3 ? f.u : NULL;
        ck_assert_int_eq(trx_plan_residual(plan, 0, k, f.x, u, r), TRX_OK);
        const double sum = weight[3 * k] * r[0] * r[0] + weight[3 * k + 1] * r[1] * r[1];
        assert_close(cost_at(plan, k, f.x, u), (k < 3 ? 0.02 : 1) * sum, 1e-13);
    }
    check_gradients(&f, plan, 1);

    // a goal does not count at a knot without a weight
    double components[2];
    trxi_goal_error goal = {0, 2, components};
    trxi_cost_goal_errors(&plan->cost, 2, f.x, f.u, &goal);
    ck_assert(goal.error == 0);
    trxi_cost_goal_errors(&plan->cost, 1, f.x, f.u, &goal);
    ck_assert(goal.error > 0.1);
    trx_plan_destroy(plan);
    close_mixed(&f);
}
END_TEST

// ---- a linear-quadratic problem ----

enum { STEPS = 12 };
static const double STEP = 0.1, MASS = 2, FEEDBACK = -1.5;

// u - c v of a mass on a rail
static void follow(const trx_term_point *at, double *r, double *r_x, double *r_u, void *user)
{
    (void)user;
    r[0] = at->u[0] - FEEDBACK * at->x[1];
    if (r_x) r_x[1] = -FEEDBACK;
    if (r_u) r_u[0] = 1;
}

// the controls that minimize h sum (u - c v)^2 + 50 (x_N - 1)^2 + 20 v_N^2 from rest at 0: every residual is linear in u
static void solve_densely(double u[STEPS])
{
    double H[STEPS * STEPS] = {0}, x[STEPS] = {0}, v[STEPS] = {0}; // derivatives of position and velocity by each control
    for (int k = 0; k <= STEPS; k++) {
        double row[STEPS];
        for (int j = 0; j < STEPS; j++) row[j] = (j == k) - FEEDBACK * v[j];
        for (int a = 0; a < STEPS; a++)
            for (int b = 0; b < STEPS; b++)
                H[a + STEPS * b] += k < STEPS ? STEP * row[a] * row[b] : 50 * x[a] * x[b] + 20 * v[a] * v[b];
        for (int j = 0; j < STEPS && k < STEPS; j++) {
            v[j] += j == k ? STEP / MASS : 0;
            x[j] += STEP * v[j];
        }
    }
    for (int j = 0; j < STEPS; j++) u[j] = 50 * x[j];
    ck_assert_int_eq(trxi_cholesky(STEPS, H, STEPS), -1);
    trxi_cholesky_solve(STEPS, H, STEPS, 1, u, STEPS);
}

START_TEST(a_coupled_problem_has_its_dense_solution)
{
    trx_context *context = make_context();
    trx_model *model = rail_model(context, MASS);
    const double one = 1, fifty = 50, twenty = 20, x0[2] = {0, 0};
    const int joint = 0;
    const trx_cost_term terms[3] = {
        {.quantity = TRX_USER, .function = follow, .dimension = 1, .weight = &one},
        {.quantity = TRX_JOINT_POSITION, .joints = &joint, .njoint = 1, .target = &one, .weight = &fifty, .time = TRX_END},
        {.quantity = TRX_JOINT_VELOCITY, .joints = &joint, .njoint = 1, .weight = &twenty, .time = TRX_END},
    };
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = model, problem.steps = STEPS, problem.x0 = x0, problem.sim.time_step = STEP;
    problem.terms = terms, problem.nterm = 3;
    trx_stage physical = physical_stage();
    problem.stages = &physical, problem.nstage = 1;
    trx_plan *plan = make_plan(context, &problem, trx_plan_settings_default());
    ck_assert_int_eq(trx_plan_solve(plan, NULL, NULL), TRX_OK);
    ck_assert_int_le(trx_plan_get_info(plan).iterations, 2); // one Newton step, because the expansion is exact
    double u[STEPS];
    solve_densely(u);
    for (int k = 0; k < STEPS; k++) assert_close(trx_plan_controls(plan)[k], u[k], 1e-9);
    ck_assert(fabs(u[0]) > 0.1);

    // the adjoint gradient sees both sides of the coupling: it vanishes at the minimum
    double gradient[STEPS];
    ck_assert_int_eq(trx_plan_gradient(plan, NULL, NULL, gradient, NULL), TRX_OK);
    ck_assert(max_magnitude(gradient, STEPS) < 1e-9);
    trx_plan_destroy(plan);
    trx_model_destroy(model);
    trx_context_destroy(context);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/user_terms");
    TCase *cases = tcase_create("user_terms");
    tcase_add_test(cases, functions_of_the_caller_agree_with_differences_under_every_norm);
    tcase_add_test(cases, second_derivatives_hold_all_blocks);
    tcase_add_test(cases, weights_may_change_with_the_knots);
    tcase_add_test(cases, a_coupled_problem_has_its_dense_solution);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
