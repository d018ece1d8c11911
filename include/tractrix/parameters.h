// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Parameters theta of a model. Derivatives can be taken with respect to parameters, and an identification can change
// them. A parameter has a name, made of the words of the problem file ("box.mass", "pair(box, ground).friction"), and
// a value.

#ifndef TRACTRIX_PARAMETERS_H
#define TRACTRIX_PARAMETERS_H

#include <tractrix/model.h>

TRX_BEGIN_C

/// Kinds of parameters with their names and units. The last brackets name the objects that `index` counts (empty: unused)
/// and, after a semicolon, the meaning of `component`. For pairs, component 0 is a single pair of geometries, and component 1
/// all pairs of the same two bodies.
typedef enum trx_parameter_kind {
    TRX_PAIR_STIFFNESS = 0,            // pair(A, B).stiffness, final value [N/m; hertz N/m^1.5] [pair]
    TRX_PAIR_DISSIPATION = 1,          // .dissipation: hunt_crossley, hertz, smoothed [s/m] [pair]
    TRX_PAIR_RELAXATION_TIME = 2,      // .relaxation_time: kelvin_voigt [s] [pair]
    TRX_PAIR_FRICTION = 3,             // .friction; along the axis if friction has one [1] [pair]
    TRX_PAIR_FRICTION_ACROSS = 4,      // .friction_across, if friction has an axis [1] [pair]
    TRX_PAIR_DYNAMIC_FRICTION = 5,     // .dynamic_friction [1] [pair]
    TRX_PAIR_SLIP_SPEED = 6,           // .slip_speed [m/s] [pair]
    TRX_PAIR_TORSIONAL_FRICTION = 7,   // .torsional_friction [m] [pair]
    TRX_PAIR_ROLLING_FRICTION = 8,     // .rolling_friction [m] [pair]
    TRX_PAIR_BARRIER = 9,              // .barrier: log_barrier [J], ipc [N/m] [pair]
    TRX_PAIR_REACH = 10,               // .reach: ipc [m] [pair]
    TRX_STICTION_TOLERANCE = 11,       // contact.stiction_tolerance, of the simulator's settings [m/s] []
    TRX_JOINT_DAMPING = 12,            // JOINT.damping, of all its dofs [N s/m or N m s/rad] [joint]
    TRX_JOINT_STIFFNESS = 13,          // JOINT.stiffness [N/m or N m/rad] [joint]
    TRX_JOINT_ARMATURE = 14,           // JOINT.armature [kg or kg m^2] [joint]
    TRX_ACTUATOR_GEAR = 15,            // ACTUATOR.gear [1] [actuator]
    TRX_JOINT_REST = 16,               // JOINT.rest: hinge, slide [rad or m] [joint]
    TRX_JOINT_FRICTION = 17,           // JOINT.friction, dry, not 0 [N or N m] [joint]
    TRX_JOINT_STICTION_TOLERANCE = 18, // contact.joint_stiction_tolerance, of the settings [m/s or rad/s] []
    TRX_ACTUATOR_GAIN = 19,            // ACTUATOR.gain [N or N m per unit of control] [actuator]
    TRX_ACTUATOR_BIAS = 20,            // ACTUATOR.bias [N or N m] [actuator]
    // ACTUATOR.kp of a drive; also its gain if it was built with gain = kp [N/m or N m/rad] [actuator]
    TRX_ACTUATOR_KP = 21,
    TRX_ACTUATOR_KD = 22,              // ACTUATOR.kd of a drive [N s/m or N m s/rad] [actuator]
    TRX_GRAVITY = 23,                  // gravity.x [m/s^2] [; 0, 1, 2: x, y, z]
    TRX_BODY_MASS = 24,                // BODY.mass, com and tensor constant [kg] [body]
    TRX_BODY_COM = 25,                 // BODY.com.x, mass and tensor constant, body frame [m] [body; 0, 1, 2]
    TRX_BODY_TENSOR = 26,              // BODY.inertia.xx, about the com, body axes [kg m^2] [body; xx yy zz xy xz yz]
    TRX_GEOM_SIZE = 27,                // GEOMETRY.size.x of a box or ellipsoid, inertia constant [m] [geometry; 0, 1, 2]
    TRX_GEOM_RADIUS = 28,              // GEOMETRY.radius of a sphere, capsule or cylinder, inertia constant [m] [geometry]
    TRX_GEOM_LENGTH = 29,              // GEOMETRY.length of a capsule or cylinder, inertia constant [m] [geometry]
    TRX_GEOM_ROUNDING = 30,            // GEOMETRY.rounding of a box, cylinder, ellipsoid or mesh [m] [geometry]
    TRX_PLACE_POSITION = 31,           // BODY.pose.x of a body fixed to the world, in its parent's frame [m] [body; 0, 1, 2]
    TRX_PLACE_TURN = 32,               // BODY.pose.rx of such a body: R = R_as_built Exp(r); 0 as built [rad] [body; 0, 1, 2]
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

TRX_END_C

#endif
