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

void trxi_plan_judge(trx_plan *plan, trx_status status)
{
    trxi_plan_replay(plan);
    plan->info.cost = plan->info.physical.cost;
    if (status >= 0) trxi_plan_diagnose(plan, status);
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
