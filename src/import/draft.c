// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A draft and its lists; see draft.h. Everything is one push into a list; trxi_draft_finish turns the lists into the
// arrays of a trx_model_def and computes where the coordinates start.

#include "import/draft.h"

#include "import/draft_state.h"
#include "model/model.h"

#include <math.h>
#include <stdarg.h>
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

// ---- memory ----

void *trxi_draft_take(trxi_draft *draft, size_t count, size_t size)
{
    void *memory = trxi_pool_take(draft->pool, count, size);
    if (!memory) draft->memory = false;
    return memory;
}

const char *trxi_draft_printf(trxi_draft *draft, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = length < 0 ? NULL : TRXI_DRAFT_TAKE(draft, char, length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text ? text : "";
}

void *trxi_draft_push(trxi_draft *draft, trxi_list *list, size_t size)
{
    if (list->count == list->capacity) {
        void *grown = trxi_pool_grow(draft->pool, list->items, list->count, &list->capacity, sizeof *list->items);
        if (!grown) {
            draft->memory = false;
            return draft->sink;
        }
        list->items = grown;
    }
    void *item = trxi_draft_take(draft, 1, size);
    if (!item) return draft->sink;
    list->items[list->count++] = item;
    return item;
}

void *trxi_draft_flatten(trxi_draft *draft, const trxi_list *list, size_t size)
{
    char *array = list->count ? trxi_draft_take(draft, (size_t)list->count, size) : NULL;
    for (int i = 0; array && i < list->count; i++) memcpy(array + (size_t)i * size, list->items[i], size);
    return array;
}

// the item at `index`; the sink when there is none, as after memory ran out
static void *item_at(const trxi_draft *draft, const trxi_list *list, int index)
{
    return index >= 0 && index < list->count ? list->items[index] : draft->sink;
}

static trxi_draft_body_item *body_item(const trxi_draft *draft, int body)
{
    return item_at(draft, &draft->bodies, body);
}

// a list of a body that was really made; NULL otherwise
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

// ---- bodies and what is on them ----

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

// ---- lists of the whole ----

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

int trxi_draft_material(trxi_draft *draft, double friction)
{
    return trxi_draft_material_turning(draft, friction, NAN, NAN);
}

int trxi_draft_material_turning(trxi_draft *draft, double friction, double torsional, double rolling)
{
    const trx_material_def *given = &draft->options.material;
    if (isnan(friction)) friction = given->friction;
    if (isnan(torsional)) torsional = given->torsional_friction;
    if (isnan(rolling)) rolling = given->rolling_friction;
    char key[96];
    bool known;
    snprintf(key, sizeof key, "%.17g %.17g %.17g", friction, torsional, rolling);
    const int *index = trxi_table_at(draft, &draft->frictions, key, draft->materials.count, &known);
    if (!index || known) return index ? *index : 0;

    // the first keeps the name of the options' material, the others are numbered from 2
    trx_material_def *def = trxi_draft_push(draft, &draft->materials, sizeof *def);
    const char *prefix = draft->options.prefix, *base = draft->options.material.name;
    *def = draft->options.material;
    def->friction = friction;
    def->torsional_friction = torsional;
    def->rolling_friction = rolling;
    def->name = trxi_draft_printf(draft, "%s%s%s", prefix ? prefix : "", prefix && *prefix ? "/" : "",
                                  base ? base : "material");
    if (*index > 0) def->name = trxi_draft_printf(draft, "%s_%d", def->name, *index + 1);
    return *index;
}

// ---- the end ----

static void check_start(trxi_draft *draft, const trxi_draft_joint_item *item)
{
    for (int i = 0; i < trxi_joint_nq(item->def.type); i++) {
        if (isfinite(item->start[i])) continue;
        trxi_error_at(draft->context, item->def.source,
                      "joint '%.100s' starts at a number that is too large: check the "
                      "poses, limits and couplings that lead to it",
                      item->def.name);
        return;
    }
}

// where a joint is put by the file, or by what it is; a free one takes over the pose of its body
static void start_joint(trx_body_def *body, trxi_draft_joint_item *item)
{
    bool one = item->def.type == TRX_JOINT_HINGE || item->def.type == TRX_JOINT_SLIDE;
    if (!item->started && one) item->start[0] = item->def.reference;
    if (!item->started && item->def.type == TRX_JOINT_BALL) item->start[0] = 1;
    if (item->def.type != TRX_JOINT_FREE) return;
    if (!item->started) {
        memcpy(item->start, body->pose.p, sizeof body->pose.p);
        memcpy(item->start + 3, body->pose.quat, sizeof body->pose.quat);
    }
    body->pose = trx_pose_identity();
}

static void finish_start(trxi_draft *draft, trx_import_result *result)
{
    for (int i = 0; i < draft->bodies.count; i++) {
        trxi_draft_body_item *body = draft->bodies.items[i];
        for (int k = 0; k < body->joints.count; k++) {
            trxi_draft_joint_item *joint = body->joints.items[k];
            start_joint(&body->def, joint);
            check_start(draft, joint);
            result->nq += trxi_joint_nq(joint->def.type);
            result->nv += trxi_joint_nv(joint->def.type);
        }
    }
    double *q = result->nq ? TRXI_DRAFT_TAKE(draft, double, result->nq) : NULL;
    result->q0 = q;
    for (int i = 0; q && i < draft->bodies.count; i++) {
        const trxi_draft_body_item *body = draft->bodies.items[i];
        for (int k = 0; k < body->joints.count; k++) {
            const trxi_draft_joint_item *joint = body->joints.items[k];
            int nq = trxi_joint_nq(joint->def.type);
            memcpy(q, joint->start, (size_t)nq * sizeof *q);
            q += nq;
        }
    }
}

static void finish_bodies(trxi_draft *draft)
{
    for (int i = 0; i < draft->bodies.count; i++) {
        trxi_draft_body_item *item = draft->bodies.items[i];
        item->def.joints = trxi_draft_flatten(draft, &item->joints, sizeof(trx_joint_def));
        item->def.njoint = item->joints.count;
        item->def.geometry = trxi_draft_flatten(draft, &item->geometry, sizeof(trx_geometry_def));
        item->def.ngeometry = item->geometry.count;
        item->def.frames = trxi_draft_flatten(draft, &item->frames, sizeof(trx_frame_def));
        item->def.nframe = item->frames.count;
    }
}

trx_status trxi_draft_finish(trxi_draft *draft, trx_import_result *result)
{
    int errors = trx_context_error_count(draft->context);
    *result = (trx_import_result){.def = trx_model_def_default(), .time_step = draft->time_step};
    memcpy(result->gravity, draft->gravity, sizeof draft->gravity);
    trxi_draft_judge_inertias(draft);
    if (!draft->materials.count) trxi_draft_material(draft, NAN);

    trx_model_def *def = &result->def;
    finish_start(draft, result);
    finish_bodies(draft);
    def->bodies = trxi_draft_flatten(draft, &draft->bodies, sizeof(trx_body_def));
    def->nbody = draft->bodies.count;
    def->materials = trxi_draft_flatten(draft, &draft->materials, sizeof(trx_material_def));
    def->nmaterial = draft->materials.count;
    def->actuators = trxi_draft_flatten(draft, &draft->actuators, sizeof(trx_actuator_def));
    def->nactuator = draft->actuators.count;
    def->constraints = trxi_draft_flatten(draft, &draft->constraints, sizeof(trx_constraint_def));
    def->nconstraint = draft->constraints.count;
    def->exclude = trxi_draft_flatten(draft, &draft->excludes, sizeof(trx_pair_selector));
    def->nexclude = draft->excludes.count;
    def->overrides = trxi_draft_flatten(draft, &draft->overrides, sizeof(trx_pair_override));
    def->noverride = draft->overrides.count;
    def->allow_adjacent = draft->allow_adjacent;
    for (int i = 0; i < 3 && !isnan(draft->gravity[i]); i++) def->gravity[i] = draft->gravity[i];

    result->keyframes = trxi_draft_flatten(draft, &draft->keyframes, sizeof(trx_keyframe));
    result->nkeyframe = draft->keyframes.count;
    result->notes = trxi_draft_finish_notes(draft, &result->nnote);
    if (!draft->memory) return TRX_ERR_MEMORY;
    return trx_context_error_count(draft->context) > errors ? TRX_ERR_INPUT : TRX_OK;
}
