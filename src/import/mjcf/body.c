// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The tree of bodies, depth first in the order of the file, which is the order of q: the joints of a body come before its
// children. A frame is a pose that its content inherits. Elements fixed to the world belong to a body without joint. The
// base of the options replaces the free joint of the first body, or gives it one.

#include "import/mjcf/mjcf.h"

#include <math.h>
#include <string.h>

// context of the children of an element
typedef struct scope {
    int body; // index here, -1: the world
    trx_pose frame; // of the element in the body
    const trxi_mjcf_class *class;
    bool only; // the body has a single joint
} scope;

static bool is_joint(const trxi_xml_node *node)
{
    return strcmp(node->name, "joint") == 0 || strcmp(node->name, "freejoint") == 0;
}

static void count_children(const trxi_xml_node *node, int *joints, trxi_xml_node **inertial)
{
    for (int i = 0; i < node->count; i++) {
        trxi_xml_node *child = node->items[i];
        if (is_joint(child)) ++*joints;
        if (strcmp(child->name, "inertial") == 0) *inertial = child;
        if (strcmp(child->name, "frame") == 0) count_children(child, joints, inertial);
    }
}

// the joint of the options, in place of the file's joint
static void set_base(trxi_mjcf *reader, trxi_mjcf_body *body)
{
    trx_base base = trxi_draft_options(reader->draft)->base;
    if (base == TRX_BASE_OF_FILE || base == TRX_BASE_FIXED) return;
    if (trxi_draft_joint_count(reader->draft, body->draft) > 0) {
        trxi_error_at(reader->context, body->source,
                      "this body has joints of its own; the base of this robot is that of "
                      "the file");
        return;
    }
    const char *name = trxi_draft_joint_name(reader->draft, NULL, body->draft, body->source);
    trx_joint_def *def = trxi_draft_joint(reader->draft, body->draft, name, body->source);
    def->type = base == TRX_BASE_FREE ? TRX_JOINT_FREE : TRX_JOINT_PLANAR;
}

static void read_attributes(trxi_mjcf *reader, const trxi_mjcf_element *e, trxi_mjcf_body *body)
{
    double lift = trxi_mjcf_number(e, "gravcomp", 0);
    if (lift == 1)
        trxi_draft_body_at(reader->draft, body->draft)->gravity = false;
    else if (lift != 0)
        trxi_draft_note(reader->draft, TRX_NOTE_DROPPED, body->source,
                        "gravcomp %g: gravity acts on this body (1 would "
                        "switch it off)",
                        lift);
    if (trxi_mjcf_flag(e, "mocap", false))
        trxi_draft_note(reader->draft, TRX_NOTE_REPLACED, body->source,
                        "mocap: this body stays where the file puts it, or moves by motions of the include");
}

static scope inside_frame(trxi_mjcf *reader, trxi_xml_node *node, const scope *in)
{
    trxi_mjcf_element e = trxi_mjcf_plain(reader, node);
    trx_pose own = trxi_mjcf_pose(&e);
    scope inside = *in;
    inside.frame = trxi_pose_mul(&in->frame, &own);
    const trxi_mjcf_part *part = trxi_mjcf_part_at(reader, node);
    inside.class = trxi_mjcf_class_of(reader, node, "childclass", part ? part->class : in->class);
    return inside;
}

static void read_children(trxi_mjcf *reader, trxi_xml_node *node, const scope *in);

// the content of a frame; an attached model has its own settings, and its joints follow each other
static void read_frame(trxi_mjcf *reader, trxi_xml_node *node, const scope *in)
{
    const trxi_mjcf_compiler own = reader->compiler;
    scope inside = inside_frame(reader, node, in);
    trxi_mjcf_part *part = trxi_mjcf_part_at(reader, node);
    if (part) reader->compiler = part->compiler, part->first_joint = reader->joints.count;
    read_children(reader, node, &inside);
    if (part) reader->compiler = own, part->joints = reader->joints.count - part->first_joint;
}

// the joints of a body come before the joints of its children, wherever the file writes them, because q and v have this order
static void read_joints(trxi_mjcf *reader, trxi_xml_node *node, const scope *in)
{
    for (int i = 0; i < node->count && trxi_draft_ok(reader->draft); i++) {
        trxi_xml_node *child = node->items[i];
        if (is_joint(child)) trxi_mjcf_read_joint(reader, child, in->body, &in->frame, in->class, in->only);
        if (strcmp(child->name, "frame") != 0) continue;
        scope inside = inside_frame(reader, child, in);
        read_joints(reader, child, &inside);
    }
}

