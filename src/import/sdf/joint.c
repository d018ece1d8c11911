// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Joints of an SDF file. The frame of a body is the frame of its link, so a joint's axis and its point are moved from
// the frame of the joint into the frame of the child link,
//
//     axis_C = R_CJ R_JE axis_E,    at = p_CJ,
//
// where E is the frame that expressed_in names. Without it E is the joint's frame, or the model's frame if
// use_parent_model_frame says so or the version is below 1.5. A ball or fixed joint that closes a loop is a constraint, a revolute
// one two constraints: two points of its axis coincide.

#include "import/pose.h"
#include "import/sdf/sdf.h"

#include <math.h>
#include <string.h>

typedef enum motion { FIXED, REVOLUTE, CONTINUOUS, PRISMATIC, BALL, UNIVERSAL, REVOLUTE2, SCREW, GEARBOX, UNKNOWN } motion;

static const double UNLIMITED = 1e15; // SDF writes 1e16 for no limit

static motion type_of(const trxi_sdf_frame *joint)
{
    static const char *const names[] = {"fixed", "revolute",  "continuous", "prismatic", "ball",
                                        "universal", "revolute2", "screw",      "gearbox"};
    const char *type = trxi_xml_get(joint->node, "type");
    motion type_index = FIXED;
    while (type_index < UNKNOWN && !(type && strcmp(type, names[type_index]) == 0)) type_index++;
    return type_index;
}

// ---- attributes ----

// the direction of <axis> in the frame of the child link; false when it is wrong (reported)
static bool read_direction(trxi_sdf *sdf, const trxi_sdf_frame *joint, int index, trxi_xml_node *node, double axis[3])
{
    double read[3] = {0, 0, 1}, R[9], turned[3];
    trxi_xml_node *xyz = trxi_element_child(node, "xyz");
    trxi_sdf_numbers(sdf, node, "xyz", 3, read);
    bool in_model = trxi_sdf_is_true(sdf, node, "use_parent_model_frame") || trxi_sdf_version(node) < 1.5;
    const char *name = xyz ? trxi_xml_get(xyz, "expressed_in") : NULL;
    int frame = name && *name ? trxi_sdf_find(sdf, xyz, joint->model, name) : in_model ? joint->model : index;
    if (frame < 0) return false;
    trxi_quat_to_matrix(trxi_sdf_between(sdf, joint->child, frame).quat, R);
    trxi_mulv3(R, read, turned);
    if (trxi_normalize3(turned, axis) > 0) return true;
    trxi_error_at(sdf->context, node->source, "axis of joint \"%.100s\" is 0 0 0: write a direction such as 0 0 1",
                  joint->name);
    return false;
}

// damping, dry friction and spring
static void read_dynamics(trxi_sdf *sdf, trxi_xml_node *axis, trx_joint_def *def)
{
    const char *const names[] = {"damping", "friction", "spring_stiffness"};
    double *const values[] = {&def->damping, &def->friction, &def->stiffness};
    trxi_xml_node *node = trxi_element_child(axis, "dynamics");
    for (int i = 0; node && i < 3; i++) {
        trxi_sdf_numbers(sdf, node, names[i], 1, values[i]);
        if (*values[i] >= 0) continue;
        trxi_error_at(sdf->context, node->source, "%s is %g: it must not be negative", names[i], *values[i]);
        *values[i] = 0;
    }
    if (node) trxi_sdf_numbers(sdf, node, "spring_reference", 1, &def->rest);
}

