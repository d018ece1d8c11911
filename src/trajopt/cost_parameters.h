// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// What parameters change in the cost itself, beside the motion (theory 7).

#ifndef TRXI_TRAJOPT_COST_PARAMETERS_H
#define TRXI_TRAJOPT_COST_PARAMETERS_H

#include "trajopt/cost.h"

/// Whether a term measures what the parameter changes while the state stays: centres of mass by masses, distances by shapes,
/// bodies and frames by where they stand.
bool trxi_cost_sees(const trxi_cost *cost, trx_parameter parameter);

/// grad[i] += dl_k/dtheta_i at fixed x for those that it sees; at knot N of l_N.
void trxi_cost_parameters(trxi_cost *cost, int knot, const double *x, const trx_parameter *parameters, int count, double *grad);

#endif
