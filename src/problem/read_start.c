// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section start (interface 3.9): a value per joint in the form its type takes, groups of joints, and their
// conversion into one state vector. A joint that is set twice is an error, whatever the two ways.

#include "problem/sections.h"

#include <string.h>

static trxi_joint_start identity(trx_joint_type type)
{
    trxi_joint_start start = {0};
    if (type == TRX_JOINT_BALL) start.q[0] = 1;
    if (type == TRX_JOINT_FREE) start.q[3] = 1;
    return start;
}

static bool claim(trxi_reader *reader, trxi_joint_start *start, trx_source source, const char *name)
{
    if (start->set)
        trxi_error_at(reader->context, source, "\"%.100s\" is set in line %d already: remove one of them", name,
                      start->source.line);
    bool fresh = !start->set;
    start->set = true;
    start->source = source;
    return fresh;
}

// ---- the form of each joint type ----

typedef struct free_record {
    const trxi_yaml_node *xyz, *rpy, *quat;
    double velocity[3], spin[3];
} free_record;

static const trxi_field free_fields[] = {
    TRXI_FIELD("xyz", TRXI_NODE, free_record, xyz),
    TRXI_FIELD("rpy", TRXI_NODE, free_record, rpy),
    TRXI_FIELD("quat", TRXI_NODE, free_record, quat),
    TRXI_FIELD("velocity", TRXI_VECTOR, free_record, velocity, .count = 3),
    TRXI_FIELD("spin", TRXI_VECTOR, free_record, spin, .count = 3),
};

static const trxi_field ball_fields[] = {
    TRXI_FIELD("rpy", TRXI_NODE, free_record, rpy),
    TRXI_FIELD("quat", TRXI_NODE, free_record, quat),
    TRXI_FIELD("spin", TRXI_VECTOR, free_record, spin, .count = 3),
};

static void read_free(trxi_reader *reader, const trxi_yaml_node *node, const char *name, trxi_joint_start *start)
{
    free_record record = {0};
    trx_pose pose = trx_pose_identity();
    if (!TRXI_READ_RECORD(reader, node, name, free_fields, &record)) return;
    trxi_read_pose_keys(reader, node, &pose);
    memcpy(start->q, pose.p, sizeof pose.p);
    memcpy(start->q + 3, pose.quat, sizeof pose.quat);
    memcpy(start->v, record.velocity, sizeof record.velocity);
    memcpy(start->v + 3, record.spin, sizeof record.spin);
}

static void read_ball(trxi_reader *reader, const trxi_yaml_node *node, const char *name, trxi_joint_start *start)
{
    free_record record = {0};
    trx_pose pose = trx_pose_identity();
    if (!TRXI_READ_RECORD(reader, node, name, ball_fields, &record)) return;
    trxi_read_pose_keys(reader, node, &pose);
    memcpy(start->q, pose.quat, sizeof pose.quat);
    memcpy(start->v, record.spin, sizeof record.spin);
}

static const trxi_field planar_fields[] = {
    TRXI_FIELD("x", TRXI_NUMBER, trxi_joint_start, q[0]),   TRXI_FIELD("y", TRXI_NUMBER, trxi_joint_start, q[1]),
    TRXI_FIELD("yaw", TRXI_NUMBER, trxi_joint_start, q[2]), TRXI_FIELD("vx", TRXI_NUMBER, trxi_joint_start, v[0]),
    TRXI_FIELD("vy", TRXI_NUMBER, trxi_joint_start, v[1]),  TRXI_FIELD("wz", TRXI_NUMBER, trxi_joint_start, v[2]),
};

static const trxi_field one_dof_fields[] = {
    TRXI_FIELD("position", TRXI_NUMBER, trxi_joint_start, q[0]),
    TRXI_FIELD("velocity", TRXI_NUMBER, trxi_joint_start, v[0]),
};

