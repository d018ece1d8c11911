// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies with their joints, inertia and frames (docs/problem_file.md, model); geometry is in read_geometry.c,
// motion in read_motion.c. Errors that involve several values (an impossible tensor, a cyclic tree) are found when
// the model is built.

#include "problem/read_model.h"

#include <math.h>
#include <string.h>

static const char *const joint_words[] = {"hinge", "slide", "ball", "planar", "free"};
static const char *const body_joint_words[] = {"fixed", "free", "ball", "planar"};
enum { JOINT_WORDS = 5, BODY_JOINT_WORDS = 4 };

// ---- joints ----

typedef struct joint_record {
    trx_joint_def def;
    int type;
    double limits[2];
} joint_record;

static const trxi_field joint_fields[] = {
    TRXI_FIELD("name", TRXI_NAME, joint_record, def.name, .required = true),
    TRXI_FIELD("type", TRXI_WORD, joint_record, type, .required = true, .words = joint_words, .count = JOINT_WORDS),
    TRXI_FIELD("axis", TRXI_VECTOR, joint_record, def.axis, .count = 3, .of = TRXI_OF_DIRECTION),
    TRXI_FIELD("at", TRXI_VECTOR, joint_record, def.at, .count = 3, .of = TRXI_OF_LENGTH),
    TRXI_FIELD("limits", TRXI_RANGE, joint_record, limits, .of = TRXI_OF_POSITION),
    TRXI_FIELD("damping", TRXI_NOT_NEGATIVE, joint_record, def.damping, .of = TRXI_OF_DAMPING),
    TRXI_FIELD("stiffness", TRXI_NOT_NEGATIVE, joint_record, def.stiffness, .of = TRXI_OF_STIFFNESS),
    TRXI_FIELD("rest", TRXI_NUMBER, joint_record, def.rest, .of = TRXI_OF_POSITION),
    TRXI_FIELD("armature", TRXI_NOT_NEGATIVE, joint_record, def.armature, .of = TRXI_OF_INERTIA),
    TRXI_FIELD("friction", TRXI_NOT_NEGATIVE, joint_record, def.friction, .of = TRXI_OF_FORCE),
    TRXI_FIELD("reference", TRXI_NUMBER, joint_record, def.reference, .of = TRXI_OF_POSITION),
    TRXI_FIELD("velocity_limit", TRXI_POSITIVE, joint_record, def.velocity_limit, .of = TRXI_OF_SPEED),
};

// keys of joints with one degree of freedom
static void check_joint_keys(trxi_reader *reader, const trxi_yaml_node *node, trx_joint_type type)
{
    static const char *const one_dof_keys[] = {"axis", "limits", "rest", "reference", "velocity_limit"};
    const char *word = joint_words[type];
    bool one_dof = type == TRX_JOINT_HINGE || type == TRX_JOINT_SLIDE;
    for (int i = 0; i < 5 && !one_dof; i++)
        if (trxi_yaml_get(node, one_dof_keys[i]))
            trxi_error_at(reader->context, trxi_key_source(node, one_dof_keys[i]), "a %s joint has no %s: remove it",
                          word, one_dof_keys[i]);
    if (!one_dof && type != TRX_JOINT_BALL && trxi_yaml_get(node, "at"))
        trxi_error_at(reader->context, trxi_key_source(node, "at"), "a %s joint has no at: remove it", word);
    if (type == TRX_JOINT_FREE && trxi_yaml_get(node, "stiffness"))
        trxi_error_at(reader->context, trxi_key_source(node, "stiffness"), "a free joint has no stiffness: remove it");
    if (one_dof && !trxi_yaml_get(node, "axis"))
        trxi_error_at(reader->context, node->source, "a %s joint needs an axis: add axis: [x, y, z]", word);
}

