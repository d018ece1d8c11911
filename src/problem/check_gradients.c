// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The derivatives of the step against its finite differences (step_fd.c), at the start state and along the
// motion without controls. The error of a column is the largest difference in it, relative to the largest
// entry of the column, or to a thousandth of the largest of the matrix when that is larger:
//
//     max_i |A_ij - F_ij| / max(max_i |F_ij|, 1e-3 max |F|)
//
// States on a kink have no two-sided derivative, those within a difference step of one no reference; they are counted,
// not judged.

#include "model/model.h"
#include "problem/problem.h"

#include <math.h>
#include <stdio.h>

static const double INCREMENT = 1e-6, TOLERANCE = 1e-10, BOUND = 1e-5;

typedef struct check {
    const trx_model *model;
    trx_sim *sim;
    double *x, *A, *B, *F_A, *F_B;
    trx_gradient_check *result;
} check;

// ---- names of rows and columns ----

// coordinate `i` of the tangent of x: q names, NAME.rx .. for rotations, then v names
static void tangent_name(const trx_model *model, int i, char *text, size_t size)
{
    if (i >= model->nv) {
        snprintf(text, size, "%s", trx_model_v_name(model, i - model->nv));
        return;
    }
    const trxi_link *link = &model->links[model->dof_link[i]];
    if (link->type == TRXI_BALL)
        snprintf(text, size, "%s.r%c", model->joints[link->joint].name, "xyz"[i - link->v]);
    else
        snprintf(text, size, "%s", trx_model_q_name(model, link->q + i - link->v));
}

static void describe(const check *c, int knot, int row, int column, bool control, char at[160])
{
    char of[60], by[60];
    tangent_name(c->model, row, of, sizeof of);
    if (control)
        snprintf(by, sizeof by, "u.%s", trx_model_actuator_name(c->model, column));
    else
        tangent_name(c->model, column, by, sizeof by);
    snprintf(at, 160, "knot %d, d %s / d %s", knot, of, by);
}

// ---- errors ----

static double largest_entry(const double *M, int rows, int columns)
{
    double largest = 0;
    for (int i = 0; i < rows * columns; i++) largest = fmax(largest, fabs(M[i]));
    return largest;
}

// raises *error to the worst column of M against F, and says where
static void compare(const check *c, int knot, const double *M, const double *F, int columns, bool control,
                    double *error, char at[160])
{
    int rows = 2 * c->model->nv;
    double floor = 1e-3 * largest_entry(F, rows, columns);
    for (int j = 0; j < columns; j++) {
        const double *m = M + (size_t)j * (size_t)rows, *f = F + (size_t)j * (size_t)rows;
        double scale = fmax(largest_entry(f, rows, 1), floor);
        for (int i = 0; i < rows; i++) {
            double difference = fabs(m[i] - f[i]);
            double relative = scale > 0 ? difference / scale : difference > 0 ? INFINITY : 0;
            if (relative <= *error) continue; // false for a NaN, which is an error
            *error = isnan(relative) ? INFINITY : relative;
            describe(c, knot, i, j, control, at);
        }
    }
}

static trx_status judge(const check *c, int knot)
{
    trx_gradient_check *r = c->result;
    bool kink = false;
    trx_status status = trx_step_fd(c->sim, c->x, NULL, INCREMENT, c->F_A, c->F_B, &kink);
    if (status < 0) return status;
    if (kink || trx_sim_step_info(c->sim).kink == 0) {
        r->kinks++;
        return TRX_OK;
    }
    if ((status = trx_step(c->sim, c->x, NULL, NULL)) < 0) return status;
    if ((status = trx_step_jac(c->sim, c->A, c->B)) < 0) return status;
    compare(c, knot, c->A, c->F_A, 2 * c->model->nv, false, &r->a_error, r->a_at);
    compare(c, knot, c->B, c->F_B, c->model->nu, true, &r->b_error, r->b_at);
    r->states++;
    return TRX_OK;
}

static trx_status walk(const check *c, const trx_problem *problem, int max_states)
{
    int nx = c->model->nq + c->model->nv;
    int steps = problem->steps, stride = max_states > 0 ? (steps - 1) / max_states + 1 : steps + 1;
    for (int i = 0; i < nx; i++) c->x[i] = problem->start[i];
    for (int k = 0; k <= problem->steps; k++) {
        trx_sim_set_time(c->sim, k * problem->sim.time_step);
        trx_status status = k % stride == 0 ? judge(c, k) : TRX_OK;
        if (status < 0) return status;
        if (k + stride > problem->steps && k % stride == 0) break;
        if ((status = trx_step(c->sim, c->x, NULL, c->x)) < 0) return status;
    }
    return TRX_OK;
}

static void layout(trxi_arena *arena, check *c)
{
    int nv = c->model->nv, nu = c->model->nu;
    c->x = TRXI_TAKE(arena, double, c->model->nq + nv);
    c->A = TRXI_TAKE(arena, double, 4 * nv * nv);
    c->F_A = TRXI_TAKE(arena, double, 4 * nv * nv);
    c->B = TRXI_TAKE(arena, double, 2 * nv * nu);
    c->F_B = TRXI_TAKE(arena, double, 2 * nv * nu);
}

trx_status trx_problem_check_gradients(trx_problem *problem, int max_states, trx_gradient_check *result)
{
    if (!problem) return TRX_ERR_ARGUMENT;
    if (!result) return trxi_fail(problem->context, TRX_ERR_ARGUMENT, "no place for the result");
    *result = (trx_gradient_check){0};
    check c = {.model = problem->model, .result = result};
    trx_sim_settings settings = problem->sim;
    settings.tolerance = fmin(settings.tolerance, TOLERANCE);
    trx_status status = trx_sim_create(problem->context, problem->model, &settings, &c.sim);
    if (status < 0) return status;

    trxi_arena arena = {0};
    layout(&arena, &c);
    char *memory = trxi_allocate(problem->context, arena.used);
    status = memory ? TRX_OK : TRX_ERR_MEMORY;
    if (memory) {
        arena = (trxi_arena){.base = memory};
        layout(&arena, &c);
        status = walk(&c, problem, max_states);
    }
    result->ok = status >= 0 && result->a_error < BOUND && result->b_error < BOUND;
    if (status >= 0 && result->states == 0)
        trxi_warn_at(problem->context, problem->root->source, "no gradient was judged: every state tried lies at a kink");
    trxi_release(problem->context, memory);
    trx_sim_destroy(c.sim);
    return status < 0 ? status : TRX_OK;
}
