// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Sum of the cost terms of one knot and its Gauss-Newton expansion (theory 7). With the norm rho of a term, its weights w, the
// curvature h(r) of the norm, and s = dt at running knots, 1 at the last:
//
//     l    = s sum w rho(r)        l_x = s sum R^T w rho'(r)        l_xx = s sum R^T diag(w h(r)) R
//
// term_expansion.c adds the derivatives of each term. O(terms times path length).

#include "trajopt/cost.h"

#include "trajopt/norm.h"
#include "trajopt/term.h"

#include <string.h>

void trxi_cost_layout(trxi_arena *arena, const trx_plan_problem *problem, trxi_cost *cost)
{
    const trx_model *model = problem->model;
    *cost = (trxi_cost){.model = model, .steps = problem->steps, .time_step = problem->sim.time_step};
    cost->nterm = problem->nterm;
    cost->terms = TRXI_TAKE(arena, trxi_term, problem->nterm);
    int largest = 0, dense = 0, nball = 0;
    for (int i = 0; i < problem->nlimit; i++) {
        const trx_cost_term *def = &problem->limits[i].term;
        const int dim = trx_cost_term_dimension(model, def);
        if (dim > largest) largest = dim;
        if (trxi_quantity_is(def->quantity, TRXI_DENSE) && dim > dense) dense = dim;
        cost->forces = cost->forces || def->quantity == TRX_CONTACT_FORCE;
    }
    for (int i = 0; i < problem->nterm; i++) {
        const trx_cost_term *def = &problem->terms[i];
        trxi_term term;
        trxi_term_layout(arena, model, def, problem->steps, &term);
        if (cost->terms) cost->terms[i] = term;
        if (term.dim > largest) largest = term.dim;
        if (trxi_quantity_is(def->quantity, TRXI_DENSE) && term.dim > dense) dense = term.dim;
        if (def->tolerance > 0) cost->ngoal++;
        cost->forces = cost->forces || def->quantity == TRX_CONTACT_FORCE;
    }
    cost->residual = TRXI_TAKE(arena, double, largest);
    cost->error = TRXI_TAKE(arena, double, largest);
    cost->curvature = TRXI_TAKE(arena, double, largest);
    const size_t nx = (size_t)model->ntangent, nu = (size_t)model->nu;
    cost->hessians = TRXI_TAKE(arena, double, problem->nlimit > 0 ? nx * nx + nu * nu + nx * nu : 0);
    trxi_term_work_layout(arena, model, dense, &cost->work);
    cost->own = cost->work.kin;
    for (int i = 0; i < model->nlink; i++) nball += model->links[i].type == TRXI_BALL;
    cost->A = TRXI_TAKE(arena, double, cost->forces ? model->ntangent * model->ntangent : 0);
    cost->B = TRXI_TAKE(arena, double, cost->forces ? model->ntangent * model->nu : 0);
    cost->maps = TRXI_TAKE(arena, double, cost->forces ? TRXI_BALL_MAPS * nball : 0);
}

void trxi_cost_fill(const trx_plan_problem *problem, trxi_cost *cost)
{
    for (int i = 0; i < cost->nterm; i++) trxi_term_fill(problem->model, &problem->terms[i], problem->steps, &cost->terms[i]);
}

void trxi_cost_set_target(trxi_cost *cost, int term, const double *target, int stride)
{
    trxi_term_set_target(cost->model, &cost->terms[term], cost->steps, target, stride);
}

bool trxi_cost_is_active(const trxi_cost *cost, const trxi_term *term, int knot)
{
    return knot < cost->steps ? term->running : term->end;
}

// determines the kinematic data that the terms of a knot need
static void needs(const trxi_cost *cost, int knot, bool *poses, bool *rates)
{
    *poses = *rates = false;
    for (int i = 0; i < cost->nterm; i++) {
        const trxi_term *term = &cost->terms[i];
        if (!trxi_cost_is_active(cost, term, knot) || !trxi_quantity_is(term->quantity, TRXI_SPATIAL)) continue;
        *poses = true;
        *rates = *rates || trxi_quantity_is(term->quantity, TRXI_RATE);
    }
    if (cost->limits) trxi_limit_set_needs(cost->limits, knot, poses, rates);
}

static void set_knot(trxi_cost *cost, int knot)
{
    cost->work.knot = knot;
    cost->work.time = cost->start_time + knot * cost->time_step;
    cost->work.time_step = cost->time_step;
    const bool known = cost->controls && knot > 0 && knot < cost->steps;
    cost->work.u_before = known ? cost->controls + cost->model->nu * (knot - 1) : NULL;
}

