// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The task as a controller plans it (theory 7, model predictive control): at the planner's time step, and with goals that weigh
// goal_weight times as much. The weights of a task balance goals against controls in the world of the model. In another world the
// same balance leaves larger errors, because the corrections of replanning cost controls.

#include "mpc/planned_task.h"

#include "trajopt/refine.h"

// copies a term's weights, scaled
static trx_status weigh(trxi_pool *pool, const trx_model *model, double factor, trx_cost_term *term)
{
    const int dim = trx_cost_term_dimension(model, term);
    double *weight = TRXI_POOL(pool, double, dim + 1);
    if (!weight) return TRX_ERR_MEMORY;
    for (int i = 0; i < dim; i++) weight[i] = factor * term->weight[i];
    term->weight = weight;
    return TRX_OK;
}

static trx_status weigh_goals(trxi_pool *pool, double factor, trx_plan_problem *problem)
{
    trx_cost_term *terms = TRXI_POOL(pool, trx_cost_term, problem->nterm + 1);
    trx_status status = terms ? TRX_OK : TRX_ERR_MEMORY;
    for (int i = 0; status >= 0 && i < problem->nterm; i++) {
        terms[i] = problem->terms[i];
        if (terms[i].tolerance > 0) status = weigh(pool, problem->model, factor, &terms[i]);
    }
    problem->terms = terms;
    return status;
}

trx_status trxi_mpc_planned_task(trx_context *context, trxi_pool *pool, const trx_plan_problem *task,
                                 const trx_mpc_settings *settings, trx_plan_problem *problem)
{
    const trx_status status = trxi_refine_problem(context, pool, task, settings->refine, problem);
    return status < 0 ? status : weigh_goals(pool, settings->goal_weight, problem);
}
