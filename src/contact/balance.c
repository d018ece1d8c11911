// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Momentum balance r(v) = A v - p0 - J^T gamma(J v + b) (theory 2.2, 5). Products use A group by group, and the nonzero columns
// of J.

#include "contact/balance.h"

#include "contact/islands.h"

#include <string.h>

void trxi_balance_collect(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s, trxi_iterate *x)
{
    for (int k = 0; k < trxi_island_runs(island); k++) {
        const trxi_dof_run dofs = trxi_island_run(island, s, k);
        memset(x->j + dofs.first, 0, (size_t)(dofs.end - dofs.first) * sizeof *x->j);
    }
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *b = &problem->blocks[k];
        const double *gamma = TRXI_STATE(problem, x, k)->gamma;
        if (gamma[0] != 0 || (b->n > 1 && (gamma[1] != 0 || gamma[2] != 0))) trxi_row_apply(b, gamma, x->j);
    }
    for (int k = 0; k < trxi_island_runs(island); k++) {
        const trxi_dof_run dofs = trxi_island_run(island, s, k);
        for (int i = dofs.first; i < dofs.end; i++) x->r[i] = x->p[i] - problem->p0[i] - x->j[i];
    }
    island->factored = false;
}

void trxi_balance_compute(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s, trxi_iterate *x)
{
    trxi_island_mass(problem, island, s, x->v, x->p);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *b = &problem->blocks[k];
        trxi_row_state *at = TRXI_STATE(problem, x, k);
        trxi_row_project(b, x->v, b->bias, at->v_c);
        b->law->impulse(b, problem->law.dt, at);
    }
    x->sums = 0;
    trxi_balance_collect(problem, island, s, x);
}

void trxi_balance_publish(const trxi_contact_problem *problem, const trxi_island *island, trxi_work *s)
{
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) problem->blocks[k].at = *TRXI_STATE(problem, island->now, k);
    if (island->now->v != s->v) trxi_island_copy(island, s, island->now->v, s->v);
}
