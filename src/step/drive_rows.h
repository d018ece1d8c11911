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

/// dr -= J^T d gamma of all rows whose impulse depends on the controls, and the motors' part: out (nv x nu) = -dr/du; of a
/// combination: out (nv) += -dr/du u; of the transpose: grad_u (nu) = -(dr/du)^T lambda.
void trxi_step_control_jac(const trx_sim *sim, double *out);
void trxi_step_control_jvp(const trx_sim *sim, const double *tangent_u, double *out);
void trxi_step_control_vjp(const trx_sim *sim, const double *lambda, double *grad_u);

#endif
