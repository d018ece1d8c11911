// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Reads mpc.noise and mpc.pushes and finds them in the built model; see disturbances.h.

#include "problem/disturbances.h"

#include <math.h>

// ---- noise ----

// {QUANTITY: standard deviation}
void trxi_read_noise(trxi_reader *reader, const trxi_yaml_node *map, const trxi_scene *scene, trxi_disturbances *d)
{
    d->noise = TRXI_READER_TAKE(reader, trxi_noise, map->count);
    for (int i = 0; d->noise && i < map->count && reader->memory; i++) {
        const trxi_field deviation = {.key = map->keys[i], .kind = TRXI_NOT_NEGATIVE};
        trxi_noise *n = &d->noise[d->nnoise];
        n->source = map->key_sources[i];
        const bool known = trxi_read_quantity_key(reader, n->source, map->keys[i], scene, &n->of);
        if (trxi_read_value(reader, map->items[i], &deviation, &n->deviation) && known) d->nnoise++;
    }
}

// the dofs of a joint that move a body linearly, or turn it
typedef struct range {
    int first, count;
} range;

static range linear_dofs(trx_joint_type type)
{
    return (range){0, type == TRX_JOINT_FREE ? 3 : type == TRX_JOINT_PLANAR ? 2 : 0};
}

static range angular_dofs(trx_joint_type type)
{
    if (type == TRX_JOINT_PLANAR) return (range){2, 1};
    return (range){type == TRX_JOINT_FREE ? 3 : 0, type == TRX_JOINT_FREE || type == TRX_JOINT_BALL ? 3 : 0};
}

static int set_range(double *noise, int first, int count, double deviation)
{
    for (int i = first; i < first + count; i++) noise[i] = deviation;
    return count;
}

// sets the noise of a body whose pose is the coordinates of one joint; returns the count of numbers, 0: no such body
static int set_body(const trxi_noise *n, const trxi_scene *scene, const trx_model *model, double *noise)
{
    const trx_body_def *body = &scene->bodies[n->of.body];
    const int joint = body->njoint == 1 ? trx_model_find_joint(model, body->joints[0].name) : -1;
    if (joint < 0) return 0;
    const trx_joint_info info = trx_model_joint(model, joint);
    const trx_quantity what = n->of.quantity;
    const bool linear = what == TRX_BODY_POSITION || what == TRX_BODY_VELOCITY;
    const bool rate = what == TRX_BODY_VELOCITY || what == TRX_BODY_SPIN;
    const range dofs = linear ? linear_dofs(info.type) : angular_dofs(info.type);
    const int first = info.v_index + dofs.first + (rate ? trx_model_get_size(model).nv : 0);
    return set_range(noise, first, dofs.count, n->deviation);
}

static int set_joints(trxi_reader *reader, const trxi_noise *n, const trxi_scene *scene, const trx_model *model, double *noise)
{
    const int count = n->of.dimension, nv = trx_model_get_size(model).nv;
    int *joints = TRXI_READER_TAKE(reader, int, count), set = 0;
    if (!joints) return 0;
    if (n->of.index >= 0) joints[0] = trx_model_find_joint(model, scene->bodies[n->of.body].joints[n->of.index].name);
    else trxi_group_joints(scene, model, n->of.sides[0], joints);
    for (int i = 0; i < count; i++) {
        const int first = trx_model_joint(model, joints[i]).v_index + (n->of.quantity == TRX_JOINT_VELOCITY ? nv : 0);
        set += set_range(noise, first, 1, n->deviation);
    }
    return set;
}

// sets the noise of the numbers of the state that belong to a quantity; returns their count
static int set_noise(trxi_reader *reader, const trxi_noise *n, const trxi_scene *scene, const trx_model *model, double *noise)
{
    const int nv = trx_model_get_size(model).nv;
    switch (n->of.quantity) {
    case TRX_BODY_POSITION:
    case TRX_BODY_ORIENTATION:
    case TRX_BODY_VELOCITY:
    case TRX_BODY_SPIN: return set_body(n, scene, model, noise);
    case TRX_JOINT_POSITION:
    case TRX_JOINT_VELOCITY: return set_joints(reader, n, scene, model, noise);
    case TRX_POSITION: return set_range(noise, 0, nv, n->deviation);
    case TRX_VELOCITY: return set_range(noise, nv, nv, n->deviation);
    default: return 0;
    }
}

