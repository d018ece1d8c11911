// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Adjoint of inverse_dynamics.c: the gradient of lambda . tau without the matrices of derivatives (theory 6). With W_l the link
// velocities for the joint velocities lambda,
//
//     lambda . tau = sum over the links of W . F,      F = I A + V x* I V - [h_g x g; m_g g]
//
// A unit of dq_j turns the whole subtree of j about S_j. Quantities that turn with the subtree give no change. The motions V_p,
// A_p, W_p of the parent of j's link and gravity do not turn, so they change relative to the subtree:
//
//     dW = W_p x S_j        dV = V_p x S_j        dA = A_p x S_j + dV x (V_l - V_p)        dg = - w_j x g
//
// Let k = I W, and f_g the force part of the gravity inertia times W. P is the gradient of W . (V x* I V) with respect to V =
// [w; v]. Only its angular part is nonzero (P = B^T W with B of inverse_dynamics_deriv.c):
//
//     P = w_W x s + 2 (w x J w_W - v x (h x w_W) + f x v_W),     s = (tr J) w - 2 J w,    f = m v + w x h
//
// The sums over the subtree, marked by C, are formed first. Each dof of a link then takes one product with each of the same two
// vectors. With D = V_p x* k and E = P - D,
//
//     d/dq_j = - S_j . ( W_p x* F^C + A_p x* k^C + V_p x* E^C + [f_g^C x g; 0] )
//     d/dv_j =   S_j . ( E^C - V_link x* k^C )          balls have V_link, because their columns turn with them; other joints V_p
//
// The momentum M v in lambda . (dt tau - M v) adds - S_j . k^C - I_r lambda_j to d/dv_j.
//
// An impulse on link X, the force F_X, adds (W_X - W_p) x* F_X to the bracket of every dof j before X, for the same
// reason. K_X does the same with the velocities V1 at the end of the step, and Q_X with V. The sums of F_X, K_X and Q_X over the
// subtree are added to F^C, k^C and E^C. Terms with the motion of X itself are added once at X. Q_X also contributes to d/dv_j.
//
// Cost: O(links + nv), about the cost of the inverse dynamics. The passes are in inverse_dynamics_passes.inc.

#include "dynamics/inverse_dynamics.h"

void trxi_adjoint_begin(const trx_model *model, const trxi_kinematics *kin, const trxi_adjoint_scales *scales,
                        const double *lambda, const double *v1, double *V1, trxi_rnea *work)
{
    trxi_dynamics_use()->adjoint_begin(model, kin, scales->force, lambda, v1, V1, work);
}

void trxi_adjoint_end(const trx_model *model, const trxi_kinematics *kin, const trxi_adjoint_scales *scales,
                      const double *lambda, bool impulses, trxi_rnea *work, double *grad_q, double *grad_v)
{
    trxi_dynamics_use()->adjoint_end(model, kin, scales, lambda, impulses, work, grad_q, grad_v);
}
