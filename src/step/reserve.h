// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Memory for derivatives (theory 6). A simulator allocates this memory at the first derivative, for the islands of the step, and
// enlarges the memory when islands grow. A caller whose loops must not allocate reserves the largest size before the loops.

#ifndef TRXI_STEP_RESERVE_H
#define TRXI_STEP_RESERVE_H

#include <tractrix/sim.h>

/// Makes room for derivatives of any step: a few nv^2 numbers, whatever the islands. Errors: MEMORY.
trx_status trxi_sim_reserve_derivatives(trx_sim *sim);

#endif
