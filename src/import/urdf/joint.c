// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A URDF joint: the body behind it and its motion. A planar joint moves in the plane across its axis. Unless the
// axis is z, it becomes two slides in the plane and a hinge about the axis, which is the same motion. A floating
// joint is a free joint when its parent is the world, and three slides and a ball otherwise.

#include "import/pose.h"
#include "import/urdf/urdf.h"

#include <math.h>
#include <string.h>

typedef struct limits {
    double lower, upper;
} limits;

static const double Z[3] = {0, 0, 1};

// ---- attributes ----

static void read_axis(trxi_urdf *urdf, const trxi_urdf_joint *joint, double axis[3])
{
    trxi_xml_node *node = trxi_xml_child(joint->node, "axis");
    trxi_set3(1, 0, 0, axis);
    if (!node) return;
    double read[3];
    if (!trxi_urdf_numbers(urdf, node, "xyz", 3, true, read)) return;
    if (trxi_norm3(read) > 0)
        trxi_normalize3(read, axis);
    else
        trxi_error_at(urdf->context, node->source, "axis of joint \"%.100s\" is 0 0 0: write a direction such as 0 0 1",
                      joint->name);
}

// the velocity limit; INFINITY: none. A limit of 0 is none
static double read_speed(trxi_urdf *urdf, const trxi_urdf_joint *joint)
{
    double speed;
    if (!joint->limit || !trxi_urdf_numbers(urdf, joint->limit, "velocity", 1, false, &speed)) return INFINITY;
    trxi_draft_tally(urdf->draft, TRX_NOTE_DROPPED, joint->limit->source, "velocity limits of ", "joint", "joints",
                     " hold in plans with robot: true in limits, nowhere else");
    return speed > 0 ? speed : INFINITY;
}

// limits of revolute and prismatic joints. There are none if both numbers are missing; a single missing number is 0
static limits read_limits(trxi_urdf *urdf, const trxi_urdf_joint *joint)
{
    limits none = {-INFINITY, INFINITY}, read = {0, 0};
    trxi_xml_node *node = joint->limit;
    bool bounded = joint->type == TRXI_URDF_REVOLUTE || joint->type == TRXI_URDF_PRISMATIC;
    bool lower = node && trxi_urdf_numbers(urdf, node, "lower", 1, false, &read.lower);
    bool upper = node && trxi_urdf_numbers(urdf, node, "upper", 1, false, &read.upper);
    if (!bounded) {
        if (lower || upper)
            trxi_draft_tally(urdf->draft, TRX_NOTE_DROPPED, node->source, "limits of ", "joint", "joints",
                             " that turn for ever (continuous): not enforced");
        return none;
    }
    if (!lower && !upper) {
        trxi_draft_tally(urdf->draft, TRX_NOTE_ASSUMED, joint->node->source, "", "joint without limits is",
                         "joints without limits are", " not limited");
        return none;
    }
    if (!lower || !upper)
        trxi_draft_tally(urdf->draft, TRX_NOTE_ASSUMED, node->source, "the missing limit of ", "joint", "joints",
                         " is 0");
    if (read.lower <= read.upper) return read;
    trxi_draft_tally(urdf->draft, TRX_NOTE_REPLACED, node->source, "", "joint has a lower limit above its upper one: it is",
                     "joints have lower limits above their upper ones: they are", " not limited, as in PyBullet");
    return none;
}

// gives damping and dry friction to the first `count` joints of the body
static void read_dynamics(trxi_urdf *urdf, const trxi_urdf_joint *joint, int count)
{
    static const char *const keys[] = {"damping", "friction"};
    double values[2] = {0, 0};
    trxi_xml_node *node = trxi_xml_child(joint->node, "dynamics");
    for (int i = 0; node && i < 2; i++) {
        trxi_urdf_numbers(urdf, node, keys[i], 1, false, &values[i]);
        if (values[i] >= 0) continue;
        trxi_error_at(urdf->context, node->source, "joint \"%.100s\": %s is %g; it must not be negative", joint->name,
                      keys[i], values[i]);
        values[i] = 0;
    }
    for (int k = 0; k < count; k++) {
        trx_joint_def *def = trxi_draft_joint_at(urdf->draft, joint->body, k);
        def->damping = values[0];
        def->friction = values[1];
    }
}

