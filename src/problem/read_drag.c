// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Drag of a body in a fluid, as a box.

#include "problem/read_model.h"

#include <stddef.h>

void trxi_read_drag(trxi_reader *reader, const trxi_yaml_node *node, trx_drag_def *drag)
{
    static const trxi_field fields[] = {
        TRXI_FIELD("size", TRXI_VECTOR, trx_drag_def, size, .count = 3, .of = TRXI_OF_LENGTH, .required = true),
        TRXI_FIELD("pose", TRXI_POSE, trx_drag_def, pose),
        TRXI_FIELD("density", TRXI_NOT_NEGATIVE, trx_drag_def, density, .of = TRXI_OF_DENSITY),
        TRXI_FIELD("viscosity", TRXI_NOT_NEGATIVE, trx_drag_def, viscosity),
        TRXI_FIELD("wind", TRXI_VECTOR, trx_drag_def, wind, .count = 3, .of = TRXI_OF_SPEED),
    };
    trx_drag_def made = *drag;
    made.source = node->source;
    if (!TRXI_READ_RECORD(reader, node, "drag", fields, &made)) return;
    if (!trxi_yaml_get(node, "density") && !trxi_yaml_get(node, "viscosity"))
        trxi_error_at(reader->context, node->source, "drag needs a fluid: write density or viscosity, or both");
    *drag = made;
}
