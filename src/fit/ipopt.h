// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Ipopt as the solver of the rounds of a fit (theory 10).

#ifndef TRXI_FIT_IPOPT_H
#define TRXI_FIT_IPOPT_H

#include "fit/state.h"

/// Finds the program and takes the memory of all solves. Errors: UNSUPPORTED (no program), MEMORY.
trx_status trxi_fit_ipopt_begin(trx_fit *fit);
void trxi_fit_ipopt_end(trx_fit *fit);

/// One solve with the current noise: start states and unknowns. Returns OK, STALLED, ITERATION_LIMIT, INTERRUPTED or PROCESS_LOST,
/// each with the best point so far, MEMORY, or the status of a step that fails at the start.
trx_status trxi_fit_ipopt_solve(trx_fit *fit);

#endif
