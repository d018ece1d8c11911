// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Whether the time step is short enough for the answer (theory 10).

#ifndef TRXI_FIT_HALF_STEP_H
#define TRXI_FIT_HALF_STEP_H

#include "fit/state.h"

/// Sets fit->halved, and info.step_verdict where half the time step moves an estimate by more than its deviation. Leaves the last
/// evaluation as it is. Errors: MEMORY.
trx_status trxi_half_step(trx_fit *fit);

#endif
