// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The record of a refinement or a robust plan: its result in place of the plan's, its stage after those of the plan.

#include "report/run.h"

trx_status trx_run_set_refined(trx_run *run, const trx_plan *refined)
{
    if (!run) return TRX_ERR_ARGUMENT;
    trxi_begin(run->context);
    const trxi_stage_record *stages = run->stages;
    const int nstage = run->nstage, iterations = run->iteration_count;
    const double seconds = run->solve;
    const trx_second_try tried = run->second_try;
    trx_status status = trx_run_set_plan(run, refined);
    if (status >= 0) status = trxi_run_join_stages(run, stages, nstage);
    if (status < 0) return status;
    run->iteration_count += iterations;
    run->solve += seconds;
    run->second_try = tried;
    return TRX_OK;
}

trx_status trx_run_set_robust(trx_run *run, const trx_plan *robust, const trx_robust_info *info)
{
    if (!run) return TRX_ERR_ARGUMENT;
    trxi_begin(run->context);
    if (!info) return trxi_fail(run->context, TRX_ERR_ARGUMENT, "no costs of the robust plan given");
    const trx_status status = trx_run_set_refined(run, robust);
    run->made_robust = status >= 0;
    run->robust = *info;
    return status;
}
