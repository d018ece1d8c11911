// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Whether the objective is a parabola within the deviations (theory 10).

#ifndef TRXI_FIT_PARABOLA_H
#define TRXI_FIT_PARABOLA_H

#include "fit/state.h"

/// Sets info.roughness, and info.rough_verdict where the objective is no parabola. Leaves estimates, start states and the last
/// evaluation as they are. Errors: MEMORY.
trx_status trxi_parabola(trx_fit *fit);

#endif
