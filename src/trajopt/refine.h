// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The problem of a refinement (theory 8): the same task at a fraction of the time step.

#ifndef TRXI_TRAJOPT_REFINE_H
#define TRXI_TRAJOPT_REFINE_H

#include "base/arena.h"

#include <tractrix/plan.h>

/// Writes the problem at the time step / parts, without a guess. New arrays belong to the pool; all other arrays and the stages are
/// shared with `coarse`. Errors: MEMORY.
trx_status trxi_refine_problem(trx_context *context, trxi_pool *pool, const trx_plan_problem *coarse, int parts,
                               trx_plan_problem *problem);

#endif
