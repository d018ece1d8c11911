// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Loads (trx_load_def) as forces of the joints (theory 2).

#ifndef TRXI_DYNAMICS_LOAD_FORCES_H
#define TRXI_DYNAMICS_LOAD_FORCES_H

#include "dynamics/kinematics.h"

/// Computes the spatial force F of a load at time t about its tree's c, and the arm from c to its point. Returns false when the
/// load is zero.
bool trxi_load_wrench(const trx_model *model, const trxi_kinematics *kin, int load, double t, double F[6], double arm[3]);

/// out += scale J^T f of all loads at time t, out (nv).
void trxi_load_forces(const trx_model *model, const trxi_kinematics *kin, double t, double scale, double *out);

// ---- change of J^T f with q for a force that is constant in space (theory 6) ----
//
// Columns turn with the joints before them; the point moves with its link. With W = [w; .] the velocity of the link for the joint
// velocities y, and W_p the velocity of the parent of j's link,
//
//     d(y . J^T f)/dq_j = S_j . ( (W - W_p) x* F + [(p - c) x (f x w); f x w] ),      F = [tau + (p - c) x f; f]

/// wrench += the second part, about c, for the force scale times f at the point p of a link with the velocity W.
static inline void trxi_wrench_move(const double p[3], const double c[3], double scale, const double f[3], const double W[6],
                                    double wrench[6])
{
    double arm[3], turned[3];
    trxi_cross3(f, W, turned);
    trxi_scale3(scale, turned, turned);
    trxi_sub3(p, c, arm);
    trxi_cross_add3(arm, turned, wrench);
    trxi_add3(wrench + 3, turned, wrench + 3);
}

/// out_j += scale S_j . ((W - W_p) x* F + B) for the dofs on the link's path, without the first `skip` of them.
void trxi_wrench_turn(const trx_model *model, const trxi_kinematics *kin, const trxi_link *link, const double F[6],
                      const double B[6], const double *y, double scale, int skip, double *out);

#endif
