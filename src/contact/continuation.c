// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Solves one island of the convex contact problem (theory 5). Plain Newton comes first. Newton may need too many iterations, for
// example when stiff similar contacts take tiny steps along a curved edge of the objective. The island is then solved with
// stiction tolerances of 1, 0.1, ... m/s down to the tolerance of the step, each solve from the last solution. Rigid contacts of
// ccp become compliant instead, and less so from stage to stage.

#include "contact/island_solvers.h"
#include "contact/islands.h"

// Plain iterations before the continuation. Lagged and sap contacts get four times as many: impacts of many such contacts take 20
// to 60 iterations, and the continuation takes longer.
enum { PLAIN_ITERATIONS = 15, PLAIN_ITERATIONS_LAGGED = 60 };

// Iterations of one stage in the first and in the second attempt. 36 are not enough for similar contacts of steel in an impact.
enum { ATTEMPTS = 2 };
static const int stage_iterations[ATTEMPTS] = {36, 300};
static const double stage_tolerance = 1e-3;
static const double first_soft = 1.0; // [m/s]

// returns true when a block is softer than in the step; a continuation ends with the blocks of the step
static bool set_soft(const trxi_contact_problem *problem, const trxi_island *island, double soft)
{
    bool any = false;
    for (int i = island->block; i >= 0; i = problem->blocks[i].next) {
        trxi_row_block *b = &problem->blocks[i];
        if (b->law->soften && b->law->soften(b, &problem->law, soft)) any = true;
    }
    return any;
}

static trx_status newton_with_continuation(const trxi_contact_problem *problem, trxi_island *island,
                                           const trxi_solver_settings *settings, int most, trxi_work *s)
{
    // failures on the way do not matter, only the last solve does
    for (double soft = first_soft; set_soft(problem, island, soft); soft *= 0.1) {
        trxi_newton(problem, island, stage_tolerance, most, s);
        s->stats.continuation++;
    }
    return trxi_newton(problem, island, settings->tolerance, settings->max_iterations, s);
}

trx_status trxi_newton_solve(const trxi_contact_problem *problem, trxi_island *island, const trxi_solver_settings *settings,
                             trxi_work *s)
{
    trxi_island_copy(island, s, island->now->v, s->before);
    const int patience = island->crawls ? PLAIN_ITERATIONS : PLAIN_ITERATIONS_LAGGED;
    int plain = settings->max_iterations < patience ? settings->max_iterations : patience;
    trx_status status = trxi_newton(problem, island, settings->tolerance, plain, s);
    if (status >= 0 || settings->max_iterations <= patience) return status;

    // without a law that softens, a continuation changes nothing: continue plain Newton
    if (!set_soft(problem, island, first_soft)) return newton_with_continuation(problem, island, settings, 0, s);
    for (int i = 0; i < ATTEMPTS && status < 0; i++) {
        trxi_island_copy(island, s, s->before, island->now->v);
        status = newton_with_continuation(problem, island, settings, stage_iterations[i], s);
    }
    return status;
}
