// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// One minimization within the limits of a plan, by the method of multipliers (theory 7).

#ifndef TRXI_TRAJOPT_AUGMENTED_H
#define TRXI_TRAJOPT_AUGMENTED_H

#include "trajopt/minimize.h"

/// As trxi_minimize, until the limits `m->limits` are also met within `m->limit_accuracy` times their tolerances. Starts from
/// the multipliers and penalties in the set, and leaves the last ones there. STALLED where the limits cannot be met.
trx_status trxi_augmented_minimize(trxi_minimization *m, trxi_origin origin);

/// Sets first penalties for a trajectory with this cost that keeps the limits, so that the next minimization stays near the limits.
void trxi_augmented_hold(const trxi_limit_set *limits, double cost);

#endif
