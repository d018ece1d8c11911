// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives of the two-stage schemes (theory 6).
//
// With R = dr/dq_th and N = dm/dv, both at v*, every change dm of m at fixed v changes the residual of stage 2 by
//
//     dr = carry dm + R (change of q_th at fixed v),     carry = (A - dt th th_vq R S) N^-1

#ifndef TRXI_STEP_TWO_STAGE_DERIV_H
#define TRXI_STEP_TWO_STAGE_DERIV_H

#include "step/derivatives.h"
#include "step/solved.h"

/// Clears rq and rv, and sets R to the part from A's mass matrix, d(M(q_th) (v - v*))/dq_th. Rows then add their terms.
trx_status trxi_stage_begin_deriv(const trxi_solved *step, trxi_derivatives *deriv);

/// After all rows have added their terms: computes carry and the smooth part of rq and rv.
void trxi_stage_finish_deriv(const trxi_solved *step, trxi_derivatives *deriv);

/// out = carry in, or its transpose (nv).
void trxi_stage_carry(const trxi_solved *step, const trxi_derivatives *deriv, const double *in, double *out);
void trxi_stage_carry_t(const trxi_solved *step, const trxi_derivatives *deriv, const double *in, double *out);

#endif
