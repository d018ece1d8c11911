// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// H = A + J^T G J of one island (theory 5), dense or as a sparse matrix of blocks.
//
// Dense: the lower triangle in the island's own unknowns. Sparse: a contact adds to three blocks, those of its two trees
// and the one between them; a row with one impulse may tie more trees and adds pair by pair.

#include "contact/hessian.h"

#include "contact/islands.h"
#include "math/dense.h"

#include <string.h>

// G J of one contact, whose entry of row a and column i comes to out[a * row + i * column]; false when it adds nothing
static inline bool weigh_contact(const trxi_contact *c, int row, int column, double *out)
{
    const trxi_sym3 *G = &c->G;
    if (c->branch == 0 && G->xx == 0 && G->nn == 0) return false;
    for (int i = 0; i < c->ncol; i++, out += column) {
        const double *J = c->J + 3 * i;
        out[0] = G->xx * J[0] + G->xy * J[1] + G->xn * J[2];
        out[row] = G->xy * J[0] + G->yy * J[1] + G->yn * J[2];
        out[2 * row] = G->xn * J[0] + G->yn * J[1] + G->nn * J[2];
    }
    return true;
}

static double product3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// end of the columns from `first` on that lie side by side in the island
static int run_end(const trxi_contact *c, const int *local, int first)
{
    const int last = c->ncol - 1;
    if (local[c->cols[last]] - local[c->cols[first]] == last - first) return c->ncol;
    int end = first + 1;
    while (local[c->cols[end]] == local[c->cols[end - 1]] + 1) end++;
    return end;
}

static void add_dense_contact(const trxi_contact *c, const int *local, const double *W, int nv, double *H)
{
    for (int i = 0, i_end; i < c->ncol; i = i_end) {
        i_end = run_end(c, local, i);
        double *columns = H + (size_t)local[c->cols[i]] * (size_t)nv;
        for (int j = i, j_end; j < c->ncol; j = j_end) {
            j_end = j == i ? i_end : run_end(c, local, j);
            trxi_add_rank3(j_end - j, i_end - i, j == i, W + j, c->ncol, c->J + 3 * i, columns + local[c->cols[j]], nv);
        }
    }
}

static void add_dense(const trxi_contact_problem *problem, const trxi_island *island, trxi_solver *s, double *H)
{
    const int nv = island->nv, *local = s->local;
    for (int k = island->contact; k >= 0; k = problem->contacts[k].next) {
        const trxi_contact *c = &problem->contacts[k];
        if (weigh_contact(c, c->ncol, 1, s->GJ)) add_dense_contact(c, local, s->GJ, nv, H);
    }
    for (int k = island->scalar; k >= 0; k = problem->scalars[k].next) {
        const trxi_scalar *row = &problem->scalars[k];
        if (row->G == 0) continue;
        for (int i = 0; i < row->ncol; i++) {
            double *column = H + (size_t)local[row->cols[i]] * (size_t)nv, value = row->G * row->J[i];
            for (int j = i; j < row->ncol; j++) column[local[row->cols[j]]] += row->J[j] * value;
        }
    }
}

void trxi_hessian_dense(const trxi_contact_problem *problem, const trxi_island *island, trxi_solver *s, double *H)
{
    const int nv = island->nv;
    if (island->ntree > 1) memset(H, 0, (size_t)nv * (size_t)nv * sizeof *H);
    for (int k = 0; k < island->ntree; k++) {
        const trxi_tree *tree = &problem->model->trees[s->trees[island->first_tree + k]];
        double *block = H + (size_t)s->local[tree->v] * (size_t)(nv + 1);
        const double *A = problem->A + tree->block;
        for (int c = 0; c < tree->nv; c++)
            memcpy(block + c * nv, A + c * tree->nv, (size_t)tree->nv * sizeof *H);
    }
    add_dense(problem, island, s, H);
}

// the part of a diagonal block that has the columns first .. last of a contact: lower triangle
static void add_own(const trxi_contact *c, const double *GJ, int v, int first, int last, trxi_block block)
{
    for (int i = first; i < last; i++) {
        double *column = block.x + (c->cols[i] - v) * block.ld;
        for (int j = i; j < last; j++) column[c->cols[j] - v] += product3(c->J + 3 * j, GJ + 3 * i);
    }
}

