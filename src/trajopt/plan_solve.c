// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A solve (theory 8): stage after stage, each warm-started by the last, then the replays that judge the result;
// and the single pieces of it that tests and benchmarks ask for.

#include "trajopt/plan.h"

#include <math.h>
#include <string.h>

static const double LOST_RATIO = 1.5;       // cost at the end of a stage / of the last one [1]
static const double LOST_SHARE = 0.01;     // of the decrease since the guess [1]
static const double PART_TOLERANCE = 1e-3; // of minima on the way between two stages [1]
static const double SMALLEST_SHARE = 1.0 / 64; // of the step that is measured [1]
enum { MAX_ATTEMPTS = 10 };                // minimizations of one stage

// the limits of one stage
static void start_stage(trx_plan *p, int stage, double start, trx_plan_callback callback, void *user)
{
    const trx_stage *s = &p->stages[stage];
    trxi_ilqr *ilqr = &p->ilqr;
    ilqr->stage = stage;
    ilqr->iterations = s->iterations > 0 ? s->iterations : p->settings.iterations;
    ilqr->tolerance = isnan(s->tolerance) ? p->settings.tolerance : s->tolerance;
    ilqr->start_time = start;
    ilqr->deadline = start + p->settings.time_limit;
    ilqr->callback = callback;
    ilqr->user = user;
    ilqr->mu = 0;
    ilqr->before = 0;
    memset(ilqr->policy.k, 0, (size_t)p->rollout.nu * (size_t)p->rollout.steps * sizeof(double));
    for (int i = 0; i < p->rollout.nu; i++) ilqr->scale[i] = 1;
}

// the next stage starts whatever the last one ended in, unless it failed or the solve is to end
static bool goes_on(trx_status status)
{
    return status == TRX_OK || status == TRX_STALLED || status == TRX_ITERATION_LIMIT;
}

// ---- one stage ----

// the trajectory and its gains, to come back to
static void save(trx_plan *p)
{
    const trxi_rollout *r = &p->rollout;
    size_t nu = (size_t)r->nu, steps = (size_t)r->steps;
    memcpy(p->saved.x, p->ilqr.current->x, (size_t)r->nstate * (steps + 1) * sizeof(double));
    memcpy(p->saved.u, p->ilqr.current->u, nu * steps * sizeof(double));
    memcpy(p->saved_K, p->ilqr.policy.K, nu * (size_t)r->nx * steps * sizeof(double));
    p->saved.cost = p->ilqr.current->cost;
}

static void restore(trx_plan *p)
{
    const trxi_rollout *r = &p->rollout;
    size_t nu = (size_t)r->nu, steps = (size_t)r->steps;
    memcpy(p->ilqr.current->x, p->saved.x, (size_t)r->nstate * (steps + 1) * sizeof(double));
    memcpy(p->ilqr.current->u, p->saved.u, nu * steps * sizeof(double));
    memcpy(p->ilqr.policy.K, p->saved_K, nu * (size_t)r->nx * steps * sizeof(double));
    p->ilqr.current->cost = p->saved.cost;
    p->ilqr.mu = 0;
}

// Whether what the last stage reached is gone: a contact that the new law opened, say, whose gradient is then zero.
static bool is_lost(const trx_plan *p)
{
    double reached = p->saved.cost, now = p->ilqr.current->cost;
    return now > LOST_RATIO * fabs(reached) && now - reached > LOST_SHARE * (p->guess_cost - reached);
}

// a minimum under the law that lies at `part` of the way from the last stage to this one
static trx_status minimize_part(trx_plan *p, int stage, double part)
{
    trxi_ilqr *ilqr = &p->ilqr;
    double tolerance = ilqr->tolerance;
    trx_status status = trxi_stage_apply_between(p, &p->stages[stage - 1], &p->stages[stage], part);
    if (status < 0) return status;
    if (part < 1) ilqr->tolerance = fmax(tolerance, PART_TOLERANCE);
    status = trxi_ilqr_minimize(ilqr, true);
    ilqr->tolerance = tolerance;
    ilqr->before += ilqr->done;
    return status;
}

// From the last stage to this one at once if that keeps what was reached, else in parts, each half of what failed.
static trx_status minimize_next(trx_plan *p, int stage)
{
    double reached = 0, part = 1;
    save(p);
    for (int attempt = 1;; attempt++) {
        trx_status status = minimize_part(p, stage, part);
        if (!goes_on(status)) return status;
        if (attempt < MAX_ATTEMPTS && is_lost(p)) {
            restore(p);
            part = 0.5 * (reached + part);
            continue;
        }
        if (part == 1) return status;
        reached = part;
        part = 1;
        save(p);
    }
}

static trx_status minimize_first(trx_plan *p)
{
    trx_status status = trxi_stage_apply(p, &p->stages[0]);
    if (status >= 0) status = trxi_ilqr_minimize(&p->ilqr, false);
    p->guess_cost = p->ilqr.first_cost;
    p->ilqr.before = p->ilqr.done;
    return status;
}

