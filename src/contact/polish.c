// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Refines a solution until derivatives can be taken at it (theory 5, 6), by Newton steps with one factor of H. Near the solution H
// hardly changes, so each step divides the residual by 10^3 or more, at the cost of a back-substitution and a residual. With the
// last factor of the solve, the last digits of the result depend on the start of the solve. With a factor computed at the solution
// the result does not depend on the start. An island whose residual falls more slowly is restored, and the caller solves the
// problem again. Islands with barriers are always restored, because barriers limit steps.

#include "contact/balance.h"
#include "contact/barrier.h"
#include "contact/hessian.h"
#include "contact/islands.h"
#include "contact/rounding.h"

#include <math.h>

enum { MOST_STEPS = 4 };
static const double least_fall = 0.05;

static bool polish_island(const trxi_contact_problem *problem, trxi_island *island, double tolerance, bool anew, trxi_work *s)
{
    trxi_verdict verdict = trxi_rounding_update(problem, island, tolerance, false, s);
    if (verdict.settled) return true;
    if (trxi_barrier_any(problem->blocks, island->block)) return false;
    if ((anew || !island->near) && !trxi_hessian_factorize(problem, island, s)) return false;
    trxi_island_copy(island, s, s->now->v, s->start);
    for (int step = 0; step < MOST_STEPS; step++) {
        const double last = verdict.residual;
        trxi_island_combine(island, s, NULL, -1, s->now->r, s->dv);
        trxi_hessian_solve(problem, island, s, 1, s->dv, s->nv);
        trxi_island_combine(island, s, s->now->v, 1, s->dv, s->next->v);
        trxi_balance_compute(problem, island, s, s->next);
        trxi_balance_accept(s);
        s->stats.iterations++;
        verdict = trxi_rounding_update(problem, island, tolerance, false, s);
        if (verdict.settled) return true;
        if (!(verdict.residual < least_fall * last)) break;
    }
    trxi_island_copy(island, s, s->start, s->now->v);
    return false;
}

bool trxi_contact_polish(const trxi_contact_problem *problem, double tolerance, bool anew, trxi_solver *solver)
{
    trxi_work *s = solver->work;
    trxi_solver_stats all = solver->stats;
    all.residual = all.scale = all.floor = all.relative = 0;
    int most = 0;
    for (int i = 0; i < s->nisland; i++) {
        if (trxi_island_is_free(&s->islands[i])) continue;
        s->stats = (trxi_solver_stats){.residual = INFINITY};
        const bool works = polish_island(problem, &s->islands[i], tolerance, anew, s);
        trxi_balance_publish(problem, &s->islands[i], s);
        if (!works) return false;
        all.residual += s->stats.residual * s->stats.residual;
        all.scale += s->stats.scale * s->stats.scale;
        all.floor += s->stats.floor * s->stats.floor;
        all.relative = fmax(all.relative, s->stats.relative);
        if (s->stats.iterations > most) most = s->stats.iterations;
    }
    all.residual = sqrt(all.residual), all.scale = sqrt(all.scale), all.floor = sqrt(all.floor);
    all.iterations += most;
    solver->stats = all;
    return true;
}
