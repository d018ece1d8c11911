// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// One quantity at one state, computed by a temporary cost with a single term (theory 7). Used for targets that depend on
// the start state. Costs one evaluation of the kinematics.

#include "trajopt/measure.h"

#include "trajopt/cost.h"

trx_status trxi_measure(trx_context *context, const trx_model *model, const trx_cost_term *term, const double *x,
                        double *out)
{
    trx_plan_problem problem = trx_plan_problem_default();
    trx_cost_term measured = *term;
    trxi_cost cost;
    trxi_arena arena = {0};
    measured.name = NULL;
    measured.target = NULL;
    measured.weight_stride = 0;
    problem.model = model, problem.steps = 1, problem.terms = &measured, problem.nterm = 1;

    // the cost needs a weight, although it is not used
    trxi_cost_layout(&arena, &problem, &cost);
    TRXI_TAKE(&arena, double, trx_cost_term_dimension(model, term));
    char *memory = trxi_allocate(context, arena.used);
    if (!memory) return TRX_ERR_MEMORY;
    arena = (trxi_arena){.base = memory};
    trxi_cost_layout(&arena, &problem, &cost);
    measured.weight = TRXI_TAKE(&arena, double, trx_cost_term_dimension(model, term));
    trxi_cost_fill(&problem, &cost);
    trxi_cost_residual(&cost, 0, 0, x, NULL, out);
    trxi_release(context, memory);
    return TRX_OK;
}
