// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The optimal-control quadratic program within the bounds of its controls, solved as a whole (theory 7).

#ifndef TRXI_TRAJOPT_BOX_SWEEP_H
#define TRXI_TRAJOPT_BOX_SWEEP_H

#include "trajopt/riccati.h"

/// Scratch of a solve. After the solve, dx and du are the states and controls that the policy predicts.
typedef struct trxi_box_sweep {
    trxi_ocp ocp;          // the program of a pass: fixed controls have two equal bounds, free controls none
    double *lower, *upper; // bounds of this program: controls of all stages
    double *dx, *du;       // nx x (N + 1), and controls of all stages
    double *p, *p_next;    // nx each: adjoints
    double *g;             // nu: gradient with respect to the controls of a stage
    int passes;            // sweeps of the last solve
    bool settled;          // the last solve has solved the whole program
} trxi_box_sweep;

void trxi_box_sweep_layout(trxi_arena *arena, const trxi_ocp *ocp, trxi_box_sweep *box);

/// The change of states (nx x (N + 1), from 0) and controls of the linear model under the policy with alpha = 1. Controls stop
/// at the bounds of `ocp`.
void trxi_policy_follow(const trxi_ocp *ocp, const trxi_policy *policy, double *dx, double *du);

/// Like trxi_riccati_sweep, but the policy solves the whole program: a control is fixed at a bound if the multiplier of the bound
/// requires this at the predicted states. If the set of fixed controls does not settle, or the program of a pass is not positive
/// definite, or `box` is NULL, calls trxi_riccati_sweep, which clamps knot by knot.
bool trxi_box_sweep_run(const trxi_ocp *ocp, double mu, const double *scale, trxi_box_sweep *box, trxi_riccati *work,
                        trxi_policy *policy);

#endif
