// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section cost: quantities, targets in every form, weights, times. target.c handles targets that
// need the model (`start`, columns of a file).

#include "model/model.h"
#include "problem/read_cost.h"
#include "problem/read_weight.h"
#include "problem/target.h"
#include "dynamics/distance.h"
#include "trajopt/quantities.h"

#include <math.h>
#include <string.h>

// ---- targets ----

static const trxi_field file_fields[] = {{.key = "file", .kind = TRXI_PATH, .required = true}};

// {rpy: ...} or {quat: ...} of an orientation
static void read_orientation(trxi_reader *reader, const trxi_yaml_node *node, trxi_term *term)
{
    static const char *const keys[] = {"rpy", "quat", "file"};
    trx_pose pose = trx_pose_identity();
    for (int i = 0; i < node->count; i++)
        if (strcmp(node->keys[i], "rpy") != 0 && strcmp(node->keys[i], "quat") != 0)
            trxi_unknown_key(reader, node->key_sources[i], node->keys[i], keys, 3);
    if (node->count == 0)
        trxi_error_at(reader->context, node->source, "target: write {rpy: [r, p, y]} or {quat: [w, x, y, z]}");
    trxi_read_pose_keys(reader, node, &pose);
    double *quat = TRXI_READER_TAKE(reader, double, 4);
    if (quat) memcpy(quat, pose.quat, sizeof pose.quat);
    term->form = TRXI_TARGET_NUMBERS;
    term->numbers = quat;
}

static void read_file(trxi_reader *reader, const trxi_yaml_node *node, trxi_term *term)
{
    const char *file = NULL;
    TRXI_READ_RECORD(reader, node, "target", file_fields, &file);
    if (!file) return;
    term->form = TRXI_TARGET_FILE;
    term->file = trxi_file_path(reader, file);
    term->target_source = trxi_yaml_get(node, "file")->source;
}

static void read_numbers(trxi_reader *reader, const trxi_yaml_node *node, trxi_term *term)
{
    int count = term->of.target_length;
    double *numbers = TRXI_READER_TAKE(reader, double, count);
    if (!numbers) return;
    bool alone = count == 1 && node->kind == TRXI_YAML_SCALAR;
    bool fine = alone ? trxi_read_number(reader, node, "target", numbers)
                      : trxi_read_vector(reader, node, "target", count, numbers);
    if (fine) term->form = TRXI_TARGET_NUMBERS;
    term->numbers = numbers;
}

void trxi_read_target(trxi_reader *reader, const trxi_yaml_node *node, trxi_term *term)
{
    bool orientation = term->of.quantity == TRX_BODY_ORIENTATION || term->of.quantity == TRX_FRAME_ORIENTATION;
    term->target_source = node->source;
    const bool start = node->kind == TRXI_YAML_SCALAR && strcmp(node->text, "start") == 0;
    if (start && trxi_quantity_is(term->of.quantity, TRXI_PER_STEP) && term->of.quantity != TRX_CONTROL)
        trxi_error_at(reader->context, node->source, "target: \"%.100s\" belongs to a step, not to the start: write %d numbers",
                      term->of.text, term->of.target_length);
    else if (start)
        term->form = TRXI_TARGET_START;
    else if (node->kind == TRXI_YAML_MAPPING && (!orientation || trxi_yaml_get(node, "file")))
        read_file(reader, node, term);
    else if (node->kind == TRXI_YAML_MAPPING)
        read_orientation(reader, node, term);
    else if (orientation)
        trxi_error_at(reader->context, node->source,
                      "target: an orientation is written {rpy: [r, p, y]} or {quat: [w, x, y, z]}");
    else
        read_numbers(reader, node, term);
}

// ---- terms ----

static const char *const norm_words[] = {"square", "huber", "smooth_abs"};
static const char *const time_words[] = {"running", "end", "all"};

typedef struct term_record {
    const trxi_yaml_node *of, *target, *weight;
    int norm, at;
    double tolerance, scale;
} term_record;

static const trxi_field term_fields[] = {
    TRXI_FIELD("of", TRXI_NODE, term_record, of, .required = true),
    TRXI_FIELD("target", TRXI_NODE, term_record, target),
    TRXI_FIELD("weight", TRXI_NODE, term_record, weight),
    TRXI_FIELD("norm", TRXI_WORD, term_record, norm, .words = norm_words, .count = 3),
    TRXI_FIELD("scale", TRXI_POSITIVE, term_record, scale),
    TRXI_FIELD("at", TRXI_WORD, term_record, at, .words = time_words, .count = 3),
    TRXI_FIELD("tolerance", TRXI_POSITIVE, term_record, tolerance),
};

