// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The compiled model. Bodies and joints of the definitions become *links*: each link is one elementary joint (hinge,
// slide, ball, or translation along three axes) and the rigid frame beyond it. A free joint is a translation link
// followed by a ball link; a planar joint is slide, slide, hinge; bodies without a joint share their parent's link.
// Every recursion of the dynamics room is therefore one loop over links, parents before children. A link needs only its
// parent and the motion of its own joint:
//
//     X_world,link = X_world,parent X_parent,joint J(q)
//
// The link frame sits at the joint (for a hinge or ball: at the point `at`). A body's frame is fixed in
// its link: R_LB, p_LB.

#ifndef TRXI_MODEL_MODEL_H
#define TRXI_MODEL_MODEL_H

#include "base/context.h"
#include "geometry/hull.h"
#include "geometry/pair_table.h"
#include "math/spatial.h"

#include <tractrix/model.h>

typedef enum trxi_link_type { TRXI_HINGE, TRXI_SLIDE, TRXI_BALL, TRXI_TRANSLATION } trxi_link_type;

typedef struct trxi_link {
    trxi_link_type type;
    int parent; // link, -1: world
    int tree;
    int joint;           // the joint it belongs to
    int q, v;            // first index in q and v
    int nv;              // 1 or 3 (q: 4 for a ball, else nv)
    int path_start;      // path of this link's dofs from the root: model->path[path_start .. + path_length)
    int path_length;     // includes its own dofs; ascending
    double R_PJ[9];      // orientation of the joint frame in the parent link's frame
    double p_PJ[3];      // its origin there [m]
    double axis[3];      // hinge, slide: unit axis in the joint frame
    double reference;    // hinge, slide: q at which the link is at its joint frame [rad or m]
    bool massless;       // no inertia of its own
    double mass;         // of all bodies fixed to the link [kg]
    double com[3];       // in the link frame [m]
    double inertia[6];   // about the com, link axes: xx yy zz xy xz yz [kg m^2]
    double gravity_mass; // of the bodies with gravity [kg]
    double gravity_moment[3]; // first moment of these bodies in the link frame [kg m]
} trxi_link;

typedef struct trxi_body {
    const char *name;
    trx_source source;
    int parent; // body
    int link;   // -1: the body does not move by joints
    int prescribed;  // index of its prescribed motion, -1: none
    double R_LB[9], p_LB[3]; // body frame in the link (in the prescribed body, or in the world)
    double mass; // [kg]
    bool gravity;
    int first_geom, ngeom;
} trxi_body;

typedef struct trxi_joint {
    const char *name;
    trx_source source;
    trx_joint_type type;
    int body;
    int first_link;
    int q, nq, v, nv;
    double lower, upper, damping, stiffness, rest, armature, friction, reference, velocity_limit;
} trxi_joint;

typedef struct trxi_geom {
    const char *name;
    trx_source source;
    int body, link, tree; // link, tree: -1 when the geometry does not move by joints
    int prescribed;            // prescribed motion of the body, -1: none
    trx_shape shape;
    double R_LG[9], p_LG[3]; // in the link (in the prescribed body, in the world)
    trx_pose pose;           // in the body frame
    double radius;           // bounding sphere about p_LG, INFINITY for a halfspace [m]
    bool collide;
    unsigned collision_type, collision_mask;
    int material;
    int mesh;                // index into meshes, -1: none
    int part_of;             // geometry of which this is a convex part, -1: none
    double color[4];
    bool has_color;
    bool conveys;               // has a surface velocity
    double surface_velocity[3]; // in body axes [m/s]
    double surface_L[3];        // in the axes of the link (of the prescribed body, of the world) [m/s]
} trxi_geom;

// a mesh of the definitions and its hull; both point into mesh_numbers and mesh_indices
typedef struct trxi_model_mesh {
    trx_mesh mesh;
    bool has_hull; // some geometry of it collides
    double fill;   // volume divided by the volume of the hull; NAN without a hull, or if the mesh is open [1]
    trxi_hull hull;
} trxi_model_mesh;

typedef struct trxi_frame {
    const char *name;
    int body, link, prescribed;
    trx_pose pose;           // in the body frame
    double R_LF[9], p_LF[3]; // in the link (in the prescribed body, in the world)
} trxi_frame;