static void read_body(trxi_mjcf *reader, trxi_xml_node *node, const scope *in)
{
    const trx_pose *placed = &trxi_draft_options(reader->draft)->pose;
    trxi_mjcf_element e = trxi_mjcf_plain(reader, node);
    trx_pose own = trxi_mjcf_pose(&e), pose = trxi_pose_mul(&in->frame, &own);
    const trxi_mjcf_body *parent = in->body >= 0 ? TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, in->body) : NULL;

    int number = reader->bodies.count, joints = 0;
    trxi_mjcf_body *body = trxi_draft_push(reader->draft, &reader->bodies, sizeof *body);
    if (!trxi_draft_ok(reader->draft)) return;
    const char *raw = trxi_mjcf_bind(reader, TRXI_MJCF_BODY, node, number);
    const char *name = trxi_draft_name(reader->draft, raw, "body", node->source);
    *body = (trxi_mjcf_body){.source = node->source, .parent = in->body, .inertia_source = node->source};
    trxi_copy3(own.p, body->pos);
    body->world = parent ? trxi_pose_mul(&parent->world, &pose) : pose;
    body->draft = trxi_draft_body(reader->draft, name, node->source, parent ? parent->draft : -1);
    trxi_draft_body_at(reader->draft, body->draft)->pose = parent ? pose : trxi_pose_mul(placed, &pose);
    if (!isfinite(body->world.p[0]) || !isfinite(body->world.p[1]) || !isfinite(body->world.p[2]))
        trxi_error_at(reader->context, node->source, "this body is too far away for numbers; check its pos");
    read_attributes(reader, &e, body);

    trxi_xml_node *inertial = NULL;
    count_children(node, &joints, &inertial);
    trxi_mjcf_infer infer = reader->compiler.infer;
    body->infer = infer == TRXI_MJCF_INFER_ALWAYS || (infer == TRXI_MJCF_INFER_AUTO && !inertial);
    scope inside = {number, trx_pose_identity(), trxi_mjcf_class_of(reader, node, "childclass", in->class),
                    joints == 1};
    read_joints(reader, node, &inside);
    read_children(reader, node, &inside);
    if (number == 0) set_base(reader, body);
}

static void read_site(trxi_mjcf *reader, trxi_xml_node *node, const scope *in)
{
    trxi_mjcf_element e = {reader, node, "site", trxi_mjcf_class_of(reader, node, "class", in->class)};
    trx_pose own = trxi_mjcf_pose(&e);
    double ends[6];
    if (trxi_mjcf_numbers(&e, "fromto", 6, 6, ends) == 6) {
        double along[3];
        trxi_sub3(ends, ends + 3, along);
        for (int i = 0; i < 3; i++) own.p[i] = (ends[i] + ends[3 + i]) / 2;
        if (trxi_norm3(along) > 0) trxi_mjcf_quat_of_axis(along, own.quat);
    }
    trx_pose pose = trxi_pose_mul(&in->frame, &own);
    const char *raw = trxi_mjcf_bind(reader, TRXI_MJCF_SITE, node, reader->sites.count);
    trxi_mjcf_site *site = trxi_draft_push(reader->draft, &reader->sites, sizeof *site);
    *site = (trxi_mjcf_site){in->body, pose};
    if (!raw) {
        trxi_draft_tally(reader->draft, TRX_NOTE_DROPPED, node->source, "", "site", "sites", " without a name");
        return;
    }
    int carrier = trxi_mjcf_carrier(reader, in->body, node->source);
    const char *name = trxi_draft_name(reader->draft, raw, "frame", node->source);
    trxi_draft_frame(reader->draft, carrier, name, node->source)->pose = pose;
}

static void read_inertial(trxi_mjcf *reader, trxi_xml_node *node, const scope *in)
{
    const trxi_mjcf_body *body = TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, in->body);
    if (reader->compiler.infer != TRXI_MJCF_INFER_ALWAYS)
        trxi_mjcf_read_inertial(reader, node, in->body, &in->frame);
    else
        trxi_draft_tally(reader->draft, TRX_NOTE_REPLACED, body->source, "inertial of ", "body", "bodies",
                         ": masses are those of the geoms, as inertiafromgeom of the compiler says");
}

static void read_child(trxi_mjcf *reader, trxi_xml_node *node, const scope *in)
{
    static const char *const left_out[] = {"composite", "flexcomp", "plugin"};
    const char *name = node->name;
    bool inertial = strcmp(name, "inertial") == 0;
    if ((is_joint(node) || inertial) && in->body < 0)
        trxi_error_at(reader->context, node->source, "worldbody takes no %s; put it inside a body", name);
    else if (strcmp(name, "body") == 0)
        read_body(reader, node, in);
    else if (strcmp(name, "frame") == 0)
        read_frame(reader, node, in);
    else if (inertial)
        read_inertial(reader, node, in);
    else if (strcmp(name, "geom") == 0)
        trxi_mjcf_read_geom(reader, node, in->body, &in->frame, in->class);
    else if (strcmp(name, "site") == 0)
        read_site(reader, node, in);
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (strcmp(name, left_out[i]) == 0)
            trxi_draft_note(reader->draft, i < 2 ? TRX_NOTE_MISSING : TRX_NOTE_DROPPED, node->source, "%s and all that is in it",
                            name);
}

static void read_children(trxi_mjcf *reader, trxi_xml_node *node, const scope *in)
{
    for (int i = 0; i < node->count && trxi_draft_ok(reader->draft); i++) read_child(reader, node->items[i], in);
}

void trxi_mjcf_read_bodies(trxi_mjcf *reader)
{
    scope world = {-1, trx_pose_identity(), NULL, false};
    if (reader->classes.count > 0) world.class = TRXI_MJCF_AT(reader->classes, trxi_mjcf_class, 0);
    for (int i = 0; i < reader->root->count; i++)
        if (strcmp(reader->root->items[i]->name, "worldbody") == 0)
            read_children(reader, reader->root->items[i], &world);
}
