// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A small scene to be spoilt by the tests: a free box, a pusher on three slides and the ground, every
// definition with a line of its own in "scene.yaml".

#ifndef TESTS_MODEL_FIXTURE_H
#define TESTS_MODEL_FIXTURE_H

#include "model/model.h"

enum {
    LINE_TABLE = 5,
    LINE_TIP = 6,
    LINE_BOX = 10,
    LINE_BOX_JOINT = 11,
    LINE_BOX_INERTIA = 12,
    LINE_BOX_GEOMETRY = 13,
    LINE_BOX_FRAME = 14,
    LINE_PUSHER = 20,
    LINE_PX = 21,
    LINE_PY = 22,
    LINE_PZ = 23,
    LINE_PUSHER_GEOMETRY = 24,
    LINE_GROUND = 30,
    LINE_GROUND_GEOMETRY = 31,
    LINE_ACTUATOR_X = 40,
    LINE_ACTUATOR_Y = 41,
    LINE_PAIR = 50,
    LINE_PAIR_2 = 51
};

enum { BOX, PUSHER, GROUND, SCENE_BODIES };

typedef struct scene {
    trx_context *context;
    trx_model *model;
    trx_material_def materials[2]; // table, tip
    trx_joint_def box_joint, slides[3];
    trx_geometry_def box_geometry, pusher_geometry, ground_geometry;
    trx_frame_def corner;
    trx_body_def bodies[SCENE_BODIES];
    trx_actuator_def actuators[2]; // on px and py
    trx_model_def def;
} scene;

/// A scene without errors, in a context of its own with the default allocator.
void scene_open(scene *s);
void scene_close(scene *s);

/// The place of a line in the scene.
trx_source at_line(int line);

/// Builds the model, which must work.
const trx_model *scene_build(scene *s);

/// Builds the model, which must fail with one error, at `line`, whose text holds `fragment`.
void scene_refuses(scene *s, int line, const char *fragment);

/// The pair of two geometries by name, -1 when they never meet.
int find_pair(const trx_model *model, const char *a, const char *b);

#endif