static void check_axis(trxi_reader *reader, const trxi_yaml_node *node, trx_joint_def *joint)
{
    double largest = fmax(fmax(fabs(joint->axis[0]), fabs(joint->axis[1])), fabs(joint->axis[2]));
    if (largest > 0) {
        // scaled, so that neither tiny nor huge entries lose the direction
        for (int i = 0; i < 3; i++) joint->axis[i] /= largest;
        return;
    }
    trxi_error_at(reader->context, node->source, "axis: a zero vector has no direction: write [0, 0, 1] or another");
}

// false when the type of the joint is unknown
static bool read_joint(trxi_reader *reader, const trxi_yaml_node *node, trx_joint_def *joint)
{
    joint_record record = {.def = *joint, .type = -1};
    record.def.source = node->source;
    record.limits[0] = record.def.lower, record.limits[1] = record.def.upper;
    if (!TRXI_READ_RECORD(reader, node, "a joint", joint_fields, &record)) return false;

    const trxi_yaml_node *axis = trxi_yaml_get(node, "axis");
    if (record.type >= 0) {
        record.def.type = (trx_joint_type)record.type;
        check_joint_keys(reader, node, record.def.type);
    }
    if (axis && axis->kind == TRXI_YAML_SEQUENCE && axis->count == 3) check_axis(reader, axis, &record.def);
    record.def.lower = record.limits[0], record.def.upper = record.limits[1];
    *joint = record.def;
    return record.type >= 0;
}

// a free joint is the only joint of its body, and its parent is the world
static void check_free(trxi_reader *reader, const trxi_yaml_node *list, const trx_body_def *body)
{
    for (int i = 0; i < body->njoint; i++)
        if (body->joints[i].type == TRX_JOINT_FREE && body->njoint > 1)
            trxi_error_at(reader->context, list->items[i]->source,
                          "a free joint is its body's only joint: remove the others, or write slides and a ball");
}

static void read_joints(trxi_reader *reader, const trxi_yaml_node *list, trxi_scene *scene, int at)
{
    trx_body_def *body = &scene->bodies[at];
    trx_joint_def *joints = TRXI_READER_TAKE(reader, trx_joint_def, list->count);
    if (!joints) return;
    for (int i = 0; i < list->count && reader->memory; i++) {
        joints[i] = trx_joint_def_default();
        joints[i].name = "";
        bool broken = !read_joint(reader, list->items[i], &joints[i]);
        const trxi_yaml_node *name = trxi_yaml_get(list->items[i], "name");
        if (name && *joints[i].name)
            trxi_names_add(reader, &scene->names, (trxi_named){joints[i].name, TRXI_JOINT, at, i, name->source, broken, false});
    }
    body->joints = joints;
    body->njoint = list->count;
    check_free(reader, list, body);
}

// joint: WORD, one joint named like the body
static void take_word_joint(trxi_reader *reader, const trxi_yaml_node *node, int word, trx_body_def *body)
{
    static const trx_joint_type types[] = {TRX_JOINT_FREE, TRX_JOINT_FREE, TRX_JOINT_BALL, TRX_JOINT_PLANAR};
    if (word <= 0) return;
    trx_joint_def *joint = TRXI_READER_TAKE(reader, trx_joint_def, 1);
    if (!joint) return;
    *joint = trx_joint_def_default();
    joint->name = body->name;
    joint->source = trxi_yaml_get(node, "joint")->source;
    joint->type = types[word];
    body->joints = joint;
    body->njoint = 1;
}

// ---- inertia ----

typedef struct inertia_record {
    trx_body_inertia inertia;
    const trxi_yaml_node *tensor;
} inertia_record;

static const trxi_field inertia_fields[] = {
    TRXI_FIELD("mass", TRXI_NOT_NEGATIVE, inertia_record, inertia.mass, .required = true, .of = TRXI_OF_MASS),
    TRXI_FIELD("com", TRXI_VECTOR, inertia_record, inertia.com, .count = 3, .of = TRXI_OF_LENGTH),
    TRXI_FIELD("tensor", TRXI_LIST, inertia_record, tensor),
};

