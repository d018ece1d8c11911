// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// World poses of bodies (theory 1) without scratch memory: each body's pose is composed from its link to the root.
// This is O(depth) per body, which is fast enough for reports. The step uses kinematics.c, which visits each link
// once.

#include "dynamics/kinematics.h"

#include "math/rotation.h"

#include <string.h>

static void body_pose(const trx_model *model, const trxi_body *body, const double *q, double t, trx_pose *pose)
{
    double R[9], p[3];
    memcpy(R, body->R_LB, sizeof R);
    memcpy(p, body->p_LB, sizeof p);
    for (int link = body->link; link >= 0; link = model->links[link].parent) {
        double R_PL[9], p_PL[3];
        trxi_link_pose(model, link, q, R_PL, p_PL);
        trxi_carry_pose(R_PL, p_PL, R, p, R, p);
    }
    if (body->prescribed >= 0) {
        double R_WM[9], p_WM[3];
        trxi_prescribed_pose(model, body->prescribed, t, R_WM, p_WM);
        trxi_carry_pose(R_WM, p_WM, R, p, R, p);
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
