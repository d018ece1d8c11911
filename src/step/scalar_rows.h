// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Blocks of one row (theory 4): limits, constraints, drives and dry friction; see scalar_rows.c.

#ifndef TRXI_STEP_SCALAR_ROWS_H
#define TRXI_STEP_SCALAR_ROWS_H

#include "step/sim.h"

/// All blocks of one row of the step: limits, constraints, drives, dry friction, in this order.
void trxi_step_scalar_rows(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows);

#endif
