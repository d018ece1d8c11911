// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section start: a value per joint in the form of its type, groups of joints, and their conversion into one
// state vector. A joint that is set twice is an error, in whatever form. Robots start in the configuration of their
// files or at a keyframe; values of single joints win.

#include "problem/read_start.h"

#include "problem/quantity.h"

#include <string.h>

static trxi_joint_start neutral(const trx_joint_def *joint)
{
    trxi_joint_start start = {0};
    if (trxi_joint_nv(joint->type) == 1) start.q[0] = joint->reference;
    if (joint->type == TRX_JOINT_BALL) start.q[0] = 1;
    if (joint->type == TRX_JOINT_FREE) start.q[3] = 1;
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
    TRXI_FIELD("velocity", TRXI_VECTOR, free_record, velocity, .count = 3, .of = TRXI_OF_SPEED),
    TRXI_FIELD("spin", TRXI_VECTOR, free_record, spin, .count = 3, .of = TRXI_OF_SPEED),
};

static const trxi_field ball_fields[] = {
    TRXI_FIELD("rpy", TRXI_NODE, free_record, rpy),
    TRXI_FIELD("quat", TRXI_NODE, free_record, quat),
    TRXI_FIELD("spin", TRXI_VECTOR, free_record, spin, .count = 3, .of = TRXI_OF_SPEED),
};

// missing values keep their default: the identity, or the value of a robot's file
static void read_free(trxi_reader *reader, const trxi_yaml_node *node, const char *name, trxi_joint_start *start)
{
    free_record record = {0};
    trx_pose pose;
    memcpy(pose.p, start->q, sizeof pose.p);
    memcpy(pose.quat, start->q + 3, sizeof pose.quat);
    memcpy(record.velocity, start->v, sizeof record.velocity);
    memcpy(record.spin, start->v + 3, sizeof record.spin);
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
    memcpy(pose.quat, start->q, sizeof pose.quat);
    memcpy(record.spin, start->v, sizeof record.spin);
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
    TRXI_FIELD("position", TRXI_NUMBER, trxi_joint_start, q[0], .of = TRXI_OF_POSITION),
    TRXI_FIELD("velocity", TRXI_NUMBER, trxi_joint_start, v[0], .of = TRXI_OF_SPEED),
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
    trxi_side side;
    if (!trxi_find_side(reader, scene, source, name, TRXI_BODY | TRXI_INCLUDE, &side)) return;
    int count = trxi_scene_group(scene, side);
    for (int i = 0; i < scene->def.nbody; i++)
        for (int j = 0; trxi_scene_in_group(scene, side, i) && j < scene->bodies[i].njoint; j++)
            if (trxi_joint_nv(scene->bodies[i].joints[j].type) == 1)
                claim(reader, &start->joints[i][j], source, scene->bodies[i].joints[j].name);

    group_record record = {0};
    if (node->kind == TRXI_YAML_MAPPING)
        TRXI_READ_RECORD(reader, node, key, group_fields, &record);
    else
        record.position = node;
    trxi_group_start *group = &start->groups[start->ngroup++];
    group->side = side;
    group->joints = TRXI_READER_TAKE(reader, int, count);
    if (record.position) group->q = read_numbers(reader, record.position, key, count);
    if (record.velocity) group->v = read_numbers(reader, record.velocity, "velocity", count);
}

// ---- robots: start of their files, and keyframes ----

// numbers of a robot, in the order of its bodies and joints; `q` or `v` may be NULL
static void take_state(const trxi_scene *scene, const trxi_include *include, const double *q, const double *v,
                       trxi_start *start)
{
    for (int i = include->first_body; i < include->first_body + include->nbody; i++)
        for (int j = 0; j < scene->bodies[i].njoint; j++) {
            trx_joint_type type = scene->bodies[i].joints[j].type;
            int nq = trxi_joint_nq(type), nv = trxi_joint_nv(type);
            if (q) memcpy(start->joints[i][j].q, q, (size_t)nq * sizeof *q), q += nq;
            if (v) memcpy(start->joints[i][j].v, v, (size_t)nv * sizeof *v), v += nv;
        }
}

