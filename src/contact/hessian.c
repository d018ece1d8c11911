// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// H = A + J^T G J of one island (theory 5), dense or as a sparse matrix of blocks.
//
// Dense: the lower triangle over the unknowns of the island. Sparse: a block of rows adds to the diagonal blocks of the groups
// that it touches, and to the off-diagonal block of each pair of these groups.

#include "contact/hessian.h"

#include "contact/groups.h"
#include "contact/islands.h"
#include "math/dense.h"

#include <string.h>

// writes G J of a block: entry (a, i) at out[a * row + i * column]; returns false when G is zero
static inline bool weigh(const trxi_row_block *block, const trxi_row_state *at, int row, int column, double *out)
{
    const trxi_sym3 *G = &at->G;
    if (G->xx == 0 && (block->n == 1 || (at->branch == 0 && G->nn == 0))) return false;
    for (int i = 0; block->n == 1 && i < block->ncol; i++) out[i] = G->xx * block->J[i];
    if (block->n == 1) return true;
    const double *J = block->J;
    for (int i = 0; i < block->ncol; i++, J += 3, out += column) {
        out[0] = G->xx * J[0] + G->xy * J[1] + G->xn * J[2];
        out[row] = G->xy * J[0] + G->yy * J[1] + G->yn * J[2];
        out[2 * row] = G->xn * J[0] + G->yn * J[1] + G->nn * J[2];
    }
    return true;
}

// end of the run of columns from `first` on whose unknowns are neighbours in the island
static int run_end(const trxi_row_block *block, const int *local, int first)
{
    const int last = block->ncol - 1;
    if (local[block->cols[last]] - local[block->cols[first]] == last - first) return block->ncol;
    int end = first + 1;
    while (local[block->cols[end]] == local[block->cols[end - 1]] + 1) end++;
    return end;
}

// J^T W of three rows, W = G J by rows
static void add_dense3(const trxi_row_block *block, const int *local, const double *W, int nv, double *H)
{
    for (int i = 0, i_end; i < block->ncol; i = i_end) {
        i_end = run_end(block, local, i);
        double *columns = H + (size_t)local[block->cols[i]] * (size_t)nv;
        for (int j = i, j_end; j < block->ncol; j = j_end) {
            j_end = j == i ? i_end : run_end(block, local, j);
            trxi_add_rank3(j_end - j, i_end - i, j == i, W + j, block->ncol, block->J + 3 * i, columns + local[block->cols[j]],
                           nv);
        }
    }
}

static void add_dense1(const trxi_row_block *block, const int *local, const double *W, int nv, double *H)
{
    for (int i = 0; i < block->ncol; i++) {
        double *column = H + (size_t)local[block->cols[i]] * (size_t)nv;
        for (int j = i; j < block->ncol; j++) column[local[block->cols[j]]] += block->J[j] * W[i];
    }
}

static void add_dense(const trxi_contact_problem *problem, const trxi_island *island, trxi_work *s, double *H)
{
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *block = &problem->blocks[k];
        if (!weigh(block, TRXI_STATE(problem, island->now, k), block->ncol, 1, s->GJ)) continue;
        if (block->n == 1) add_dense1(block, s->local, s->GJ, island->nv, H);
        else add_dense3(block, s->local, s->GJ, island->nv, H);
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
    add_dense(problem, island, s, H);
}

static inline double product(int n, const double *a, const double *b)
{
    return n == 1 ? a[0] * b[0] : a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// columns of a block that belong to one group
typedef struct part {
    int first, end; // columns
    int node, v;    // number of the group in the island, first dof of the group
} part;

// the part from column `first` on; s->scratch has the node of each group
static part part_at(const trxi_work *s, const trxi_row_block *block, int first)
{
    const int group = s->group_of[block->cols[first]];
    return (part){first, trxi_group_end(s, block, first), s->scratch[group], s->groups[group].v};
}

// adds J_a^T W_a to the lower triangle of the block of one group
static inline void add_own(int n, const trxi_row_block *block, const double *W, part a, trxi_block out)
{
    for (int i = a.first; i < a.end; i++) {
        double *column = out.x + (block->cols[i] - a.v) * out.ld;
        for (int j = i; j < a.end; j++) column[block->cols[j] - a.v] += product(n, block->J + n * j, W + n * i);
    }
}

// adds J_b^T W_a to the block of two groups, a before b
static inline void add_between(int n, const trxi_row_block *block, const double *W, part a, part b, trxi_block out)
{
    const int step_a = out.flipped ? out.ld : 1, step_b = out.flipped ? 1 : out.ld;
    for (int i = a.first; i < a.end; i++) {
        double *row = out.x + (block->cols[i] - a.v) * step_a;
        for (int j = b.first; j < b.end; j++) row[(block->cols[j] - b.v) * step_b] += product(n, block->J + n * j, W + n * i);
    }
}

static inline void add_sparse(int n, const trxi_island *island, const trxi_work *s, const trxi_row_block *block)
{
    for (int i = 0; i < block->ncol;) {
        const part a = part_at(s, block, i);
        add_own(n, block, s->GJ, a, trxi_block_cholesky_block(island->sparse, a.node, a.node));
        for (int j = a.end; j < block->ncol;) {
            const part b = part_at(s, block, j);
            add_between(n, block, s->GJ, a, b, trxi_block_cholesky_block(island->sparse, a.node, b.node));
            j = b.end;
        }
        i = a.end;
    }
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
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *block = &problem->blocks[k];
        if (!weigh(block, TRXI_STATE(problem, island->now, k), 1, 3, s->GJ)) continue;
        if (block->n == 1) add_sparse(1, island, s, block);
        else add_sparse(3, island, s, block);
    }
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
    if (trxi_island_is_free(island)) trxi_group_solve(problem, &s->groups[s->members[island->first_group]], nrhs, X, ldx);
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
