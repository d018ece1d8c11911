// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Poses, columns and inertias of all links (theory 1) in one pass over the links, parents first.
//
//     X_W,link = X_W,parent X_PJ J(q),       J: rotation about the axis, quaternion, or displacement
//
// Columns about c, with o = (joint origin) - c:
//
//     hinge        w = R axis           v = o x w
//     ball         w = R e_k            v = o x w         k = 1..3, axes after the joint: right increments
//     slide        w = 0                v = R axis
//     translation  w = 0                v = R e_k         axes before the joint, which it does not turn
//
// The inertia about c of a link is in inverse_dynamics_passes.inc.

#include "dynamics/kinematics.h"

#include "dynamics/inverse_dynamics.h"

#include "math/rotation.h"

#include <string.h>

void trxi_kinematics_layout(trxi_arena *arena, const trx_model *model, trxi_kinematics *kin)
{
    kin->R = TRXI_TAKE(arena, double, 9 * model->nlink);
    kin->p = TRXI_TAKE(arena, double, 3 * model->nlink);
    kin->c = TRXI_TAKE(arena, double, 3 * model->ntree);
    kin->o = TRXI_TAKE(arena, double, 3 * model->nlink);
    kin->S = TRXI_TAKE(arena, double, 6 * model->nv);
    kin->inertia = TRXI_TAKE(arena, trxi_inertia, model->nlink);
    kin->gravity_moment = TRXI_TAKE(arena, double, 4 * model->nlink);
    kin->prescribed_R = TRXI_TAKE(arena, double, 9 * model->nprescribed);
    kin->prescribed_p = TRXI_TAKE(arena, double, 3 * model->nprescribed);
}

// computes the orientation R of a link and the shift of its origin by its joint, whose frame is R_J
static void apply_joint(const trxi_link *link, const double *q, const double R_J[9], double R[9], double shift[3])
{
    double local[9];
    trxi_zero3(shift);
    switch (link->type) {
    case TRXI_HINGE:
        trxi_axis_angle33(link->axis, q[link->q] - link->reference, local);
        trxi_mul33(R_J, local, R);
        return;
    case TRXI_BALL:
        trxi_quat_to_matrix(q + link->q, local);
        trxi_mul33(R_J, local, R);
        return;
    case TRXI_SLIDE:
        trxi_mulv3(R_J, link->axis, shift);
        trxi_scale3(q[link->q] - link->reference, shift, shift);
        break;
    case TRXI_TRANSLATION: trxi_mulv3(R_J, q + link->q, shift); break;
    }
    memcpy(R, R_J, 9 * sizeof *R);
}

void trxi_link_pose(const trx_model *model, int index, const double *q, double R[9], double p[3])
{
    const trxi_link *link = &model->links[index];
    apply_joint(link, q, link->R_PJ, R, p);
    trxi_add3(p, link->p_PJ, p);
}

// computes R and p in the world, and writes the step from the parent's origin to o
static void place_link(const trx_model *model, int index, const double *q, trxi_kinematics *kin)
{
    const trxi_link *link = &model->links[index];
    double *R = kin->R + 9 * index, *p = kin->p + 3 * index, *step = kin->o + 3 * index;
    if (link->parent < 0) {
        trxi_link_pose(model, index, q, R, p);
        return;
    }
    const double *R_P = kin->R + 9 * link->parent;
    double R_J[9], shift[3];
    trxi_mul33(R_P, link->R_PJ, R_J);
    trxi_mulv3(R_P, link->p_PJ, step);
    apply_joint(link, q, R_J, R, shift);
    trxi_add3(step, shift, step);
    trxi_add3(kin->p + 3 * link->parent, step, p);
}

// sums up the steps of a tree to offsets from its reference link: backward on the chain before the reference, else forward
static void offsets_from_reference(const trx_model *model, const trxi_tree *tree, trxi_kinematics *kin)
{
    double *o = kin->o, step[3], next[3];
    trxi_copy3(o + 3 * tree->reference, step);
    trxi_zero3(o + 3 * tree->reference);
    for (int i = tree->reference - 1; i >= tree->first_link; i--) {
        trxi_copy3(o + 3 * i, next);
        trxi_sub3(o + 3 * (i + 1), step, o + 3 * i);
        trxi_copy3(next, step);
    }
    for (int i = tree->reference + 1; i < tree->first_link + tree->nlink; i++)
        trxi_add3(o + 3 * i, o + 3 * model->links[i].parent, o + 3 * i);
}

