// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A solve (theory 8): all stages from the guess, then the replays that judge the result.

#include "trajopt/plan.h"

#include <string.h>

// what the stages found
static void keep_result(trx_plan *p)
{
    const trxi_rollout *r = &p->rollout;
    const trxi_trajectory *found = p->work.current;
    memcpy(p->x, found->x, (size_t)r->nstate * (size_t)(r->steps + 1) * sizeof(double));
    memcpy(p->u, found->u, p->work.ocp.controls * sizeof(double));
    memcpy(p->K, p->work.policy.K, p->work.ocp.gains * sizeof(double));
}

trx_status trx_plan_solve(trx_plan *plan, trx_plan_callback callback, void *user)
{
    if (!plan) return TRX_ERR_ARGUMENT;
    const double start = trx_clock();
    plan->message[0] = '\0';
    trx_status status = trxi_plan_run_stages(plan, start, callback, user);
    if (status < 0) trxi_plan_explain_failure(plan, status);
    keep_result(plan);

    // judge what there is, whatever the outcome
    trxi_plan_replay(plan);
    if (status >= 0) trxi_plan_diagnose(plan, status);
    plan->info.status = status;
    plan->info.cost = plan->info.physical.cost;
    plan->info.seconds = trx_clock() - start;
    return status < 0 ? trxi_fail(plan->context, status, "%s", plan->message) : status;
}
