// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A draft and its lists; see draft.h. Every definition is pushed to a list.

#include "import/draft.h"

#include "import/draft_state.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SINK_SIZE = 1024 };

_Static_assert(sizeof(trxi_draft_body_item) <= SINK_SIZE && sizeof(trx_geometry_def) <= SINK_SIZE, "the sink is too "
                                                                                                   "small");

trxi_draft *trxi_draft_create(trx_context *context, trxi_pool *pool, const char *path, const trx_import_options *options)
{
    trxi_draft *draft = TRXI_POOL(pool, trxi_draft, 1);
    if (!draft) return NULL;
    const char *slash = strrchr(path, '/');
    *draft = (trxi_draft){.context = context, .pool = pool, .options = *options, .memory = true, .time_step = NAN};
    for (int i = 0; i < 3; i++) draft->gravity[i] = NAN;
    draft->path = trxi_pool_string(pool, path, strlen(path));
    draft->folder = trxi_pool_string(pool, path, slash ? (size_t)(slash - path) + 1 : 0);
    draft->sink = TRXI_POOL(pool, char, SINK_SIZE);
    return draft->path && draft->folder && draft->sink ? draft : NULL;
}

trx_context *trxi_draft_context(const trxi_draft *draft)
{
    return draft->context;
}

trxi_pool *trxi_draft_pool(const trxi_draft *draft)
{
    return draft->pool;
}

const char *trxi_draft_path(const trxi_draft *draft)
{
    return draft->path;
}

const trx_import_options *trxi_draft_options(const trxi_draft *draft)
{
    return &draft->options;
}

bool trxi_draft_ok(const trxi_draft *draft)
{
    return draft->memory;
}

// ---- items of lists ----

// the item at `index`; the sink when there is none, for example after memory ran out
static void *item_at(const trxi_draft *draft, const trxi_list *list, int index)
{
    return index >= 0 && index < list->count ? list->items[index] : draft->sink;
}

static trxi_draft_body_item *body_item(const trxi_draft *draft, int body)
{
    return item_at(draft, &draft->bodies, body);
}

// a list of a body that exists; NULL otherwise
static trxi_list *list_of(const trxi_draft *draft, int body, size_t offset)
{
    bool real = body >= 0 && body < draft->bodies.count;
    return real ? (trxi_list *)((char *)draft->bodies.items[body] + offset) : NULL;
}

static void *push_to_body(trxi_draft *draft, int body, size_t offset, size_t size)
{
    trxi_list *list = list_of(draft, body, offset);
    return list ? trxi_draft_push(draft, list, size) : draft->sink;
}

static int count_of(const trxi_draft *draft, int body, size_t offset)
{
    const trxi_list *list = list_of(draft, body, offset);
    return list ? list->count : 0;
}

static void *item_of_body(const trxi_draft *draft, int body, size_t offset, int index)
{
    const trxi_list *list = list_of(draft, body, offset);
    return list ? item_at(draft, list, index) : draft->sink;
}

// ---- bodies and their parts ----

int trxi_draft_body(trxi_draft *draft, const char *name, trx_source source, int parent)
{
    trxi_draft_body_item *item = trxi_draft_push(draft, &draft->bodies, sizeof *item);
    item->def = trx_body_def_default();
    item->def.name = name;
    item->def.source = source;
    item->def.parent = parent;
    return draft->memory ? draft->bodies.count - 1 : -1;
}

trx_body_def *trxi_draft_body_at(trxi_draft *draft, int body)
{
    return &body_item(draft, body)->def;
}

int trxi_draft_body_count(const trxi_draft *draft)
{
    return draft->bodies.count;
}

trx_joint_def *trxi_draft_joint(trxi_draft *draft, int body, const char *name, trx_source source)
{
    trxi_draft_joint_item *item = push_to_body(draft, body, offsetof(trxi_draft_body_item, joints), sizeof *item);
    item->def = trx_joint_def_default();
    item->def.name = name;
    item->def.source = source;
    return &item->def;
}

trx_joint_def *trxi_draft_joint_at(trxi_draft *draft, int body, int joint)
{
    return item_of_body(draft, body, offsetof(trxi_draft_body_item, joints), joint);
}

int trxi_draft_joint_count(const trxi_draft *draft, int body)
{
    return count_of(draft, body, offsetof(trxi_draft_body_item, joints));
}

trx_geometry_def *trxi_draft_geometry(trxi_draft *draft, int body, const char *name, trx_source source)
{
    trx_geometry_def *def = push_to_body(draft, body, offsetof(trxi_draft_body_item, geometry), sizeof *def);
    *def = trx_geometry_def_default();
    def->name = name;
    def->source = source;
    def->decompose = draft->options.decompose;
    return def;
}

trx_geometry_def *trxi_draft_geometry_at(trxi_draft *draft, int body, int geometry)
{
    return item_of_body(draft, body, offsetof(trxi_draft_body_item, geometry), geometry);
}

int trxi_draft_geometry_count(const trxi_draft *draft, int body)
{
    return count_of(draft, body, offsetof(trxi_draft_body_item, geometry));
}

