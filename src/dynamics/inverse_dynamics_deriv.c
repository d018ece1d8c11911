// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives of inverse_dynamics.c (theory 6; Singh, Russell, Wensing 2022, in the fixed frame at c of each tree).
//
// Let p(j) be the parent of j's link. A unit of dq_j turns the subtree of j rigidly about S_j. The velocity V_p(j) that
// the subtree has from its ancestors does not turn. The vectors psi' and psi'' measure this difference:
//
//     psi'_j  = V_p(j) x S_j                          S'_j = V_link(j) x S_j
//     psi''_j = A_p(j) x S_j + V_p(j) x psi'_j
//
// The rigid turn acts on forces and columns alike and cancels in S_i . F, except if i is before j's link: S_i then
// does not turn, and S_i . (S_j x* F^C) remains. psi' and psi'' change forces through
//
//     I psi'' + B psi',    B psi = psi x* (I V) + V x* (I psi) - I (V x psi)
//
// Gravity is fixed in space and does not turn either: with c_j = w_j x g, G_j = [h_g x c_j; m_g c_j]. With l the deeper
// of the links of i and j (the derivative is zero when neither is on the other's path),
//
//     dtau_i/dv_j = S_i . ( B_l S_j + I_l (psi'_j + S'_j) )
//     dtau_i/dq_j = S_i . ( I_l psi''_j + B_l psi'_j + G_j,l + [i before j's link] S_j x* F_l )
//
// with I, B, G and F summed over the subtree of l. Multiplied out, B acts only on the angular part a of psi = [a; b]:
//
//     B psi = [ N a; 2 a x f ],    f = m v + w x h,
//     N = [(tr J) w - 2 J w]x - 2 J [w]x - 2 [h]x [v]x
//
// with V = [w; v] and J, h, m the parts of I, so B is stored as 12 numbers. The products of each dof with I, B and gravity are
// formed once, as a row (i deeper than j) and as a column (j deeper than i). Each entry is then one or two short dot products.
// Cost: O(nv times the depth). The passes are in inverse_dynamics_deriv_passes.inc.

#include "dynamics/inverse_dynamics.h"

void trxi_inverse_dynamics_deriv(const trx_model *model, const trxi_kinematics *kin, trxi_rnea *work, double *dtau_dq,
                                 double *dtau_dv, int ld)
{
    for (int j = 0; j < model->nv; j++)
        for (int i = 0; i < model->nv; i++) dtau_dq[i + j * ld] = dtau_dv[i + j * ld] = 0;
    trxi_dynamics_use()->derivatives(model, kin, work, NULL, ld, dtau_dq, dtau_dv);
}

void trxi_inverse_dynamics_deriv_blocks(const trx_model *model, const trxi_kinematics *kin, trxi_rnea *work,
                                        const ptrdiff_t *places, double *dtau_dq, double *dtau_dv)
{
    trxi_dynamics_use()->derivatives(model, kin, work, places, 0, dtau_dq, dtau_dv);
}