static void read_inertia(trxi_reader *reader, const trxi_yaml_node *node, trx_body_def *body)
{
    inertia_record record = {0};
    body->has_inertia = true;
    body->inertia_source = node->source;
    if (!TRXI_READ_RECORD(reader, node, "inertia", inertia_fields, &record)) return;
    if (record.tensor && record.tensor->count != 3 && record.tensor->count != 6)
        trxi_error_at(reader->context, record.tensor->source,
                      "tensor: expected 3 or 6 numbers, found %d: write [xx, yy, zz] or [xx, yy, zz, xy, xz, yz]",
                      record.tensor->count);
    else if (record.tensor)
        trxi_read_vector(reader, record.tensor, "tensor", record.tensor->count, record.inertia.tensor);
    body->inertia = record.inertia;
}

// ---- frames ----

static const trxi_field frame_fields[] = {
    TRXI_FIELD("name", TRXI_NAME, trx_frame_def, name, .required = true),
    TRXI_FIELD("pose", TRXI_POSE, trx_frame_def, pose),
};

static void read_frames(trxi_reader *reader, const trxi_yaml_node *list, trxi_scene *scene, int at)
{
    trx_frame_def *frames = TRXI_READER_TAKE(reader, trx_frame_def, list->count);
    if (!frames) return;
    for (int i = 0; i < list->count && reader->memory; i++) {
        const trxi_yaml_node *node = list->items[i], *name = trxi_yaml_get(node, "name");
        frames[i] = (trx_frame_def){.name = "", .source = node->source, .pose = trx_pose_identity()};
        TRXI_READ_RECORD(reader, node, "a frame", frame_fields, &frames[i]);
        if (name && *frames[i].name)
            trxi_names_add(reader, &scene->names, (trxi_named){frames[i].name, TRXI_FRAME, at, i, name->source, false, false});
    }
    scene->bodies[at].frames = frames;
    scene->bodies[at].nframe = list->count;
}

// ---- bodies ----

typedef struct body_record {
    trx_body_def def;
    const trxi_yaml_node *parent, *joints, *inertia, *geometry, *frames, *motion, *drag;
    int joint;
} body_record;

static const trxi_field body_fields[] = {
    TRXI_FIELD("name", TRXI_NAME, body_record, def.name, .required = true),
    TRXI_FIELD("parent", TRXI_NODE, body_record, parent),
    TRXI_FIELD("pose", TRXI_POSE, body_record, def.pose),
    TRXI_FIELD("joint", TRXI_WORD, body_record, joint, .words = body_joint_words, .count = BODY_JOINT_WORDS),
    TRXI_FIELD("joints", TRXI_LIST, body_record, joints),
    TRXI_FIELD("inertia", TRXI_NODE, body_record, inertia),
    TRXI_FIELD("geometry", TRXI_LIST, body_record, geometry),
    TRXI_FIELD("frames", TRXI_LIST, body_record, frames),
    TRXI_FIELD("gravity", TRXI_BOOL, body_record, def.gravity),
    TRXI_FIELD("motion", TRXI_NODE, body_record, motion),
    TRXI_FIELD("drag", TRXI_NODE, body_record, drag),
};

// mass comes from the inertia or from the geometry, not from both
static void check_mass(trxi_reader *reader, const trxi_yaml_node *geometry)
{
    static const char *const keys[] = {"mass", "density"};
    for (int i = 0; i < geometry->count; i++)
        for (int k = 0; k < 2; k++)
            if (trxi_yaml_get(geometry->items[i], keys[k]))
                trxi_error_at(reader->context, trxi_key_source(geometry->items[i], keys[k]),
                              "%s: the body has an inertia already: remove one of them", keys[k]);
}

