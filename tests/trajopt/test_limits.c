// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The augmented Lagrangian of limits at one knot: values, gradients and Gauss-Newton Hessians of every quantity against
// differences, multipliers that move with the knots.

#include "trajopt/scenes.h"

#include "trajopt/plan.h"

#include <limits.h>

enum { STEPS = 3 };

typedef struct limited {
    mixed_scene *f;
    trx_plan *plan;
    trxi_plan_limit *limit;
    double lower[32], upper[32];
} limited;

// A plan with one limit: component 0 above its upper bound, 1 below its lower one, 2 inside with a multiplier so large that the
// limit acts, 3 inside and free, 4 an equation, and so on.
static limited open_limited(mixed_scene *f, trx_cost_term term)
{
    static double target[64];
    static const int joints[3] = {2, 3, 4};
    static trx_stage physical;
    limited s = {.f = f};
    physical = physical_stage();
    random_state(f->model, f->size, 3, target);
    term.joints = joints, term.njoint = 3;
    const int dim = trx_cost_term_dimension(f->model, &term);
    if (trx_cost_term_target_length(f->model, &term) == 4 && dim == 3)
        memcpy(target, (double[4]){0.5, -0.1, 0.7, 0.5}, 4 * sizeof(double));
    term.target = target;

    // bounds around the residual at f->x, from a plan in which the term is a cost
    double r[32];
    trx_plan *probe = plan_of_term(f, term);
    ck_assert_int_eq(trx_plan_residual(probe, 0, 1, f->x, f->u, r), TRX_OK);
    trx_plan_destroy(probe);
    for (int i = 0; i < dim; i++) {
        const double below[5] = {1, -0.3, 0.05, 2, 0.2}, above[5] = {-0.4, 3, 2, 2, -0.2};
        s.lower[i] = r[i] - below[i % 5];
        s.upper[i] = r[i] + above[i % 5];
    }
    trx_limit limit = trx_limit_default();
    limit.term = term;
    limit.lower = s.lower, limit.upper = s.upper;
    limit.first = 1;
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = f->model, problem.steps = STEPS, problem.x0 = f->x0;
    problem.limits = &limit, problem.nlimit = 1, problem.stages = &physical, problem.nstage = 1;
    s.plan = make_plan(f->context, &problem, trx_plan_settings_default());
    s.limit = &s.plan->limits.limits[0];
    for (int i = 0; i < dim; i++) {
        const double y[5] = {2, -1, -0.4, 0, 0.7};
        s.limit->penalty[i] = 3 + 0.5 * i;
        trxi_limit_multiplier(s.limit, 1)[i] = y[i % 5];
    }
    return s;
}

static double value(limited *s, const double *x, const double *u)
{
    return trxi_cost_value(&s->plan->limited, 1, x, u);
}

static void residual(limited *s, const double *x, const double *u, double *r)
{
    const trxi_knot at = trxi_cost_knot(&s->plan->limited, 1, x, u);
    trxi_limit_residual(s->limit, &at, r);
}

// central differences of the value, and of the residual, along column j
static double slope_of(limited *s, int j, double *R)
{
    const double eps = 1e-5;
    const int dim = s->limit->term.dim;
    double x[64], u[2], plus[32], minus[32];
    move_mixed(s->f, j, eps, x, u);
    const double above = value(s, x, u);
    residual(s, x, u, plus);
    move_mixed(s->f, j, -eps, x, u);
    const double below = value(s, x, u);
    residual(s, x, u, minus);
    for (int i = 0; i < dim; i++) R[i] = (plus[i] - minus[i]) / (2 * eps);
    return (above - below) / (2 * eps);
}

// whether component i acts: z = r + y / rho is outside the bounds
static bool acts(const limited *s, int i, double r)
{
    const double z = r + trxi_limit_multiplier(s->limit, 1)[i] / s->limit->penalty[i];
    return z < s->lower[i] || z > s->upper[i];
}

static void check_derivatives(mixed_scene *f, trx_cost_term term)
{
    static double l_x[64], l_xx[64 * 64], l_u[2], l_uu[4], R[32 * 66];
    limited s = open_limited(f, term);
    const int nx = 2 * f->size.nv, dim = s.limit->term.dim, n = nx + 2;
    const trxi_expansion out = {.l_x = l_x, .l_xx = l_xx, .l_u = l_u, .l_uu = l_uu};
    double r[32], largest = 0;
    const double cost = trxi_cost_expand(&s.plan->limited, 1, f->x, f->u, &out);
    ck_assert(cost > 0);
    ck_assert(cost == value(&s, f->x, f->u));
    residual(&s, f->x, f->u, r);
    int acting = 0;
    for (int i = 0; i < dim; i++) acting += acts(&s, i, r[i]);
    ck_assert_int_ge(acting, dim > 2 ? 3 : 2);
    for (int j = 0; j < n; j++) {
        const double found = j < nx ? l_x[j] : l_u[j - nx], expected = slope_of(&s, j, R + 32 * j);
        assert_close(found, expected, 1e-7 * (1 + fabs(expected)));
        largest = fmax(largest, fabs(found));
    }
    ck_assert(largest > 0.1);

    // lower triangles: rho R^T R of the components that act
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            if (j < nx && i >= nx) continue;
            double sum = 0;
            for (int k = 0; k < dim; k++)
                if (acts(&s, k, r[k])) sum += s.limit->penalty[k] * R[k + 32 * i] * R[k + 32 * j];
            assert_close(j < nx ? l_xx[i + nx * j] : l_uu[i - nx + 2 * (j - nx)], sum, 1e-6 * (1 + fabs(sum)));
        }
    trx_plan_destroy(s.plan);
}

