// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The groups that the rows of a problem connect (theory 5, islands and cost). Shared by the solver's files.

#ifndef TRXI_CONTACT_ISLANDS_H
#define TRXI_CONTACT_ISLANDS_H

#include "contact/work.h"

/// Finds the islands: fills islands, members, local and the lists of blocks. Errors: MEMORY.
trx_status trxi_islands_find(const trxi_contact_problem *problem, trxi_work *solver);

/// Makes one island of all groups, whatever the rows, for tests of a whole problem.
trx_status trxi_islands_join(const trxi_contact_problem *problem, trxi_work *solver);

/// Gathers the unknowns of an island from x (nv), and scatters them back.
void trxi_island_gather(const trxi_island *island, const trxi_work *solver, const double *x,
                        double *local);
void trxi_island_scatter(const trxi_island *island, const trxi_work *solver, const double *local,
                         double *x);

/// A run of consecutive dofs of an island, first .. end - 1: all dofs of the island, or the dofs of one group.
typedef struct trxi_dof_run {
    int first, end;
} trxi_dof_run;

static inline int trxi_island_runs(const trxi_island *island)
{
    return island->first_dof >= 0 ? 1 : island->ngroup;
}

static inline trxi_dof_run trxi_island_run(const trxi_island *island, const trxi_work *s, int k)
{
    if (island->first_dof >= 0) return (trxi_dof_run){island->first_dof, island->first_dof + island->nv};
    const trxi_group *group = &s->groups[s->members[island->first_group + k]];
    return (trxi_dof_run){group->v, group->v + group->nv};
}

/// a . b on the unknowns of an island, and y = b + alpha x there (b may be NULL: zero), for vectors of all dofs.
double trxi_island_dot(const trxi_island *island, const trxi_work *solver, const double *a,
                       const double *b);
void trxi_island_combine(const trxi_island *island, const trxi_work *solver, const double *b,
                         double alpha, const double *x, double *y);

/// y = x on the unknowns of an island.
void trxi_island_copy(const trxi_island *island, const trxi_work *solver, const double *x, double *y);

/// y = A x on the unknowns of an island.
void trxi_island_mass(const trxi_contact_problem *problem, const trxi_island *island, const trxi_work *solver, const double *x,
                      double *y);

/// True when all numbers of x are finite on the unknowns of an island.
bool trxi_island_finite(const trxi_island *island, const trxi_work *solver, const double *x);

/// True when coupled matrices (linearization.h) use only the blocks of the factor of the island's H, and the columns of
/// -H^-1 [Rq Rv] are products with the inverse of H.
bool trxi_island_by_blocks(const trxi_island *island);

/// Gives the contacts of an island another law, for methods that solve them in parts.
void trxi_island_use_law(const trxi_contact_problem *problem, const trxi_island *island, const trxi_law *law);

/// True for a group without rows.
static inline bool trxi_island_is_free(const trxi_island *island)
{
    return island->block < 0 && island->ngroup == 1;
}

#endif