static void read_limits(trxi_sdf *sdf, trxi_xml_node *axis, bool bounded, trx_joint_def *def)
{
    trxi_xml_node *node = trxi_element_child(axis, "limit");
    double lower = -INFINITY, upper = INFINITY, speed = -1;
    if (!node) return;
    trxi_sdf_numbers(sdf, node, "lower", 1, &lower);
    trxi_sdf_numbers(sdf, node, "upper", 1, &upper);
    if (trxi_sdf_numbers(sdf, node, "velocity", 1, &speed) && speed > 0) {
        def->velocity_limit = speed;
        trxi_draft_tally(sdf->draft, TRX_NOTE_DROPPED, node->source, "velocity limits of ", "joint", "joints",
                         " hold in plans with robot: true in limits, nowhere else");
    }
    if (lower > upper)
        trxi_draft_tally(sdf->draft, TRX_NOTE_REPLACED, node->source, "",
                         "joint has a lower limit above its upper one: it is",
                         "joints have lower limits above their upper ones: they are", " not limited");
    if (!bounded || lower > upper) return;
    if (lower > -UNLIMITED) def->lower = lower;
    if (upper < UNLIMITED) def->upper = upper;
}

// ---- motions ----

static trx_joint_def *add(trxi_sdf *sdf, int index, trx_joint_type type, const char *ending)
{
    const trxi_sdf_frame *joint = trxi_sdf_at(sdf, index);
    int body = trxi_sdf_at(sdf, joint->child)->body;
    trx_source source = joint->node->source;
    const char *raw = trxi_draft_printf(sdf->draft, "%s%s", trxi_sdf_shown(sdf, index), ending);
    const char *name = trxi_draft_name(sdf->draft, raw, "joint", source);
    trx_joint_def *def = trxi_draft_joint(sdf->draft, body, name, source);
    def->type = type;
    memcpy(def->at, trxi_sdf_between(sdf, joint->child, index).p, sizeof def->at);
    return def;
}

// fixes the body at the only position that the limits of its joint allow
static void lock(trxi_sdf *sdf, int index, motion type, const double axis[3], double position)
{
    const trxi_sdf_frame *joint = trxi_sdf_at(sdf, index);
    trx_body_def *body = trxi_draft_body_at(sdf->draft, trxi_sdf_at(sdf, joint->child)->body);
    trx_pose moved = trx_pose_identity(), at = trx_pose_identity(), back = at;
    double turn[3];
    trxi_scale3(position, axis, turn);
    if (type == PRISMATIC)
        memcpy(moved.p, turn, sizeof turn);
    else {
        trxi_quat_exp(turn, moved.quat);
        memcpy(at.p, trxi_sdf_between(sdf, joint->child, index).p, sizeof at.p);
        trxi_scale3(-1, at.p, back.p);
    }
    moved = trxi_pose_mul(&at, &moved);
    moved = trxi_pose_mul(&moved, &back);
    body->pose = trxi_pose_mul(&body->pose, &moved);
    trxi_draft_note(sdf->draft, TRX_NOTE_REPLACED, joint->node->source,
                    "joint \"%.100s\" has both limits at %g: it is fixed there", joint->name, position);
}

static void start_inside(trxi_sdf *sdf, const trxi_sdf_frame *joint, int place, const trx_joint_def *def)
{
    double start = fmin(fmax(0, def->lower), def->upper);
    if (start != 0)
        trxi_draft_tally(sdf->draft, TRX_NOTE_ASSUMED, joint->node->source, "", "joint starts", "joints start",
                         " at a limit: 0 is outside");
    trxi_draft_start(sdf->draft, trxi_sdf_at(sdf, joint->child)->body, place, &start);
}

