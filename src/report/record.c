// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Recording of a plan's result, and common parts of recordings.
//
// A plan gives states, controls, gains and derivatives. Its contacts are computed by repeating each of its steps
// from the recorded state under the physical law, as in the replay.

#include "math/dense.h"
#include "report/judge.h"
#include "trajopt/plan.h"

#include <math.h>
#include <string.h>

trx_status trxi_run_begin(trx_run *run, double time_step, int first, int steps, bool keep)
{
    size_t nx = (size_t)run->size.nstate;
    run->time_step = time_step;
    run->first = first;
    run->steps = steps;
    run->every = 1;
    run->ncontact = 0;
    run->contact_capacity = 0;
    run->contact_rows = 0;
    run->contacts = NULL;
    run->A = run->B = run->K = NULL;
    run->x = run->u = NULL;
    run->frames = (trxi_frames){0};
    run->statistics = (trxi_statistics){0};
    run->written = false;
    run->ngoal = 0;
    run->physical = (trx_replay){.status = TRX_OK};
    run->fine = run->physical;
    run->message = "";
    if (!keep) return TRX_OK;
    run->x = TRXI_POOL(run->pool, double, nx * ((size_t)steps + 1));
    run->u = TRXI_POOL(run->pool, double, (size_t)run->size.nu * (size_t)steps + 1);
    return run->x && run->u ? TRX_OK : TRX_ERR_MEMORY;
}

bool trxi_run_shows(const trx_run *run, int knot)
{
    return knot == run->first || knot % run->every == 0;
}

trx_status trxi_run_add_contacts(trx_run *run, int knot, const trx_contact *contacts, int count)
{
    while (run->ncontact + count > run->contact_capacity) {
        int capacity = run->contact_capacity;
        trxi_contact_row *grown = trxi_pool_grow(run->pool, run->contacts, run->ncontact, &capacity, sizeof *grown);
        if (!grown) return TRX_ERR_MEMORY;
        run->contacts = grown;
        run->contact_capacity = capacity;
    }
    for (int i = 0; i < count; i++) run->contacts[run->ncontact++] = (trxi_contact_row){knot, contacts[i]};
    run->contact_rows += count;
    return TRX_OK;
}

double *trxi_run_copy_matrices(trxi_pool *pool, const double *matrices, int rows, int cols, int count)
{
    size_t size = (size_t)rows * (size_t)cols;
    double *copy = TRXI_POOL(pool, double, size * (size_t)count + 1);
    if (!copy) return NULL;
    for (size_t k = 0; k < (size_t)count; k++) trxi_transpose(rows, cols, matrices + size * k, rows, copy + size * k, cols);
    return copy;
}

// an array of words that belong to the model
static const char *const *copy_words(trx_run *run, const char *const *words, int count)
{
    const char **copy = TRXI_POOL(run->pool, const char *, count + 1);
    if (copy) memcpy(copy, words, (size_t)count * sizeof *words);
    return copy;
}

static const trx_goal_result *copy_goals(trx_run *run, const trx_goal_result *goals, int count)
{
    trx_goal_result *copy = TRXI_POOL(run->pool, trx_goal_result, count + 1);
    for (int i = 0; copy && i < count; i++) {
        copy[i] = goals[i];
        copy[i].name = trxi_pool_string(run->pool, goals[i].name, strlen(goals[i].name));
        double *components = TRXI_POOL(run->pool, double, goals[i].ncomponent);
        if (!copy[i].name || !components) return NULL;
        memcpy(components, goals[i].components, (size_t)goals[i].ncomponent * sizeof *components);
        copy[i].components = components;
        copy[i].names = copy_words(run, goals[i].names, goals[i].ncomponent);
        copy[i].units = copy_words(run, goals[i].units, goals[i].ncomponent);
        if (!copy[i].names || !copy[i].units) return NULL;
    }
    return copy;
}

