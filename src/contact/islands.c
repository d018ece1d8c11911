// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Islands: connected components of the graph whose nodes are trees and whose edges are rows (theory 5). Found anew in every
// step by union-find, in time linear in trees and rows; numbered by their first tree, so that nothing depends on the
// history. Each gets a dense H, a sparse one, or, without rows, the factor of A that is there already.

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

// the smaller tree becomes the root
static void tie(int *parent, int a, int b)
{
    a = root(parent, a), b = root(parent, b);
    if (a < b) parent[b] = a;
    else parent[a] = b;
}

static void tie_rows(const trxi_contact_problem *problem, int *parent)
{
    const int *tree = problem->model->dof_tree;
    for (int k = 0; k < problem->nblock; k++) {
        const trxi_row_block *b = &problem->blocks[k];
        for (int i = 1; i < b->ncol; i++)
            if (tree[b->cols[i]] != tree[b->cols[i - 1]]) tie(parent, tree[b->cols[0]], tree[b->cols[i]]);
    }
}

// islands in the order of their first trees, trees in ascending order within each; `parent` becomes the island of each tree
static void number_islands(const trx_model *model, int *parent, trxi_solver *s)
{
    s->nisland = 0;
    for (int t = 0; t < model->ntree; t++) {
        int r = root(parent, t);
        if (r == t) {
            s->island_of[t] = s->nisland;
            s->islands[s->nisland++] = (trxi_island){.block = -1};
        } else {
            s->island_of[t] = s->island_of[r];
        }
        s->islands[s->island_of[t]].ntree++;
    }
    for (int i = 1; i < s->nisland; i++)
        s->islands[i].first_tree = s->islands[i - 1].first_tree + s->islands[i - 1].ntree;
    for (int i = 0; i < s->nisland; i++) s->islands[i].ntree = 0;
    for (int t = 0; t < model->ntree; t++) {
        trxi_island *island = &s->islands[s->island_of[t]];
        s->trees[island->first_tree + island->ntree++] = t;
    }
}

static void place_columns(const trxi_island *island, const trxi_tree *tree, trxi_solver *s)
{
    for (int j = tree->v; j < tree->v + tree->nv; j++) {
        s->column[j] = island->start + (ptrdiff_t)s->local[j] * island->nv;
        s->tree_column[j] = s->column[j] + s->local[tree->v] - tree->v;
    }
}

static void place_unknowns(const trx_model *model, trxi_solver *s)
{
    s->by_island = 0;
    for (int i = 0; i < s->nisland; i++) {
        trxi_island *island = &s->islands[i];
        const int *trees = s->trees + island->first_tree;
        bool together = true;
        for (int k = 0; k < island->ntree; k++) {
            const trxi_tree *tree = &model->trees[trees[k]];
            together = together && trees[k] == trees[0] + k;
            for (int d = 0; d < tree->nv; d++) s->local[tree->v + d] = island->nv++;
        }
        island->first_dof = together ? model->trees[trees[0]].v : -1;
        island->start = s->by_island;
        s->by_island += (ptrdiff_t)island->nv * island->nv;
        for (int k = 0; k < island->ntree; k++) place_columns(island, &model->trees[trees[k]], s);
    }
}

// rows into the lists of their islands, in their own order
static void list_rows(const trxi_contact_problem *problem, trxi_solver *s)
{
    const int *tree = problem->model->dof_tree;
    for (int k = problem->nblock - 1; k >= 0; k--) {
        trxi_row_block *b = &problem->blocks[k];
        b->next = -1;
        if (b->ncol == 0) continue;
        trxi_island *island = &s->islands[s->island_of[tree[b->cols[0]]]];
        b->next = island->block;
        island->block = k;
    }
}

// end of the columns from `first` on that belong to one tree
static int tree_end(const int *dof_tree, const trxi_row_block *block, int first)
{
    int end = first + 1;
    while (end < block->ncol && dof_tree[block->cols[end]] == dof_tree[block->cols[first]]) end++;
    return end;
}

// between all trees that a block touches; s->scratch has the place of each tree in its island
static trx_status add_edges(const trxi_contact_problem *problem, const trxi_solver *s, const trxi_island *island)
{
    const int *tree = problem->model->dof_tree;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *b = &problem->blocks[k];
        for (int i = tree_end(tree, b, 0); i < b->ncol; i = tree_end(tree, b, i))
            for (int j = 0; j < i; j = tree_end(tree, b, j)) {
                const int to = s->scratch[tree[b->cols[i]]], from = s->scratch[tree[b->cols[j]]];
                const trx_status status = trxi_block_cholesky_edge(island->sparse, to, from);
                if (status < 0) return status;
            }
    }
    return TRX_OK;
}

static trx_status analyze(const trxi_contact_problem *problem, trxi_solver *s, trxi_island *island, int slot)
{
    if (!s->sparse[slot]) s->sparse[slot] = trxi_block_cholesky_create(problem->context);
    island->sparse = s->sparse[slot];
    if (!island->sparse) return TRX_ERR_MEMORY;
    const int *trees = s->trees + island->first_tree;
    int *sizes = s->scratch;
    for (int k = 0; k < island->ntree; k++) sizes[k] = problem->model->trees[trees[k]].nv;
    trx_status status = trxi_block_cholesky_begin(island->sparse, island->ntree, sizes);
    for (int k = 0; k < island->ntree; k++) s->scratch[trees[k]] = k;
    if (status >= 0) status = add_edges(problem, s, island);
    return status < 0 ? status : trxi_block_cholesky_analyze(island->sparse);
}

