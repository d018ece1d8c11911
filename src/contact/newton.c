// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Newton's method on one island of the convex contact problem (theory 5), with two iterates, `now` and `next`. A step is tried by
// evaluating `next`, and accepted by swapping the two. A start outside the barriers is scaled towards v = 0,
// which is inside unless a prescribed motion closes a gap. The method ends at the relative tolerance or at the round-off floor
// of the residual, whichever comes first (rounding.c). Any other end is a negative status.

#include "contact/island_solvers.h"

#include "contact/balance.h"
#include "contact/barrier.h"
#include "contact/hessian.h"
#include "contact/islands.h"
#include "contact/line_search.h"
#include "contact/rounding.h"

// a step adds its change to the balance; after so many additions the balance is computed again. A solve with many iterations has
// stiff contacts and computes the balance after each step
enum { MOST_SUMS = 4 };

// judges the residual. Before a solve may end, a balance made by additions is computed again and judged again
static void judge_computed(const trxi_contact_problem *problem, trxi_island *island, double tolerance, bool thorough, trxi_work *s,
                           trxi_verdict *verdict)
{
    trxi_rounding_judge(problem, island, tolerance, thorough, s, verdict);
    if (!verdict->settled || island->now->sums == 0) return;
    trxi_balance_compute(problem, island, s, island->now);
    trxi_rounding_judge(problem, island, tolerance, thorough, s, verdict);
}

// true when the residual of `now` may be rounding
static bool is_rounding(const trxi_contact_problem *problem, trxi_island *island, double tolerance, trxi_work *s)
{
    trxi_verdict verdict = {.residual = INFINITY};
    if (island->now->sums > 0) trxi_balance_compute(problem, island, s, island->now);
    trxi_rounding_judge(problem, island, tolerance, true, s, &verdict);
    return verdict.settled;
}

// H dv = -r; returns the slope dv . r, which is negative except at rounding level
static double newton_direction(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s)
{
    if (!trxi_hessian_factorize(problem, island, s)) return 0;
    trxi_island_combine(island, s, NULL, -1, island->now->r, s->dv);
    trxi_hessian_solve(problem, island, s, 1, s->dv, s->nv);
    return trxi_island_dot(island, s, s->dv, island->now->r);
}

// takes one step along dv. Most steps are full steps, whose slope follows from the residual that the next iteration needs. Returns
// false when v is already at rounding level
static bool advance(const trxi_contact_problem *problem, trxi_island *island, double slope, bool full, double tolerance,
                    const trxi_verdict *verdict, trxi_work *s)
{
    const double slope1 = full ? trxi_line_search_full(problem, island, s) : 0;
    if (full && trxi_line_search_accepts(s, slope, slope1)) {
        trxi_balance_accept(island);
        return true;
    }

    const bool uncertain = trxi_rounding_may_be(verdict, tolerance);
    if (uncertain && is_rounding(problem, island, tolerance, s)) return false;
    const bool within = full && !uncertain && isfinite(slope1);
    const double alpha = within ? trxi_line_search_within(problem, island, slope, slope1, s)
                                : trxi_line_search(problem, island, slope, s);
    trxi_balance_accept(island);
    if (!uncertain) return true;

    // near rounding, compute the balance again: at a kink the last digit of v may decide between a soft and a stiff side
    trxi_balance_compute(problem, island, s, island->now);
    if (alpha > 0) return true;
    s->stats.floor = s->stats.residual;
    return false;
}

trx_status trxi_newton(const trxi_contact_problem *problem, trxi_island *island, double tolerance, int max_iterations,
                       trxi_work *s)
{
    const double entry = island->barriers ? trxi_barrier_entry(problem->blocks, island->block, island->now->v) : 1;
    if (entry < 1) trxi_island_combine(island, s, NULL, entry, island->now->v, island->now->v);
    trxi_balance_compute(problem, island, s, island->now);

    // a barrier limits steps
    const bool full = !s->backtracking && !island->barriers;
    trxi_verdict verdict = {.residual = INFINITY};
    for (int iteration = 0, stuck = 0;; iteration++, s->stats.iterations++) {
        if (!trxi_island_finite(island, s, island->now->r)) return TRX_ERR_NOT_FINITE;
        const bool thorough = trxi_rounding_is_thorough(iteration, max_iterations);
        const double last = verdict.residual;
        judge_computed(problem, island, tolerance, thorough, s, &verdict);
        if (!verdict.finite) return TRX_ERR_NOT_FINITE;

        // the floor is an upper bound: with tolerance 0, continue below the floor while the residual still halves
        const bool lowest = !(verdict.residual < 0.5 * last);
        stuck = lowest ? stuck + 1 : 0;
        if (tolerance == 0 && island->now->sums == 0 && trxi_rounding_is_stuck(&verdict, stuck)) return TRX_ROUND_OFF;
        if (verdict.settled && (tolerance > 0 || lowest)) return verdict.at_floor ? TRX_ROUND_OFF : TRX_OK;
        if (iteration == max_iterations) return verdict.settled ? TRX_ROUND_OFF : TRX_ERR_NOT_CONVERGED;

        const double slope = newton_direction(problem, island, s);
        if (!(slope < 0))
            return verdict.settled || is_rounding(problem, island, tolerance, s) ? TRX_ROUND_OFF : TRX_ERR_ILL_CONDITIONED;
        if (!advance(problem, island, slope, full, tolerance, &verdict, s)) return TRX_ROUND_OFF;
        const int sums = island->now->sums;
        if (sums == MOST_SUMS || (sums > 0 && thorough)) trxi_balance_compute(problem, island, s, island->now);
    }
}
