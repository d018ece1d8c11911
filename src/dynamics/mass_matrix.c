// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Composite rigid body algorithm (theory 2; Featherstone 2008, chapter 6) about a fixed point per tree, where sums over
// a subtree need no change of frame:
//
//     I^C_l = sum of I_k over the subtree of l
//     M_ij  = S_j . (I^C_l S_i) + [i = j] I_r        l: link of i; j on the path from the root to i
//
// Cost: O(nv times the depth of the tree). The pass over the links is in inverse_dynamics_passes.inc.

#include "dynamics/mass_matrix.h"

#include "dynamics/inverse_dynamics.h"

#include <string.h>

void trxi_mass_blocks(const trx_model *model, const trxi_kinematics *kin, trxi_inertia *composite, double *M)
{
    memset(M, 0, (size_t)model->nblock * sizeof *M);
    trxi_dynamics_use()->compose(model, kin, composite, 0, M);
}

void trxi_mass_matrix(const trx_model *model, const trxi_kinematics *kin, trxi_inertia *composite, double *M, int ldm)
{
    for (int j = 0; j < model->nv; j++)
        for (int i = j; i < model->nv; i++) M[i + j * ldm] = 0;
    trxi_dynamics_use()->compose(model, kin, composite, ldm, M);
}

// y^T M y = sum of V_k . I_k V_k, and dV_k/dq_j = S_j x V_k + V_p(j) x S_j for links k in the subtree of j. The first part of dV_k
// turns velocity and inertia alike and has no effect. The second part gives
//
//     g_j = 2 h^C_j . (V_p(j) x S_j),      h^C = sum of I_k V_k over the subtree
void trxi_mass_quadratic_dq(const trx_model *model, const trxi_kinematics *kin, const trxi_tree *tree, const double *y,
                            double *V, double *h, double *g)
{
    trxi_dynamics_use()->quadratic(model, kin, tree, y, V, h, g);
}
