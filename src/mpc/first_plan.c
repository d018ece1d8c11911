// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The first plan of a controller (theory 7, model predictive control): a plan of the whole task, given or solved here, and
// converted to the time step of the planner.

#include "mpc/first_plan.h"

#include "base/context.h"
#include "model/model.h"
#include "trajopt/plan.h"

#include <math.h>
#include <string.h>

void trxi_first_plan_layout(trxi_arena *arena, const trx_plan_problem *problem, trxi_first_plan *first)
{
    const trx_model *model = problem->model;
    const size_t steps = (size_t)problem->steps;
    first->steps = problem->steps;
    first->time_step = problem->sim.time_step;
    first->nx = (size_t)model->nstate;
    first->nu = (size_t)model->nu;
    first->nk = (size_t)model->ntangent * first->nu;
    first->x = TRXI_TAKE(arena, double, first->nx * (steps + 1));
    first->u = TRXI_TAKE(arena, double, first->nu * steps);
    first->K = TRXI_TAKE(arena, double, first->nk * steps);
}

trx_policy_def trxi_first_plan_policy(const trxi_first_plan *first)
{
    return (trx_policy_def){.size = sizeof(trx_policy_def), .steps = first->steps, .start_time = first->start_time,
                            .time_step = first->time_step, .x = first->x, .u = first->u, .K = first->K};
}

double trxi_first_plan_end(const trxi_first_plan *first)
{
    return first->start_time + first->time_step * first->steps;
}

// ---- a plan of the task ----

static trx_status policy_of(trx_context *context, const trx_model *model, const trx_plan *plan, double time_step,
                            trx_policy **policy)
{
    const trx_policy_def def = {.size = sizeof def, .steps = trx_plan_get_steps(plan), .time_step = time_step,
                                .x = trx_plan_states(plan), .u = trx_plan_controls(plan), .K = trx_plan_gains(plan)};
    return trx_policy_create(context, model, &def, policy);
}

static trx_plan_settings plan_settings(const trx_mpc_settings *settings)
{
    trx_plan_settings s = trx_plan_settings_default();
    s.threads = settings->threads;
    s.judge = false;
    s.friction_margin = settings->friction_margin;
    return s;
}

// solves the task through its stages, or takes one iteration from its guess
static trx_status solve(trx_context *context, const trx_plan_problem *task, const trx_mpc_settings *settings, trx_policy **policy)
{
    trx_plan_problem whole = *task;
    trx_stage physical = trxi_stage_physical();
    physical.iterations = 1;
    if (!settings->first_plan) whole.stages = &physical, whole.nstage = 1;
    const trx_plan_settings s = plan_settings(settings);
    trx_plan *plan;
    trx_status status = trx_plan_create(context, &whole, &s, &plan);
    if (status < 0) return status;
    status = trx_plan_solve(plan, NULL, NULL);
    if (status >= 0) status = policy_of(context, task->model, plan, task->sim.time_step, policy);
    trx_plan_destroy(plan);
    return status;
}

// ---- at the planner's time step ----

static void take_gains(const trx_policy *policy, double t, size_t count, double *K)
{
    const double *gains = trx_policy_gains(policy, t);
    if (gains) memcpy(K, gains, count * sizeof *K);
    else memset(K, 0, count * sizeof *K);
}

static void copy(const trx_policy_def *def, trxi_first_plan *first)
{
    const size_t steps = (size_t)first->steps;
    memcpy(first->x, def->x, first->nx * (steps + 1) * sizeof(double));
    memcpy(first->u, def->u, first->nu * steps * sizeof(double));
    if (def->K) memcpy(first->K, def->K, first->nk * steps * sizeof(double));
    else memset(first->K, 0, first->nk * steps * sizeof(double));
}

