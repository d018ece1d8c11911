// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Models: bodies in trees, joints, inertia, geometry, materials, actuators. Transparent definitions describe a model.
// A model is built once and then constant, so threads may share it. Every definition carries its place in a file, so
// that an error at build names file, line and column.
//
// Order of q and v: trees depth first in the order of their root bodies, bodies of one parent in the order given,
// joints of a body in order. v has nv numbers, q has nq: a ball has four numbers in q (unit quaternion w x y z) and three
// in v. A state x = [q; v; a] has nstate numbers and a change dx = [dq; dv; da] has ntangent; a holds the activations of
// actuators with a state of their own, in the order of these actuators.

#ifndef TRACTRIX_MODEL_H
#define TRACTRIX_MODEL_H

#include <stdbool.h>
#include <tractrix/context.h>
#include <tractrix/geometry.h>

TRX_BEGIN_C

/// A frame's pose in another: position [m] and unit quaternion w x y z.
typedef struct trx_pose {
    double p[3];
    double quat[4];
} trx_pose;

TRX_API trx_pose trx_pose_identity(void);

typedef enum trx_joint_type {
    TRX_JOINT_HINGE = 0,  // angle about an axis: 1 velocity [rad/s]
    TRX_JOINT_SLIDE = 1,  // displacement along an axis: 1 velocity [m/s]
    TRX_JOINT_BALL = 2,   // quaternion: 3 velocities, angular velocity in the body frame [rad/s]
    TRX_JOINT_PLANAR = 3, // x, y, yaw in the xy plane of the body's pose: 3 velocities
    TRX_JOINT_FREE = 4,   // world position and quaternion: world velocity of the body origin, body-frame angular velocity
} trx_joint_type;

typedef struct trx_joint_def {
    const char *name; // unique among joints; a body may have the same name
    trx_source source;
    trx_joint_type type;
    double axis[3];      // hinge, slide: direction in the frame before the joint, normalized at build [1]
    double at[3];        // hinge, ball: a point on the axis, in the frame before the joint [m]
    double lower, upper; // 1-dof joints: limits, -INFINITY and INFINITY when there are none [rad or m]
    double damping;      // force per velocity, all dofs of the joint [N s/m or N m s/rad]
    double stiffness;    // force per displacement from `rest` [N/m or N m/rad]
    double rest;         // 1-dof joints: position of the relaxed spring (balls: identity) [rad or m]
    double armature;     // rotor inertia times gear ratio squared [kg or kg m^2]
    double friction;     // dry friction force of each dof (theory 4) [N or N m]
    double reference;    // 1-dof joints: joint position at which the body is at its pose, default 0 [rad or m]
    double velocity_limit; // 1-dof joints: largest speed, > 0, for plans that ask for it; INFINITY: none [rad/s or m/s]
} trx_joint_def;

TRX_API trx_joint_def trx_joint_def_default(void);

/// Pose of a frame fixed to a body, for costs and plots.
typedef struct trx_frame_def {
    const char *name;
    trx_source source;
    trx_pose pose; // in the body frame
} trx_frame_def;

typedef struct trx_geometry_def {
    const char *name; // NULL: BODY#1, BODY#2, ...
    trx_source source;
    trx_shape shape;
    trx_pose pose;  // in the body frame
    int material;   // index into trx_model_def.materials
    double mass;    // uniform solid of this mass; NAN when not given [kg]
    double density; // uniform solid of this density; NAN when not given [kg/m^3]
    bool collide;   // false: no contact; the geometry is drawn and has mass
    // a mesh that collides and has decompose.most > 0: contact uses convex parts of it, which follow in the model as
    // geometries of their own without mass, "NAME#1", "NAME#2", ...; the geometry itself is drawn and has the mass
    trx_decomposition decompose;
    // default 1, 1: a pair may touch if the type of one geometry has a bit of the other's mask
    unsigned collision_type, collision_mask;
    double color[4];
    bool has_color;
    // velocity of the material along the surface, as on a conveyor, in body axes; the component along a contact's normal has
    // no effect [m/s]
    double surface_velocity[3];
} trx_geometry_def;

