// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Elements that URDF and SDF files share: both describe shapes by the same names, and Drake extends both with the same prefix. A
// plane is given by its normal; a half space of the model lies below z = 0 of its pose.

#include "import/element.h"

#include "geometry/shape.h"
#include "import/pose.h"

#include <string.h>

static bool is_called(const trxi_xml_node *node, const char *name)
{
    static const char prefix[] = "drake:";
    const size_t length = sizeof prefix - 1;
    const char *own = strncmp(node->name, prefix, length) == 0 ? node->name + length : node->name;
    return strcmp(own, name) == 0;
}

trxi_xml_node *trxi_element_next(trxi_xml_node *node, const char *name, int *index)
{
    while (*index < node->count) {
        trxi_xml_node *item = node->items[(*index)++];
        if (!is_called(item, name)) continue;
        item->used = true;
        return item;
    }
    return NULL;
}

trxi_xml_node *trxi_element_child(trxi_xml_node *node, const char *name)
{
    int index = 0;
    return node ? trxi_element_next(node, name, &index) : NULL;
}

trxi_xml_node *trxi_element_shape(trxi_xml_node *geometry, trx_shape_type *type)
{
    static const struct {
        const char *name;
        trx_shape_type type;
    } known[] = {{"box", TRX_SHAPE_BOX},         {"sphere", TRX_SHAPE_SPHERE},       {"cylinder", TRX_SHAPE_CYLINDER},
                 {"capsule", TRX_SHAPE_CAPSULE}, {"ellipsoid", TRX_SHAPE_ELLIPSOID}, {"mesh", TRX_SHAPE_MESH},
                 {"plane", TRX_SHAPE_HALFSPACE}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        trxi_xml_node *node = trxi_element_child(geometry, known[k].name);
        *type = known[k].type;
        if (node) return node;
    }
    return NULL;
}

bool trxi_element_turn_plane(trx_context *context, const trxi_xml_node *node, const double normal[3], trx_pose *pose)
{
    double unit[3], R[9];
    if (trxi_normalize3(normal, unit) == 0) {
        trxi_error_at(context, node->source, "the normal of <plane> is 0 0 0: write a direction");
        return false;
    }
    trx_pose turn = trx_pose_identity();
    trxi_frame33(unit, R);
    trxi_quat_from_matrix(R, turn.quat);
    *pose = trxi_pose_mul(pose, &turn);
    return true;
}

bool trxi_element_check_shape(trxi_draft *draft, const trxi_xml_node *node, bool collide, trx_shape *shape)
{
    if (!trxi_draft_keep_shape(draft, node->source, collide, shape)) return false;
    const char *defect = trxi_shape_defect(shape);
    if (defect) trxi_error_at(draft->context, node->source, "<%.60s>: %s", node->name, defect);
    return !defect;
}