static void read_norm(trxi_reader *reader, const trxi_yaml_node *node, const term_record *record, trxi_term *term)
{
    const bool scaled = trxi_yaml_get(node, "scale") != NULL;
    term->norm = (trx_norm)record->norm;
    term->norm_scale = record->scale;
    if (term->norm == TRX_SQUARE && scaled)
        trxi_error_at(reader->context, trxi_key_source(node, "scale"), "scale serves huber and smooth_abs: remove it");
    if (term->norm != TRX_SQUARE && !scaled)
        trxi_error_at(reader->context, trxi_key_source(node, "norm"),
                      "norm: %s needs a scale: add scale, in the unit of the residual", norm_words[term->norm]);
}

// returns false when the term is wrong (reported)
static bool read_term(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, trxi_term *term)
{
    term_record record = {0};
    *term = (trxi_term){.source = node->source};
    if (!TRXI_READ_RECORD(reader, node, "a cost term", term_fields, &record) || !record.of) return false;
    read_norm(reader, node, &record, term);
    if (!trxi_read_quantity(reader, record.of, scene, &term->of)) return false;

    term->source = record.of->source;
    term->time = (trx_term_time)record.at;
    term->tolerance = record.tolerance;
    const bool running = trxi_quantity_is(term->of.quantity, TRXI_PER_STEP);
    if (running && term->time != TRX_RUNNING)
        trxi_error_at(reader->context, trxi_yaml_get(node, "at")->source, "at: %.100s is running only: remove it", term->of.text);
    if (term->of.quantity == TRX_CONTROL_RATE && term->tolerance > 0)
        trxi_error_at(reader->context, trxi_key_source(node, "tolerance"), "tolerance: a control rate is no goal: use limits");
    if (record.target) trxi_read_target(reader, record.target, term);
    trxi_read_weight(reader, record.weight, term);
    return reader->memory;
}

void trxi_read_cost(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, trxi_cost *cost)
{
    if (!node || !trxi_expect_list(reader, node, "cost")) return;
    cost->terms = TRXI_READER_TAKE(reader, trxi_term, node->count);
    for (int i = 0; i < node->count && reader->memory; i++)
        cost->count += read_term(reader, node->items[i], scene, &cost->terms[cost->count]);
}

// ---- with the model ----

// joint indices of a joint term, in the order of the model
static const int *find_joints(trxi_reader *reader, const trxi_quantity *of, const trxi_scene *scene,
                              const trx_model *model)
{
    int *joints = TRXI_READER_TAKE(reader, int, of->dimension);
    if (!joints) return NULL;
    if (of->index >= 0)
        joints[0] = trx_model_find_joint(model, scene->bodies[of->body].joints[of->index].name);
    else
        trxi_group_joints(scene, model, of->sides[0], joints);
    return joints;
}

// indices of the geometries of a side that have a distance: geometries that collide, or the named one
static const int *find_geometries(trxi_reader *reader, trxi_side side, const trxi_scene *scene, const trx_model *model,
                                  int *count)
{
    int *geometries = TRXI_READER_TAKE(reader, int, trx_model_get_size(model).ngeom);
    *count = 0;
    for (int i = 0; geometries && i < scene->def.nbody; i++) {
        if (!(side.include >= 0 ? trxi_scene_in_group(scene, side, i) : i == side.body)) continue;
        const trx_body_info body = trx_model_body(model, trx_model_find_body(model, scene->bodies[i].name));
        const int named = body.first_geom + side.geometry;
        const bool divided = side.geometry >= 0 && scene->bodies[i].geometry[side.geometry].decompose.most > 0;
        for (int g = body.first_geom; g < body.first_geom + body.ngeom; g++) {
            const trx_geom_info geom = trx_model_geom(model, g);
            const bool part = side.geometry >= 0 && geom.part_of == named;
            if (side.geometry < 0 ? geom.collide : part || (g == named && !divided)) geometries[(*count)++] = g;
        }
    }
    return geometries;
}

// bodies of the centre of mass
static const int *find_bodies(trxi_reader *reader, trxi_side side, const trxi_scene *scene, const trx_model *model,
                              int *count)
{
    int *bodies = TRXI_READER_TAKE(reader, int, scene->def.nbody);
    *count = 0;
    for (int i = 0; bodies && i < scene->def.nbody; i++)
        if (trxi_scene_in_group(scene, side, i))
            bodies[(*count)++] = trx_model_find_body(model, scene->bodies[i].name);
    return bodies;
}

