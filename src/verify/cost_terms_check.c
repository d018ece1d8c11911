// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The Jacobians of cost terms against extrapolated central differences of their residuals (theory 6, 7), column by column, for
// terms of the library and functions of the caller. Residuals of contact forces need a step; if the step takes another branch at
// an end of a difference, the difference is no reference. The check costs a few residuals per column, and allocates its memory.

#include "trajopt/plan.h"
#include "trajopt/quantities.h"
#include "verify/richardson.h"
#include "verify/state_difference.h"
#include "verify/terms.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const trxi_ladder ladder = {.first = 1e-3, .least = 1e-9, .shrink = 0.1, .enough = 1e-8, .patience = 10};
static const double rounding_of_residuals = 8 * DBL_EPSILON, least_column = 1e-5; // relative to the largest column

typedef struct check {
    trx_plan *plan;
    int term, knot, dim, column;
    const double *x, *u;
    unsigned long long branches; // of the step, for contact forces
    double *r_x, *r_u, *F, *estimate; // dim x ntangent, dim x nu side by side; dim x (ntangent + nu); ntangent + nu
    double *moved, *u_moved, *dq, *ends, *column_scratch, *scratch;
} check;

static bool is_force(const check *c)
{
    return c->plan->cost.terms[c->term].quantity == TRX_CONTACT_FORCE;
}

static unsigned long long branches_of(const check *c)
{
    return is_force(c) ? trx_sim_step_info(c->plan->sim).branches : 0;
}

static trx_status central(void *data, double e, double *D, bool *smooth)
{
    const check *c = data;
    const trx_model *model = c->plan->model;
    const int nx = model->ntangent;
    for (int side = 0; side < 2; side++) {
        const double amount = side ? -e : e;
        memcpy(c->moved, c->x, (size_t)model->nstate * sizeof(double));
        if (c->u) memcpy(c->u_moved, c->u, (size_t)model->nu * sizeof(double));
        if (c->column < nx) trxi_state_move(model, c->x, c->column, amount, c->dq, c->moved);
        else c->u_moved[c->column - nx] += amount;
        trxi_cost_residual(&c->plan->cost, c->term, c->knot, c->moved, c->u ? c->u_moved : NULL, c->ends + side * c->dim);
        *smooth = *smooth && branches_of(c) == c->branches;
    }
    for (int i = 0; i < c->dim; i++) D[i] = (c->ends[i] - c->ends[c->dim + i]) / (2 * e);
    return TRX_OK;
}

static trx_status check_column(check *c, double size)
{
    trxi_column column = {.rows = c->dim, .F = c->F + (size_t)c->dim * (size_t)c->column, .scratch = c->column_scratch,
                          .floor = least_column, .rounding = rounding_of_residuals * size, .estimate = INFINITY};
    trx_status status = trxi_richardson_column(&ladder, central, c, &column);
    c->estimate[c->column] = column.crossed ? INFINITY : column.estimate * fmax(trxi_largest(c->dim, column.F), least_column);
    return status;
}

static void say(const check *c, const trxi_verdict *verdict, trx_term_check *out)
{
    const trx_model *model = c->plan->model;
    const trxi_term *term = &c->plan->cost.terms[c->term];
    const int nx = model->ntangent;
    char by[80];
    if (verdict->column < nx) trxi_model_tangent_name(model, verdict->column, by, sizeof by);
    else snprintf(by, sizeof by, "u.%.70s", model->actuators[verdict->column - nx].name);
    const char *component = term->quantity == TRX_USER ? "" : trxi_term_component(model, term, verdict->row);
    if (*component) snprintf(out->at, sizeof out->at, "%.80s, d %.60s / d %s", term->name, component, by);
    else snprintf(out->at, sizeof out->at, "%.80s, d r[%d] / d %s", term->name, verdict->row, by);
}

static trx_status check_term(check *c, trx_term_check *out)
{
    const trx_model *model = c->plan->model;
    trxi_cost *cost = &c->plan->cost;
    const int nx = model->ntangent, columns = c->u ? nx + model->nu : nx;
    trx_status status = TRX_OK;
    c->r_u = c->r_x + c->dim * nx;
    trxi_cost_jacobian(cost, c->term, c->knot, c->x, c->u, c->r_x, c->r_u, c->scratch);
    c->branches = branches_of(c);
    trxi_cost_residual(cost, c->term, c->knot, c->x, c->u, c->ends);
    const double size = 1 + trxi_largest(c->dim, c->ends);
    for (c->column = 0; c->column < columns && status >= 0; c->column++) status = check_column(c, size);
    if (status < 0) return status;
    const trxi_verdict verdict = trxi_judge(c->dim, columns, c->r_x, c->F, c->estimate, least_column);
    if (trxi_term_add(&verdict, out)) say(c, &verdict, out);
    return TRX_OK;
}

static void layout(trxi_arena *arena, check *c)
{
    const trx_model *model = c->plan->model;
    const int nx = model->ntangent, nu = model->nu, columns = nx + nu, dim = c->dim;
    c->r_x = TRXI_TAKE(arena, double, dim * columns);
    c->F = TRXI_TAKE(arena, double, dim * columns);
    c->estimate = TRXI_TAKE(arena, double, columns);
    c->moved = TRXI_TAKE(arena, double, model->nstate);
    c->u_moved = TRXI_TAKE(arena, double, nu);
    c->dq = TRXI_TAKE(arena, double, nx);
    c->ends = TRXI_TAKE(arena, double, 2 * dim);
    c->column_scratch = TRXI_TAKE(arena, double, TRXI_COLUMN_SCRATCH * dim);
    c->scratch = TRXI_TAKE(arena, double, nx + nx * nx + nu + nu * nu);
}

static trx_status check_all(check *c, trx_term_check *out)
{
    const trxi_cost *cost = &c->plan->cost;
    trx_status status = cost->forces ? trxi_stage_apply_model(c->plan) : TRX_OK;
    for (c->term = 0; c->term < cost->nterm && status >= 0; c->term++) {
        c->dim = cost->terms[c->term].dim;
        if (trxi_cost_is_active(cost, &cost->terms[c->term], c->knot)) status = check_term(c, out);
    }
    return status < 0 ? status : TRX_OK;
}

trx_status trx_plan_check_terms(trx_plan *plan, int knot, const double *x, const double *u, trx_term_check *out)
{
    if (!plan) return TRX_ERR_ARGUMENT;
    trxi_begin(plan->context);
    const int steps = plan->rollout.steps;
    if (knot < 0 || knot > steps || !x || (!u && knot < steps) || !out)
        return trxi_fail(plan->context, TRX_ERR_ARGUMENT, "trx_plan_check_terms: no such knot, or x, u or the result is NULL");
    check c = {.plan = plan, .knot = knot, .x = x, .u = knot < steps ? u : NULL};
    for (int i = 0; i < plan->cost.nterm; i++) c.dim = plan->cost.terms[i].dim > c.dim ? plan->cost.terms[i].dim : c.dim;
    trxi_arena arena = {0};
    layout(&arena, &c);
    char *memory = trxi_allocate(plan->context, arena.used + 1);
    if (!memory) return TRX_ERR_MEMORY;
    arena = (trxi_arena){.base = memory};
    layout(&arena, &c);
    trx_status status = check_all(&c, out);
    trxi_release(plan->context, memory);
    return status;
}
