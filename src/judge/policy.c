// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Policies: controls and gains from knot to knot about an interpolated trajectory (theory 7, policies).

#include "judge/policy.h"

#include "base/arena.h"
#include "base/context.h"
#include "math/dense.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

static const double SAME_TIME = 1e-9; // share of a step: a time this near to a knot counts as the knot

struct trx_policy {
    trx_context *context;
    const trx_model *model;
    int steps, most_steps;
    double start_time, time_step, lead;
    bool feedback;
    double *x, *u, *K;                // as in trx_policy_def
    double *reference, *dx, *control; // scratch: nstate, ntangent, nu
};

// the position on the trajectory: the fraction `share` of the way from `knot` to the next knot
typedef struct place {
    int knot;
    double share;
} place;

// ---- life ----

trx_policy_def trx_policy_def_default(void)
{
    return (trx_policy_def){.size = sizeof(trx_policy_def)};
}

static void layout(trxi_arena *arena, const trx_model *model, const trx_policy_def *def, trx_policy **policy, trx_policy *p)
{
    const size_t steps = (size_t)def->steps, nu = (size_t)model->nu, nx = (size_t)model->nstate;
    *policy = TRXI_TAKE(arena, trx_policy, 1);
    p->x = TRXI_TAKE(arena, double, nx * (steps + 1));
    p->u = TRXI_TAKE(arena, double, nu * steps);
    p->K = TRXI_TAKE(arena, double, def->K ? nu * (size_t)model->ntangent * steps : 0);
    p->reference = TRXI_TAKE(arena, double, nx);
    p->dx = TRXI_TAKE(arena, double, model->ntangent);
    p->control = TRXI_TAKE(arena, double, nu);
}

static trx_status check(trx_context *context, const trx_model *model, const trx_policy_def *def)
{
    if (!model || !def) return trxi_fail(context, TRX_ERR_ARGUMENT, "a policy needs a model and arrays");
    trx_status status = trxi_check_size(context, def->size, sizeof *def, "trx_policy_def_default");
    if (status < 0) return status;
    if (def->steps < 1 || !(def->time_step > 0) || !isfinite(def->time_step) || !isfinite(def->start_time) || !def->x ||
        !def->u || !(def->lead >= 0) || !isfinite(def->lead))
        return trxi_fail(context, TRX_ERR_ARGUMENT,
                         "a policy needs steps, a finite positive time_step, states, controls and a finite lead of at least 0");
    const int nx = model->nstate * (def->steps + 1), nu = model->nu * def->steps;
    if (!trxi_all_finite(nx, def->x) || !trxi_all_finite(nu, def->u) ||
        (def->K && !trxi_all_finite(model->ntangent * nu, def->K)))
        return trxi_fail(context, TRX_ERR_NOT_FINITE, "a number of the policy is not finite");
    return TRX_OK;
}

static void fill(trx_policy *p, const trx_policy_def *def)
{
    const size_t steps = (size_t)def->steps, nu = (size_t)p->model->nu * steps;
    p->steps = def->steps;
    p->start_time = def->start_time;
    p->time_step = def->time_step;
    p->lead = def->lead;
    p->feedback = def->K != NULL;
    memcpy(p->x, def->x, (size_t)p->model->nstate * (steps + 1) * sizeof *p->x);
    memcpy(p->u, def->u, nu * sizeof *p->u);
    if (def->K) memcpy(p->K, def->K, nu * (size_t)p->model->ntangent * sizeof *p->K);
}

trx_status trx_policy_create(trx_context *context, const trx_model *model, const trx_policy_def *def, trx_policy **policy)
{
    if (!context) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    if (!policy) return trxi_fail(context, TRX_ERR_ARGUMENT, "trx_policy_create: no place for the policy");
    *policy = NULL;
    trx_status status = check(context, model, def);
    if (status < 0) return status;

    trx_policy p = {.context = context, .model = model, .most_steps = def->steps};
    trxi_arena arena = {0};
    layout(&arena, model, def, policy, &p);
    char *memory = trxi_allocate(context, arena.used);
    if (!memory) return TRX_ERR_MEMORY;
    arena = (trxi_arena){.base = memory};
    layout(&arena, model, def, policy, &p);
    fill(&p, def);
    **policy = p;
    return TRX_OK;
}

void trx_policy_destroy(trx_policy *policy)
{
    if (policy) trxi_release(policy->context, policy);
}

