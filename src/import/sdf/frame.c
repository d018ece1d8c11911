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

// ---- collection ----

// index of a new frame; TRXI_SDF_NONE when its name is missing or used (reported)
static int add(trxi_sdf *sdf, trxi_sdf_kind kind, int model, trxi_xml_node *node)
{
    const char *name = trxi_sdf_name(sdf, node);
    if (!name) return TRXI_SDF_NONE;
    if (model != TRXI_SDF_WORLD) name = trxi_draft_printf(sdf->draft, "%s::%s", trxi_sdf_at(sdf, model)->name, name);
    bool known;
    int index = sdf->frames.count;
    const int *entry = trxi_table_at(sdf->draft, &sdf->names, name, index, &known);
    if (!entry) return TRXI_SDF_NONE;
    if (known) {
        trxi_error_at(sdf->context, node->source, "\"%.100s\" is already defined on line %d: rename one of them", name,
                      trxi_sdf_at(sdf, *entry)->node->source.line);
        return TRXI_SDF_NONE;
    }
    trxi_sdf_frame *frame = trxi_draft_push(sdf->draft, &sdf->frames, sizeof *frame);
    if (!trxi_draft_ok(sdf->draft)) return TRXI_SDF_NONE;
    *frame = (trxi_sdf_frame){.kind = kind, .name = name, .node = node, .model = model, .first_link = TRXI_SDF_NONE,
                              .relative = model, .attached = model, .pose = trx_pose_identity(), .body = -1,
                              .joint = TRXI_SDF_NONE, .first_joint = TRXI_SDF_NONE, .parent = TRXI_SDF_NONE,
                              .child = TRXI_SDF_NONE};
    if (kind == TRXI_SDF_LINK) frame->attached = index;
    return index;
}

static void refuse(trxi_sdf *sdf, trxi_xml_node *node, const char *name, const char *instead)
{
    trxi_xml_node *child = trxi_sdf_child(node, name);
    if (child) trxi_error_at(sdf->context, child->source, "<%.60s> is not served: %s", name, instead);
}

// a link called world is the world itself; its joints name the world
static bool is_world(trxi_sdf *sdf, trxi_xml_node *link)
{
    const char *name = trxi_xml_get(link, "name");
    if (!name || strcmp(name, "world") != 0) return false;
    trxi_draft_tally(sdf->draft, TRX_NOTE_ASSUMED, link->source, "", "link called world is", "links called world are",
                     " fixed in the world");
    return true;
}

static void collect_model(trxi_sdf *sdf, trxi_xml_node *node, int around, bool is_static)
{
    trxi_xml_node *item;
    int model = add(sdf, TRXI_SDF_MODEL, around, node);
    if (model < 0) return;
    is_static |= trxi_sdf_is_true(sdf, node, "static");
    refuse(sdf, node, "include", "put the model itself in its place");
    if (trxi_xml_get(node, "placement_frame"))
        trxi_error_at(sdf->context, node->source, "placement_frame is not served: give the pose of the model");
    for (int i = 0; (item = trxi_sdf_next(node, "link", &i));) {
        int link = add(sdf, TRXI_SDF_LINK, model, item);
        if (link < 0) continue;
        trxi_sdf_at(sdf, link)->is_static = is_static || is_world(sdf, item);
        if (trxi_sdf_at(sdf, model)->first_link < 0) trxi_sdf_at(sdf, model)->first_link = link;
    }
    for (int i = 0; (item = trxi_sdf_next(node, "joint", &i));) add(sdf, TRXI_SDF_JOINT, model, item);
    for (int i = 0; (item = trxi_sdf_next(node, "frame", &i));) add(sdf, TRXI_SDF_FRAME, model, item);
    for (int i = 0; (item = trxi_sdf_next(node, "model", &i));) collect_model(sdf, item, model, is_static);
}

// models of the file and of its world
static void collect(trxi_sdf *sdf)
{
    trxi_sdf_frame *root = trxi_draft_push(sdf->draft, &sdf->frames, sizeof *root);
    bool known;
    *root = (trxi_sdf_frame){.name = "world", .node = sdf->root, .pose = trx_pose_identity(),
                             .world = trx_pose_identity(), .resolved = true, .first_joint = TRXI_SDF_NONE};
    trxi_table_at(sdf->draft, &sdf->names, "world", TRXI_SDF_WORLD, &known);
    trxi_xml_node *world = trxi_sdf_child(sdf->root, "world"), *places[] = {sdf->root, world};
    if (world) trxi_xml_get(world, "name");
    for (int k = 0; k < 2 && places[k]; k++) {
        trxi_xml_node *item;
        refuse(sdf, places[k], "include", "put the model itself in its place");
        for (int i = 0; (item = trxi_sdf_next(places[k], "model", &i)); sdf->models++)
            collect_model(sdf, item, TRXI_SDF_WORLD, false);
        for (int i = 0; k == 1 && (item = trxi_sdf_next(world, "frame", &i));)
            add(sdf, TRXI_SDF_FRAME, TRXI_SDF_WORLD, item);
    }
    if (sdf->models == 0)
        trxi_error_at(sdf->context, sdf->root->source, "the file has no models: write <model name=\"...\">");
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
    trxi_xml_node *end = trxi_sdf_child(joint->node, which);
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
    trxi_xml_node *pose = trxi_sdf_child(frame->node, "pose");
    frame->pose = trxi_sdf_read_pose(sdf, frame->node);
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
    int frame = named(sdf, trxi_sdf_child(node, "pose"), "relative_to", trxi_sdf_at(sdf, link)->model, link);
    if (frame < 0 || frame == link) return pose;
    trx_pose seen = trxi_sdf_between(sdf, link, frame);
    return trxi_pose_mul(&seen, &pose);
}

bool trxi_sdf_frames(trxi_sdf *sdf)
{
    int errors = trx_context_error_count(sdf->context);
    collect(sdf);
    if (!trxi_draft_ok(sdf->draft) || trx_context_error_count(sdf->context) > errors) return false;
    for (int i = 1; i < sdf->frames.count; i++) refer(sdf, i);
    int *stack = TRXI_DRAFT_TAKE(sdf->draft, int, sdf->frames.count);
    if (!stack || trx_context_error_count(sdf->context) > errors) return false;
    for (int i = 1; i < sdf->frames.count; i++)
        if (!resolve(sdf, i, stack)) return false;
    return true;
}
