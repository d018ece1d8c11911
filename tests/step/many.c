// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Boxes in a row over a floor; see many.h.

#include "step/many.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

trx_model *many_boxes(trx_context *context, int count)
{
    trx_body_def *bodies = calloc((size_t)count + 1, sizeof *bodies);
    trx_joint_def *joints = calloc((size_t)count, sizeof *joints);
    char (*names)[16] = calloc((size_t)count, sizeof *names);
    ck_assert(bodies && joints && names);
    trx_geometry_def box = trx_geometry_def_default(), floor = trx_geometry_def_default();
    box.shape.type = TRX_SHAPE_BOX, box.mass = 1;
    for (int a = 0; a < 3; a++) box.shape.size[a] = 0.1;
    floor.shape.type = TRX_SHAPE_HALFSPACE;
    for (int b = 0; b < count; b++) {
        snprintf(names[b], sizeof names[b], "b%d", b);
        joints[b] = trx_joint_def_default();
        joints[b].name = names[b], joints[b].type = TRX_JOINT_FREE;
        bodies[b] = trx_body_def_default();
        bodies[b].name = names[b], bodies[b].joints = &joints[b], bodies[b].njoint = 1;
        bodies[b].geometry = &box, bodies[b].ngeometry = 1;
    }
    bodies[count] = trx_body_def_default();
    bodies[count].name = "floor", bodies[count].geometry = &floor, bodies[count].ngeometry = 1;
    const trx_material_def material = trx_material_def_default();
    trx_model_def def = trx_model_def_default();
    def.bodies = bodies, def.nbody = count + 1;
    def.materials = &material, def.nmaterial = 1;
    trx_model *model;
    trx_status status = trx_model_create(context, &def, &model);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(context));
    free(bodies), free(joints), free(names);
    return model;
}

void lift_boxes(const trx_model *model, int count, double height, double *x)
{
    trx_model_neutral(model, x);
    for (int b = 0; b < count; b++) x[7 * b] = 0.3 * b, x[7 * b + 2] = 0.05 + height;
    memset(x + 7 * count, 0, 6 * (size_t)count * sizeof *x);
}
