// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Programs whose cost couples the controls of neighbouring knots (theory 7).

#ifndef TRXI_TRAJOPT_RATES_H
#define TRXI_TRAJOPT_RATES_H

#include "trajopt/box_sweep.h"

/// The same program with the state [x; u of the knot before], and its policy.
typedef struct trxi_rates {
    trxi_ocp ocp;
    trxi_policy policy;
} trxi_rates;

/// Carves the arrays for programs with the sizes of `ocp`, whose stages have rate_slope and rate_curvature, and no defects.
void trxi_rates_layout(trxi_arena *arena, const trxi_ocp *ocp, trxi_rates *rates);

/// As trxi_box_sweep_run; also fills policy->P. `box` and `work` were laid out for rates->ocp.
bool trxi_rates_sweep(const trxi_ocp *ocp, double mu, const double *scale, trxi_rates *rates, trxi_box_sweep *box,
                      trxi_riccati *work, trxi_policy *policy);

#endif
