// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Sum of the cost terms of one knot and its Gauss-Newton expansion (theory 7). With W = diag(w) and s = dt at
// running knots, 1 at the last:
//
//     l    = s sum r^T W r         l_x = 2 s sum R^T W r         l_xx = 2 s sum R^T W R
//
// R is never formed as a whole: a coordinate touches its own diagonal entry, the difference of a ball joint a
// 3 x 3 block, a spatial term the columns on the path of its link.

#include "trajopt/cost.h"

#include "math/rotation.h"
#include "trajopt/cost_sets.h"

#include <string.h>

// length of the stored target: one value, or one value per knot
static int stored_target(const trxi_term *term, int steps)
{
    return term->target_stride > 0 ? term->target_stride * steps + term->target_length : term->target_length;
}

void trxi_cost_layout(trxi_arena *arena, const trx_plan_problem *problem, trxi_cost *cost)
{
    const trx_model *model = problem->model;
    *cost = (trxi_cost){.model = model, .steps = problem->steps, .time_step = problem->sim.time_step};
    cost->nterm = problem->nterm;
    cost->terms = TRXI_TAKE(arena, trxi_term, problem->nterm);
    int largest = 0;
    for (int i = 0; i < problem->nterm; i++) {
        const trx_cost_term *def = &problem->terms[i];
        trxi_term term = {.dim = trx_cost_term_dimension(model, def),
                          .target_length = trx_cost_term_target_length(model, def),
                          .target_stride = def->target ? def->target_stride : 0};
        term.name = TRXI_TAKE(arena, char, (def->name ? strlen(def->name) : 0) + 1);
        term.weight = TRXI_TAKE(arena, double, term.dim);
        term.target = TRXI_TAKE(arena, double, stored_target(&term, problem->steps));
        trxi_set_layout(arena, model, def, &term);
        bool joint = def->quantity == TRX_JOINT_POSITION || def->quantity == TRX_JOINT_VELOCITY;
        term.q_index = TRXI_TAKE(arena, int, joint ? term.dim : 0);
        term.v_index = TRXI_TAKE(arena, int, joint ? term.dim : 0);
        if (cost->terms) cost->terms[i] = term;
        if (term.dim > largest) largest = term.dim;
        if (def->tolerance > 0) cost->ngoal++;
    }
    cost->residual = TRXI_TAKE(arena, double, largest);
    trxi_term_work_layout(arena, model, &cost->work);
    cost->own = cost->work.kin;
}

// pose of the term's frame in its link
static void place_frame(const trx_model *model, const trx_cost_term *def, trxi_term *term)
{
    bool body = def->quantity <= TRX_BODY_SPIN;
    const double *R = body ? model->bodies[def->index].R_LB : model->frames[def->index].R_LF;
    const double *p = body ? model->bodies[def->index].p_LB : model->frames[def->index].p_LF;
    term->body = body ? def->index : model->frames[def->index].body;
    term->link = model->bodies[term->body].link;
    memcpy(term->R_LF, R, sizeof term->R_LF);
    trxi_copy3(p, term->p_LF);
    if (term->link < 0) return;
    term->dofs = model->path + model->links[term->link].path_start;
    term->ndof = model->links[term->link].path_length;
}

static void normalize_quaternions(const trx_model *model, const trxi_term *term, double *target)
{
    if (term->target_length == 4 && trxi_quantity_is_spatial(term->quantity)) trxi_quat_normalize(target);
    if (term->quantity != TRX_POSITION) return;
    for (int i = 0; i < model->nlink; i++)
        if (model->links[i].type == TRXI_BALL) trxi_quat_normalize(target + model->links[i].q);
}

// makes the zero (identity) target
static void fill_neutral(const trx_model *model, trxi_term *term)
{
    if (term->quantity == TRX_POSITION)
        trx_model_neutral(model, term->target);
    else if (term->target_length == 4 && trxi_quantity_is_spatial(term->quantity))
        term->target[0] = 1;
}

void trxi_cost_set_target(trxi_cost *cost, int index, const double *target, int stride)
{
    const trxi_term *term = &cost->terms[index];
    for (int k = 0; k <= (term->target_stride > 0 ? cost->steps : 0); k++) {
        double *to = term->target + term->target_stride * k;
        memcpy(to, target + stride * k, (size_t)term->target_length * sizeof *to);
        normalize_quaternions(cost->model, term, to);
    }
}

void trxi_cost_fill(const trx_plan_problem *problem, trxi_cost *cost)
{
    const trx_model *model = problem->model;
    for (int i = 0; i < cost->nterm; i++) {
        const trx_cost_term *def = &problem->terms[i];
        trxi_term *term = &cost->terms[i];
        term->quantity = def->quantity;
        term->running = def->time != TRX_END;
        term->end = def->time != TRX_RUNNING;
        term->tolerance = def->tolerance;
        if (def->name) memcpy(term->name, def->name, strlen(def->name) + 1);
        memcpy(term->weight, def->weight, (size_t)term->dim * sizeof(double));
        if (def->target) trxi_cost_set_target(cost, i, def->target, term->target_stride);
        else fill_neutral(model, term);
        if (def->quantity <= TRX_FRAME_SPIN) place_frame(model, def, term);
        if (def->quantity >= TRX_DISTANCE) trxi_set_fill(model, def, term);
        for (int j = 0; term->q_index && j < def->njoint; j++) {
            term->q_index[j] = model->joints[def->joints[j]].q;
            term->v_index[j] = model->joints[def->joints[j]].v;
        }
    }
}

