// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Projected Gauss-Seidel on one island (theory 4). Shared by the solver's files.

#ifndef TRXI_CONTACT_GAUSS_SEIDEL_H
#define TRXI_CONTACT_GAUSS_SEIDEL_H

#include "contact/work.h"

/// Visits the blocks in turn, from impulses 0, until a sweep changes nothing more. Every contact needs a law with `visit`.
/// Returns OK, NOT_CONVERGED or NOT_FINITE.
trx_status trxi_gauss_seidel_solve(const trxi_contact_problem *problem, trxi_island *island, const trxi_solver_settings *settings,
                                   trxi_work *s);

#endif
