// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// World poses of bodies (theory 1) without scratch memory: each body's pose is composed from its link to the root.
// This is O(depth) per body, which is fast enough for reports. The step uses kinematics.c, which visits each link
// once.

#include "dynamics/kinematics.h"

#include "math/rotation.h"

#include <string.h>

// one more frame outside: R, p in it become those in its parent
static void carry(const double R_P[9], const double p_P[3], double R[9], double p[3])
{
    double turned[9], moved[3];
    trxi_mul33(R_P, R, turned);
    trxi_mulv3(R_P, p, moved);
    memcpy(R, turned, sizeof turned);
    trxi_add3(moved, p_P, p);
}

static void body_pose(const trx_model *model, const trxi_body *body, const double *q, double t, trx_pose *pose)
{
    double R[9], p[3];
    memcpy(R, body->R_LB, sizeof R);
    memcpy(p, body->p_LB, sizeof p);
    for (int link = body->link; link >= 0; link = model->links[link].parent) {
        double R_PL[9], p_PL[3];
        trxi_link_pose(model, link, q, R_PL, p_PL);
        carry(R_PL, p_PL, R, p);
    }
    if (body->prescribed >= 0) {
        double R_WM[9], p_WM[3];
        trxi_prescribed_pose(model, body->prescribed, t, R_WM, p_WM);
        carry(R_WM, p_WM, R, p);
    }
    trxi_copy3(p, pose->p);
    trxi_quat_from_matrix(R, pose->quat);
}

void trx_model_body_poses_at(const trx_model *model, const double *q, double t, trx_pose *poses)
{
    for (int i = 0; i < model->nbody; i++) body_pose(model, &model->bodies[i], q, t, &poses[i]);
}

void trx_model_body_poses(const trx_model *model, const double *q, trx_pose *poses)
{
    trx_model_body_poses_at(model, q, 0, poses);
}
