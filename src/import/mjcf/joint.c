// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Joints. Point and axis are given in the body's frame, which is the frame after the earlier joints of the body, as
// in our definitions. Angles of hinges and balls (range, ref, springref) have the unit of the file; values of
// slides are lengths. At the position `ref` the body is at its pose.

#include "import/mjcf/mjcf.h"

#include <math.h>
#include <string.h>

static const char *const types[] = {"free", "ball", "slide", "hinge"};
static const trx_joint_type type_of[] = {TRX_JOINT_FREE, TRX_JOINT_BALL, TRX_JOINT_SLIDE, TRX_JOINT_HINGE};

static double not_negative(const trxi_mjcf_element *e, const char *key)
{
    double value[3] = {0, 0, 0};
    trx_source where;
    trxi_mjcf_text(e, key, &where);
    int count = trxi_mjcf_numbers(e, key, 1, 3, value);
    if (value[0] < 0) {
        trxi_mjcf_error(e, where, key, "%s of this %s is %g; it must not be negative", key, e->node->name, value[0]);
        return 0;
    }
    if (count > 1 && (value[1] != 0 || value[2] != 0))
        trxi_draft_note(e->reader->draft, TRX_NOTE_REPLACED, where,
                        "%s of this joint is a polynomial; its linear part "
                        "is taken",
                        key);
    return value[0];
}

static void read_limits(const trxi_mjcf_element *e, trxi_mjcf_joint *joint, trx_joint_def *def)
{
    double range[2], unit = joint->type == TRX_JOINT_SLIDE ? 1 : e->reader->compiler.angle;
    bool single = joint->type == TRX_JOINT_HINGE || joint->type == TRX_JOINT_SLIDE;
    // a ball without a range may inherit limited="true" from its class
    if ((single || trxi_mjcf_text(e, "range", NULL)) && trxi_mjcf_range(e, "range", "limited", range)) {
        if (single) {
            joint->range[0] = unit * range[0], joint->range[1] = unit * range[1];
            if (!e->reader->off.limit) def->lower = joint->range[0], def->upper = joint->range[1];
        } else
            trxi_draft_note(e->reader->draft, TRX_NOTE_DROPPED, e->node->source,
                            "the limit of a ball joint: it moves freely");
    }
    if (trxi_mjcf_range(e, "actuatorfrcrange", "actuatorfrclimited", range) && single)
        joint->effort[0] = range[0], joint->effort[1] = range[1];
}

static void read_axis(const trxi_mjcf_element *e, const trx_pose *frame, trxi_mjcf_joint *joint)
{
    double at[3] = {0, 0, 0}, axis[3] = {0, 0, 1}, R[9];
    trx_source where;
    trxi_mjcf_numbers(e, "pos", 3, 3, at);
    trxi_mjcf_numbers(e, "axis", 3, 3, axis);
    trxi_mjcf_text(e, "axis", &where);
    if (!(trxi_normalize3(axis, axis) > 1e-13) && joint->type != TRX_JOINT_BALL) {
        trxi_mjcf_error(e, where, "axis", "the axis of this joint has no direction; write one such as 0 0 1");
        trxi_set3(0, 0, 1, axis);
    }
    trxi_quat_to_matrix(frame->quat, R);
    trxi_mulv3(R, axis, joint->axis);
    trxi_pose_point(frame, at, joint->at);
}

static void read_forces(const trxi_mjcf_element *e, trxi_mjcf_joint *joint, trx_joint_def *def)
{
    const trxi_mjcf_off *off = &e->reader->off;
    def->stiffness = off->spring ? 0 : not_negative(e, "stiffness");
    def->damping = off->damper ? 0 : not_negative(e, "damping");
    def->armature = not_negative(e, "armature");
    def->friction = off->frictionloss ? 0 : not_negative(e, "frictionloss");
    if (def->friction > 0)
        trxi_draft_tally(e->reader->draft, TRX_NOTE_REPLACED, e->node->source, "dry friction (frictionloss) of ", "joint", "joints",
                         ": it holds up to its limit, where MuJoCo lets the joint creep (solreffriction)");
    trxi_mjcf_numbers(e, "springdamper", 2, 2, joint->spring);
    if (joint->type == TRX_JOINT_FREE && def->stiffness > 0) {
        trxi_draft_note(e->reader->draft, TRX_NOTE_DROPPED, e->node->source, "the spring of a free joint");
        def->stiffness = 0;
    }
    if (joint->type != TRX_JOINT_HINGE && joint->type != TRX_JOINT_SLIDE) return;

    double unit = joint->type == TRX_JOINT_HINGE ? e->reader->compiler.angle : 1;
    joint->reference = def->reference = unit * trxi_mjcf_number(e, "ref", 0);
    def->rest = joint->rest = unit * trxi_mjcf_number(e, "springref", 0);
    if (trxi_mjcf_number(e, "springyield", 0) > 0)
        trxi_draft_note(e->reader->draft, TRX_NOTE_REPLACED, e->node->source, "springyield: the spring never yields");
}

