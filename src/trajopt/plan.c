// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Creation and views of a plan (theory 7). All memory is allocated here: one block, laid out by a function that runs twice, the
// simulators of all threads, and the memory of the method. A solve allocates nothing, except for the journal of a resumable solve.

#include "trajopt/plan.h"

#include "step/reserve.h"
#include "trajopt/goal_results.h"

#include <math.h>
#include <string.h>

// the stages of the problem or the default stages, then the physical stage
static trx_status choose_stages(trx_context *context, const trx_plan_problem *problem, trx_stage *stages, int *count)
{
    *count = problem->nstage;
    if (!problem->stages) {
        int chosen = trx_plan_default_stages(context, problem, stages, TRXI_MAX_STAGES);
        *count = chosen;
        return chosen < 0 ? (trx_status)chosen : TRX_OK;
    }
    memcpy(stages, problem->stages, (size_t)*count * sizeof *stages);
    if (stages[*count - 1].physical) return TRX_OK;
    stages[(*count)++] = trxi_stage_physical();
    return TRX_OK;
}

static void rollout_layout(trxi_arena *arena, const trx_plan_problem *problem, trxi_rollout *r)
{
    const trx_model *model = problem->model;
    *r = (trxi_rollout){.model = model,
                        .nstate = model->nstate,
                        .nx = model->ntangent,
                        .nu = model->nu,
                        .steps = problem->steps,
                        .deadline = INFINITY};
    for (int i = 0; i < problem->nterm; i++) r->couples |= trxi_quantity_is(problem->terms[i].quantity, TRXI_DENSE);
    for (int i = 0; i < problem->nlimit; i++) r->couples |= trxi_quantity_is(problem->limits[i].term.quantity, TRXI_DENSE);
    for (int i = 0; i < problem->nterm; i++) r->rates |= problem->terms[i].quantity == TRX_CONTROL_RATE;
    for (int i = 0; i < problem->nlimit; i++) r->rates |= problem->limits[i].term.quantity == TRX_CONTROL_RATE;
    r->x0 = TRXI_TAKE(arena, double, r->nstate);
    r->u_lower = TRXI_TAKE(arena, double, r->nu);
    r->u_upper = TRXI_TAKE(arena, double, r->nu);
    r->change = TRXI_TAKE(arena, double, r->nu + r->nx);
    r->v_start = TRXI_TAKE(arena, double, model->nv);
    r->l_xx = TRXI_TAKE(arena, double, r->nx * r->nx);
}

static void plan_layout(trxi_arena *arena, const trx_plan_problem *problem, trx_plan *p)
{
    const trx_model *model = problem->model;
    size_t steps = (size_t)problem->steps, nx = (size_t)model->ntangent, nu = (size_t)model->nu;
    trxi_cost_layout(arena, problem, &p->cost);
    trxi_limit_set_layout(arena, problem, &p->limits);
    rollout_layout(arena, problem, &p->rollout);
    trxi_team_layout(arena, problem, &p->rollout, p->settings.threads, &p->team);
    trxi_workspace_layout(arena, &p->rollout, p->method->defects, &p->work);
    for (int i = 0; i < 2; i++)
        trxi_trajectory_layout(arena, p->rollout.nstate, model->nu, problem->steps, &p->trajectories[i]);
    trxi_trajectory_layout(arena, p->rollout.nstate, model->nu, problem->steps, &p->saved);
    trxi_trajectory_layout(arena, p->rollout.nstate, model->nu, problem->steps, &p->kept);
    p->saved_K = TRXI_TAKE(arena, double, nu * nx * steps);
    p->first_u = TRXI_TAKE(arena, double, nu * steps);
    p->first_stages = TRXI_TAKE(arena, trx_stage_info, p->nstage);
    p->chosen_pairs = TRXI_TAKE(arena, bool, p->nstage * model->npair);

    p->stages = TRXI_TAKE(arena, trx_stage, p->nstage);
    p->stage_pairs = TRXI_TAKE(arena, bool, p->nstage * model->npair);
    p->friction = TRXI_TAKE(arena, double, model->npair);
    p->stage_info = TRXI_TAKE(arena, trx_stage_info, p->nstage);
    p->u_guess = TRXI_TAKE(arena, double, nu * steps);
    p->x_guess = TRXI_TAKE(arena, double, (size_t)p->rollout.nstate * (steps + 1));
    p->K_guess = TRXI_TAKE(arena, double, nu * nx * steps);
    p->x_fine = TRXI_TAKE(arena, double, p->rollout.nstate);
    p->x_plan = TRXI_TAKE(arena, double, p->rollout.nstate);
    p->u_fine = TRXI_TAKE(arena, double, nu);
    trxi_goal_results_layout(arena, problem, &p->physical_errors, &p->physical_goals);
    trxi_goal_results_layout(arena, problem, &p->fine_errors, &p->fine_goals);
    p->physical_limits = TRXI_TAKE(arena, trx_limit_result, p->limits.count);
    p->fine_limits = TRXI_TAKE(arena, trx_limit_result, p->limits.count);
    p->x = TRXI_TAKE(arena, double, (size_t)p->rollout.nstate * (steps + 1));
    p->u = TRXI_TAKE(arena, double, nu * steps);
    p->K = TRXI_TAKE(arena, double, nu * nx * steps);
    p->A = TRXI_TAKE(arena, double, nx * nx * steps);
    p->B = TRXI_TAKE(arena, double, nx * nu * steps);
}

