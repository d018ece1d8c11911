// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The rows of one step with one impulse each (theory 4), and their derivatives (theory 6): limits (limit_rows.c), constraints
// (constraint_rows.c), and drives, springs of tendons and dry friction (drive_rows.c).

#ifndef TRXI_STEP_SCALAR_ROWS_H
#define TRXI_STEP_SCALAR_ROWS_H

#include "step/sim.h"

/// Adds all these rows: limits, constraints, drives and springs, dry friction, in this order.
void trxi_step_scalar_rows(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows);

/// Adds the rows of limits that can act within the step: of joints, then of tendons. The index of a row is its joint, or njoint
/// plus its constraint.
void trxi_step_limit_rows(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows);

/// Adds the rows of all constraints.
void trxi_step_constraint_rows(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows);

/// Adds the rows of drives, of springs of tendons and of dry friction.
void trxi_step_drive_rows(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows);

enum { TRXI_SPRING_ROWS = 3 };
/// The law of a drive in this step.
trxi_drive_constants trxi_drive_of(const trxi_input *in, const trxi_lengths *lengths, int actuator);
/// The laws of the rows of a tendon's spring; returns the number of rows.
int trxi_spring_of(const trxi_input *in, const trxi_lengths *lengths, int spring, trxi_drive_constants out[TRXI_SPRING_ROWS]);

/// -df/dL of a drive at the solution, or stiffness of a spring [N/m or N m/rad]; 0 for other rows and for rows whose effort is
/// reached.
double trxi_row_stiffness(const trxi_row_block *row);

/// Adds a row on a length: J is `scale` times its gradient.
trxi_row_block *trxi_rows_add_length(trxi_rows *rows, const trxi_law *law, int index, int part, const trxi_length_view *length,
                                     double scale);

// ---- lengths with a gradient that depends on q (length_rows.c) ----

/// A length in a row: J is the sum of scale dl/dq over at most two lengths. The scale of the length b of a coupler is -P'(l_b).
typedef struct trxi_row_length {
    int length;
    double scale;
    double curvature; // dscale/dl: -P''(l_b), 0 for other lengths
} trxi_row_length;

/// The lengths of a row whose gradients depend on q; returns their number.
int trxi_row_lengths(const trx_model *model, const trxi_rows *rows, const trxi_row_block *row, trxi_row_length out[2]);

/// The terms of dJ in dr/dq0 of such rows: r -= dJ^T gamma - J^T G (dJ v).
void trxi_step_length_rows_deriv(const trxi_solved *step, trxi_derivatives *deriv, const trxi_residual_out *out);

/// by_x (nv) += factor d(J y)/dq at constant y. Uses deriv->turn.
void trxi_row_add_turn(const trxi_solved *step, trxi_derivatives *deriv, const trxi_row_block *row, double factor, const double *y,
                       double *by_x);

/// Add the terms of limits, of constraints and of drives to dr/dq0 and dr/dv0.
void trxi_step_limit_rows_deriv(const trxi_solved *step, trxi_derivatives *deriv, const trxi_residual_out *out);
void trxi_step_constraint_rows_deriv(const trxi_solved *step, trxi_derivatives *deriv, const trxi_residual_out *out);
void trxi_step_drive_rows_deriv(const trxi_solved *step, trxi_derivatives *deriv, const trxi_residual_out *out);

/// Derivative of the residual by the controls, from rows whose impulse depends on controls and from motors. Matrix: out (nv x nu)
/// = -dr/du. Product: out (nv) += -dr/du u. Adjoint product: grad_u (nu) = -(dr/du)^T lambda.
void trxi_step_control_jac(const trxi_solved *step, const trxi_derivatives *deriv, double *out);
void trxi_step_control_jvp(const trxi_solved *step, const trxi_derivatives *deriv, const double *tangent_u, double *out);
void trxi_step_control_vjp(const trxi_solved *step, const trxi_derivatives *deriv, const double *lambda, double *grad_u);

#endif
