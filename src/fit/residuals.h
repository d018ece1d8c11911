// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Residuals of every sample at the estimates: statistics of each number of a channel, and the motion that was predicted
// (theory 10).

#ifndef TRXI_FIT_RESIDUALS_H
#define TRXI_FIT_RESIDUALS_H

#include "fit/state.h"

/// Takes the table of residuals, filled with NAN. Errors: MEMORY.
trx_status trxi_residuals_take(trx_fit *fit, double **table);

/// The rows of a recording in a table.
double *trxi_residuals_of(const trx_fit *fit, double *table, int recording);

/// Evaluates all windows at the estimates and sets fit->windowed and the statistics fit->residuals. Errors: MEMORY.
trx_status trxi_residuals(trx_fit *fit);

/// Columns of channel `channel` (1, or 4 of a quaternion) that a table of residuals predicts at a sample: recorded (+) residual;
/// NAN where the sample is missing. Returns false for an ignored channel, which has no residuals.
bool trxi_predicted(const trx_fit *fit, double *table, int recording, int row, int channel, double out[4]);

#endif
