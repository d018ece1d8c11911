// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The result of a search, a refinement or a robust plan takes the place of the plan in a run. The stages of the plan stay, and the
// stages of the result follow them.

#include "report/run.h"

#include <string.h>

static trx_status copy_candidates(trx_run *run, const trx_search_info *info)
{
    trx_candidate *copy = TRXI_POOL(run->pool, trx_candidate, info->ncandidate + 1);
    run->search = *info;
    run->search.message = trxi_pool_string(run->pool, info->message, strlen(info->message));
    if (!copy || !run->search.message) return TRX_ERR_MEMORY;
    memcpy(copy, info->candidates, (size_t)info->ncandidate * sizeof *copy);
    run->search.candidates = copy;
    run->searched = true;
    return TRX_OK;
}

// records the plan in place of the recorded plan; its stages follow the recorded stages, its iterations add to theirs
static trx_status replace_plan(trx_run *run, const trx_plan *plan)
{
    const trxi_stage_record *stages = run->stages;
    const int nstage = run->nstage, iterations = run->iteration_count;
    trx_status status = trx_run_set_plan(run, plan);
    if (status >= 0) status = trxi_run_join_stages(run, stages, nstage);
    if (status >= 0) run->iteration_count += iterations;
    return status;
}

// iterations of the candidates, except the candidate whose plan the run has recorded already
static int candidate_iterations(const trx_search_info *info)
{
    int iterations = 0;
    for (int i = 0; i < info->ncandidate; i++)
        if (info->candidates[i].kind != TRX_CANDIDATE_PLAIN) iterations += info->candidates[i].iterations;
    return iterations;
}

trx_status trx_run_set_search(trx_run *run, const trx_search *search)
{
    if (!run) return TRX_ERR_ARGUMENT;
    trxi_begin(run->context);
    if (!search) return trxi_fail(run->context, TRX_ERR_ARGUMENT, "no search given");
    const trx_search_info info = trx_search_get_info(search);
    const trx_plan *plan = trx_search_plan(search);
    const double seconds = run->solve;
    trx_status status = copy_candidates(run, &info);
    if (status >= 0 && plan) status = replace_plan(run, plan);
    if (status < 0) return status;
    run->iteration_count += candidate_iterations(&info);
    run->solve = seconds + info.seconds;
    if (!*info.message) return TRX_OK;
    run->message = trxi_pool_printf(run->pool, "%s%s%s", run->message, *run->message ? "; " : "", info.message);
    return run->message ? TRX_OK : TRX_ERR_MEMORY;
}

trx_status trx_run_set_refined(trx_run *run, const trx_plan *refined)
{
    if (!run) return TRX_ERR_ARGUMENT;
    trxi_begin(run->context);
    const double seconds = run->solve;
    const trx_second_try tried = run->second_try;
    const trx_status status = replace_plan(run, refined);
    if (status < 0) return status;
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
