// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Changes between two solves of one plan (theory 7): start, guess, targets, friction, and a shift of the result by some knots for
// a receding horizon. Everything is checked before anything changes, and nothing allocates memory.

#include "trajopt/plan.h"

#include "math/dense.h"
#include "math/rotation.h"

#include <math.h>
#include <string.h>

// ---- start ----

static void normalize_quaternions(const trx_model *model, double *x)
{
    for (int i = 0; i < model->nlink; i++)
        if (model->links[i].type == TRXI_BALL) trxi_quat_normalize(x + model->links[i].q);
}

void trxi_plan_keep_start(trx_plan *plan, const double *x0, double time)
{
    trxi_rollout *r = &plan->rollout;
    memmove(r->x0, x0, (size_t)r->nstate * sizeof(double));
    normalize_quaternions(plan->model, r->x0);
    r->start_time = plan->cost.start_time = plan->limited.start_time = time;
    for (int i = 0; i < plan->team.size - 1; i++) {
        plan->team.members[i].rollout.start_time = time;
        plan->team.members[i].cost.start_time = time;
    }
}

trx_status trx_plan_set_start(trx_plan *plan, const double *x0, double time)
{
    if (!plan) return TRX_ERR_ARGUMENT;
    trxi_begin(plan->context);
    trx_status status = trxi_plan_check_start(plan->context, plan->model, x0);
    if (status < 0) return status;
    if (!isfinite(time)) return trxi_fail(plan->context, TRX_ERR_NOT_FINITE, "the start time is not finite");
    trxi_plan_keep_start(plan, x0, time);
    return TRX_OK;
}

// ---- guess ----

void trxi_plan_keep_controls(trx_plan *plan, const double *u)
{
    const trxi_rollout *r = &plan->rollout;
    for (int i = 0; i < r->nu * r->steps; i++)
        plan->u_guess[i] = fmin(fmax(u ? u[i] : 0, r->u_lower[i % r->nu]), r->u_upper[i % r->nu]);
}

void trxi_plan_keep_states(trx_plan *plan, const double *x)
{
    const trxi_rollout *r = &plan->rollout;
    plan->guess_is_warm = x != NULL;
    if (!x) return;
    memcpy(plan->x_guess, x, (size_t)r->nstate * (size_t)(r->steps + 1) * sizeof *x);
    memset(plan->K_guess, 0, plan->work.ocp.gains * sizeof *plan->K_guess);
    for (int k = 0; k <= r->steps; k++) normalize_quaternions(plan->model, plan->x_guess + r->nstate * k);
}

trx_status trx_plan_set_guess(trx_plan *plan, const double *u, const double *x)
{
    if (!plan) return TRX_ERR_ARGUMENT;
    trxi_begin(plan->context);
    const trxi_rollout *r = &plan->rollout;
    if (u && !trxi_all_finite(r->nu * r->steps, u))
        return trxi_fail(plan->context, TRX_ERR_NOT_FINITE, "the controls of the guess are not finite");
    trx_status status = x ? trxi_plan_check_states(plan->context, plan->model, r->steps, x) : TRX_OK;
    if (status < 0) return status;
    trxi_plan_keep_controls(plan, u);
    trxi_plan_keep_states(plan, x);
    plan->limits_are_warm = false;
    return TRX_OK;
}

// ---- targets ----

trx_status trx_plan_set_target(trx_plan *plan, int term, const double *target, int stride)
{
    if (!plan) return TRX_ERR_ARGUMENT;
    trxi_begin(plan->context);
    if (term < 0 || term >= plan->cost.nterm)
        return trxi_fail(plan->context, TRX_ERR_ARGUMENT, "there is no cost term %d", term);
    if (!target) return trxi_fail(plan->context, TRX_ERR_ARGUMENT, "the target is NULL");
    const trxi_term *t = &plan->cost.terms[term];
    if (stride > 0 && t->target_stride == 0)
        return trxi_fail(plan->context, TRX_ERR_ARGUMENT, "cost term %d (%s) was made with one target for all knots", term,
                         t->name);
    const trx_cost_term asked = {
        .name = t->name, .quantity = t->quantity, .njoint = t->dim, .dimension = t->dim, .target = target, .target_stride = stride};
    trx_status status = trxi_plan_check_target(plan->context, plan->model, &asked, term, plan->rollout.steps);
    if (status < 0) return status;
    trxi_cost_set_target(&plan->cost, term, target, stride);
    for (int i = 0; i < plan->team.size - 1; i++) trxi_cost_set_target(&plan->team.members[i].cost, term, target, stride);
    return TRX_OK;
}

// ---- friction ----

void trxi_plan_scale_friction(trx_plan *plan, const double *factors)
{
    memcpy(plan->friction, factors, (size_t)plan->model->npair * sizeof *factors);
}

// ---- shift ----

