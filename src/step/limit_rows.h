// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Joint limits of one step (theory 4) and their derivative (theory 6); see limit_rows.c.

#ifndef TRXI_STEP_LIMIT_ROWS_H
#define TRXI_STEP_LIMIT_ROWS_H

#include "step/sim.h"

/// The rows of limits that can act within the step: of joints, then of tendons. The index of a row is the joint, or njoint plus
/// the constraint.
void trxi_step_limit_rows(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows);

/// Adds their terms to dr/dq0 and dr/dv0.
void trxi_step_limit_rows_deriv(const trxi_solved *step, trxi_derivatives *deriv, const trxi_residual_out *out);

#endif
