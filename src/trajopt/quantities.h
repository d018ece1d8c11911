// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Kinds of quantities that cost terms measure (theory 7).

#ifndef TRXI_TRAJOPT_QUANTITIES_H
#define TRXI_TRAJOPT_QUANTITIES_H

#include <tractrix/plan.h>

/// True for quantities of bodies, frames and geometries. They need kinematics and have dense 3 x ndof Jacobians;
/// distances use one row.
bool trxi_quantity_is_spatial(trx_quantity quantity);
bool trxi_quantity_is_of_sets(trx_quantity quantity); // distances, centres of mass
bool trxi_quantity_is_dense(trx_quantity quantity);   // may depend on all of x and u: Jacobians r_x and r_u
bool trxi_quantity_is_rate(trx_quantity quantity);    // depends on v
bool trxi_quantity_is_running(trx_quantity quantity); // belongs to the step from a knot: no value at knot N

/// Contact forces: +1 where the second geometry of a pair is in set b and the first in set a, -1 for the other way round, else 0.
/// The second function tells whether any pair counts.
signed char trxi_force_sign(const trx_model *model, const trx_cost_term *term, int pair);
bool trxi_force_is_possible(const trx_model *model, const trx_cost_term *term);

#endif