static trx_status choose_storage(const trxi_contact_problem *problem, trxi_solver *s)
{
    size_t used = 0;
    int slot = 0;
    for (int i = 0; i < s->nisland; i++) {
        trxi_island *island = &s->islands[i];
        if (trxi_island_is_free(island)) {
            island->factored = true;
            continue;
        }
        if (island->ntree == 1 || island->nv <= s->dense_limit) {
            island->H = s->H + used;
            used += (size_t)island->nv * (size_t)island->nv;
            continue;
        }
        trx_status status = analyze(problem, s, island, slot++);
        if (status < 0) return status;
    }
    return TRX_OK;
}

static trx_status divide(const trxi_contact_problem *problem, bool join, trxi_solver *s)
{
    const trx_model *model = problem->model;
    int *parent = s->scratch;
    for (int t = 0; t < model->ntree; t++) parent[t] = join ? 0 : t;
    if (!join) tie_rows(problem, parent);
    number_islands(model, parent, s);
    place_unknowns(model, s);
    list_rows(problem, s);
    s->failed = 0;
    return choose_storage(problem, s);
}

double trxi_island_dot(const trx_model *model, const trxi_island *island, const trxi_solver *s, const double *a,
                       const double *b)
{
    double sum = 0;
    for (int k = 0; k < trxi_island_runs(island); k++) {
        const trxi_dof_run dofs = trxi_island_run(model, island, s, k);
        sum += trxi_dot(dofs.end - dofs.first, a + dofs.first, b + dofs.first);
    }
    return sum;
}

void trxi_island_combine(const trx_model *model, const trxi_island *island, const trxi_solver *s, const double *b,
                         double alpha, const double *x, double *y)
{
    for (int k = 0; k < trxi_island_runs(island); k++) {
        const trxi_dof_run dofs = trxi_island_run(model, island, s, k);
        for (int i = dofs.first; i < dofs.end; i++) y[i] = (b ? b[i] : 0) + alpha * x[i];
    }
}

void trxi_island_mass(const trxi_contact_problem *problem, const trxi_island *island, const trxi_solver *s, const double *x,
                      double *y)
{
    for (int k = 0; k < island->ntree; k++) {
        const trxi_tree *tree = &problem->model->trees[s->trees[island->first_tree + k]];
        trxi_symv(tree->nv, problem->A + tree->block, tree->nv, x + tree->v, y + tree->v);
    }
}

bool trxi_island_finite(const trx_model *model, const trxi_island *island, const trxi_solver *s, const double *x)
{
    bool finite = true;
    for (int k = 0; k < trxi_island_runs(island); k++) {
        const trxi_dof_run dofs = trxi_island_run(model, island, s, k);
        finite = finite && trxi_all_finite(dofs.end - dofs.first, x + dofs.first);
    }
    return finite;
}

void trxi_island_gather(const trx_model *model, const trxi_island *island, const trxi_solver *s, const double *x,
                        double *local)
{
    for (int k = 0; k < island->ntree; k++) {
        const trxi_tree *tree = &model->trees[s->trees[island->first_tree + k]];
        memcpy(local + s->local[tree->v], x + tree->v, (size_t)tree->nv * sizeof *x);
    }
}

void trxi_island_scatter(const trx_model *model, const trxi_island *island, const trxi_solver *s, const double *local,
                         double *x)
{
    for (int k = 0; k < island->ntree; k++) {
        const trxi_tree *tree = &model->trees[s->trees[island->first_tree + k]];
        memcpy(x + tree->v, local + s->local[tree->v], (size_t)tree->nv * sizeof *x);
    }
}

void trxi_island_product(const trx_model *model, const trxi_solver *s, bool transposed, double alpha, const double *R,
                         const double *in, double beta, double *out)
{
    for (int i = 0; i < s->nisland; i++) {
        const trxi_island *island = &s->islands[i];
        const int n = island->nv;
        const bool whole = island->first_dof >= 0;
        const double *x = whole ? in + island->first_dof : s->gathered;
        double *y = whole ? out + island->first_dof : s->gathered + n;
        if (!whole) trxi_island_gather(model, island, s, in, s->gathered);
        if (!whole && beta != 0) trxi_island_gather(model, island, s, out, y);
        if (transposed) trxi_gemv_t(n, n, alpha, R + island->start, n, x, beta, y);
        else trxi_gemv(n, n, alpha, R + island->start, n, x, beta, y);
        if (!whole) trxi_island_scatter(model, island, s, y, out);
    }
}

trx_status trxi_islands_find(const trxi_contact_problem *problem, trxi_solver *solver)
{
    return divide(problem, false, solver);
}

trx_status trxi_islands_join(const trxi_contact_problem *problem, trxi_solver *solver)
{
    return divide(problem, true, solver);
}
