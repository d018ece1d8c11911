// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Drives and dry friction of joints in one step (theory 4), their derivative and that of controls (theory 6); see drive_rows.c.

#ifndef TRXI_STEP_DRIVE_ROWS_H
#define TRXI_STEP_DRIVE_ROWS_H

#include "step/sim.h"

/// The rows of drives and of dry friction.
void trxi_step_drive_rows(trx_sim *sim);

/// Adds their terms to dr/dq0 and dr/dv0.
void trxi_step_drive_rows_deriv(trx_sim *sim, const trxi_residual_out *out);

/// Derivative of the residual by the controls, from rows whose impulse depends on controls and from motors. Matrix: out (nv x nu)
/// = -dr/du. Product: out (nv) += -dr/du u. Adjoint product: grad_u (nu) = -(dr/du)^T lambda.
void trxi_step_control_jac(const trx_sim *sim, double *out);
void trxi_step_control_jvp(const trx_sim *sim, const double *tangent_u, double *out);
void trxi_step_control_vjp(const trx_sim *sim, const double *lambda, double *grad_u);

#endif
