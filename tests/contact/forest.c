// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See forest.h.

#include "contact/forest.h"

#include "base/random.h"
#include "contact/problem.h"
#include "math/dense.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_COLUMNS = 18 };

// one block of memory for everything but the solver
typedef struct storage {
    trxi_tree *trees;
    int *dof_tree, *contact_cols, *scalar_cols;
    ptrdiff_t *column;
    double *A, *LA, *p0, *v_free, *contact_J, *scalar_J;
    trx_pair_law *materials;
} storage;

static void make_trees(forest *f, storage *s, uint64_t seed)
{
    trx_model *m = &f->model;
    for (int t = 0; t < m->ntree; t++) {
        trxi_tree *tree = &s->trees[t];
        *tree = (trxi_tree){.v = m->nv, .nv = 1 + (int)(trxi_random_bits(seed, (uint64_t)t) % 6), .block = m->nblock};
        for (int k = 0; k < tree->nv; k++) {
            s->dof_tree[m->nv + k] = t;
            s->column[m->nv + k] = m->nblock + k * tree->nv - m->nv;
        }
        m->nv += tree->nv;
        m->nblock += tree->nv * tree->nv;

        // A = Q^T Q + 0.1
        double *A = s->A + tree->block;
        for (int i = 0; i < tree->nv; i++)
            for (int j = 0; j <= i; j++) {
                double sum = i == j ? 0.1 : 0;
                for (int k = 0; k < 6; k++)
                    sum += trxi_random_normal(seed + 1, (uint64_t)((tree->v + i) * 6 + k)) *
                           trxi_random_normal(seed + 1, (uint64_t)((tree->v + j) * 6 + k));
                A[i + j * tree->nv] = sum;
            }
        memcpy(s->LA + tree->block, A, (size_t)(tree->nv * tree->nv) * sizeof *A);
        ck_assert_int_lt(trxi_cholesky(tree->nv, s->LA + tree->block, tree->nv), 0);
    }
}

// dofs of up to `count` random trees, ascending; returns their number
static int choose_columns(const forest *f, int count, uint64_t seed, int *cols)
{
    bool chosen[256] = {false};
    for (int k = 0; k < count; k++) chosen[trxi_random_bits(seed, (uint64_t)k) % (uint64_t)f->model.ntree] = true;
    int n = 0;
    for (int t = 0; t < f->model.ntree; t++)
        for (int k = 0; chosen[t] && k < f->model.trees[t].nv; k++) cols[n++] = f->model.trees[t].v + k;
    return n;
}

static void make_contact(forest *f, storage *s, trx_approximation approximation, int k, uint64_t seed)
{
    trxi_row_block *c = &f->contacts[k];
    int *cols = s->contact_cols + ROW_COLUMNS * k;
    double *J = s->contact_J + 3 * ROW_COLUMNS * k;
    *c = random_contact(approximation, seed * 1000 + (uint64_t)k, &s->materials[k]);
    c->ncol = choose_columns(f, 1 + (int)(trxi_random_bits(seed + 4, (uint64_t)k) % 2), seed * 1000 + 500 + (uint64_t)k, cols);
    for (int i = 0; i < 3 * c->ncol; i++) J[i] = trxi_random_normal(seed + 5, (uint64_t)(k * 3 * ROW_COLUMNS + i));
    c->cols = cols, c->J = J;
}

static void make_scalar(forest *f, storage *s, int k, uint64_t seed)
{
    static const trxi_law *const laws[] = {&trxi_limit, &trxi_equality, &trxi_drive};
    trxi_row_block *row = &f->scalars[k];
    int *cols = s->scalar_cols + ROW_COLUMNS * k;
    double *J = s->scalar_J + ROW_COLUMNS * k;
    *row = one_row(laws[k % 3], 1, trxi_random_normal(seed + 7, (uint64_t)k));
    row->cols = cols, row->J = J;
    row->ncol = choose_columns(f, 1 + k % 3, seed * 1000 + 900 + (uint64_t)k, cols);
    for (int i = 0; i < row->ncol; i++) J[i] = trxi_random_normal(seed + 6, (uint64_t)(k * ROW_COLUMNS + i));
}

