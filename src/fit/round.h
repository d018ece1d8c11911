// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A minimization as a part of a fit (theory 10).

#ifndef TRXI_FIT_ROUND_H
#define TRXI_FIT_ROUND_H

#include "fit/state.h"

/// One solve with the current noise, by the solver of the settings, or the result of this solve where the progress has it. Passes
/// with `rough` > 0 (minimize.h) and solves of profiles are by Gauss-Newton. Returns OK, STALLED, ITERATION_LIMIT, INTERRUPTED or
/// PROCESS_LOST, MEMORY, or the status of a step that fails at the start.
trx_status trxi_fit_minimize(trx_fit *fit, double rough);

#endif