TRX_API trx_geometry_def trx_geometry_def_default(void);

typedef struct trx_body_inertia {
    double mass;      // [kg]
    double com[3];    // centre of mass in the body frame [m]
    double tensor[6]; // about the centre of mass, body axes: xx yy zz xy xz yz [kg m^2]
} trx_body_inertia;

/// Prescribed motion of a body without joints: a displacement in the frame of the body's pose, as a function of time alone.
/// Contact does not change the motion. With s(t) = velocity t + amplitude sin(2 pi frequency t + phase),
///
///     slide   by s along `axis` [m]          hinge   by s about `axis` through `at` [rad]
///     table   by the poses: positions interpolated linearly, orientations at constant angular velocity; constant outside the table
///
/// Such a body has no state. Over a step from t to t + dt each of its points moves on a straight line from its
/// position at t, where geometry is evaluated, to its position at t + dt (theory 2).
typedef enum trx_motion_type {
    TRX_MOTION_NONE = 0,
    TRX_MOTION_SLIDE = 1,
    TRX_MOTION_HINGE = 2,
    TRX_MOTION_TABLE = 3,
} trx_motion_type;

typedef struct trx_motion_def {
    trx_motion_type type;
    trx_source source;
    double axis[3];   // slide, hinge: direction in the body's frame, normalized at build [1]
    double at[3];     // hinge: a point on the axis, in the body's frame [m]
    double velocity;  // [m/s or rad/s]
    double amplitude; // [m or rad]
    double frequency; // [1/s]
    double phase;     // [rad]
    const double *times;   // table: ntime, ascending [s]
    const trx_pose *poses; // table: ntime, in the frame that the body's pose gives
    int ntime;
} trx_motion_def;

/// Drag of a body in a fluid at rest or in uniform motion, with MuJoCo's formulas for a box: a force along each axis of the box and
/// a moment about it. The viscous part acts as on a ball whose diameter is the mean side. The other part grows with the density
/// and with the square of the velocity. Without density and viscosity there is no drag. The box does not depend on the body's
/// inertia parameters.
typedef struct trx_drag_def {
    trx_source source;
    double size[3];   // full lengths of the box [m]
    trx_pose pose;    // of its centre and axes, in the body frame
    double density;   // of the fluid [kg/m^3]
    double viscosity; // [Pa s]
    double wind[3];   // velocity of the fluid in the world [m/s]
} trx_drag_def;

typedef struct trx_body_def {
    const char *name;
    trx_source source;
    int parent;    // index of the parent body, -1 for the world
    trx_pose pose; // frame of the first joint in the parent's body frame
    const trx_joint_def *joints; // in series, parent side first; none: fixed to the parent
    int njoint;
    bool has_inertia;
    trx_body_inertia inertia; // when has_inertia; else from the geometry's masses
    trx_source inertia_source;
    const trx_geometry_def *geometry;
    int ngeometry;
    const trx_frame_def *frames;
    int nframe;
    bool gravity; // false: no gravity on this body
    // true: while this body is fixed to the world, it may touch its children (the rule of MJCF)
    bool touches_children;
    // prescribed motion, if the body has no joints and no ancestor has joints; bodies fixed to it move along
    trx_motion_def motion;
    trx_drag_def drag; // acts when joints move the body
} trx_body_def;

TRX_API trx_body_def trx_body_def_default(void);

/// Material of one body; a pair combines two (theory 3).
typedef struct trx_material_def {
    const char *name;
    trx_source source;
    bool rigid;             // infinite stiffness
    double stiffness;       // [N/m]
    double dissipation;     // Hunt-Crossley [s/m]
    double relaxation_time; // Kelvin-Voigt [s]
    double friction;        // a pair takes the harmonic mean [1]
    double torsional_friction; // moment about the normal per normal force, of lagged contacts; a pair takes the larger [m]
    double rolling_friction;   // moment about the tangents, likewise [m]
    bool larger_friction;      // a pair of two such materials takes the larger friction (the rule of MJCF)
    bool slippery;             // a pair of two such materials has no friction (condim 1 of MJCF)
} trx_material_def;

