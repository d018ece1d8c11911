// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The solvers of one island (theory 4, 5), which model.c lists. Shared by the solver's files.
//
// Each returns OK if it has solved the island, NOT_CONVERGED, NOT_FINITE, or one of the further results named in its comment.

#ifndef TRXI_CONTACT_ISLAND_SOLVERS_H
#define TRXI_CONTACT_ISLAND_SOLVERS_H

#include "contact/work.h"

/// Newton's method, followed by a continuation in the stiction tolerance when plain Newton does not converge (continuation.c).
/// ROUND_OFF, ILL_CONDITIONED.
trxi_island_solver trxi_newton_solve;

/// Projected Gauss-Seidel: visits the blocks in turn, from impulses 0, until a sweep changes nothing more. Every contact needs a
/// law with `visit`. ROUND_OFF, MEMORY.
trxi_island_solver trxi_gauss_seidel_solve;

/// The alternating direction method of multipliers: iterates from impulses 0 until momentum and laws agree. Every contact needs a
/// law with `visit` that depends on W only through its conditions. ILL_CONDITIONED, MEMORY.
trxi_island_solver trxi_admm_solve;

/// Lemke's pivoting for contacts with the law lcp: solves their complementarity problem directly. The first solves make room for
/// later ones of the same size. ILL_CONDITIONED, MEMORY, and UNSUPPORTED with a message for an island of more contacts than
/// TRXI_PIVOTING_MOST. A pivot costs the square of the number of unknowns, and each contact has sides + 2 unknowns.
trxi_island_solver trxi_pivoting_solve;
enum { TRXI_PIVOTING_MOST = 64 };

/// The number of contacts of an island.
int trxi_pivoting_contacts(const trxi_contact_problem *problem, const trxi_island *island);

/// Staggered projections for contacts with the law ncp, lcp or raisim: alternates between normal impulses and friction until both
/// agree. MEMORY, or the status of Newton's method if it fails.
trxi_island_solver trxi_staggered_solve;

/// Islands whose rows need no impulses: tries the velocity without impulses.
trxi_island_solver trxi_open_solve;

/// Islands in which no contact slides, for the laws of rigid contact: a few iterations of Newton's method.
trxi_island_solver trxi_sticking_solve;

/// Lifted contacts, for the laws ncp, raisim or first_order: solves convex problems whose contacts are lifted by the slip of the
/// previous problem. MEMORY, or the status of Newton's method if it fails.
trxi_island_solver trxi_lifted_solve;

/// The two-level method of the model first_order: solves convex levels until the impulses that they hold agree with the law.
/// ROUND_OFF, ILL_CONDITIONED, MEMORY.
trxi_island_solver trxi_two_level_solve;

/// The interior-point method of the model dojo: follows the central path from a start inside the cones to its point kappa.
/// ROUND_OFF, ILL_CONDITIONED, MEMORY.
trxi_island_solver trxi_interior_point_solve;

/// Newton's method alone: iterates from the v of `now` until the residual of the island passes the relative tolerance or is
/// rounding. v,
/// impulses and balance are those of the last iterate. Returns OK, ROUND_OFF, NOT_CONVERGED, ILL_CONDITIONED or NOT_FINITE.
trx_status trxi_newton(const trxi_contact_problem *problem, trxi_island *island, double tolerance, int max_iterations,
                       trxi_work *s);

/// Continues from the solution of an island to a smaller relative tolerance (polish.c), with the last factor or, with `anew`, a
/// factor computed at the solution. Returns false, with v restored, when the residual does not fall fast enough.
bool trxi_newton_polish(const trxi_contact_problem *problem, trxi_island *island, double tolerance, bool anew, trxi_work *s);

#endif
