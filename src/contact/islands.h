// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Which trees the rows of a problem tie together (theory 5, sparsity). Shared by the solver's files.

#ifndef TRXI_CONTACT_ISLANDS_H
#define TRXI_CONTACT_ISLANDS_H

#include "contact/solver.h"

/// Fills islands, trees, local of the solver and the lists of rows. Errors: MEMORY.
trx_status trxi_islands_find(const trxi_contact_problem *problem, trxi_solver *solver);

/// One island of all trees, whatever the rows: for tests, which look at all of a problem at once.
trx_status trxi_islands_join(const trxi_contact_problem *problem, trxi_solver *solver);

/// The unknowns of an island out of x (nv), and back into it.
void trxi_island_gather(const trx_model *model, const trxi_island *island, const trxi_solver *solver, const double *x,
                        double *local);
void trxi_island_scatter(const trx_model *model, const trxi_island *island, const trxi_solver *solver, const double *local,
                         double *x);

/// Neighbouring dofs of an island, first .. end: all of them at once, or those of one of its trees.
typedef struct trxi_dof_run {
    int first, end;
} trxi_dof_run;

static inline int trxi_island_runs(const trxi_island *island)
{
    return island->first_dof >= 0 ? 1 : island->ntree;
}

static inline trxi_dof_run trxi_island_run(const trx_model *model, const trxi_island *island, const trxi_solver *solver, int k)
{
    if (island->first_dof >= 0) return (trxi_dof_run){island->first_dof, island->first_dof + island->nv};
    const trxi_tree *tree = &model->trees[solver->trees[island->first_tree + k]];
    return (trxi_dof_run){tree->v, tree->v + tree->nv};
}

/// a . b on the unknowns of an island, and y = b + alpha x there (b may be NULL: zero), for vectors of all dofs.
double trxi_island_dot(const trx_model *model, const trxi_island *island, const trxi_solver *solver, const double *a,
                       const double *b);
void trxi_island_combine(const trx_model *model, const trxi_island *island, const trxi_solver *solver, const double *b,
                         double alpha, const double *x, double *y);

/// y = A x there.
void trxi_island_mass(const trxi_contact_problem *problem, const trxi_island *island, const trxi_solver *solver, const double *x,
                      double *y);

/// True when all numbers of x are finite on the unknowns of an island.
bool trxi_island_finite(const trx_model *model, const trxi_island *island, const trxi_solver *solver, const double *x);

/// True for a tree without rows.
static inline bool trxi_island_is_free(const trxi_island *island)
{
    return island->block < 0 && island->ntree == 1;
}

#endif
