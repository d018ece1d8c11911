// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The worst violation of each limit of a plan over the knots of a trajectory (theory 7). O(knots times components).

#include "trajopt/limit_results.h"

#include "trajopt/quantities.h"

#include <math.h>

void trxi_limit_results_reset(const trxi_limit_set *set, trx_limit_result *results)
{
    for (int i = 0; i < set->count; i++) {
        const trxi_plan_limit *limit = &set->limits[i];
        results[i] = (trx_limit_result){
            .name = limit->term.name, .tolerance = limit->tolerance, .met = true, .knot = -1, .component = "", .unit = ""};
    }
}

// raises a result to the largest violation at a knot
static void raise(const trxi_plan_limit *limit, const trxi_knot *at, trx_limit_result *result)
{
    trxi_limit_residual(limit, at, at->residual);
    for (int i = 0; i < limit->term.dim; i++) {
        const double excess = trxi_limit_excess(limit, i, at->residual[i]);
        if (result->knot >= 0 && !(excess > result->violation)) continue;
        result->violation = excess;
        result->knot = at->knot;
        result->component = limit->term.dim > 1 ? trxi_term_component(at->model, &limit->term, i) : "";
        result->unit = trxi_term_unit(at->model, &limit->term, i);
    }
}

void trxi_limit_results_raise(const trxi_limit_set *set, trxi_cost *cost, int knot, const double *x, const double *u,
                              trx_limit_result *results)
{
    if (set->count == 0) return;
    const trxi_knot at = trxi_cost_knot(cost, knot, x, u);
    for (int i = 0; i < set->count; i++) {
        const trxi_plan_limit *limit = &set->limits[i];
        const bool has_value = at.u || !trxi_quantity_is(limit->term.quantity, TRXI_PER_STEP);
        if (has_value && trxi_limit_holds(limit, knot)) raise(limit, &at, &results[i]);
    }
}

void trxi_limit_results_conclude(const trxi_limit_set *set, bool complete, trx_limit_result *results)
{
    for (int i = 0; i < set->count; i++) {
        if (!complete) results[i].violation = INFINITY;
        if (!(results[i].violation > 0)) results[i].knot = -1;
        results[i].met = results[i].violation <= results[i].tolerance;
    }
}

const trx_limit_result *trxi_limit_results_worst(int count, const trx_limit_result *results)
{
    const trx_limit_result *worst = NULL;
    for (int i = 0; i < count; i++) {
        if (results[i].met) continue;
        if (!worst || results[i].violation / results[i].tolerance > worst->violation / worst->tolerance) worst = &results[i];
    }
    return worst;
}

static trx_status refuse(trx_context *context, const trxi_plan_limit *limit, const trx_limit_result *worst)
{
    return trxi_error_at(context, limit->source,
                         "limit of %s: the start violates it by %.6g %s%s%s: move the start, or widen the limit",
                         limit->term.name, worst->violation, worst->unit, *worst->component ? " in " : "", worst->component);
}

trx_status trxi_limits_check_start(trx_context *context, const trxi_limit_set *set, trxi_cost *cost, const double *x0)
{
    if (set->count == 0) return TRX_OK;
    trx_status status = TRX_OK;
    const trxi_knot at = trxi_cost_knot(cost, 0, x0, NULL);
    for (int i = 0; i < set->count; i++) {
        const trxi_plan_limit *limit = &set->limits[i];
        if (limit->first > 0 || limit->first_free == 0) continue;
        trx_limit_result worst = {.knot = -1, .component = "", .unit = ""};
        raise(limit, &at, &worst);
        if (worst.violation > limit->tolerance) status = refuse(context, limit, &worst);
    }
    return status;
}