static void add_between(const trxi_contact *c, const double *GJ, int va, int vb, int split, trxi_block block)
{
    for (int i = 0; i < split; i++)
        for (int j = split; j < c->ncol; j++) {
            int a = c->cols[i] - va, b = c->cols[j] - vb;
            block.x[block.flipped ? b + a * block.ld : a + b * block.ld] += product3(c->J + 3 * j, GJ + 3 * i);
        }
}

static void add_sparse_contact(const trxi_contact_problem *problem, const trxi_island *island, const trxi_solver *s,
                               const trxi_contact *c)
{
    const trx_model *model = problem->model;
    const int ta = model->dof_tree[c->cols[0]], tb = model->dof_tree[c->cols[c->ncol - 1]];
    const int va = model->trees[ta].v, vb = model->trees[tb].v, na = s->scratch[ta], nb = s->scratch[tb];
    int split = c->ncol;
    while (ta != tb && c->cols[split - 1] >= vb) split--;
    add_own(c, s->GJ, va, 0, split, trxi_block_cholesky_block(island->sparse, na, na));
    if (ta == tb) return;
    add_own(c, s->GJ, vb, split, c->ncol, trxi_block_cholesky_block(island->sparse, nb, nb));
    add_between(c, s->GJ, va, vb, split, trxi_block_cholesky_block(island->sparse, na, nb));
}

static void add_sparse_scalar(const trxi_contact_problem *problem, const trxi_island *island, const trxi_solver *s,
                              const trxi_scalar *row)
{
    const trx_model *model = problem->model;
    for (int i = 0; i < row->ncol; i++)
        for (int j = 0; j <= i; j++) {
            int ti = model->dof_tree[row->cols[i]], tj = model->dof_tree[row->cols[j]];
            int a = row->cols[j] - model->trees[tj].v, b = row->cols[i] - model->trees[ti].v;
            trxi_block block = trxi_block_cholesky_block(island->sparse, s->scratch[tj], s->scratch[ti]);
            block.x[block.flipped || ti == tj ? b + a * block.ld : a + b * block.ld] += row->G * row->J[i] * row->J[j];
        }
}

// s->scratch holds the node of each tree meanwhile
static void assemble_sparse(const trxi_contact_problem *problem, const trxi_island *island, trxi_solver *s)
{
    trxi_block_cholesky_clear(island->sparse);
    for (int k = 0; k < island->ntree; k++) {
        const int t = s->trees[island->first_tree + k];
        const trxi_tree *tree = &problem->model->trees[t];
        trxi_block block = trxi_block_cholesky_block(island->sparse, k, k);
        for (int j = 0; j < tree->nv; j++)
            for (int i = j; i < tree->nv; i++) block.x[i + j * block.ld] = problem->A[tree->block + i + j * tree->nv];
        s->scratch[t] = k;
    }
    for (int k = island->contact; k >= 0; k = problem->contacts[k].next)
        if (weigh_contact(&problem->contacts[k], 1, 3, s->GJ))
            add_sparse_contact(problem, island, s, &problem->contacts[k]);
    for (int k = island->scalar; k >= 0; k = problem->scalars[k].next)
        if (problem->scalars[k].G != 0) add_sparse_scalar(problem, island, s, &problem->scalars[k]);
}

// more on the diagonal, as a share of that of A
static void add_share_of_diagonal(const trxi_contact_problem *problem, trxi_island *island, trxi_solver *s, double share)
{
    const trx_model *model = problem->model;
    for (int k = 0; k < island->ntree; k++) {
        const trxi_tree *tree = &model->trees[s->trees[island->first_tree + k]];
        trxi_block block = island->sparse ? trxi_block_cholesky_block(island->sparse, k, k)
                                          : (trxi_block){island->H + s->local[tree->v] * (island->nv + 1), island->nv, false};
        for (int i = 0; i < tree->nv; i++)
            block.x[i * (block.ld + 1)] += share * problem->A[tree->block + i * (tree->nv + 1)];
    }
}

