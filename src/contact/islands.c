// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Islands: connected components of the graph whose nodes are groups and whose edges are rows (theory 5). Every step finds them
// anew by union-find, in time linear in groups and rows. Islands are numbered by their first group, so the numbers do not depend
// on earlier steps. An island gets a dense or a sparse H. An island without rows uses the existing factor of A.

#include "contact/balance.h"
#include "contact/islands.h"

#include "math/dense.h"

#include <string.h>

static int root(int *parent, int t)
{
    while (parent[t] != t) {
        parent[t] = parent[parent[t]];
        t = parent[t];
    }
    return t;
}

// the smaller group becomes the root
static void tie(int *parent, int a, int b)
{
    a = root(parent, a), b = root(parent, b);
    if (a < b) parent[b] = a;
    else parent[a] = b;
}

// returns whether a block has the same columns as the block before it, like blocks of one pair
static bool repeats_columns(const trxi_contact_problem *problem, int k)
{
    const trxi_row_block *b = &problem->blocks[k];
    return k > 0 && b->cols == b[-1].cols && b->ncol == b[-1].ncol;
}

static void tie_rows(const trxi_contact_problem *problem, const trxi_work *s, int *parent)
{
    const int *group = s->group_of;
    for (int k = 0; k < problem->nblock; k++) {
        const trxi_row_block *b = &problem->blocks[k];
        if (b->ncol == 0 || repeats_columns(problem, k)) continue;
        for (int i = trxi_group_end(s, b, 0); i < b->ncol; i = trxi_group_end(s, b, i))
            tie(parent, group[b->cols[0]], group[b->cols[i]]);
    }
}

// orders islands by their first groups, and the groups of an island ascending; `parent` becomes the island of each group
static void number_islands(int *parent, trxi_work *s)
{
    s->nisland = 0;
    for (int t = 0; t < s->ngroup; t++) {
        int r = root(parent, t);
        if (r == t) {
            s->island_of[t] = s->nisland;
            s->islands[s->nisland++] = (trxi_island){.block = -1, .now = &s->iterate[0], .next = &s->iterate[1]};
        } else {
            s->island_of[t] = s->island_of[r];
        }
        s->islands[s->island_of[t]].ngroup++;
    }
    for (int i = 1; i < s->nisland; i++)
        s->islands[i].first_group = s->islands[i - 1].first_group + s->islands[i - 1].ngroup;
    for (int i = 0; i < s->nisland; i++) s->islands[i].ngroup = 0;
    for (int t = 0; t < s->ngroup; t++) {
        trxi_island *island = &s->islands[s->island_of[t]];
        s->members[island->first_group + island->ngroup++] = t;
    }
}

static void place_columns(const trxi_island *island, const trxi_group *group, trxi_work *s)
{
    for (int j = group->v; j < group->v + group->nv; j++) {
        s->column[j] = island->start + (ptrdiff_t)s->local[j] * island->nv;
        s->own[j] = s->column[j] + s->local[group->v] - group->v;
    }
}

static void place_unknowns(trxi_work *s)
{
    s->by_island = 0;
    for (int i = 0; i < s->nisland; i++) {
        trxi_island *island = &s->islands[i];
        const int *members = s->members + island->first_group;
        bool together = true;
        for (int k = 0; k < island->ngroup; k++) {
            const trxi_group *group = &s->groups[members[k]];
            together = together && members[k] == members[0] + k;
            for (int d = 0; d < group->nv; d++) s->local[group->v + d] = island->nv++;
        }
        island->first_dof = together ? s->groups[members[0]].v : -1;
        island->start = s->by_island;
        s->by_island += (ptrdiff_t)island->nv * island->nv;
        for (int k = 0; k < island->ngroup; k++) place_columns(island, &s->groups[members[k]], s);
    }
}

// appends blocks of rows to the lists of their islands and keeps their order
static void list_rows(const trxi_contact_problem *problem, trxi_work *s)
{
    const int *group = s->group_of;
    for (int k = problem->nblock - 1; k >= 0; k--) {
        trxi_row_block *b = &problem->blocks[k];
        b->next = -1;
        if (b->ncol == 0) continue;
        trxi_island *island = &s->islands[s->island_of[group[b->cols[0]]]];
        b->next = island->block;
        island->block = k;
        island->barriers = island->barriers || trxi_row_has_barrier(b);
        island->crawls = island->crawls || b->law->crawls;
    }
}

// edges between all groups that a block touches; s->scratch has the number of each group in its island
static trx_status add_edges(const trxi_contact_problem *problem, const trxi_work *s, const trxi_island *island)
{
    const int *group = s->group_of;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *b = &problem->blocks[k];
        if (repeats_columns(problem, k)) continue;
        for (int i = trxi_group_end(s, b, 0); i < b->ncol; i = trxi_group_end(s, b, i))
            for (int j = 0; j < i; j = trxi_group_end(s, b, j)) {
                const int to = s->scratch[group[b->cols[i]]], from = s->scratch[group[b->cols[j]]];
                const trx_status status = trxi_block_cholesky_edge(island->sparse, to, from);
                if (status < 0) return status;
            }
    }
    return TRX_OK;
}