/// 1e5 N/m, 10 s/m, 0.005 s, friction 0.5.
TRX_API trx_material_def trx_material_def_default(void);

/// A 1-dof joint, given by its body and its index within the body, with a factor.
typedef struct trx_joint_factor {
    int body, joint;
    double factor; // [1], or [m/rad] where hinges and slides mix
} trx_joint_factor;

/// Elements of the path of a spatial tendon.
typedef enum trx_tendon_point_type {
    TRX_TENDON_SITE = 0,     // a point of a body
    TRX_TENDON_SPHERE = 1,   // the path wraps around a sphere where the straight line would cross the sphere
    TRX_TENDON_CYLINDER = 2, // likewise around a cylinder without ends, about the z axis of its pose
    TRX_TENDON_PULLEY = 3,   // ends a branch; the length of the branch that follows is divided by `divisor`
} trx_tendon_point_type;

/// One element of the path. The point `side` chooses the side of an obstacle on which the path passes. If this point lies inside
/// the obstacle, the path runs through the inside and touches the surface from within.
typedef struct trx_tendon_point {
    trx_tendon_point_type type;
    int body;       // -1: the world; not of pulleys
    trx_pose pose;  // in the body's frame; site: the point is p
    double radius;  // of an obstacle [m]
    bool has_side;
    int side_body;  // -1: the world
    double side[3]; // in the frame of side_body [m]
    double divisor; // pulley: > 0 [1]
} trx_tendon_point;

/// A tendon has a length l(q) (theory 4). The length of a fixed tendon is sum_i factor_i q_i; the length of a spatial
/// tendon is the length of its path. Spring and damper of a tendon pull with
///
///     f = -stiffness (l - rest) - damping dl/dt        rest: the point of [rest_lower, rest_upper] nearest to l
typedef struct trx_tendon_def {
    const char *name; // for messages, not necessarily unique; may be NULL
    trx_source source;
    const trx_joint_factor *joints; // fixed: 1-dof joints, each once, with factors other than 0
    int njoint;
    const trx_tendon_point *points; // spatial: begins and ends with a site, as each branch between pulleys does
    int npoint;
    double stiffness, damping;      // >= 0, default 0 [N/m, N s/m or N m/rad, N m s/rad]
    double rest_lower, rest_upper;  // default 0 [m or rad]
} trx_tendon_def;

TRX_API trx_tendon_def trx_tendon_def_default(void);

/// An activation a is the state of an actuator with a state of its own: the force depends on a in place of the control u.
///
///     filter      da/dt = (u - a)/time_constant          integrator   da/dt = u
///     muscle      da/dt = (u - a)/T      T = (0.5 + 1.5 a) time_constant  where a rises,  fall_time/(0.5 + 1.5 a)  where a falls
///
/// A muscle takes u and a within [0, 1] here; `smoothing` blends both T over this width of u - a. A step moves the activation
/// in closed form, with the T of its start, and keeps it within [lower, upper] (theory 4).
typedef enum trx_activation_type {
    TRX_ACTIVATION_NONE = 0, // the control acts at once
    TRX_ACTIVATION_FILTER = 1,
    TRX_ACTIVATION_INTEGRATOR = 2,
    TRX_ACTIVATION_MUSCLE = 3,
} trx_activation_type;

/// Number of types: their values are 0 .. TRX_ACTIVATION_TYPES - 1.
enum { TRX_ACTIVATION_TYPES = TRX_ACTIVATION_MUSCLE + 1 };

/// "none", "filter", "integrator", "muscle"; "" if out of range.
TRX_API const char *trx_activation_type_name(trx_activation_type type);

typedef struct trx_activation_def {
    trx_activation_type type;
    double time_constant; // filter, muscle [s]
    double fall_time;     // muscle [s]
    double smoothing;     // muscle: width of u - a between both time constants; 0: none [1]
    double lower, upper;  // range of a, infinite when there is none [unit of the control; integrator: times s]
    double start;         // a at the start of a problem [as lower]
    bool early;           // true: the force of a step depends on a at the end of the step; false: at its start
} trx_activation_def;

/// No activation; early, without a range, start 0; the times of a muscle 0.01 and 0.04 s.
TRX_API trx_activation_def trx_activation_def_default(void);

