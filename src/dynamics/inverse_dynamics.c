// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Recursive Newton-Euler algorithm (theory 2; Featherstone 2008, chapter 5) about a fixed point per tree:
//
//     V_i = V_p + S_i v_i
//     A_i = A_p + S_i a_i + V_i x S_i v_i
//     F_i = I_i A_i + V_i x* I_i V_i - [h_g x g; m_g g]
//     tau_i = S_i . (sum of F over the subtree of i) + I_r a_i
//
// p is the parent of link i. Gravity acts only on the mass m_g and the first moment h_g, because it may be switched off for a body.
// Cost: O(links + nv). tau is linear in a. With U_i = U_p + S_i a_i, the acceleration a adds U_i to A_i and I_i U_i to F_i. This
// part can be added later to a result that was computed without a.
//
// The passes over the links are in inverse_dynamics_passes.inc.

#include "dynamics/inverse_dynamics.h"

void trxi_rnea_layout(trxi_arena *arena, const trx_model *model, trxi_rnea *work)
{
    work->V = TRXI_TAKE(arena, double, 6 * model->nlink);
    work->motion = TRXI_TAKE(arena, trxi_link_motion, model->nlink);
    work->adjoint = TRXI_TAKE(arena, trxi_link_adjoint, model->nlink);
    work->B = TRXI_TAKE(arena, double, 16 * model->nlink);
    work->composite = TRXI_TAKE(arena, trxi_inertia, model->nlink);
    work->gravity = TRXI_TAKE(arena, double, 4 * model->nlink);
    work->columns = TRXI_TAKE(arena, double, 24 * model->nv);
}

void trxi_inverse_dynamics(const trx_model *model, const trxi_kinematics *kin, const double *v, const double *a,
                           trxi_rnea *work, double *tau)
{
    trxi_dynamics_use()->inverse_dynamics(model, kin, v, a, work, tau);
    work->without_acceleration = !a;
}

void trxi_inverse_dynamics_accelerate(const trx_model *model, const trxi_kinematics *kin, const double *a, trxi_rnea *work)
{
    if (!work->without_acceleration) return;
    trxi_dynamics_use()->accelerate(model, kin, a, work);
    work->without_acceleration = false;
}
