// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Recursive Newton-Euler algorithm (theory 2; Featherstone 2008, chapter 5) about a fixed point per tree:
//
//     V_i = V_p + S_i v_i
//     A_i = A_p + S_i a_i + V_i x S_i v_i
//     F_i = I_i A_i + V_i x* I_i V_i - [h_g x g; m_g g]
//     tau_i = S_i . (sum of F over the subtree of i) + I_r a_i
//
// Gravity acts on m_g and the first moment h_g only: bodies may be exempt from it. Cost: O(links + nv).

#include "dynamics/inverse_dynamics.h"

void trxi_rnea_layout(trxi_arena *arena, const trx_model *model, trxi_rnea *work)
{
    work->V = TRXI_TAKE(arena, double, 6 * model->nlink);
    work->A = TRXI_TAKE(arena, double, 6 * model->nlink);
    work->F = TRXI_TAKE(arena, double, 6 * model->nlink);
    work->B = TRXI_TAKE(arena, double, 12 * model->nlink);
    work->composite = TRXI_TAKE(arena, trxi_inertia, model->nlink);
    work->gravity = TRXI_TAKE(arena, double, 4 * model->nlink);
    work->rows = TRXI_TAKE(arena, double, 12 * model->nv);
    work->columns = TRXI_TAKE(arena, double, 18 * model->nv);
    work->adjoint = TRXI_TAKE(arena, double, 21 * model->nlink);
}

// V and A of a link from its parent's
static void link_motion(const trx_model *model, const trxi_kinematics *kin, int index, const double *v,
                        const double *a, double *V, double *A)
{
    const trxi_link *link = &model->links[index];
    double joint[6] = {0}, turn[6];
    double *V_i = V + 6 * index, *A_i = A + 6 * index;
    for (int k = link->v; k < link->v + link->nv; k++) trxi_axpy6(v[k], kin->S + 6 * k, joint);
    if (link->parent < 0) {
        trxi_copy6(joint, V_i);
        trxi_zero6(A_i);
    } else {
        const double *V_p = V + 6 * link->parent;
        for (int k = 0; k < 6; k++) V_i[k] = V_p[k] + joint[k];
        trxi_cross_motion(V_p, joint, turn); // V_i x joint: joint x joint is 0
        for (int k = 0; k < 6; k++) A_i[k] = A[6 * link->parent + k] + turn[k];
    }
    if (!a) return;
    for (int k = link->v; k < link->v + link->nv; k++) trxi_axpy6(a[k], kin->S + 6 * k, A_i);
}

static void link_force(const trxi_inertia *inertia, const double gravity[4], const double g[3], const double V[6],
                       const double A[6], double F[6])
{
    double momentum[6], gyroscopic[6];
    trxi_inertia_mul(inertia, A, F);
    trxi_inertia_mul(inertia, V, momentum);
    trxi_cross_force(V, momentum, gyroscopic);
    trxi_axpy6(1, gyroscopic, F);
    trxi_cross_add3(g, gravity + 1, F); // - h_g x g
    trxi_axpy3(-gravity[0], g, F + 3);
}

void trxi_inverse_dynamics(const trx_model *model, const trxi_kinematics *kin, const double *v, const double *a,
                           trxi_rnea *work, double *tau)
{
    for (int i = 0; i < model->nlink; i++) {
        link_motion(model, kin, i, v, a, work->V, work->A);
        if (model->links[i].massless)
            trxi_zero6(work->F + 6 * i);
        else
            link_force(&kin->inertia[i], kin->gravity_moment + 4 * i, model->gravity, work->V + 6 * i, work->A + 6 * i,
                       work->F + 6 * i);
    }
    for (int i = model->nlink - 1; i >= 0; i--) {
        const trxi_link *link = &model->links[i];
        for (int k = link->v; k < link->v + link->nv; k++)
            tau[k] = trxi_dot6(kin->S + 6 * k, work->F + 6 * i) + (a ? model->armature[k] * a[k] : 0);
        if (link->parent >= 0) trxi_axpy6(1, work->F + 6 * i, work->F + 6 * link->parent);
    }
}
