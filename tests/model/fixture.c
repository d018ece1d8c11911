// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See fixture.h.

#include "fixture.h"

#include "support/support.h"

#include <string.h>

trx_source at_line(int line)
{
    return (trx_source){"scene.yaml", line, 3};
}

static void open_materials(scene *s)
{
    for (int i = 0; i < 2; i++) s->materials[i] = trx_material_def_default();
    s->materials[0] = (trx_material_def){"table", at_line(LINE_TABLE), false, 2e4, 5, 0.01, 0.3, 0, 0, false, false};
    s->materials[1] = (trx_material_def){"tip", at_line(LINE_TIP), false, 6e4, 1, 0.002, 0.5, 0, 0, false, false};
}

static void open_joints(scene *s)
{
    static const char *const names[3] = {"px", "py", "pz"};
    s->box_joint = trx_joint_def_default();
    s->box_joint.name = "box";
    s->box_joint.type = TRX_JOINT_FREE;
    s->box_joint.source = at_line(LINE_BOX_JOINT);
    for (int i = 0; i < 3; i++) {
        s->slides[i] = trx_joint_def_default();
        s->slides[i].name = names[i];
        s->slides[i].type = TRX_JOINT_SLIDE;
        s->slides[i].source = at_line(LINE_PX + i);
        for (int k = 0; k < 3; k++) s->slides[i].axis[k] = i == k;
    }
}

static void open_geometry(scene *s)
{
    s->box_geometry = s->pusher_geometry = s->ground_geometry = trx_geometry_def_default();
    s->box_geometry.shape = (trx_shape){.type = TRX_SHAPE_BOX, .size = {0.1, 0.2, 0.3}};
    s->box_geometry.mass = 0.5;
    s->box_geometry.source = at_line(LINE_BOX_GEOMETRY);
    s->pusher_geometry.shape = (trx_shape){.type = TRX_SHAPE_SPHERE, .radius = 0.02};
    s->pusher_geometry.mass = 0.3;
    s->pusher_geometry.material = 1;
    s->pusher_geometry.source = at_line(LINE_PUSHER_GEOMETRY);
    s->ground_geometry.shape.type = TRX_SHAPE_HALFSPACE;
    s->ground_geometry.source = at_line(LINE_GROUND_GEOMETRY);
    s->corner = (trx_frame_def){"corner", at_line(LINE_BOX_FRAME), trx_pose_identity()};
}

static void open_bodies(scene *s)
{
    trx_body_def *box = &s->bodies[BOX], *pusher = &s->bodies[PUSHER], *ground = &s->bodies[GROUND];
    *box = *pusher = *ground = trx_body_def_default();
    box->name = "box", pusher->name = "pusher", ground->name = "ground";
    box->source = at_line(LINE_BOX), pusher->source = at_line(LINE_PUSHER), ground->source = at_line(LINE_GROUND);
    box->joints = &s->box_joint, box->njoint = 1;
    pusher->joints = s->slides, pusher->njoint = 3;
    box->geometry = &s->box_geometry, pusher->geometry = &s->pusher_geometry, ground->geometry = &s->ground_geometry;
    box->ngeometry = pusher->ngeometry = ground->ngeometry = 1;
    box->frames = &s->corner, box->nframe = 1;
    box->inertia_source = at_line(LINE_BOX_INERTIA);
    pusher->gravity = false;
}

void scene_open(scene *s)
{
    memset(s, 0, sizeof *s);
    ck_assert_int_eq(trx_context_create(NULL, &s->context), TRX_OK);
    open_materials(s);
    open_joints(s);
    open_geometry(s);
    open_bodies(s);
    for (int i = 0; i < 2; i++) {
        s->actuators[i] = trx_actuator_def_default();
        s->actuators[i].body = PUSHER;
        s->actuators[i].joint = i;
        s->actuators[i].source = at_line(LINE_ACTUATOR_X + i);
    }
    s->def = trx_model_def_default();
    s->def.materials = s->materials, s->def.nmaterial = 2;
    s->def.bodies = s->bodies, s->def.nbody = SCENE_BODIES;
    s->def.actuators = s->actuators, s->def.nactuator = 2;
}

void scene_close(scene *s)
{
    trx_model_destroy(s->model);
    trx_context_destroy(s->context);
}

const trx_model *scene_build(scene *s)
{
    trx_status status = trx_model_create(s->context, &s->def, &s->model);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(s->context));
    return s->model;
}

void scene_refuses(scene *s, int line, const char *fragment)
{
    ck_assert_int_eq(trx_model_create(s->context, &s->def, &s->model), TRX_ERR_INPUT);
    ck_assert_ptr_null(s->model);
    trx_diagnostic found = trx_context_diagnostic(s->context, 0);
    ck_assert_msg(strstr(found.text, fragment) != NULL, "\"%s\" does not say \"%s\"", found.text, fragment);
    ck_assert_msg(found.source.line == line, "line %d, expected %d: %s", found.source.line, line, found.text);
    ck_assert_int_eq(trx_context_error_count(s->context), 1);
    scene_close(s);
}

int find_pair(const trx_model *model, const char *a, const char *b)
{
    int first = trx_model_find_geom(model, a), second = trx_model_find_geom(model, b);
    ck_assert(first >= 0 && second >= 0);
    for (int i = 0; i < model->npair; i++) {
        const trxi_pair pair = trxi_model_pair(model, i);
        if ((pair.geom_a == first && pair.geom_b == second) || (pair.geom_a == second && pair.geom_b == first))
            return i;
    }
    return -1;
}
