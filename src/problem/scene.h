// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The model side of a problem file: definitions as trx_model_create takes them, in the pool, with their places
// and names. Sections that speak about the model (contact, start, cost ...) are read against this, so that all
// their errors are found whether or not the model can be built.

#ifndef TRXI_PROBLEM_SCENE_H
#define TRXI_PROBLEM_SCENE_H

#include "import/draft.h" // trxi_joint_nq, trxi_joint_nv
#include "problem/names.h"

typedef struct trxi_scene {
    trx_model_def def; // its arrays are the ones below
    trx_material_def *materials;
    trx_body_def *bodies;
    trx_actuator_def *actuators;
    trxi_names names;
    bool default_material_used; // some geometry names no material
} trxi_scene;

/// Reads the section `model:` into `scene`.
void trxi_read_model(trxi_reader *reader, const trxi_yaml_node *node, trxi_scene *scene);

/// Reads the list `bodies:`; materials must have been read. Adds all names, but does not finish them.
void trxi_read_bodies(trxi_reader *reader, const trxi_yaml_node *list, trxi_scene *scene);

/// Replaces the names of parents by indices; names must be finished.
void trxi_resolve_parents(trxi_reader *reader, const trxi_yaml_node *list, trxi_scene *scene);

/// Reads one geometry.
void trxi_read_geometry(trxi_reader *reader, const trxi_yaml_node *node, trxi_scene *scene, trx_geometry_def *geometry);

/// Numbers of the whole scene in q, v, and in the group of 1-dof joints of a body and its descendants.
int trxi_scene_nq(const trxi_scene *scene);
int trxi_scene_nv(const trxi_scene *scene);
int trxi_scene_group(const trxi_scene *scene, int body);

/// The 1-dof joints of body `root` of a built model and of its descendants, in the order of q, which is the file's
/// only along a tree: fills `joints` (as many as trxi_scene_group says).
void trxi_group_joints(const trx_model *model, int root, int *joints);

/// Whether `body` is `ancestor` or descends from it.
bool trxi_scene_descends(const trxi_scene *scene, int body, int ancestor);

#endif
