// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The linearization of a step (theory 6) that its derivatives share; see step_deriv.c.

#ifndef TRXI_STEP_STEP_DERIV_H
#define TRXI_STEP_STEP_DERIV_H

#include "step/sim.h"

/// The output of terms: the matrices deriv->rq and deriv->rv.
static inline trxi_residual_out trxi_residual_matrices(const trxi_solved *step, trxi_derivatives *deriv)
{
    return (trxi_residual_out){.q = deriv->rq, .v = deriv->rv, .q_th = step->in->two_stage ? deriv->R : NULL,
                           .places = step->places};
}

/// Refines the solution to the tolerance of derivatives and factorizes H there. Without `anew` the refinement uses the last
/// factor of the solve. This halves the cost, but the last digits of the result then depend on the start of the solve. Errors:
/// NO_STEP, ILL_CONDITIONED, errors of a solve.
trx_status trxi_step_refine(trx_sim *sim, bool anew);

/// Computes deriv.rq, rv and the factor for the last step, unless they are current. A, B and jvp need these matrices;
/// two-stage schemes need them for every derivative.
trx_status trxi_step_linearize(trx_sim *sim);

/// Symplectic scheme: evaluates rnea at the acceleration (v - v0)/dt.
void trxi_step_accelerate(const trxi_solved *step, trxi_derivatives *deriv);

/// Adds the terms of all rows at v, with the link velocities at this v in V1.
void trxi_step_rows_deriv(const trxi_solved *step, trxi_derivatives *deriv, const trxi_residual_out *out);
/// Adds the terms of the springs of the symplectic scheme.
void trxi_step_springs_deriv(const trxi_solved *step, const trxi_residual_out *out);

// ---- the two-stage schemes ----

// With R = dr/dq_th and N = dm/dv, both at v*, every change dm of m at fixed v changes the residual of stage 2 by
//
//     dr = carry dm + R (change of q_th at fixed v),     carry = (A - dt th th_vq R S) N^-1

/// Clears rq and rv, and sets R to the part from A's mass matrix, d(M(q_th) (v - v*))/dq_th. Rows then add their terms.
trx_status trxi_stage_begin_deriv(const trxi_solved *step, trxi_derivatives *deriv);

/// After all rows have added their terms: computes carry and the smooth part of rq and rv.
void trxi_stage_finish_deriv(const trxi_solved *step, trxi_derivatives *deriv);

/// out = carry in, or its transpose (nv).
void trxi_stage_carry(const trxi_solved *step, const trxi_derivatives *deriv, const double *in, double *out);
void trxi_stage_carry_t(const trxi_solved *step, const trxi_derivatives *deriv, const double *in, double *out);

#endif