// conditions that need the built model: whether there is anything to measure
static void check_sets(trxi_reader *reader, const trx_model *model, const trx_cost_term *term)
{
    double mass = 0;
    bool measurable = term->quantity != TRX_DISTANCE;
    for (int i = 0; i < (term->bodies ? term->nbody : model->nbody); i++) {
        const trxi_body *body = &model->bodies[term->bodies ? term->bodies[i] : i];
        if (term->bodies || body->link >= 0) mass += body->mass;
    }
    for (int i = 0; !measurable && i < term->ngeom_a; i++)
        for (int j = 0; !measurable && j < term->ngeom_b; j++)
            measurable = trxi_geoms_measurable(model, term->geoms_a[i], term->geoms_b[j]);
    if (!measurable)
        trxi_error_at(reader->context, term->source,
                      "\"%.100s\": no two of these geometries can move against each other and have a distance: write others",
                      term->name);
    else if (term->quantity != TRX_DISTANCE && !(mass > 0))
        trxi_error_at(reader->context, term->source, "\"%.100s\": there is no mass: write bodies that have some", term->name);
}

// reports a contact force between two sides that never touch
static void check_touch(trxi_reader *reader, const trx_model *model, const trx_cost_term *term)
{
    if (trxi_force_is_possible(model, term)) return;
    trxi_error_at(reader->context, term->source, "\"%.100s\": no two of these geometries may touch: write others", term->name);
}

// controls do not change the pose of a body with prescribed motion
static void check_moved(trxi_reader *reader, const trx_model *model, const trx_cost_term *term)
{
    bool moved = false;
    if (term->quantity <= TRX_BODY_SPIN) moved = model->bodies[term->index].prescribed >= 0;
    else if (term->quantity <= TRX_FRAME_SPIN) moved = model->frames[term->index].prescribed >= 0;
    for (int i = 0; term->bodies && i < term->nbody; i++) moved = moved || model->bodies[term->bodies[i]].prescribed >= 0;
    if (moved)
        trxi_error_at(reader->context, term->source,
                      "\"%.100s\": the motion of the body is prescribed (motion:), so no control changes it", term->name);
}

void trxi_term_resolve(trxi_reader *reader, const trxi_term *entry, const trxi_task *task, trx_cost_term *term)
{
    const trxi_quantity *of = &entry->of;
    *term = (trx_cost_term){
        .name = of->text,
        .source = entry->source,
        .quantity = of->quantity,
        .index = -1,
        .time = entry->time,
        .tolerance = entry->tolerance,
        .norm = entry->norm,
        .norm_scale = entry->norm_scale,
    };
    trxi_weight_resolve(reader, entry, task, term);
    if (of->quantity <= TRX_BODY_SPIN)
        term->index = trx_model_find_body(task->model, task->scene->bodies[of->body].name);
    else if (of->quantity <= TRX_FRAME_SPIN)
        term->index = trx_model_find_frame(task->model, task->scene->bodies[of->body].frames[of->index].name);
    else if (of->quantity <= TRX_JOINT_VELOCITY) {
        term->joints = find_joints(reader, of, task->scene, task->model);
        term->njoint = of->dimension;
    } else if (of->quantity == TRX_DISTANCE || of->quantity == TRX_CONTACT_FORCE) {
        term->geoms_a = find_geometries(reader, of->sides[0], task->scene, task->model, &term->ngeom_a);
        term->geoms_b = find_geometries(reader, of->sides[1], task->scene, task->model, &term->ngeom_b);
    } else if (trxi_quantity_is(of->quantity, TRXI_OF_SETS) && !of->all)
        term->bodies = find_bodies(reader, of->sides[0], task->scene, task->model, &term->nbody);
    int errors = trx_context_error_count(reader->context);
    if (trxi_quantity_is(of->quantity, TRXI_OF_SETS) && reader->memory) check_sets(reader, task->model, term);
    if (of->quantity == TRX_CONTACT_FORCE && reader->memory) check_touch(reader, task->model, term);
    if (reader->memory) check_moved(reader, task->model, term);
    if (trx_context_error_count(reader->context) > errors) return;
    if (reader->memory) trxi_target_resolve(reader, entry, task, term);
}

trx_cost_term *trxi_cost_resolve(trxi_reader *reader, const trxi_cost *cost, const trxi_task *task)
{
    trx_cost_term *terms = TRXI_READER_TAKE(reader, trx_cost_term, cost->count);
    for (int i = 0; terms && i < cost->count && reader->memory; i++)
        trxi_term_resolve(reader, &cost->terms[i], task, &terms[i]);
    return terms;
}
