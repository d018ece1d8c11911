// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Poses, joint columns and velocities of all links (theory 1, 6).
//
// All quantities are in world axes. Each tree has its own reference point c: the origin of the tree's first link that has
// inertia or branches, at the given configuration. c does not move with the link, so the frame at c is inertial. Spatial
// quantities of a tree are about its c, so a robot far from the world's origin loses no digits.
//
// Columns S_i (6 per dof, [w_i; v_i], v_i at c): the world column of dof i at a point p is
//     J_i(p) = v_i + w_i x (p - c)        (linear)          w_i   (angular, 0 for slides)

#ifndef TRXI_DYNAMICS_KINEMATICS_H
#define TRXI_DYNAMICS_KINEMATICS_H

#include "base/arena.h"
#include "model/model.h"

typedef struct trxi_kinematics {
    double *R;           // nlink x 9: link orientation in the world
    double *p;           // nlink x 3: link origin in the world [m]
    double *c;           // ntree x 3: reference point of each tree [m]
    double *o;           // nlink x 3: p - c, without the rounding of far positions [m]
    double *S;           // nv x 6: joint columns about the tree's c
    trxi_inertia *inertia; // nlink: link inertia about c, world axes
    double *gravity_moment; // nlink x 4: mass and first moment about c on which gravity acts
    double *prescribed_R;     // nprescribed x 9: orientation of bodies with prescribed motion
    double *prescribed_p;     // nprescribed x 3: origins of these bodies [m]
} trxi_kinematics;

/// Carves the arrays.
void trxi_kinematics_layout(trxi_arena *arena, const trx_model *model, trxi_kinematics *kin);

/// Pose of link `index` in its parent link (in the world for a root) at q (nq).
void trxi_link_pose(const trx_model *model, int index, const double *q, double R[9], double p[3]);

/// Poses, columns and inertias at q (nq). Quaternions in q must have unit length. Prescribed motions are at t = 0.
void trxi_kinematics_compute(const trx_model *model, const double *q, trxi_kinematics *kin);

/// Moves bodies with prescribed motion to their poses at t.
void trxi_kinematics_move(const trx_model *model, double t, trxi_kinematics *kin);

/// World pose of a frame R_L, p_L fixed in a link, in a body with prescribed motion, or in the world (both -1).
void trxi_kinematics_place(const trxi_kinematics *kin, int link, int prescribed, const double R_L[9], const double p_L[3],
                           double R[9], double p[3]);

/// Link velocities (nlink x 6, about c) for the joint velocities v (nv).
void trxi_link_velocities(const trx_model *model, const trxi_kinematics *kin, const double *v, double *V);

/// Derivative of a link's velocity with respect to q at fixed v: for each dof j on the path of `link`, in path
/// order, dV_j = S_j x V_link + V_parent(j) x S_j, 6 numbers each (6 x path_length, column-major), with
/// V_parent(j) the velocity of the parent of j's link. V comes from trxi_link_velocities.
void trxi_link_velocity_dq(const trx_model *model, const trxi_kinematics *kin, const double *V, int link, double *dV);

#endif
