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
    double *V; // nlink x 6: velocities
    double *A; // nlink x 6: accelerations (without gravity)
    double *F; // nlink x 6: forces on the link (inertia less gravity), accumulated over its subtree
    double *B; // nlink x 12: velocity operators, accumulated over the subtree (inverse_dynamics_deriv.c)
    trxi_inertia *composite; // nlink: inertia of the subtree
    double *gravity;         // nlink x 4: mass and first moment of the subtree on which gravity acts
    double *rows;            // nv x 12: what a dof contributes as a row, and
    double *columns;         // nv x 18: as a column of the derivatives
    double *adjoint;         // nlink x 21: scratch of inverse_dynamics_vjp.c
} trxi_rnea;

void trxi_rnea_layout(trxi_arena *arena, const trx_model *model, trxi_rnea *work);

/// tau (nv) for velocities v and accelerations a (nv; a may be NULL for zero). Gravity and rotor inertia included.
void trxi_inverse_dynamics(const trx_model *model, const trxi_kinematics *kin, const double *v, const double *a,
                           trxi_rnea *work, double *tau);

/// d tau/dq and d tau/dv (nv x nv, column-major, leading dimension ld; entries between trees are set to 0) at the
/// arguments of the last trxi_inverse_dynamics with the same `kin` and `work`. Increments of q are tangent, from
/// the right for balls; v and a are held in their own joint frames. Recursive, O(n d).
void trxi_inverse_dynamics_deriv(const trx_model *model, const trxi_kinematics *kin, trxi_rnea *work, double *dtau_dq,
                                 double *dtau_dv, int ld);

/// The same without the zeros: entry (i, j) of dofs of one tree goes to [places[j] + i] where they are on one path; the other
/// places are left as they are, which is zero. `places` is model->column for blocks by tree.
void trxi_inverse_dynamics_deriv_blocks(const trx_model *model, const trxi_kinematics *kin, trxi_rnea *work,
                                        const ptrdiff_t *places, double *dtau_dq, double *dtau_dv);

/// grad_q = (d tau/dq)^T lambda, grad_v = (d tau/dv)^T lambda (nv each), at the arguments of the last
/// trxi_inverse_dynamics; the same derivatives as above without their matrices, O(links + nv).
void trxi_inverse_dynamics_vjp(const trx_model *model, const trxi_kinematics *kin, trxi_rnea *work, const double *lambda,
                               double *grad_q, double *grad_v);

/// Velocity (6) that lambda would give a link, of the last trxi_inverse_dynamics_vjp.
static inline const double *trxi_rnea_lambda(const trxi_rnea *work, int link)
{
    return work->adjoint + 21 * link;
}

#endif