/// The force of a muscle depends on its length L and its rate, both of them relative to the optimal length L_0:
///
///     f = -gain (w FL(l) FV(dl/dt/max_speed) + FP(l))        l = (L - tendon_length)/L_0
///
/// w is the activation or the control, at least 0. FL is 1 at l = 1 and 0 outside [shortest, longest]; FV is 1 at rest, 0 where the
/// muscle shortens at max_speed, and at most lengthening_force; FP begins at l = 1 and is 3/2 passive_force at `longest`. The
/// curves are quadratic pieces (theory 4).
typedef struct trx_muscle_def {
    double optimal_length;    // L_0 [m or rad]; 0 (default): the actuator is no muscle
    double tendon_length;     // may be negative, default 0 [m or rad]
    double shortest, longest; // below and above 1, default 0.5 and 1.6 [1]
    double max_speed;         // default 1.5 [1/s]
    double passive_force;     // >= 0, default 1.3 [1]
    double lengthening_force; // >= 1, default 1.2 [1]
} trx_muscle_def;

/// No muscle; its other numbers are those above.
TRX_API trx_muscle_def trx_muscle_def_default(void);

/// An actuator acts on a length, gear q of a joint or gear l of a tendon. With the control u and the length L
///
///     f = clamp(gain u + bias - kp L - kd dL/dt,  effort_lower, effort_upper)        force of dof i: f dL/dq_i
///
/// A motor has gain 1 and zeros otherwise: u is a force. A position drive has gain = kp: u is the desired length.
/// With kp or kd, and on a spatial tendon, the law is a row of the convex step: L and dL/dt are values at the end of the step
/// (theory 4). With an activation, a is in place of u, and a motor with effort limits is a row too. A muscle has its force in place
/// of gain u, with dL/dt at the end of the step.
typedef struct trx_actuator_def {
    const char *name; // NULL: the joint's
    trx_source source;
    int body, joint;     // a 1-dof joint: index of its body, index within the body; ignored when there is a tendon
    int tendon;          // index into tendons, -1 (default): the joint above
    double gear;         // [1]
    double gain;         // default 1; of a muscle the force at its optimal length, positive [N, N m per unit of control]
    double bias;         // default 0 [N or N m]
    double kp, kd;       // >= 0, default 0 [N/m, N s/m or N m/rad, N m s/rad]
    double effort_lower, effort_upper; // limits of f, infinite when there are none [N or N m]
    double lower, upper; // limits of the control, infinite when there are none [N, N m; m, rad for position drives]
    trx_activation_def activation;
    trx_muscle_def muscle;
} trx_actuator_def;

TRX_API trx_actuator_def trx_actuator_def_default(void);

/// Constraints between bodies or joints beside the tree, as rows of the convex step (theory 4).
typedef enum trx_constraint_type {
    TRX_CONSTRAINT_COUPLER = 0,  // q_a = polynomial(q_b), or q_a = polynomial[0] without b; q: of joints or of tendons
    TRX_CONSTRAINT_BALL = 1,     // a point of A and a point of B coincide
    TRX_CONSTRAINT_WELD = 2,     // a frame of A and a frame of B coincide
    TRX_CONSTRAINT_DISTANCE = 3, // a point of A and a point of B keep their distance
    TRX_CONSTRAINT_TENDON = 4,   // lower <= l <= upper: limits of a tendon
} trx_constraint_type;

typedef struct trx_constraint_def {
    const char *name;
    trx_source source;
    trx_constraint_type type;
    int body_a, body_b;   // indices into bodies; ball, weld, distance: -1 for the world
    int joint_a, joint_b; // coupler: 1-dof joints, indices within body_a, body_b; body_b -1: no joint b
    double polynomial[5]; // coupler: q_a = sum_i polynomial[i] (q_b)^i, positions as in q [rad or m]
    trx_pose pose_a, pose_b; // ball, distance: the point is p; weld: the frame; in the body frames
    double length;        // distance [m]
    // indices into tendons, default -1. A coupler may tie two tendons in place of joints a and b. The limits of a tendon are as
    // stiff as limits of joints; `stiffness` has no effect on them
    int tendon, tendon_b;
    double lower, upper;  // tendon: limits, -INFINITY and INFINITY when there are none [rad or m]
    double stiffness;     // stiffness of each row, INFINITY: as stiff as the step resolves (theory 4) [N/m or N m/rad]
    double relaxation_time; // [s]
} trx_constraint_def;