// a body with prescribed motion (trx_motion_def); its frame is the body frame
typedef struct trxi_prescribed_body {
    int body;
    int parent;              // prescribed body that carries it, -1: the world; lower than its own index
    double R_PM[9], p_PM[3]; // pose in the parent without displacement
    trx_motion_type type;
    double axis[3], at[3], velocity, amplitude, frequency, phase;
    int table, ntime;        // ntime rows of 8 numbers from model->tables + table: t, position, quaternion
} trxi_prescribed_body;

// a load (trx_load_def); `at` in the frame of its body, p_L the same point in the link
typedef struct trxi_load {
    trx_source source;
    int link;
    double force[3], torque[3], at[3], p_L[3];
    trx_load_wave wave;
    double frequency, phase, axis[3], duration, start, stop;
    int table, ntime; // ntime rows of 7 numbers from model->tables + table: t, force, torque
} trxi_load;

// a drag (trx_drag_def) with the constants of its forces; pose in its link
typedef struct trxi_drag {
    int link;
    double R_L[9], p_L[3];
    double viscous[2], form[2][3]; // of forces, of moments: see drags.c [N s/m, N s^2/m^2; N m s, N m s^2]
    double wind[3];
} trxi_drag;

/// Data that pairs of one kind share: the law, and the distance of the contact point from witness a as a share of the gap
/// (theory 1).
typedef struct trxi_pair_kind {
    trx_pair_law law;
    double weight_b; // contact point = witness a + weight_b phi n
} trxi_pair_kind;

/// One pair, as trxi_model_pair puts it together.
typedef struct trxi_pair {
    int geom_a, geom_b; // shape type of a <= shape type of b
    int link_a, link_b; // -1: world
    bool actuated;
    double weight_b;
    const trx_pair_law *law; // in the model
} trxi_pair;

typedef struct trxi_tree {
    int first_link, nlink;
    int reference; // link whose origin is the reference point; the links before it are a chain without inertia
    int v, nv;     // its dofs are v .. v + nv
    int block;     // start of its matrix in an array of blocks: nv x nv, leading dimension nv
    bool actuated;
} trxi_tree;

// a point of a span, fixed to a body
typedef struct trxi_span_end {
    int body, link;  // -1: the world
    double at[3];    // in the frame of the body
    double p_L[3];   // in the link (in the world)
} trxi_span_end;

// a piece of the path of a tendon between two points, straight or around an obstacle
typedef struct trxi_length_span {
    trxi_span_end end[2];
    double scale;                 // its share of the length: 1, or 1/divisor after a pulley
    trx_tendon_point_type around; // SITE: no obstacle
    int body, link;               // of the obstacle, -1: the world
    trx_pose pose;                // in the frame of the body
    double R_L[9], p_L[3], radius;
    bool sided;
    trxi_span_end side;
} trxi_length_span;

// A length l(q): sum_i factor_i q_i + the lengths of spans. Lengths of tendons come first, as in the definitions; then each joint
// that an actuator or a coupler needs has one of its own.
typedef struct trxi_length {
    const char *name;
    trx_source source;
    int first, ncol;       // in length_dofs, length_factors: the dofs on which it depends
    int first_span, nspan; // 0 spans: the gradient is constant
    int shared;            // with spans: dofs from the root that carry all points, so that the length does not depend on them
} trxi_length;

// the spring and damper of a tendon
typedef struct trxi_tendon_spring {
    int length;
    double stiffness, damping, rest_lower, rest_upper;
} trxi_tendon_spring;

// f = clamp(gain u + bias - kp L - kd dL/dt), L = gear l, force of dof i: f dL/dq_i (trx_actuator_def); a muscle has its force in
// place of gain u
typedef struct trxi_actuator {
    const char *name;
    trx_source source;
    int joint, v;       // the first joint on which it acts, and its dof
    int length;
    bool servo;         // built with gain = kp: the control is a length, and a change of kp also changes gain
    bool motor;         // not a muscle, built with neither kp nor kd (actuators.c); its effort limits the control
    bool drive;         // a row of the convex step (actuators.c)
    double gear, gain, bias, kp, kd, effort_lower, effort_upper;
    double given_lower, given_upper; // limits of the control in the definition
    double lower, upper;             // of a motor also within its effort, so they follow gain and bias
    int a;              // its activation in a, -1: none
    trx_activation_def activation;
    trx_muscle_def muscle; // without an optimal length: none
} trxi_actuator;