// computes poses and velocities at x as far as the terms of this knot need them; uses the poses in `kin` unless it is NULL
static void prepare(trxi_cost *cost, const trxi_kinematics *kin, int knot, const double *x)
{
    bool poses, rates;
    set_knot(cost, knot);
    needs(cost, knot, &poses, &rates);
    if (!poses) return;
    cost->work.kin = kin ? *kin : cost->own;
    if (!kin) {
        trxi_kinematics_compute(cost->model, x, &cost->own);
        trxi_kinematics_move(cost->model, cost->work.time, &cost->own);
    }
    if (rates) trxi_link_velocities(cost->model, &cost->work.kin, x + cost->model->nq, cost->work.V);
}

// takes the step from a knot for terms of contact forces, unless it is `taken` already, and linearizes it for an expansion
static void take_step(trxi_cost *cost, bool taken, int knot, const double *x, const double *u, const trxi_expansion *out)
{
    const trxi_dynamics *f = cost->dynamics;
    trxi_term_work *work = &cost->work;
    if (!cost->forces || !u || knot == cost->steps) return;
    bool fine = taken || f->step(f, work->time, x, u, NULL, NULL) >= 0;
    work->A = out && out->A ? out->A : cost->A;
    work->B = out && out->A ? out->B : cost->B;
    if (fine && out && !out->A) fine = f->linearize(f, cost->A, cost->B, cost->maps) >= 0;
    work->step = fine ? f : NULL;
}

// the knot for evaluations of limits; call prepare first
static trxi_knot knot_of(trxi_cost *cost, int knot, const double *x, const double *u)
{
    return (trxi_knot){.model = cost->model, .work = &cost->work, .knot = knot, .x = x, .u = knot < cost->steps ? u : NULL,
                       .residual = cost->residual, .error = cost->error, .curvature = cost->curvature, .hessians = cost->hessians};
}

trxi_knot trxi_cost_knot(trxi_cost *cost, int knot, const double *x, const double *u)
{
    prepare(cost, NULL, knot, x);
    take_step(cost, false, knot, x, u, NULL);
    return knot_of(cost, knot, x, u);
}

double trxi_cost_offset(const trxi_cost *cost)
{
    return cost->limits ? cost->limits->offset : 0;
}

// sum w rho(r)
static double weighted_norm(const trxi_term *term, int knot, const double *r)
{
    const double *weight = trxi_term_weight(term, knot);
    double sum = 0;
    for (int i = 0; i < term->dim; i++) sum += trxi_norm_value(term->norm, term->norm_scale, weight[i], r[i]);
    return sum;
}

double trxi_cost_value_at(trxi_cost *cost, const trxi_kinematics *kin, int knot, const double *x, const double *u)
{
    double sum = 0;
    prepare(cost, kin, knot, x);
    take_step(cost, kin != NULL, knot, x, u, NULL);
    for (int i = 0; i < cost->nterm; i++) {
        const trxi_term *term = &cost->terms[i];
        if (!trxi_cost_is_active(cost, term, knot)) continue;
        trxi_term_residual(cost->model, term, &cost->work, trxi_term_target(term, knot), x, u, cost->residual);
        sum += weighted_norm(term, knot, cost->residual);
    }
    if (knot < cost->steps) sum *= cost->time_step;
    if (!cost->limits) return sum;
    const trxi_knot at = knot_of(cost, knot, x, u);
    if (cost->rows) trxi_limit_rows_value(cost->rows, &at);
    return sum + trxi_limit_set_value(cost->limits, &at);
}

double trxi_cost_value(trxi_cost *cost, int knot, const double *x, const double *u)
{
    return trxi_cost_value_at(cost, NULL, knot, x, u);
}

// adds the derivatives of scale sum w rho(r) at the residual in cost->residual
static void add_term(trxi_cost *cost, const trxi_term *term, double scale, const double *x, const double *u,
                     const trxi_expansion *out)
{
    const double *weight = trxi_term_weight(term, cost->work.knot), *r = cost->residual;
    for (int i = 0; i < term->dim; i++)
        cost->curvature[i] = trxi_norm_curvature(term->norm, term->norm_scale, scale * weight[i], r[i]);
    trxi_term_expand(cost->model, term, &cost->work, x, u, r, r, cost->curvature, out);
}

double trxi_cost_expand_at(trxi_cost *cost, const trxi_kinematics *kin, int knot, const double *x, const double *u,
                           const trxi_expansion *out)
{
    size_t ndx = (size_t)cost->model->ntangent, nu = (size_t)cost->model->nu;
    memset(out->l_x, 0, ndx * sizeof(double));
    memset(out->l_xx, 0, ndx * ndx * sizeof(double));
    if (out->l_u) memset(out->l_u, 0, nu * sizeof(double));
    if (out->l_uu) memset(out->l_uu, 0, nu * nu * sizeof(double));
    if (out->l_xu) memset(out->l_xu, 0, ndx * nu * sizeof(double));
    if (out->rate_slope) memset(out->rate_slope, 0, nu * sizeof(double));
    if (out->rate_slope) memset(out->rate_curvature, 0, nu * sizeof(double));

    double sum = 0, scale = knot < cost->steps ? cost->time_step : 1;
    prepare(cost, kin, knot, x);
    take_step(cost, kin != NULL, knot, x, u, out);
    for (int i = 0; i < cost->nterm; i++) {
        const trxi_term *term = &cost->terms[i];
        if (!trxi_cost_is_active(cost, term, knot)) continue;
        trxi_term_residual(cost->model, term, &cost->work, trxi_term_target(term, knot), x, u, cost->residual);
        sum += weighted_norm(term, knot, cost->residual);
        add_term(cost, term, scale, x, u, out);
    }
    if (!cost->limits) return scale * sum;
    const trxi_knot at = knot_of(cost, knot, x, u);
    if (cost->rows) trxi_limit_rows_expand(cost->rows, &at, out);
    return scale * sum + trxi_limit_set_expand(cost->limits, &at, out);
}

