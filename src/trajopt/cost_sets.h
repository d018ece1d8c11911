// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Cost terms of sets: the least distance between geometries, the centre of mass of bodies (theory 7).

#ifndef TRXI_TRAJOPT_COST_SETS_H
#define TRXI_TRAJOPT_COST_SETS_H

#include "trajopt/cost_terms.h"

/// Carves the arrays of a term of sets, and fills them; does nothing for other terms.
void trxi_set_layout(trxi_arena *arena, const trx_model *model, const trx_cost_term *def, trxi_term *term);
void trxi_set_fill(const trx_model *model, const trx_cost_term *def, trxi_term *term);

/// As trxi_term_residual and trxi_term_spatial_jacobian.
void trxi_set_residual(const trx_model *model, const trxi_term *term, const trxi_term_work *work, const double *target,
                       double *r);
void trxi_set_jacobian(const trx_model *model, const trxi_term *term, trxi_term_work *work);

#endif
