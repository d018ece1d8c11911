// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// H = dr/dv = A + J^T (G + [skew]x) J of an island with a rigid model (theory 4, 6, the rigid models): it is not symmetric where a
// law has no potential. Shared by the solver's files.

#ifndef TRXI_CONTACT_TANGENT_H
#define TRXI_CONTACT_TANGENT_H

#include "contact/work.h"

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
