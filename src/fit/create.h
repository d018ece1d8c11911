// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// An identification before its first iteration (theory 10).

#ifndef TRXI_FIT_CREATE_H
#define TRXI_FIT_CREATE_H

#include "fit/state.h"

/// A fit of a checked problem, at its start. The caller destroys it, also after an error. Errors: of trx_fit_run.
trx_status trxi_fit_create(trx_context *context, const trx_fit_problem *problem, const trx_fit_settings *settings, trx_fit **made);

#endif
