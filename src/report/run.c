// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The run object: creation, and queries. Recording is in simulate.c and record.c; the files are in summary.c,
// scene.c, tables.c, linearization.c, the folder in stream.c and folder.c.

#include "report/run.h"

#include <string.h>

trx_status trx_run_create(trx_context *context, trx_problem *problem, trx_run **run)
{
    if (!context || !run) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    *run = NULL;
    if (!problem) return trxi_fail(context, TRX_ERR_ARGUMENT, "no problem given");
    trx_run *made = trxi_allocate(context, sizeof *made);
    if (!made) return TRX_ERR_MEMORY;
    made->context = context;
    made->problem = problem;
    made->model = trx_problem_model(problem);
    made->size = trx_model_get_size(made->model);
    made->summary = trxi_text_create(context);
    made->status = TRX_ERR_FAILED;
    made->message = "nothing was recorded";
    made->pool = trxi_pool_create(context);
    if (!made->pool) {
        trxi_release(context, made);
        return TRX_ERR_MEMORY;
    }
    *run = made;
    return TRX_OK;
}

void trx_run_destroy(trx_run *run)
{
    if (!run) return;
    trxi_text_destroy(&run->summary);
    trx_policy_destroy(run->policy);
    trxi_pool_destroy(run->pool);
    trxi_release(run->context, run);
}

void trx_run_set_setup(trx_run *run, double seconds, unsigned long long seed)
{
    run->setup = seconds;
    run->seed = seed;
}

trx_status trx_run_add_iteration(trx_run *run, const trx_iteration *iteration)
{
    if (!run) return TRX_ERR_ARGUMENT;
    trxi_begin(run->context);
    if (!iteration) return trxi_fail(run->context, TRX_ERR_ARGUMENT, "no iteration given");
    if (run->niteration == run->iteration_capacity) {
        int capacity = run->iteration_capacity;
        trx_iteration *grown = trxi_pool_grow(run->pool, run->iterations, run->niteration, &capacity, sizeof *grown);
        if (!grown) return TRX_ERR_MEMORY;
        run->iterations = grown;
        run->iteration_capacity = capacity;
    }
    run->iterations[run->niteration++] = *iteration;
    return TRX_OK;
}

const char *trx_run_summary(trx_run *run)
{
    trxi_text_clear(&run->summary);
    trxi_write_summary(run, &run->summary);
    return run->summary.status < 0 ? "" : trxi_text_get(&run->summary);
}

trx_run_info trx_run_get_info(const trx_run *run)
{
    return (trx_run_info){
        .status = run->status,
        .message = run->message,
        .steps = run->steps,
        .iterations = run->iteration_count,
        .contacts = run->contact_rows,
        .written = run->written,
        .has_cost = run->has_cost,
        .cost = run->cost,
        .solve = run->solve,
        .physical = run->physical,
        .fine = run->fine,
        .has_fine = run->planned,
        .ngoal = run->ngoal,
        .limits = run->limits,
        .nlimit = run->nlimit,
        .nasked = run->nasked,
        .second_try = run->second_try,
    };
}

bool trx_run_goals_met(const trx_run *run)
{
    if (run->physical.status < 0) return false;
    for (int i = 0; i < run->ngoal; i++)
        if (!run->physical.goals[i].met) return false;
    for (int i = 0; i < run->nlimit; i++)
        if (!run->limits[i].met) return false;
    return true;
}
