// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The two-level method on one island of the model first_order (theory 4). Shared by the solver's files.

#ifndef TRXI_CONTACT_TWO_LEVEL_H
#define TRXI_CONTACT_TWO_LEVEL_H

#include "contact/work.h"

/// Solves convex levels until the impulses that they hold agree with the law. Returns OK, ROUND_OFF, NOT_CONVERGED,
/// ILL_CONDITIONED, NOT_FINITE or MEMORY.
trx_status trxi_two_level_solve(const trxi_contact_problem *problem, trxi_island *island, const trxi_solver_settings *settings,
                                trxi_work *s);

#endif
