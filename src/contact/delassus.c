// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The Delassus operator by groups (theory 4): see impulses.h. Each product solves with the factor of A of the groups that the
// block touches, which costs the square of their dofs.

#include "contact/impulses.h"

#include "contact/balance.h"
#include "contact/islands.h"

#include <string.h>

// X = A^-1 J^T of the columns first .. end - 1, which belong to one group: nv x n, in place of the group's dofs
static const trxi_group *solve_columns(const trxi_contact_problem *problem, const trxi_row_block *block, int first, int end,
                                       const trxi_work *s, double *X)
{
    const trxi_group *group = &s->groups[s->group_of[block->cols[first]]];
    memset(X, 0, (size_t)(block->n * group->nv) * sizeof *X);
    for (int i = first; i < end; i++)
        for (int r = 0; r < block->n; r++) X[block->cols[i] - group->v + r * group->nv] = block->J[block->n * i + r];
    trxi_group_solve(problem, group, block->n, X, group->nv);
    return group;
}

trxi_sym3 trxi_delassus_block(const trxi_contact_problem *problem, const trxi_row_block *block, trxi_work *s)
{
    const int n = block->n;
    double W[9] = {0};
    for (int first = 0, end; first < block->ncol; first = end) {
        end = trxi_group_end(s, block, first);
        const trxi_group *group = solve_columns(problem, block, first, end, s, s->GJ);
        for (int i = first; i < end; i++)
            for (int c = 0; c < n; c++)
                for (int r = 0; r < n; r++)
                    W[r + 3 * c] += block->J[n * i + r] * s->GJ[block->cols[i] - group->v + c * group->nv];
    }
    return (trxi_sym3){W[0], W[1], W[4], W[2], W[5], W[8]};
}

void trxi_delassus_apply(const trxi_contact_problem *problem, const trxi_row_block *block, const double *gamma, trxi_work *s,
                         double *v)
{
    for (int first = 0, end; first < block->ncol; first = end) {
        end = trxi_group_end(s, block, first);
        const trxi_group *group = &s->groups[s->group_of[block->cols[first]]];
        memset(s->GJ, 0, (size_t)group->nv * sizeof *s->GJ);
        for (int i = first; i < end; i++)
            for (int r = 0; r < block->n; r++) s->GJ[block->cols[i] - group->v] += block->J[block->n * i + r] * gamma[r];
        trxi_group_solve(problem, group, 1, s->GJ, group->nv);
        for (int i = 0; i < group->nv; i++) v[group->v + i] += s->GJ[i];
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
