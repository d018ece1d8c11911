// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Islands without impulses (theory 4). If contacts separate and no other row acts, the velocity is A^-1 p0. A visit of each
// block at this velocity gives the impulse of its law. If the energy of all these impulses is below a thousandth of the
// tolerance, impulses of zero are the solution. The cost is a product with J, far less than the preparation of other methods.

#include "contact/island_solvers.h"

#include "contact/impulses.h"
#include "contact/islands.h"

static const double share = 1e-3;

// square of the impulse of a block at the velocity without impulses [J]
static double wanted(const trxi_contact_problem *problem, const trxi_island *island, int k)
{
    const trxi_row_block *block = &problem->blocks[k];
    const double w = block->w > 0 ? block->w : 1;
    const trxi_sym3 W = {.xx = w, .yy = w, .nn = w};
    trxi_row_state at = {.branch = 0};
    trxi_row_project(block, island->now->v, block->bias, at.v_c);
    trxi_impulses_visit(problem, block, &W, &at);
    return w * trxi_row_dot(block, at.gamma, at.gamma);
}

trx_status trxi_open_solve(const trxi_contact_problem *problem, trxi_island *island, const trxi_solver_settings *settings,
                           trxi_work *s)
{
    s->stats.still = fmax(share * settings->tolerance, trxi_impulses_least);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next)
        *TRXI_STATE(problem, island->now, k) = (trxi_row_state){.branch = 0};
    trxi_delassus_velocity(problem, island, s, island->now->v);
    trxi_island_copy(island, s, island->now->v, s->start);
    const double most = s->stats.still * s->stats.still * trxi_impulses_size(island, s);
    double sum = 0;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next)
        if (!((sum += wanted(problem, island, k)) <= most)) return TRX_ERR_NOT_CONVERGED;
    trxi_impulses_finish(problem, island, settings->tolerance, s);
    return TRX_OK;
}
