// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The alternating direction method of multipliers on one island (theory 4). Shared by the solver's files.

#ifndef TRXI_CONTACT_ADMM_H
#define TRXI_CONTACT_ADMM_H

#include "contact/work.h"

/// Iterates from impulses 0 until momentum and laws agree. Every contact needs a law with `visit` that depends on W only through
/// its conditions. Returns OK, NOT_CONVERGED, ILL_CONDITIONED or NOT_FINITE.
trx_status trxi_admm_solve(const trxi_contact_problem *problem, trxi_island *island, const trxi_solver_settings *settings,
                           trxi_work *s);

#endif