trx_frame_def *trxi_draft_frame(trxi_draft *draft, int body, const char *name, trx_source source)
{
    trx_frame_def *def = push_to_body(draft, body, offsetof(trxi_draft_body_item, frames), sizeof *def);
    *def = (trx_frame_def){.name = name, .source = source, .pose = trx_pose_identity()};
    return def;
}

void trxi_draft_start(trxi_draft *draft, int body, int joint, const double *q)
{
    trxi_draft_joint_item *item = item_of_body(draft, body, offsetof(trxi_draft_body_item, joints), joint);
    item->started = true;
    memcpy(item->start, q, (size_t)trxi_joint_nq(item->def.type) * sizeof *q);
}

// ---- lists of the whole model ----

trx_tendon_def *trxi_draft_tendon(trxi_draft *draft, const char *name, trx_source source)
{
    trx_tendon_def *def = trxi_draft_push(draft, &draft->tendons, sizeof *def);
    *def = trx_tendon_def_default();
    def->name = name;
    def->source = source;
    return def;
}

int trxi_draft_tendon_count(const trxi_draft *draft)
{
    return draft->tendons.count;
}

trx_actuator_def *trxi_draft_actuator(trxi_draft *draft, const char *name, trx_source source)
{
    trx_actuator_def *def = trxi_draft_push(draft, &draft->actuators, sizeof *def);
    *def = trx_actuator_def_default();
    def->name = name;
    def->source = source;
    return def;
}

trx_actuator_def *trxi_draft_actuator_at(trxi_draft *draft, int actuator)
{
    return item_at(draft, &draft->actuators, actuator);
}

int trxi_draft_actuator_count(const trxi_draft *draft)
{
    return draft->actuators.count;
}

trx_constraint_def *trxi_draft_constraint(trxi_draft *draft, const char *name, trx_source source)
{
    trx_constraint_def *def = trxi_draft_push(draft, &draft->constraints, sizeof *def);
    *def = trx_constraint_def_default();
    def->name = name;
    def->source = source;
    return def;
}

trx_pair_selector *trxi_draft_exclude(trxi_draft *draft, trx_source source)
{
    trx_pair_selector *def = trxi_draft_push(draft, &draft->excludes, sizeof *def);
    *def = (trx_pair_selector){.a = {-1, -1}, .b = {-1, -1}, .source = source};
    return def;
}

trx_pair_override *trxi_draft_override(trxi_draft *draft, trx_source source)
{
    trx_pair_override *def = trxi_draft_push(draft, &draft->overrides, sizeof *def);
    *def = trx_pair_override_default();
    def->pair = (trx_pair_selector){.a = {-1, -1}, .b = {-1, -1}, .source = source};
    return def;
}

trx_keyframe *trxi_draft_keyframe(trxi_draft *draft, const char *name, trx_source source)
{
    trx_keyframe *def = trxi_draft_push(draft, &draft->keyframes, sizeof *def);
    *def = (trx_keyframe){.name = name, .source = source};
    return def;
}

void trxi_draft_gravity(trxi_draft *draft, const double gravity[3])
{
    memcpy(draft->gravity, gravity, sizeof draft->gravity);
}

void trxi_draft_time_step(trxi_draft *draft, double time_step)
{
    draft->time_step = time_step;
}

void trxi_draft_allow_adjacent(trxi_draft *draft, bool allow)
{
    draft->allow_adjacent = allow;
}

void trxi_draft_larger_friction(trxi_draft *draft)
{
    draft->larger_friction = true;
}

int trxi_draft_material(trxi_draft *draft, double friction)
{
    return trxi_draft_material_turning(draft, friction, NAN, NAN, false);
}

int trxi_draft_material_turning(trxi_draft *draft, double friction, double torsional, double rolling, bool slippery)
{
    const trx_material_def *given = &draft->options.material;
    if (isnan(friction)) friction = given->friction;
    if (isnan(torsional)) torsional = given->torsional_friction;
    if (isnan(rolling)) rolling = given->rolling_friction;
    char key[96];
    bool known;
    snprintf(key, sizeof key, "%.17g %.17g %.17g %d", friction, torsional, rolling, slippery);
    const int *index = trxi_table_at(draft, &draft->frictions, key, draft->materials.count, &known);
    if (!index || known) return index ? *index : 0;

    // the first material has the name of the options' material, the others are numbered from 2
    trx_material_def *def = trxi_draft_push(draft, &draft->materials, sizeof *def);
    const char *prefix = draft->options.prefix, *base = draft->options.material.name;
    *def = draft->options.material;
    def->friction = friction;
    def->larger_friction = draft->larger_friction;
    def->torsional_friction = torsional;
    def->rolling_friction = rolling;
    def->slippery = slippery;
    def->name = trxi_draft_printf(draft, "%s%s%s", prefix ? prefix : "", prefix && *prefix ? "/" : "",
                                  base ? base : "material");
    if (*index > 0) def->name = trxi_draft_printf(draft, "%s_%d", def->name, *index + 1);
    return *index;
}
