// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Judges a trajectory by the problem's goals and by limits, knot by knot. No knot is kept.
//
// The error of a goal is the Euclidean norm of the residual's components whose weight is not zero, unweighted: at the
// last knot for terms `at: end`, else the largest over the term's knots (docs/problem_file.md, tolerance). A plan
// has its errors already, so this file serves simulations. Limits of joints count from the end of the first step on.

#include "report/judge.h"

#include "trajopt/cost.h"
#include "trajopt/goal_results.h"
#include "trajopt/plan.h"

#include <math.h>
#include <string.h>

struct trxi_judged_goals {
    trxi_cost cost;
    trx_sim *forces;        // a second simulator, which repeats steps for terms of contact forces; NULL: no such terms
    trxi_dynamics dynamics; // of this simulator
    bool running;            // a goal counts at every knot
    trxi_goal_error *errors; // so far
    trx_goal_result *results;
    trxi_limit_set limits;
    trx_limit_result *asked; // of the run: a result for each of these limits
};

// one block: the struct, the terms of the cost, and the set of limits
static void layout(trxi_arena *arena, const trx_plan_problem *task, struct trxi_judged_goals **goals)
{
    *goals = TRXI_TAKE(arena, struct trxi_judged_goals, 1);
    trxi_cost cost;
    trxi_cost_layout(arena, task, &cost);
    if (*goals) (*goals)->cost = cost;
    trxi_limit_set limits;
    trxi_limit_set_layout(arena, task, &limits);
    if (*goals) (*goals)->limits = limits;
}

trx_status trxi_run_ask_limits(trx_run *run, const trx_limit_result *asked, int count)
{
    trx_limit_result *all = TRXI_POOL(run->pool, trx_limit_result, run->nlimit + count + 1);
    if (!all) return TRX_ERR_MEMORY;
    for (int i = 0; i < count; i++) {
        all[i] = asked[i];
        all[i].name = trxi_pool_string(run->pool, asked[i].name, strlen(asked[i].name));
        if (!all[i].name) return TRX_ERR_MEMORY;
    }
    for (int i = 0; i < run->nlimit; i++) all[count + i] = run->limits[i];
    run->limits = all;
    run->nlimit += count;
    run->nasked = count;
    return TRX_OK;
}

// the limits of the task; their results come before the limits of the model
static trx_status begin_limits(const trx_plan_problem *task, trxi_judge *judge)
{
    struct trxi_judged_goals *goals = judge->goals;
    trxi_limit_set_fill(task, &goals->limits);
    goals->cost.limits = &goals->limits;
    trx_limit_result *first = TRXI_POOL(judge->run->pool, trx_limit_result, task->nlimit + 1);
    if (!first) return TRX_ERR_MEMORY;
    trxi_limit_results_reset(&goals->limits, first);
    const trx_status status = trxi_run_ask_limits(judge->run, first, task->nlimit);
    if (status < 0) return status;
    goals->asked = judge->run->limits;
    judge->limits.results = judge->run->limits + task->nlimit;
    return TRX_OK;
}

// the results of the goals, which outlive the judge
static trx_status begin_results(const trx_plan_problem *task, trxi_judge *judge)
{
    struct trxi_judged_goals *goals = judge->goals;
    trxi_arena arena = {0};
    trxi_goal_results_layout(&arena, task, &goals->errors, &goals->results);
    arena = (trxi_arena){.base = TRXI_POOL(judge->run->pool, char, arena.used + 1)};
    if (!arena.base) return TRX_ERR_MEMORY;
    trxi_goal_results_layout(&arena, task, &goals->errors, &goals->results);
    trxi_goal_results_fill(&goals->cost, goals->errors, goals->results);
    for (int i = 0, goal = 0; i < task->nterm; i++) {
        if (!(task->terms[i].tolerance > 0)) continue;
        goals->results[goal++].name = task->terms[i].name;
        goals->running = goals->running || task->terms[i].time != TRX_END;
    }
    return TRX_OK;
}

// whether the goals and limits can be judged on a simulation. Requirements of plans must not stop a simulation: a task that is no
// plan is simulated without goals. The check has one step, because a simulation may be longer than any plan
static trx_status check_task(trx_context *context, const trx_plan_problem *task, bool *judged)
{
    trx_plan_problem checked = *task;
    const trx_plan_settings settings = trx_plan_settings_default();
    checked.steps = 1;
    checked.nlimit = 0;
    const trx_status status = trxi_plan_check(context, &checked, &settings);
    *judged = status >= 0;
    if (*judged || status == TRX_ERR_MEMORY) return status;
    trxi_clear_message(context);
    return TRX_OK;
}

static trx_status begin_goals(const trx_plan_problem *task, trxi_judge *judge)
{
    trx_context *context = judge->run->context;
    trxi_arena arena = {0};
    layout(&arena, task, &judge->goals);
    arena = (trxi_arena){.base = trxi_allocate(context, arena.used)};
    if (!arena.base) return TRX_ERR_MEMORY;
    layout(&arena, task, &judge->goals);
    struct trxi_judged_goals *goals = judge->goals;
    trxi_cost_fill(task, &goals->cost);
    if (goals->cost.forces) {
        const trx_status status = trx_sim_create(context, task->model, &task->sim, &goals->forces);
        if (status < 0) return status;
        goals->dynamics = trxi_dynamics_of_sim(goals->forces);
        goals->cost.dynamics = &goals->dynamics;
    }
    const trx_status status = begin_results(task, judge);
    return status < 0 ? status : begin_limits(task, judge);
}

trx_status trxi_judge_begin(trx_run *run, const trx_plan_problem *task, trxi_judge *judge)
{
    *judge = (trxi_judge){.run = run};
    trx_status status = trxi_limits_begin(run->pool, run->model, &judge->limits);
    if (status < 0) return status;
    run->limits = judge->limits.results;
    run->nlimit = judge->limits.count;
    run->nasked = 0;
    if (!task || (task->nterm == 0 && task->nlimit == 0)) return TRX_OK;
    bool judged;
    status = check_task(run->context, task, &judged);
    return status < 0 || !judged ? status : begin_goals(task, judge);
}

void trxi_judge_knot(trxi_judge *judge, int knot, const double *x, const double *u)
{
    trx_run *run = judge->run;
    trxi_limits_take(&judge->limits, knot, knot == run->first ? NULL : x, u);

    // the last knot of a simulation that ended early has no controls to judge
    struct trxi_judged_goals *goals = judge->goals;
    bool last = goals && knot == goals->cost.steps;
    if (goals && (u || last)) trxi_limit_results_raise(&goals->limits, &goals->cost, knot, x, u, goals->asked);
    if (last || (goals && goals->running && u)) trxi_cost_goal_errors(&goals->cost, knot, x, u, goals->errors);
}

void trxi_judge_finish(trxi_judge *judge)
{
    trx_run *run = judge->run;
    struct trxi_judged_goals *goals = judge->goals;
    if (!goals) return;
    if (goals->results && run->first + run->steps == goals->cost.steps) {
        trxi_goals_conclude(goals->cost.ngoal, goals->errors, true, goals->results);
        run->physical.goals = goals->results;
        run->ngoal = goals->cost.ngoal;
    }
    if (goals->asked) trxi_limit_results_conclude(&goals->limits, true, goals->asked); // NULL: the judge did not begin
    trx_sim_destroy(goals->forces);
    trxi_release(run->context, goals);
    judge->goals = NULL;
}
