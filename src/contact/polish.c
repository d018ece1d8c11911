// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Refines the solution of an island to the accuracy that derivatives need (theory 5, 6), by Newton steps with one factor of H. Near
// the solution H hardly changes, so each step divides the residual by 10^3 or more, at the cost of a back-substitution and a
// residual. With the last factor of the solve, the last digits of the result depend on the start of the solve. With a factor
// computed at the solution the result does not depend on the start. An island whose residual falls more slowly is restored, and the
// caller solves the problem again. Islands with barriers are always restored, because barriers limit steps.

#include "contact/balance.h"
#include "contact/hessian.h"
#include "contact/island_solvers.h"
#include "contact/islands.h"
#include "contact/rounding.h"

enum { MOST_STEPS = 4 };
static const double least_fall = 0.05;

bool trxi_newton_polish(const trxi_contact_problem *problem, trxi_island *island, double tolerance, bool anew, trxi_work *s)
{
    trxi_verdict verdict = {.residual = INFINITY};
    trxi_rounding_judge(problem, island, tolerance, false, s, &verdict);
    if (verdict.settled) return true;
    if (island->barriers) return false;
    if ((anew || !island->near) && !trxi_hessian_factorize(problem, island, s)) return false;
    trxi_island_copy(island, s, island->now->v, s->before);
    for (int step = 0; step < MOST_STEPS; step++) {
        const double last = verdict.residual;
        trxi_island_combine(island, s, NULL, -1, island->now->r, s->dv);
        trxi_hessian_solve(problem, island, s, 1, s->dv, s->nv);
        trxi_island_combine(island, s, island->now->v, 1, s->dv, island->next->v);
        trxi_balance_compute(problem, island, s, island->next);
        trxi_balance_accept(island);
        s->stats.iterations++;
        trxi_rounding_judge(problem, island, tolerance, false, s, &verdict);
        if (verdict.settled) return true;
        if (!(verdict.residual < least_fall * last)) break;
    }
    trxi_island_copy(island, s, s->before, island->now->v);
    return false;
}
