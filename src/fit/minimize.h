// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Levenberg-Marquardt over unknowns and start states (theory 10).

#ifndef TRXI_FIT_MINIMIZE_H
#define TRXI_FIT_MINIMIZE_H

#include "fit/state.h"

/// Evaluates all windows of a list at w->x and the values of the fit into `now`, with the status of each. Errors: MEMORY.
trx_status trxi_evaluate_all(trx_fit *fit, trxi_windows *windows, trxi_derivatives derivatives);

/// Improves the start state of each window alone, with the parameters held, until a step lowers the window's objective by less than
/// the share `tolerance`. Errors: MEMORY.
trx_status trxi_settle_starts(trx_fit *fit, trxi_windows *windows, int iterations, double tolerance);

/// Copies unknowns (unknowns x sessions) and start states (nstate x fitted windows) of the fit out, and back with their values.
void trxi_fit_keep(const trx_fit *fit, double *z, double *x);
void trxi_fit_restore(trx_fit *fit, const double *z, const double *x);

/// Evaluations at w->x and at x_trial change places, so that the next evaluation leaves the last one as it is.
void trxi_windows_exchange(trxi_windows *windows);

/// The objective of the last evaluation, with the priors.
double trxi_fit_objective_now(const trx_fit *fit);

/// Evaluates all fitted windows at x_trial and values_trial into `trial`; returns the objective with the priors at z_trial,
/// INFINITY where a step fails or a value is not allowed.
double trxi_fit_evaluate_trial(trx_fit *fit, trxi_derivatives derivatives);

/// Number of residuals of the fitted windows in their last evaluation.
double trxi_fit_numbers(const trx_fit *fit);

/// Whether a decrease of the objective is worth more iterations. Where the noise of all groups is given, the objective is a
/// logarithm of a likelihood, so a decrease counts if it moves the estimates by a part of their deviations. Where the model is
/// wrong by more than the noise, deviations are larger, and so is the decrease that counts. Estimated noise has the errors of the
/// model in it, and small shares do not count.
bool trxi_fit_counts(const trx_fit *fit, double decrease, double objective);

/// Whether an evaluation of a fitted window ran out of memory.
bool trxi_fit_has_no_memory(const trx_fit *fit);

/// Adds a row to the table of iterations, with the largest number of fit->dz as its step, and reports the row; false: the caller
/// ends the fit.
bool trxi_fit_record(trx_fit *fit, double objective, double damping, bool accepted);

/// One solve with the current noise: start states and unknowns. With `rough` > 0 the solve also ends when an iteration lowers the
/// objective by less than this share, or when three iterations in a row do not lower the objective. Returns OK, STALLED,
/// ITERATION_LIMIT or INTERRUPTED, MEMORY, or the status of a step that fails at the start.
trx_status trxi_fit_descend(trx_fit *fit, double rough);

#endif
