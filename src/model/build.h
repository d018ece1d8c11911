// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A model under construction. The stages below run in this order; each reads the definitions and what the
// stages before it made. All arrays of `model` live in the pool until trx_model_create copies the finished
// model into one block.

#ifndef TRXI_MODEL_BUILD_H
#define TRXI_MODEL_BUILD_H

#include "base/arena.h"
#include "model/model.h"

typedef struct trxi_build {
    trx_context *context;
    const trx_model_def *def;
    trxi_pool *pool;
    int *order;       // bodies depth first, parents before children
    int *first_joint; // nbody: index of each body's first joint
    trx_model model;
} trxi_build;

/// Checks all definitions and records every finding. Errors: INPUT, MEMORY.
trx_status trxi_validate(trxi_build *build);

/// The part of trxi_validate about names: well formed, one namespace, no duplicates. Errors: INPUT
/// when a name is missing, without which the other checks cannot speak; MEMORY.
trx_status trxi_validate_names(trxi_build *build);

/// The part of trxi_validate about mass: tensors, geometry masses and densities.
void trxi_validate_inertia(trxi_build *build);

/// The part of trxi_validate about contact: pair selectors, laws, overrides.
void trxi_validate_contact(trxi_build *build);

/// Orders the bodies and turns joints into links, trees and dofs. Errors: MEMORY.
trx_status trxi_build_links(trxi_build *build);

/// Fills the inertia of bodies and links. Errors: MEMORY.
trx_status trxi_build_inertia(trxi_build *build);

/// Meshes of the definitions, once each, with hulls of those that collide; places of geometries that have one. Errors:
/// INPUT (a mesh without a hull), MEMORY.
trx_status trxi_build_meshes(trxi_build *build);

/// Moves a geometry that was placed by its pose on to the centre of the hull it touches with, if it has one.
void trxi_mesh_centre(trxi_geom *geom);

/// Makes the pointers of `made`'s meshes and geometries, copied from `draft`, lead into `made`.
void trxi_mesh_views(const trx_model *draft, trx_model *made);

/// Actuators and what they push, after the links. Errors: MEMORY.
trx_status trxi_build_actuators(trxi_build *build);

/// Tables of motions, and loads, after the links. Errors: MEMORY.
trx_status trxi_build_motion(trxi_build *build);
trx_status trxi_build_loads(trxi_build *build);

/// `count` more numbers of model->tables, zeroed: the index of the first, or -1 when memory is out.
int trxi_build_table(trxi_build *build, int count);

/// The mover that a definition makes, in the frame R, p of the mover `parent` (-1: of the world).
trxi_mover trxi_make_mover(const trx_motion_def *motion, int body, int parent, const double R[9], const double p[3]);

/// Whether a body moves by itself, or is fixed to one that does.
bool trxi_body_is_moved(const trx_model_def *def, int body);

/// Whether joints move a body: its own, or those of a body above it.
bool trxi_body_has_joints(const trx_model_def *def, int body);

/// The parts of trxi_validate about a body's motion, and about loads.
void trxi_validate_motion(trxi_build *build, int body);
void trxi_validate_loads(trxi_build *build);

/// Whether `count` times are there, finite and ascending; reports the first that is not, calling the table's owner `what`.
bool trxi_validate_table(trxi_build *build, trx_source source, const char *what, const double *times, int count);

/// Constraints, after the links. Errors: MEMORY.
trx_status trxi_build_constraints(trxi_build *build);

/// The parts of trxi_validate about actuators and constraints.
void trxi_validate_actuators(trxi_build *build);
void trxi_validate_constraints(trxi_build *build);

/// The pose of a body's fixture in its link (in the world when the body's link is -1).
void trxi_fixture_pose(const trxi_body *body, const trx_pose *pose, double R[9], double p[3]);

/// Names of geometries without one, and of all coordinates. Errors: MEMORY.
trx_status trxi_build_names(trxi_build *build);

/// Finds the pairs of geometries that may meet and their laws. Errors: INPUT, MEMORY.
trx_status trxi_build_pairs(trxi_build *build);

/// Whether a joint of this type has one dof.
bool trxi_joint_is_single(trx_joint_type type);

#endif
