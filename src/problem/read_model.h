// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section `model:`, part by part: bodies, geometry, robots from files, actuators, constraints, motions and loads, into a scene.

#ifndef TRXI_PROBLEM_READ_MODEL_H
#define TRXI_PROBLEM_READ_MODEL_H

#include "problem/scene.h"

/// Reads the section `model:` into `scene`.
void trxi_read_model(trxi_reader *reader, const trxi_yaml_node *node, trxi_scene *scene);

/// Reads the list `include:` and loads the robots, whose bodies become the first bodies of the scene. Materials of
/// the file must already be read. Leaves room for `own` more bodies. Adds all names.
void trxi_read_includes(trxi_reader *reader, const trxi_yaml_node *list, int own, trxi_scene *scene);

/// Reads the prescribed motions of robots' bodies; names must be finished.
void trxi_read_include_motions(trxi_reader *reader, trxi_scene *scene);

/// Replaces the names of robots' carriers by indices; names must be finished.
void trxi_resolve_include_parents(trxi_reader *reader, trxi_scene *scene);

/// Appends the materials and puts the pair rules of the includes first; call it after trxi_read_contact.
void trxi_merge_includes(trxi_reader *reader, trxi_scene *scene);

/// Releases the robots.
void trxi_scene_close(trxi_scene *scene);

/// Reads the list `bodies:`; materials must have been read. Adds all names, but does not finish them.
void trxi_read_bodies(trxi_reader *reader, const trxi_yaml_node *list, trxi_scene *scene);

/// Replaces the names of parents by indices; names must be finished.
void trxi_resolve_parents(trxi_reader *reader, const trxi_yaml_node *list, trxi_scene *scene);

/// Reads one geometry.
void trxi_read_geometry(trxi_reader *reader, const trxi_yaml_node *node, trxi_scene *scene, trx_geometry_def *geometry);

/// Reads `decompose`: true, false, or settings, into `*decomposition`; a wrong value leaves it unchanged.
void trxi_read_decomposition(trxi_reader *reader, const trxi_yaml_node *node, trx_decomposition *decomposition);

/// Reads the heights of a height field, from `node` or from `file` (NULL: none), times `scale`, into a shape that has its size.
void trxi_read_height_field(trxi_reader *reader, const trxi_yaml_node *node, const char *file, double scale, trx_shape *shape);

/// The mesh in `path` as given in the file, scaled; NULL when it cannot be read (reported at `source`).
const trx_mesh *trxi_scene_mesh_read(trxi_reader *reader, trxi_scene *scene, trx_source source, const char *path,
                                     const double scale[3]);

/// Reads the lists `actuators:` and `constraints:` and appends them to the lists of includes; names must be
/// finished. NULL: only the lists of includes.
void trxi_read_actuators(trxi_reader *reader, const trxi_yaml_node *list, trxi_scene *scene);
void trxi_read_constraints(trxi_reader *reader, const trxi_yaml_node *list, trxi_scene *scene);

/// Reads a body's drag.
void trxi_read_drag(trxi_reader *reader, const trxi_yaml_node *node, trx_drag_def *drag);

/// Reads a body's motion; reads the list `loads:`, after names are finished.
void trxi_read_motion(trxi_reader *reader, const trxi_yaml_node *node, trx_body_def *body);
void trxi_read_loads(trxi_reader *reader, const trxi_yaml_node *list, trxi_scene *scene);

/// Takes the tendons of includes, with room for `own` more; before actuators and constraints.
void trxi_read_tendons(trxi_reader *reader, int own, trxi_scene *scene);

/// Appends the tendon {JOINT: FACTOR, ...} of hinges and slides; -1 when memory is out. Errors are reported.
int trxi_read_tendon(trxi_reader *reader, const trxi_yaml_node *map, const char *name, trxi_scene *scene);

/// A number other than 0, because 0 would have no effect.
void trxi_read_factor(trxi_reader *reader, const trxi_yaml_node *node, const char *key, double *factor);

/// The hinge or slide that `node`, the value of `key`, names; false when there is none (reported).
bool trxi_read_joint_name(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, const char *key,
                          int *body, int *joint);

#endif
