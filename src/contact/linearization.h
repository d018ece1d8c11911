// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The linearization of a solution (theory 6): products with H^-1 = (dr/dv)^-1, and matrices dr/dx between dofs of
// groups that rows connect, where all other entries are zero.
//
//     dv/dx = -H^-1 R,      R = dr/dx
//
// Such coupled matrices store only entries of connected dofs; the solver chooses the layout. Parts are sets of groups
// without a connection between them: a step has no influence from one part to another.

#ifndef TRXI_CONTACT_LINEARIZATION_H
#define TRXI_CONTACT_LINEARIZATION_H

#include "contact/solver.h"

/// Refines the solutions of solvers whose unknowns are impulses, to a smaller relative tolerance: contacts that slide and share a
/// load then share it as their law demands (active_set.h).
void trxi_contact_refine(const trxi_contact_problem *problem, double tolerance, trxi_solver *solver);

/// Computes the factors of H at the solution, if they are not there already. Errors: ILL_CONDITIONED, MEMORY.
trx_status trxi_contact_factorize(const trxi_contact_problem *problem, trxi_solver *solver);

/// X = H^-1 X for nrhs columns of all nv unknowns, after trxi_contact_factorize. A column that is zero on a part costs nothing
/// there.
void trxi_contact_back_substitute(const trxi_contact_problem *problem, trxi_solver *solver, int nrhs, double *X, int ldx);

/// x = H^-T x (nv), for adjoints. H is symmetric but for models without a potential.
void trxi_contact_back_substitute_adjoint(const trxi_contact_problem *problem, trxi_solver *solver, double *x);

// ---- coupled matrices ----

/// Length of a coupled matrix of the last problem, in numbers.
size_t trxi_coupled_size(const trxi_solver *solver);

/// Layout of a coupled matrix R. Entry (i, j) of connected dofs is R[columns[j] + rows[i]]; entry (i, j) of one group
/// R[groups[j] + i].
typedef struct trxi_coupled_places {
    const ptrdiff_t *columns, *groups;
    const int *rows;
} trxi_coupled_places;

trxi_coupled_places trxi_coupled(const trxi_solver *solver);

/// Returns whether two dofs are connected.
bool trxi_coupled_tied(const trxi_solver *solver, int i, int j);

/// Number of dofs in the part of a dof: the rows of its column.
int trxi_coupled_rows(const trxi_solver *solver, int dof);

/// R = 0. In large parts only entries of groups that share a row, or share a block in the factor of H, are cleared and
/// later read by the functions below. All other entries are zero in any R made from rows of the problem.
void trxi_coupled_clear(const trxi_solver *solver, double *R);

/// y -= R x (nv) for an R that was cleared.
void trxi_coupled_subtract(const trxi_solver *solver, const double *R, const double *x, double *y);

/// out = alpha R in + beta out, or with the transpose (in, out: nv, apart), with every entry of R. beta = 0 ignores the
/// old out.
void trxi_coupled_product(const trxi_solver *solver, bool transposed, double alpha, const double *R, const double *in,
                          double beta, double *out);

// ---- parts ----

/// Number of parts.
int trxi_parts(const trxi_solver *solver);

/// Part of a dof.
int trxi_part_of(const trxi_solver *solver, int dof);

/// Dofs of a part, numbered by `rows` of the layout above.
int trxi_part_size(const trxi_solver *solver, int part);

/// Groups of a part, ascending; returns their number.
int trxi_part_groups(const trxi_solver *solver, int part, const int **groups);

// ---- all columns of -H^-1 [Rq Rv] ----

/// Solves for the columns of all parts where solving is cheapest, in `dv` (2 trxi_coupled_size + nv nrhs numbers), for Rq and Rv
/// that were cleared with trxi_coupled_clear. Before the call `dv` has nrhs right-hand sides of all dofs at
/// trxi_linearization_rhs; afterwards H^-1 times these.
void trxi_linearization_solve(const trxi_contact_problem *problem, trxi_solver *solver, const double *Rq, const double *Rv,
                              int nrhs, double *dv);
double *trxi_linearization_rhs(const trxi_solver *solver, double *dv);

/// Some columns of -H^-1 Rq and of -H^-1 Rv, on the rows of neighbouring groups.
typedef struct trxi_columns {
    int dof, ncol;               // columns: dof, dof + 1, ... of one group
    int group, ngroup;           // rows: the dofs of these groups
    const double *by_q, *by_v;   // ncol columns each, ld apart
    int ld;
} trxi_columns;

typedef void trxi_columns_visitor(void *context, const trxi_columns *columns);

/// Visits every column of a part once on each of its rows, after trxi_linearization_solve.
void trxi_linearization_visit(const trxi_contact_problem *problem, trxi_solver *solver, int part, const double *Rq,
                              const double *Rv, double *dv, trxi_columns_visitor *visit, void *context);

#endif
