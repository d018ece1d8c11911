// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// H = A + J^T G J of one island (theory 5), dense or as a sparse matrix of blocks.
//
// Dense: the lower triangle over the unknowns of the island. Sparse: a block of rows adds to the diagonal blocks of the groups
// that it touches, and to the off-diagonal block of each pair of these groups.

#include "contact/hessian.h"

#include "contact/balance.h"
#include "contact/islands.h"
#include "math/dense.h"

#include <string.h>

// writes W = G J of a block, n x ncol by rows; returns false when G is zero
static inline bool weigh(const trxi_row_block *block, const trxi_row_state *at, double *W)
{
    const trxi_sym3 *G = &at->G;
    const double *J = block->J;
    const int ncol = block->ncol;
    if (G->xx == 0 && (block->n == 1 || (at->branch == 0 && G->nn == 0))) return false;
    for (int i = 0; block->n == 1 && i < ncol; i++) W[i] = G->xx * J[i];
    for (int i = 0; block->n == 3 && i < ncol; i++, J += 3) {
        W[i] = G->xx * J[0] + G->xy * J[1] + G->xn * J[2];
        W[i + ncol] = G->xy * J[0] + G->yy * J[1] + G->yn * J[2];
        W[i + 2 * ncol] = G->xn * J[0] + G->yn * J[1] + G->nn * J[2];
    }
    return true;
}

// columns of a block whose unknowns are neighbours; in a sparse H they belong to one group
typedef struct run {
    int first, end;
} run;

static inline run run_at(const trxi_work *s, const trxi_row_block *block, bool sparse, int first)
{
    const int *cols = block->cols, *local = s->local, last = (sparse ? trxi_group_end(s, block, first) : block->ncol) - 1;
    if (local[cols[last]] - local[cols[first]] == last - first) return (run){first, last + 1};
    int end = first + 1;
    while (local[cols[end]] == local[cols[end - 1]] + 1) end++;
    return (run){first, end};
}

// where the entries of H between two runs of columns begin; the runs begin at the columns `first` <= `second`. Rows belong to the
// second run if the block is flipped. H is NULL for a sparse H, where s->scratch has the node of each group
static inline trxi_block place(const trxi_island *island, const trxi_work *s, double *H, int first, int second)
{
    const int nv = island->nv;
    if (H) return (trxi_block){H + s->local[second] + s->local[first] * nv, nv, true};
    const int a = s->group_of[first], b = s->group_of[second], i = first - s->groups[a].v, k = second - s->groups[b].v;
    trxi_block out = trxi_block_cholesky_block(island->sparse, s->scratch[a], s->scratch[b]);
    out.flipped = out.flipped || a == b;
    out.x += out.flipped ? k + i * out.ld : i + k * out.ld;
    return out;
}

// H += J^T W of one row
static inline void add_row(const trxi_island *island, const trxi_work *s, const trxi_row_block *block, double *H)
{
    const int *cols = block->cols;
    for (int i = 0; i < block->ncol; i++) {
        double *column = H ? H + s->local[cols[i]] * island->nv : NULL;
        const double value = s->GJ[i];
        for (int k = i; k < block->ncol; k++) {
            double *entry = H ? column + s->local[cols[k]] : place(island, s, NULL, cols[i], cols[k]).x;
            *entry += block->J[k] * value;
        }
    }
}

// H += J^T W of three rows
static void add_rows3(const trxi_island *island, const trxi_work *s, const trxi_row_block *block, double *H)
{
    for (run i = run_at(s, block, !H, 0);; i = run_at(s, block, !H, i.end)) {
        for (run k = i;; k = run_at(s, block, !H, k.end)) {
            const trxi_block at = place(island, s, H, block->cols[i.first], block->cols[k.first]);
            const run rows = at.flipped ? k : i, columns = at.flipped ? i : k;
            trxi_add_rank3(rows.end - rows.first, columns.end - columns.first, i.first == k.first, s->GJ + rows.first, block->ncol,
                           block->J + 3 * columns.first, at.x, at.ld);
            if (k.end == block->ncol) break;
        }
        if (i.end == block->ncol) return;
    }
}

// H is NULL for a sparse H
static void add_rows(const trxi_contact_problem *problem, const trxi_island *island, trxi_work *s, double *H)
{
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *block = &problem->blocks[k];
        if (!weigh(block, TRXI_STATE(problem, island->now, k), s->GJ)) continue;
        if (block->n == 1) add_row(island, s, block, H);
        else add_rows3(island, s, block, H);
    }
}

