// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The results of a problem's goals (theory 7). Only the errors change from replay to replay; all other members are filled once.

#include "trajopt/goal_results.h"

#include "trajopt/quantities.h"

#include <math.h>

void trxi_goal_results_layout(trxi_arena *arena, const trx_plan_problem *problem, trxi_goal_error **errors,
                              trx_goal_result **results)
{
    int count = 0;
    for (int i = 0; i < problem->nterm; i++) count += problem->terms[i].tolerance > 0;
    trxi_goals_layout(arena, problem, errors);
    *results = TRXI_TAKE(arena, trx_goal_result, count);
    for (int i = 0, goal = 0; i < problem->nterm; i++) {
        if (!(problem->terms[i].tolerance > 0)) continue;
        const int dim = trx_cost_term_dimension(problem->model, &problem->terms[i]);
        const char **names = TRXI_TAKE(arena, const char *, dim), **units = TRXI_TAKE(arena, const char *, dim);
        if (*results) (*results)[goal++] = (trx_goal_result){.ncomponent = dim, .names = names, .units = units};
    }
}

// fills names and units of the components of a term
static void name_components(const trx_model *model, const trxi_term *term, const char **names, const char **units)
{
    for (int i = 0; i < term->dim; i++) {
        names[i] = trxi_term_component(model, term, i);
        units[i] = trxi_term_unit(model, term, i);
    }
}

void trxi_goal_results_fill(const trxi_cost *cost, const trxi_goal_error *errors, trx_goal_result *results)
{
    for (int i = 0, goal = 0; i < cost->nterm; i++) {
        const trxi_term *term = &cost->terms[i];
        if (!(term->tolerance > 0)) continue;
        trx_goal_result *result = &results[goal];
        name_components(cost->model, term, (const char **)result->names, (const char **)result->units);
        result->name = term->name;
        result->tolerance = term->tolerance;
        result->components = errors[goal++].components;
    }
}

int trxi_goal_largest(const trx_goal_result *goal)
{
    int largest = 0;
    for (int i = 1; i < goal->ncomponent; i++)
        if (fabs(goal->components[i]) > fabs(goal->components[largest])) largest = i;
    return largest;
}
