// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The augmented Lagrangian of limits (theory 7). A component r of a residual with bounds l <= r <= h, multiplier y and
// penalty rho adds
//
//     rho/2 s^2 - y^2 / (2 rho),     s = z - clamp(z, l, h),     z = r + y / rho
//
// to the cost of its knot. With R = dr/d(x, u) the gradient is rho s R. The Gauss-Newton Hessian is rho R^T R for equations and
// where s is not 0.
//
// The constant - y^2 / (2 rho) is left out of the values of knots. These values are then >= 0, so a rollout can be abandoned as
// soon as its cost is too large. The sum of the constants is the offset of the set.

#include "trajopt/limits.h"

#include "judge/limits.h"
#include "trajopt/term.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// ---- data ----

static bool is_running(const trxi_plan_limit *limit)
{
    return trxi_quantity_is(limit->term.quantity, TRXI_PER_STEP);
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

// last knot of a horizon at which a limit may hold
static int end_of(const trxi_plan_limit *limit, int steps)
{
    return is_running(limit) ? steps - 1 : steps;
}

void trxi_limit_set_layout(trxi_arena *arena, const trx_plan_problem *problem, trxi_limit_set *set)
{
    *set = (trxi_limit_set){.count = problem->nlimit, .limits = TRXI_TAKE(arena, trxi_plan_limit, problem->nlimit)};
    for (int i = 0; i < problem->nlimit; i++) {
        const trx_limit *def = &problem->limits[i];
        trxi_plan_limit limit = {.first = def->first, .last = least(def->last, problem->steps)};
        trxi_term_layout(arena, problem->model, &def->term, problem->steps, &limit.term);
        const size_t dim = (size_t)limit.term.dim;
        limit.lower = TRXI_TAKE(arena, double, dim);
        limit.upper = TRXI_TAKE(arena, double, dim);
        limit.penalty = TRXI_TAKE(arena, double, dim);
        limit.most_penalty = TRXI_TAKE(arena, double, dim);
        limit.distance = TRXI_TAKE(arena, double, dim);
        limit.now = TRXI_TAKE(arena, double, dim);
        limit.multiplier = TRXI_TAKE(arena, double, dim * (size_t)(limit.last - limit.first + 1));
        if (set->limits) set->limits[i] = limit;
    }
}

void trxi_limit_set_fill(const trx_plan_problem *problem, trxi_limit_set *set)
{
    for (int i = 0; i < set->count; i++) {
        const trx_limit *def = &problem->limits[i];
        trxi_plan_limit *limit = &set->limits[i];
        trxi_term_fill(problem->model, &def->term, problem->steps, &limit->term);
        if (def->term.quantity == TRX_CONTROL_RATE && limit->first < 1) limit->first = 1; // the first with a rate
        const int end = end_of(limit, problem->steps);
        limit->last = least(limit->last, end);
        limit->last_asked = limit->last == end ? INT_MAX : limit->last;
        limit->at_end = limit->first == end;
        limit->first_free = !is_running(limit) && limit->first == 0 ? 1 : limit->first;
        limit->tolerance = def->tolerance;
        limit->source = def->term.source;
        for (int j = 0; j < limit->term.dim; j++) {
            limit->lower[j] = def->lower ? def->lower[j] : -INFINITY;
            limit->upper[j] = def->upper ? def->upper[j] : INFINITY;
        }
    }
    trxi_limit_set_reset(set);
}

// number of knots of a limit; 0 if the horizon ends before its first knot
static size_t knots_of(const trxi_plan_limit *limit)
{
    return limit->last < limit->first ? 0 : (size_t)(limit->last - limit->first + 1);
}

void trxi_limit_set_reset(trxi_limit_set *set)
{
    set->offset = 0;
    for (int i = 0; i < set->count; i++) {
        trxi_plan_limit *limit = &set->limits[i];
        const size_t dim = (size_t)limit->term.dim, knots = knots_of(limit);
        limit->most_exceeded = 0;
        for (size_t j = 0; j < dim; j++) limit->penalty[j] = 0, limit->distance[j] = INFINITY;
        memset(limit->multiplier, 0, dim * knots * sizeof(double));
    }
}

void trxi_limit_set_visit(trxi_visitor *visitor, trxi_limit_set *set)
{
    TRXI_VISIT(visitor, set->offset);
    for (int i = 0; i < set->count; i++) {
        trxi_plan_limit *limit = &set->limits[i];
        const size_t dim = (size_t)limit->term.dim, knots = knots_of(limit);
        TRXI_VISIT(visitor, limit->most_exceeded);
        trxi_visit_doubles(visitor, limit->penalty, dim);
        trxi_visit_doubles(visitor, limit->most_penalty, dim);
        trxi_visit_doubles(visitor, limit->distance, dim);
        trxi_visit_doubles(visitor, limit->multiplier, dim * knots);
    }
}

void trxi_limit_set_shift(trxi_limit_set *set, int knots)
{
    for (int i = 0; i < set->count; i++) {
        const trxi_plan_limit *limit = &set->limits[i];
        const size_t dim = (size_t)limit->term.dim;
        for (int k = limit->first; k < limit->last; k++)
            memmove(trxi_limit_multiplier(limit, k), trxi_limit_multiplier(limit, least(k + knots, limit->last)),
                    dim * sizeof(double));
    }
}

void trxi_limit_set_use_steps(trxi_limit_set *set, int steps)
{
    for (int i = 0; i < set->count; i++) {
        trxi_plan_limit *limit = &set->limits[i];
        const size_t dim = (size_t)limit->term.dim, before = knots_of(limit);
        limit->last = least(limit->last_asked, end_of(limit, steps));
        if (limit->at_end) limit->first = limit->first_free = limit->last;
        const size_t knots = knots_of(limit);
        if (knots > before) memset(limit->multiplier + dim * before, 0, dim * (knots - before) * sizeof(double));
    }
}

// ---- one knot ----

void trxi_limit_set_needs(const trxi_limit_set *set, int knot, bool *poses, bool *rates)
{
    for (int i = 0; i < set->count; i++) {
        const trxi_plan_limit *limit = &set->limits[i];
        if (!trxi_limit_holds(limit, knot) || !trxi_quantity_is(limit->term.quantity, TRXI_SPATIAL)) continue;
        *poses = true;
        *rates = *rates || trxi_quantity_is(limit->term.quantity, TRXI_RATE);
    }
}

void trxi_limit_residual(const trxi_plan_limit *limit, const trxi_knot *at, double *r)
{
    trxi_term_residual(at->model, &limit->term, at->work, trxi_term_target(&limit->term, at->knot), at->x, at->u, r);
}

double trxi_limit_excess(const trxi_plan_limit *limit, int i, double value)
{
    return trxi_excess(value, limit->lower[i], limit->upper[i]);
}

// writes s to error, and rho (0 for inactive inequalities) to curvature, for each component; returns the sum of rho/2 s^2
static double penalize(const trxi_plan_limit *limit, const trxi_knot *at)
{
    const double *y = trxi_limit_multiplier(limit, at->knot);
    double sum = 0;
    for (int i = 0; i < limit->term.dim; i++) {
        const double rho = limit->penalty[i], z = at->residual[i] + (rho > 0 ? y[i] / rho : 0);
        const double s = z - fmin(fmax(z, limit->lower[i]), limit->upper[i]);
        at->error[i] = s;
        at->curvature[i] = s != 0 || limit->lower[i] == limit->upper[i] ? rho : 0;
        sum += 0.5 * rho * s * s;
    }
    return sum;
}

double trxi_limit_set_value(const trxi_limit_set *set, const trxi_knot *at)
{
    double sum = 0;
    for (int i = 0; i < set->count; i++) {
        const trxi_plan_limit *limit = &set->limits[i];
        if (!trxi_limit_counts(limit, at->knot, !at->u)) continue;
        trxi_limit_residual(limit, at, at->residual);
        sum += penalize(limit, at);
    }
    return sum;
}

static bool acts(const trxi_plan_limit *limit, const trxi_knot *at)
{
    for (int i = 0; i < limit->term.dim; i++)
        if (at->curvature[i] > 0) return true;
    return false;
}

double trxi_limit_set_expand(const trxi_limit_set *set, const trxi_knot *at, const trxi_expansion *out)
{
    double sum = 0;
    for (int i = 0; i < set->count; i++) {
        const trxi_plan_limit *limit = &set->limits[i];
        if (!trxi_limit_counts(limit, at->knot, !at->u)) continue;
        trxi_limit_residual(limit, at, at->residual);
        sum += penalize(limit, at);
        if (!acts(limit, at)) continue;
        trxi_term_expand(at->model, &limit->term, at->work, at->x, at->u, at->residual, at->error, at->curvature, out);
    }
    return sum;
}