static trx_status run_stage(trx_plan *p, int stage, double start, trx_plan_callback callback, void *user)
{
    double began = trx_clock();
    start_stage(p, stage, start, callback, user);
    trx_status status = stage > 0 ? minimize_next(p, stage) : minimize_first(p);
    p->stage_info[stage] = (trx_stage_info){
        .cost = p->ilqr.current->cost, .iterations = p->ilqr.before, .seconds = trx_clock() - began, .status = status};
    p->info.iterations += p->ilqr.before;
    return status;
}

static void start_solve(trx_plan *p)
{
    size_t controls = (size_t)p->rollout.nu * (size_t)p->rollout.steps;
    memcpy(p->ilqr.current->u, p->u_guess, controls * sizeof(double));
    memset(p->stage_info, 0, (size_t)p->nstage * sizeof *p->stage_info);
    p->info.iterations = 0;
    p->message[0] = '\0';
}

trx_status trx_plan_solve(trx_plan *plan, trx_plan_callback callback, void *user)
{
    if (!plan) return TRX_ERR_ARGUMENT;
    double start = trx_clock();
    trx_status status = TRX_OK;
    start_solve(plan);
    for (int stage = 0; stage < plan->nstage && goes_on(status); stage++)
        status = run_stage(plan, stage, start, callback, user);
    if (status < 0) trxi_plan_explain_failure(plan, status);

    // judge what there is, whatever the outcome
    trxi_plan_replay(plan);
    if (status >= 0) trxi_plan_diagnose(plan, status);
    plan->info.status = status;
    plan->info.cost = plan->info.physical.cost;
    plan->info.seconds = trx_clock() - start;
    return status < 0 ? trxi_fail(plan->context, status, "%s", plan->message) : status;
}

// arguments of the two evaluations of one knot
static trx_status check_knot(trx_plan *plan, int knot, const double *x, const double *u)
{
    if (!plan) return TRX_ERR_ARGUMENT;
    int steps = plan->rollout.steps;
    if (knot < 0 || knot > steps)
        return trxi_fail(plan->context, TRX_ERR_ARGUMENT, "knot %d is not in 0 .. %d", knot, steps);
    if (!x || (!u && knot < steps)) return trxi_fail(plan->context, TRX_ERR_ARGUMENT, "x or u is NULL");
    return TRX_OK;
}

// full matrix from a lower triangle; NULL when not wanted
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
    size_t nx = (size_t)plan->rollout.nx, nu = (size_t)plan->rollout.nu;
    trxi_backward *work = &plan->ilqr.backward;
    trxi_expansion out = {.l_x = work->V_x, .l_xx = work->Q, .l_u = work->Q_uuk, .l_uu = work->Q_uu};
    double value = trxi_cost_expand(&plan->cost, knot, x, u, &out);
    if (cost) *cost = value;
    if (l_x) memcpy(l_x, out.l_x, nx * sizeof(double));
    if (l_u) memcpy(l_u, out.l_u, nu * sizeof(double));
    if (l_ux) memset(l_ux, 0, nu * nx * sizeof(double));
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
    if (!u && plan->cost.terms[term].quantity == TRX_CONTROL)
        return trxi_fail(plan->context, TRX_ERR_ARGUMENT, "u is NULL");
    trxi_cost_residual(&plan->cost, term, knot, x, u, residual);
    return TRX_OK;
}

trx_status trx_plan_measure(trx_plan *plan, trx_plan_timing *timing)
{
    if (!plan || !timing) return TRX_ERR_ARGUMENT;
    trxi_ilqr *s = &plan->ilqr;
    trxi_rollout *r = &plan->rollout;
    const double t0 = trx_clock();
    trx_status status = trxi_rollout_controls(r, false, s->current, NULL);
    const double t1 = trx_clock();
    if (status >= 0) status = trxi_rollout_linearize(r, s->current, &s->lq);
    const double t2 = trx_clock();
    if (status >= 0) status = trxi_rollout_controls(r, false, s->current, &s->lq);
    const double t3 = trx_clock();
    if (status < 0) return status;
    if (!trxi_backward_sweep(&s->lq, s->mu_used, s->scale, &s->backward, &s->policy)) return TRX_ERR_NOT_PD;
    *timing = (trx_plan_timing){.rollout = t1 - t0, .linearize = t2 - t1, .at_once = t3 - t2, .backward = trx_clock() - t3,
                                .search = NAN};

    // damped as the last step that was accepted; a large share may lead anywhere all the same
    for (double alpha = 1; alpha >= SMALLEST_SHARE && isnan(timing->search); alpha *= 0.5) {
        const double t4 = trx_clock();
        status = trxi_rollout_policy(r, s->current, &s->policy, alpha, INFINITY, s->trial, NULL);
        if (status >= 0) timing->search = trx_clock() - t4;
    }
    return TRX_OK;
}