static void read_joint_start(trxi_reader *reader, const trxi_yaml_node *node, const char *name, trx_joint_type type,
                             trxi_joint_start *start)
{
    switch (type) {
    case TRX_JOINT_FREE: read_free(reader, node, name, start); break;
    case TRX_JOINT_BALL: read_ball(reader, node, name, start); break;
    case TRX_JOINT_PLANAR: TRXI_READ_RECORD(reader, node, name, planar_fields, start); break;
    case TRX_JOINT_HINGE:
    case TRX_JOINT_SLIDE:
        if (node->kind == TRXI_YAML_MAPPING)
            TRXI_READ_RECORD(reader, node, name, one_dof_fields, start);
        else
            trxi_read_number(reader, node, name, &start->q[0]);
        break;
    }
}

// ---- groups ----

typedef struct group_record {
    const trxi_yaml_node *position, *velocity;
} group_record;

static const trxi_field group_fields[] = {
    TRXI_FIELD("position", TRXI_NODE, group_record, position),
    TRXI_FIELD("velocity", TRXI_NODE, group_record, velocity),
};

static double *read_numbers(trxi_reader *reader, const trxi_yaml_node *node, const char *key, int count)
{
    double *numbers = TRXI_READER_TAKE(reader, double, count);
    if (numbers) trxi_read_vector(reader, node, key, count, numbers);
    return numbers;
}

static void read_group(trxi_reader *reader, trx_source source, const char *key, const char *name,
                       const trxi_yaml_node *node, const trxi_scene *scene, trxi_start *start)
{
    const trxi_named *entry = trxi_names_resolve(reader, &scene->names, source, name, TRXI_BODY);
    if (!entry) return;
    int count = trxi_scene_group(scene, entry->body);
    for (int i = 0; i < scene->def.nbody; i++)
        for (int j = 0; trxi_scene_descends(scene, i, entry->body) && j < scene->bodies[i].njoint; j++)
            if (trxi_joint_nv(scene->bodies[i].joints[j].type) == 1)
                claim(reader, &start->joints[i][j], source, scene->bodies[i].joints[j].name);

    group_record record = {0};
    if (node->kind == TRXI_YAML_MAPPING)
        TRXI_READ_RECORD(reader, node, key, group_fields, &record);
    else
        record.position = node;
    trxi_group_start *group = &start->groups[start->ngroup++];
    group->body = entry->body;
    group->joints = TRXI_READER_TAKE(reader, int, count);
    if (record.position) group->q = read_numbers(reader, record.position, key, count);
    if (record.velocity) group->v = read_numbers(reader, record.velocity, "velocity", count);
}

// ---- the section ----

// a body whose joints have other names than its own
static bool is_body_of_joints(trxi_reader *reader, trx_source source, const char *name, const trxi_scene *scene)
{
    const trxi_named *entry = trxi_names_find(&scene->names, name);
    if (!entry || entry->things != TRXI_BODY || entry->broken) return false;
    const trx_body_def *body = &scene->bodies[entry->body];
    if (body->njoint == 0)
        trxi_error_at(reader->context, source, "\"%.100s\" is fixed: remove it here, or give it a joint", name);
    else
        trxi_error_at(reader->context, source, "\"%.100s\" is moved by joints: write their names (%.100s%s)", name,
                      body->joints[0].name, body->njoint > 1 ? ", ..." : "");
    return true;
}

// no name, but almost one of the words of this section
static bool is_near_word(trxi_reader *reader, trx_source source, const char *key, const trxi_scene *scene)
{
    static const char *const words[] = {"settle", "keyframe"};
    const char *near = trxi_names_find(&scene->names, key) ? "" : trxi_did_you_mean(reader, key, words, 2);
    if (*near) trxi_error_at(reader->context, source, "unknown key \"%.100s\"%s", key, near);
    return *near != '\0';
}

