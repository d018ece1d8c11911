// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Parameters theta of a model. Derivatives can be taken with respect to parameters, and an identification can change
// them. A parameter has a name, made of the words of the problem file ("box.mass", "pair(box, ground).friction"), and
// a value.

#ifndef TRACTRIX_PARAMETERS_H
#define TRACTRIX_PARAMETERS_H

#include <tractrix/model.h>

/// Kinds of parameters with their names and units. The last brackets say what `index` counts (empty: unused) and,
/// after a semicolon, the meaning of `component`. For pairs, component 0 is one pair of geometries alone, and 1 all
/// pairs of the same two bodies.
typedef enum trx_parameter_kind {
    TRX_PAIR_STIFFNESS,       // pair(A, B).stiffness, final value [N/m; hertz N/m^1.5] [pair]
    TRX_PAIR_DISSIPATION,     // .dissipation: hunt_crossley, hertz, smoothed [s/m] [pair]
    TRX_PAIR_RELAXATION_TIME, // .relaxation_time: kelvin_voigt [s] [pair]
    TRX_PAIR_FRICTION,        // .friction; along the axis if friction has one [1] [pair]
    TRX_PAIR_FRICTION_ACROSS, // .friction_across, if friction has an axis [1] [pair]
    TRX_PAIR_DYNAMIC_FRICTION,   // .dynamic_friction [1] [pair]
    TRX_PAIR_SLIP_SPEED,         // .slip_speed [m/s] [pair]
    TRX_PAIR_TORSIONAL_FRICTION, // .torsional_friction [m] [pair]
    TRX_PAIR_ROLLING_FRICTION,   // .rolling_friction [m] [pair]
    TRX_PAIR_BARRIER,            // .barrier: log_barrier [J], ipc [N/m] [pair]
    TRX_PAIR_REACH,              // .reach: ipc [m] [pair]
    TRX_STICTION_TOLERANCE,   // contact.stiction_tolerance, of the simulator's settings [m/s] []
    TRX_JOINT_DAMPING,        // JOINT.damping, of all its dofs [N s/m or N m s/rad] [joint]
    TRX_JOINT_STIFFNESS,      // JOINT.stiffness [N/m or N m/rad] [joint]
    TRX_JOINT_ARMATURE,       // JOINT.armature [kg or kg m^2] [joint]
    TRX_ACTUATOR_GEAR,        // ACTUATOR.gear [1] [actuator]
    TRX_JOINT_REST,           // JOINT.rest: hinge, slide [rad or m] [joint]
    TRX_JOINT_FRICTION,       // JOINT.friction, dry, not 0 [N or N m] [joint]
    TRX_JOINT_STICTION_TOLERANCE, // contact.joint_stiction_tolerance, of the settings [m/s or rad/s] []
    TRX_ACTUATOR_GAIN,        // ACTUATOR.gain [N or N m per unit of control] [actuator]
    TRX_ACTUATOR_BIAS,        // ACTUATOR.bias [N or N m] [actuator]
    // ACTUATOR.kp of a drive; also its gain if it was built with gain = kp [N/m or N m/rad] [actuator]
    TRX_ACTUATOR_KP,
    TRX_ACTUATOR_KD,          // ACTUATOR.kd of a drive [N s/m or N m s/rad] [actuator]
    TRX_GRAVITY,              // gravity.x [m/s^2] [; 0, 1, 2: x, y, z]
    TRX_BODY_MASS,            // BODY.mass, com and tensor constant [kg] [body]
    TRX_BODY_COM,             // BODY.com.x, mass and tensor constant, body frame [m] [body; 0, 1, 2]
    TRX_BODY_TENSOR,          // BODY.inertia.xx, about the com, body axes [kg m^2] [body; xx yy zz xy xz yz]
    TRX_GEOM_SIZE,            // GEOMETRY.size.x of a box or ellipsoid, inertia constant [m] [geometry; 0, 1, 2]
    TRX_GEOM_RADIUS,          // GEOMETRY.radius of a sphere, capsule or cylinder, inertia constant [m] [geometry]
    TRX_GEOM_LENGTH,          // GEOMETRY.length of a capsule or cylinder, inertia constant [m] [geometry]
    TRX_GEOM_ROUNDING,        // GEOMETRY.rounding of the other shapes [m] [geometry]
    TRX_PLACE_POSITION,       // BODY.pose.x of a body fixed to the world, in its parent's frame [m] [body; 0, 1, 2]
    TRX_PLACE_TURN,           // BODY.pose.rx of such a body: R = R_as_built Exp(r); 0 as built [rad] [body; 0, 1, 2]
} trx_parameter_kind;

typedef struct trx_parameter {
    trx_parameter_kind kind;
    int index;
    int component;
} trx_parameter;

/// The parameter called `name`. `pair(A, B)` takes two bodies, which stand for all pairs of their geometries, or two
/// geometries. Errors: ARGUMENT, INPUT (no such parameter; the message suggests similar names), UNSUPPORTED (the
/// parameter exists but the model cannot change it), MEMORY.
TRX_API trx_status trx_model_find_parameter(trx_context *context, const trx_model *model, const char *name,
                                            trx_parameter *parameter);

/// Writes the name of a parameter and returns true. Returns false when the model has no such parameter or the buffer
/// is too small.
TRX_API bool trx_model_parameter_name(const trx_model *model, trx_parameter parameter, char *text, size_t size);

/// All parameters that can change a step: returns their number, and writes at most `room` of them to `list`, which
/// may be NULL. Pairs have one entry for any two bodies.
TRX_API int trx_model_parameters(const trx_model *model, trx_parameter *list, int room);

/// The value of a parameter. Errors: ARGUMENT, UNSUPPORTED (parameters of the settings belong to a simulator,
/// trx_sim_parameter).
TRX_API trx_status trx_model_parameter_value(trx_context *context, const trx_model *model, trx_parameter parameter,
                                             double *value);

/// A new model with other values of `count` parameters, set in this order. Errors: ARGUMENT, INPUT (a value that is
/// not allowed), UNSUPPORTED, MEMORY.
TRX_API trx_status trx_model_change(trx_context *context, const trx_model *model, const trx_parameter *parameters,
                                    const double *values, int count, trx_model **changed);

/// The log-Cholesky chart of inertias [Rucker, Wensing 2022]: any ten numbers z are the inertia of a solid with
/// positive density, and every such inertia has one z = (alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3). `jacobian`
/// (10 x 10, column-major, may be NULL) is the derivative of the ten numbers of `inertia` (mass, com, tensor) with
/// respect to z.
TRX_API void trx_inertia_from_chart(const double z[10], trx_body_inertia *inertia, double *jacobian);

/// The z of an inertia. Returns false when there is none: the mass is not positive, the solid has no extent in some
/// direction (a point, a rod, a plate), or no solid has the tensor.
TRX_API bool trx_inertia_to_chart(const trx_body_inertia *inertia, double z[10]);

#endif
