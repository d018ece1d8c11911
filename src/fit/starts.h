// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Fits from several starts (theory 10).

#ifndef TRXI_FIT_STARTS_H
#define TRXI_FIT_STARTS_H

#include "fit/state.h"

/// Fits from every start and leaves the best one in the fit. Returns the status of its last minimization, INTERRUPTED, or the
/// error of the first start when no start can be simulated.
trx_status trxi_fit_starts(trx_fit *fit);

#endif
