// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The method of multipliers for the limits of a plan (theory 7), around any method that minimizes a cost:
//
//     repeat   minimize the augmented Lagrangian of limits.c, at first roughly
//              y <- rho s                            at every knot, for every component
//              rho <- 10 rho                         for components that have not come closer to optimality
//     until    every |rho s - y| / rho is within the tolerance of its limit
//
// A method that keeps limits itself minimizes once; all multipliers and penalties stay 0.
//
// |rho s - y| / rho is the larger of the violation and of min(y / rho, slack). It is 0 if the limit is met and the multiplier of
// an inactive limit is 0. Each update of multipliers is a step of the proximal point method on the dual problem, with the step
// length rho. The damping of the method is the proximal term in x and u.
//
// The first minimization has no penalties. The first penalties follow from its cost and its violations, so that the penalty of
// the violations is comparable to the cost. A violation of less than a hundredth of the limit's range counts as a hundredth.
//
// A trajectory that keeps its limits has penalties from the start (trxi_augmented_hold), as large as for a violation of a
// hundredth of the range. Without penalties the first minimization leaves the limits, and through contact it seldom returns.

#include "trajopt/augmented.h"

#include <math.h>

static const double FIRST_TOLERANCE = 1e-3; // relative decrease of the cost in the first minimization [1]
static const double RAISE = 10;             // factor of a penalty that rises [1]
static const double CLOSER = 0.25;          // a penalty rises unless the distance falls below this share of the last one [1]
static const double SMALLEST_SHARE = 1e-2;  // smallest violation that a first penalty counts, as a share of the range [1]
static const double SMALLEST_COST = 1e-12;  // least size of the cost for first penalties
static const double MOST_PENALTY = 1e9;     // largest penalty / first penalty [1]
enum { MOST_ROUNDS = 40 };

static bool goes_on(trx_status status)
{
    return status == TRX_OK || status == TRX_STALLED;
}

// ---- penalties ----

// half of the distance between the bounds, or the size of the only bound
static double range(const trxi_plan_limit *limit, int i)
{
    const double lower = limit->lower[i], upper = limit->upper[i];
    if (isfinite(lower) && isfinite(upper) && upper > lower) return 0.5 * (upper - lower);
    const double size = isfinite(lower) ? fabs(lower) : fabs(upper);
    return isfinite(size) && size > 0 ? size : 1;
}

// size of the cost for first penalties: the cost of the current trajectory, but at least a hundredth of the cost of all controls at
// their limits (of controls 1 without limits)
static double size_of_cost(const trxi_minimization *m)
{
    const trxi_rollout *r = m->work->rollout;
    double effort = 0;
    for (int k = 0; k < r->steps; k++)
        for (int i = 0; i < r->nu; i++) {
            const double most = fmax(fabs(r->u_lower[i]), fabs(r->u_upper[i])), u = isfinite(most) ? most : 1;
            effort += 0.5 * m->work->ocp.stages[k].R[i + i * r->nu] * u * u;
        }
    return fmax(fmax(fabs(m->work->current->cost), 1e-2 * effort), SMALLEST_COST);
}

// adds the squares of the violations at a knot
static void add_squares(const trxi_plan_limit *limit, const double *r, double *squares)
{
    for (int i = 0; i < limit->term.dim; i++) {
        const double excess = trxi_limit_excess(limit, i, r[i]);
        squares[i] += excess * excess;
    }
}

static void set_penalty(const trxi_plan_limit *limit, int i, double first)
{
    limit->penalty[i] = first;
    limit->most_penalty[i] = MOST_PENALTY * first;
}

// the first penalties of limits that have none
static void choose_penalties(const trxi_minimization *m)
{
    const double cost = size_of_cost(m);
    const trxi_rollout *r = m->work->rollout;
    const trxi_trajectory *t = m->work->current;
    r->cost->controls = t->u;
    for (int i = 0; i < m->limits->count; i++) {
        const trxi_plan_limit *limit = &m->limits->limits[i];
        if (limit->penalty[0] > 0) continue;
        for (int k = limit->first_free; k <= limit->last; k++) {
            const trxi_knot at = trxi_cost_knot(r->cost, k, t->x + r->nstate * k, t->u + r->nu * k);
            trxi_limit_residual(limit, &at, at.residual);
            add_squares(limit, at.residual, limit->penalty);
        }
        for (int j = 0; j < limit->term.dim; j++) {
            const double size = range(limit, j), least = SMALLEST_SHARE * size;
            const double square = limit->penalty[j] > 0 ? fmin(limit->penalty[j], size * size) : size * size;
            set_penalty(limit, j, cost / fmax(square, least * least));
        }
    }
}

void trxi_augmented_hold(const trxi_limit_set *limits, double cost)
{
    for (int i = 0; i < limits->count; i++)
        for (int j = 0; j < limits->limits[i].term.dim; j++) {
            const double least = SMALLEST_SHARE * range(&limits->limits[i], j);
            set_penalty(&limits->limits[i], j, fmax(fabs(cost), SMALLEST_COST) / (least * least));
        }
}

// ---- multipliers ----