// the column of a pure rotation about the point c + o
static void turning_column(const double w[3], const double o[3], double S[6])
{
    trxi_copy3(w, S);
    trxi_cross3(o, w, S + 3);
}

static void link_columns(const trxi_link *link, const double R[9], const double o[3], double *S)
{
    double axis[3];
    switch (link->type) {
    case TRXI_HINGE:
        trxi_mulv3(R, link->axis, axis);
        turning_column(axis, o, S);
        break;
    case TRXI_BALL:
        for (int k = 0; k < 3; k++) turning_column(R + 3 * k, o, S + 6 * k);
        break;
    case TRXI_SLIDE:
        trxi_zero3(S);
        trxi_mulv3(R, link->axis, S + 3);
        break;
    case TRXI_TRANSLATION:
        for (int k = 0; k < 3; k++) {
            trxi_zero3(S + 6 * k);
            trxi_copy3(R + 3 * k, S + 6 * k + 3);
        }
        break;
    }
}

void trxi_kinematics_compute(const trx_model *model, const double *q, trxi_kinematics *kin)
{
    for (int i = 0; i < model->nlink; i++) place_link(model, i, q, kin);
    for (int t = 0; t < model->ntree; t++) {
        trxi_copy3(kin->p + 3 * model->trees[t].reference, kin->c + 3 * t);
        offsets_from_reference(model, &model->trees[t], kin);
    }
    for (int i = 0; i < model->nlink; i++) {
        const trxi_link *link = &model->links[i];
        link_columns(link, kin->R + 9 * i, kin->o + 3 * i, kin->S + 6 * link->v);
    }
    trxi_dynamics_use()->inertias(model, kin);
    trxi_kinematics_move(model, 0, kin);
}

void trxi_kinematics_move(const trx_model *model, double t, trxi_kinematics *kin)
{
    for (int i = 0; i < model->nprescribed; i++)
        trxi_prescribed_pose(model, i, t, kin->prescribed_R + 9 * i, kin->prescribed_p + 3 * i);
}

void trxi_kinematics_place(const trxi_kinematics *kin, int link, int prescribed, const double R_L[9], const double p_L[3],
                           double R[9], double p[3])
{
    if (link < 0 && prescribed < 0) {
        memcpy(R, R_L, 9 * sizeof *R);
        trxi_copy3(p_L, p);
        return;
    }
    const double *R_W = link >= 0 ? kin->R + 9 * link : kin->prescribed_R + 9 * prescribed;
    const double *p_W = link >= 0 ? kin->p + 3 * link : kin->prescribed_p + 3 * prescribed;
    trxi_carry_pose(R_W, p_W, R_L, p_L, R, p);
}

void trxi_link_velocities(const trx_model *model, const trxi_kinematics *kin, const double *v, double *V)
{
    for (int i = 0; i < model->nlink; i++) {
        const trxi_link *link = &model->links[i];
        double *out = V + 6 * i;
        for (int a = 0; a < 6; a++) out[a] = link->parent < 0 ? 0 : V[6 * link->parent + a];
        for (int k = link->v; k < link->v + link->nv; k++) trxi_axpy6(v[k], kin->S + 6 * k, out);
    }
}

void trxi_link_velocity_dq(const trx_model *model, const trxi_kinematics *kin, const double *V, int link, double *dV)
{
    const trxi_link *of = &model->links[link];
    for (int k = 0; k < of->path_length; k++) {
        int j = model->path[of->path_start + k], parent = model->links[model->dof_link[j]].parent;
        const double *S = kin->S + 6 * j;
        double along[6];
        trxi_cross_motion(S, V + 6 * link, dV + 6 * k);
        if (parent < 0) continue;
        trxi_cross_motion(V + 6 * parent, S, along);
        trxi_axpy6(1, along, dV + 6 * k);
    }
}
