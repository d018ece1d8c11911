// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Run folders: what a run leaves behind (docs/run_folder.md). A folder is written beside its final place and exchanged
// into it, so that a reader never sees half a run and a failed write leaves the previous one intact.

#ifndef TRACTRIX_REPORT_H
#define TRACTRIX_REPORT_H

#include <tractrix/problem.h>

typedef struct trx_run trx_run;

/// Starts recording a run of `problem`, which must outlive it.
TRX_API trx_status trx_run_create(trx_context *context, trx_problem *problem, trx_run **run);
TRX_API void trx_run_destroy(trx_run *run);

/// Simulates the problem's model from its start state under `u` (nu x steps, NULL: zero) and records states and contacts.
TRX_API trx_status trx_run_simulate(trx_run *run, const double *u, bool linearize);

/// Records a line of the iteration table (a plan callback may call it).
TRX_API trx_status trx_run_add_iteration(trx_run *run, const trx_iteration *iteration);

/// Records the result of a plan: trajectory, contacts of its physical replay, linearization, goals.
TRX_API trx_status trx_run_set_plan(trx_run *run, const trx_plan *plan);

/// Setup seconds and random seed, for the summary.
TRX_API void trx_run_set_setup(trx_run *run, double seconds, unsigned long long seed);

/// Writes the run folder. Errors: ARGUMENT (the path exists and is no run folder), IO (the old folder is intact).
TRX_API trx_status trx_run_write(trx_run *run, const char *path);

/// summary.json as one text, owned by the run.
TRX_API const char *trx_run_summary(trx_run *run);

/// True when every goal and limit is met on the physical replay.
TRX_API bool trx_run_goals_met(const trx_run *run);

/// Rewrites player.html of an existing run folder from its files. Errors: IO, INPUT (not a run folder).
TRX_API trx_status trx_run_rewrite_player(trx_context *context, const char *path);

#endif