static const trx_limit_result *copy_limits(trx_run *run, const trx_limit_result *limits, int count)
{
    trx_limit_result *copy = TRXI_POOL(run->pool, trx_limit_result, count + 1);
    for (int i = 0; copy && i < count; i++) {
        copy[i] = limits[i];
        copy[i].name = trxi_pool_string(run->pool, limits[i].name, strlen(limits[i].name));
        if (!copy[i].name) return NULL;
    }
    return copy;
}

// settings and results of the stages
static trx_status record_stages(trx_run *run, const trx_plan *plan, const trx_plan_settings *settings, const trx_plan_info *info)
{
    trxi_stage_record *records = TRXI_POOL(run->pool, trxi_stage_record, info->nstage + 1);
    if (!records) return TRX_ERR_MEMORY;
    const trx_stage *stages;
    trx_plan_stages(plan, &stages);
    for (int i = 0; i < info->nstage; i++) {
        records[i] = (trxi_stage_record){stages[i], info->stages[i]};
        records[i].set.pairs = NULL; // the flags belong to the plan
        if (records[i].set.iterations < 0) records[i].set.iterations = settings->iterations;
        if (isnan(records[i].set.tolerance)) records[i].set.tolerance = settings->tolerance;
    }
    run->stages = records;
    run->nstage = info->nstage;
    return TRX_OK;
}

trx_status trxi_run_join_stages(trx_run *run, const trxi_stage_record *before, int count)
{
    trxi_stage_record *joined = TRXI_POOL(run->pool, trxi_stage_record, count + run->nstage + 1);
    if (!joined) return TRX_ERR_MEMORY;
    memcpy(joined, before, (size_t)count * sizeof *joined);
    memcpy(joined + count, run->stages, (size_t)run->nstage * sizeof *joined);
    run->stages = joined;
    run->nstage += count;
    return TRX_OK;
}

static trx_status record_info(trx_run *run, const trx_plan_info *info)
{
    run->status = info->status;
    run->message = trxi_pool_string(run->pool, info->message, strlen(info->message));
    run->planned = true;
    run->has_cost = true;
    run->cost = info->cost;
    run->iteration_count = info->iterations;
    run->solve = info->seconds;
    run->second_try = info->second_try;
    run->physical = info->physical;
    run->fine = info->fine;
    run->ngoal = info->ngoal;
    run->physical.goals = copy_goals(run, info->physical.goals, info->ngoal);
    run->fine.goals = copy_goals(run, info->fine.goals, info->ngoal);
    run->physical.limits = copy_limits(run, info->physical.limits, info->nlimit);
    run->fine.limits = copy_limits(run, info->fine.limits, info->nlimit);
    const bool complete = run->message && run->physical.goals && run->fine.goals && run->physical.limits && run->fine.limits;
    return complete ? TRX_OK : TRX_ERR_MEMORY;
}

// repeats every step of the replay to list its contacts and forces; lists none from the step on where the replay failed
static trx_status record_steps(trx_run *run, const trx_plan_problem *problem)
{
    trx_sim *sim;
    trx_status status = trxi_frames_begin(run->pool, run->size, 0, run->steps, 1, false, &run->frames);
    if (status < 0 || (status = trx_sim_create(run->context, run->model, &problem->sim, &sim)) < 0) return status;
    size_t nx = (size_t)run->size.nstate, nu = (size_t)run->size.nu;
    bool fine = true;
    for (int k = 0; k <= run->steps && status >= 0; k++) {
        const double *x = run->x + nx * (size_t)k;
        const trx_contact *contacts = NULL;
        trx_sim_set_time(sim, k * run->time_step);
        fine = fine && k < run->steps && trx_step(sim, x, run->u + nu * (size_t)k, NULL) >= 0;
        int count = fine ? trx_sim_contacts(sim, &contacts) : 0;
        trxi_frames_add(&run->frames, k, x, fine ? sim : NULL, count);
        status = trxi_run_add_contacts(run, k, contacts, count);
    }
    trx_sim_destroy(sim);
    return status < 0 ? status : TRX_OK;
}

