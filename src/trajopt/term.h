// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The copy of a cost term in a plan (theory 7): its arrays, and their contents from the definition.

#ifndef TRXI_TRAJOPT_TERM_H
#define TRXI_TRAJOPT_TERM_H

#include "trajopt/cost_terms.h"

/// Carves the arrays of a term for `steps` steps, and writes its sizes. trxi_term_fill then copies the definition, which was
/// validated before; a term without a weight has the weight 0.
void trxi_term_layout(trxi_arena *arena, const trx_model *model, const trx_cost_term *def, int steps, trxi_term *term);
void trxi_term_fill(const trx_model *model, const trx_cost_term *def, int steps, trxi_term *term);

/// Sets another target (validated before), as trx_plan_set_target.
void trxi_term_set_target(const trx_model *model, trxi_term *term, int steps, const double *target, int stride);

static inline const double *trxi_term_target(const trxi_term *term, int knot)
{
    return term->target + term->target_stride * knot;
}

static inline const double *trxi_term_weight(const trxi_term *term, int knot)
{
    return term->weight + term->weight_stride * knot;
}

#endif
