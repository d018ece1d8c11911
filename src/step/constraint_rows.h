// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Holonomic constraints of one step (theory 4) and their derivative (theory 6); see constraint_rows.c, constraint_rows_deriv.c.

#ifndef TRXI_STEP_CONSTRAINT_ROWS_H
#define TRXI_STEP_CONSTRAINT_ROWS_H

#include "step/sim.h"

/// The rows of all constraints.
void trxi_step_constraint_rows(trx_sim *sim);

/// Adds their terms to dr/dq0 and dr/dv0.
void trxi_step_constraint_rows_deriv(trx_sim *sim, const trxi_residual_out *out);

#endif
