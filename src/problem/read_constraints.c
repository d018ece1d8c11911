// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The list constraints: couplers of joints, tendons with limits; balls, welds and distances between bodies or frames (theory
// 4). Constraints of included robots come first.

#include "import/pose.h"
#include "problem/read_model.h"

#include <string.h>

enum { COUPLER, BALL, WELD, DISTANCE, TENDON, TYPES };

static const char *const type_words[TYPES] = {"coupler", "ball", "weld", "distance", "tendon"};

typedef struct constraint_record {
    trx_constraint_def def;
    int type;
    const trxi_yaml_node *joint, *of, *polynomial, *bodies, *joints;
    double ratio, offset, at[3], to[3], limits[2];
    trx_pose pose;
} constraint_record;

static const trxi_field constraint_fields[] = {
    TRXI_FIELD("name", TRXI_NAME, constraint_record, def.name, .required = true),
    TRXI_FIELD("type", TRXI_WORD, constraint_record, type, .required = true, .words = type_words, .count = TYPES),
    TRXI_FIELD("joint", TRXI_NODE, constraint_record, joint, .takers = 1 << COUPLER, .needers = 1 << COUPLER),
    TRXI_FIELD("of", TRXI_NODE, constraint_record, of, .takers = 1 << COUPLER),
    TRXI_FIELD("ratio", TRXI_NUMBER, constraint_record, ratio, .takers = 1 << COUPLER),
    TRXI_FIELD("offset", TRXI_NUMBER, constraint_record, offset, .of = TRXI_OF_POSITION, .takers = 1 << COUPLER),
    TRXI_FIELD("polynomial", TRXI_LIST, constraint_record, polynomial, .takers = 1 << COUPLER),
    TRXI_FIELD("bodies", TRXI_LIST, constraint_record, bodies,
               .takers = 1 << BALL | 1 << WELD | 1 << DISTANCE, .needers = 1 << BALL | 1 << WELD | 1 << DISTANCE),
    TRXI_FIELD("at", TRXI_VECTOR, constraint_record, at, .count = 3, .of = TRXI_OF_LENGTH,
               .takers = 1 << BALL | 1 << DISTANCE),
    TRXI_FIELD("to", TRXI_VECTOR, constraint_record, to, .count = 3, .of = TRXI_OF_LENGTH,
               .takers = 1 << BALL | 1 << DISTANCE),
    TRXI_FIELD("pose", TRXI_POSE, constraint_record, pose, .takers = 1 << WELD),
    TRXI_FIELD("length", TRXI_POSITIVE, constraint_record, def.length, .of = TRXI_OF_LENGTH,
               .takers = 1 << DISTANCE, .needers = 1 << DISTANCE),
    TRXI_FIELD("joints", TRXI_MAP, constraint_record, joints, .takers = 1 << TENDON, .needers = 1 << TENDON),
    TRXI_FIELD("limits", TRXI_RANGE, constraint_record, limits, .of = TRXI_OF_POSITION,
               .takers = 1 << TENDON, .needers = 1 << TENDON),
    TRXI_FIELD("stiffness", TRXI_POSITIVE, constraint_record, def.stiffness, .of = TRXI_OF_STIFFNESS),
    TRXI_FIELD("relaxation_time", TRXI_NOT_NEGATIVE, constraint_record, def.relaxation_time, .of = TRXI_OF_RELAXATION),
};

static void check_keys(trxi_reader *reader, const trxi_yaml_node *node, int type)
{
    for (size_t i = 0; i < sizeof constraint_fields / sizeof *constraint_fields; i++) {
        const trxi_field *field = &constraint_fields[i];
        if (trxi_field_is_foreign(field, node, type))
            trxi_error_at(reader->context, trxi_key_source(node, field->key), "a %s has no %s: remove it", type_words[type],
                          field->key);
        if (trxi_field_is_missing(field, node, type))
            trxi_error_at(reader->context, node->source, "a %s: missing key \"%s\": add it", type_words[type], field->key);
    }
}

// ---- couplers ----

static void read_polynomial(trxi_reader *reader, const trxi_yaml_node *list, trx_constraint_def *constraint)
{
    memset(constraint->polynomial, 0, sizeof constraint->polynomial);
    if (list->count < 1 || list->count > 5)
        trxi_error_at(reader->context, list->source,
                      "polynomial: expected 1 to 5 numbers, found %d: write [c0, c1, ...] for c0 + c1 q + ...", list->count);
    else
        trxi_read_vector(reader, list, "polynomial", list->count, constraint->polynomial);
}

// q_a = offset + ratio q_b, or a polynomial of q_b; the offset alone without b
static void read_coupler(trxi_reader *reader, const trxi_yaml_node *node, const constraint_record *record,
                         const trxi_scene *scene, trx_constraint_def *constraint)
{
    static const char *const line_keys[] = {"ratio", "offset"};
    if (record->joint)
        trxi_read_joint_name(reader, record->joint, scene, "joint", &constraint->body_a, &constraint->joint_a);
    if (record->of) trxi_read_joint_name(reader, record->of, scene, "of", &constraint->body_b, &constraint->joint_b);
    if (record->joint && record->of && constraint->body_a >= 0 && constraint->body_a == constraint->body_b &&
        constraint->joint_a == constraint->joint_b)
        trxi_error_at(reader->context, record->of->source, "of: a joint is not coupled to itself: write another joint");
    constraint->polynomial[0] = record->offset;
    constraint->polynomial[1] = trxi_yaml_get(node, "of") ? record->ratio : 0;
    if (!trxi_yaml_get(node, "of") && trxi_yaml_get(node, "ratio"))
        trxi_error_at(reader->context, trxi_key_source(node, "ratio"), "ratio needs the joint it is of: add of:");
    for (int i = 0; i < 2 && record->polynomial; i++)
        if (trxi_yaml_get(node, line_keys[i]))
            trxi_error_at(reader->context, trxi_key_source(node, line_keys[i]),
                          "%s and polynomial both give the curve: remove one", line_keys[i]);
    if (record->polynomial) read_polynomial(reader, record->polynomial, constraint);
}