// ---- joints ----

static trx_joint_def *add_joint(trxi_urdf *urdf, const trxi_urdf_joint *joint, trx_joint_type type, const double axis[3],
                                const char *ending)
{
    trxi_draft *draft = urdf->draft;
    trx_source source = joint->node->source;
    const char *name = trxi_draft_name(draft, trxi_draft_printf(draft, "%s%s", joint->name, ending), "joint", source);
    trx_joint_def *def = trxi_draft_joint(draft, joint->body, name, source);
    def->type = type;
    memcpy(def->axis, axis, sizeof def->axis);
    return def;
}

// limits without room between them: the body is fixed there
static void lock(trxi_urdf *urdf, trxi_urdf_joint *joint, const double axis[3], double position)
{
    trx_body_def *body = trxi_draft_body_at(urdf->draft, joint->body);
    trx_pose moved = trx_pose_identity();
    if (joint->type == TRXI_URDF_PRISMATIC)
        trxi_scale3(position, axis, moved.p);
    else {
        double turn[3];
        trxi_scale3(position, axis, turn);
        trxi_quat_exp(turn, moved.quat);
    }
    body->pose = trxi_pose_mul(&body->pose, &moved);
    joint->driven = false;
    trxi_draft_note(urdf->draft, TRX_NOTE_REPLACED, joint->limit->source,
                    "joint \"%.100s\" has both limits at %g: it is fixed there", joint->name, position);
}

static void read_single(trxi_urdf *urdf, trxi_urdf_joint *joint)
{
    double axis[3], start = 0;
    read_axis(urdf, joint, axis);
    const double speed = read_speed(urdf, joint);
    limits range = read_limits(urdf, joint);
    joint->driven = true;
    if (range.lower == range.upper) {
        lock(urdf, joint, axis, range.lower);
        return;
    }
    bool slide = joint->type == TRXI_URDF_PRISMATIC;
    trx_joint_def *def = add_joint(urdf, joint, slide ? TRX_JOINT_SLIDE : TRX_JOINT_HINGE, axis, "");
    def->lower = range.lower;
    def->upper = range.upper;
    def->velocity_limit = speed;
    read_dynamics(urdf, joint, 1);
    start = fmin(fmax(start, range.lower), range.upper);
    if (start != 0)
        trxi_draft_tally(urdf->draft, TRX_NOTE_ASSUMED, joint->limit->source, "", "joint starts", "joints start",
                         " at a limit: 0 is outside");
    trxi_draft_start(urdf->draft, joint->body, 0, &start);
}

static void read_planar(trxi_urdf *urdf, trxi_urdf_joint *joint)
{
    double axis[3], frame[9];
    read_axis(urdf, joint, axis);
    read_speed(urdf, joint);
    if (axis[0] == 0 && axis[1] == 0 && axis[2] > 0) {
        add_joint(urdf, joint, TRX_JOINT_PLANAR, Z, "");
        read_dynamics(urdf, joint, 1);
        return;
    }
    trxi_frame33(axis, frame);
    add_joint(urdf, joint, TRX_JOINT_SLIDE, frame, "_x");
    add_joint(urdf, joint, TRX_JOINT_SLIDE, frame + 3, "_y");
    add_joint(urdf, joint, TRX_JOINT_HINGE, axis, "_yaw");
    read_dynamics(urdf, joint, 3);
    trxi_draft_note(urdf->draft, TRX_NOTE_REPLACED, joint->node->source,
                    "planar joint \"%.100s\" is two slides, along (%.6g %.6g %.6g) and (%.6g %.6g %.6g), and a hinge "
                    "about its "
                    "axis",
                    joint->name, frame[0] + 0.0, frame[1] + 0.0, frame[2] + 0.0, frame[3] + 0.0, frame[4] + 0.0,
                    frame[5] + 0.0);
}

