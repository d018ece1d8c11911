// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Shapes without volume, which other simulators accept, for example as marks of a frame or flat plates. A box with one side of
// 0 becomes a plate as thick as a thousandth of its longest side, as flat meshes do (mesh_file.c). Other boxes, cylinders and
// spheres with a side, length or radius of 0 are left out.

#include "import/draft_state.h"

#include <math.h>

static int zero_sides(const trx_shape *shape)
{
    int count = 0;
    for (int i = 0; i < 3; i++) count += shape->size[i] == 0;
    return count;
}

static void make_plate(trx_shape *shape)
{
    const double longest = fmax(fmax(shape->size[0], shape->size[1]), shape->size[2]);
    for (int i = 0; i < 3; i++)
        if (shape->size[i] == 0) shape->size[i] = TRXI_PLATE_THICKNESS * longest;
}

static bool is_empty(const trx_shape *shape)
{
    if (shape->type == TRX_SHAPE_BOX) return zero_sides(shape) > 0;
    if (shape->type == TRX_SHAPE_CYLINDER) return shape->radius == 0 || shape->length == 0;
    return shape->type == TRX_SHAPE_SPHERE && shape->radius == 0;
}

bool trxi_draft_keep_shape(trxi_draft *draft, trx_source source, bool collide, trx_shape *shape)
{
    if (!is_empty(shape)) return true;
    if (shape->type == TRX_SHAPE_BOX && zero_sides(shape) == 1) {
        make_plate(shape);
        trxi_draft_tally(draft, TRX_NOTE_REPLACED, source, "", "box is flat", "boxes are flat",
                         ": a plate as thick as a thousandth of the longest side");
        return true;
    }
    trxi_draft_tally(draft, collide ? TRX_NOTE_MISSING : TRX_NOTE_DROPPED, source, "", "shape", "shapes",
                     " with a side, length or radius of 0: left out");
    return false;
}
