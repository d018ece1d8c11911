// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The policy of a solved plan (theory 7, policies): the trajectory of the plan, with gains for worlds that differ from the plan's
// world. The gains of the solver belong to one law and to steps without delay, and are as stiff as both allow. The gains here
//
// - belong to a softer contact: contacts with the law hunt_crossley or kelvin_voigt are smoothed by a fraction of a millimetre. A
//   contact that is about to close or to open then has a gradient, and the gains do not rely on closed contacts;
// - are made for corrections that last twice the delay of the loop (held_sweep.c), at least one step;
// - leave out penalties of limits. A cost of control rates counts as if the controls of the step before were not corrected.

#include "trajopt/plan_policy.h"

#include "model/model.h"
#include "trajopt/held_sweep.h"
#include "trajopt/plan.h"

#include <tractrix/policy.h>

#include <math.h>

static const double LEAST_DAMPING = 1e-9, MOST_DAMPING = 1; // of a sweep, relative to the curvature [1]

struct trxi_policy_gains {
    trx_context *context;
    trx_policy_settings settings;
    trxi_held_sweep sweep;
    bool *pairs; // npair: contacts that are smoothed
    double *K;   // nu x ntangent x N
};

trx_policy_settings trx_policy_settings_default(void)
{
    return (trx_policy_settings){.size = sizeof(trx_policy_settings), .delay = 0.005, .smoothing = 5e-4};
}

trx_status trxi_policy_settings_check(trx_context *context, const trx_policy_settings *s)
{
    if (!s) return trxi_fail(context, TRX_ERR_ARGUMENT, "gains of a policy need settings");
    const trx_status status = trxi_check_size(context, s->size, sizeof *s, "trx_policy_settings_default");
    if (status < 0) return status;
    if (!(s->delay >= 0) || !(s->delay <= 10) || !(s->smoothing >= 0) || !(s->smoothing <= 1e3))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "the gains of a policy have a delay of %g s and a smoothing of %g m: both "
                         "must be 0 or more, at most 10 s and 1 km", s->delay, s->smoothing);
    return TRX_OK;
}

// returns whether a smoothed law of the same stiffness can replace a law
static bool is_smoothable(const trx_pair_law *law)
{
    return (law->force_law == TRX_HUNT_CROSSLEY || law->force_law == TRX_KELVIN_VOIGT) && isfinite(law->stiffness);
}

// expands dynamics and cost without limits along the result; works on copies of cost and rollout, so that the plan does not change
static trx_status expand(const trx_plan *plan, trxi_ocp *ocp)
{
    const trxi_trajectory result = {.x = plan->x, .u = plan->u};
    trxi_cost cost = plan->cost;
    trxi_rollout rollout = plan->rollout;
    cost.controls = plan->u;
    rollout.cost = &cost;
    rollout.team = NULL;
    return trxi_rollout_linearize(&rollout, &result, ocp);
}

// expands dynamics and cost under the softer law
static trx_status expand_softly(const trx_plan *plan, double smoothing, bool *pairs, trxi_ocp *ocp)
{
    trx_stage soft = trx_stage_default();
    soft.force_law = TRX_SMOOTHED;
    soft.smoothing = smoothing;
    soft.pairs = pairs;
    for (int i = 0; i < plan->model->npair; i++) pairs[i] = smoothing > 0 && is_smoothable(trxi_model_pair(plan->model, i).law);
    trx_status status = trxi_stage_apply(plan, &soft);
    if (status >= 0) status = expand(plan, ocp);
    const trx_status restored = trxi_stage_apply_model(plan);
    return status < 0 ? status : restored;
}

// number of steps that corrections last
static int held_steps(const trx_plan *plan, double delay)
{
    const double steps = ceil(2 * delay / plan->sim_settings.time_step - 1e-9);
    return (int)fmin(fmax(1, steps), plan->rollout.steps);
}

static void layout(trxi_arena *arena, const trx_plan *plan, const trxi_ocp *ocp, double delay, trxi_policy_gains **gains,
                   trxi_policy_gains *g)
{
    *gains = TRXI_TAKE(arena, trxi_policy_gains, 1);
    g->pairs = TRXI_TAKE(arena, bool, plan->model->npair + 1);
    g->K = TRXI_TAKE(arena, double, ocp->gains + 1);
    trxi_held_sweep_layout(arena, ocp, held_steps(plan, delay), &g->sweep);
}

// ---- gains ----

trx_status trxi_policy_gains_create(const trx_plan *plan, const trx_policy_settings *settings, trxi_policy_gains **gains)
{
    const trxi_ocp *ocp = &plan->work.next;
    trxi_policy_gains *made, g = {.settings = *settings};
    trxi_arena arena = {0};
    *gains = NULL;
    layout(&arena, plan, ocp, settings->delay, &made, &g);
    char *memory = trxi_allocate(plan->context, arena.used);
    if (!memory) return TRX_ERR_MEMORY;
    arena = (trxi_arena){.base = memory};
    layout(&arena, plan, ocp, settings->delay, &made, &g);
    g.context = plan->context;
    *made = g;
    *gains = made;
    return TRX_OK;
}

void trxi_policy_gains_destroy(trxi_policy_gains *gains)
{
    if (gains) trxi_release(gains->context, gains);
}

// gains of the expansion, damped as far as necessary
static const double *sweep(const trxi_ocp *ocp, trxi_policy_gains *gains)
{
    for (double mu = 0; mu <= MOST_DAMPING; mu = fmax(LEAST_DAMPING, 10 * mu))
        if (trxi_held_sweep_run(ocp, mu, &gains->sweep, gains->K)) return gains->K;
    return NULL;
}

trx_status trxi_policy_gains_make(const trx_plan *plan, trxi_policy_gains *gains, const double **K)
{
    trxi_ocp ocp = plan->work.next; // memory that holds no result
    gains->sweep.held = held_steps(plan, gains->settings.delay);
    const trx_status status = expand_softly(plan, gains->settings.smoothing, gains->pairs, &ocp);
    if (status < 0) return status;
    *K = sweep(&ocp, gains);
    if (*K) return TRX_OK;
    return trxi_fail(plan->context, TRX_ERR_NOT_PD, "the curvature of the controls of a policy is not positive definite");
}

// ---- the policy ----

static trx_status create(const trx_plan *plan, const double *K, trx_policy **policy)
{
    trx_policy_def def = trx_policy_def_default();
    def.steps = plan->rollout.steps;
    def.start_time = plan->rollout.start_time;
    def.time_step = plan->sim_settings.time_step;
    def.x = plan->x;
    def.u = plan->u;
    def.K = K;
    return trx_policy_create(plan->context, plan->model, &def, policy);
}

trx_status trx_policy_of_plan(const trx_plan *plan, const trx_policy_settings *settings, trx_policy **policy)
{
    if (!plan) return TRX_ERR_ARGUMENT;
    trxi_begin(plan->context);
    if (!policy) return trxi_fail(plan->context, TRX_ERR_ARGUMENT, "trx_policy_of_plan: no place for the policy");
    *policy = NULL;
    trx_status status = trxi_policy_settings_check(plan->context, settings);
    if (status < 0) return status;
    if (!plan->solved) return trxi_fail(plan->context, TRX_ERR_NO_STEP, "trx_policy_of_plan: there is no result before a solve");
    trxi_policy_gains *gains;
    const double *K = NULL;
    status = trxi_policy_gains_create(plan, settings, &gains);
    if (status >= 0) status = trxi_policy_gains_make(plan, gains, &K);
    if (status >= 0) status = create(plan, K, policy);
    trxi_policy_gains_destroy(gains);
    return status;
}