// one degree of freedom: the `place`-th of the body, by <axis> or <axis2>
static void read_single(trxi_sdf *sdf, int index, motion type, int place, const char *ending)
{
    trxi_sdf_frame *joint = trxi_sdf_at(sdf, index);
    trxi_xml_node *axis = trxi_element_child(joint->node, place ? "axis2" : "axis");
    trx_joint_def read = trx_joint_def_default();
    if (!axis) {
        trxi_error_at(sdf->context, joint->node->source, "joint \"%.100s\" has no <%s>: write <%s><xyz>X Y Z</xyz></%s>",
                      joint->name, place ? "axis2" : "axis", place ? "axis2" : "axis", place ? "axis2" : "axis");
        return;
    }
    if (!read_direction(sdf, joint, index, axis, read.axis)) return;
    read_limits(sdf, axis, type != CONTINUOUS, &read);
    read_dynamics(sdf, axis, &read);
    if (read.lower == read.upper && !*ending) {
        lock(sdf, index, type, read.axis, read.lower);
        return;
    }
    trx_joint_def *def = add(sdf, index, type == PRISMATIC ? TRX_JOINT_SLIDE : TRX_JOINT_HINGE, ending);
    read.name = def->name, read.source = def->source, read.type = def->type;
    memcpy(read.at, def->at, sizeof read.at);
    *def = read;
    joint->driven = !*ending;
    start_inside(sdf, joint, place, def);
}

void trxi_sdf_read_joint(trxi_sdf *sdf, int index)
{
    const trxi_sdf_frame *joint = trxi_sdf_at(sdf, index);
    motion type = type_of(joint);
    switch (type) {
    case FIXED: break;
    case REVOLUTE:
    case CONTINUOUS:
    case PRISMATIC: read_single(sdf, index, type, 0, ""); break;
    case BALL: add(sdf, index, TRX_JOINT_BALL, ""); break;
    case UNIVERSAL:
    case REVOLUTE2:
        read_single(sdf, index, type, 0, "_1");
        read_single(sdf, index, type, 1, "_2");
        break;
    default:
        trxi_error_at(sdf->context, joint->node->source,
                      "joint \"%.100s\": type \"%.60s\" is not served: write fixed, revolute, continuous, prismatic, ball, "
                      "universal or revolute2",
                      joint->name, trxi_xml_get(joint->node, "type") ? trxi_xml_get(joint->node, "type") : "");
    }
}

void trxi_sdf_read_root(trxi_sdf *sdf, int link)
{
    trxi_draft *draft = sdf->draft;
    const trxi_sdf_frame *root = trxi_sdf_at(sdf, link);
    trx_base base = draft->options.base;
    if (root->is_static || base == TRX_BASE_FIXED) return;
    if (base == TRX_BASE_OF_FILE)
        trxi_draft_tally(draft, TRX_NOTE_ASSUMED, root->node->source, "", "root moves freely", "roots move freely",
                         ": no joint holds it in the world (base: fixed holds it)");
    const char *name = trxi_draft_joint_name(draft, NULL, root->body, root->node->source);
    trx_joint_def *joint = trxi_draft_joint(draft, root->body, name, root->node->source);
    joint->type = base == TRX_BASE_PLANAR ? TRX_JOINT_PLANAR : TRX_JOINT_FREE;
}

// ---- loops ----

// the constraint of a joint at its point plus `along`, given in the axes of the child link
static void constrain(trxi_sdf *sdf, int index, trx_constraint_type type, const char *ending, const double along[3])
{
    const trxi_sdf_frame *joint = trxi_sdf_at(sdf, index);
    trx_source source = joint->node->source;
    const char *raw = trxi_draft_printf(sdf->draft, "%s%s", trxi_sdf_shown(sdf, index), ending);
    trx_constraint_def *def = trxi_draft_constraint(sdf->draft, trxi_draft_name(sdf->draft, raw, "constraint", source), source);
    def->type = type;
    def->body_a = joint->parent == TRXI_SDF_WORLD ? -1 : trxi_sdf_at(sdf, joint->parent)->body;
    def->body_b = trxi_sdf_at(sdf, joint->child)->body;
    def->pose_b = trxi_sdf_between(sdf, joint->child, index);
    for (int i = 0; i < 3; i++) def->pose_b.p[i] += along[i];
    trx_pose child = trxi_sdf_between(sdf, joint->parent, joint->child);
    def->pose_a = trxi_pose_mul(&child, &def->pose_b);
    if (joint->parent == TRXI_SDF_WORLD) def->pose_a = trxi_pose_mul(&sdf->draft->options.pose, &def->pose_a);
}

