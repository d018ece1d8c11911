// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The smooth part of the step (theory 2): kinematics, mass matrix, the matrix A with its factor, and the velocity without contact.

#ifndef TRXI_STEP_SMOOTH_H
#define TRXI_STEP_SMOOTH_H

#include "dynamics/inverse_dynamics.h"
#include "dynamics/lengths.h"
#include "dynamics/mass_matrix.h"
#include "step/input.h"
#include "step/two_stage.h"

#include <tractrix/sim.h>

typedef struct trxi_smooth {
    trxi_kinematics kin; // at q0, with the poses of prescribed motions at t0
    trxi_rnea rnea;
    trxi_inertia *composite;
    double *M, *A, *LA; // blocks by tree: mass matrix, A = M + th dt D + th th_vq dt^2 K, its Cholesky factor
    double *spring;     // nv: q0 (-) q_rest
    double *bias, *p0;  // nv
    double *v_free;     // nv: A^-1 (p0 + drives)
    double *V1;         // nlink x 6: link velocities at v_free, later at v; rnea.V has the velocities at v0
    trxi_lengths lengths; // at q0
    trxi_stage stage;   // of two-stage schemes
} trxi_smooth;

void trxi_smooth_layout(trxi_arena *arena, const trx_model *model, trxi_smooth *smooth);

/// Computes kinematics, mass matrix, A with its factor, p0 and the free velocity at (q0, v0, u). Errors: ILL_CONDITIONED when A is
/// not positive definite; the message names the joint.
trx_status trxi_step_smooth(const trxi_input *in, trxi_smooth *smooth);

#endif