static trx_status analyze(const trxi_contact_problem *problem, trxi_work *s, trxi_island *island, int slot)
{
    if (!s->sparse[slot]) s->sparse[slot] = trxi_block_cholesky_create(problem->context);
    island->sparse = s->sparse[slot];
    if (!island->sparse) return TRX_ERR_MEMORY;
    const int *members = s->members + island->first_group;
    int *sizes = s->scratch;
    for (int k = 0; k < island->ngroup; k++) sizes[k] = s->groups[members[k]].nv;
    trx_status status = trxi_block_cholesky_begin(island->sparse, island->ngroup, sizes);
    for (int k = 0; k < island->ngroup; k++) s->scratch[members[k]] = k;
    if (status >= 0) status = add_edges(problem, s, island);
    return status < 0 ? status : trxi_block_cholesky_analyze(island->sparse);
}

static trx_status choose_storage(const trxi_contact_problem *problem, trxi_work *s)
{
    size_t used = 0;
    int slot = 0;
    for (int i = 0; i < s->nisland; i++) {
        trxi_island *island = &s->islands[i];
        if (trxi_island_is_free(island)) {
            island->factored = true;
            continue;
        }
        if (island->ngroup == 1 || island->nv <= s->dense_limit) {
            island->H = s->H + used;
            used += (size_t)island->nv * (size_t)island->nv;
            continue;
        }
        trx_status status = analyze(problem, s, island, slot++);
        if (status < 0) return status;
    }
    return TRX_OK;
}

static trx_status divide(const trxi_contact_problem *problem, bool join, trxi_work *s)
{
    int *parent = s->scratch;
    for (int t = 0; t < s->ngroup; t++) parent[t] = join ? 0 : t;
    if (!join) tie_rows(problem, s, parent);
    number_islands(parent, s);
    place_unknowns(s);
    list_rows(problem, s);
    s->failed = 0;
    return choose_storage(problem, s);
}

double trxi_island_dot(const trxi_island *island, const trxi_work *s, const double *a,
                       const double *b)
{
    double sum = 0;
    for (int k = 0; k < trxi_island_runs(island); k++) {
        const trxi_dof_run dofs = trxi_island_run(island, s, k);
        sum += trxi_dot(dofs.end - dofs.first, a + dofs.first, b + dofs.first);
    }
    return sum;
}

void trxi_island_combine(const trxi_island *island, const trxi_work *s, const double *b,
                         double alpha, const double *x, double *y)
{
    for (int k = 0; k < trxi_island_runs(island); k++) {
        const trxi_dof_run dofs = trxi_island_run(island, s, k);
        for (int i = dofs.first; i < dofs.end; i++) y[i] = (b ? b[i] : 0) + alpha * x[i];
    }
}

void trxi_island_copy(const trxi_island *island, const trxi_work *s, const double *x, double *y)
{
    for (int k = 0; k < trxi_island_runs(island); k++) {
        const trxi_dof_run dofs = trxi_island_run(island, s, k);
        memcpy(y + dofs.first, x + dofs.first, (size_t)(dofs.end - dofs.first) * sizeof *y);
    }
}

void trxi_island_mass(const trxi_contact_problem *problem, const trxi_island *island, const trxi_work *s, const double *x,
                      double *y)
{
    for (int k = 0; k < island->ngroup; k++) {
        const trxi_group *group = &s->groups[s->members[island->first_group + k]];
        trxi_group_product(problem, group, x, y);
    }
}

void trxi_island_use_law(const trxi_contact_problem *problem, const trxi_island *island, const trxi_law *law)
{
    for (int k = island->block; k >= 0; k = problem->blocks[k].next)
        if (trxi_row_is_contact(&problem->blocks[k])) problem->blocks[k].law = law;
}

bool trxi_island_finite(const trxi_island *island, const trxi_work *s, const double *x)
{
    bool finite = true;
    for (int k = 0; k < trxi_island_runs(island); k++) {
        const trxi_dof_run dofs = trxi_island_run(island, s, k);
        finite = finite && trxi_all_finite(dofs.end - dofs.first, x + dofs.first);
    }
    return finite;
}

void trxi_island_gather(const trxi_island *island, const trxi_work *s, const double *x,
                        double *local)
{
    for (int k = 0; k < island->ngroup; k++) {
        const trxi_group *group = &s->groups[s->members[island->first_group + k]];
        memcpy(local + s->local[group->v], x + group->v, (size_t)group->nv * sizeof *x);
    }
}

void trxi_island_scatter(const trxi_island *island, const trxi_work *s, const double *local,
                         double *x)
{
    for (int k = 0; k < island->ngroup; k++) {
        const trxi_group *group = &s->groups[s->members[island->first_group + k]];
        memcpy(x + group->v, local + s->local[group->v], (size_t)group->nv * sizeof *x);
    }
}

trx_status trxi_islands_find(const trxi_contact_problem *problem, trxi_work *solver)
{
    return divide(problem, false, solver);
}

trx_status trxi_islands_join(const trxi_contact_problem *problem, trxi_work *solver)
{
    return divide(problem, true, solver);
}