TRX_API trx_constraint_def trx_constraint_def_default(void);

/// A load: a force and a torque on a body as functions of time, in world axes. The force acts at a point of the body.
/// The step evaluates force and torque at its middle, t + dt/2, and the point at its start. From `start` to `stop`,
/// with T = t - start:
///
///     constant  f                      sine    f sin(2 pi frequency T + phase)
///     ramp      f min(T/duration, 1)   rotate  f turned by 2 pi frequency T + phase about `axis`
///     table     the rows given, interpolated linearly over t; constant before the first and after the last row
typedef enum trx_load_wave {
    TRX_LOAD_CONSTANT = 0,
    TRX_LOAD_SINE = 1,
    TRX_LOAD_RAMP = 2,
    TRX_LOAD_ROTATE = 3,
    TRX_LOAD_TABLE = 4,
} trx_load_wave;

typedef struct trx_load_def {
    trx_source source;
    int body;             // index of a body that joints move
    double force[3];      // [N]
    double torque[3];     // [N m]
    double at[3];         // point at which the force acts, in the body frame [m]
    trx_load_wave wave;
    double frequency;     // sine, rotate [1/s]
    double phase;         // sine, rotate [rad]
    double axis[3];       // rotate: world direction, normalized at build, default z [1]
    double duration;      // ramp: time from zero to the full load [s]
    double start, stop;   // the load acts from start (may be negative) to stop; default 0 and INFINITY [s]
    const double *times;  // table: ntime, ascending [s]
    const double *values; // table: 6 x ntime: force, torque [N], [N m]
    int ntime;
} trx_load_def;

TRX_API trx_load_def trx_load_def_default(void);

/// "constant", "sine", "ramp", "rotate", "file"; "" if out of range.
TRX_API const char *trx_load_wave_name(trx_load_wave wave);

typedef enum trx_approximation {
    TRX_LAGGED = 0,
    TRX_LAGGED_REGULARIZED = 1,
    TRX_SIMILAR = 2,
    TRX_SIMILAR_REGULARIZED = 3,
    TRX_SAP = 4,
} trx_approximation;

typedef enum trx_force_law {
    TRX_HUNT_CROSSLEY = 0,
    TRX_KELVIN_VOIGT = 1,
    TRX_SMOOTHED = 2,
    TRX_HERTZ = 3,
    TRX_LOG_BARRIER = 4,
    TRX_IPC = 5,
    TRX_USER_LAW = 6, // a function of the caller; not available in the problem file
} trx_force_law;

/// "lagged", "hunt_crossley", ... as in the problem file.
TRX_API const char *trx_approximation_name(trx_approximation approximation);
TRX_API const char *trx_force_law_name(trx_force_law law);

/// A normal force with its partial derivatives by the gap and by the separation speed.
typedef struct trx_force {
    double f;     // >= 0 [N]
    double f_phi; // <= 0 [N/m]
    double f_v;   // <= 0 [N s/m]
} trx_force;

/// A force law of the caller: the force at gap `phi` [m], negative when overlapping, and separation speed `v` [m/s]. A step
/// calls the law several times. The law must return values for every finite argument, and equal values for equal arguments. The
/// signs in trx_force make a step convex. The law is sampled when it is set, and refused if a sample violates a sign. A step in
/// which the law violates a sign ends with TRX_ERR_LAW.
typedef trx_force trx_force_function(void *data, double phi, double v);

