// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Suspicions about the units and the order of recorded columns (theory 10).

#ifndef TRXI_FIT_DOUBT_H
#define TRXI_FIT_DOUBT_H

#include "fit/columns.h"

/// Warns about columns that look like millimetres, degrees, milliseconds or quaternions in another order, at the place of their
/// names.
void trxi_doubt(trx_context *context, const trx_model *model, const trxi_csv *csv, const trxi_channels *channels,
                const trxi_columns *columns);

#endif
