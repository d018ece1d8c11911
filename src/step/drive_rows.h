// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Drives and dry friction of joints in one step (theory 4), their derivative and that of controls (theory 6); see drive_rows.c.

#ifndef TRXI_STEP_DRIVE_ROWS_H
#define TRXI_STEP_DRIVE_ROWS_H

#include "step/sim.h"

/// The rows of drives and of dry friction.
void trxi_step_drive_rows(const trxi_input *in, trxi_rows *rows);

/// Adds their terms to dr/dq0 and dr/dv0.
void trxi_step_drive_rows_deriv(const trxi_solved *step, trxi_derivatives *deriv, const trxi_residual_out *out);

/// Derivative of the residual by the controls, from rows whose impulse depends on controls and from motors. Matrix: out (nv x nu)
/// = -dr/du. Product: out (nv) += -dr/du u. Adjoint product: grad_u (nu) = -(dr/du)^T lambda.
void trxi_step_control_jac(const trxi_solved *step, const trxi_derivatives *deriv, double *out);
void trxi_step_control_jvp(const trxi_solved *step, const trxi_derivatives *deriv, const double *tangent_u, double *out);
void trxi_step_control_vjp(const trxi_solved *step, const trxi_derivatives *deriv, const double *lambda, double *grad_u);

#endif
