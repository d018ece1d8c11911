// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Newton's method on one island of the convex contact problem (theory 5). A start outside the barriers is scaled towards v = 0,
// which is inside. The method ends at the relative tolerance or at the round-off floor of the residual, whichever comes first;
// everything else is a status.

#include "contact/newton.h"

#include "contact/balance.h"
#include "contact/barrier.h"
#include "contact/hessian.h"
#include "contact/islands.h"
#include "contact/line_search.h"

enum { THOROUGH_ITERATIONS = 10, STUCK_ITERATIONS = 4 };
enum { MOST_SUMS = 4 }; // steps whose balances are added up; in a solve that drags on none, as contacts are stiff there
static const double stuck_residual = 1e-10; // relative

// H dv = -r; returns the slope dv . r, which is negative unless rounding has the last word
static double newton_direction(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s)
{
    trxi_island_combine(island, s, NULL, -1, s->r, s->dv);
    trxi_hessian_solve(problem, island, s, 1, s->dv, s->nv);
    return trxi_island_dot(island, s, s->dv, s->r);
}

// a step that does not do what it should may be one below the floor, which is not looked at while residuals fall
static bool may_be_rounding(double tolerance, const trxi_work *s)
{
    return tolerance > 0 && s->stats.floor == 0 && s->stats.residual < trxi_rounding_share * s->stats.scale;
}

// whether the residual at v, computed anew, is one that rounding alone may leave
static bool is_rounding(const trxi_contact_problem *problem, trxi_island *island, double tolerance, trxi_work *s)
{
    bool at_floor;
    trxi_balance_compute(problem, island, s);
    s->thorough = true;
    return trxi_balance_converged(problem, island, tolerance, s, &at_floor);
}

// One step along dv. Most are full ones: the slope there comes with the residual that the next iteration needs. `sums` counts
// the steps since the balance was computed at v: it is added up in the others. False, with v and its balance as before, when v is
// at rounding already.
static bool advance(const trxi_contact_problem *problem, trxi_island *island, double slope, bool full, double tolerance,
                    int *sums, trxi_work *s)
{
    const double slope1 = full ? trxi_line_search_full(problem, island, s) : 0;
    const int before = *sums;
    *sums = 0;
    if (full && trxi_line_search_accepts(s, slope, slope1)) return true;
    *sums = before + 1;
    const bool doubtful = may_be_rounding(tolerance, s);
    if (full && !doubtful && isfinite(slope1)) {
        trxi_line_search_within(problem, island, slope, slope1, s);
        return true;
    }
    if (full) trxi_island_combine(island, s, NULL, 1, s->before, s->v);
    if (doubtful && is_rounding(problem, island, tolerance, s)) return false;
    if (full && !doubtful) trxi_balance_compute(problem, island, s);
    if (trxi_line_search(problem, island, slope, s) > 0 || !doubtful) return true;

    // at a kink the last digit of v may decide between a soft and a stiff side
    trxi_balance_compute(problem, island, s);
    s->stats.floor = s->stats.residual;
    return false;
}

// the residual and whether it is small enough; one that was added up is computed before it is believed
static bool has_settled(const trxi_contact_problem *problem, trxi_island *island, double tolerance, int sums, bool *at_floor,
                        trxi_work *s)
{
    if (!trxi_balance_converged(problem, island, tolerance, s, at_floor)) return false;
    if (sums == 0) return true;
    trxi_balance_compute(problem, island, s);
    return trxi_balance_converged(problem, island, tolerance, s, at_floor);
}

trx_status trxi_newton(const trxi_contact_problem *problem, trxi_island *island, double tolerance, int max_iterations,
                       trxi_work *s)
{
    double last = INFINITY;
    s->stats.residual = INFINITY;
    const double entry = trxi_barrier_entry(problem->blocks, island->block, s->v);
    if (entry < 1) trxi_island_combine(island, s, NULL, entry, s->v, s->v);
    trxi_balance_compute(problem, island, s);

    // a barrier limits steps
    const bool full = !s->backtracking && !trxi_barrier_any(problem->blocks, island->block);
    int sums = 0;
    for (int iteration = 0, stuck = 0;; iteration++) {
        if (!trxi_island_finite(island, s, s->r)) return TRX_ERR_NOT_FINITE;
        s->thorough = iteration == max_iterations || iteration >= THOROUGH_ITERATIONS;
        bool at_floor, settled = has_settled(problem, island, tolerance, sums, &at_floor, s);
        // squares that overflow compare with nothing
        if (!isfinite(s->stats.residual) || !isfinite(s->stats.scale)) return TRX_ERR_NOT_FINITE;

        // the floor is a bound: with tolerance 0 go on below it while the residual still halves
        bool lowest = !(s->stats.residual < 0.5 * last);
        last = s->stats.residual;

        // a residual at v that is tiny and no longer falls is rounding, whatever the bound says
        stuck = lowest ? stuck + 1 : 0;
        if (tolerance == 0 && sums == 0 && stuck >= STUCK_ITERATIONS && last <= stuck_residual * s->stats.scale)
            return TRX_ROUND_OFF;
        if (settled && (tolerance > 0 || lowest)) return at_floor ? TRX_ROUND_OFF : TRX_OK;
        if (iteration == max_iterations) return settled ? TRX_ROUND_OFF : TRX_ERR_NOT_CONVERGED;

        double slope = trxi_hessian_factorize(problem, island, s) ? newton_direction(problem, island, s) : 0;
        if (!(slope < 0))
            return settled || is_rounding(problem, island, tolerance, s) ? TRX_ROUND_OFF : TRX_ERR_ILL_CONDITIONED;
        if (!advance(problem, island, slope, full, tolerance, &sums, s)) return TRX_ROUND_OFF;
        if (sums == MOST_SUMS || (sums > 0 && s->thorough)) trxi_balance_compute(problem, island, s), sums = 0;
        s->stats.iterations++;
    }
}
