// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The momentum residual r(v; x0, u) of a step at any velocity, for differences without a solve. At large stiffness the
// solution lies within picometres of a kink; dr/dq0, dr/dv0 and dr/du can be judged there by such differences.

#ifndef TESTS_STEP_RESIDUAL_H
#define TESTS_STEP_RESIDUAL_H

#include "step/sim.h"

/// r (nv) at the velocity v with the step's start at (x, u). The sim is left with rows and impulses of this point.
void residual_at(trx_sim *sim, const double *x, const double *u, const double *v, double *r);

/// Makes (x, u, v) the point at which the next call of a derivative linearizes, as if v had been the solution.
void pretend_solved(trx_sim *sim, const double *x, const double *u, const double *v);

/// Copies a matrix by island of the last point to a matrix of all dofs (nv x nv), which is zero between islands.
void by_dof(const trx_sim *sim, const double *by_island, double *dense);

/// H (nv x nv, full) at the last point.
void hessian_at_solution(trx_sim *sim, double *H);

#endif
