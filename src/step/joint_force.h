// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Forces of actuators and joints in a step, and their derivatives (theory 6); see joint_force.c.

#ifndef TRXI_STEP_JOINT_FORCE_H
#define TRXI_STEP_JOINT_FORCE_H

#include <tractrix/sim.h>

/// Force of an actuator, or of a joint with one dof.
typedef struct trxi_joint_force {
    bool actuator;
    int index;
} trxi_joint_force;

/// The force in the last step [N or N m]. A joint's is all that acts between the links at the joint: actuators, dry friction,
/// damping,
/// spring and limits, less the inertia of the rotor. Constraints between joints and bodies are left out.
double trxi_step_joint_force(const trx_sim *sim, trxi_joint_force of);

/// Adds its derivatives: by_x (2nv), by_u (nu; may be NULL). A and B are those of the same step. Only in the symplectic scheme.
/// Errors as trx_step_jac.
trx_status trxi_step_joint_force_jac(trx_sim *sim, trxi_joint_force of, const double *A, const double *B, double *by_x,
                                     double *by_u);

/// Adds its derivatives with respect to parameters: by_p (count), with C of the same step by trx_step_jac_parameters.
void trxi_step_joint_force_parameters(trx_sim *sim, trxi_joint_force of, const trx_parameter *parameters, int count,
                                      const double *C, double *by_p);

#endif
