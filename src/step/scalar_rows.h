// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The rows of one step with one impulse each (theory 4), and their derivatives (theory 6): limits, constraints, drives and dry
// friction. Each kind has its own file.

#ifndef TRXI_STEP_SCALAR_ROWS_H
#define TRXI_STEP_SCALAR_ROWS_H

#include "step/sim.h"

/// All these rows of the step: limits, constraints, drives, dry friction, in this order.
void trxi_step_scalar_rows(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows);

/// The rows of limits that can act within the step: of joints, then of tendons. The index of a row is the joint, or njoint plus
/// the constraint.
void trxi_step_limit_rows(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows);

/// The rows of all constraints.
void trxi_step_constraint_rows(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows);

/// The rows of drives and of dry friction.
void trxi_step_drive_rows(const trxi_input *in, trxi_rows *rows);

/// Their terms are added to dr/dq0 and dr/dv0.
void trxi_step_limit_rows_deriv(const trxi_solved *step, trxi_derivatives *deriv, const trxi_residual_out *out);
void trxi_step_constraint_rows_deriv(const trxi_solved *step, trxi_derivatives *deriv, const trxi_residual_out *out);
void trxi_step_drive_rows_deriv(const trxi_solved *step, trxi_derivatives *deriv, const trxi_residual_out *out);

/// Derivative of the residual by the controls, from rows whose impulse depends on controls and from motors. Matrix: out (nv x nu)
/// = -dr/du. Product: out (nv) += -dr/du u. Adjoint product: grad_u (nu) = -(dr/du)^T lambda.
void trxi_step_control_jac(const trxi_solved *step, const trxi_derivatives *deriv, double *out);
void trxi_step_control_jvp(const trxi_solved *step, const trxi_derivatives *deriv, const double *tangent_u, double *out);
void trxi_step_control_vjp(const trxi_solved *step, const trxi_derivatives *deriv, const double *lambda, double *grad_u);

#endif
