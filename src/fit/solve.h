// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The fit from one start (theory 10).

#ifndef TRXI_FIT_SOLVE_H
#define TRXI_FIT_SOLVE_H

#include "fit/state.h"

/// Fits from the current unknowns, start states and noise. near: the unknowns come from the equation error and are near the
/// solution, so all samples are used at once. Returns the status of the last minimization, or an error.
trx_status trxi_fit_solve(trx_fit *fit, bool near);

/// Finds start states of every `every`-th window from the first guess, on more and more samples, with fixed parameters. x_kept of
/// held-out recordings: the start states that fit the first samples. Errors: MEMORY.
trx_status trxi_settle_anew(trx_fit *fit, trxi_windows *windows, int every);

/// Gives the fit's context the message of the thread in which a step failed, or else the text of `status`, after the words
/// `where`. Returns `status`.
trx_status trxi_fit_failure(trx_fit *fit, trx_status status, const char *where);

#endif