// turns a pose in the frame of a body into a pose in the world; returns false if joints move the body
static bool carry_to_world(const trxi_urdf *urdf, int body, trx_pose *pose)
{
    while (body >= 0) {
        const trx_body_def *def = trxi_draft_body_at(urdf->draft, body);
        if (trxi_draft_joint_count(urdf->draft, body) > 0) return false;
        *pose = trxi_pose_mul(&def->pose, pose);
        body = def->parent;
    }
    return true;
}

static void read_floating(trxi_urdf *urdf, trxi_urdf_joint *joint)
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const char *const endings[] = {"_x", "_y", "_z"};
    trx_body_def *body = trxi_draft_body_at(urdf->draft, joint->body);
    trx_pose pose = body->pose;
    trxi_xml_child(joint->node, "axis");
    read_speed(urdf, joint);
    if (carry_to_world(urdf, body->parent, &pose)) {
        body->parent = -1;
        body->pose = pose;
        add_joint(urdf, joint, TRX_JOINT_FREE, Z, "");
        read_dynamics(urdf, joint, 1);
        return;
    }
    for (int i = 0; i < 3; i++) add_joint(urdf, joint, TRX_JOINT_SLIDE, axes[i], endings[i]);
    add_joint(urdf, joint, TRX_JOINT_BALL, Z, "_turn");
    read_dynamics(urdf, joint, 4);
    trxi_draft_note(urdf->draft, TRX_NOTE_REPLACED, joint->node->source,
                    "floating joint \"%.100s\" hangs on a link that moves: it is three slides and a ball", joint->name);
}

// axis, limits and friction of a fixed joint are common and have no effect
static void ignore_motion(trxi_xml_node *node)
{
    static const char *const common[] = {"axis", "limit", "dynamics"};
    for (int i = 0; i < 3; i++) {
        trxi_xml_node *item = trxi_xml_child(node, common[i]);
        for (int k = 0; item && k < item->nattribute; k++) item->keys_used[k] = true;
    }
}

// ---- entry points ----

void trxi_urdf_joint_read(trxi_urdf *urdf, trxi_urdf_joint *joint, int parent)
{
    trxi_urdf_link *link = &urdf->links[joint->child];
    trx_pose pose = trxi_urdf_origin(urdf, joint->node);
    joint->body = link->body = trxi_draft_body(urdf->draft, link->new_name, link->node->source, parent);
    trx_body_def *body = trxi_draft_body_at(urdf->draft, joint->body);
    body->pose = parent < 0 ? trxi_pose_mul(&urdf->draft->options.pose, &pose) : pose;
    joint->limit = trxi_xml_child(joint->node, "limit");
    joint->mimic = trxi_xml_child(joint->node, "mimic");
    switch (joint->type) {
    case TRXI_URDF_FIXED: ignore_motion(joint->node); break;
    case TRXI_URDF_REVOLUTE:
    case TRXI_URDF_CONTINUOUS:
    case TRXI_URDF_PRISMATIC: read_single(urdf, joint); break;
    case TRXI_URDF_FLOATING: read_floating(urdf, joint); break;
    case TRXI_URDF_PLANAR: read_planar(urdf, joint); break;
    case TRXI_URDF_BALL:
        add_joint(urdf, joint, TRX_JOINT_BALL, Z, "");
        read_dynamics(urdf, joint, 1);
        break;
    }
}

void trxi_urdf_base_read(trxi_urdf *urdf, trxi_urdf_link *link)
{
    trxi_draft *draft = urdf->draft;
    trx_source source = link->node->source;
    link->body = trxi_draft_body(draft, link->new_name, source, -1);
    trxi_draft_body_at(draft, link->body)->pose = draft->options.pose;
    trx_base base = draft->options.base;
    if (base == TRX_BASE_OF_FILE && strcmp(link->name, "world") != 0)
        trxi_draft_note(draft, TRX_NOTE_ASSUMED, source,
                        "the root \"%.100s\" is fixed (base: free or planar let it move)", link->name);
    if (base != TRX_BASE_FREE && base != TRX_BASE_PLANAR) return;
    const char *name = trxi_draft_joint_name(draft, NULL, link->body, source);
    trx_joint_def *joint = trxi_draft_joint(draft, link->body, name, source);
    joint->type = base == TRX_BASE_FREE ? TRX_JOINT_FREE : TRX_JOINT_PLANAR;
}