static void read_moving(const trxi_mjcf_element *e, const trx_pose *frame, trxi_mjcf_joint *joint, trx_joint_def *def)
{
    def->type = joint->type;
    if (joint->type != TRX_JOINT_FREE) {
        read_axis(e, frame, joint);
        trxi_copy3(joint->axis, def->axis);
        trxi_copy3(joint->at, def->at);
    }
    if (strcmp(e->node->name, "freejoint") == 0) {
        static const char *const words[] = {"false", "true", "auto"};
        if (trxi_mjcf_word(e, "align", words, 3, 2) == 1)
            trxi_draft_note(e->reader->draft, TRX_NOTE_DROPPED, e->node->source,
                            "align: the joint moves the frame that the "
                            "file gives its body");
        return;
    }
    if (joint->type != TRX_JOINT_FREE) read_limits(e, joint, def);
    read_forces(e, joint, def);
}

// a start outside the limits would be closed by an impulse within the first step
static void move_start(const trxi_mjcf_element *e, int body, trxi_mjcf_joint *joint, const trx_joint_def *def)
{
    double start = fmin(fmax(def->reference, def->lower), def->upper);
    joint->start = def->reference;
    if (start == def->reference || trxi_draft_options(e->reader->draft)->keep_start) return;
    joint->start = start;
    trxi_draft_start(e->reader->draft, body, joint->index, &start);
    trxi_draft_tally(e->reader->draft, TRX_NOTE_REPLACED, e->node->source, "start of ", "joint", "joints",
                     " outside the limits: moved to the limit (keep_start: true keeps it)");
}

// whether the joint is allowed at its place
static bool fits(const trxi_mjcf_element *e, const trxi_mjcf_body *body, trx_joint_type type)
{
    int before = trxi_draft_joint_count(e->reader->draft, body->draft);
    trx_context *context = e->reader->context;
    if (type == TRX_JOINT_FREE && body->parent >= 0)
        trxi_error_at(context, e->node->source,
                      "a free joint inside a body that has a parent; only bodies of worldbody "
                      "are free");
    else if (before > 0 &&
             (type == TRX_JOINT_FREE || trxi_draft_joint_at(e->reader->draft, body->draft, 0)->type == TRX_JOINT_FREE))
        trxi_error_at(context, e->node->source, "a free joint stands alone; remove the other joints of this body");
    else
        return true;
    return false;
}

void trxi_mjcf_read_joint(trxi_mjcf *reader, trxi_xml_node *node, int body, const trx_pose *frame,
                          const trxi_mjcf_class *class, bool only)
{
    bool free = strcmp(node->name, "freejoint") == 0;
    trxi_mjcf_element e = {reader, node, "joint", free ? NULL : trxi_mjcf_class_of(reader, node, "class", class)};
    trx_joint_type type = free ? TRX_JOINT_FREE : type_of[trxi_mjcf_word(&e, "type", types, 4, 3)];
    const trxi_mjcf_body *carrier = TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, body);
    if (!fits(&e, carrier, type)) return;

    int number = reader->joints.count;
    trxi_mjcf_joint *joint = trxi_draft_push(reader->draft, &reader->joints, sizeof *joint);
    *joint = (trxi_mjcf_joint){.source = node->source,
                               .body = body,
                               .type = type,
                               .range = {-INFINITY, INFINITY},
                               .effort = {-INFINITY, INFINITY},
                               .axis = {0, 0, 1}};
    const char *raw = trxi_mjcf_bind(reader, TRXI_MJCF_JOINT, node, number);
    bool other_base =
        trxi_draft_options(reader->draft)->base != TRX_BASE_OF_FILE && body == 0 && type == TRX_JOINT_FREE;
    if (other_base) {
        joint->index = -1;
        return;
    }
    const char *name = only ? trxi_draft_joint_name(reader->draft, raw, carrier->draft, node->source)
                            : trxi_draft_name(reader->draft, raw, "joint", node->source);
    joint->index = trxi_draft_joint_count(reader->draft, carrier->draft);
    trx_joint_def *def = trxi_draft_joint(reader->draft, carrier->draft, name, node->source);
    read_moving(&e, frame, joint, def);
    if (type == TRX_JOINT_HINGE || type == TRX_JOINT_SLIDE) move_start(&e, carrier->draft, joint, def);
}