/// The contact law of one pair of geometries, final values.
typedef struct trx_pair_law {
    trx_approximation approximation;
    trx_force_law force_law;
    double stiffness;       // [N/m]; hertz [N/m^1.5]
    double dissipation;     // hunt_crossley, hertz, smoothed [s/m]
    double relaxation_time; // kelvin_voigt [s]
    double smoothing;       // smoothed [m]
    double friction;        // friction of a sticking contact; along the axis if there is one [1]
    double barrier;         // kappa: log_barrier [J], ipc [N/m]
    // ipc: gap below which the law acts; log_barrier: gap at which the force is barrier/reach, a step ignores pairs with larger
    // gaps; user: gap above which f is 0 [m]
    double reach;
    trx_force_function *user; // user: the law, and its argument
    void *user_data;
    double axis[3];         // principal axis of friction, in the frame of geom_a's body; zeros: friction is isotropic [1]
    bool axis_on_b;         // in the frame of geom_b's body instead
    double friction_across; // across the axis [1]
    double dynamic_friction; // friction of a contact that slips fast; across the axis in proportion [1]
    double slip_speed;      // slip speed at which the excess over dynamic_friction falls to 1/e; 0: constant friction [m/s]
    double torsional_friction; // moment about the normal, per normal force [m]
    double rolling_friction;   // moment about the tangents, per normal force [m]
} trx_pair_law;

/// One geometry of a body, or all geometries of the body. Bodies and geometries are indices into
/// the definitions.
typedef struct trx_geometry_selector {
    int body;     // index into bodies
    int geometry; // index within the body; -1: all
} trx_geometry_selector;

typedef struct trx_pair_selector {
    trx_geometry_selector a, b; // unordered
    trx_source source;
} trx_pair_selector;

/// Final values for some pairs. NAN and -1 leave a value as combined from the materials. Later entries win; an entry
/// that names geometries wins over an entry that names bodies.
typedef struct trx_pair_override {
    trx_pair_selector pair;
    double stiffness, dissipation, relaxation_time, smoothing, friction;
    int approximation, force_law; // -1: unchanged
    double barrier, reach;
    double axis[3]; // in the frame of the body of pair.a; NAN: unchanged
    double friction_across, dynamic_friction, slip_speed, torsional_friction, rolling_friction;
} trx_pair_override;

TRX_API trx_pair_override trx_pair_override_default(void);

typedef struct trx_model_def {
    size_t size; // sizeof(trx_model_def), set by the default function
    double gravity[3];
    const trx_material_def *materials;
    int nmaterial;
    const trx_body_def *bodies; // any order; parents by index
    int nbody;
    const trx_tendon_def *tendons;
    int ntendon;
    const trx_actuator_def *actuators;
    int nactuator;
    const trx_constraint_def *constraints;
    int nconstraint;
    const trx_load_def *loads;
    int nload;
    trx_approximation approximation; // of all pairs
    trx_force_law force_law;
    double smoothing;
    double barrier, reach; // of log_barrier and ipc, see trx_pair_law
    const trx_pair_selector *exclude; // these pairs never touch
    int nexclude;
    const trx_pair_selector *only; // if any: no other pairs touch
    int nonly;
    // a body and its parent may touch (bodies welded to either count as the same body; the world is no parent)
    bool allow_adjacent;
    const trx_pair_override *overrides;
    int noverride;
} trx_model_def;

TRX_API trx_model_def trx_model_def_default(void);

typedef struct trx_model trx_model;

/// Builds a model from its definitions. The model copies what it keeps into memory of the context's allocator. The
/// context records all errors of the definitions with their places. Errors: ARGUMENT, INPUT (bad definitions, an
/// unsupported pair of shapes), UNSUPPORTED, MEMORY.
TRX_API trx_status trx_model_create(trx_context *context, const trx_model_def *def, trx_model **model);

/// Destroys a model; NULL is accepted. Objects made from the model must be destroyed first.
TRX_API void trx_model_destroy(trx_model *model);

/// Fails with INPUT unless the joint-space mass matrix (with armature) is positive definite at q (nq). The message
/// names the joint whose pivot is not positive.
TRX_API trx_status trx_model_check_mass(trx_context *context, const trx_model *model, const double *q);

