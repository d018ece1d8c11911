// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Newton's method on one island (theory 5). Shared by the solver's files.

#ifndef TRXI_CONTACT_NEWTON_H
#define TRXI_CONTACT_NEWTON_H

#include "contact/work.h"

/// Iterates from s->v until the residual of the island passes the relative tolerance or is rounding. v, impulses and balance are
/// those of the last iterate. Returns OK, ROUND_OFF, NOT_CONVERGED, ILL_CONDITIONED or NOT_FINITE.
trx_status trxi_newton(const trxi_contact_problem *problem, trxi_island *island, double tolerance, int max_iterations,
                       trxi_work *s);

/// trxi_newton, followed by a continuation in the stiction tolerance when plain Newton does not converge (continuation.c).
trx_status trxi_newton_solve(const trxi_contact_problem *problem, trxi_island *island, const trxi_solver_settings *settings,
                             trxi_work *s);

/// Continues from the solution of an island to a smaller relative tolerance (polish.c), with the last factor or, with `anew`, a
/// factor computed at the solution. Returns false, with v restored, when the residual does not fall fast enough.
bool trxi_newton_polish(const trxi_contact_problem *problem, trxi_island *island, double tolerance, bool anew, trxi_work *s);

#endif
