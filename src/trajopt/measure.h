// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The value of a cost term's quantity (theory 7) at a state, without a plan.

#ifndef TRXI_TRAJOPT_MEASURE_H
#define TRXI_TRAJOPT_MEASURE_H

#include "base/context.h"

#include <tractrix/plan.h>

/// The residual of `term` at x (nstate) with its target at zero or the identity: trx_cost_term_dimension numbers. Not for
/// controls. Target and weight of the term are ignored. Errors: MEMORY.
trx_status trxi_measure(trx_context *context, const trx_model *model, const trx_cost_term *term, const double *x,
                        double *out);

#endif
