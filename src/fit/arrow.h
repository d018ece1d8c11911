// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The normal equations of an identification (theory 10). Every start state belongs to one window, and every window to one session,
// so the equations have the form of an arrow. The time of their solution is linear in the number of windows and sessions.

#ifndef TRXI_FIT_ARROW_H
#define TRXI_FIT_ARROW_H

#include "fit/state.h"

/// Memory for the equations of a fit, in its pool. Errors: MEMORY.
trx_status trxi_arrow_begin(trx_fit *fit);

/// Eliminates the start state of every window from the last evaluation, with the larger of `damping` and the window's own damping
/// own[i]; with `damping` alone if `own` is NULL. False when a start cannot be eliminated.
bool trxi_arrow_sum(trx_fit *fit, double damping, const double *own);

/// Adds the priors.
void trxi_arrow_priors(trx_fit *fit);

/// Eliminates the local unknowns of every session. False when some cannot be eliminated.
bool trxi_arrow_reduce(trx_fit *fit, double damping);

/// The damped step of all unknowns within their bounds: dz, z_trial and values_trial. An unknown at a bound whose step leads out
/// is fixed, and the others are solved again; an unknown that reaches a bound stops there. False when the equations are not
/// positive definite.
bool trxi_arrow_step(trx_fit *fit, double damping);

/// The length of dz in standard deviations of the unknowns.
double trxi_arrow_length(const trx_fit *fit);

#endif