typedef struct trx_model_size {
    int nq, nv, na, nu; // configuration, velocity, activation, control numbers
    int nstate;     // of a state x = [q; v; a]: nq + nv + na
    int ntangent;   // of a change dx = [dq; dv; da]: 2 nv + na
    int nbody;      // bodies
    int njoint;     // joints as defined (a planar or a free joint is one)
    int ngeom;      // geometries
    int npair;      // pairs of geometries that may touch
    int ntree;      // kinematic trees
    int nframe;     // named frames
    int nconstraint;
    int nmaterial;
    int nload;      // loads
    int nmotion;    // bodies with prescribed motion
    int ntendon;
} trx_model_size;

TRX_API trx_model_size trx_model_get_size(const trx_model *model);

/// Names as in the definitions; NULL when the index is out of range.
TRX_API const char *trx_model_body_name(const trx_model *model, int body);
TRX_API const char *trx_model_joint_name(const trx_model *model, int joint);
TRX_API const char *trx_model_geom_name(const trx_model *model, int geom);
TRX_API const char *trx_model_frame_name(const trx_model *model, int frame);
TRX_API const char *trx_model_actuator_name(const trx_model *model, int actuator);
TRX_API const char *trx_model_tendon_name(const trx_model *model, int tendon);
/// Column names: "px", "box.x", "box.qw" ... of q; "px.v", "box.vx" ... of v.
TRX_API const char *trx_model_q_name(const trx_model *model, int index);
TRX_API const char *trx_model_v_name(const trx_model *model, int index);

/// Column names of a state x: of q, of v, then of a: ACTUATOR.a. NULL when the index is out of range.
TRX_API const char *trx_model_state_name(const trx_model *model, int index);

/// Index by name, -1 when there is none.
TRX_API int trx_model_find_body(const trx_model *model, const char *name);
TRX_API int trx_model_find_joint(const trx_model *model, const char *name);
TRX_API int trx_model_find_geom(const trx_model *model, const char *name); // also BODY#N, geometry N of a body
TRX_API int trx_model_find_frame(const trx_model *model, const char *name);
TRX_API int trx_model_find_actuator(const trx_model *model, const char *name);

/// Views of the parts. An index out of range gives zeros and no name; for pairs the geometries are -1.
typedef struct trx_joint_info {
    const char *name;
    trx_source source;
    trx_joint_type type;
    int body;
    int q_index, nq; // first index and count in q
    int v_index, nv; // first index and count in v
    double lower, upper;
    double damping, stiffness, armature, friction, reference;
    double velocity_limit;
} trx_joint_info;

TRX_API trx_joint_info trx_model_joint(const trx_model *model, int joint);

typedef struct trx_body_info {
    const char *name;
    trx_source source;
    int parent; // body or -1
    int tree;   // kinematic tree, -1 when fixed to the world
    double mass;
    int first_geom, ngeom;
    bool gravity;
    bool motion; // the body has a prescribed motion, or is fixed to a body that has one
} trx_body_info;

TRX_API trx_body_info trx_model_body(const trx_model *model, int body);

typedef struct trx_geom_info {
    const char *name;
    int body;
    trx_shape shape;
    trx_pose pose; // in the body frame
    bool collide;
    double color[4];
    bool has_color;
    int material;
    double surface_velocity[3];
    int part_of; // geometry of which this is a convex part (trx_geometry_def.decompose); -1: none
    double fill; // closed mesh that touches as its convex hull: its volume as a share of the hull's; else NAN [1]
} trx_geom_info;

TRX_API trx_geom_info trx_model_geom(const trx_model *model, int geom);

typedef struct trx_pair_info {
    int geom_a, geom_b; // the normal points from a to b
    bool actuated;      // one side belongs to a tree with an actuator
    trx_pair_law law;
} trx_pair_info;

TRX_API trx_pair_info trx_model_pair(const trx_model *model, int pair);

typedef struct trx_actuator_info {
    const char *name;
    int joint;   // joint index; for a tendon its first joint
    int v_index; // index in v of the dof on which it acts; for a tendon the first of these dofs
    int tendon;  // index of its tendon, -1: none
    int nfactor; // dofs on which it acts
    const int *v_indices;  // nfactor: these dofs, ascending
    const double *factors; // nfactor: dl/dq, without the gear; 0 for a spatial tendon, whose gradient depends on q
    double gear, gain, bias, kp, kd, effort_lower, effort_upper;
    double lower, upper;
    int a_index; // its activation in a, -1: none
    trx_activation_def activation;
    trx_muscle_def muscle;
} trx_actuator_info;

