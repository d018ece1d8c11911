// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The progress of a fit in a file, from which a fit that was killed goes on with the same bits (theory 10). A part of the fit is
// one minimization, or one improvement of the start states of a list of windows. The journal (formats/journal.h) keeps how every
// part ended, and the last iteration of the unfinished one. Without settings.save nothing is kept, and these functions do nothing.

#ifndef TRXI_FIT_PROGRESS_H
#define TRXI_FIT_PROGRESS_H

#include "fit/state.h"

/// Where a minimization stands before an iteration.
typedef struct trxi_descent {
    int iteration;
    // small steps in a row; refused steps in a row; refused steps of the present group of iterations (CRAWL in minimize.c)
    int small, refusals, refused;
    double objective, before;     // now, and at the start of the group
    double damping;
} trxi_descent;

/// Before the first part, with all fitted windows evaluated at the start; reads the file of settings.save if settings.resume is
/// set. Errors: INPUT (the file is damaged, or of another fit or version), IO, MEMORY.
trx_status trxi_progress_begin(trx_fit *fit);

/// Whether the next part is read instead of computed; its status in *status. The rows of its iterations are reported again.
bool trxi_progress_recall(trx_fit *fit, trxi_windows *windows, trx_status *status);

/// Keeps the part that has ended.
void trxi_progress_keep(trx_fit *fit, trxi_windows *windows, trx_status status);

/// Whether the next minimization goes on from an iteration, at `descent`.
bool trxi_progress_recall_descent(trx_fit *fit, trxi_descent *descent);

/// Keeps the present iteration of the unfinished minimization.
void trxi_progress_keep_descent(trx_fit *fit, const trxi_descent *descent);

/// Writes the file and closes the journal: what an interrupted fit still computes is no part of the whole fit.
void trxi_progress_stop(trx_fit *fit);

#endif