// shifts `count` items of `size` numbers: item k takes the values of item k + knots; the last item is repeated
static void shift(double *items, size_t size, int count, int knots)
{
    const int kept = count > knots ? count - knots : 1, first = count - kept;
    memmove(items, items + size * (size_t)first, (size_t)kept * size * sizeof *items);
    for (int k = kept; k < count; k++)
        memcpy(items + size * (size_t)k, items + size * (size_t)(kept - 1), size * sizeof *items);
}

trx_status trx_plan_shift(trx_plan *plan, int knots)
{
    if (!plan) return TRX_ERR_ARGUMENT;
    trxi_begin(plan->context);
    trxi_rollout *r = &plan->rollout;
    if (!plan->solved) return trxi_fail(plan->context, TRX_ERR_NO_STEP, "trx_plan_shift: there is no result before a solve");
    if (knots < 0 || knots > r->steps)
        return trxi_fail(plan->context, TRX_ERR_ARGUMENT, "a shift by %d knots is not in 0 .. %d", knots, r->steps);
    const size_t nstate = (size_t)r->nstate, nx = (size_t)r->nx, nu = (size_t)r->nu;
    shift(plan->x, nstate, r->steps + 1, knots);
    shift(plan->u, nu, r->steps, knots);
    shift(plan->K, nu * nx, r->steps, knots);
    shift(plan->A, nx * nx, r->steps, knots);
    shift(plan->B, nx * nu, r->steps, knots);

    // the result becomes the guess
    trxi_limit_set_shift(&plan->limits, knots);
    memcpy(plan->u_guess, plan->u, plan->work.ocp.controls * sizeof(double));
    memcpy(plan->x_guess, plan->x, nstate * (size_t)(r->steps + 1) * sizeof(double));
    memcpy(plan->K_guess, plan->K, plan->work.ocp.gains * sizeof(double));
    plan->guess_is_warm = plan->limits_are_warm = true;
    trxi_plan_keep_start(plan, plan->x, trxi_rollout_time(r, knots));
    return TRX_OK;
}

// ---- number of knots ----

// repeats the last of `from` items up to `to` items; does nothing if there are enough
static void extend(double *items, size_t size, int from, int to)
{
    for (int k = from; k < to; k++) memcpy(items + size * (size_t)k, items + size * (size_t)(from - 1), size * sizeof *items);
}

void trxi_plan_continue_guess(trx_plan *plan, int knot, int count, const double *x, const double *u, const double *K)
{
    const trxi_rollout *r = &plan->rollout;
    const size_t at = (size_t)knot, n = (size_t)count, nstate = (size_t)r->nstate, nx = (size_t)r->nx, nu = (size_t)r->nu;
    memcpy(plan->x_guess + nstate * at, x, nstate * (n + 1) * sizeof *x);
    memcpy(plan->u_guess + nu * at, u, nu * n * sizeof *u);
    memcpy(plan->K_guess + nu * nx * at, K, nu * nx * n * sizeof *K);
    plan->guess_is_warm = true;
}

void trxi_plan_repeat_guess(trx_plan *plan, int knot)
{
    const trxi_rollout *r = &plan->rollout;
    extend(plan->x_guess, (size_t)r->nstate, knot + 1, r->steps + 1);
    extend(plan->u_guess, (size_t)r->nu, knot, r->steps);
    extend(plan->K_guess, (size_t)(r->nu * r->nx), knot, r->steps);
}

static void set_steps(trx_plan *plan, int steps)
{
    plan->rollout.steps = plan->work.ocp.steps = plan->work.next.steps = steps;
    plan->cost.steps = plan->limited.steps = steps;
    for (int i = 0; i < plan->team.size - 1; i++)
        plan->team.members[i].rollout.steps = plan->team.members[i].cost.steps = steps;
}

trx_status trx_plan_set_steps(trx_plan *plan, int steps)
{
    if (!plan) return TRX_ERR_ARGUMENT;
    trxi_begin(plan->context);
    if (steps < 1 || steps > plan->most_steps)
        return trxi_fail(plan->context, TRX_ERR_ARGUMENT, "%d steps are not in 1 .. %d", steps, plan->most_steps);
    const trxi_rollout *r = &plan->rollout;
    const size_t nstate = (size_t)r->nstate, nx = (size_t)r->nx, nu = (size_t)r->nu;
    double *const states[] = {plan->x, plan->x_guess}, *const controls[] = {plan->u, plan->u_guess};
    double *const gains[] = {plan->K, plan->K_guess};
    for (int i = 0; i < 2; i++) {
        extend(states[i], nstate, r->steps + 1, steps + 1);
        extend(controls[i], nu, r->steps, steps);
        extend(gains[i], nu * nx, r->steps, steps);
    }
    extend(plan->A, nx * nx, r->steps, steps);
    extend(plan->B, nx * nu, r->steps, steps);
    trxi_limit_set_use_steps(&plan->limits, steps);
    set_steps(plan, steps);
    return TRX_OK;
}

int trx_plan_get_steps(const trx_plan *plan)
{
    return plan->rollout.steps;
}
