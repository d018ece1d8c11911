// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The linearization of a step (theory 6) that its derivatives share; see step_deriv.c.

#ifndef TRXI_STEP_STEP_DERIV_H
#define TRXI_STEP_STEP_DERIV_H

#include "step/sim.h"

/// The output of terms: the matrices sim->deriv.rq and sim->deriv.rv.
static inline trxi_residual_out trxi_residual_matrices(const trx_sim *sim)
{
    return (trxi_residual_out){.q = sim->deriv.rq, .v = sim->deriv.rv, .q_th = sim->two_stage ? sim->stage.R : NULL,
                           .places = sim->places};
}

/// Refines the solution to the tolerance of derivatives and factorizes H there. Errors: NO_STEP, ILL_CONDITIONED, errors of a
/// solve.
trx_status trxi_step_refine(trx_sim *sim);

/// Refines with the last factor of the solve, at half the cost. The last digits of the result depend on the start of the solve.
trx_status trxi_step_refine_quickly(trx_sim *sim);

/// Computes sim->deriv.rq, rv and the factor for the last step, unless they are current. A, B and jvp need these matrices;
/// two-stage schemes need them for every derivative.
trx_status trxi_step_linearize(trx_sim *sim);

/// Symplectic scheme: evaluates sim->smooth.rnea at the acceleration (v - v0)/dt.
void trxi_step_accelerate(trx_sim *sim);

/// Adds the terms of all rows at sim->solver.v, with the link velocities at this v in sim->smooth.V1. The second function adds the
/// terms of the springs of the symplectic scheme.
void trxi_step_rows_deriv(trx_sim *sim, const trxi_residual_out *out);
void trxi_step_springs_deriv(const trx_sim *sim, const trxi_residual_out *out);

#endif
