// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The interior-point method on one island of the model dojo (theory 4). Shared by the solver's files.

#ifndef TRXI_CONTACT_INTERIOR_POINT_H
#define TRXI_CONTACT_INTERIOR_POINT_H

#include "contact/work.h"

/// Follows the central path from a start inside the cones to its point kappa. Returns OK, ROUND_OFF, NOT_CONVERGED,
/// ILL_CONDITIONED, NOT_FINITE or MEMORY.
trx_status trxi_interior_point_solve(const trxi_contact_problem *problem, trxi_island *island,
                                     const trxi_solver_settings *settings, trxi_work *s);

#endif
