// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A solve (theory 8): all stages from the guess, then the replays that judge the result, at once or on demand. Where the diagnosis
// asks for it, a second try.

#include "trajopt/plan.h"

trx_status trx_plan_solve(trx_plan *plan, trx_plan_callback callback, void *user)
{
    if (!plan) return TRX_ERR_ARGUMENT;
    trxi_begin(plan->context);
    const trxi_solve_call call = {.start_time = trxi_plan_begin_journal(plan), .callback = callback, .user = user};
    plan->info.iterations = 0;
    trx_status status = trxi_plan_attempt(plan, &call);
    if (status >= 0 && plan->settings.judge) status = trxi_plan_second_try(plan, &call, status);
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
