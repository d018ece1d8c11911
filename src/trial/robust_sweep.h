// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The change of shared controls that lowers the cost of several worlds under a shared policy (theory 7, robust plans).

#ifndef TRXI_TRIAL_ROBUST_SWEEP_H
#define TRXI_TRIAL_ROBUST_SWEEP_H

#include "trajopt/box_qp.h"
#include "trajopt/ocp.h"

/// Scratch of a sweep over `worlds` worlds.
typedef struct trxi_robust_sweep {
    int worlds;
    trxi_box_qp qp;
    double *V, *V_x;     // nx x nx and nx for each world
    double *Q, *Q_l;     // (nu + nx)^2 and nu + nx for each world, by [u; x]
    double *P;           // (nu + nx) x nx: [K; 1] of a stage
    double *Y;           // (nu + nx) x (nu + nx): a product
    double *Q_uu, *Q_u;  // nu x nu, nu: sums over the worlds
    double slope;        // of the summed cost along the change, after a sweep
} trxi_robust_sweep;

void trxi_robust_sweep_layout(trxi_arena *arena, const trxi_ocp *ocp, int worlds, trxi_robust_sweep *work);

/// k (nu for each step): the change of the controls, with the gains K (nu x nx for each step) in every world. `ocps` are the
/// expansions of the worlds, all of the same size; the bounds of the first one hold. The curvature is raised by the share mu.
/// Returns false when the curvature is not positive definite.
bool trxi_robust_sweep_run(const trxi_ocp *const *ocps, const double *K, double mu, trxi_robust_sweep *work, double *k);

#endif