bool trxi_hessian_factorize(const trxi_contact_problem *problem, trxi_island *island, trxi_solver *s)
{
    static const double shares[] = {0, 1e-12};
    island->near = false;
    for (int attempt = 0; attempt < 2; attempt++) {
        if (island->sparse) {
            // a failed factorization, this one's or the last one's, left the graph to be analyzed again
            if (trxi_block_cholesky_analyze(island->sparse) < 0) return false;
            assemble_sparse(problem, island, s);
        } else {
            trxi_hessian_dense(problem, island, s, island->H);
        }
        if (attempt > 0) add_share_of_diagonal(problem, island, s, shares[attempt]);
        bool done = island->sparse ? trxi_block_cholesky_factorize(island->sparse)
                                   : trxi_cholesky(island->nv, island->H, island->nv) < 0;
        if (done) return island->near = true;
    }
    return false;
}

void trxi_hessian_solve_island(const trxi_contact_problem *problem, const trxi_island *island, const trxi_solver *s,
                               int nrhs, double *X, int ldx)
{
    const double *factor = island->H;
    if (trxi_island_is_free(island)) factor = problem->LA + problem->model->trees[s->trees[island->first_tree]].block;
    if (island->sparse) trxi_block_cholesky_solve(island->sparse, nrhs, X, ldx);
    else trxi_cholesky_solve(island->nv, factor, island->nv, nrhs, X, ldx);
}

static bool is_zero(const trx_model *model, const trxi_island *island, const trxi_solver *s, const double *x)
{
    for (int k = 0; k < island->ntree; k++) {
        const trxi_tree *tree = &model->trees[s->trees[island->first_tree + k]];
        for (int i = tree->v; i < tree->v + tree->nv; i++)
            if (x[i] != 0) return false;
    }
    return true;
}

void trxi_hessian_solve(const trxi_contact_problem *problem, const trxi_island *island, trxi_solver *s, int nrhs,
                        double *X, int ldx)
{
    const trx_model *model = problem->model;
    if (island->first_dof >= 0 && (nrhs == 1 || s->nisland == 1)) {
        trxi_hessian_solve_island(problem, island, s, nrhs, X + island->first_dof, ldx);
        return;
    }

    // columns that are zero here stay so
    double *columns[TRXI_GATHERED];
    for (int c = 0, used = 0; c < nrhs; c++) {
        double *x = X + (size_t)c * (size_t)ldx;
        if (!is_zero(model, island, s, x)) {
            trxi_island_gather(model, island, s, x, s->gathered + (size_t)used * (size_t)island->nv);
            columns[used++] = x;
        }
        if (used == 0 || (used < TRXI_GATHERED && c + 1 < nrhs)) continue;
        trxi_hessian_solve_island(problem, island, s, used, s->gathered, island->nv);
        for (int k = 0; k < used; k++)
            trxi_island_scatter(model, island, s, s->gathered + (size_t)k * (size_t)island->nv, columns[k]);
        used = 0;
    }
}

void trxi_hessian_product(const trxi_contact_problem *problem, const trxi_island *island, const trxi_solver *s,
                          const double *x, double *y)
{
    trxi_island_mass(problem, island, s, x, y);
    for (int k = island->contact; k >= 0; k = problem->contacts[k].next) {
        const trxi_contact *c = &problem->contacts[k];
        const trxi_sym3 *G = &c->G;
        double u[3] = {0, 0, 0};
        trxi_contact_project(c, x, u);
        const double f[3] = {G->xx * u[0] + G->xy * u[1] + G->xn * u[2], G->xy * u[0] + G->yy * u[1] + G->yn * u[2],
                             G->xn * u[0] + G->yn * u[1] + G->nn * u[2]};
        for (int i = 0; i < c->ncol; i++) y[c->cols[i]] += product3(c->J + 3 * i, f);
    }
    for (int k = island->scalar; k >= 0; k = problem->scalars[k].next) {
        const trxi_scalar *row = &problem->scalars[k];
        double u = 0;
        for (int i = 0; i < row->ncol; i++) u += row->J[i] * x[row->cols[i]];
        for (int i = 0; i < row->ncol; i++) y[row->cols[i]] += row->J[i] * row->G * u;
    }
}
