// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A guess that meets the limits, such as the plan of another method, is kept beside the solve and replaces a worse result
// (theory 7). Guess and result are compared under the law of the model, by the cost without penalties. Cost: one simulation before
// a solve and one evaluation of all knots after it.

#include "trajopt/keep.h"

#include "trajopt/augmented.h"

#include <math.h>

// returns whether a simulated trajectory keeps all limits, each within its tolerance; *cost is the cost without penalties
static bool keeps_limits(trx_plan *p, const trxi_trajectory *t, double *cost)
{
    const trxi_rollout *r = &p->rollout;
    p->cost.controls = p->limited.controls = t->u;
    *cost = 0;
    trxi_limit_results_reset(&p->limits, p->physical_limits);
    for (int k = 0; k <= r->steps; k++) {
        const double *x = t->x + r->nstate * k, *u = k < r->steps ? t->u + r->nu * k : NULL;
        trxi_limit_results_raise(&p->limits, &p->limited, k, x, u, p->physical_limits);
        *cost += trxi_cost_value(&p->cost, k, x, u);
    }
    trxi_limit_results_conclude(&p->limits, isfinite(*cost), p->physical_limits);
    return !trxi_limit_results_worst(p->limits.count, p->physical_limits);
}

void trxi_keep_guess(trx_plan *p)
{
    trxi_trajectory *kept = &p->kept;
    double cost;
    kept->cost = INFINITY;
    if (p->limits.count == 0 || !p->guess_is_warm || p->limits_are_warm || p->method->keeps_limits) return;
    if (trxi_stage_apply_model(p) < 0) return;
    trxi_trajectory_copy(&p->rollout, p->work.current, kept);
    kept->cost = INFINITY;
    if (trxi_rollout_controls(&p->rollout, true, INFINITY, kept, NULL) < 0 || !keeps_limits(p, kept, &cost)) {
        kept->cost = INFINITY;
        return;
    }
    kept->cost = cost;
    trxi_augmented_hold(&p->limits, cost);
}

void trxi_keep_better(trx_plan *p)
{
    trxi_trajectory *found = p->work.current;
    double cost;
    if (!isfinite(p->kept.cost)) return;
    if (trxi_stage_apply_model(p) < 0 || (keeps_limits(p, found, &cost) && cost <= p->kept.cost)) return;
    trxi_trajectory_copy(&p->rollout, &p->kept, found);
    p->work.policy.ocp = NULL;
}
