// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Frames of an SDF file. Models, links, joints and <frame>s have poses. A pose is given in the frame that relative_to
// names, by default: a model's in the model around it, a link's in its model, a joint's in its child link, a <frame>'s
// in the frame to which it is attached. The pose in the world follows along this chain,
//
//     X_WF = X_WR X_RF.

#include "import/pose.h"
#include "import/sdf/sdf.h"

#include <string.h>

trxi_sdf_frame *trxi_sdf_at(const trxi_sdf *sdf, int frame)
{
    return sdf->frames.items[frame];
}

const char *trxi_sdf_shown(const trxi_sdf *sdf, int frame)
{
    const char *name = trxi_sdf_at(sdf, frame)->name;
    return sdf->models == 1 ? name + strlen(trxi_sdf_at(sdf, 1)->name) + 2 : name; // the model is frame 1
}

// ---- references ----

int trxi_sdf_find(trxi_sdf *sdf, const trxi_xml_node *node, int model, const char *name)
{
    if (strcmp(name, "__model__") == 0) return model;
    if (strcmp(name, "world") == 0 || strcmp(name, "__root__") == 0) return TRXI_SDF_WORLD;
    const char *whole = model == TRXI_SDF_WORLD
                            ? name
                            : trxi_draft_printf(sdf->draft, "%s::%s", trxi_sdf_at(sdf, model)->name, name);
    int index = trxi_table_find(&sdf->names, whole);
    if (index >= 0) return index;
    trxi_error_at(sdf->context, node->source, "<%.60s>: there is no frame \"%.100s\"", node->name, name);
    return TRXI_SDF_NONE;
}

// the frame that the attribute `key` names; `otherwise` without one
static int named(trxi_sdf *sdf, trxi_xml_node *node, const char *key, int model, int otherwise)
{
    const char *name = node ? trxi_xml_get(node, key) : NULL;
    return name && *name ? trxi_sdf_find(sdf, node, model, name) : otherwise;
}

// a link or frame at an end of a joint: <parent>NAME</parent>, or <parent link="NAME"/>
static int read_end(trxi_sdf *sdf, trxi_sdf_frame *joint, const char *which)
{
    trxi_xml_node *end = trxi_element_child(joint->node, which);
    const char *name = end ? trxi_xml_get(end, "link") : NULL;
    if (end && !name) name = end->text;
    if (name && *name) return trxi_sdf_find(sdf, end, joint->model, name);
    trxi_error_at(sdf->context, joint->node->source, "joint \"%.100s\" has no <%s>: write <%s>LINK</%s>", joint->name,
                  which, which, which);
    return TRXI_SDF_NONE;
}

static void refer(trxi_sdf *sdf, int index)
{
    trxi_sdf_frame *frame = trxi_sdf_at(sdf, index);
    trxi_xml_node *pose = trxi_element_child(frame->place, "pose");
    frame->pose = trxi_sdf_read_pose(sdf, frame->place);
    if (frame->kind == TRXI_SDF_JOINT) {
        frame->parent = read_end(sdf, frame, "parent");
        frame->attached = frame->relative = frame->child = read_end(sdf, frame, "child");
    }
    if (frame->kind == TRXI_SDF_FRAME)
        frame->attached = frame->relative = named(sdf, frame->node, "attached_to", frame->model, frame->model);
    if (frame->kind == TRXI_SDF_MODEL)
        frame->attached = named(sdf, frame->node, "canonical_link", index, frame->first_link);
    frame->relative = named(sdf, pose, "relative_to", frame->model, frame->relative);
    frame->relative = named(sdf, pose, "frame", frame->model, frame->relative);
}

// ---- poses ----

// follows the chain of relative frames up to a known pose, then down again; a stack has the chain
static bool resolve(trxi_sdf *sdf, int index, int *stack)
{
    int count = 0, at = index;
    for (; !trxi_sdf_at(sdf, at)->resolved; at = trxi_sdf_at(sdf, at)->relative) {
        if (count == sdf->frames.count) {
            const trxi_sdf_frame *frame = trxi_sdf_at(sdf, index);
            trxi_error_at(sdf->context, frame->node->source, "the pose of \"%.100s\" is relative to itself through others",
                          frame->name);
            return false;
        }
        stack[count++] = at;
    }
    while (count > 0) {
        trxi_sdf_frame *frame = trxi_sdf_at(sdf, stack[--count]);
        frame->world = trxi_pose_mul(&trxi_sdf_at(sdf, frame->relative)->world, &frame->pose);
        frame->resolved = true;
    }
    return true;
}

int trxi_sdf_link_of(const trxi_sdf *sdf, int frame)
{
    for (int count = 0; count <= sdf->frames.count && frame > TRXI_SDF_WORLD; count++) {
        const trxi_sdf_frame *item = trxi_sdf_at(sdf, frame);
        if (item->kind == TRXI_SDF_LINK) return frame;
        frame = item->attached;
    }
    return frame == TRXI_SDF_WORLD ? frame : TRXI_SDF_NONE;
}

trx_pose trxi_sdf_between(const trxi_sdf *sdf, int a, int b)
{
    const trx_pose *from = &trxi_sdf_at(sdf, a)->world;
    trx_pose inverse = {.quat = {from->quat[0], -from->quat[1], -from->quat[2], -from->quat[3]}};
    trxi_pose_point(&inverse, (double[]){-from->p[0], -from->p[1], -from->p[2]}, inverse.p);
    return trxi_pose_mul(&inverse, &trxi_sdf_at(sdf, b)->world);
}

trx_pose trxi_sdf_pose_in_link(trxi_sdf *sdf, int link, trxi_xml_node *node)
{
    trx_pose pose = trxi_sdf_read_pose(sdf, node);
    int frame = named(sdf, trxi_element_child(node, "pose"), "relative_to", trxi_sdf_at(sdf, link)->model, link);
    if (frame < 0 || frame == link) return pose;
    trx_pose seen = trxi_sdf_between(sdf, link, frame);
    return trxi_pose_mul(&seen, &pose);
}

bool trxi_sdf_frames(trxi_sdf *sdf)
{
    int errors = trx_context_error_count(sdf->context);
    for (int i = 1; i < sdf->frames.count; i++) refer(sdf, i);
    int *stack = TRXI_DRAFT_TAKE(sdf->draft, int, sdf->frames.count);
    if (!stack || trx_context_error_count(sdf->context) > errors) return false;
    for (int i = 1; i < sdf->frames.count; i++)
        if (!resolve(sdf, i, stack)) return false;
    return true;
}
