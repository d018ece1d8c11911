// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// One attempt of a solve (theory 8): all stages from the guess, the result, and its judgement.

#include "trajopt/plan.h"

#include <string.h>

// copies the result of the stages
static void keep_result(trx_plan *p)
{
    const trxi_rollout *r = &p->rollout;
    const trxi_trajectory *found = p->work.current;
    memcpy(p->x, found->x, (size_t)r->nstate * (size_t)(r->steps + 1) * sizeof(double));
    memcpy(p->u, found->u, p->work.ocp.controls * sizeof(double));
    memcpy(p->K, p->work.policy.K, p->work.ocp.gains * sizeof(double));
    p->solved = true;
}

void trxi_plan_take(trx_plan *plan)
{
    keep_result(plan);
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
    keep_result(plan);
    plan->stage_info[plan->nstage - 1] = *stage;
    plan->info.status = stage->status;
    plan->info.iterations = stage->iterations;
    plan->info.seconds = stage->seconds;
    trxi_plan_forget_replays(plan);
    trxi_plan_judge(plan, stage->status);
}

trx_status trxi_plan_attempt(trx_plan *plan, const trxi_solve_call *call)
{
    plan->message[0] = '\0';
    trx_status status = trxi_plan_run_stages(plan, call);
    if (status < 0) trxi_plan_explain_failure(plan, status);
    keep_result(plan);
    plan->info.cost = plan->work.current->cost;
    plan->info.status = status;

    // judge the result of every solve
    trxi_plan_forget_replays(plan);
    if (plan->settings.judge) trxi_plan_judge(plan, status);
    else if (status >= 0) trxi_plan_diagnose(plan, status);
    return status;
}