static void read_entry(trxi_reader *reader, const trxi_yaml_node *section, int i, const trxi_scene *scene,
                       trxi_start *start)
{
    static const trxi_field settle = {.key = "settle", .kind = TRXI_NOT_NEGATIVE};
    const char *key = section->keys[i];
    const trxi_yaml_node *node = section->items[i];
    trx_source source = section->key_sources[i];
    double seconds = 0;
    trxi_parts parts;

    if (strcmp(key, "settle") == 0 && !trxi_names_find(&scene->names, key)) {
        if (trxi_read_value(reader, node, &settle, &seconds) && seconds > 0)
            trxi_not_served(reader, TRXI_FOR_MODEL, node, NULL);
        return;
    }
    if (strcmp(key, "keyframe") == 0 && !trxi_names_find(&scene->names, key)) {
        trxi_expect_text(reader, node, key, "the name of a keyframe");
        trxi_not_served(reader, TRXI_FOR_MODEL, node, NULL);
        return;
    }
    bool function = trxi_parts_split(reader, key, &parts) && parts.function;
    if (function && strcmp(parts.function, "joints") == 0 && parts.narguments == 1 && !parts.member) {
        read_group(reader, source, key, parts.arguments[0], node, scene, start);
        return;
    }
    if (is_body_of_joints(reader, source, key, scene) || is_near_word(reader, source, key, scene)) return;
    const trxi_named *entry = trxi_names_resolve(reader, &scene->names, source, key, TRXI_JOINT);
    if (!entry || !claim(reader, &start->joints[entry->body][entry->index], source, key)) return;
    read_joint_start(reader, node, key, scene->bodies[entry->body].joints[entry->index].type,
                     &start->joints[entry->body][entry->index]);
}

void trxi_read_start(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, trxi_start *start)
{
    start->joints = TRXI_READER_TAKE(reader, trxi_joint_start *, scene->def.nbody);
    for (int i = 0; start->joints && i < scene->def.nbody; i++) {
        const trx_body_def *body = &scene->bodies[i];
        start->joints[i] = TRXI_READER_TAKE(reader, trxi_joint_start, body->njoint);
        for (int j = 0; start->joints[i] && j < body->njoint; j++) start->joints[i][j] = identity(body->joints[j].type);
    }
    if (!reader->memory || !node || !trxi_expect_map(reader, node, "start")) return;
    start->groups = TRXI_READER_TAKE(reader, trxi_group_start, node->count);
    for (int i = 0; i < node->count && reader->memory; i++) read_entry(reader, node, i, scene, start);
}

// numbers of a group into x, in the order of q
static void apply_group(const trxi_group_start *group, const trxi_scene *scene, const trx_model *model, double *x)
{
    int nq = trx_model_get_size(model).nq, count = trxi_scene_group(scene, group->body);
    trxi_group_joints(model, trx_model_find_body(model, scene->bodies[group->body].name), group->joints);
    for (int i = 0; i < count; i++) {
        trx_joint_info joint = trx_model_joint(model, group->joints[i]);
        if (group->q) x[joint.q_index] = group->q[i];
        if (group->v) x[nq + joint.v_index] = group->v[i];
    }
}

void trxi_start_apply(const trxi_start *start, const trxi_scene *scene, const trx_model *model, double *x)
{
    int nq = trx_model_get_size(model).nq;
    for (int i = 0; i < scene->def.nbody; i++)
        for (int j = 0; j < scene->bodies[i].njoint; j++) {
            const trxi_joint_start *value = &start->joints[i][j];
            trx_joint_info joint = trx_model_joint(model, trx_model_find_joint(model, scene->bodies[i].joints[j].name));
            memcpy(x + joint.q_index, value->q, (size_t)joint.nq * sizeof *x);
            memcpy(x + nq + joint.v_index, value->v, (size_t)joint.nv * sizeof *x);
        }
    for (int i = 0; i < start->ngroup; i++) apply_group(&start->groups[i], scene, model, x);
}
