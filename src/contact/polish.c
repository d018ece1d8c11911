// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// From a solution to one that derivatives can be taken at (theory 5, 6). Newton's steps with one factor of H: so close to the
// solution H hardly changes any more, and each of them divides the residual by 10^3 and more, at the cost of a back-substitution
// and a residual. With the factor that the solve ended with, what comes out depends in its last digits on where that started;
// with one made anew at its solution it does not. An island whose residual does not fall so fast is put back to where it was, and
// the caller solves anew; so are islands with barriers, which limit steps.

#include "contact/balance.h"
#include "contact/barrier.h"
#include "contact/hessian.h"
#include "contact/islands.h"
#include "contact/rounding.h"

#include <math.h>

enum { MOST_STEPS = 4 };
static const double least_fall = 0.05;

static trxi_verdict judge(const trxi_contact_problem *problem, const trxi_island *island, double tolerance, trxi_work *s)
{
    const trxi_verdict v = trxi_rounding_judge(problem, island, tolerance, s->stats.residual, false, s->now, s);
    s->stats.residual = v.residual, s->stats.scale = v.scale, s->stats.floor = v.floor, s->stats.relative = v.relative;
    return v;
}

static bool polish_island(const trxi_contact_problem *problem, trxi_island *island, double tolerance, bool anew, trxi_work *s)
{
    trxi_verdict verdict = judge(problem, island, tolerance, s);
    if (verdict.settled) return true;
    if (trxi_barrier_any(problem->blocks, island->block)) return false;
    if ((anew || !island->near) && !trxi_hessian_factorize(problem, island, s)) return false;
    trxi_island_combine(island, s, NULL, 1, s->now->v, s->start);
    for (int step = 0; step < MOST_STEPS; step++) {
        const double last = verdict.residual;
        trxi_island_combine(island, s, NULL, -1, s->now->r, s->dv);
        trxi_hessian_solve(problem, island, s, 1, s->dv, s->nv);
        trxi_island_combine(island, s, s->now->v, 1, s->dv, s->next->v);
        trxi_balance_compute(problem, island, s, s->next);
        trxi_balance_accept(s);
        s->stats.iterations++;
        verdict = judge(problem, island, tolerance, s);
        if (verdict.settled) return true;
        if (!(verdict.residual < least_fall * last)) break;
    }
    trxi_island_combine(island, s, NULL, 1, s->start, s->now->v);
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
