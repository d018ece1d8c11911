// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A simulator takes memory for derivatives (theory 6) when the first derivative is asked for, sized by the islands of that
// step, and takes more when islands grow. A caller whose loops must not allocate takes all of it before they begin.

#ifndef TRXI_STEP_RESERVE_H
#define TRXI_STEP_RESERVE_H

#include <tractrix/sim.h>

/// Room for derivatives of every step: some nv^2 numbers, whatever ties the bodies together. Errors: MEMORY.
trx_status trxi_sim_reserve_derivatives(trx_sim *sim);

#endif
