// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The definitions of a problem file for trx_model_create, in the pool, with their places and names. Sections that
// refer to the model (contact, start, cost ...) are checked against the scene, so all their errors are found
// whether or not the model can be built.

#ifndef TRXI_PROBLEM_SCENE_H
#define TRXI_PROBLEM_SCENE_H

#include "model/model.h"
#include "problem/names.h"

#include <tractrix/import.h>

/// An included robot: its definitions, and its range of the scene's bodies.
typedef struct trxi_include {
    const char *name;
    trx_source source;  // of the entry
    trx_import *import; // owned by the scene; NULL when it could not be read
    const trxi_yaml_node *parent; // the carrier, NULL: the world
    int carrier; // index of the carrier once names are known, -1: the world
    bool has_actuators; // whether the actuators of its file are used
    const trxi_yaml_node *motions; // prescribed motions of its bodies, NULL: none
    bool gravity; // whether the gravity of its file acts
    bool compensated; // whether its controller carries its weight
    double joint_damping, joint_friction; // of hinges and slides for which its file gives none
    int first_body, nbody;
    int first_tendon;
} trxi_include;

/// Scene index of a robot's body; the robot's world is its carrier.
static inline int trxi_include_body(const trxi_include *include, int body)
{
    return body >= 0 ? body + include->first_body : include->carrier;
}

/// A mesh of the problem file, shared by geometries with the same file and scale.
typedef struct trxi_scene_mesh {
    const char *path;
    double scale[3];
    const trx_mesh *mesh; // NULL when it could not be read
} trxi_scene_mesh;

typedef struct trxi_scene {
    trx_model_def def; // its arrays are the ones below
    trx_material_def *materials; // of the file, then of includes
    trx_body_def *bodies;        // of includes, then of the file; likewise actuators and constraints
    trx_tendon_def *tendons;     // of includes, then of the file's actuators and constraints
    trx_actuator_def *actuators;
    trx_constraint_def *constraints;
    trxi_include *includes;
    int ninclude;
    int own_body; // index of the file's first body
    bool gravity_given; // by the problem file
    trxi_names names;
    bool default_material_used; // some geometry of the file has no material
    trxi_scene_mesh *meshes;
    int nmesh, mesh_capacity;
    trx_note *notes; // from includes, and about them
    int nnote, note_capacity;
} trxi_scene;

/// One side of a pair or group: a body, one of its geometries, or all bodies of an include.
typedef struct trxi_side {
    int include;  // index, or -1
    int body;     // index, or -1
    int geometry; // index within the body, or -1
} trxi_side;

/// The side called `name`, which must be one of `things`; false when there is none (reported at `source`, or silent
/// as in trxi_names_resolve).
bool trxi_find_side(trxi_reader *reader, const trxi_scene *scene, trx_source source, const char *name, int things,
                    trxi_side *side);

/// Adds a note, unless an equal note exists or its text is NULL.
void trxi_scene_note(trxi_reader *reader, trxi_scene *scene, trx_note note);

/// Index of the material called `node` among the file's materials. NULL: the default material, which is marked as
/// used.
int trxi_find_material(trxi_reader *reader, const trxi_yaml_node *node, trxi_scene *scene);

/// Sizes of q and v of the whole scene.
int trxi_scene_nq(const trxi_scene *scene);
int trxi_scene_nv(const trxi_scene *scene);

/// Whether `body` is `ancestor` or descends from it.
bool trxi_scene_descends(const trxi_scene *scene, int body, int ancestor);

/// Whether `body` belongs to the group of a side: it is the side's body or descends from it, or is of the include.
bool trxi_scene_in_group(const trxi_scene *scene, trxi_side side, int body);

/// Number of 1-dof joints in the group of a side.
int trxi_scene_group(const trxi_scene *scene, trxi_side side);

/// The 1-dof joints of a group in the built model, in the order of q (which is the file's order only along a tree).
/// Fills `joints`, as many as trxi_scene_group says.
void trxi_group_joints(const trxi_scene *scene, const trx_model *model, trxi_side side, int *joints);

#endif
