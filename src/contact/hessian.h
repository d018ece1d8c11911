// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// H = dr/dv = A + J^T G J of one island (theory 5): assembly, factorization and solves; and A + J^T (G + [skew]x) J of an island
// with a rigid model (theory 4, 6), which is not symmetric where a law has no potential. Shared by the solver's files.

#ifndef TRXI_CONTACT_HESSIAN_H
#define TRXI_CONTACT_HESSIAN_H

#include "contact/work.h"

/// Factorizes H at the current v of the island. After a failed pivot, 1e-12 diag(A) is added and the factorization repeated once.
/// Returns false when the second try fails, also in its sparse analysis.
bool trxi_hessian_factorize(const trxi_contact_problem *problem, trxi_island *island, trxi_work *solver);

/// X = H^-1 X on the rows of the island, for nrhs columns of all nv unknowns.
void trxi_hessian_solve(const trxi_contact_problem *problem, const trxi_island *island, trxi_work *solver, int nrhs,
                        double *X, int ldx);

/// Solves for one island; X (nv of the island x nrhs) has the island's order of unknowns.
void trxi_hessian_solve_island(const trxi_contact_problem *problem, const trxi_island *island, const trxi_work *solver,
                               int nrhs, double *X, int ldx);

/// Assembles H with the current G of the blocks: lower triangle (nv x nv of the island, in the order of work->local).
void trxi_hessian_dense(const trxi_contact_problem *problem, const trxi_island *island, trxi_work *solver, double *H);

/// y = H x on the rows of the island, for x and y of all nv unknowns.
void trxi_hessian_product(const trxi_contact_problem *problem, const trxi_island *island, const trxi_work *solver,
                          const double *x, double *y);

// ---- with laws without a potential (tangent.c) ----

/// Makes room for the matrices of all islands, once. Returns false when memory is out.
bool trxi_tangent_reserve(const trxi_contact_problem *problem, trxi_work *s);

/// Sets the slopes G of the island's blocks at the solution, and factorizes H by elimination with row exchanges. The first call
/// makes room for all later ones. Returns TRX_OK, ILL_CONDITIONED or MEMORY.
trx_status trxi_tangent_factorize(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s);

/// The slope G + [skew]x of block k that H is made of.
typedef void trxi_tangent_slope(const trxi_contact_problem *problem, const trxi_island *island, int k, trxi_sym3 *G,
                                double skew[3]);

/// Like trxi_tangent_factorize, with slopes from the caller: for solvers whose iterations solve with H.
trx_status trxi_tangent_factorize_with(const trxi_contact_problem *problem, trxi_island *island, trxi_tangent_slope *slope,
                                       trxi_work *s);

/// X = H^-1 X; X (nv of the island x nrhs) has the island's order of unknowns.
void trxi_tangent_solve(const trxi_island *island, const trxi_work *s, int nrhs, double *X, int ldx);

/// x = H^-T x on the rows of the island; x has all unknowns.
void trxi_tangent_solve_adjoint(const trxi_island *island, trxi_work *s, double *x);

#endif
