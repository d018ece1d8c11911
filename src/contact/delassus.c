// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The Delassus operator by groups (theory 4): see impulses.h. The columns A^-1 J^T of a block cost one solve per row with the
// factor of each group that the block touches. A product with the columns costs three times the dofs of these groups.

#include "contact/impulses.h"

#include "contact/balance.h"
#include "contact/islands.h"

#include <string.h>

size_t trxi_delassus_numbers(const trxi_row_block *block, const trxi_work *s)
{
    int dofs = 0;
    for (int first = 0; first < block->ncol; first = trxi_group_end(s, block, first))
        dofs += s->groups[s->group_of[block->cols[first]]].nv;
    return (size_t)(block->n * dofs);
}

void trxi_delassus_columns(const trxi_contact_problem *problem, const trxi_row_block *block, const trxi_work *s, double *Y)
{
    const int n = block->n;
    for (int first = 0, end; first < block->ncol; first = end) {
        end = trxi_group_end(s, block, first);
        const trxi_group *group = &s->groups[s->group_of[block->cols[first]]];
        memset(Y, 0, (size_t)(n * group->nv) * sizeof *Y);
        for (int i = first; i < end; i++)
            for (int r = 0; r < n; r++) Y[block->cols[i] - group->v + r * group->nv] = block->J[n * i + r];
        trxi_group_solve(problem, group, n, Y, group->nv);
        Y += n * group->nv;
    }
}

// out += J x of the columns first .. end - 1
static void add_product(const trxi_row_block *block, int first, int end, const double *x, double out[3])
{
    const double *J = block->J + block->n * first;
    if (block->n == 1) {
        for (int i = first; i < end; i++, J++) out[0] += J[0] * x[block->cols[i]];
        return;
    }
    double a = out[0], b = out[1], n = out[2];
    for (int i = first; i < end; i++, J += 3) {
        const double value = x[block->cols[i]];
        a += J[0] * value, b += J[1] * value, n += J[2] * value;
    }
    out[0] = a, out[1] = b, out[2] = n;
}

trxi_sym3 trxi_delassus_block(const trxi_row_block *block, const trxi_work *s, const double *Y)
{
    double W[9] = {0};
    for (int first = 0, end; first < block->ncol; first = end) {
        end = trxi_group_end(s, block, first);
        const trxi_group *group = &s->groups[s->group_of[block->cols[first]]];
        for (int c = 0; c < block->n; c++, Y += group->nv) add_product(block, first, end, Y - group->v, W + 3 * c);
    }
    return (trxi_sym3){W[0], W[1], W[4], W[2], W[5], W[8]};
}

void trxi_delassus_apply(const trxi_row_block *block, const trxi_work *s, const double *Y, const double *gamma, double *v)
{
    for (int first = 0, end; first < block->ncol; first = end) {
        end = trxi_group_end(s, block, first);
        const trxi_group *group = &s->groups[s->group_of[block->cols[first]]];
        const int nv = group->nv;
        double *restrict u = v + group->v;
        if (block->n == 1)
            for (int i = 0; i < nv; i++) u[i] += Y[i] * gamma[0];
        else
            for (int i = 0; i < nv; i++) u[i] += Y[i] * gamma[0] + Y[i + nv] * gamma[1] + Y[i + 2 * nv] * gamma[2];
        Y += block->n * nv;
    }
}

void trxi_delassus_velocity(const trxi_contact_problem *problem, const trxi_island *island, trxi_work *s, double *v)
{
    trxi_island_copy(island, s, problem->p0, v);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next)
        trxi_row_apply(&problem->blocks[k], TRXI_STATE(problem, island->now, k)->gamma, v);
    for (int k = 0; k < island->ngroup; k++) {
        const trxi_group *group = &s->groups[s->members[island->first_group + k]];
        trxi_group_solve(problem, group, 1, v + group->v, group->nv);
    }
}