// ---- between bodies ----

// index of a body, of a frame's body, or of the world, and the pose of the frame
static bool read_side(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, int *body, trx_pose *pose)
{
    *body = -1;
    *pose = trx_pose_identity();
    if (!trxi_expect_text(reader, node, "bodies", "the name of a body or frame, or world")) return false;
    if (strcmp(node->text, "world") == 0) return true;
    const trxi_named *entry =
        trxi_names_resolve(reader, &scene->names, node->source, node->text, TRXI_BODY | TRXI_FRAME);
    if (!entry) return false;
    *body = entry->body;
    if (entry->things == TRXI_FRAME) *pose = scene->bodies[entry->body].frames[entry->index].pose;
    return true;
}

static void read_bodies(trxi_reader *reader, const constraint_record *record, const trxi_scene *scene,
                        trx_constraint_def *constraint)
{
    const trxi_yaml_node *list = record->bodies;
    if (!list) return;
    if (list->count != 2) {
        trxi_error_at(reader->context, list->source, "bodies: expected two names, found %d: write [A, B]", list->count);
        return;
    }
    trx_pose a, b;
    bool first = read_side(reader, list->items[0], scene, &constraint->body_a, &a);
    bool second = read_side(reader, list->items[1], scene, &constraint->body_b, &b);
    if (first && second && constraint->body_a == constraint->body_b)
        trxi_error_at(reader->context, list->source, "bodies: a body is not held to itself: write two bodies");
    if (!first || !second) return;
    constraint->pose_a = trxi_pose_mul(&a, &record->pose);
    constraint->pose_b = b;
    if (record->type == WELD) return;
    trxi_pose_point(&a, record->at, constraint->pose_a.p);
    trxi_pose_point(&b, record->to, constraint->pose_b.p);
}

// ---- tendons ----

static void read_tendon(trxi_reader *reader, const constraint_record *record, trxi_scene *scene, trx_constraint_def *constraint)
{
    if (!record->joints) return;
    constraint->tendon = trxi_read_tendon(reader, record->joints, constraint->name, scene);
    constraint->lower = record->limits[0];
    constraint->upper = record->limits[1];
}

// ---- the list ----

static void read_constraint(trxi_reader *reader, const trxi_yaml_node *node, trxi_scene *scene,
                            trx_constraint_def *constraint)
{
    constraint_record record = {.def = trx_constraint_def_default(), .type = -1, .ratio = 1, .pose = trx_pose_identity()};
    record.def.source = node->source;
    record.def.name = "";
    *constraint = record.def;
    if (!TRXI_READ_RECORD(reader, node, "a constraint", constraint_fields, &record)) return;
    *constraint = record.def;
    if (record.type < 0) return;
    constraint->type = (trx_constraint_type)record.type;
    check_keys(reader, node, record.type);
    if (record.type == COUPLER) read_coupler(reader, node, &record, scene, constraint);
    else if (record.type == TENDON) read_tendon(reader, &record, scene, constraint);
    else read_bodies(reader, &record, scene, constraint);
}

// constraints of a robot, with indices of the scene
static void take_constraints(trxi_scene *scene, const trxi_include *include)
{
    const trx_model_def *def = &trx_import_get(include->import)->def;
    for (int i = 0; i < def->nconstraint; i++) {
        trx_constraint_def *constraint = &scene->constraints[scene->def.nconstraint++];
        *constraint = def->constraints[i];
        if (constraint->tendon >= 0) constraint->tendon += include->first_tendon;
        if (constraint->tendon_b >= 0) constraint->tendon_b += include->first_tendon;
        if (constraint->type == TRX_CONSTRAINT_TENDON) continue;
        constraint->body_a = trxi_include_body(include, constraint->body_a);
        if (constraint->type != TRX_CONSTRAINT_COUPLER || constraint->body_b >= 0)
            constraint->body_b = trxi_include_body(include, constraint->body_b);
    }
}

static void check_names(trxi_reader *reader, const trxi_scene *scene)
{
    for (int i = 0; i < scene->def.nconstraint; i++)
        for (int k = 0; k < i && *scene->constraints[i].name; k++)
            if (strcmp(scene->constraints[k].name, scene->constraints[i].name) == 0) {
                trxi_error_at(reader->context, scene->constraints[i].source,
                              "a second constraint called \"%.100s\": give it another name:", scene->constraints[i].name);
                break;
            }
}

void trxi_read_constraints(trxi_reader *reader, const trxi_yaml_node *list, trxi_scene *scene)
{
    int count = list ? list->count : 0;
    for (int k = 0; k < scene->ninclude; k++)
        if (scene->includes[k].import) count += trx_import_get(scene->includes[k].import)->def.nconstraint;
    scene->constraints = TRXI_READER_TAKE(reader, trx_constraint_def, count);
    scene->def.constraints = scene->constraints;
    for (int k = 0; scene->constraints && k < scene->ninclude; k++)
        if (scene->includes[k].import) take_constraints(scene, &scene->includes[k]);
    for (int i = 0; list && i < list->count && reader->memory; i++)
        read_constraint(reader, list->items[i], scene, &scene->constraints[scene->def.nconstraint++]);
    if (reader->memory) check_names(reader, scene);
}