static void fill_rollout(trx_plan *p, const trx_plan_problem *problem)
{
    trxi_rollout *r = &p->rollout;
    r->dynamics = trxi_dynamics_of_sim(p->sim);
    r->cost = &p->limited;
    for (int i = 0; i < r->nu; i++) {
        r->u_lower[i] = p->model->actuators[i].lower;
        r->u_upper[i] = p->model->actuators[i].upper;
    }
    trxi_plan_keep_start(p, problem->x0, 0);
    trxi_plan_keep_controls(p, problem->u_guess);
    trxi_plan_keep_states(p, problem->x_guess);
}

// copies stages, with an explicit list of the pairs that each stage changes
static void fill_stages(trx_plan *p, const trx_stage *stages)
{
    int npair = p->model->npair;
    for (int j = 0; j < npair; j++) p->friction[j] = 1;
    for (int i = 0; i < p->nstage; i++) {
        bool *pairs = p->stage_pairs + i * npair;
        for (int j = 0; j < npair; j++)
            pairs[j] = stages[i].pairs ? stages[i].pairs[j] : trxi_model_pair(p->model, j).actuated;
        p->stages[i] = stages[i];
        p->stages[i].friction_margin = fmax(stages[i].friction_margin, p->settings.friction_margin);
        p->stages[i].pairs = pairs;
    }
}

static void fill_info(trx_plan *p)
{
    p->info = (trx_plan_info){.status = TRX_ERR_NO_STEP, .message = p->message, .cost = INFINITY, .nstage = p->nstage,
                              .stages = p->stage_info, .ngoal = p->cost.ngoal, .nlimit = p->limits.count};
    trxi_plan_forget_replays(p);
}

static trx_status build(trx_context *context, const trx_plan_problem *problem, const trx_stage *stages, trx_plan *p)
{
    trxi_arena arena = {0};
    plan_layout(&arena, problem, p);
    p->block = trxi_allocate(context, arena.used);
    if (!p->block) return TRX_ERR_MEMORY;
    arena = (trxi_arena){.base = p->block};
    plan_layout(&arena, problem, p);

    // derivatives need an exact contact solve (theory 5)
    p->sim_settings = problem->sim;
    p->sim_settings.tolerance = fmin(p->sim_settings.tolerance, 1e-10);
    trx_status status = trx_sim_create(context, p->model, &p->sim_settings, &p->sim);
    if (status < 0 || (status = trxi_sim_reserve_derivatives(p->sim)) < 0) return status;

    trxi_cost_fill(problem, &p->cost);
    trxi_limit_set_fill(problem, &p->limits);
    p->cost.dynamics = &p->rollout.dynamics;
    p->limited = p->cost;
    p->limited.limits = &p->limits;
    fill_rollout(p, problem);
    if ((status = trxi_limits_check_start(context, &p->limits, &p->limited, p->rollout.x0)) < 0) return status;
    if ((status = trxi_team_start(context, problem, &p->sim_settings, &p->rollout, &p->team)) < 0) return status;
    p->rollout.team = &p->team;
    fill_stages(p, stages);
    trxi_goal_results_fill(&p->cost, p->physical_errors, p->physical_goals);
    trxi_goal_results_fill(&p->cost, p->fine_errors, p->fine_goals);
    fill_info(p);
    p->work.rollout = &p->rollout;
    p->work.current = &p->trajectories[0];
    p->work.trial = &p->trajectories[1];
    if ((status = p->method->create(context, &p->settings, &p->work, &p->solver)) < 0) return status;

    // try every stage now, so that the simulator does not refuse a stage in the middle of a solve
    for (int i = 0; i < p->nstage && status >= 0; i++) status = trxi_stage_apply(p, &p->stages[i]);
    return status < 0 ? status : TRX_OK;
}

trx_status trx_plan_create(trx_context *context, const trx_plan_problem *problem, const trx_plan_settings *settings,
                           trx_plan **plan)
{
    if (!context) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    if (!plan) return trxi_fail(context, TRX_ERR_ARGUMENT, "trx_plan_create: no place for the plan");
    *plan = NULL;
    trx_stage stages[TRXI_MAX_STAGES];
    int nstage;
    trx_status status = trxi_plan_check(context, problem, settings);
    if (status < 0 || (status = choose_stages(context, problem, stages, &nstage)) < 0) return status;

    trx_plan *p = trxi_allocate(context, sizeof *p);
    if (!p) return TRX_ERR_MEMORY;
    p->context = context;
    p->model = problem->model;
    p->settings = *settings;
    p->method = trxi_method_find(settings->method);
    p->journal = trxi_journal_create(context);
    p->progress = trxi_text_create(context);
    p->nstage = nstage;
    p->most_steps = problem->steps;
    if ((status = build(context, problem, stages, p)) < 0) {
        trx_plan_destroy(p);
        return status;
    }
    *plan = p;
    return TRX_OK;
}

void trx_plan_destroy(trx_plan *plan)
{
    if (!plan) return;
    trx_context *context = plan->context;
    plan->method->destroy(context, plan->solver);
    trxi_team_stop(&plan->team);
    trx_sim_destroy(plan->sim);
    trxi_journal_destroy(&plan->journal);
    trxi_text_destroy(&plan->progress);
    trxi_release(context, plan->block);
    trxi_release(context, plan);
}

trx_plan_info trx_plan_get_info(const trx_plan *plan)
{
    return plan->info;
}

int trx_plan_stages(const trx_plan *plan, const trx_stage **stages)
{
    *stages = plan->stages;
    return plan->nstage;
}

const double *trx_plan_states(const trx_plan *plan)
{
    return plan->x;
}

const double *trx_plan_controls(const trx_plan *plan)
{
    return plan->u;
}

const double *trx_plan_gains(const trx_plan *plan)
{
    return plan->K;
}

const double *trx_plan_A(const trx_plan *plan)
{
    return plan->A;
}

const double *trx_plan_B(const trx_plan *plan)
{
    return plan->B;
}
