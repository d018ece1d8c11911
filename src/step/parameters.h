// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Parts of dr/dtheta (theory 6), for step_parameters.c. Each part adds to r (nv). The step must have been solved to the
// tolerance of derivatives, with inverse dynamics and link velocities at its solution.

#ifndef TRXI_STEP_PARAMETERS_H
#define TRXI_STEP_PARAMETERS_H

#include "dynamics/regressor.h"
#include "model/parameters.h"
#include "step/block_tangent.h"

/// Change of A per unit of a parameter: a number added to the diagonal at n dofs from `first` on, and an inertia.
typedef struct trxi_mass_change {
    double diagonal;
    int first, n;
    trxi_inertia_change inertia; // link -1: none
    double scale;                // of the inertia
} trxi_mass_change;

/// Largest number of parameters that are differentiated together.
enum { TRXI_PARAMETER_GROUP = TRXI_PRODUCTS - 2 };

/// The change of A per unit of a parameter; zero for most parameters.
trxi_mass_change trxi_parameter_mass_change(const trxi_solved *step, trx_parameter parameter);

/// gamma_theta of row block `block` at fixed velocities and w. False: the law of the block does not have this parameter.
bool trxi_parameter_law(const trxi_solved *step, trx_parameter parameter, int block, double gamma_theta[3]);

/// Change of an actuator's force per unit of its gear, gain, bias, kp or kd at fixed velocities. 0 beyond its effort.
double trxi_parameter_actuator_force(const trxi_solved *step, trx_parameter parameter);

/// r (nv) += dr/dtheta of a parameter of a joint, of an actuator or of dry friction, without effects through w. In the symplectic
/// scheme this is -dt times the change of the forces of actuators and joints.
void trxi_parameter_joint_residual(const trxi_solved *step, trx_parameter parameter, double *r);

/// dw (count) of rows that depend on w, for changes of A (at most TRXI_PARAMETER_GROUP).
void trxi_parameters_mass_rows(const trxi_solved *step, trxi_derivatives *deriv, const trxi_mass_rows *rows,
                               const trxi_mass_change *changes, int count, double *dw);

/// Effects through the effective inverse mass w of regularized and sap contacts, of limits and of near-rigid
/// constraints: `count` changes at once, r (nv x count, leading dimension ld).
void trxi_parameters_mass(const trxi_solved *step, trxi_derivatives *deriv, const trxi_mass_change *changes, int count,
                          double *r, int ld);

/// Motion of the surface of a shape per unit of a size, at a contact with the shape on side A or B: u in the world.
void trxi_size_motion(const trxi_placed_shape *placed, trx_parameter parameter, const trxi_contact_point *point, bool on_a,
                      double u[3]);

/// Displacement of everything that a fixed body carries, per unit of a number of its pose; `base` as for trxi_parameter_value.
trxi_displacement trxi_place_displacement(const trx_model *base, const trx_model *model, trx_parameter parameter);

/// The effect of a size of a shape through the contacts of its pairs.
void trxi_parameters_shape(const trxi_solved *step, trxi_derivatives *deriv, trx_parameter parameter, double *r);

/// The effect of the pose of a fixed body: `turn` on the motion without contact (the change of m in two-stage schemes), `place`
/// through contacts, constraints and lengths.
void trxi_parameters_turn(const trxi_solved *step, trx_parameter parameter, double *r);
void trxi_parameters_place(const trxi_solved *step, trxi_derivatives *deriv, trx_parameter parameter, double *r);

#endif