bool trxi_cost_is_active(const trxi_cost *cost, const trxi_term *term, int knot)
{
    return knot < cost->steps ? term->running : term->end;
}

// kinematic data that the terms of a knot need
static void needs(const trxi_cost *cost, int knot, bool *poses, bool *rates)
{
    *poses = *rates = false;
    for (int i = 0; i < cost->nterm; i++) {
        const trxi_term *term = &cost->terms[i];
        if (!trxi_cost_is_active(cost, term, knot) || !trxi_quantity_is_spatial(term->quantity)) continue;
        *poses = true;
        *rates = *rates || trxi_quantity_is_rate(term->quantity);
    }
}

// computes poses and velocities at x as far as the terms of this knot need them; uses known poses
static void prepare(trxi_cost *cost, const trxi_kinematics *kin, int knot, const double *x)
{
    bool poses, rates;
    needs(cost, knot, &poses, &rates);
    if (!poses) return;
    cost->work.kin = kin ? *kin : cost->own;
    if (!kin) {
        trxi_kinematics_compute(cost->model, x, &cost->own);
        trxi_kinematics_move(cost->model, cost->start_time + knot * cost->time_step, &cost->own);
    }
    if (rates) trxi_link_velocities(cost->model, &cost->work.kin, x + cost->model->nq, cost->work.V);
}

static const double *target_at(const trxi_term *term, int knot)
{
    return term->target + term->target_stride * knot;
}

static double weighted_square(const trxi_term *term, const double *r)
{
    double sum = 0;
    for (int i = 0; i < term->dim; i++) sum += term->weight[i] * r[i] * r[i];
    return sum;
}

double trxi_cost_value_at(trxi_cost *cost, const trxi_kinematics *kin, int knot, const double *x, const double *u)
{
    double sum = 0;
    prepare(cost, kin, knot, x);
    for (int i = 0; i < cost->nterm; i++) {
        const trxi_term *term = &cost->terms[i];
        if (!trxi_cost_is_active(cost, term, knot)) continue;
        trxi_term_residual(cost->model, term, &cost->work, target_at(term, knot), x, u, cost->residual);
        sum += weighted_square(term, cost->residual);
    }
    return knot < cost->steps ? cost->time_step * sum : sum;
}

double trxi_cost_value(trxi_cost *cost, int knot, const double *x, const double *u)
{
    return trxi_cost_value_at(cost, NULL, knot, x, u);
}

// a residual component that is one coordinate: gradient and diagonal entry of that coordinate
static void add_coordinate(double scale, double weight, double r, int index, int ld, double *l, double *l_2)
{
    l[index] += 2 * scale * weight * r;
    l_2[index + index * ld] += 2 * scale * weight;
}

// R^T W r and R^T W R of a residual of up to 3 rows over n columns at `columns`, shifted by `offset`: the lower triangle
static void add_block(double scale, int rows, const double *w, const double *r, int n, const double *J,
                      const int *columns, int offset, int ld, double *l_x, double *l_xx)
{
    for (int j = 0; j < n; j++) {
        double weighted[3] = {0, 0, 0};
        int column = offset + columns[j];
        for (int i = 0; i < rows; i++) {
            weighted[i] = 2 * scale * w[i] * J[i + 3 * j];
            l_x[column] += weighted[i] * r[i];
        }
        for (int i = j; i < n; i++) l_xx[offset + columns[i] + column * ld] += trxi_dot3(weighted, J + 3 * i);
    }
}

// R_v^T W R_q: rows in v, columns in q, all below the diagonal
static void add_cross_block(double scale, const double *w, int n, const double *J_q, const double *J_v,
                            const int *columns, int nv, double *l_xx)
{
    for (int j = 0; j < n; j++) {
        double weighted[3];
        for (int i = 0; i < 3; i++) weighted[i] = 2 * scale * w[i] * J_q[i + 3 * j];
        for (int i = 0; i < n; i++) l_xx[nv + columns[i] + columns[j] * 2 * nv] += trxi_dot3(weighted, J_v + 3 * i);
    }
}

static void add_spatial(trxi_cost *cost, const trxi_term *term, double scale, const double *r,
                        const trxi_expansion *out)
{
    int nv = cost->model->nv, ld = 2 * nv, dim = term->dim;
    const trxi_term_work *work = &cost->work;
    const double *w = term->weight;
    trxi_term_spatial_jacobian(cost->model, term, &cost->work, r);
    add_block(scale, dim, w, r, work->ndof, work->J_q, work->dofs, 0, ld, out->l_x, out->l_xx);
    if (!trxi_quantity_is_rate(term->quantity)) return;
    add_block(scale, dim, w, r, work->ndof, work->J_v, work->dofs, nv, ld, out->l_x, out->l_xx);
    add_cross_block(scale, w, work->ndof, work->J_q, work->J_v, work->dofs, nv, out->l_xx);
}

