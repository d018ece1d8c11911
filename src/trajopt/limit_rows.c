// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Residuals and Jacobian of all limits of a plan (theory 7). Row i of the Jacobian R of a term is the gradient of the function
// 1/2 r_i^2 at r_i = 1, so the expansions of terms give R row by row: one expansion per component.
//
// Knots write their own rows, so all threads take part.

#include "trajopt/limit_rows.h"

#include "trajopt/term_expansion.h"

#include <math.h>
#include <string.h>

static int rows_of_knot(const trxi_limit_set *set, int knot, bool end)
{
    int count = 0;
    for (int i = 0; i < set->count; i++)
        if (trxi_limit_counts(&set->limits[i], knot, end)) count += set->limits[i].term.dim;
    return count;
}

static void count_rows(trxi_limit_rows *rows, int steps)
{
    rows->steps = steps;
    rows->count = 0;
    for (int k = 0; k <= steps; k++) rows->count += rows_of_knot(rows->set, k, k == steps);
    rows->at_start = rows_of_knot(rows->set, 0, false);
    rows->at_end = rows_of_knot(rows->set, steps, true);
}

void trxi_limit_rows_layout(trxi_arena *arena, const trx_model *model, int steps, const trxi_limit_set *set, trxi_limit_rows *rows)
{
    *rows = (trxi_limit_rows){.set = set, .nx = model->ntangent, .nu = model->nu};
    count_rows(rows, steps);
    rows->first = TRXI_TAKE(arena, int, steps + 2);
    rows->values = TRXI_TAKE(arena, double, rows->count);
    rows->r_x = TRXI_TAKE(arena, double, (size_t)rows->nx * (size_t)rows->count);
    rows->r_u = TRXI_TAKE(arena, double, (size_t)rows->nu * (size_t)rows->count);
}

void trxi_limit_rows_fill(trxi_limit_rows *rows, int steps)
{
    count_rows(rows, steps);
    rows->first[0] = 0;
    for (int k = 0; k <= steps; k++) rows->first[k + 1] = rows->first[k] + rows_of_knot(rows->set, k, k == steps);
}

// ---- one knot ----

void trxi_limit_rows_value(const trxi_limit_rows *rows, const trxi_knot *at)
{
    double *values = rows->values + rows->first[at->knot];
    for (int i = 0; i < rows->set->count; i++) {
        const trxi_plan_limit *limit = &rows->set->limits[i];
        if (!trxi_limit_counts(limit, at->knot, !at->u)) continue;
        trxi_limit_residual(limit, at, values);
        values += limit->term.dim;
    }
}

// the derivatives of component `i` of a residual
static void expand_component(const trxi_limit_rows *rows, const trxi_plan_limit *limit, const trxi_knot *at, int i, int row,
                             const trxi_expansion *out)
{
    const size_t nx = (size_t)rows->nx, nu = (size_t)rows->nu;
    const trxi_expansion one = {.l_x = rows->r_x + nx * (size_t)row,
                                .l_u = out->l_u ? rows->r_u + nu * (size_t)row : NULL,
                                .l_xx = at->hessians,
                                .l_uu = out->l_uu ? at->hessians + nx * nx : NULL,
                                .l_xu = out->l_xu ? at->hessians + nx * nx + nu * nu : NULL,
                                .A = out->A, .B = out->B};
    memset(one.l_x, 0, nx * sizeof(double));
    memset(rows->r_u + nu * (size_t)row, 0, nu * sizeof(double));
    memset(at->hessians, 0, (nx * nx + nu * nu + nx * nu) * sizeof(double));
    for (int j = 0; j < limit->term.dim; j++) at->error[j] = at->curvature[j] = j == i;
    trxi_term_expand(at->model, &limit->term, at->work, at->x, at->u, at->residual, at->error, at->curvature, &one);
}

void trxi_limit_rows_expand(const trxi_limit_rows *rows, const trxi_knot *at, const trxi_expansion *out)
{
    int row = rows->first[at->knot];
    for (int i = 0; i < rows->set->count; i++) {
        const trxi_plan_limit *limit = &rows->set->limits[i];
        if (!trxi_limit_counts(limit, at->knot, !at->u)) continue;
        trxi_limit_residual(limit, at, at->residual);
        memcpy(rows->values + row, at->residual, (size_t)limit->term.dim * sizeof(double));
        for (int j = 0; j < limit->term.dim; j++) expand_component(rows, limit, at, j, row++, out);
    }
}

// ---- all knots ----

void trxi_limit_rows_bounds(const trxi_limit_rows *rows, double *lower, double *upper)
{
    for (int k = 0; k <= rows->steps; k++)
        for (int i = 0; i < rows->set->count; i++) {
            const trxi_plan_limit *limit = &rows->set->limits[i];
            if (!trxi_limit_counts(limit, k, k == rows->steps)) continue;
            for (int j = 0; j < limit->term.dim; j++) *lower++ = limit->lower[j], *upper++ = limit->upper[j];
        }
}

double trxi_limit_rows_violation(const trxi_limit_rows *rows)
{
    const double *value = rows->values;
    double worst = 0;
    for (int k = 0; k <= rows->steps; k++)
        for (int i = 0; i < rows->set->count; i++) {
            const trxi_plan_limit *limit = &rows->set->limits[i];
            if (!trxi_limit_counts(limit, k, k == rows->steps)) continue;
            for (int j = 0; j < limit->term.dim; j++)
                worst = fmax(worst, trxi_limit_excess(limit, j, *value++) / limit->tolerance);
        }
    return worst;
}
