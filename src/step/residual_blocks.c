// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// What there is of dr/dq0 and dr/dv0 (theory 6): a tree's residual depends on the trees that share a row with it. In islands of
// many trees only these blocks are cleared, filled and read, all else in their squares is undefined. Which they are, the factor
// of H knows, whose rows are the same.

#include "step/residual_blocks.h"

#include "contact/islands.h"
#include "math/dense.h"
#include "sparse/block_inverse.h"

#include <string.h>

bool trxi_step_by_blocks(const trxi_island *island)
{
    // the inverse of H has room where the columns of dv would stand
    const size_t room = 2 * (size_t)island->nv * (size_t)island->nv;
    return island->sparse && trxi_block_inverse_size(trxi_block_cholesky_factor(island->sparse).symbolic) <= room;
}

static void clear_blocks(const trxi_island *island, double *R)
{
    const trxi_symbolic *s = trxi_block_cholesky_factor(island->sparse).symbolic;
    for (int p = 0; p < s->nnode; p++) {
        const int first = s->first[s->order[p]], end = first + s->start[p + 1] - s->start[p];
        for (int k = s->around[p]; k < s->around[p + 1]; k++) {
            const int q = s->near[k], row = s->first[s->order[q]], count = s->start[q + 1] - s->start[q];
            for (int j = first; j < end; j++)
                for (int i = row; i < row + count; i++) R[i + (ptrdiff_t)j * island->nv] = 0;
        }
    }
}

void trxi_step_clear_residual(trx_sim *sim)
{
    for (int i = 0; i < sim->solver.nisland; i++) {
        const trxi_island *island = &sim->solver.islands[i];
        const size_t square = (size_t)island->nv * (size_t)island->nv;
        double *matrices[] = {sim->rq + island->start, sim->rv + island->start};
        for (int m = 0; m < 2; m++) {
            if (trxi_step_by_blocks(island)) clear_blocks(island, matrices[m]);
            else memset(matrices[m], 0, square * sizeof **matrices);
        }
    }
}

static void subtract_blocks(const trx_sim *sim, const trxi_island *island, const double *R, const double *x, double *y)
{
    const trxi_symbolic *s = trxi_block_cholesky_factor(island->sparse).symbolic;
    const trxi_tree *trees = sim->model->trees;
    const int *nodes = sim->solver.trees + island->first_tree;
    for (int p = 0; p < s->nnode; p++) {
        const double *column = R + (ptrdiff_t)s->first[s->order[p]] * island->nv;
        const trxi_tree *from = &trees[nodes[s->order[p]]];
        for (int k = s->around[p]; k < s->around[p + 1]; k++) {
            const int node = s->order[s->near[k]];
            const trxi_tree *to = &trees[nodes[node]];
            trxi_gemv(to->nv, from->nv, -1, column + s->first[node], island->nv, x + from->v, 1, y + to->v);
        }
    }
}

void trxi_step_subtract_residual(const trx_sim *sim, const double *R, const double *x, double *y)
{
    const trxi_solver *s = &sim->solver;
    for (int i = 0; i < s->nisland; i++) {
        const trxi_island *island = &s->islands[i];
        const int n = island->nv;
        if (trxi_step_by_blocks(island)) {
            subtract_blocks(sim, island, R + island->start, x, y);
            continue;
        }
        if (island->first_dof >= 0) {
            trxi_gemv(n, n, -1, R + island->start, n, x + island->first_dof, 1, y + island->first_dof);
            continue;
        }
        double *in = s->gathered, *out = s->gathered + n;
        trxi_island_gather(sim->model, island, s, x, in);
        trxi_island_gather(sim->model, island, s, y, out);
        trxi_gemv(n, n, -1, R + island->start, n, in, 1, out);
        trxi_island_scatter(sim->model, island, s, out, y);
    }
}
