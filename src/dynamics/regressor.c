// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Inverse dynamics is linear in the inertias and in gravity (theory 2). A change dI of one link's inertia changes one force,
//
//     dF = dI A + V x* dI V - [dh x g; dm g]          dtau_k = S_k . dF   for the dofs k on the path of the link
//
// A change dg of gravity gives dtau_k = -S_k . [h_g x dg; m_g dg] with m_g, h_g of the subtree beyond k. The mass matrix changes
// by y^T dM z = V_y . dI V_z. With r = R (com) + p - c the arm of a body's centre of mass in the world (theory 6),
//
//     mass     dm = 1, dh = r,    dJ = |r|^2 1 - r r^T
//     com      dm = 0, dh = m e,  dJ = m (2 (r . e) 1 - r e^T - e r^T)        e: an axis of the body
//     tensor   dm = 0, dh = 0,    dJ = R E R^T                                E: the unit tensor, symmetric

#include "dynamics/regressor.h"

#include <string.h>

trxi_inertia_change trxi_inertia_change_of(const trx_model *model, const trxi_kinematics *kin, int body, int which)
{
    const trxi_body *b = &model->bodies[body];
    const trx_body_inertia *inertia = &model->inertias[body];
    trxi_inertia_change out = {.link = b->link, .gravity = b->gravity};
    if (b->link < 0) return out;
    const double *R_WL = kin->R + 9 * b->link, *o = kin->o + 3 * b->link;
    double R[9], r[3], local[3];
    trxi_mul33(R_WL, b->R_LB, R);
    trxi_mulv3(b->R_LB, inertia->com, local);
    trxi_add3(local, b->p_LB, local);
    trxi_mulv3(R_WL, local, r);
    trxi_add3(r, o, r);
    if (which == 0) {
        out.I.m = 1;
        trxi_copy3(r, out.I.h);
        trxi_tensor_add_arms(1, r, r, out.I.J);
    } else if (which < 4) {
        const double *e = R + 3 * (which - 1);
        trxi_scale3(inertia->mass, e, out.I.h);
        trxi_tensor_add_arms(2 * inertia->mass, r, e, out.I.J);
    } else {
        double unit[6] = {0};
        unit[which - 4] = 1;
        trxi_tensor_rotate(unit, R, out.I.J);
    }
    return out;
}

// tau += scale S_k . F for the dofs on the path of a link
static void project(const trx_model *model, const trxi_kinematics *kin, int link, double scale, const double F[6], double *tau)
{
    const int *path = model->path + model->links[link].path_start;
    for (int k = 0; k < model->links[link].path_length; k++) tau[path[k]] += scale * trxi_dot6(kin->S + 6 * path[k], F);
}

void trxi_inertia_regressor(const trx_model *model, const trxi_kinematics *kin, const trxi_rnea *work,
                            const trxi_inertia_change *change, double scale, double *tau)
{
    if (change->link < 0) return;
    const double *V = work->V + 6 * change->link, *rate = work->motion[change->link].A;
    const double A[6] = {rate[0], rate[1], rate[2], rate[4], rate[5], rate[6]};
    double F[6], momentum[6], gyroscopic[6];
    trxi_inertia_mul(&change->I, A, F);
    trxi_inertia_mul(&change->I, V, momentum);
    trxi_cross_force(V, momentum, gyroscopic);
    trxi_axpy6(1, gyroscopic, F);
    if (change->gravity) {
        trxi_cross_add3(model->gravity, change->I.h, F);
        trxi_axpy3(-change->I.m, model->gravity, F + 3);
    }
    project(model, kin, change->link, scale, F, tau);
}

void trxi_mass_regressor(const trx_model *model, const trxi_kinematics *kin, const trxi_inertia_change *change,
                         const double V_z[6], double scale, double *tau)
{
    double momentum[6];
    if (change->link < 0) return;
    trxi_inertia_mul(&change->I, V_z, momentum);
    project(model, kin, change->link, scale, momentum, tau);
}

// mass and first moment on which gravity acts, of every subtree of a tree
static void sum_subtrees(const trx_model *model, const trxi_kinematics *kin, const trxi_tree *tree, double *sums)
{
    const int first = tree->first_link, end = first + tree->nlink;
    memcpy(sums + 4 * first, kin->gravity_moment + 4 * first, 4 * (size_t)tree->nlink * sizeof *sums);
    for (int l = end - 1; l > first; l--)
        for (int k = 0; k < 4 && model->links[l].parent >= 0; k++) sums[4 * model->links[l].parent + k] += sums[4 * l + k];
}

void trxi_gravity_regressor(const trx_model *model, const trxi_kinematics *kin, trxi_rnea *work, int tree,
                            const double dg[3], double *tau)
{
    const trxi_tree *t = &model->trees[tree];
    sum_subtrees(model, kin, t, work->gravity);
    for (int k = t->v; k < t->v + t->nv; k++) {
        const double *of_subtree = work->gravity + 4 * model->dof_link[k], *S = kin->S + 6 * k;
        double moment[3];
        trxi_cross3(of_subtree + 1, dg, moment);
        tau[k] -= trxi_dot3(S, moment) + of_subtree[0] * trxi_dot3(S + 3, dg);
    }
}

double trxi_inertia_form(const trxi_inertia_change *change, const double V_y[6], const double V_z[6])
{
    double momentum[6];
    trxi_inertia_mul(&change->I, V_z, momentum);
    return trxi_dot6(V_y, momentum);
}
