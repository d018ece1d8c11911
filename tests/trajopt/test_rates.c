// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Costs and limits of control rates: the solution of a linear-quadratic problem against a dense one, in one step of the method;
// the adjoint gradient against differences; a limit on the rate of a swing-up; refusals.

#include "trajopt/scenes.h"

#include "math/dense.h"

enum { STEPS = 12 };
static const double STEP = 0.1, MASS = 2;

// the controls that minimize h sum 0.1 u^2 + h sum_{k>0} 0.4 (u_k - u_{k-1})^2 / h^2 + 50 (x_N - 1)^2 + 20 v_N^2
static void solve_densely(double u[STEPS])
{
    double H[STEPS * STEPS] = {0}, x[STEPS] = {0}, v[STEPS] = {0}; // derivatives of the end by each control
    for (int k = 0; k < STEPS; k++)
        for (int j = 0; j <= k; j++) {
            v[j] += j == k ? STEP / MASS : 0;
            x[j] += STEP * v[j];
        }
    for (int a = 0; a < STEPS; a++)
        for (int b = 0; b < STEPS; b++) H[a + STEPS * b] = 50 * x[a] * x[b] + 20 * v[a] * v[b] + (a == b ? 0.1 * STEP : 0);
    for (int k = 1; k < STEPS; k++) {
        const double w = 0.4 / STEP;
        H[k * (STEPS + 1)] += w, H[(k - 1) * (STEPS + 1)] += w;
        H[k + STEPS * (k - 1)] -= w, H[k - 1 + STEPS * k] -= w;
    }
    for (int j = 0; j < STEPS; j++) u[j] = 50 * x[j];
    ck_assert_int_eq(trxi_cholesky(STEPS, H, STEPS), -1);
    trxi_cholesky_solve(STEPS, H, STEPS, 1, u, STEPS);
}

START_TEST(a_rate_problem_has_its_dense_solution)
{
    trx_context *context = make_context();
    trx_model *model = rail_model(context, MASS);
    const double one = 1, fifty = 50, twenty = 20, little = 0.1, rate = 0.4, x0[2] = {0, 0};
    const int joint = 0;
    const trx_cost_term terms[4] = {
        {.quantity = TRX_CONTROL_RATE, .weight = &rate},
        {.quantity = TRX_CONTROL, .weight = &little},
        {.quantity = TRX_JOINT_POSITION, .joints = &joint, .njoint = 1, .target = &one, .weight = &fifty, .time = TRX_END},
        {.quantity = TRX_JOINT_VELOCITY, .joints = &joint, .njoint = 1, .weight = &twenty, .time = TRX_END},
    };
    trx_stage physical = physical_stage();
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = model, problem.steps = STEPS, problem.x0 = x0, problem.sim.time_step = STEP;
    problem.terms = terms, problem.nterm = 4, problem.stages = &physical, problem.nstage = 1;
    double u[STEPS], gradient[STEPS];
    solve_densely(u);
    for (int threads = 1; threads <= 3; threads += 2) {
        trx_plan_settings settings = trx_plan_settings_default();
        settings.threads = threads;
        trx_plan *plan = make_plan(context, &problem, settings);
        ck_assert_int_eq(trx_plan_solve(plan, NULL, NULL), TRX_OK);
        ck_assert_int_le(trx_plan_get_info(plan).iterations, 2); // one Newton step: the sweep couples the knots exactly
        for (int k = 0; k < STEPS; k++) assert_close(trx_plan_controls(plan)[k], u[k], 1e-9);
        ck_assert(fabs(u[0] - u[STEPS - 1]) > 0.1);
        ck_assert_int_eq(trx_plan_gradient(plan, NULL, NULL, gradient, NULL), TRX_OK);
        ck_assert(max_magnitude(gradient, STEPS) < 1e-9);
        trx_plan_destroy(plan);
    }

    // other methods refuse
    trx_plan_settings settings = trx_plan_settings_default();
    settings.method = TRX_MULTIPLE_SHOOTING;
    trx_plan *plan;
    ck_assert_int_eq(trx_plan_create(context, &problem, &settings, &plan), TRX_ERR_UNSUPPORTED);
    trx_model_destroy(model);
    trx_context_destroy(context);
}
END_TEST