// q (-) target: the identity, and Jr^-1 of the difference on balls
static void add_position(trxi_cost *cost, const trxi_term *term, double scale, const double *r,
                         const trxi_expansion *out)
{
    const trx_model *model = cost->model;
    int ld = 2 * model->nv;
    for (int k = 0; k < model->nlink; k++) {
        const trxi_link *link = &model->links[k];
        int v = link->v;
        if (link->type == TRXI_BALL) {
            const int columns[3] = {v, v + 1, v + 2};
            double inverse[9];
            trxi_right_jacobian_inverse(r + v, inverse);
            add_block(scale, 3, term->weight + v, r + v, 3, inverse, columns, 0, ld, out->l_x, out->l_xx);
        } else {
            for (int i = v; i < v + link->nv; i++)
                add_coordinate(scale, term->weight[i], r[i], i, ld, out->l_x, out->l_xx);
        }
    }
}

static void add_term(trxi_cost *cost, const trxi_term *term, double scale, const double *r, const trxi_expansion *out)
{
    int nv = cost->model->nv, nu = cost->model->nu, dim = term->dim;
    const double *w = term->weight;
    switch (term->quantity) {
    case TRX_JOINT_POSITION:
        for (int i = 0; i < dim; i++) add_coordinate(scale, w[i], r[i], term->v_index[i], 2 * nv, out->l_x, out->l_xx);
        return;
    case TRX_JOINT_VELOCITY:
        for (int i = 0; i < dim; i++)
            add_coordinate(scale, w[i], r[i], nv + term->v_index[i], 2 * nv, out->l_x, out->l_xx);
        return;
    case TRX_POSITION: add_position(cost, term, scale, r, out); return;
    case TRX_VELOCITY:
        for (int i = 0; i < dim; i++) add_coordinate(scale, w[i], r[i], nv + i, 2 * nv, out->l_x, out->l_xx);
        return;
    case TRX_CONTROL:
        for (int i = 0; i < dim; i++) add_coordinate(scale, w[i], r[i], i, nu, out->l_u, out->l_uu);
        return;
    default: add_spatial(cost, term, scale, r, out);
    }
}

double trxi_cost_expand_at(trxi_cost *cost, const trxi_kinematics *kin, int knot, const double *x, const double *u,
                           const trxi_expansion *out)
{
    size_t ndx = 2 * (size_t)cost->model->nv, nu = (size_t)cost->model->nu;
    memset(out->l_x, 0, ndx * sizeof(double));
    memset(out->l_xx, 0, ndx * ndx * sizeof(double));
    if (out->l_u) memset(out->l_u, 0, nu * sizeof(double));
    if (out->l_uu) memset(out->l_uu, 0, nu * nu * sizeof(double));

    double sum = 0, scale = knot < cost->steps ? cost->time_step : 1;
    prepare(cost, kin, knot, x);
    for (int i = 0; i < cost->nterm; i++) {
        const trxi_term *term = &cost->terms[i];
        if (!trxi_cost_is_active(cost, term, knot)) continue;
        trxi_term_residual(cost->model, term, &cost->work, target_at(term, knot), x, u, cost->residual);
        sum += weighted_square(term, cost->residual);
        add_term(cost, term, scale, cost->residual, out);
    }
    return scale * sum;
}

double trxi_cost_expand(trxi_cost *cost, int knot, const double *x, const double *u, const trxi_expansion *out)
{
    return trxi_cost_expand_at(cost, NULL, knot, x, u, out);
}

void trxi_cost_prepare(trxi_cost *cost, int knot, const double *x)
{
    prepare(cost, NULL, knot, x);
}

void trxi_cost_residual(trxi_cost *cost, int term, int knot, const double *x, const double *u, double *r)
{
    const trxi_term *t = &cost->terms[term];
    if (trxi_quantity_is_spatial(t->quantity)) {
        cost->work.kin = cost->own;
        trxi_term_prepare(cost->model, x, &cost->work);
        trxi_kinematics_move(cost->model, cost->start_time + knot * cost->time_step, &cost->work.kin);
    }
    trxi_term_residual(cost->model, t, &cost->work, target_at(t, knot), x, u, r);
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
    for (int i = 0; i < cost->nterm; i++) {
        const trxi_term *term = &cost->terms[i];
        if (!(term->tolerance > 0)) continue;
        if (trxi_cost_is_active(cost, term, knot)) {
            trxi_term_residual(cost->model, term, &cost->work, target_at(term, knot), x, u, cost->residual);
            trxi_goal_raise(goal, term->weight, cost->residual);
        }
        goal++;
    }
}