void make_forest(forest *f, trx_approximation approximation, int ntree, int ncontact, int nscalar, uint64_t seed)
{
    memset(f, 0, sizeof *f);
    ck_assert_int_eq(trx_context_create(NULL, &f->context), TRX_OK);
    storage s = {0};
    trxi_arena arena = {0};
    for (int pass = 0; pass < 2; pass++) {
        arena.used = 0;
        s.trees = TRXI_TAKE(&arena, trxi_tree, ntree);
        s.dof_tree = TRXI_TAKE(&arena, int, 6 * ntree);
        s.column = TRXI_TAKE(&arena, ptrdiff_t, 6 * ntree);
        s.contact_cols = TRXI_TAKE(&arena, int, ROW_COLUMNS * ncontact);
        s.scalar_cols = TRXI_TAKE(&arena, int, ROW_COLUMNS * nscalar);
        s.A = TRXI_TAKE(&arena, double, 36 * ntree);
        s.LA = TRXI_TAKE(&arena, double, 36 * ntree);
        s.p0 = TRXI_TAKE(&arena, double, 6 * ntree);
        s.v_free = TRXI_TAKE(&arena, double, 6 * ntree);
        f->start = TRXI_TAKE(&arena, double, 6 * ntree);
        s.contact_J = TRXI_TAKE(&arena, double, 3 * ROW_COLUMNS * ncontact);
        s.materials = TRXI_TAKE(&arena, trx_pair_law, ncontact);
        s.scalar_J = TRXI_TAKE(&arena, double, ROW_COLUMNS * nscalar);
        f->problem.blocks = TRXI_TAKE(&arena, trxi_row_block, ncontact + nscalar);
        f->problem.rows = TRXI_TAKE(&arena, trxi_row_work, ncontact + nscalar);
        if (pass == 0) arena.base = f->memory = trxi_allocate(f->context, arena.used);
    }
    f->model.ntree = ntree;
    f->model.trees = s.trees, f->model.dof_tree = s.dof_tree, f->model.column = s.column;
    make_trees(f, &s, seed);
    for (int i = 0; i < f->model.nv; i++) {
        s.p0[i] = s.v_free[i] = 3 * trxi_random_normal(seed + 2, (uint64_t)i);
        f->start[i] = trxi_random_normal(seed + 3, (uint64_t)i);
    }
    for (int t = 0; t < ntree; t++)
        trxi_cholesky_solve(s.trees[t].nv, s.LA + s.trees[t].block, s.trees[t].nv, 1, s.v_free + s.trees[t].v, s.trees[t].nv);
    f->contacts = f->problem.blocks, f->scalars = f->contacts + ncontact;
    f->ncontact = ncontact, f->nscalar = nscalar, f->problem.nblock = ncontact + nscalar;
    for (int k = 0; k < ncontact; k++) make_contact(f, &s, approximation, k, seed);
    for (int k = 0; k < nscalar; k++) make_scalar(f, &s, k, seed);
    f->problem.context = f->context, f->problem.law = law_settings(1e-4);
    f->problem.A = s.A, f->problem.LA = s.LA, f->problem.p0 = s.p0, f->problem.v_free = s.v_free;

    arena = (trxi_arena){0};
    trxi_solver_size size = {0};
    for (int t = 0; t < ntree; t++) trxi_solver_size_add(&size, f->model.trees[t].nv);
    trxi_solver_layout(&arena, &size, &f->solver);
    arena.base = f->solver_memory = trxi_allocate(f->context, arena.used);
    arena.used = 0;
    trxi_solver_layout(&arena, &size, &f->solver);
    for (int t = 0; t < ntree; t++) trxi_solver_add_group(&f->solver, f->model.trees[t].nv);
}

void destroy_forest(forest *f)
{
    trxi_solver_close(&f->solver);
    trxi_release(f->context, f->solver_memory);
    trxi_release(f->context, f->memory);
    trx_context_destroy(f->context);
}

trx_status solve_forest(forest *f, double tolerance)
{
    const trxi_solver_settings settings = {.tolerance = tolerance, .max_iterations = 100};
    memcpy(f->solver.v, f->start, (size_t)f->model.nv * sizeof *f->start);
    return trxi_contact_solve(&f->problem, &settings, &f->solver);
}