TRX_API trx_actuator_info trx_model_actuator(const trx_model *model, int actuator);

typedef struct trx_constraint_info {
    const char *name;
    trx_source source;
    trx_constraint_type type;
    int body_a, body_b;   // -1: world
    int joint_a, joint_b;   // coupler: joint indices, -1: none or a tendon
    int tendon_a, tendon_b; // coupler, tendon: tendon indices, -1: none or a joint
    int nrow;             // coupler 1, ball 3, weld 6, distance 1, tendon 2
    double lower, upper;  // tendon: limits [rad or m]
} trx_constraint_info;

TRX_API trx_constraint_info trx_model_constraint(const trx_model *model, int constraint);
TRX_API const char *trx_model_constraint_name(const trx_model *model, int constraint);

/// "coupler", "ball", "weld", "distance", "tendon"; "" if out of range.
TRX_API const char *trx_constraint_type_name(trx_constraint_type type);

/// Length of a tendon at q (nq) [m or rad] and, unless NULL, its gradient (nv) in tangent coordinates. Errors: ARGUMENT, MEMORY.
TRX_API trx_status trx_model_tendon(trx_context *context, const trx_model *model, int tendon, const double *q, double *length,
                                    double *gradient);

/// Mass, centre of mass and inertia of one body, in its own frame, as built.
TRX_API trx_body_inertia trx_model_body_inertia(const trx_model *model, int body);

/// Joint-space mass matrix M (nv x nv, column-major, both triangles, rotor inertia included) and bias forces
/// ID(q, v, 0) (nv; gravity and Coriolis, without springs and dampers) at (q, v). Either may be NULL. Errors: ARGUMENT,
/// MEMORY.
TRX_API trx_status trx_model_dynamics(trx_context *context, const trx_model *model, const double *q, const double *v,
                                      double *M, double *bias);

TRX_API double trx_model_mass(const trx_model *model);
TRX_API void trx_model_gravity(const trx_model *model, double gravity[3]);

/// out = neutral configuration: joint references, zeros, identity quaternions (nq).
TRX_API void trx_model_neutral(const trx_model *model, double *q);

/// out = q (+) dq: q (nq), dq (nv), out (nq). May alias q.
TRX_API void trx_model_integrate(const trx_model *model, const double *q, const double *dq, double *out);

/// dq = q (-) p: q, p (nq), dq (nv).
TRX_API void trx_model_difference(const trx_model *model, const double *q, const double *p, double *dq);

/// out = x (+) dx, the same for a whole state: x (nstate), dx (ntangent), out (nstate). May alias x.
TRX_API void trx_model_integrate_state(const trx_model *model, const double *x, const double *dx, double *out);

/// dx = x (-) y: x, y (nstate), dx (ntangent).
TRX_API void trx_model_difference_state(const trx_model *model, const double *x, const double *y, double *dx);

/// World poses of all bodies at q: `poses` has nbody entries. Prescribed motions are at t = 0.
TRX_API void trx_model_body_poses(const trx_model *model, const double *q, trx_pose *poses);

/// World poses of all bodies at q with prescribed motions at time t [s].
TRX_API void trx_model_body_poses_at(const trx_model *model, const double *q, double t, trx_pose *poses);

/// Whether the model's step depends on time t >= 0: a body has a prescribed motion, or a load changes or starts after
/// 0.
TRX_API bool trx_model_is_timed(const trx_model *model);

/// Force and torque of a load at time t, in world axes: out = [fx fy fz tx ty tz]; zeros when there is no such load.
TRX_API void trx_model_load(const trx_model *model, int load, double t, double out[6]);

/// Total energy [J] at (q, v): `kinetic` (armature included); `potential` of gravity (zero at the world's origin) and
/// of springs of joints and tendons. Either may be NULL. Errors: ARGUMENT, MEMORY.
TRX_API trx_status trx_model_energy(trx_context *context, const trx_model *model, const double *q, const double *v,
                                    double *kinetic, double *potential);

TRX_END_C

#endif
