// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// World poses of bodies (theory 1) without scratch memory: each body's pose is carried from its link to the root.
// That is O(depth) a body, which is fine for reports; the step uses kinematics.c, which visits each link once.

#include "dynamics/kinematics.h"

#include "math/rotation.h"

#include <string.h>

static void body_pose(const trx_model *model, const trxi_body *body, const double *q, trx_pose *pose)
{
    double R[9], p[3];
    memcpy(R, body->R_LB, sizeof R);
    memcpy(p, body->p_LB, sizeof p);
    for (int link = body->link; link >= 0; link = model->links[link].parent) {
        double R_PL[9], p_PL[3], turned[9], moved[3];
        trxi_link_pose(model, link, q, R_PL, p_PL);
        trxi_mul33(R_PL, R, turned);
        trxi_mulv3(R_PL, p, moved);
        memcpy(R, turned, sizeof R);
        trxi_add3(moved, p_PL, p);
    }
    trxi_copy3(p, pose->p);
    trxi_quat_from_matrix(R, pose->quat);
}

void trx_model_body_poses(const trx_model *model, const double *q, trx_pose *poses)
{
    for (int i = 0; i < model->nbody; i++) body_pose(model, &model->bodies[i], q, &poses[i]);
}