trx_status trx_policy_set(trx_policy *policy, const trx_policy_def *def)
{
    if (!policy) return TRX_ERR_ARGUMENT;
    trxi_begin(policy->context);
    trx_status status = check(policy->context, policy->model, def);
    if (status < 0) return status;
    if (def->steps > policy->most_steps || (def->K != NULL) != policy->feedback)
        return trxi_fail(policy->context, TRX_ERR_ARGUMENT, "trx_policy_set: the policy has room for %d steps, and %s gains",
                         policy->most_steps, policy->feedback ? "has" : "no");
    fill(policy, def);
    return TRX_OK;
}

const trx_model *trx_policy_model(const trx_policy *policy)
{
    return policy->model;
}

trx_policy_def trx_policy_get(const trx_policy *p)
{
    return (trx_policy_def){.size = sizeof(trx_policy_def), .steps = p->steps, .start_time = p->start_time,
                            .time_step = p->time_step, .x = p->x, .u = p->u, .K = p->feedback ? p->K : NULL,
                            .lead = p->lead};
}

// ---- evaluation ----

static place place_at(const trx_policy *p, double t)
{
    const double steps = (t - p->start_time) / p->time_step, knot = floor(steps + SAME_TIME);
    if (knot < 0) return (place){0, 0};
    if (knot >= p->steps) return (place){p->steps - 1, 1};
    return (place){(int)knot, steps - knot > SAME_TIME ? steps - knot : 0};
}

// x_k (+) share (x_(k+1) (-) x_k)
void trxi_policy_between(const trx_model *m, const double *x_k, double share, double *dx, double *x_plan)
{
    memcpy(x_plan, x_k, (size_t)m->nstate * sizeof *x_plan);
    if (share == 0) return;
    trx_model_difference_state(m, x_k + m->nstate, x_k, dx);
    for (int i = 0; i < m->ntangent; i++) dx[i] *= share;
    trx_model_integrate_state(m, x_k, dx, x_plan);
}

static double clamp(double u, double lower, double upper)
{
    return u < lower ? lower : u > upper ? upper : u;
}

void trxi_policy_correct(const trx_model *m, const double *K, const double *x, const double *x_plan, double *dx, double *u)
{
    const int nu = m->nu;
    if (K) {
        trx_model_difference_state(m, x, x_plan, dx);
        trxi_gemv(nu, m->ntangent, 1, K, nu, dx, 1, u);
    }
    for (int i = 0; i < nu; i++) u[i] = clamp(u[i], m->actuators[i].lower, m->actuators[i].upper);
}

static void find_reference(const trx_policy *p, place at, double *x)
{
    const size_t nx = (size_t)p->model->nstate;
    trxi_policy_between(p->model, p->x + nx * (size_t)at.knot, at.share, p->dx, x);
}

static const double *gains_at(const trx_policy *p, place at)
{
    return p->feedback ? p->K + (size_t)(p->model->ntangent * p->model->nu) * (size_t)at.knot : NULL;
}

trx_status trx_policy_control(trx_policy *policy, double t, const double *x, double *u)
{
    if (!policy) return TRX_ERR_ARGUMENT;
    const trx_model *m = policy->model;
    trxi_begin(policy->context);
    if (!x || !u) return trxi_fail(policy->context, TRX_ERR_ARGUMENT, "trx_policy_control: no state or no place for the controls");
    if (!isfinite(t) || !trxi_all_finite(m->nstate, x))
        return trxi_fail(policy->context, TRX_ERR_NOT_FINITE, "trx_policy_control: the time or the state is not finite");
    const place at = place_at(policy, t);
    const int sent = place_at(policy, t + policy->lead).knot;
    const size_t size = (size_t)m->nu * sizeof *u;
    memcpy(policy->control, policy->u + (size_t)m->nu * (size_t)sent, size);
    find_reference(policy, at, policy->reference);
    trxi_policy_correct(m, gains_at(policy, at), x, policy->reference, policy->dx, policy->control);
    if (!trxi_all_finite(m->nu, policy->control))
        return trxi_fail(policy->context, TRX_ERR_NOT_FINITE,
                         "trx_policy_control: the state is so far from the plan that a control is not finite");
    memcpy(u, policy->control, size);
    return TRX_OK;
}

const double *trx_policy_gains(const trx_policy *policy, double t)
{
    return gains_at(policy, place_at(policy, t));
}

trx_status trx_policy_reference(trx_policy *policy, double t, double *x)
{
    if (!policy) return TRX_ERR_ARGUMENT;
    trxi_begin(policy->context);
    if (!x) return trxi_fail(policy->context, TRX_ERR_ARGUMENT, "trx_policy_reference: no place for the state");
    if (!isfinite(t)) return trxi_fail(policy->context, TRX_ERR_NOT_FINITE, "trx_policy_reference: the time is not finite");
    find_reference(policy, place_at(policy, t), x);
    return TRX_OK;
}