// a push with a cost of its control rates under a norm
static trx_plan *push_plan(push *p, trx_cost_term terms[PUSH_TERMS + 1], trx_norm norm)
{
    static const double weight[3] = {1e-4, 2e-4, 1e-4}, target[3] = {1, 0, -2};
    open_push(p, -0.1, 0, 0.15, 0, 0);
    memcpy(terms, p->task.terms, sizeof p->task.terms);
    terms[PUSH_TERMS] = (trx_cost_term){.quantity = TRX_CONTROL_RATE, .weight = weight, .target = target, .norm = norm,
                                        .norm_scale = 3};
    p->task.problem.terms = terms, p->task.problem.nterm = PUSH_TERMS + 1;
    return make_plan(p->context, &p->task.problem, trx_plan_settings_default());
}

START_TEST(the_adjoint_gradient_couples_the_knots)
{
    push p;
    trx_cost_term terms[PUSH_TERMS + 1];
    trx_plan *plan = push_plan(&p, terms, TRX_HUBER);
    double u[150], gradient[150], unused[150], cost[2], e = 1e-4;
    for (int i = 0; i < 150; i++) u[i] = 0.1 * sin(0.7 * i);
    ck_assert_int_eq(trx_plan_gradient(plan, u, NULL, gradient, NULL), TRX_OK);
    for (int j = 0; j < 150; j += 13) {
        for (int s = 0; s < 2; s++) {
            const double before = u[j];
            u[j] += s ? -e : e;
            ck_assert_int_eq(trx_plan_gradient(plan, u, &cost[s], unused, NULL), TRX_OK);
            u[j] = before;
        }
        assert_close(gradient[j], (cost[0] - cost[1]) / (2 * e), 1e-6 * max_magnitude(gradient, 150));
    }
    trx_plan_destroy(plan);
    close_push(&p);
}
END_TEST

// largest change of a control from knot to knot [N/s]
static double fastest(const trx_plan *plan)
{
    double most = 0;
    const double *u = trx_plan_controls(plan);
    for (int i = 3; i < 150; i++) most = fmax(most, fabs(u[i] - u[i - 3]) / 0.02);
    return most;
}

START_TEST(a_push_is_smoother_with_a_cost_or_a_limit)
{
    push p;
    open_push(&p, -0.1, 0, 0.15, 0, 0);
    ck_assert_int_ge(solve_push(&p, trx_plan_settings_default()), 0);
    const double free_rate = fastest(p.plan);
    close_push(&p);

    trx_cost_term terms[PUSH_TERMS + 1];
    trx_plan *plan = push_plan(&p, terms, TRX_SQUARE);
    ck_assert_int_ge(trx_plan_solve(plan, NULL, NULL), 0);
    ck_assert(trx_plan_get_info(plan).physical.goals[0].met);
    ck_assert(fastest(plan) < 0.7 * free_rate);
    trx_plan_destroy(plan);
    close_push(&p);

    const double most = 0.5 * free_rate, upper[3] = {most, most, most}, lower[3] = {-most, -most, -most};
    open_push(&p, -0.1, 0, 0.15, 0, 0);
    trx_limit limit = trx_limit_default();
    limit.term = (trx_cost_term){.name = "control_rate", .quantity = TRX_CONTROL_RATE};
    limit.lower = lower, limit.upper = upper, limit.tolerance = 1e-2;
    p.task.problem.limits = &limit, p.task.problem.nlimit = 1;
    ck_assert_int_ge(solve_push(&p, trx_plan_settings_default()), 0);
    printf("fastest %g N/s, limited to %g: %g\n", free_rate, most, fastest(p.plan));
    ck_assert(trx_plan_get_info(p.plan).physical.goals[0].met && trx_plan_get_info(p.plan).physical.limits[0].met);
    assert_below(fastest(p.plan), most + 1e-2);
    close_push(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/rates");
    TCase *cases = tcase_create("rates");
    tcase_add_test(cases, a_rate_problem_has_its_dense_solution);
    tcase_add_test(cases, the_adjoint_gradient_couples_the_knots);
    tcase_add_test(cases, a_push_is_smoother_with_a_cost_or_a_limit);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
