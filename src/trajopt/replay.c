// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The two replays that judge a plan, both under the physical law (theory 7, replays).
//
// physical: the controls of the plan, open loop, at the plan's time step. The trajectory of this replay is the result of the
// plan. Goals are measured on this trajectory, and A, B and K belong to it.
//
// fine: a tenth of the time step. The controls are constant over a step of the plan and corrected by the gains of its knot,
//
//     u = clamp(u_k + K_k (x (-) x_plan(t))),
//
// with x_plan(t) interpolated along the geodesic from x_k to x_{k+1}. With a constant x_k the gains would oppose the planned
// motion within the step.
//
// judge/replay.h has the loop and the statistics of all replays, judge/policy.h the law between knots.

#include "trajopt/plan.h"

#include "judge/policy.h"
#include "judge/replay.h"

#include <math.h>
#include <string.h>

// destinations of the results of a replay
typedef struct verdict {
    trxi_goal_error *errors;
    trx_goal_result *goals;
    trx_limit_result *limits;
    trx_replay *replay;
} verdict;

static verdict verdict_of_physical(trx_plan *plan)
{
    return (verdict){plan->physical_errors, plan->physical_goals, plan->physical_limits, &plan->info.physical};
}

static verdict verdict_of_fine(trx_plan *plan)
{
    return (verdict){plan->fine_errors, plan->fine_goals, plan->fine_limits, &plan->info.fine};
}

// data of the policy and of the measurements of a replay
typedef struct judgement {
    trx_plan *plan;
    const verdict *to;
} judgement;

static double measure_knot(void *data, int knot, const double *x, const double *u)
{
    const judgement *j = data;
    trx_plan *plan = j->plan;
    const size_t nu = (size_t)plan->rollout.nu;
    double *applied = plan->work.trial->u; // all controls so far: control rates are differences of applied controls
    if (u) memcpy(applied + nu * (size_t)knot, u, nu * sizeof *u);
    plan->cost.controls = plan->limited.controls = applied;
    trxi_cost_goal_errors(&plan->cost, knot, x, u, j->to->errors);
    trxi_limit_results_raise(&plan->limits, &plan->limited, knot, x, u, j->to->limits);
    return trxi_cost_value(&plan->cost, knot, x, u);
}

static void reset_verdict(const trx_plan *plan, const verdict *to)
{
    trxi_goals_reset(plan->cost.ngoal, to->errors);
    trxi_limit_results_reset(&plan->limits, to->limits);
}

static void conclude(const trx_plan *plan, const verdict *to, bool complete)
{
    to->replay->goals = to->goals;
    to->replay->limits = to->limits;
    trxi_goals_conclude(plan->cost.ngoal, to->errors, complete, to->goals);
    trxi_limit_results_conclude(&plan->limits, complete, to->limits);
}

// runs a policy from the plan's start, in `parts` steps from knot to knot; x as in trxi_experiment
static int judge_policy(trx_plan *plan, trxi_control_law *policy, int parts, double *x, int stride, const verdict *to)
{
    const trxi_rollout *r = &plan->rollout;
    judgement j = {plan, to};
    trxi_experiment experiment = {.sim = plan->sim, .knots = r->steps, .parts = parts, .start_time = r->start_time,
                                  .knot_time = plan->sim_settings.time_step, .policy = policy, .measure = measure_knot,
                                  .data = &j, .x = x, .stride = stride, .u = plan->u_fine};
    memcpy(x, r->x0, (size_t)r->nstate * sizeof(double));
    reset_verdict(plan, to);
    trxi_replay_run(&experiment, to->replay);
    conclude(plan, to, to->replay->status >= 0);
    return experiment.failed_knot;
}

static void forget(const trx_plan *plan, const verdict *to, trx_status status)
{
    *to->replay = (trx_replay){.status = status, .cost = INFINITY};
    reset_verdict(plan, to);
    conclude(plan, to, false);
}

void trxi_plan_forget_replays(trx_plan *plan)
{
    const verdict physical = verdict_of_physical(plan), fine = verdict_of_fine(plan);
    forget(plan, &physical, TRX_ERR_NO_STEP);
    forget(plan, &fine, TRX_ERR_NO_STEP);
    plan->linearized = false;
}