static void close_by_axis(trxi_sdf *sdf, int index)
{
    static const double apart = 0.1; // [m]
    const trxi_sdf_frame *joint = trxi_sdf_at(sdf, index);
    trxi_xml_node *axis = trxi_element_child(joint->node, "axis");
    double direction[3], ends[2][3];
    if (!axis) {
        trxi_error_at(sdf->context, joint->node->source, "joint \"%.100s\" has no <axis>: write <axis><xyz>X Y Z</xyz></axis>",
                      joint->name);
        return;
    }
    if (!read_direction(sdf, joint, index, axis, direction)) return;
    trxi_scale3(-apart / 2, direction, ends[0]);
    trxi_scale3(apart / 2, direction, ends[1]);
    constrain(sdf, index, TRX_CONSTRAINT_BALL, "_1", ends[0]);
    constrain(sdf, index, TRX_CONSTRAINT_BALL, "_2", ends[1]);
    trxi_draft_tally(sdf->draft, TRX_NOTE_REPLACED, joint->node->source, "", "revolute joint closes a loop",
                     "revolute joints close loops", ": two balls 0.1 m apart on the axis, no limits, springs, friction or motor");
}

static void close(trxi_sdf *sdf, int index)
{
    static const double here[3] = {0, 0, 0};
    const trxi_sdf_frame *joint = trxi_sdf_at(sdf, index);
    trx_source source = joint->node->source;
    switch (type_of(joint)) {
    case BALL: constrain(sdf, index, TRX_CONSTRAINT_BALL, "", here); break;
    case FIXED: constrain(sdf, index, TRX_CONSTRAINT_WELD, "", here); break;
    case REVOLUTE:
    case CONTINUOUS: close_by_axis(sdf, index); break;
    case GEARBOX:
        trxi_draft_tally(sdf->draft, TRX_NOTE_DROPPED, source, "", "gearbox", "gearboxes", ": their joints move independently");
        break;
    default:
        trxi_error_at(sdf->context, source,
                      "joint \"%.100s\" closes a loop: only fixed, ball, revolute and continuous joints can; make it one of "
                      "them, or remove it",
                      joint->name);
    }
}

void trxi_sdf_close_loops(trxi_sdf *sdf)
{
    for (int i = 1; i < sdf->frames.count; i++) {
        const trxi_sdf_frame *joint = trxi_sdf_at(sdf, i);
        if (joint->kind != TRXI_SDF_JOINT) continue;
        const trxi_sdf_frame *child = trxi_sdf_at(sdf, joint->child);
        if (child->joint != i && !child->is_static) close(sdf, i);
    }
}

// ---- motors ----

void trxi_sdf_drives(trxi_sdf *sdf)
{
    for (int i = 1; i < sdf->frames.count; i++) {
        const trxi_sdf_frame *joint = trxi_sdf_at(sdf, i);
        if (!joint->driven) continue;
        trx_source source = joint->node->source;
        double effort = -1;
        trxi_sdf_numbers(sdf, trxi_element_child(trxi_element_child(joint->node, "axis"), "limit"), "effort", 1, &effort);
        if (effort == 0) {
            trxi_draft_tally(sdf->draft, TRX_NOTE_DROPPED, source, "motors of ", "joint", "joints",
                             " whose effort limit is 0");
            continue;
        }
        trxi_draft_tally(sdf->draft, TRX_NOTE_ASSUMED, source, "motors of ", "joint", "joints", ": SDF has no motors");
        const char *name = trxi_draft_name(sdf->draft, trxi_sdf_shown(sdf, i), "actuator", source);
        trx_actuator_def *def = trxi_draft_actuator(sdf->draft, name, source);
        def->body = trxi_sdf_at(sdf, joint->child)->body;
        def->joint = 0;
        if (effort > 0) def->lower = -effort, def->upper = effort;
    }
}
