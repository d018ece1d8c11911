// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Condition number of H (theory 5): the largest eigenvalue over all islands by power iteration, the smallest by inverse
// iteration on the factor. The length of the product converges twice as fast as the vector. The start vector is the
// same in every call, so the result is too.

#include "base/random.h"
#include "contact/hessian.h"
#include "contact/islands.h"
#include "contact/linearization.h"

#include <math.h>

enum { MOST_ITERATIONS = 5000 };
static const double settled = 1e-6; // relative change from one iteration to the next

// growth of a vector under H, or under its inverse, until the growth converges; a random start has a component along every
// eigenvector, while a smooth start is almost orthogonal to eigenvectors that alternate in sign between neighbours
static double growth(const trxi_contact_problem *problem, const trxi_island *island, trxi_work *s, bool inverse)
{
    double *x = s->dv, *y = s->dp, last = 0;
    for (int k = 0; k < island->ngroup; k++) {
        const trxi_group *group = &s->groups[s->members[island->first_group + k]];
        for (int i = group->v; i < group->v + group->nv; i++) x[i] = trxi_random_normal(0, (uint64_t)i);
    }
    for (int k = 0; k < MOST_ITERATIONS; k++) {
        trxi_island_combine(island, s, NULL, 1 / sqrt(trxi_island_dot(island, s, x, x)), x, x);
        if (inverse) {
            trxi_island_combine(island, s, NULL, 1, x, y);
            trxi_hessian_solve(problem, island, s, 1, y, s->nv);
        } else {
            trxi_hessian_product(problem, island, s, x, y);
        }
        double now = sqrt(trxi_island_dot(island, s, y, y));
        if (!(now > 0) || !isfinite(now)) return NAN;
        if (k > 10 && fabs(now - last) <= settled * now) return now;
        last = now;
        trxi_island_combine(island, s, NULL, 1, y, x);
    }
    return last;
}

// every group belongs to an island, and an island without rows has H = A
double trxi_contact_condition(const trxi_contact_problem *problem, trxi_solver *solver)
{
    trxi_work *s = solver->work;
    double most = 0, least = INFINITY;
    if (trxi_contact_factorize(problem, solver) < 0) return NAN;
    for (int i = 0; i < s->nisland; i++) {
        const trxi_island *island = &s->islands[i];
        double high = growth(problem, island, s, false), low = 1 / growth(problem, island, s, true);
        if (isnan(high) || isnan(low)) return NAN;
        most = fmax(most, high), least = fmin(least, low);
    }
    return s->nisland > 0 ? most / least : NAN;
}
