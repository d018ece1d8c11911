// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Direct effect of parameters on the cost, in addition to their effect on the motion (theory 7).

#ifndef TRXI_TRAJOPT_COST_PARAMETERS_H
#define TRXI_TRAJOPT_COST_PARAMETERS_H

#include "trajopt/cost.h"

/// Returns whether a parameter can change the value of a term at a fixed state: masses change centres of mass, sizes change
/// distances, poses of fixed bodies change bodies and frames that they carry.
bool trxi_cost_sees(const trxi_cost *cost, trx_parameter parameter);

/// grad[i] += dl_k/dtheta_i at fixed x for the parameters with a direct effect, where k is `knot`.
void trxi_cost_parameters(trxi_cost *cost, int knot, const double *x, const trx_parameter *parameters, int count, double *grad);

#endif
