// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// H = dr/dv = A + J^T G J of one island (theory 5): assembled, factorized, solved with. Shared by the solver's files.

#ifndef TRXI_CONTACT_HESSIAN_H
#define TRXI_CONTACT_HESSIAN_H

#include "contact/work.h"

/// The factor of H at the current v of the island; a failed pivot gets one try with 1e-12 diag(A) added. False when that
/// fails too. Errors in the sparse analysis of such a try are failures as well.
bool trxi_hessian_factorize(const trxi_contact_problem *problem, trxi_island *island, trxi_work *solver);

/// X = H^-1 X on the rows of the island, for nrhs columns of all nv unknowns.
void trxi_hessian_solve(const trxi_contact_problem *problem, const trxi_island *island, trxi_work *solver, int nrhs,
                        double *X, int ldx);

/// The same on X (nv of the island x nrhs) in its own order of unknowns.
void trxi_hessian_solve_island(const trxi_contact_problem *problem, const trxi_island *island, const trxi_work *solver,
                               int nrhs, double *X, int ldx);

/// H itself at the impulses' current G: lower triangle (nv x nv of the island, in the order of solver->local).
void trxi_hessian_dense(const trxi_contact_problem *problem, const trxi_island *island, trxi_work *solver, double *H);

/// y = H x on the rows of the island, for x and y of all nv unknowns.
void trxi_hessian_product(const trxi_contact_problem *problem, const trxi_island *island, const trxi_work *solver,
                          const double *x, double *y);

#endif
