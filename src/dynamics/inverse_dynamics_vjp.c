// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Adjoint of inverse_dynamics.c: the gradient of lambda . tau without its matrices (theory 6). With W_l the link velocities
// that lambda would give,
//
//     lambda . tau = sum over the links of W . F,      F = I A + V x* I V - [h_g x g; m_g g]
//
// A unit of dq_j turns the whole subtree of j about S_j. What turns along changes nothing; what does not, the motion V_p,
// A_p, W_p of the link before j's and gravity, changes against it:
//
//     dW = W_p x S_j        dV = psi' = V_p x S_j        dA = A_p x S_j + psi' x (V_l - V_p)        dg = - w_j x g
//
// Summed over the subtree first, with k = I W, P = I (W x V) - W x* I V (the gradient of W . (V x* I V) with respect to V),
// Q = V x* k and f_g the force part of the gravity inertia times W, each dof takes a few products:
//
//     d/dq_j = F^C . (W_p x S_j) + k^C . (A_p x S_j) + psi' . (P^C + Q^C - V_p x* k^C) + w_j . (g x f_g^C)
//     d/dv_j = k^C . ((V_p + V_link) x S_j) + S_j . (P^C + Q^C)
//
// Cost: O(links + nv), about twice that of the inverse dynamics itself.

#include "dynamics/inverse_dynamics.h"

// sums over a subtree, and W of its link
typedef struct adjoint {
    double W[6];
    double k[6];  // I W
    double PQ[6]; // P + Q
    double f_g[3];
} adjoint;

_Static_assert(sizeof(adjoint) == 21 * sizeof(double), "as trxi_rnea lays out");

static void link_terms(const trxi_inertia *inertia, const double gravity[4], const double V[6], adjoint *out)
{
    double turned[6], momentum[6], part[6];
    trxi_inertia_mul(inertia, out->W, out->k);
    trxi_inertia_mul(inertia, V, momentum);

    // P = I (W x V) - W x* I V,  Q = V x* k
    trxi_cross_motion(out->W, V, turned);
    trxi_inertia_mul(inertia, turned, out->PQ);
    trxi_cross_force(out->W, momentum, part);
    trxi_axpy6(-1, part, out->PQ);
    trxi_cross_force(V, out->k, part);
    trxi_axpy6(1, part, out->PQ);

    // W x h_g + m_g W_v
    trxi_cross3(out->W, gravity + 1, out->f_g);
    trxi_axpy3(gravity[0], out->W + 3, out->f_g);
}

// the products of one dof; V_p, A_p, W_p: NULL at a root, whose parent is at rest
static void dof_terms(const double S[6], const double g[3], const double F[6], const adjoint *own, const double V[6],
                      const double *V_p, const double *A_p, const double *W_p, double *over_q, double *over_v)
{
    double turned[6], fall[3], rate[6];
    trxi_cross3(g, own->f_g, fall);
    *over_q = trxi_dot3(S, fall);
    trxi_cross_motion(V, S, rate);
    if (V_p) {
        double psi[6], held[6];
        trxi_cross_motion(W_p, S, turned);
        *over_q += trxi_dot6(F, turned);
        trxi_cross_motion(A_p, S, turned);
        *over_q += trxi_dot6(own->k, turned);
        trxi_cross_motion(V_p, S, psi);
        trxi_cross_force(V_p, own->k, held);
        *over_q += trxi_dot6(psi, own->PQ) - trxi_dot6(psi, held);
        trxi_axpy6(1, psi, rate);
    }
    *over_v = trxi_dot6(own->k, rate) + trxi_dot6(S, own->PQ);
}

void trxi_inverse_dynamics_vjp(const trx_model *model, const trxi_kinematics *kin, trxi_rnea *work, const double *lambda,
                               double *grad_q, double *grad_v)
{
    adjoint *all = (adjoint *)work->adjoint;
    for (int l = 0; l < model->nlink; l++) {
        const trxi_link *link = &model->links[l];
        adjoint *own = &all[l];
        if (link->parent < 0) trxi_zero6(own->W);
        else trxi_copy6(all[link->parent].W, own->W);
        for (int k = link->v; k < link->v + link->nv; k++) trxi_axpy6(lambda[k], kin->S + 6 * k, own->W);
        link_terms(&kin->inertia[l], kin->gravity_moment + 4 * l, work->V + 6 * l, own);
    }
    for (int l = model->nlink - 1; l >= 0; l--) {
        const trxi_link *link = &model->links[l];
        const int p = link->parent;
        const double *V_p = p < 0 ? NULL : work->V + 6 * p, *A_p = p < 0 ? NULL : work->A + 6 * p;
        const double *W_p = p < 0 ? NULL : all[p].W;
        for (int j = link->v; j < link->v + link->nv; j++)
            dof_terms(kin->S + 6 * j, model->gravity, work->F + 6 * l, &all[l], work->V + 6 * l, V_p, A_p, W_p, &grad_q[j],
                      &grad_v[j]);
        if (p < 0) continue;
        trxi_axpy6(1, all[l].k, all[p].k);
        trxi_axpy6(1, all[l].PQ, all[p].PQ);
        trxi_add3(all[p].f_g, all[l].f_g, all[p].f_g);
    }
}
