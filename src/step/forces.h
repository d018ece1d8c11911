// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Forces that a step transmits, in its contacts and in its actuators and joints, and their derivatives (theory 6); see
// contact_force.c and joint_force.c.

#ifndef TRXI_STEP_FORCES_H
#define TRXI_STEP_FORCES_H

#include <tractrix/sim.h>

/// Force in the world [N] at the contacts of the last step. signs (npair): +1 counts the force on the second geometry of a pair, -1
/// the force on its first, 0 leaves the pair out.
void trxi_step_contact_force(const trx_sim *sim, const signed char *signs, double force[3]);

/// Adds the derivatives of this force: by_x (3 x ntangent), by_u (3 x nu). A and B belong to the same step. Only in the symplectic
/// scheme. Errors as trx_step_jac.
trx_status trxi_step_contact_force_jac(trx_sim *sim, const signed char *signs, const double *A, const double *B, double *by_x,
                                       double *by_u);

/// Adds the derivatives of this force with respect to parameters: by_p (3 x count), with C of the same step by
/// trx_step_jac_parameters. Only in the symplectic scheme, and not for sizes and poses of geometry, whose direct effect is
/// left out.
void trxi_step_contact_force_parameters(trx_sim *sim, const signed char *signs, const trx_parameter *parameters, int count,
                                        const double *C, double *by_p);

/// Force of an actuator, or of a joint with one dof.
typedef struct trxi_joint_force {
    bool actuator;
    int index;
} trxi_joint_force;

/// The force in the last step [N or N m]. The force of a joint is the sum of the forces between its links: actuators, springs of
/// tendons, dry friction, damping, spring and limits of the joint, minus the inertia of the rotor. Constraints are left out.
double trxi_step_joint_force(const trx_sim *sim, trxi_joint_force of);

/// Adds the derivatives of this force: by_x (ntangent), by_u (nu; may be NULL). A and B belong to the same step. Only in the
/// symplectic scheme. Errors as trx_step_jac.
trx_status trxi_step_joint_force_jac(trx_sim *sim, trxi_joint_force of, const double *A, const double *B, double *by_x,
                                     double *by_u);

/// Adds the derivatives of this force with respect to parameters: by_p (count), with C of the same step by trx_step_jac_parameters.
void trxi_step_joint_force_parameters(trx_sim *sim, trxi_joint_force of, const trx_parameter *parameters, int count,
                                      const double *C, double *by_p);

#endif
