// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Limits as rows: their order, values and bounds; the Jacobian of every quantity against central differences; the largest
// violation.

#include "trajopt/scenes.h"

#include "trajopt/plan.h"

enum { STEPS = 3 };

// a plan with limits from 0 to 1 of one term at the knots first .. last, and the rows that a method makes of these limits
typedef struct desk {
    mixed_scene *f;
    trx_plan *plan;
    trxi_limit_rows rows;
    char *block;
} desk;

static desk open_desk(mixed_scene *f, trx_cost_term term, int first, int last)
{
    static double target[64], lower[32], upper[32];
    static const int joints[3] = {2, 3, 4};
    const trx_stage physical = physical_stage();
    desk d = {.f = f};
    random_state(f->model, f->size, 3, target);
    term.joints = joints, term.njoint = 3;
    const int dim = trx_cost_term_dimension(f->model, &term);
    if (trx_cost_term_target_length(f->model, &term) == 4 && dim == 3)
        memcpy(target, (double[4]){0.5, -0.1, 0.7, 0.5}, 4 * sizeof(double));
    term.target = target;
    for (int i = 0; i < dim; i++) lower[i] = -1000 - i, upper[i] = 1000 + i;
    trx_limit limit = trx_limit_default();
    limit.term = term, limit.lower = lower, limit.upper = upper;
    limit.first = first, limit.last = last, limit.tolerance = 0.5;
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = f->model, problem.steps = STEPS, problem.x0 = f->x0;
    problem.limits = &limit, problem.nlimit = 1, problem.stages = &physical, problem.nstage = 1;
    d.plan = make_plan(f->context, &problem, trx_plan_settings_default());

    trxi_arena arena = {0};
    trxi_limit_rows_layout(&arena, f->model, STEPS, &d.plan->limits, &d.rows);
    d.block = trxi_allocate(f->context, arena.used + 1);
    arena = (trxi_arena){.base = d.block};
    trxi_limit_rows_layout(&arena, f->model, STEPS, &d.plan->limits, &d.rows);
    trxi_limit_rows_fill(&d.rows, STEPS);
    return d;
}

static void close_desk(desk *d)
{
    trxi_release(d->f->context, d->block);
    trx_plan_destroy(d->plan);
}

// computes the residuals at knot 1 as a cost
static void values_at(desk *d, const double *x, const double *u, double *r)
{
    d->plan->limited.rows = &d->rows;
    trxi_cost_value(&d->plan->limited, 1, x, u);
    memcpy(r, d->rows.values + d->rows.first[1], (size_t)(d->rows.first[2] - d->rows.first[1]) * sizeof *r);
}

static void check_jacobian(mixed_scene *f, trx_cost_term term)
{
    static double l_x[64], l_xx[64 * 64], l_u[2], l_uu[4];
    const trxi_expansion out = {.l_x = l_x, .l_xx = l_xx, .l_u = l_u, .l_uu = l_uu};
    const double eps = 1e-5;
    desk d = open_desk(f, term, 1, STEPS);
    const int nx = 2 * f->size.nv, row = d.rows.first[1], dim = d.rows.first[2] - row;
    double x[64], u[2], plus[32], minus[32], at[32], largest = 0;
    values_at(&d, f->x, f->u, at);
    trxi_cost_expand(&d.plan->limited, 1, f->x, f->u, &out);
    ck_assert(memcmp(at, d.rows.values + row, (size_t)dim * sizeof *at) == 0);
    ck_assert(max_magnitude(l_x, nx) == 0 && max_magnitude(l_xx, nx * nx) == 0); // limits are no part of the cost
    static double R_x[64 * 32], R_u[2 * 32];
    memcpy(R_x, d.rows.r_x + (size_t)nx * (size_t)row, (size_t)(nx * dim) * sizeof *R_x);
    memcpy(R_u, d.rows.r_u + 2 * (size_t)row, (size_t)(2 * dim) * sizeof *R_u);
    for (int j = 0; j < nx + 2; j++) {
        move_mixed(f, j, eps, x, u);
        values_at(&d, x, u, plus);
        move_mixed(f, j, -eps, x, u);
        values_at(&d, x, u, minus);
        for (int i = 0; i < dim; i++) {
            const double found = j < nx ? R_x[j + nx * i] : R_u[j - nx + 2 * i], expected = (plus[i] - minus[i]) / (2 * eps);
            assert_close(found, expected, 1e-7 * (1 + fabs(expected)));
            largest = fmax(largest, fabs(found));
        }
    }
    ck_assert(largest > 0.1);
    close_desk(&d);
}

