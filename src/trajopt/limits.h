// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Limits of a plan (theory 7): bounds on residuals of terms, with a multiplier per knot and component and a penalty per
// component, and their part in the augmented Lagrangian of a knot.

#ifndef TRXI_TRAJOPT_LIMITS_H
#define TRXI_TRAJOPT_LIMITS_H

#include "formats/journal.h"
#include "trajopt/quantities.h"
#include "trajopt/term_expansion.h"

typedef struct trxi_plan_limit {
    trxi_term term;
    double *lower, *upper;  // dim
    int first, last;        // knots of the horizon at which the limit holds; last < first: none
    int first_free;         // first of these knots whose value a plan can change
    int last_asked;         // last knot for any horizon; INT_MAX: the end of the horizon
    bool at_end;            // the limit holds at the end of the horizon alone
    double tolerance;
    trx_source source;
    double *penalty;        // dim: rho, 0 before the first update
    double *most_penalty;   // dim
    double *distance, *now; // dim: distance from the optimality conditions at the last update; scratch of the next update
    double *multiplier;     // dim x knots of the longest horizon: y, positive at an upper bound, negative at a lower one
    int most_exceeded;      // largest number of knots beyond the bounds at an update of the multipliers
} trxi_plan_limit;

typedef struct trxi_limit_set {
    int count;
    trxi_plan_limit *limits;
    double offset; // - sum of y^2 / (2 rho) over all knots
} trxi_limit_set;

/// A knot at which terms are evaluated. Scratch arrays have the largest dimension of a term.
typedef struct trxi_knot {
    const trx_model *model;
    trxi_term_work *work; // kinematics at x
    int knot;
    const double *x, *u; // u: NULL at the end
    double *residual, *error, *curvature;
    double *hessians; // nx x nx, nu x nu, nx x nu; only with limits
} trxi_knot;

/// Carves the arrays for the problem's limits; trxi_limit_set_fill then copies the limits (validated before).
void trxi_limit_set_layout(trxi_arena *arena, const trx_plan_problem *problem, trxi_limit_set *set);
void trxi_limit_set_fill(const trx_plan_problem *problem, trxi_limit_set *set);

/// Forgets multipliers and penalties.
void trxi_limit_set_reset(trxi_limit_set *set);

/// Visits multipliers and penalties.
void trxi_limit_set_visit(trxi_visitor *visitor, trxi_limit_set *set);

/// Shifts the multipliers by `knots`: knot k takes the multipliers of knot k + knots; the last multipliers are repeated.
void trxi_limit_set_shift(trxi_limit_set *set, int knots);

/// Changes the horizon to `steps` steps, at most as many as at the layout. Limits at the end move there with their multipliers;
/// added knots have no multipliers.
void trxi_limit_set_use_steps(trxi_limit_set *set, int steps);

/// Adds to *poses and *rates what the limits need at a knot.
void trxi_limit_set_needs(const trxi_limit_set *set, int knot, bool *poses, bool *rates);

/// Writes the residual of a limit at a knot (dim).
void trxi_limit_residual(const trxi_plan_limit *limit, const trxi_knot *at, double *r);

/// Distance of a value from the bounds of component i, 0 within.
double trxi_limit_excess(const trxi_plan_limit *limit, int i, double value);

static inline bool trxi_limit_holds(const trxi_plan_limit *limit, int knot)
{
    return knot >= limit->first && knot <= limit->last;
}

static inline bool trxi_limit_is_free(const trxi_plan_limit *limit, int knot)
{
    return knot >= limit->first_free && knot <= limit->last;
}

/// Whether a plan can change the limit's value at a knot. `end`: the knot is the last one of the horizon and has no controls.
static inline bool trxi_limit_counts(const trxi_plan_limit *limit, int knot, bool end)
{
    return trxi_limit_is_free(limit, knot) && !(end && trxi_quantity_is(limit->term.quantity, TRXI_PER_STEP));
}

static inline double *trxi_limit_multiplier(const trxi_plan_limit *limit, int knot)
{
    return limit->multiplier + (size_t)limit->term.dim * (size_t)(knot - limit->first);
}

/// The part of a knot in the augmented Lagrangian, without the offset.
double trxi_limit_set_value(const trxi_limit_set *set, const trxi_knot *at);
/// The same; also adds the derivatives of this part to `out`.
double trxi_limit_set_expand(const trxi_limit_set *set, const trxi_knot *at, const trxi_expansion *out);

#endif
