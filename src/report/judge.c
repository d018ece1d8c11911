// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// How a trajectory does against the problem's goals and against limits, as it passes by: nothing is kept of a knot.
//
// The error of a goal is the Euclidean norm of the residual's components whose weight is not zero, unweighted: at the
// last knot for terms `at: end`, else the largest over the term's knots (docs/problem_file.md, tolerance). A plan
// comes with its errors; this serves simulations. Joint limits are near-rigid rows of the contact solve (theory 4), met
// up to 1e-3 rad or m, from the first step's end on; controls are met up to round-off.

#include "report/judge.h"

#include "trajopt/cost.h"
#include "trajopt/plan.h"

#include <math.h>

static const double JOINT_TOLERANCE = 1e-3, CONTROL_TOLERANCE = 1e-9;

static double excess(double value, double lower, double upper)
{
    return fmax(0, fmax(lower - value, value - upper));
}

struct trxi_judged_goals {
    trxi_cost cost;
    bool running;            // a goal counts at every knot
    trxi_goal_error *errors; // so far
    trx_goal_result *results;
};

// the cost's terms, and place for the goals among them, in one block
static void layout(trxi_arena *arena, const trx_plan_problem *task, struct trxi_judged_goals **goals)
{
    *goals = TRXI_TAKE(arena, struct trxi_judged_goals, 1);
    trxi_cost cost;
    trxi_cost_layout(arena, task, &cost);
    if (*goals) (*goals)->cost = cost;
    trxi_goal_error *errors;
    trxi_goals_layout(arena, task, &errors);
    if (*goals) (*goals)->errors = errors;
}

static trx_status begin_goals(const trx_plan_problem *task, trxi_judge *judge)
{
    // what only a plan needs must not stop a simulation, which may be longer than any plan
    trx_context *context = judge->run->context;
    trx_plan_problem checked = *task;
    trx_plan_settings settings = trx_plan_settings_default();
    checked.steps = 1;
    trx_status status = trxi_plan_check(context, &checked, &settings);
    if (status < 0) {
        if (status == TRX_ERR_MEMORY) return status;
        trx_context_clear(context);
        return TRX_OK;
    }
    trxi_arena arena = {0};
    layout(&arena, task, &judge->goals);
    arena = (trxi_arena){.base = trxi_allocate(context, arena.used)};
    if (!arena.base) return TRX_ERR_MEMORY;
    layout(&arena, task, &judge->goals);
    struct trxi_judged_goals *goals = judge->goals;
    trxi_cost_fill(task, &goals->cost);

    goals->results = TRXI_POOL(judge->run->pool, trx_goal_result, goals->cost.ngoal + 1);
    if (!goals->results) return TRX_ERR_MEMORY;
    for (int i = 0, goal = 0; i < task->nterm; i++) {
        const trx_cost_term *term = &task->terms[i];
        if (!(term->tolerance > 0)) continue;
        const int dim = goals->errors[goal].dim;
        double *components = TRXI_POOL(judge->run->pool, double, dim);
        if (!components) return TRX_ERR_MEMORY;
        goals->results[goal] = (trx_goal_result){.name = term->name, .tolerance = term->tolerance, .ncomponent = dim,
                                                 .components = components};
        goals->errors[goal++].components = components; // they outlive the judge
        goals->running = goals->running || term->time != TRX_END;
    }
    return TRX_OK;
}

static void add_limit(trxi_judge *judge, const char *name, int column, double lower, double upper, double tolerance)
{
    trx_run *run = judge->run;
    int i = run->nlimit++;
    judge->columns[i] = column;
    judge->lower[i] = lower;
    judge->upper[i] = upper;
    run->limits[i] = (trx_limit_result){name, 0, tolerance, true};
}

static void add_joint(trxi_judge *judge, int joint)
{
    trx_joint_info info = trx_model_joint(judge->run->model, joint);
    if (info.nv != 1 || (isinf(info.lower) && isinf(info.upper))) return;
    const char *name = trxi_pool_printf(judge->run->pool, "%s.position", info.name);
    add_limit(judge, name, info.q_index, info.lower, info.upper, JOINT_TOLERANCE);
}

static void add_actuator(trxi_judge *judge, int actuator)
{
    trx_actuator_info info = trx_model_actuator(judge->run->model, actuator);
    if (isinf(info.lower) && isinf(info.upper)) return;
    double tolerance = CONTROL_TOLERANCE;
    if (isfinite(info.lower)) tolerance = fmax(tolerance, CONTROL_TOLERANCE * fabs(info.lower));
    if (isfinite(info.upper)) tolerance = fmax(tolerance, CONTROL_TOLERANCE * fabs(info.upper));
    const char *name = trxi_pool_printf(judge->run->pool, "u.%s", info.name);
    add_limit(judge, name, -1 - actuator, info.lower, info.upper, tolerance);
}

trx_status trxi_judge_begin(trx_run *run, const trx_plan_problem *task, trxi_judge *judge)
{
    int most = run->size.njoint + run->size.nu;
    *judge = (trxi_judge){.run = run};
    run->nlimit = 0;
    run->limits = TRXI_POOL(run->pool, trx_limit_result, most + 1);
    judge->columns = TRXI_POOL(run->pool, int, most + 1);
    judge->lower = TRXI_POOL(run->pool, double, most + 1);
    judge->upper = TRXI_POOL(run->pool, double, most + 1);
    if (!run->limits || !judge->columns || !judge->lower || !judge->upper) return TRX_ERR_MEMORY;
    for (int i = 0; i < run->size.njoint; i++) add_joint(judge, i);
    for (int i = 0; i < run->size.nu; i++) add_actuator(judge, i);
    for (int i = 0; i < run->nlimit; i++)
        if (!run->limits[i].name) return TRX_ERR_MEMORY;
    return task && task->nterm > 0 ? begin_goals(task, judge) : TRX_OK;
}

void trxi_judge_knot(trxi_judge *judge, int knot, const double *x, const double *u)
{
    trx_run *run = judge->run;
    for (int i = 0; i < run->nlimit; i++) {
        int column = judge->columns[i];
        trx_limit_result *limit = &run->limits[i];
        if (column < 0 ? !u : knot == run->first) continue;
        double value = column < 0 ? u[-1 - column] : x[column];
        limit->violation = fmax(limit->violation, excess(value, judge->lower[i], judge->upper[i]));
        limit->met = limit->violation <= limit->tolerance;
    }
    // the last knot of a simulation that ended early has no controls to judge
    struct trxi_judged_goals *goals = judge->goals;
    bool last = goals && knot == goals->cost.steps;
    if (last || (goals && goals->running && u)) trxi_cost_goal_errors(&goals->cost, knot, x, u, goals->errors);
}

void trxi_judge_finish(trxi_judge *judge)
{
    trx_run *run = judge->run;
    struct trxi_judged_goals *goals = judge->goals;
    if (!goals) return;
    if (goals->results && run->first + run->steps == goals->cost.steps) {
        for (int i = 0; i < goals->cost.ngoal; i++) {
            goals->results[i].error = goals->errors[i].error;
            goals->results[i].met = goals->results[i].error <= goals->results[i].tolerance;
        }
        run->physical.goals = goals->results;
        run->ngoal = goals->cost.ngoal;
    }
    trxi_release(run->context, goals);
    judge->goals = NULL;
}
