// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives of inverse dynamics with respect to inertias and gravity (theory 6).

#ifndef TRXI_DYNAMICS_REGRESSOR_H
#define TRXI_DYNAMICS_REGRESSOR_H

#include "dynamics/inverse_dynamics.h"

/// A change of a link's inertia about its tree's c, in world axes, per unit of a parameter.
typedef struct trxi_inertia_change {
    int link; // -1: the body is fixed to the world
    trxi_inertia I;
    bool gravity; // gravity acts on it
} trxi_inertia_change;

/// The change with number `which` of a body's trx_body_inertia: mass, com x y z, tensor xx yy zz xy xz yz, in body
/// axes, with the other nine numbers constant.
trxi_inertia_change trxi_inertia_change_of(const trx_model *model, const trxi_kinematics *kin, int body, int which);

/// tau (nv) += scale times the derivative of inverse dynamics along the change, at the arguments of the last
/// trxi_inverse_dynamics with this `work`. Cost: one product per dof on the path of the link.
void trxi_inertia_regressor(const trx_model *model, const trxi_kinematics *kin, const trxi_rnea *work,
                            const trxi_inertia_change *change, double scale, double *tau);

/// tau (nv) += the derivative of inverse dynamics along the change dg of gravity, for the dofs of one tree.
/// Recomputes the tree's masses and first moments in work->gravity.
void trxi_gravity_regressor(const trx_model *model, const trxi_kinematics *kin, trxi_rnea *work, int tree,
                            const double dg[3], double *tau);

/// tau (nv) += scale dM z, with V_z (6) the velocity of the link for the joint velocities z.
void trxi_mass_regressor(const trx_model *model, const trxi_kinematics *kin, const trxi_inertia_change *change,
                         const double V_z[6], double scale, double *tau);

/// y^T dM z for two joint velocities, given by the link's velocities V_y, V_z (6 each).
double trxi_inertia_form(const trxi_inertia_change *change, const double V_y[6], const double V_z[6]);

#endif