// activations of a robot at a keyframe; its actuators follow the actuators of earlier robots
static void take_activations(const trxi_scene *scene, int include, const trx_keyframe *keyframe, trxi_start *start)
{
    double *out = start->activations;
    for (int k = 0; k < include; k++)
        if (scene->includes[k].has_actuators) out += trx_import_get(scene->includes[k].import)->def.nactuator;
    if (!keyframe->a || !scene->includes[include].has_actuators) return;
    memcpy(out, keyframe->a, (size_t)trx_import_get(scene->includes[include].import)->def.nactuator * sizeof *out);
}

static void read_keyframe(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, trxi_start *start)
{
    if (!trxi_expect_text(reader, node, "keyframe", "the name of a keyframe")) return;
    const char **names = NULL;
    int count = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1) names = TRXI_READER_TAKE(reader, const char *, count + 1);
        if (pass == 1 && !names) return;
        count = 0;
        for (int k = 0; k < scene->ninclude; k++) {
            if (!scene->includes[k].import) return;
            const trx_import_result *result = trx_import_get(scene->includes[k].import);
            for (int i = 0; i < result->nkeyframe; i++, count++) {
                const trx_keyframe *keyframe = &result->keyframes[i];
                if (names) names[count] = keyframe->name;
                if (strcmp(keyframe->name, node->text) != 0) continue;
                take_state(scene, &scene->includes[k], keyframe->q, keyframe->v, start);
                take_activations(scene, k, keyframe, start);
                return;
            }
        }
    }
    const char *near = trxi_did_you_mean(reader, node->text, names, count);
    if (*near || count == 0)
        trxi_error_at(reader->context, node->source, "unknown keyframe \"%.100s\"%s", node->text,
                      *near ? near : ": no included robot has any");
    else
        trxi_error_at(reader->context, node->source, "unknown keyframe \"%.100s\": write %s", node->text,
                      trxi_choices(reader, names, count));
}

// one, or one per robot
static void read_keyframes(trxi_reader *reader, const trxi_yaml_node *section, const trxi_scene *scene, trxi_start *start)
{
    const trxi_yaml_node *node = trxi_yaml_get(section, "keyframe");
    if (!node || trxi_names_find(&scene->names, "keyframe", TRXI_ANY)) return;
    if (node->kind != TRXI_YAML_SEQUENCE) read_keyframe(reader, node, scene, start);
    for (int i = 0; node->kind == TRXI_YAML_SEQUENCE && i < node->count && reader->memory; i++)
        read_keyframe(reader, node->items[i], scene, start);
}

// the joint that places a whole robot: the joint of its only root with joints, if it is free, planar or a ball
static const trxi_named *find_base(const trxi_scene *scene, const char *name)
{
    const trxi_named *entry = trxi_names_find(&scene->names, name, TRXI_INCLUDE);
    if (!entry || entry->broken) return NULL;
    const trxi_include *include = &scene->includes[entry->body];
    const trx_joint_def *base = NULL;
    for (int i = include->first_body; i < include->first_body + include->nbody; i++) {
        const trx_body_def *body = &scene->bodies[i];
        bool root = body->parent < include->first_body || body->parent >= include->first_body + include->nbody;
        if (root && body->njoint == 1 && trxi_joint_nv(body->joints[0].type) > 1 && !base) base = &body->joints[0];
        else if (root && body->njoint) return NULL;
    }
    return base ? trxi_names_find(&scene->names, base->name, TRXI_JOINT) : NULL;
}

// ---- the section ----

// reports a robot without a joint that places it; returns whether it did
static bool report_missing_base(trxi_reader *reader, trx_source source, const char *name, const trxi_scene *scene)
{
    const trxi_named *entry = trxi_names_find(&scene->names, name, TRXI_INCLUDE);
    if (!entry || entry->broken || find_base(scene, name) || trxi_names_find(&scene->names, name, TRXI_JOINT)) return false;
    trxi_error_at(reader->context, source,
                  "\"%.100s\" has no free, planar or ball base: write its joints by name, or joints(%.100s): [...], and its place "
                  "in include: pose",
                  name, name);
    return true;
}

