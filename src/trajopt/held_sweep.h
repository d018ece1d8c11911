// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Gains for controls that are held over several steps (theory 7, policies).

#ifndef TRXI_TRAJOPT_HELD_SWEEP_H
#define TRXI_TRAJOPT_HELD_SWEEP_H

#include "trajopt/ocp.h"

/// Scratch of a sweep.
typedef struct trxi_held_sweep {
    int held;            // steps over which a correction stays
    double *V;           // nx x nx for each of held + 1 stages: V_xx of stage k at k % (held + 1)
    double *W, *Y;       // (nu + nx)^2 and nx x (nu + nx): cost from a stage on, by [u; x]; a product
    double *C;           // nu x (nu + nx): a product
    double *L, *K;       // nfree x nfree, nfree x nx: of the free controls
    int *free;           // nu
} trxi_held_sweep;

/// All stages of the program must have the same size.
void trxi_held_sweep_layout(trxi_arena *arena, const trxi_ocp *ocp, int held, trxi_held_sweep *work);

/// K (nu x nx for each step): the gains at stage k for a correction that lasts until stage k + held. Controls that lie at a bound
/// for all this time have gains of 0. The curvature of the controls is raised by the share mu. Returns false when the curvature is
/// not positive definite.
bool trxi_held_sweep_run(const trxi_ocp *ocp, double mu, trxi_held_sweep *work, double *K);

#endif
