// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// How a recorded trajectory does against the problem's goals and against limits.
//
// The error of a goal is the Euclidean norm of the residual's components whose weight is not zero, unweighted: at the
// last knot for terms `at: end`, else the largest over the term's knots (docs/problem_file.md, tolerance). A plan
// comes with its errors; this serves simulations. Joint limits are near-rigid rows of the contact solve (theory 4), met
// up to 1e-3 rad or m; controls are met up to round-off.

#include "report/run.h"

#include <math.h>

static const double JOINT_TOLERANCE = 1e-3, CONTROL_TOLERANCE = 1e-9;

// error of one term at one knot; false when it cannot be evaluated there
static bool error_at(trx_plan *plan, const trx_run *run, int term, const trx_cost_term *def, int knot, double *residual,
                     double *error)
{
    size_t nx = (size_t)(run->size.nq + run->size.nv), nu = (size_t)run->size.nu;
    int last = run->steps > 0 ? run->steps - 1 : 0;
    const double *u = run->u + nu * (size_t)(knot < last ? knot : last);
    if (trx_plan_residual(plan, term, knot, run->x + nx * (size_t)knot, u, residual) < 0) return false;
    double sum = 0;
    int n = trx_cost_term_dimension(run->model, def);
    for (int i = 0; i < n; i++)
        if (def->weight[i] > 0) sum += residual[i] * residual[i];
    *error = sqrt(sum);
    return true;
}

static bool judge_goal(trx_plan *plan, const trx_run *run, int term, const trx_cost_term *def, double *residual,
                       trx_goal_result *goal)
{
    int first = def->time == TRX_END ? run->steps : 0;
    int end = def->time == TRX_RUNNING ? run->steps : run->steps + 1;
    *goal = (trx_goal_result){.name = def->name, .tolerance = def->tolerance};
    for (int k = first; k < end; k++) {
        double error = 0;
        if (!error_at(plan, run, term, def, k, residual, &error)) return false;
        goal->error = fmax(goal->error, error);
    }
    goal->met = goal->error <= goal->tolerance;
    return true;
}

trx_status trxi_run_judge_goals(trx_run *run)
{
    trx_plan_problem problem = trx_plan_problem_default();
    trx_plan_settings settings = trx_plan_settings_default();
    bool complete = run->steps == trx_problem_steps(run->problem);
    if (!complete || !trx_problem_has_cost(run->problem)) return TRX_OK;

    // what only `plan` needs must not stop a simulation
    trx_plan *plan = NULL;
    trx_status status = trx_problem_plan(run->problem, &problem, &settings);
    if (status >= 0) status = trx_plan_create(run->context, &problem, &settings, &plan);
    if (status < 0) {
        if (status != TRX_ERR_MEMORY) trx_context_clear(run->context);
        return status == TRX_ERR_MEMORY ? status : TRX_OK;
    }

    int longest = 1;
    for (int i = 0; i < problem.nterm; i++) {
        int n = trx_cost_term_dimension(run->model, &problem.terms[i]);
        if (n > longest) longest = n;
    }
    double *residual = TRXI_POOL(run->pool, double, longest);
    trx_goal_result *goals = TRXI_POOL(run->pool, trx_goal_result, problem.nterm + 1);
    run->ngoal = 0;
    for (int i = 0; residual && goals && i < problem.nterm; i++)
        if (problem.terms[i].tolerance > 0 && judge_goal(plan, run, i, &problem.terms[i], residual, &goals[run->ngoal]))
            run->ngoal++;
    run->physical.goals = goals;
    trx_plan_destroy(plan);
    return residual && goals ? TRX_OK : TRX_ERR_MEMORY;
}

static double excess(double value, double lower, double upper)
{
    return fmax(fmax(lower - value, value - upper), 0);
}

// one row per limited joint, over all knots but the given first
static bool judge_joint(trx_run *run, int joint, trx_limit_result *limit)
{
    trx_joint_info info = trx_model_joint(run->model, joint);
    if (info.nv != 1 || (isinf(info.lower) && isinf(info.upper))) return false;
    size_t nx = (size_t)(run->size.nq + run->size.nv);
    double worst = 0;
    for (int k = 1; k <= run->steps; k++)
        worst = fmax(worst, excess(run->x[nx * (size_t)k + (size_t)info.q_index], info.lower, info.upper));
    const char *name = trxi_pool_printf(run->pool, "%s.position", info.name);
    *limit = (trx_limit_result){name, worst, JOINT_TOLERANCE, worst <= JOINT_TOLERANCE};
    return true;
}

static bool judge_actuator(trx_run *run, int actuator, trx_limit_result *limit)
{
    trx_actuator_info info = trx_model_actuator(run->model, actuator);
    if (isinf(info.lower) && isinf(info.upper)) return false;
    double worst = 0, tolerance = CONTROL_TOLERANCE;
    if (isfinite(info.lower)) tolerance = fmax(tolerance, CONTROL_TOLERANCE * fabs(info.lower));
    if (isfinite(info.upper)) tolerance = fmax(tolerance, CONTROL_TOLERANCE * fabs(info.upper));
    for (int k = 0; k < run->steps; k++)
        worst = fmax(worst, excess(run->u[k * run->size.nu + actuator], info.lower, info.upper));
    const char *name = trxi_pool_printf(run->pool, "u.%s", info.name);
    *limit = (trx_limit_result){name, worst, tolerance, worst <= tolerance};
    return true;
}

trx_status trxi_run_judge_limits(trx_run *run)
{
    run->nlimit = 0;
    run->limits = TRXI_POOL(run->pool, trx_limit_result, run->size.njoint + run->size.nu + 1);
    if (!run->limits) return TRX_ERR_MEMORY;
    for (int i = 0; i < run->size.njoint; i++)
        if (judge_joint(run, i, &run->limits[run->nlimit])) run->nlimit++;
    for (int i = 0; i < run->size.nu; i++)
        if (judge_actuator(run, i, &run->limits[run->nlimit])) run->nlimit++;
    for (int i = 0; i < run->nlimit; i++)
        if (!run->limits[i].name) return TRX_ERR_MEMORY;
    return TRX_OK;
}