// reports a body whose joints have other names than the body, or a fixed body; returns whether it did
static bool report_body_for_joint(trxi_reader *reader, trx_source source, const char *name, const trxi_scene *scene)
{
    const trxi_named *entry = trxi_names_find(&scene->names, name, TRXI_BODY);
    if (!entry || entry->broken || trxi_names_find(&scene->names, name, TRXI_JOINT)) return false;
    const trx_body_def *body = &scene->bodies[entry->body];
    if (body->njoint == 0)
        trxi_error_at(reader->context, source, "\"%.100s\" is fixed: remove it here, or give it a joint", name);
    else
        trxi_error_at(reader->context, source, "\"%.100s\" is moved by joints: write their names (%.100s%s)", name,
                      body->joints[0].name, body->njoint > 1 ? ", ..." : "");
    return true;
}

// reports an unknown name that is similar to a keyword of this section; returns whether it did
static bool report_near_word(trxi_reader *reader, trx_source source, const char *key, const trxi_scene *scene)
{
    static const char *const words[] = {"settle", "keyframe"};
    const char *near = trxi_names_find(&scene->names, key, TRXI_ANY) ? "" : trxi_did_you_mean(reader, key, words, 2);
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

    if (strcmp(key, "settle") == 0 && !trxi_names_find(&scene->names, key, TRXI_ANY)) {
        if (trxi_read_value(reader, node, &settle, &seconds)) start->settle = seconds;
        start->settle_source = node->source;
        return;
    }
    if (strcmp(key, "keyframe") == 0 && !trxi_names_find(&scene->names, key, TRXI_ANY)) return; // read before
    bool function = trxi_parts_split(reader, key, &parts) && parts.function;
    if (function && strcmp(parts.function, "joints") == 0 && parts.narguments == 1 && !parts.member) {
        read_group(reader, source, key, parts.arguments[0], node, scene, start);
        return;
    }
    if (report_body_for_joint(reader, source, key, scene) || report_missing_base(reader, source, key, scene) ||
        report_near_word(reader, source, key, scene))
        return;
    const trxi_named *base = find_base(scene, key);
    const trxi_named *entry = base ? base : trxi_names_resolve(reader, &scene->names, source, key, TRXI_JOINT);
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
        for (int j = 0; start->joints[i] && j < body->njoint; j++) start->joints[i][j] = neutral(&body->joints[j]);
    }
    start->activations = TRXI_READER_TAKE(reader, double, scene->def.nactuator);
    for (int i = 0; start->activations && i < scene->def.nactuator; i++)
        start->activations[i] = scene->actuators[i].activation.start;
    for (int k = 0; reader->memory && k < scene->ninclude; k++)
        if (scene->includes[k].import)
            take_state(scene, &scene->includes[k], trx_import_get(scene->includes[k].import)->q0, NULL, start);
    if (!reader->memory || !node || !trxi_expect_map(reader, node, "start")) return;
    read_keyframes(reader, node, scene, start);
    start->groups = TRXI_READER_TAKE(reader, trxi_group_start, node->count);
    for (int i = 0; i < node->count && reader->memory; i++) read_entry(reader, node, i, scene, start);
}

// numbers of a group into x, in the order of q
static void apply_group(const trxi_group_start *group, const trxi_scene *scene, const trx_model *model, double *x)
{
    int nq = trx_model_get_size(model).nq, count = trxi_scene_group(scene, group->side);
    trxi_group_joints(scene, model, group->side, group->joints);
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
    for (int i = 0; i < scene->def.nactuator; i++) {
        const int a = trx_model_actuator(model, i).a_index;
        if (a >= 0) x[nq + trx_model_get_size(model).nv + a] = start->activations[i];
    }
}
