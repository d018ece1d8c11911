// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The files of an identification (theory 10, docs/run_folder.md).

#ifndef TRXI_FIT_WRITE_H
#define TRXI_FIT_WRITE_H

#include "fit/state.h"
#include "formats/files.h"
#include "formats/json.h"

/// Appends summary.json. Errors: MEMORY.
trx_status trxi_fit_write_summary(trx_fit *fit, trxi_text *out);

/// Puts the tables and fitted.yaml into a folder. Errors: IO, MEMORY.
trx_status trxi_fit_put_tables(trx_fit *fit, trxi_folder *folder);

/// Appends residuals.csv: statistics of each number of a channel (tables.c).
trx_status trxi_fit_write_residuals(trx_fit *fit, trxi_text *out);

/// Appends profiles.csv: the points of each profile (tables.c).
trx_status trxi_fit_write_profiles(trx_fit *fit, trxi_text *out);

/// Puts predictions.csv in pieces: what was recorded and what is predicted (tables.c). Errors: IO, MEMORY.
trx_status trxi_fit_put_predictions(trx_fit *fit, trxi_folder *folder);

/// Name of a column of a channel: "box.x", or "box.orientation.w" of a quaternion, into `name`.
enum { TRXI_COLUMN_NAME = 200 };
const char *trxi_fit_column_name(const trx_fit *fit, int channel, int column, char name[TRXI_COLUMN_NAME]);

/// Whether some recording has more windows than one.
bool trxi_fit_is_windowed(const trx_fit *fit);

/// Appends a comma, then the number if it is finite.
void trxi_fit_put_cell(trxi_text *out, double number);

#endif
