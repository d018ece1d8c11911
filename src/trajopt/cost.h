// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The cost of a knot: the sum of its terms, gradient and Gauss-Newton Hessian (theory 7).

#ifndef TRXI_TRAJOPT_COST_H
#define TRXI_TRAJOPT_COST_H

#include "judge/goals.h"
#include "trajopt/limit_rows.h"

typedef struct trxi_cost {
    const trx_model *model;
    int steps;          // N
    double start_time, time_step; // at knot 0, from knot to knot [s]
    int nterm, ngoal;
    trxi_term *terms;
    trxi_term_work work;
    trxi_kinematics own; // poses computed here
    double *residual, *error, *curvature; // largest dimension of a term: scratch
    double *hessians; // scratch of the derivatives of limits
    const trxi_limit_set *limits; // added to every value and expansion as an augmented Lagrangian; NULL: none
    const trxi_limit_rows *rows;  // receive the residuals and derivatives of the limits at every evaluation; NULL: not wanted
    const double *controls; // nu x N: of the trajectory whose knots follow, for control rates; NULL: unknown, rates are 0
    bool forces;                   // some terms are contact forces, which belong to the step from a knot
    const trxi_dynamics *dynamics; // takes these steps; needed with such terms only
    double *A, *B, *maps;          // derivatives of such a step
} trxi_cost;

/// Carves the arrays for the problem's terms; trxi_cost_fill then copies the terms (validated before).
void trxi_cost_layout(trxi_arena *arena, const trx_plan_problem *problem, trxi_cost *cost);
void trxi_cost_fill(const trx_plan_problem *problem, trxi_cost *cost);

/// The part of the cost that belongs to no knot.
double trxi_cost_offset(const trxi_cost *cost);

/// l_k(x, u), or l_N(x) at knot N (u is ignored there).
double trxi_cost_value(trxi_cost *cost, int knot, const double *x, const double *u);

/// Returns the same cost and writes its derivatives to `out`.
double trxi_cost_expand(trxi_cost *cost, int knot, const double *x, const double *u, const trxi_expansion *out);

/// The last two functions with known poses `kin` at x. cost->dynamics must then have just taken the step from this knot, and with
/// out->A have linearized it. `kin` NULL: computes the poses, and takes the step if a term needs its forces.
double trxi_cost_value_at(trxi_cost *cost, const trxi_kinematics *kin, int knot, const double *x, const double *u);
double trxi_cost_expand_at(trxi_cost *cost, const trxi_kinematics *kin, int knot, const double *x, const double *u,
                           const trxi_expansion *out);

/// Returns whether a term counts at a knot.
bool trxi_cost_is_active(const trxi_cost *cost, const trxi_term *term, int knot);
/// Computes poses and velocities at x in cost->work, as far as the terms of this knot need them.
void trxi_cost_prepare(trxi_cost *cost, int knot, const double *x);

/// The knot for evaluations of terms and limits, with poses and velocities at x.
trxi_knot trxi_cost_knot(trxi_cost *cost, int knot, const double *x, const double *u);

/// Unweighted residual of a term at a knot.
void trxi_cost_residual(trxi_cost *cost, int term, int knot, const double *x, const double *u, double *r);

/// Jacobian of the residual of a term by tangent coordinates and controls: r_x (dim x ntangent), r_u (dim x nu), column-major. At
/// knot N u is ignored, and r_u is 0. Costs one expansion per component, so it is for checks only. `scratch`: ntangent + ntangent^2
/// + nu + nu^2 numbers.
void trxi_cost_jacobian(trxi_cost *cost, int term, int knot, const double *x, const double *u, double *r_x, double *r_u,
                        double *scratch);

/// Sets another target of a term (validated before), as trx_plan_set_target.
void trxi_cost_set_target(trxi_cost *cost, int term, const double *target, int stride);

/// Carves the arrays for the ngoal goals among the problem's terms.
void trxi_goals_layout(trxi_arena *arena, const trx_plan_problem *problem, trxi_goal_error **goals);

/// Raises goals[..] (ngoal) to the errors at knot `knot`: the largest error over the running knots, or the error at the last knot
/// for terms at the end.
void trxi_cost_goal_errors(trxi_cost *cost, int knot, const double *x, const double *u, trxi_goal_error *goals);

#endif
