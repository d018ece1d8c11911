// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Access to parts of a plan (theory 7), for tests, benchmarks and other optimizers: the cost of a knot and its expansion, the
// residual of a term, the contacts of a knot, and the time that each part of an iteration takes.

#include "trajopt/plan.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

static const double SMALLEST_SHARE = 1.0 / 64; // smallest step length of the timed line search [1]

// checks the arguments of trx_plan_cost and trx_plan_residual
static trx_status check_knot(trx_plan *plan, int knot, const double *x, const double *u)
{
    if (!plan) return TRX_ERR_ARGUMENT;
    trxi_begin(plan->context);
    int steps = plan->rollout.steps;
    if (knot < 0 || knot > steps)
        return trxi_fail(plan->context, TRX_ERR_ARGUMENT, "knot %d is not in 0 .. %d", knot, steps);
    if (!x || (!u && knot < steps)) return trxi_fail(plan->context, TRX_ERR_ARGUMENT, "x or u is NULL");

    // contact forces follow the physical law
    return plan->cost.forces ? trxi_stage_apply_model(plan) : TRX_OK;
}

// copies a lower triangle to a full matrix, unless `full` is NULL
static void copy_symmetric(int n, const double *lower, double *full)
{
    for (int j = 0; full && j < n; j++)
        for (int i = j; i < n; i++) full[i + j * n] = full[j + i * n] = lower[i + j * n];
}

trx_status trx_plan_cost(trx_plan *plan, int knot, const double *x, const double *u, double *cost, double *l_x,
                         double *l_u, double *l_xx, double *l_ux, double *l_uu)
{
    trx_status status = check_knot(plan, knot, x, u);
    if (status < 0) return status;
    if (!l_x && !l_u && !l_xx && !l_ux && !l_uu) {
        if (cost) *cost = trxi_cost_value(&plan->cost, knot, x, u);
        return TRX_OK;
    }
    size_t nx = (size_t)plan->rollout.nx, nu = (size_t)plan->rollout.nu;
    trxi_riccati *work = &plan->work.riccati;
    trxi_expansion out = {.l_x = work->V_x, .l_xx = work->Q, .l_u = work->Q_uuk, .l_uu = work->Q_uu, .l_xu = work->left};
    double value = trxi_cost_expand(&plan->cost, knot, x, u, &out);
    if (cost) *cost = value;
    if (l_x) memcpy(l_x, out.l_x, nx * sizeof(double));
    if (l_u) memcpy(l_u, out.l_u, nu * sizeof(double));
    if (l_ux) trxi_transpose((int)nx, (int)nu, out.l_xu, (int)nx, l_ux, (int)nu);
    copy_symmetric((int)nx, out.l_xx, l_xx);
    copy_symmetric((int)nu, out.l_uu, l_uu);
    return TRX_OK;
}

trx_status trx_plan_residual(trx_plan *plan, int term, int knot, const double *x, const double *u, double *residual)
{
    trx_status status = check_knot(plan, knot, x, u);
    if (status < 0) return status;
    if (term < 0 || term >= plan->cost.nterm || !residual)
        return trxi_fail(plan->context, TRX_ERR_ARGUMENT, "there is no cost term %d", term);
    const trx_quantity quantity = plan->cost.terms[term].quantity;
    if (knot == plan->rollout.steps && quantity == TRX_CONTACT_FORCE)
        return trxi_fail(plan->context, TRX_ERR_ARGUMENT, "no step begins at the last knot: contact forces have no value there");
    if (!u && quantity == TRX_CONTROL) return trxi_fail(plan->context, TRX_ERR_ARGUMENT, "u is NULL");
    trxi_cost_residual(&plan->cost, term, knot, x, u, residual);
    return TRX_OK;
}

int trx_plan_contacts(trx_plan *plan, int knot, const trx_contact **contacts)
{
    if (!plan) return TRX_ERR_ARGUMENT;
    trxi_begin(plan->context);
    const trxi_rollout *r = &plan->rollout;
    if (!contacts) return trxi_fail(plan->context, TRX_ERR_ARGUMENT, "trx_plan_contacts: no place for the contacts");
    if (knot < 0 || knot > r->steps)
        return trxi_fail(plan->context, TRX_ERR_ARGUMENT, "knot %d is not in 0 .. %d", knot, r->steps);
    if (!plan->solved) return trxi_fail(plan->context, TRX_ERR_NO_STEP, "trx_plan_contacts: there is no result before a solve");

    // repeat the step of the replay; the last knot has no controls
    const double *u = plan->u + r->nu * (knot < r->steps ? knot : knot - 1);
    trx_status status = trxi_stage_apply_model(plan);
    if (status < 0) return status;
    const trx_step_input input = {.time = trxi_rollout_time(r, knot), .x = plan->x + r->nstate * knot, .u = u};
    if ((status = trx_step_from(plan->sim, &input, NULL)) < 0) return status;
    return trx_sim_contacts(plan->sim, contacts);
}

trx_status trx_plan_measure(trx_plan *plan, trx_plan_timing *timing)
{
    if (!plan) return TRX_ERR_ARGUMENT;
    trxi_begin(plan->context);
    if (!timing) return trxi_fail(plan->context, TRX_ERR_ARGUMENT, "trx_plan_measure: no place for the times");
    trxi_workspace *w = &plan->work;
    trxi_rollout *r = &plan->rollout;
    const double mu = plan->method->info(plan->solver).regularization;
    const double t0 = trx_clock();
    trx_status status = trxi_rollout_controls(r, false, INFINITY, w->current, NULL);
    const double t1 = trx_clock();
    if (status >= 0) status = trxi_rollout_linearize(r, w->current, &w->ocp);
    const double t2 = trx_clock();
    if (status >= 0) status = trxi_rollout_controls(r, false, INFINITY, w->current, &w->ocp);
    const double t3 = trx_clock();
    if (status < 0) return status;
    if (!trxi_workspace_sweep(w, mu, false))
        return trxi_fail(plan->context, TRX_ERR_NOT_PD, "trx_plan_measure: Q_uu is not positive definite");
    *timing = (trx_plan_timing){.rollout = t1 - t0, .linearize = t2 - t1, .at_once = t3 - t2, .backward = trx_clock() - t3,
                                .search = NAN};

    // use the damping of the last accepted step; a large step length may still fail
    for (double alpha = 1; alpha >= SMALLEST_SHARE && isnan(timing->search); alpha *= 0.5) {
        const double t4 = trx_clock();
        status = trxi_rollout_policy(r, w->current, &w->policy, alpha, INFINITY, w->trial, NULL);
        if (status >= 0) timing->search = trx_clock() - t4;
    }
    return TRX_OK;
}
