// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Inverse dynamics (recursive Newton-Euler) and its analytic derivatives (theory 2, 6).
//
//     tau = ID(q, v, a) = M(q) a + Coriolis(q, v) - gravity(q) + rotor inertia * a

#ifndef TRXI_DYNAMICS_INVERSE_DYNAMICS_H
#define TRXI_DYNAMICS_INVERSE_DYNAMICS_H

#include "dynamics/kinematics.h"

/// Scratch of both functions; after trxi_inverse_dynamics it holds what the derivatives need.
typedef struct trxi_rnea {
    double *V;      // nlink x 6: velocities
    double *A;      // nlink x 6: accelerations (without gravity)
    double *F;      // nlink x 6: net forces, accumulated over the subtree
    double *B;      // nlink x 36: velocity operators of theory 6's derivative, accumulated
    trxi_inertia *composite; // nlink
    double *gravity; // nlink x 4: composite gravity mass and moment
    double *S_dot;  // nv x 6 and the two below: derivatives of the columns along the motion
    double *psi_dot;
    double *psi_ddot;
} trxi_rnea;

void trxi_rnea_layout(trxi_arena *arena, const trx_model *model, trxi_rnea *work);

/// tau (nv) for velocities v and accelerations a (nv; a may be NULL for zero). Gravity and rotor inertia included.
void trxi_inverse_dynamics(const trx_model *model, const trxi_kinematics *kin, const double *v, const double *a,
                           trxi_rnea *work, double *tau);

/// d tau/dq and d tau/dv (nv x nv, column-major, leading dimension ld; entries between trees are set to 0) at the
/// arguments of the last trxi_inverse_dynamics with the same `work`. Increments of q are tangent, from the
/// right for balls; v and a are held in their own joint frames. Recursive, O(n d).
void trxi_inverse_dynamics_deriv(const trx_model *model, const trxi_kinematics *kin, const double *v, trxi_rnea *work,
                                 double *dtau_dq, double *dtau_dv, int ld);

#endif
