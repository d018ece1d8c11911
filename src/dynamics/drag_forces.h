// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Drag of bodies in a fluid (trx_drag_def) as spatial forces on their links, and how they change (theory 2, 6).

#ifndef TRXI_DYNAMICS_DRAG_FORCES_H
#define TRXI_DYNAMICS_DRAG_FORCES_H

#include "dynamics/kinematics.h"

/// A drag at one state: everything in world axes.
typedef struct trxi_drag_state {
    const trxi_link *link;
    double arm[3];      // from the tree's c to the centre of the box [m]
    double F[6];        // spatial force about c: moment, force [N m, N]
    double f[3];        // force [N]
    double m[3];        // moment about the centre of the box [N m]
    double u[3], w[3];  // velocity relative to the fluid, angular velocity [m/s, rad/s]
    double V[6];        // velocity of the link
    double D_u[9], D_w[9]; // -df/du, -dm/dw at fixed axes
} trxi_drag_state;

/// The drag `index` at the configuration of `kin` and the link velocities V (6 x nlink, trxi_link_velocities).
void trxi_drag_at(const trx_model *model, const trxi_kinematics *kin, const double *V, int index, trxi_drag_state *state);

/// dF by the velocity of dof j on the link's path.
void trxi_drag_by_velocity(const trxi_drag_state *state, const double S_j[6], double dF[6]);
/// dF by the position of dof j at constant joint velocities. The turn of the columns S_i, on which F is projected, is left out.
/// V_before: velocity of the parent of dof j's link.
void trxi_drag_by_position(const trxi_drag_state *state, const double S_j[6], const double V_before[6], double dF[6]);

/// dF by the wind.
void trxi_drag_by_wind(const trxi_drag_state *state, const double dwind[3], double dF[6]);

/// out += scale J^T F of all drags, out (nv).
void trxi_drag_forces(const trx_model *model, const trxi_kinematics *kin, const double *V, double scale, double *out);

#endif