void trxi_hessian_dense(const trxi_contact_problem *problem, const trxi_island *island, trxi_work *s, double *H)
{
    const int nv = island->nv;
    if (island->ngroup > 1) memset(H, 0, (size_t)nv * (size_t)nv * sizeof *H);
    for (int k = 0; k < island->ngroup; k++) {
        const trxi_group *group = &s->groups[s->members[island->first_group + k]];
        double *block = H + (size_t)s->local[group->v] * (size_t)(nv + 1);
        trxi_group_copy(problem, group, block, nv);
    }
    add_rows(problem, island, s, H);
}

// s->scratch holds the node of each group meanwhile
static void assemble_sparse(const trxi_contact_problem *problem, const trxi_island *island, trxi_work *s)
{
    trxi_block_cholesky_clear(island->sparse);
    for (int k = 0; k < island->ngroup; k++) {
        const int t = s->members[island->first_group + k];
        const trxi_group *group = &s->groups[t];
        trxi_block block = trxi_block_cholesky_block(island->sparse, k, k);
        trxi_group_copy(problem, group, block.x, block.ld);
        s->scratch[t] = k;
    }
    add_rows(problem, island, s, NULL);
}

// increase of the diagonal after a failed factorization, relative to the diagonal of A
static void add_share_of_diagonal(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s, double share)
{
    for (int k = 0; k < island->ngroup; k++) {
        const trxi_group *group = &s->groups[s->members[island->first_group + k]];
        trxi_block block = island->sparse ? trxi_block_cholesky_block(island->sparse, k, k)
                                          : (trxi_block){island->H + s->local[group->v] * (island->nv + 1), island->nv, false};
        for (int i = 0; i < group->nv; i++)
            block.x[i * (block.ld + 1)] += share * trxi_group_diagonal(problem, group, i);
    }
}

bool trxi_hessian_factorize(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s)
{
    static const double shares[] = {0, 1e-12};
    island->near = false;
    for (int attempt = 0; attempt < 2; attempt++) {
        if (island->sparse) {
            // after a failed factorization, in this call or before, the graph is analyzed again
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

void trxi_hessian_solve_island(const trxi_contact_problem *problem, const trxi_island *island, const trxi_work *s,
                               int nrhs, double *X, int ldx)
{
    if (island->skewed) trxi_tangent_solve(island, s, nrhs, X, ldx);
    else if (trxi_island_is_free(island)) trxi_group_solve(problem, &s->groups[s->members[island->first_group]], nrhs, X, ldx);
    else if (island->sparse) trxi_block_cholesky_solve(island->sparse, nrhs, X, ldx);
    else trxi_cholesky_solve(island->nv, island->H, island->nv, nrhs, X, ldx);
}

static bool is_zero(const trxi_island *island, const trxi_work *s, const double *x)
{
    for (int k = 0; k < island->ngroup; k++) {
        const trxi_group *group = &s->groups[s->members[island->first_group + k]];
        for (int i = group->v; i < group->v + group->nv; i++)
            if (x[i] != 0) return false;
    }
    return true;
}

void trxi_hessian_solve(const trxi_contact_problem *problem, const trxi_island *island, trxi_work *s, int nrhs,
                        double *X, int ldx)
{
    if (island->first_dof >= 0 && (nrhs == 1 || s->nisland == 1)) {
        trxi_hessian_solve_island(problem, island, s, nrhs, X + island->first_dof, ldx);
        return;
    }

    // a column that is zero on this island stays zero
    double *columns[TRXI_GATHERED];
    for (int c = 0, used = 0; c < nrhs; c++) {
        double *x = X + (size_t)c * (size_t)ldx;
        if (!is_zero(island, s, x)) {
            trxi_island_gather(island, s, x, s->gathered + (size_t)used * (size_t)island->nv);
            columns[used++] = x;
        }
        if (used == 0 || (used < TRXI_GATHERED && c + 1 < nrhs)) continue;
        trxi_hessian_solve_island(problem, island, s, used, s->gathered, island->nv);
        for (int k = 0; k < used; k++)
            trxi_island_scatter(island, s, s->gathered + (size_t)k * (size_t)island->nv, columns[k]);
        used = 0;
    }
}

void trxi_hessian_product(const trxi_contact_problem *problem, const trxi_island *island, const trxi_work *s,
                          const double *x, double *y)
{
    trxi_island_mass(problem, island, s, x, y);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *block = &problem->blocks[k];
        double u[3], f[3];
        trxi_row_project(block, x, trxi_row_rest, u);
        trxi_row_product(block, &TRXI_STATE(problem, island->now, k)->G, u, f);
        trxi_row_apply(block, f, y);
    }
}