/// The controls with which a motor stays within its effort. The range is infinite for all other actuators, whose force the step
/// limits.
void trxi_effort_range(const trxi_actuator *actuator, double range[2]);

/// Sets lower and upper from the given limits and the effort. Returns false when no control is within both.
bool trxi_actuator_limit(trxi_actuator *actuator);

/// Bits of the branch of an activation: at which end of its range; for a muscle also what decides its time constant.
enum {
    TRXI_ACTIVATION_LOWER = 1,
    TRXI_ACTIVATION_UPPER = 2,
    TRXI_ACTIVATION_RISES = 4,
    TRXI_ACTIVATION_BLENDS = 8,
    TRXI_ACTIVATION_OUTSIDE = 16, // a is outside [0, 1]
    TRXI_ACTIVATION_CLAMPED = 32, // u is outside [0, 1]
    TRXI_ACTIVATION_BRANCHES = 64
};

/// An activation at the end of a step: its value, and its slopes by the activation at the start and by the control.
typedef struct trxi_activated {
    double value, by_a, by_u;
    double room; // distance to the nearest kink: an end of the range; for a muscle also 0 and 1 of a and u, and ends of the blend
    unsigned branch;
} trxi_activated;

/// The activation after a step of `dt` from a under the constant control u (activation.c).
trxi_activated trxi_activation_advance(const trx_activation_def *def, double dt, double a, double u);

typedef struct trxi_constraint {
    const char *name;
    trx_source source;
    trx_constraint_type type;
    int body_a, body_b, joint_a, joint_b; // -1: world, no joint
    int link_a, link_b;                   // -1: world
    trx_pose pose_a, pose_b;              // in the body frames
    double R_LA[9], p_LA[3], R_LB[9], p_LB[3]; // pose_a, pose_b in the links (in the world when the link is -1)
    double polynomial[5], length, stiffness, relaxation_time;
    int length_a, length_b; // coupler: of both sides, b -1: none; tendon: a
    double lower, upper;    // tendon
    int nrow;
} trxi_constraint;

/// Whether a constraint ties lengths, not bodies.
static inline bool trxi_constraint_of_lengths(const trxi_constraint *constraint)
{
    return constraint->type == TRX_CONSTRAINT_COUPLER || constraint->type == TRX_CONSTRAINT_TENDON;
}

struct trx_model {
    trx_allocator allocator;
    int nq, nv, na, nu;    // configuration, velocity, activations of actuators, controls
    int nstate, ntangent;  // of x = [q; v; a]: nq + nv + na, and of dx = [dq; dv; da]: 2 nv + na
    int nlink, nbody, njoint, ngeom, nframe, npair, ntree, nlimit, nmaterial, npath;
    int npair_kind;
    int nconstraint, nmesh, nmesh_number, nmesh_index;
    int ntendon, nlength, nlength_dof, nspan, nspring; // the first ntendon lengths belong to tendons
    int nblock;            // numbers in a matrix of blocks by tree: the sum of nv^2 over the trees
    int nprescribed, nload, ndrag, ntable;
    bool conveys;          // some geometry has a surface velocity
    int ndrive, nfriction; // actuators that are drives, dofs with dry friction
    double gravity[3];
    double mass;
    trxi_link *links; // depth first: parents before children, each tree contiguous
    trxi_body *bodies;
    trxi_joint *joints;
    trxi_geom *geoms;
    trxi_frame *frames;
    trxi_pair_table pairs;      // npair pairs
    trxi_pair_kind *pair_kinds; // npair_kind: the data that pairs of one kind share
    trxi_tree *trees;
    trxi_actuator *actuators;
    trx_material_def *materials;
    trxi_constraint *constraints;
    trxi_prescribed_body *prescribed; // parents before children
    trxi_load *loads;
    trxi_drag *drags;
    double *tables;     // ntable: rows of motions and loads
    trxi_model_mesh *meshes;
    double *mesh_numbers; // nmesh_number: vertices of meshes, vertices and faces of hulls
    int *mesh_indices;    // nmesh_index: triangles, and the lists of hulls
    trxi_length *lengths;
    int *length_dofs;       // nlength_dof: dofs of each length, ascending
    double *length_factors; // nlength_dof: the constant part of its gradient
    trxi_length_span *spans;
    trxi_tendon_spring *springs;
    trx_body_inertia *inertias; // nbody: as given, or summed over the geometry
    int *path;       // npath: dof paths of the links, see trxi_link
    int *dof_link;   // nv: link of each dof
    int *dof_tree;   // nv: tree of each dof
    ptrdiff_t *column; // nv: entry (i, j) of a matrix of blocks is at column[j] + i, for i and j of one tree
    int *limits;     // nlimit: joints (1-dof) with a finite limit
    double *damping, *stiffness, *armature, *friction; // nv: joint damping, spring, rotor inertia, dry friction per dof
    double *rest;    // nv: spring rest position of 1-dof joints, 0 for the others
    bool has_springs; // any stiffness != 0
    const char **q_names, **v_names, **a_names;
    int max_points; // sum over pairs: no step has more contact points; INT_MAX when the sum is larger
};

