// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The optimization problem of a loaded file, and its initial controls.

#include "problem/problem.h"

#include <string.h>

// the guess `gravity`: controls that keep the start state at rest, within the limits, at every knot
static trx_status hold(const trx_problem *problem, double *u)
{
    size_t nu = (size_t)trx_model_get_size(problem->model).nu;
    trx_status status = trxi_holding_controls_within(problem, u);
    for (size_t k = 1; status >= 0 && k < (size_t)problem->steps; k++) memcpy(u + k * nu, u, nu * sizeof *u);
    return status;
}

// a table of controls, or a run folder with one
static trx_status read_guess(const trx_problem *problem, double *u)
{
    const char *path = trxi_guess_table(problem, problem->solve.guess);
    return path ? trxi_read_controls(problem, problem->pool, path, u) : TRX_ERR_MEMORY;
}

static trx_status make_guess(const trx_problem *problem, const double **guess)
{
    *guess = NULL;
    if (strcmp(problem->solve.guess, "zero") == 0) return TRX_OK;
    size_t nu = (size_t)trx_model_get_size(problem->model).nu;
    double *u = trxi_pool_take(problem->pool, (size_t)problem->steps, (nu ? nu : 1) * sizeof *u);
    if (!u) return TRX_ERR_MEMORY;
    *guess = u;
    return problem->solve.guess_is_path ? read_guess(problem, u) : hold(problem, u);
}

trx_plan_problem trxi_plan_task(const trx_problem *problem)
{
    trx_plan_problem task = trx_plan_problem_default();
    task.model = problem->model;
    task.sim = problem->sim;
    task.steps = problem->steps;
    task.x0 = problem->start;
    task.terms = problem->terms;
    task.nterm = problem->nterm;
    task.limits = problem->limits;
    task.nlimit = problem->nlimit;
    return task;
}

trx_status trx_problem_plan(const trx_problem *problem, trx_plan_problem *plan, trx_plan_settings *settings)
{
    if (!problem) return TRX_ERR_ARGUMENT;
    trxi_begin(problem->context);
    if (!plan || !settings) return trxi_fail(problem->context, TRX_ERR_ARGUMENT, "no place for the plan problem");
    if (problem->not_planned)
        return trxi_fail(problem->context, TRX_ERR_UNSUPPORTED, "not in this version: %s", problem->not_planned);
    if (!problem->has_cost)
        return trxi_error_at(problem->context, problem->cost_source, "the file: missing key \"cost\": a plan needs it");
    if (problem->nterm == 0)
        return trxi_error_at(problem->context, problem->cost_source, "cost: an empty list: write at least one term");

    *plan = trxi_plan_task(problem);
    plan->stages = problem->stages;
    plan->nstage = problem->stages ? problem->solve.nstage : 0;
    *settings = problem->solve.settings;
    trx_status status = make_guess(problem, &plan->u_guess);
    return status < 0 ? status : trxi_guess_states(problem, &plan->x_guess);
}

bool trx_problem_search(const trx_problem *problem, trx_search_settings *settings)
{
    if (!problem || !settings) return false;
    *settings = problem->solve.search;
    return problem->solve.searches;
}

bool trx_problem_robust(const trx_problem *problem, trx_robust_settings *settings)
{
    if (!problem || !settings) return false;
    *settings = problem->solve.robust;
    settings->ranges = problem->trial;
    settings->policy = problem->policy;
    return problem->solve.is_robust;
}

int trx_problem_refine(const trx_problem *problem)
{
    return problem ? problem->solve.refine : 1;
}
