// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Terms of contacts in the derivatives of the residual (theory 6); see contact_rows_deriv.c.

#ifndef TRXI_STEP_CONTACT_ROWS_DERIV_H
#define TRXI_STEP_CONTACT_ROWS_DERIV_H

#include "step/sim.h"

/// Adds the terms of contacts to dr/dq0 and dr/dv0.
void trxi_step_contact_rows_deriv(const trxi_solved *step, trxi_derivatives *deriv, const trxi_residual_out *out);

/// Derivative of gap, normal and point of a contact point by q: each column of `motion` (7 x ncol) is [dphi; dn; dp].
void trxi_step_contact_motion(const trxi_solved *step, trxi_derivatives *deriv, int contact, double *motion);

#endif