// y <- rho s of a limit at a knot; raises `now` to the distances from optimality; returns whether the knot exceeds the bounds
static bool update_multipliers(const trxi_plan_limit *limit, const trxi_knot *at, double *now)
{
    double *y = trxi_limit_multiplier(limit, at->knot);
    bool exceeded = false;
    trxi_limit_residual(limit, at, at->residual);
    for (int i = 0; i < limit->term.dim; i++) {
        exceeded = exceeded || trxi_limit_excess(limit, i, at->residual[i]) > limit->tolerance;
        const double rho = limit->penalty[i], z = at->residual[i] + y[i] / rho;
        const double next = rho * (z - fmin(fmax(z, limit->lower[i]), limit->upper[i]));
        now[i] = fmax(now[i], fabs(next - y[i]) / rho);
        y[i] = next;
    }
    return exceeded;
}

// raises the penalties of components that have not come closer; returns the largest distance in tolerances
static double update_penalties(const trxi_plan_limit *limit, const double *now, double accuracy)
{
    double worst = 0;
    for (int i = 0; i < limit->term.dim; i++) {
        const double distance = now[i] / limit->tolerance;
        if (distance > accuracy && now[i] > CLOSER * limit->distance[i] && limit->penalty[i] < limit->most_penalty[i])
            limit->penalty[i] *= RAISE;
        limit->distance[i] = now[i];
        worst = fmax(worst, distance);
    }
    return worst;
}

// - sum of y^2 / (2 rho)
static double offset(const trxi_plan_limit *limit)
{
    double sum = 0;
    for (int k = limit->first_free; k <= limit->last; k++) {
        const double *y = trxi_limit_multiplier(limit, k);
        for (int i = 0; i < limit->term.dim; i++) sum -= y[i] * y[i] / (2 * limit->penalty[i]);
    }
    return sum;
}

static void cost_of_current(const trxi_minimization *m)
{
    const trxi_rollout *r = m->work->rollout;
    trxi_trajectory *t = m->work->current;
    r->cost->controls = t->u;
    t->cost = trxi_cost_offset(r->cost);
    for (int k = 0; k <= r->steps; k++)
        t->cost += trxi_cost_value(r->cost, k, t->x + r->nstate * k, t->u + r->nu * k);
}

// one update of multipliers and penalties along the current trajectory; returns the largest distance in tolerances
static double update(const trxi_minimization *m)
{
    const trxi_rollout *r = m->work->rollout;
    const trxi_trajectory *t = m->work->current;
    double worst = 0;
    choose_penalties(m);
    r->cost->controls = t->u;
    m->limits->offset = 0;
    for (int i = 0; i < m->limits->count; i++) {
        trxi_plan_limit *limit = &m->limits->limits[i];
        double *now = limit->now;
        int exceeded = 0;
        for (int j = 0; j < limit->term.dim; j++) now[j] = 0;
        for (int k = limit->first_free; k <= limit->last; k++) {
            const trxi_knot at = trxi_cost_knot(r->cost, k, t->x + r->nstate * k, t->u + r->nu * k);
            exceeded += update_multipliers(limit, &at, now);
        }
        if (exceeded > limit->most_exceeded) limit->most_exceeded = exceeded;
        worst = fmax(worst, update_penalties(limit, now, m->limit_accuracy));
        m->limits->offset += offset(limit);
    }
    cost_of_current(m);
    return worst;
}

// an update in the journal of the solve
typedef struct journal_update {
    trxi_minimization *m;
    double worst;
} journal_update;

static void visit_update(trxi_visitor *visitor, void *object)
{
    journal_update *u = object;
    trxi_limit_set_visit(visitor, u->m->limits);
    TRXI_VISIT(visitor, u->m->work->current->cost);
    TRXI_VISIT(visitor, u->worst);
}

// updates, or reads the record of the update. A resumed solve cannot repeat an update: the first penalties need the program of the
// previous minimization, which is not in its record
static double update_once(trxi_minimization *m)
{
    journal_update u = {.m = m};
    if (m->journal && trxi_journal_recall(m->journal, TRXI_RECORD_LIMITS, visit_update, &u)) return u.worst;
    u.worst = update(m);
    if (m->journal) trxi_journal_keep(m->journal, TRXI_RECORD_LIMITS, visit_update, &u);
    return u.worst;
}

// tolerance of the next minimization. If a minimization ends at once, the change of its multipliers has no effect, and the next
// change would be the same; the tolerance may then fall below the tolerance of the stage
static double next_tolerance(double now, double final, bool kept, bool idle)
{
    if (kept) return fmin(now, final);
    if (idle) return 0.1 * now;
    return fmin(now, fmax(final, 0.1 * now));
}

trx_status trxi_augmented_minimize(trxi_minimization *m, trxi_origin origin)
{
    if (!m->limits || m->limits->count == 0 || m->method->keeps_limits) return trxi_minimize(m, origin);
    const double tolerance = m->tolerance;
    trx_status status = TRX_STALLED;
    m->tolerance = fmax(tolerance, FIRST_TOLERANCE);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        const bool rough = m->tolerance > tolerance;
        const int before = m->done;
        status = trxi_minimize(m, round > 0 ? TRXI_POLICY : origin);
        if (!goes_on(status) || m->gave_up) break;
        const bool kept = update_once(m) <= m->limit_accuracy, idle = m->done - before < 2;
        if (kept && !rough) break;
        if (!kept && round == MOST_ROUNDS - 1) status = TRX_STALLED;
        m->tolerance = next_tolerance(m->tolerance, tolerance, kept, idle);
    }
    m->tolerance = tolerance;
    return status;
}
