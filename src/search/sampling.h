// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A guess of controls by sampling simulations (theory 9).

#ifndef TRXI_SEARCH_SAMPLING_H
#define TRXI_SEARCH_SAMPLING_H

#include "search/piece.h"

/// Samples controls of all knots from the start of the problem. `prefix` becomes the simulation of the best controls, with the
/// random numbers of candidate->number. Writes knots, cost, simulations and outcome to `candidate`. The outcome is MISSED, with an
/// error that is not known yet, or FAILED when no simulation came to its end or `stop` ended the work. Errors: MEMORY.
trx_status trxi_sampling_plan(trxi_scout *scout, trxi_pool *pool, trxi_stop stop, void *user, trxi_prefix *prefix,
                              trx_candidate *candidate);

#endif