static void read_geometries(trxi_reader *reader, const trxi_yaml_node *list, trxi_scene *scene, int at)
{
    trx_body_def *body = &scene->bodies[at];
    trx_geometry_def *geometry = TRXI_READER_TAKE(reader, trx_geometry_def, list->count);
    if (!geometry) return;
    for (int i = 0; i < list->count && reader->memory; i++) {
        trxi_read_geometry(reader, list->items[i], scene, &geometry[i]);
        const trxi_yaml_node *name = trxi_yaml_get(list->items[i], "name");
        trx_source source = name ? name->source : list->items[i]->source;
        trxi_names_add_geometry(reader, &scene->names, body, at, i, geometry[i].name, source);
    }
    body->geometry = geometry;
    body->ngeometry = list->count;
}

static void read_body(trxi_reader *reader, const trxi_yaml_node *node, trxi_scene *scene, int at)
{
    trx_body_def *body = &scene->bodies[at];
    body_record record = {.def = trx_body_def_default(), .joint = -1};
    record.def.name = "";
    record.def.source = node->source;
    record.def.parent = -1;
    TRXI_READ_RECORD(reader, node, "a body", body_fields, &record);
    *body = record.def;

    // the body's name, and the joint of the same name
    const trxi_yaml_node *name = trxi_yaml_get(node, "name");
    int things = record.joint > 0 ? TRXI_BODY | TRXI_JOINT : TRXI_BODY;
    bool broken = record.joint < 0 && trxi_yaml_get(node, "joint");
    trxi_named entry = {body->name, things, at, 0, name ? name->source : node->source, broken, false};
    if (*body->name) trxi_names_add(reader, &scene->names, entry);
    take_word_joint(reader, node, record.joint, body);
    if (record.joints && trxi_yaml_get(node, "joint")) {
        trx_source word = trxi_key_source(node, "joint"), list = trxi_key_source(node, "joints");
        trxi_error_at(reader->context, trxi_source_after(word, list) ? word : list,
                      "joint and joints both give the joints of \"%s\": remove one", body->name);
    } else if (record.joints)
        read_joints(reader, record.joints, scene, at);

    if (record.inertia) read_inertia(reader, record.inertia, body);
    if (record.geometry) read_geometries(reader, record.geometry, scene, at);
    if (record.geometry && record.inertia) check_mass(reader, record.geometry);
    if (record.frames) read_frames(reader, record.frames, scene, at);
    if (record.motion) trxi_read_motion(reader, record.motion, body);
    if (record.drag) trxi_read_drag(reader, record.drag, &body->drag);

    bool free_body = body->njoint == 1 && body->joints[0].type == TRX_JOINT_FREE;
    if (free_body && trxi_yaml_get(node, "pose"))
        trxi_error_at(reader->context, trxi_key_source(node, "pose"),
                      "a free body has no pose: remove it, and give its place in start:");
}

void trxi_read_bodies(trxi_reader *reader, const trxi_yaml_node *list, trxi_scene *scene)
{
    for (int i = 0; i < list->count && reader->memory; i++) read_body(reader, list->items[i], scene, scene->own_body + i);
    scene->def.nbody = scene->own_body + list->count;
}

void trxi_resolve_parents(trxi_reader *reader, const trxi_yaml_node *list, trxi_scene *scene)
{
    for (int i = 0; i < list->count && reader->memory; i++) {
        const trxi_yaml_node *parent = trxi_yaml_get(list->items[i], "parent");
        trx_body_def *body = &scene->bodies[scene->own_body + i];
        if (!parent || !trxi_expect_text(reader, parent, "parent", "the name of a body")) continue;
        if (strcmp(parent->text, "world") == 0) continue;
        const trxi_named *entry = trxi_names_resolve(reader, &scene->names, parent->source, parent->text, TRXI_BODY);
        if (entry) body->parent = entry->body;
        if (body->njoint == 1 && body->joints[0].type == TRX_JOINT_FREE)
            trxi_error_at(reader->context, parent->source,
                          "the parent of a free body is the world: remove parent, or give other joints");
    }
}
