// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Groups of degrees of freedom, which A couples, and the momentum balance of an island at an iterate: impulses and residual
// (theory 2.2, 5). This header and groups.c store A as dense blocks, one lower triangle for each group; the other files do not
// depend on this storage. Shared by the solver's files.

#ifndef TRXI_CONTACT_BALANCE_H
#define TRXI_CONTACT_BALANCE_H

#include "contact/work.h"

// ---- A by groups (groups.c) ----

/// y = A x on the dofs of one group.
void trxi_group_product(const trxi_contact_problem *problem, const trxi_group *group, const double *x, double *y);

/// bound += |A| |v| on the dofs of one group.
void trxi_group_add_bound(const trxi_contact_problem *problem, const trxi_group *group, const double *v, double *bound);

/// X = A^-1 X for nrhs columns; X has only the dofs of the group as rows.
void trxi_group_solve(const trxi_contact_problem *problem, const trxi_group *group, int nrhs, double *X, int ldx);

/// Copies the lower triangle of A to H (leading dimension ld). H has only the dofs of the group. The rest of H is undefined.
void trxi_group_copy(const trxi_contact_problem *problem, const trxi_group *group, double *H, int ld);

/// A(i, i) of dof i of the group.
static inline double trxi_group_diagonal(const trxi_contact_problem *problem, const trxi_group *group, int i)
{
    return problem->A[group->block + i * (group->nv + 1)];
}

/// End of the columns from `first` on that belong to one group.
static inline int trxi_group_end(const trxi_work *s, const trxi_row_block *block, int first)
{
    const trxi_group *group = &s->groups[s->group_of[block->cols[first]]];
    const int *cols = block->cols, ncol = block->ncol, last = group->v + group->nv - 1;
    int end = first + 1;
    while (end < ncol && cols[end] <= last) end++;
    return end;
}

// ---- balance ----

/// v_c, gamma, G of the island's rows, and p, j, r = p - p0 - j of its groups at x->v. O(nv of each group squared + rows).
void trxi_balance_compute(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s, trxi_iterate *x);

/// Computes j and r from p and the impulses.
void trxi_balance_collect(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s, trxi_iterate *x);

/// Exchanges the two iterates, so `next` becomes `now`.
static inline void trxi_balance_accept(trxi_island *island)
{
    trxi_iterate *before = island->now;
    island->now = island->next, island->next = before;
}

/// Ends work on an island: the solver's v and the blocks have the velocity and the impulses of `now`.
void trxi_balance_publish(const trxi_contact_problem *problem, const trxi_island *island, trxi_work *s);

#endif
