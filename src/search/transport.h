// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A guess of the contact of a placement: the placed bodies close the gap and move along with the wanted motion (theory 9).

#ifndef TRXI_SEARCH_TRANSPORT_H
#define TRXI_SEARCH_TRANSPORT_H

#include "search/follow.h"
#include "search/placement.h"

/// Simulates `steps` steps from the state x at knot `first`: the placed bodies close the gap and follow the wanted motion. Memory
/// comes from `pool`. Returns 1, 0 when the motion is out of reach, or an error.
int trxi_transport(trxi_scout *scout, trxi_pool *pool, const trxi_placement *placement, const double *x, int first, int steps,
                   trxi_stretch *out);

#endif
