// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A solve (theory 8): all stages from the guess, then the replays that judge the result, at once or on demand.
//
// Stages change the contacts of actuated trees. A body on a hard contact, such as a box on a table, then has no gradient for a
// lift: a force below its weight moves nothing. If the diagnosis finds this cause, the stages run once more from the guess, and
// change every pair. The better of the two results is kept. Both tries share the limits of time and iterations. There is no
// second try when half of the time or half of the iterations is used.

#include "trajopt/plan.h"

#include <string.h>

static const double NEAR = 1e-3;       // largest gap of a pair that may come into contact [m]
static const double USED_SHARE = 0.5; // share of the limits after which there is no second try [1]

// ---- one try ----

void trxi_plan_take(trx_plan *p)
{
    const trxi_rollout *r = &p->rollout;
    const trxi_trajectory *found = p->work.current;
    memcpy(p->x, found->x, (size_t)r->nstate * (size_t)(r->steps + 1) * sizeof(double));
    memcpy(p->u, found->u, p->work.ocp.controls * sizeof(double));
    memcpy(p->K, p->work.policy.K, p->work.ocp.gains * sizeof(double));
    p->solved = true;
}

void trxi_plan_judge(trx_plan *plan, trx_status status)
{
    trxi_plan_replay(plan);
    plan->info.cost = plan->info.physical.cost;
    if (status >= 0) trxi_plan_diagnose(plan, status);
}

void trxi_plan_conclude(trx_plan *plan, const trx_stage_info *stage)
{
    plan->message[0] = '\0';
    trxi_plan_take(plan);
    plan->stage_info[plan->nstage - 1] = *stage;
    plan->info.status = stage->status;
    plan->info.iterations = stage->iterations;
    plan->info.seconds = stage->seconds;
    trxi_plan_forget_replays(plan);
    trxi_plan_judge(plan, stage->status);
}

static trx_status attempt(trx_plan *plan, const trxi_solve_call *call)
{
    plan->message[0] = '\0';
    trx_status status = trxi_plan_run_stages(plan, call);
    if (status < 0) trxi_plan_explain_failure(plan, status);
    trxi_plan_take(plan);
    plan->info.cost = plan->work.current->cost;
    plan->info.status = status;

    // judge the result of every solve
    trxi_plan_forget_replays(plan);
    if (plan->settings.judge) trxi_plan_judge(plan, status);
    else if (status >= 0) trxi_plan_diagnose(plan, status);
    return status;
}

// ---- the second try ----

// returns whether time and iterations are left for a second try; uses the time of the last line, so that a resumed solve decides
// the same
static bool has_left(trx_plan *p)
{
    const trx_plan_settings *s = &p->settings;
    const bool time = p->run.seconds < USED_SHARE * s->time_limit;
    p->journal.closed = p->journal.closed || !time;
    return time && (s->max_iterations == 0 || p->info.iterations < USED_SHARE * s->max_iterations);
}

static bool is_held(const trx_plan *p)
{
    const trxi_reach *r = &p->reach;
    return r->out && r->holder >= 0 && r->gap <= NEAR && !r->wrong_side && !r->floats;
}

static void smooth_every_pair(trx_plan *p)
{
    const size_t count = (size_t)p->nstage * (size_t)p->model->npair;
    memcpy(p->chosen_pairs, p->stage_pairs, count * sizeof *p->stage_pairs);
    for (size_t i = 0; i < count; i++) p->stage_pairs[i] = true;
}

static void restore_pairs(trx_plan *p)
{
    memcpy(p->stage_pairs, p->chosen_pairs, (size_t)p->nstage * (size_t)p->model->npair * sizeof *p->stage_pairs);
}

static void save_first(trx_plan *p)
{
    memcpy(p->first_u, p->u, p->work.ocp.controls * sizeof *p->u);
    memcpy(p->first_stages, p->stage_info, (size_t)p->nstage * sizeof *p->stage_info);
}

static void restore_first(trx_plan *p, trx_status status)
{
    memcpy(p->u, p->first_u, p->work.ocp.controls * sizeof *p->u);
    memcpy(p->stage_info, p->first_stages, (size_t)p->nstage * sizeof *p->stage_info);
    p->info.status = status;
    trxi_plan_judge(p, status);
}

// solves again if the diagnosis of the first try, which ended with `status`, asks for it; returns the status of the better try
static trx_status try_again(trx_plan *p, const trxi_solve_call *call, trx_status status)
{
    trxi_solve_call again = *call;
    p->info.second_try = TRX_TRY_NONE;
    if (!p->settings.second_try || !is_held(p) || !trxi_plan_has_smoothed_stage(p) || !has_left(p)) return status;
    const double cost = p->info.cost;
    again.attempt = 1;
    save_first(p);
    smooth_every_pair(p);
    const trx_status second = attempt(p, &again);
    restore_pairs(p);

    const bool better = second >= 0 && p->info.physical.status >= 0 && p->info.cost < cost;
    p->info.second_try = better ? TRX_TRY_KEPT : TRX_TRY_WORSE;
    if (!better) restore_first(p, second == TRX_INTERRUPTED ? second : status);
    return p->info.status;
}

// ---- the solve ----

trx_status trx_plan_solve(trx_plan *plan, trx_plan_callback callback, void *user)
{
    if (!plan) return TRX_ERR_ARGUMENT;
    trxi_begin(plan->context);
    const trxi_solve_call call = {.start_time = trxi_plan_begin_journal(plan), .callback = callback, .user = user};
    plan->info.iterations = 0;
    trx_status status = attempt(plan, &call);
    if (status >= 0 && plan->settings.judge) status = try_again(plan, &call, status);
    plan->info.seconds = trx_clock() - call.start_time;
    plan->info.ended_early = plan->settings.resumable && (plan->journal.closed || status == TRX_INTERRUPTED);
    return status < 0 ? trxi_fail(plan->context, status, "%s", plan->message) : status;
}

trx_status trx_plan_judge(trx_plan *plan)
{
    if (!plan) return TRX_ERR_ARGUMENT;
    trxi_begin(plan->context);
    if (!plan->solved) return trxi_fail(plan->context, TRX_ERR_NO_STEP, "trx_plan_judge: there is no result before a solve");
    trxi_plan_judge(plan, plan->info.status);
    return plan->info.physical.status;
}
