// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Trees of an SDF file. A joint fixes the place of its child link. The joint closes a loop instead if another joint
// already fixes the child, or if the child carries the joint's parent. Ball joints close loops where there is a choice, otherwise
// the first joint of the file wins. Joints of static models do not move.

#include "import/sdf/sdf.h"

#include <string.h>

// whether `link` hangs on `above`
static bool hangs_on(const trxi_sdf *sdf, int link, int above)
{
    while (link > TRXI_SDF_WORLD && link != above) {
        int joint = trxi_sdf_at(sdf, link)->joint;
        link = joint >= 0 ? trxi_sdf_at(sdf, joint)->parent : TRXI_SDF_WORLD;
    }
    return link == above;
}

// ends of a joint as links
static void find_ends(trxi_sdf *sdf, int index)
{
    trxi_sdf_frame *joint = trxi_sdf_at(sdf, index);
    joint->parent = trxi_sdf_link_of(sdf, joint->parent);
    joint->child = trxi_sdf_link_of(sdf, joint->child);
    if (joint->parent < 0 || joint->child <= TRXI_SDF_WORLD || joint->parent == joint->child) {
        trxi_error_at(sdf->context, joint->node->source,
                      "joint \"%.100s\" must connect a parent and another link, its child: name links, or frames of links",
                      joint->name);
        return;
    }
}

// makes the joint the tree's joint above its child, unless the child has one already or carries the joint's parent
static void connect(trxi_sdf *sdf, int index)
{
    trxi_sdf_frame *joint = trxi_sdf_at(sdf, index), *child = trxi_sdf_at(sdf, joint->child);
    if (child->joint < 0 && !child->is_static && !hangs_on(sdf, joint->parent, joint->child)) child->joint = index;
}

// ball joints and gearboxes come last, so that they close loops where there is a choice
static int rank(const trxi_sdf_frame *joint)
{
    const char *type = trxi_xml_get(joint->node, "type");
    return type && strcmp(type, "gearbox") == 0 ? 2 : type && strcmp(type, "ball") == 0 ? 1 : 0;
}

static void note_static(trxi_sdf *sdf, const trxi_sdf_frame *joint)
{
    if (trxi_sdf_at(sdf, joint->child)->is_static)
        trxi_draft_tally(sdf->draft, TRX_NOTE_DROPPED, joint->node->source, "", "joint", "joints",
                         " of static models: they do not move");
}

// lists of the joints below each link, in the order of the file
static void list_children(trxi_sdf *sdf)
{
    for (int i = sdf->frames.count - 1; i > 0; i--) {
        trxi_sdf_frame *joint = trxi_sdf_at(sdf, i);
        if (joint->kind != TRXI_SDF_JOINT || trxi_sdf_at(sdf, joint->child)->joint != i) continue;
        trxi_sdf_frame *parent = trxi_sdf_at(sdf, joint->parent);
        joint->first_joint = parent->first_joint;
        parent->first_joint = i;
    }
}

bool trxi_sdf_tree(trxi_sdf *sdf)
{
    int errors = trx_context_error_count(sdf->context);
    for (int i = 1; i < sdf->frames.count; i++)
        if (trxi_sdf_at(sdf, i)->kind == TRXI_SDF_JOINT) find_ends(sdf, i);
    if (trx_context_error_count(sdf->context) > errors) return false;
    for (int k = 0; k <= 2; k++) {
        for (int i = 1; i < sdf->frames.count; i++) {
            const trxi_sdf_frame *joint = trxi_sdf_at(sdf, i);
            if (joint->kind == TRXI_SDF_JOINT && rank(joint) == k) connect(sdf, i);
        }
    }
    for (int i = 1; i < sdf->frames.count; i++)
        if (trxi_sdf_at(sdf, i)->kind == TRXI_SDF_JOINT) note_static(sdf, trxi_sdf_at(sdf, i));
    list_children(sdf);
    return true;
}
