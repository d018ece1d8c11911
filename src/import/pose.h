// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Products of poses, for nested frames.

#ifndef TRXI_IMPORT_POSE_H
#define TRXI_IMPORT_POSE_H

#include "math/rotation.h"

#include <tractrix/model.h>

/// Maps a point from frame X to its parent frame; `x` is the pose of X in the parent.
static inline void trxi_pose_point(const trx_pose *x, const double point[3], double out[3])
{
    double R[9], rotated[3];
    trxi_quat_to_matrix(x->quat, R);
    trxi_mulv3(R, point, rotated);
    trxi_add3(rotated, x->p, out);
}

/// X_PB = X_PA X_AB: `a` is the pose of frame A in P, `b` the pose of B in A. Quaternions are unit ones.
static inline trx_pose trxi_pose_mul(const trx_pose *a, const trx_pose *b)
{
    trx_pose out;
    trxi_pose_point(a, b->p, out.p);
    trxi_quat_mul(a->quat, b->quat, out.quat);
    trxi_quat_normalize(out.quat);
    return out;
}

#endif