static void resolve_noise(trxi_reader *reader, const trxi_disturbances *d, const trxi_scene *scene, const trx_model *model,
                          trx_mpc_problem *mpc)
{
    double *noise = TRXI_READER_TAKE(reader, double, 2 * trx_model_get_size(model).nv);
    for (int i = 0; noise && i < d->nnoise && reader->memory; i++)
        if (set_noise(reader, &d->noise[i], scene, model, noise) == 0 && reader->memory)
            trxi_error_at(reader->context, d->noise[i].source,
                          "noise: \"%.100s\" is no part of the state: write position, velocity, JOINT.position, or BODY.position "
                          "of a body with joint: free", d->noise[i].of.text);
    mpc->noise = noise;
}

// ---- pushes ----

typedef struct push_record {
    trx_push push;
    const trxi_yaml_node *body;
} push_record;

static const trxi_field push_fields[] = {
    TRXI_FIELD("body", TRXI_NODE, push_record, body, .required = true),
    TRXI_FIELD("at", TRXI_NOT_NEGATIVE, push_record, push.at, .of = TRXI_OF_TIME),
    TRXI_FIELD("rate", TRXI_POSITIVE, push_record, push.rate, .of = TRXI_OF_FREQUENCY),
    TRXI_FIELD("duration", TRXI_POSITIVE, push_record, push.duration, .of = TRXI_OF_TIME),
    TRXI_FIELD("force", TRXI_VECTOR, push_record, push.force, .count = 3, .of = TRXI_OF_FORCE),
    TRXI_FIELD("impulse", TRXI_VECTOR, push_record, push.impulse, .count = 3, .of = TRXI_OF_FORCE),
    TRXI_FIELD("point", TRXI_VECTOR, push_record, push.point, .count = 3, .of = TRXI_OF_LENGTH),
};

// reports a push without exactly one of two keys
static void check_either(trxi_reader *reader, const trxi_yaml_node *node, const char *a, const char *b)
{
    const bool has_a = trxi_yaml_get(node, a) != NULL, has_b = trxi_yaml_get(node, b) != NULL;
    if (has_a == has_b) trxi_error_at(reader->context, node->source, "a push has %s %s and %s: write one of them",
                                      has_a ? "both" : "neither", a, b);
}

static void read_push(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, trx_push *push)
{
    push_record record = {.push = {.source = node->source, .duration = 0.01}};
    if (!TRXI_READ_RECORD(reader, node, "a push", push_fields, &record)) return;
    check_either(reader, node, "at", "rate");
    check_either(reader, node, "force", "impulse");
    if (!record.body || !trxi_expect_text(reader, record.body, "body", "the name of a body")) return;
    const trxi_named *entry = trxi_names_resolve(reader, &scene->names, record.body->source, record.body->text, TRXI_BODY);
    if (entry) record.push.body = entry->body;
    *push = record.push;
}

void trxi_read_pushes(trxi_reader *reader, const trxi_yaml_node *list, const trxi_scene *scene, trxi_disturbances *d)
{
    d->pushes = TRXI_READER_TAKE(reader, trx_push, list->count);
    for (int i = 0; d->pushes && i < list->count && reader->memory; i++) read_push(reader, list->items[i], scene, &d->pushes[i]);
    d->npush = d->pushes ? list->count : 0;
}

static void check_push(trxi_reader *reader, const trx_push *push, const trxi_scene *scene, const trx_model *model)
{
    const char *name = scene->bodies[push->body].name;
    if (trx_model_body(model, trx_model_find_body(model, name)).tree < 0)
        trxi_error_at(reader->context, push->source, "a push on \"%.100s\", which no joint moves: write another body", name);
}

void trxi_disturbances_resolve(trxi_reader *reader, const trxi_disturbances *d, const trxi_scene *scene, const trx_model *model,
                               trx_mpc_problem *mpc)
{
    if (d->nnoise > 0) resolve_noise(reader, d, scene, model, mpc);
    for (int i = 0; i < d->npush; i++) check_push(reader, &d->pushes[i], scene, model);
    mpc->pushes = d->pushes;
    mpc->npush = d->npush;
}