START_TEST(jacobians_of_every_quantity_agree_with_differences)
{
    mixed_scene f = open_mixed();
    for (int q = TRX_BODY_POSITION; q <= TRX_FRAME_SPIN; q++)
        check_jacobian(&f, (trx_cost_term){.quantity = (trx_quantity)q, .index = q <= TRX_BODY_SPIN ? 3 : 1});
    for (int q = TRX_JOINT_POSITION; q <= TRX_CONTROL; q++) check_jacobian(&f, (trx_cost_term){.quantity = (trx_quantity)q});
    check_jacobian(&f, (trx_cost_term){.quantity = TRX_COM_POSITION});
    check_jacobian(&f, (trx_cost_term){.quantity = TRX_COM_VELOCITY});
    close_mixed(&f);
}
END_TEST

// rows for states from knot 1 on, for controls up to the last step; the end of a shorter horizon counts as its end
START_TEST(rows_follow_the_knots)
{
    mixed_scene f = open_mixed();
    double lower[64], upper[64];
    desk d = open_desk(&f, (trx_cost_term){.quantity = TRX_JOINT_VELOCITY}, 0, STEPS);
    const int states[STEPS + 2] = {0, 0, 3, 6, 9}, controls[STEPS + 2] = {0, 2, 4, 6, 6}, shorter[STEPS + 1] = {0, 0, 3, 6};
    ck_assert(memcmp(d.rows.first, states, sizeof states) == 0);
    ck_assert(d.rows.count == 9 && d.rows.at_start == 0 && d.rows.at_end == 3);
    trxi_limit_rows_bounds(&d.rows, lower, upper);
    for (int i = 0; i < 9; i++) ck_assert(lower[i] == -1000 - i % 3 && upper[i] == 1000 + i % 3);
    trxi_limit_set_use_steps(&d.plan->limits, STEPS - 1);
    trxi_limit_rows_fill(&d.rows, STEPS - 1);
    ck_assert(memcmp(d.rows.first, shorter, sizeof shorter) == 0 && d.rows.count == 6 && d.rows.at_end == 3);
    close_desk(&d);

    d = open_desk(&f, (trx_cost_term){.quantity = TRX_CONTROL}, 0, STEPS);
    ck_assert(memcmp(d.rows.first, controls, sizeof controls) == 0);
    ck_assert(d.rows.count == 6 && d.rows.at_start == 2 && d.rows.at_end == 0);
    close_desk(&d);
    close_mixed(&f);
}
END_TEST

START_TEST(the_largest_violation_counts_in_tolerances)
{
    mixed_scene f = open_mixed();
    desk d = open_desk(&f, (trx_cost_term){.quantity = TRX_JOINT_VELOCITY}, 1, 2);
    ck_assert_int_eq(d.rows.count, 6);
    for (int i = 0; i < 6; i++) d.rows.values[i] = 0;
    ck_assert(trxi_limit_rows_violation(&d.rows) == 0);
    d.rows.values[1] = -1001.5; // by 0.5 below -1001
    d.rows.values[5] = 1003;    // by 1 above 1002
    assert_close(trxi_limit_rows_violation(&d.rows), 2, 1e-12);
    close_desk(&d);
    close_mixed(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/limit_rows");
    TCase *cases = tcase_create("limit_rows");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, jacobians_of_every_quantity_agree_with_differences);
    tcase_add_test(cases, rows_follow_the_knots);
    tcase_add_test(cases, the_largest_violation_counts_in_tolerances);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
