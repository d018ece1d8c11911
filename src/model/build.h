// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A model under construction. compile in builder.c runs the stages below in their order. Each stage reads the
// definitions and the results of the stages before. All arrays of `model` live in the pool until trx_model_create
// copies the finished model into one block.

#ifndef TRXI_MODEL_BUILD_H
#define TRXI_MODEL_BUILD_H

#include "base/arena.h"
#include "model/model.h"

typedef struct trxi_build {
    trx_context *context;
    const trx_model_def *def; // of the caller, or `expanded`
    trx_model_def expanded;   // with the convex parts of meshes as geometries
    const int **part_of; // nbody: for each geometry of a body the index of the geometry whose convex part it is, -1: none.
                         // NULL for a body without parts, and NULL instead of the array when no body has parts
    trxi_pool *pool;
    int *order;       // bodies depth first, parents before children
    int *first_joint; // nbody: index of each body's first joint
    trx_model model;
} trxi_build;

/// Checks all definitions and records every finding. Errors: INPUT, MEMORY.
trx_status trxi_validate(trxi_build *build);

/// Validates names: well formed, and no duplicates within a namespace (names.c). Errors: INPUT when a name is missing,
/// because the other checks need names for their messages; MEMORY.
trx_status trxi_validate_names(trxi_build *build);

/// Validates mass: tensors, geometry masses and densities.
void trxi_validate_inertia(trxi_build *build);

/// Validates contact: pair selectors, laws, overrides.
void trxi_validate_contact(trxi_build *build);

/// Adds the convex parts of meshes to the definitions. Errors: INPUT (a mesh without parts), MEMORY.
trx_status trxi_build_parts(trxi_build *build);

/// Orders the bodies and turns joints into links, trees and dofs. Errors: MEMORY.
trx_status trxi_build_links(trxi_build *build);

/// Fills the inertia of bodies and links. Errors: MEMORY.
trx_status trxi_build_inertia(trxi_build *build);

/// Meshes of the definitions, once each, with hulls of the meshes that collide, and the poses of geometries with a
/// hull. Errors: INPUT (a mesh without a hull), MEMORY.
trx_status trxi_build_meshes(trxi_build *build);

/// Moves a geometry from its pose to the centre of its hull, if it has one.
void trxi_mesh_centre(trxi_geom *geom);

/// Redirects the pointers of `made`'s meshes and geometries, copied from `draft`, into `made`.
void trxi_mesh_views(const trx_model *draft, trx_model *made);

/// Lengths of the tendons, and room for lengths of joints, after the links. Errors: MEMORY.
trx_status trxi_build_lengths(trxi_build *build);

/// Actuators, after the lengths. Errors: MEMORY.
trx_status trxi_build_actuators(trxi_build *build);

/// Tables of prescribed motions, and loads, after the links. Errors: MEMORY.
trx_status trxi_build_motion(trxi_build *build);
trx_status trxi_build_loads(trxi_build *build);

/// Drags of the bodies that joints move, after the links. Errors: MEMORY.
trx_status trxi_build_drags(trxi_build *build);

/// Validates a body's drag.
void trxi_validate_drag(trxi_build *build, const trx_body_def *body);

/// `count` more numbers of model->tables, zeroed: the index of the first, or -1 when memory is out.
int trxi_build_table(trxi_build *build, int count);

/// The prescribed motion of a definition, in the frame R, p of the prescribed body `parent` (-1: of the world).
trxi_prescribed_body trxi_make_prescribed(const trx_motion_def *motion, int body, int parent, const double R[9], const double p[3]);

/// Whether a body has a prescribed motion, or is fixed to a body that has one.
bool trxi_body_is_moved(const trx_model_def *def, int body);

/// Whether joints move a body: its own joints, or joints of an ancestor.
bool trxi_body_has_joints(const trx_model_def *def, int body);

/// Whether a pose is finite and its quaternion has a direction.
bool trxi_pose_usable(const trx_pose *pose);

/// The joint with one dof that `what` ("this actuator", "tendon 'a'") names; NULL (reported at `source`) when there is none.
const trx_joint_def *trxi_single_joint(const trxi_build *build, trx_source source, const char *what, int body, int joint);

/// The index `tendon` of a tendon, if there is one; reports it as missing in `what` otherwise.
bool trxi_tendon_exists(const trxi_build *build, trx_source source, const char *what, int tendon);

/// Computes the points of a span in their links from their places in the frames of the bodies.
void trxi_span_place(const trx_model *model, trxi_length_span *span);

/// The length of a joint with one dof, made when it is first asked for.
int trxi_length_of_joint(trxi_build *build, int joint);

/// Validates a body's prescribed motion; validates loads.
void trxi_validate_motion(trxi_build *build, int body);
void trxi_validate_loads(trxi_build *build);

/// Whether `count` times exist, are finite and ascend. Reports the first bad time, calling the table's owner `what`.
bool trxi_validate_table(trxi_build *build, trx_source source, const char *what, const double *times, int count);

/// Constraints, after the lengths. Errors: MEMORY.
trx_status trxi_build_constraints(trxi_build *build);

/// Validates tendons; actuators; constraints.
void trxi_validate_lengths(trxi_build *build);
void trxi_validate_actuators(trxi_build *build);
void trxi_validate_constraints(trxi_build *build);

/// Whether the curves of a muscle and its gain have a meaning; else reports why not. An actuator that is no muscle passes.
bool trxi_check_muscle(const trxi_build *build, const char *name, const trx_actuator_def *actuator);

/// Whether the activation of an actuator with this name has a meaning; else reports why not.
bool trxi_check_activation(const trxi_build *build, const char *name, trx_source source, const trx_activation_def *activation);

/// The pose of a geometry or frame, `pose` in the body frame, in the body's link (in the world when the link is -1).
void trxi_fixture_pose(const trxi_body *body, const trx_pose *pose, double R[9], double p[3]);

/// Names of geometries without one, and of all coordinates. Errors: MEMORY.
trx_status trxi_build_names(trxi_build *build);

/// Finds the pairs of geometries that may touch and their laws. Errors: INPUT, MEMORY.
trx_status trxi_build_pairs(trxi_build *build);

/// Whether a joint of this type has one dof.
bool trxi_joint_is_single(trx_joint_type type);

#endif
