// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Momentum balance r(v) = A v - p0 - J^T gamma(J v + b) (theory 2.2, 5). Products use A group by group, and the nonzero columns
// of J.

#include "contact/balance.h"

#include "contact/groups.h"
#include "contact/islands.h"

#include <string.h>

void trxi_balance_collect(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s, trxi_iterate *x)
{
    const int *members = s->members + island->first_group;
    for (int k = 0; k < island->ngroup; k++) {
        const trxi_group *group = &s->groups[members[k]];
        memset(x->j + group->v, 0, (size_t)group->nv * sizeof *x->j);
    }
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *b = &problem->blocks[k];
        const double *gamma = TRXI_STATE(problem, x, k)->gamma;
        if (gamma[0] != 0 || (b->n > 1 && (gamma[1] != 0 || gamma[2] != 0))) trxi_row_apply(b, gamma, x->j);
    }
    for (int k = 0; k < island->ngroup; k++) {
        const trxi_group *group = &s->groups[members[k]];
        for (int i = group->v; i < group->v + group->nv; i++) x->r[i] = x->p[i] - problem->p0[i] - x->j[i];
    }
    island->factored = false;
}

void trxi_balance_compute(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s, trxi_iterate *x)
{
    trxi_island_mass(problem, island, s, x->v, x->p);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *b = &problem->blocks[k];
        trxi_row_state *at = TRXI_STATE(problem, x, k);
        for (int a = 0; a < 3; a++) at->v_c[a] = b->bias[a];
        trxi_row_project(b, x->v, at->v_c);
        trxi_row_impulse(b, problem->law.dt, at->v_c, at->gamma, &at->G, &at->branch);
    }
    x->sums = 0;
    trxi_balance_collect(problem, island, s, x);
}

static void publish_block(const trxi_row_state *at, trxi_row_block *b)
{
    for (int a = 0; a < b->n; a++) b->v_c[a] = at->v_c[a], b->gamma[a] = at->gamma[a];
    if (b->n == 1) b->G.xx = at->G.xx;
    else b->G = at->G;
    b->branch = at->branch;
}

void trxi_balance_publish(const trxi_contact_problem *problem, const trxi_island *island, trxi_work *s)
{
    trxi_iterate *first = &s->iterate[0], *last = s->now;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        trxi_row_work *row = &problem->rows[k];
        if (last != first) row->state[0] = row->state[1];
        publish_block(&row->state[0], &problem->blocks[k]);
    }
    if (last == first) return;
    trxi_island_copy(island, s, last->v, first->v);
    trxi_island_copy(island, s, last->p, first->p);
    trxi_island_copy(island, s, last->j, first->j);
    trxi_island_copy(island, s, last->r, first->r);
    first->sums = last->sums;
    trxi_balance_accept(s);
}