START_TEST(derivatives_of_every_quantity_agree_with_differences)
{
    mixed_scene f = open_mixed();
    for (int q = TRX_BODY_POSITION; q <= TRX_FRAME_SPIN; q++)
        check_derivatives(&f, (trx_cost_term){.quantity = (trx_quantity)q, .index = q <= TRX_BODY_SPIN ? 3 : 1});
    for (int q = TRX_JOINT_POSITION; q <= TRX_CONTROL; q++) check_derivatives(&f, (trx_cost_term){.quantity = (trx_quantity)q});
    check_derivatives(&f, (trx_cost_term){.quantity = TRX_COM_POSITION});
    check_derivatives(&f, (trx_cost_term){.quantity = TRX_COM_VELOCITY});
    close_mixed(&f);
}
END_TEST

// the value is rho/2 s^2, where s is the distance of r + y/rho from the bounds; -y^2/(2 rho) is not a part of it. A limit without
// penalty has no value
START_TEST(a_limit_counts_at_its_knots_and_with_its_penalty)
{
    mixed_scene f = open_mixed();
    limited s = open_limited(&f, (trx_cost_term){.quantity = TRX_JOINT_VELOCITY});
    double r[32], sum = 0;
    residual(&s, f.x, f.u, r);
    for (int i = 0; i < 3; i++) {
        const double rho = s.limit->penalty[i], z = r[i] + trxi_limit_multiplier(s.limit, 1)[i] / rho;
        sum += 0.5 * rho * pow(z - fmin(fmax(z, s.lower[i]), s.upper[i]), 2);
    }
    assert_close(value(&s, f.x, f.u), sum, 1e-14 * sum);
    ck_assert(trxi_cost_value(&s.plan->limited, 0, f.x, f.u) == 0);
    ck_assert(trxi_cost_value(&s.plan->cost, 1, f.x, f.u) == 0); // the cost of the task has no limits
    trxi_limit_set_reset(&s.plan->limits);
    ck_assert(value(&s, f.x, f.u) == 0);
    trx_plan_destroy(s.plan);
    close_mixed(&f);
}
END_TEST

START_TEST(multipliers_move_on_with_the_knots_and_the_last_are_repeated)
{
    mixed_scene f = open_mixed();
    limited s = open_limited(&f, (trx_cost_term){.quantity = TRX_JOINT_POSITION});
    for (int k = 1; k <= STEPS; k++)
        for (int i = 0; i < 3; i++) trxi_limit_multiplier(s.limit, k)[i] = 10 * k + i;
    trxi_limit_set_shift(&s.plan->limits, 1);
    const double expected[STEPS] = {20, 30, 30};
    for (int k = 1; k <= STEPS; k++)
        for (int i = 0; i < 3; i++) ck_assert(trxi_limit_multiplier(s.limit, k)[i] == expected[k - 1] + i);
    trx_plan_destroy(s.plan);
    close_mixed(&f);
}
END_TEST

// a plan that keeps coordinates within bounds at the knots first .. last; the multipliers at knot k are k
static trx_plan *limited_from(mixed_scene *f, int first, int last)
{
    static const double bound[3] = {9, 9, 9};
    static const int joints[3] = {2, 3, 4};
    const trx_stage physical = physical_stage();
    trx_limit limit = trx_limit_default();
    limit.term = (trx_cost_term){.quantity = TRX_JOINT_POSITION, .joints = joints, .njoint = 3};
    limit.upper = bound, limit.first = first, limit.last = last;
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = f->model, problem.steps = STEPS, problem.x0 = f->x0;
    problem.limits = &limit, problem.nlimit = 1, problem.stages = &physical, problem.nstage = 1;
    trx_plan *plan = make_plan(f->context, &problem, trx_plan_settings_default());
    const trxi_plan_limit *made = &plan->limits.limits[0];
    for (int k = made->first; k <= made->last; k++)
        for (int i = 0; i < 3; i++) trxi_limit_multiplier(made, k)[i] = k;
    return plan;
}

// A limit whose last knot was the end of a shorter horizon moved to the end of a longer horizon, where it has no multipliers. A
// limit that begins at the last knot of the shorter horizon and lasts to the end kept only the last knot of the longer horizon.
START_TEST(only_limits_of_the_end_move_with_the_horizon)
{
    static const struct {
        int first, last;             // in a plan of three steps
        int first_then, last_then;   // with two steps
        int first_after, last_after; // with three steps again
        double y_after;              // multiplier of the last knot then
    } cases[] = {{1, 2, 1, 2, 1, 2, 2}, {1, INT_MAX, 1, 2, 1, 3, 0}, {2, INT_MAX, 2, 2, 2, 3, 0}, {3, INT_MAX, 2, 2, 3, 3, 3}};
    mixed_scene f = open_mixed();
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        trx_plan *plan = limited_from(&f, cases[c].first, cases[c].last);
        const trxi_plan_limit *limit = &plan->limits.limits[0];
        ck_assert_int_eq(trx_plan_set_steps(plan, 2), TRX_OK);
        ck_assert(limit->first == cases[c].first_then && limit->last == cases[c].last_then);
        ck_assert_int_eq(trx_plan_set_steps(plan, STEPS), TRX_OK);
        ck_assert(limit->first == cases[c].first_after && limit->last == cases[c].last_after);
        ck_assert(trxi_limit_multiplier(limit, limit->last)[2] == cases[c].y_after);
        trx_plan_destroy(plan);
    }
    close_mixed(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/limits");
    TCase *cases = tcase_create("limits");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, derivatives_of_every_quantity_agree_with_differences);
    tcase_add_test(cases, a_limit_counts_at_its_knots_and_with_its_penalty);
    tcase_add_test(cases, multipliers_move_on_with_the_knots_and_the_last_are_repeated);
    tcase_add_test(cases, only_limits_of_the_end_move_with_the_horizon);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