// policy of the physical replay: the controls of the plan
static void open_loop(void *data, int knot, double share, const double *x, double *u)
{
    const trx_plan *plan = ((const judgement *)data)->plan;
    const int nu = plan->rollout.nu;
    (void)share, (void)x;
    memcpy(u, plan->u + nu * knot, (size_t)nu * sizeof *u);
}

static void replay_physical(trx_plan *plan)
{
    const verdict to = verdict_of_physical(plan);
    const int failed = judge_policy(plan, open_loop, 1, plan->x, plan->rollout.nstate, &to);
    if (failed >= 0) plan->rollout.failed_knot = failed;
}

// after a failed step all later knots repeat the last state
static void hold_last_state(trx_plan *plan)
{
    const trxi_rollout *r = &plan->rollout;
    for (int k = r->failed_knot; k < r->steps; k++)
        memcpy(plan->x + r->nstate * (k + 1), plan->x + r->nstate * k, (size_t)r->nstate * sizeof(double));
}

// adds the limits of `set` to the costs of all threads; NULL: none
static void count_limits(trx_plan *plan, const trxi_limit_set *set)
{
    plan->limited.limits = set;
    for (int i = 0; i < plan->team.size - 1; i++) plan->team.members[i].cost.limits = set;
}

// expands dynamics and cost along the physical replay. The penalties of limits are left out, because their curvature would make the
// gains too stiff for any other time step
static trx_status expand_result(trx_plan *plan)
{
    count_limits(plan, NULL);
    const trx_status status = trxi_rollout_linearize(&plan->rollout, plan->work.current, &plan->work.ocp);
    count_limits(plan, &plan->limits);
    return status;
}

// computes A and B along the physical replay, and the undamped gains of its linear-quadratic model
static trx_status linearize_result(trx_plan *plan)
{
    trxi_workspace *w = &plan->work;
    const trxi_rollout *r = &plan->rollout;
    size_t nx = (size_t)r->nx, nu = (size_t)r->nu;
    memcpy(w->current->x, plan->x, (size_t)r->nstate * (size_t)(r->steps + 1) * sizeof(double));
    memcpy(w->current->u, plan->u, w->ocp.controls * sizeof(double));
    trx_status status = expand_result(plan);
    if (status < 0) return status;
    for (size_t k = 0; k < (size_t)r->steps; k++) {
        memcpy(plan->B + nx * nu * k, w->ocp.stages[k].B, nx * nu * sizeof(double));
        memcpy(plan->A + nx * nx * k, w->ocp.stages[k].A, nx * nx * sizeof(double));
    }
    double mu = 0;
    while (!trxi_workspace_sweep(w, mu, false)) {
        mu = fmax(1e-6, 10 * mu);
        if (mu > 1) return TRX_ERR_NOT_PD;
    }
    memcpy(plan->K, w->policy.K, w->ocp.gains * sizeof(double));
    return TRX_OK;
}

// policy of the fine replay: u_k + K_k (x (-) x_plan), clamped
static void corrected(void *data, int k, double share, const double *x, double *u)
{
    trx_plan *plan = ((const judgement *)data)->plan;
    const trxi_rollout *r = &plan->rollout;
    memcpy(u, plan->u + r->nu * k, (size_t)r->nu * sizeof *u);
    trxi_policy_between(plan->model, plan->x + r->nstate * k, share, trxi_rollout_dx(r), plan->x_plan);
    trxi_policy_correct(plan->model, plan->K + r->nu * r->nx * k, x, plan->x_plan, trxi_rollout_dx(r), u);
}

static void replay_fine(trx_plan *plan)
{
    const verdict to = verdict_of_fine(plan);
    judge_policy(plan, corrected, TRXI_FINE_STEPS, plan->x_fine, 0, &to);
}

void trxi_plan_replay(trx_plan *plan)
{
    trxi_stage_apply_model(plan);
    replay_physical(plan);
    if (plan->info.physical.status < 0) hold_last_state(plan);
    plan->linearized = plan->info.physical.status >= 0 && linearize_result(plan) >= 0;
    if (!plan->linearized) {
        const verdict fine_one = verdict_of_fine(plan);
        forget(plan, &fine_one, TRX_ERR_FAILED);
        return;
    }
    trx_sim_settings fine = plan->sim_settings;
    fine.time_step /= TRXI_FINE_STEPS;
    trx_sim_set_settings(plan->sim, &fine);
    replay_fine(plan);
    trxi_stage_apply_model(plan);
}
