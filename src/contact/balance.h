// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Momentum balance of an island at one velocity: impulses and residual. Shared by the solver's files, not by other rooms.

#ifndef TRXI_CONTACT_BALANCE_H
#define TRXI_CONTACT_BALANCE_H

#include "contact/work.h"

/// v_c, gamma, G of the island's rows, and p, j, r = p - p0 - j of its groups at solver->v. O(nv of each group squared + rows).
void trxi_balance_compute(const trxi_contact_problem *problem, trxi_island *island, trxi_work *solver);

/// The same from p, v_c and the impulses, which are there: j and r.
void trxi_balance_collect(const trxi_contact_problem *problem, trxi_island *island, trxi_work *solver);

/// True when every group's residual and the sum pass the relative tolerance or the round-off floor (theory 5,
/// points 1 and 4); fills residual, scale and floor of the statistics. `*at_floor` tells which.
bool trxi_balance_converged(const trxi_contact_problem *problem, const trxi_island *island, double tolerance,
                            trxi_work *solver, bool *at_floor);

/// Larger residuals, relative to the scale, are taken for no rounding unless a solve drags on.
static const double trxi_rounding_share = 1e-3;

#endif