// judges the limits of the model and puts the limits of the problem, which the plan has judged, before them
static trx_status judge_limits(trx_run *run, int nasked)
{
    trxi_judge judge;
    size_t nx = (size_t)run->size.nstate, nu = (size_t)run->size.nu;
    trx_status status = trxi_judge_begin(run, NULL, &judge);
    for (int k = 0; status >= 0 && k <= run->steps; k++)
        trxi_judge_knot(&judge, k, run->x + nx * (size_t)k, k < run->steps ? run->u + nu * (size_t)k : NULL);
    trxi_judge_finish(&judge);
    return status < 0 ? status : trxi_run_ask_limits(run, run->physical.limits, nasked);
}

// number of steps whose states and controls are finite; a failed replay has no numbers after its failure
static int finite_steps(const trx_run *run, const double *x, const double *u, int steps)
{
    size_t nx = (size_t)run->size.nstate, nu = (size_t)run->size.nu;
    for (int k = 0; k < steps; k++) {
        for (size_t i = 0; i < nx; i++)
            if (!isfinite(x[nx * ((size_t)k + 1) + i])) return k;
        for (size_t i = 0; i < nu; i++)
            if (!isfinite(u[nu * (size_t)k + i])) return k;
    }
    return steps;
}

// the policy of a plan, as the section `policy` says; a plan whose replay failed has none
static trx_status record_policy(trx_run *run, const trx_plan *plan)
{
    const trx_policy_settings settings = trx_problem_policy(run->problem);
    trx_policy_destroy(run->policy);
    run->policy = NULL;
    if (trx_plan_get_info(plan).physical.status < 0) return TRX_OK;
    const trx_status status = trx_policy_of_plan(plan, &settings, &run->policy);
    return status == TRX_ERR_MEMORY ? status : TRX_OK; // a plan without a policy is still a plan
}

trx_status trx_run_set_plan(trx_run *run, const trx_plan *plan)
{
    if (!run) return TRX_ERR_ARGUMENT;
    trxi_begin(run->context);
    if (!plan) return trxi_fail(run->context, TRX_ERR_ARGUMENT, "no plan given");
    trx_plan_problem problem = trx_plan_problem_default();
    trx_plan_settings settings = trx_plan_settings_default();
    trx_status status = trx_problem_plan(run->problem, &problem, &settings);
    if (status < 0) return status;
    problem.steps = plan->rollout.steps; // a refined plan has more and shorter steps than the problem
    problem.sim.time_step = plan->sim_settings.time_step;
    int nx = run->size.nstate, ndx = run->size.ntangent, nu = run->size.nu;
    int steps = finite_steps(run, trx_plan_states(plan), trx_plan_controls(plan), problem.steps);
    if ((status = trxi_run_begin(run, problem.sim.time_step, 0, steps, true)) < 0) return status;
    memcpy(run->x, trx_plan_states(plan), sizeof(double) * (size_t)nx * ((size_t)steps + 1));
    memcpy(run->u, trx_plan_controls(plan), sizeof(double) * (size_t)nu * (size_t)steps);

    run->A = trxi_run_copy_matrices(run->pool, trx_plan_A(plan), ndx, ndx, steps);
    run->B = trxi_run_copy_matrices(run->pool, trx_plan_B(plan), ndx, nu, steps);
    run->K = trxi_run_copy_matrices(run->pool, trx_plan_gains(plan), nu, ndx, steps);
    if (!run->A || !run->B || !run->K) return TRX_ERR_MEMORY;

    trx_plan_info info = trx_plan_get_info(plan);
    if ((status = record_info(run, &info)) < 0) return status;
    if ((status = record_stages(run, plan, &settings, &info)) < 0) return status;
    if ((status = record_steps(run, &problem)) < 0) return status;
    if ((status = record_policy(run, plan)) < 0) return status;
    return judge_limits(run, info.nlimit);
}