double trxi_cost_expand(trxi_cost *cost, int knot, const double *x, const double *u, const trxi_expansion *out)
{
    return trxi_cost_expand_at(cost, NULL, knot, x, u, out);
}

void trxi_cost_prepare(trxi_cost *cost, int knot, const double *x)
{
    prepare(cost, NULL, knot, x);
}

// prepares the state of a knot for one term, active or not; with `out` also for the derivatives of the term
static void prepare_term(trxi_cost *cost, const trxi_term *t, int knot, const double *x, const double *u, const trxi_expansion *out)
{
    set_knot(cost, knot);
    if (trxi_quantity_is(t->quantity, TRXI_SPATIAL)) {
        cost->work.kin = cost->own;
        trxi_term_prepare(cost->model, x, &cost->work);
        trxi_kinematics_move(cost->model, cost->work.time, &cost->work.kin);
    }
    if (t->quantity == TRX_CONTACT_FORCE) take_step(cost, false, knot, x, u, out);
}

void trxi_cost_residual(trxi_cost *cost, int term, int knot, const double *x, const double *u, double *r)
{
    const trxi_term *t = &cost->terms[term];
    prepare_term(cost, t, knot, x, u, NULL);
    trxi_term_residual(cost->model, t, &cost->work, trxi_term_target(t, knot), x, u, r);
}

void trxi_cost_jacobian(trxi_cost *cost, int term, int knot, const double *x, const double *u, double *r_x, double *r_u,
                        double *scratch)
{
    const trxi_term *t = &cost->terms[term];
    const size_t nx = (size_t)cost->model->ntangent, nu = (size_t)cost->model->nu, dim = (size_t)t->dim;
    const trxi_expansion out = {.l_x = scratch, .l_xx = scratch + nx, .l_u = scratch + nx + nx * nx,
                                .l_uu = scratch + nx + nx * nx + nu};
    prepare_term(cost, t, knot, x, u, &out);
    trxi_term_residual(cost->model, t, &cost->work, trxi_term_target(t, knot), x, u, cost->residual);
    for (size_t i = 0; i < dim; i++) {
        // the gradient of component i is its row
        memset(scratch, 0, (nx + nx * nx + nu + nu * nu) * sizeof *scratch);
        for (size_t k = 0; k < dim; k++) cost->error[k] = k == i, cost->curvature[k] = 1;
        trxi_term_expand(cost->model, t, &cost->work, x, u, cost->residual, cost->error, cost->curvature, &out);
        for (size_t j = 0; j < nx; j++) r_x[i + dim * j] = out.l_x[j];
        for (size_t j = 0; j < nu; j++) r_u[i + dim * j] = out.l_u[j];
    }
}

// ---- goals ----

void trxi_goals_layout(trxi_arena *arena, const trx_plan_problem *problem, trxi_goal_error **goals)
{
    int count = 0;
    for (int i = 0; i < problem->nterm; i++) count += problem->terms[i].tolerance > 0;
    *goals = TRXI_TAKE(arena, trxi_goal_error, count);
    for (int i = 0, goal = 0; i < problem->nterm; i++) {
        if (!(problem->terms[i].tolerance > 0)) continue;
        trxi_goal_error empty = {.dim = trx_cost_term_dimension(problem->model, &problem->terms[i])};
        empty.components = TRXI_TAKE(arena, double, empty.dim);
        if (*goals) (*goals)[goal++] = empty;
    }
}

void trxi_cost_goal_errors(trxi_cost *cost, int knot, const double *x, const double *u, trxi_goal_error *goals)
{
    trxi_goal_error *goal = goals;
    prepare(cost, NULL, knot, x);
    take_step(cost, false, knot, x, u, NULL);
    for (int i = 0; i < cost->nterm; i++) {
        const trxi_term *term = &cost->terms[i];
        if (!(term->tolerance > 0)) continue;
        if (trxi_cost_is_active(cost, term, knot)) {
            trxi_term_residual(cost->model, term, &cost->work, trxi_term_target(term, knot), x, u, cost->residual);
            trxi_goal_raise(goal, trxi_term_weight(term, knot), cost->residual);
        }
        goal++;
    }
}