/// Pair number 0 <= pair < npair.
trxi_pair trxi_model_pair(const trx_model *model, int pair);

/// Whether two geometries are a pair.
static inline bool trxi_model_meet(const trx_model *model, int geom_a, int geom_b)
{
    return trxi_pair_table_find(&model->pairs, geom_a, geom_b) != NULL;
}

/// Whether a geometry is in some pair.
bool trxi_model_meets(const trx_model *model, int geom);

/// Pose in the world of a body with prescribed motion, at t.
void trxi_prescribed_pose(const trx_model *model, int prescribed, double t, double R[9], double p[3]);

/// Velocity of a body with prescribed motion at t: angular velocity and velocity of its origin, world axes. At the time of a
/// row of a table it is the velocity of the segment after the row.
void trxi_prescribed_velocity(const trx_model *model, int prescribed, double t, double velocity[6]);

/// The two rows of a table (`stride` numbers, the first is the time) around t, and the weight of the second row.
/// Before the first row, `low` and `high` are both the first row; after the last row, the last.
double trxi_table_locate(const double *rows, int stride, int count, double t, const double **low, const double **high);

/// Numbers of q of a hinge, slide, ball, planar and free joint: 1, 1, 4, 3, 7; of v: 1, 1, 3, 3, 6.
int trxi_joint_nq(trx_joint_type type);
int trxi_joint_nv(trx_joint_type type);

/// Name of an activation: ACTUATOR.a.
const char *trxi_model_activation_name(const trx_model *model, int index);

/// Name of coordinate i of the tangent of x (ntangent): q names, NAME.rx .. for rotations of balls, then v and a names.
void trxi_model_tangent_name(const trx_model *model, int i, char *text, size_t size);

/// M <- M E (rows x ntangent, leading dimension ldm): takes derivatives by x in its own tangent coordinates to derivatives by the
/// tangent coordinates z of x = x_ref (+) z (configuration.c).
void trxi_model_chart_columns(const trx_model *model, const double *z, int rows, double *M, int ldm);

/// Spring displacement q (-) q_rest per dof (nv): q - rest for 1-dof joints, Log(quat) for balls (relaxed at the
/// identity), q for all other joints (relaxed at zero).
void trxi_model_spring(const trx_model *model, const double *q, double *displacement);

/// The part sum_i factor_i q_i of a length.
double trxi_length_of_joints(const trx_model *model, const trxi_length *length, const double *q);

/// The tree of a link; -1: of the world.
static inline int trxi_link_tree(const trx_model *model, int link)
{
    return link < 0 ? -1 : model->links[link].tree;
}

/// Whether the gradient of a length depends on q.
static inline bool trxi_length_bends(const trx_model *model, int length)
{
    return model->lengths[length].nspan > 0;
}

/// Whether a dof is a displacement along an axis [m]; else it is an angle [rad].
static inline bool trxi_dof_slides(const trx_model *model, int dof)
{
    const trxi_link *link = &model->links[model->dof_link[dof]];
    return link->type == TRXI_SLIDE || link->type == TRXI_TRANSLATION;
}

/// Unit of the control of an actuator: "N m", "m/s", ...; "" for the control of a muscle.
const char *trxi_control_unit(const trx_model *model, int actuator);

#endif
