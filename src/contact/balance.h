// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Momentum balance of the contact problem at one velocity: impulses, residual, Hessian. Shared by the solver's
// files, not by other rooms.

#ifndef TRXI_CONTACT_BALANCE_H
#define TRXI_CONTACT_BALANCE_H

#include "contact/solver.h"

/// v_c, gamma, G of every row, and p, j, r = p - p0 - j at solver->v. O(nv^2 + contacts).
void trxi_balance_compute(const trxi_contact_problem *problem, trxi_solver *solver);

/// True when every tree's residual and the sum pass the relative tolerance or the round-off floor (theory 5,
/// points 1 and 4); fills residual, scale and floor of the statistics. `*at_floor` tells which.
bool trxi_balance_converged(const trxi_contact_problem *problem, double tolerance, trxi_solver *solver, bool *at_floor);

/// H = A + J^T G J into solver->H (lower triangle).
void trxi_balance_hessian(const trxi_contact_problem *problem, trxi_solver *solver);

#endif