static trx_status follow(trx_context *context, const trx_plan_problem *problem, trx_policy *policy, trxi_first_plan *first)
{
    const double h = first->time_step;
    trx_sim *sim;
    trx_status status = trx_sim_create(context, problem->model, &problem->sim, &sim);
    if (status < 0) return status;
    memcpy(first->x, problem->x0, first->nx * sizeof(double));
    for (size_t k = 0; k < (size_t)first->steps && status >= 0; k++) {
        double *x = first->x + first->nx * k, *u = first->u + first->nu * k;
        const double t = h * ((double)k + 1e-6);
        status = trx_policy_control(policy, t, x, u);
        take_gains(policy, t, first->nk, first->K + first->nk * k);
        const trx_step_input input = {.time = h * (double)k, .x = x, .u = u};
        if (status >= 0) status = trx_step_from(sim, &input, x + first->nx);
    }
    trx_sim_destroy(sim);
    return status;
}

// solves the whole task again under the physical law, starting from the simulated plan
static trx_status improve(trx_context *context, const trx_plan_problem *of, const trx_mpc_settings *settings,
                          trxi_first_plan *first)
{
    trx_plan_problem problem = *of;
    const trx_stage physical = trxi_stage_physical();
    problem.stages = &physical, problem.nstage = 1;
    problem.u_guess = problem.x_guess = NULL;
    const trx_plan_settings s = plan_settings(settings);
    trx_plan *plan;
    trx_status status = trx_plan_create(context, &problem, &s, &plan);
    if (status < 0) return status;
    trxi_plan_continue_guess(plan, 0, first->steps, first->x, first->u, first->K);
    status = trx_plan_solve(plan, NULL, NULL);
    const trx_policy_def found = {.x = trx_plan_states(plan), .u = trx_plan_controls(plan), .K = trx_plan_gains(plan)};
    if (status >= 0) copy(&found, first);
    trx_plan_destroy(plan);
    return status;
}

static trx_status copy_policy(trx_context *context, const trx_model *model, const trx_policy *from, trx_policy **policy)
{
    const trx_model *made_for = trx_policy_model(from);
    if (made_for->nq != model->nq || made_for->nv != model->nv || made_for->na != model->na ||
        made_for->nu != model->nu)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "the first plan belongs to another model");
    trx_policy_def def = trx_policy_get(from);
    def.lead = 0; // the controller predicts delays itself
    return trx_policy_create(context, model, &def, policy);
}

static trx_status adopt(trx_context *context, const trx_plan_problem *problem, const trx_mpc_settings *settings,
                        trx_policy *policy, trxi_first_plan *first)
{
    const trx_policy_def def = trx_policy_get(policy);
    if (def.steps != first->steps || fabs(def.time_step - first->time_step) > 1e-9 * first->time_step) {
        const trx_status status = follow(context, problem, policy, first);
        return status < 0 ? status : improve(context, problem, settings, first);
    }
    copy(&def, first);
    return TRX_OK;
}

trx_status trxi_first_plan_fill(trx_context *context, const trx_plan_problem *task, const trx_plan_problem *problem,
                                const trx_mpc_settings *settings, trxi_first_plan *first)
{
    trx_policy *policy = NULL;
    trx_status status = settings->first ? copy_policy(context, task->model, settings->first, &policy)
                                        : solve(context, task, settings, &policy);
    if (status >= 0) status = adopt(context, problem, settings, policy, first);
    trx_policy_destroy(policy);
    return status;
}

trx_status trxi_first_plan_take(trx_context *context, const trx_plan_problem *task, const trx_plan_problem *problem,
                                const trx_mpc_settings *settings, const trx_plan *plan, trxi_first_plan *first)
{
    trx_policy *policy = NULL;
    trx_status status = policy_of(context, task->model, plan, task->sim.time_step, &policy);
    if (status >= 0) status = adopt(context, problem, settings, policy, first);
    trx_policy_destroy(policy);
    return status;
}

void trxi_first_plan_copy(const trxi_first_plan *from, trxi_first_plan *to)
{
    const trx_policy_def def = trxi_first_plan_policy(from);
    to->steps = from->steps, to->start_time = from->start_time;
    copy(&def, to);
}
