// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Quantities from text; see quantity.h. The name is looked up first, then its member: the valid members depend on
// whether the name is a body, a frame or a joint. If a body and a joint share a name, the name alone is the body, and
// joint(NAME) the joint.

#include "problem/quantity.h"

#include <string.h>

// ---- taking a text apart ----

static char *trimmed(trxi_reader *reader, const char *text, size_t length)
{
    while (length > 0 && *text == ' ') text++, length--;
    while (length > 0 && text[length - 1] == ' ') length--;
    char *copy = trxi_pool_string(reader->pool, text, length);
    if (!copy) reader->memory = false;
    return copy;
}

static bool split_arguments(trxi_reader *reader, const char *open, const char *close, trxi_parts *parts)
{
    for (const char *at = open + 1; at <= close;) {
        const char *end = memchr(at, ',', (size_t)(close - at));
        if (!end) end = close;
        if (parts->narguments == 2) return false;
        char *argument = trimmed(reader, at, (size_t)(end - at));
        if (!argument || !*argument) return false;
        parts->arguments[parts->narguments++] = argument;
        at = end + 1;
    }
    return parts->narguments > 0;
}

bool trxi_parts_split(trxi_reader *reader, const char *text, trxi_parts *parts)
{
    *parts = (trxi_parts){0};
    const char *open = strchr(text, '('), *close = open ? strchr(open, ')') : NULL;
    const char *rest = text;
    if (open) {
        if (!close) return false;
        parts->function = trimmed(reader, text, (size_t)(open - text));
        if (!parts->function || !split_arguments(reader, open, close, parts)) return false;
        rest = close + 1;
        if (*rest == '\0') return true;
        if (*rest != '.') return false;
        parts->member = rest + 1;
    } else {
        const char *dot = strchr(text, '.');
        parts->name = trimmed(reader, text, dot ? (size_t)(dot - text) : strlen(text));
        parts->member = dot ? dot + 1 : NULL;
        if (!parts->name || !*parts->name) return false;
    }
    return !parts->member || (*parts->member && !strpbrk(parts->member, "(). "));
}

// ---- members ----

typedef struct place {
    trxi_reader *reader;
    trx_source source;
    const trxi_scene *scene;
    const char *text;
} place;

static const char *const body_members[] = {"position", "orientation", "velocity", "spin"};
static const char *const rate_members[] = {"position", "velocity"};

// number of `member` among `members`, -1 when it is none of them (reported)
static int find_member(const place *at, const char *member, const char *const *members, int count)
{
    for (int i = 0; member && i < count; i++)
        if (strcmp(member, members[i]) == 0) return i;
    trxi_reader *r = at->reader;
    if (!member) {
        trxi_error_at(r->context, at->source, "\"%.100s\" is not a quantity: write %.100s.%s", at->text, at->text,
                      trxi_choices(r, members, count));
        return -1;
    }
    const char *near = trxi_did_you_mean(r, member, members, count);
    if (*near)
        trxi_error_at(r->context, at->source, "\"%.100s\": unknown quantity \"%.60s\"%s", at->text, member, near);
    else
        trxi_error_at(r->context, at->source, "\"%.100s\": unknown quantity \"%.60s\": write %s", at->text, member,
                      trxi_choices(r, members, count));
    return -1;
}

// position, orientation, velocity, spin of a body or a frame
static bool body_quantity(const place *at, const trxi_named *entry, const char *member, trxi_quantity *q)
{
    int i = find_member(at, member, body_members, 4);
    if (i < 0) return false;
    bool frame = entry->things == TRXI_FRAME;
    q->quantity = (trx_quantity)((frame ? TRX_FRAME_POSITION : TRX_BODY_POSITION) + i);
    q->body = entry->body;
    q->index = entry->index;
    q->dimension = 3;
    q->target_length = i == 1 ? 4 : 3;
    return true;
}

static bool joint_quantity(const place *at, const trxi_named *entry, const char *member, trxi_quantity *q)
{
    trx_joint_type type = at->scene->bodies[entry->body].joints[entry->index].type;
    if (trxi_joint_nv(type) != 1) {
        const char *body = at->scene->bodies[entry->body].name;
        trxi_error_at(at->reader->context, at->source,
                      "\"%.100s\": a joint with %d degrees of freedom: write %.60s.orientation or another of its body",
                      at->text, trxi_joint_nv(type), body);
        return false;
    }
    int i = find_member(at, member, rate_members, 2);
    if (i < 0) return false;
    q->quantity = i == 0 ? TRX_JOINT_POSITION : TRX_JOINT_VELOCITY;
    q->body = entry->body;
    q->index = entry->index;
    q->dimension = q->target_length = 1;
    return true;
}

static bool one_joint(const place *at, const trxi_parts *parts, trxi_quantity *q)
{
    const trxi_named *entry = trxi_names_resolve(at->reader, &at->scene->names, at->source, parts->arguments[0], TRXI_JOINT);
    return entry && joint_quantity(at, entry, parts->member, q);
}

static bool group_quantity(const place *at, const trxi_parts *parts, trxi_quantity *q)
{
    bool found = trxi_find_side(at->reader, at->scene, at->source, parts->arguments[0], TRXI_BODY | TRXI_INCLUDE,
                                &q->sides[0]);
    int i = find_member(at, parts->member, rate_members, 2);
    if (!found || i < 0) return false;
    q->quantity = i == 0 ? TRX_JOINT_POSITION : TRX_JOINT_VELOCITY;
    q->dimension = q->target_length = trxi_scene_group(at->scene, q->sides[0]);
    if (q->dimension > 0) return true;
    trxi_error_at(at->reader->context, at->source,
                  "\"%.100s\": neither \"%.100s\" nor what hangs on it has a hinge or slide", at->text,
                  parts->arguments[0]);
    return false;
}

// ---- sets ----

static bool two_sides(const place *at, const trxi_parts *parts, trxi_side sides[2])
{
    if (parts->narguments != 2 || parts->member) {
        trxi_error_at(at->reader->context, at->source, "\"%.100s\": write %s(A, B)", at->text, parts->function);
        return false;
    }
    bool found = true;
    for (int i = 0; i < 2; i++)
        found = trxi_find_side(at->reader, at->scene, at->source, parts->arguments[i],
                               TRXI_BODY | TRXI_GEOMETRY | TRXI_INCLUDE, &sides[i]) && found;
    return found;
}

// whether a side has a geometry with a distance: geometries that collide, and a named geometry unless it is a mesh
static bool is_measurable(const place *at, trxi_side side)
{
    for (int i = 0; i < at->scene->def.nbody; i++) {
        const trx_body_def *body = &at->scene->bodies[i];
        bool member = side.include >= 0 ? trxi_scene_in_group(at->scene, side, i) : i == side.body;
        for (int k = 0; member && k < body->ngeometry; k++) {
            if (side.geometry >= 0 && k != side.geometry) continue;
            bool named = side.geometry >= 0 && body->geometry[k].shape.type != TRX_SHAPE_MESH;
            if (named || body->geometry[k].collide) return true;
        }
    }
    return false;
}

static bool can_touch(const place *at, const trxi_parts *parts, const trxi_quantity *q)
{
    for (int i = 0; i < 2; i++)
        if (!is_measurable(at, q->sides[i])) {
            trxi_error_at(at->reader->context, at->source,
                          "\"%.100s\": \"%.100s\" has no geometry that touches: write another", at->text,
                          parts->arguments[i]);
            return false;
        }
    return true;
}

static bool force_quantity(const place *at, const trxi_parts *parts, trxi_quantity *q)
{
    if (!two_sides(at, parts, q->sides) || !can_touch(at, parts, q)) return false;
    q->quantity = TRX_CONTACT_FORCE;
    q->dimension = q->target_length = 3;
    return true;
}

static bool distance_quantity(const place *at, const trxi_parts *parts, trxi_quantity *q)
{
    if (!two_sides(at, parts, q->sides) || !can_touch(at, parts, q)) return false;
    if (q->sides[0].body >= 0 && q->sides[0].body == q->sides[1].body) {
        trxi_error_at(at->reader->context, at->source,
                      "\"%.100s\": the distance within one body never changes: write two bodies", at->text);
        return false;
    }
    q->quantity = TRX_DISTANCE;
    q->dimension = q->target_length = 1;
    return true;
}

static bool com_quantity(const place *at, const char *name, const char *member, trxi_quantity *q)
{
    bool found = !name || trxi_find_side(at->reader, at->scene, at->source, name, TRXI_BODY | TRXI_INCLUDE, &q->sides[0]);
    int i = find_member(at, member, rate_members, 2);
    if (!found || i < 0) return false;
    q->all = !name;
    q->quantity = i == 0 ? TRX_COM_POSITION : TRX_COM_VELOCITY;
    q->dimension = q->target_length = 3;
    return true;
}

static bool function_quantity(const place *at, const trxi_parts *parts, trxi_quantity *q)
{
    static const char *const functions[] = {"joint", "joints", "distance", "com", "force"};
    if (strcmp(parts->function, "distance") == 0) return distance_quantity(at, parts, q);
    if (strcmp(parts->function, "force") == 0) return force_quantity(at, parts, q);
    if (strcmp(parts->function, "joint") == 0 && parts->narguments == 1) return one_joint(at, parts, q);
    if (strcmp(parts->function, "joints") == 0 && parts->narguments == 1) return group_quantity(at, parts, q);
    if (strcmp(parts->function, "com") == 0 && parts->narguments == 1)
        return com_quantity(at, parts->arguments[0], parts->member, q);
    const char *near = trxi_did_you_mean(at->reader, parts->function, functions, 5);
    trxi_error_at(at->reader->context, at->source, "\"%.100s\" is not a quantity%s", at->text,
                  *near ? near : ": write joints(NAME).position, com(NAME).position, distance(A, B) or force(A, B)");
    return false;
}

// position, velocity, control, control_rate of the whole model
static bool whole_quantity(const place *at, int which, trxi_quantity *q)
{
    int nv = trxi_scene_nv(at->scene), nu = at->scene->def.nactuator;
    static const trx_quantity quantities[] = {TRX_POSITION, TRX_VELOCITY, TRX_CONTROL, TRX_CONTROL_RATE};
    q->quantity = quantities[which];
    q->dimension = which >= 2 ? nu : nv;
    q->target_length = which == 0 ? trxi_scene_nq(at->scene) : q->dimension;
    return true;
}

static bool named_quantity(const place *at, const trxi_parts *parts, trxi_quantity *q)
{
    static const char *const whole[] = {"position", "velocity", "control", "control_rate"};
    const trxi_named *entry = trxi_names_find(&at->scene->names, parts->name, TRXI_ANY);
    for (int i = 0; !entry && i < 4; i++) {
        if (strcmp(parts->name, whole[i]) != 0) continue;
        if (!parts->member) return whole_quantity(at, i, q);
        trxi_error_at(at->reader->context, at->source, "\"%.100s\": \"%s\" is a quantity by itself: write %s%s", at->text, whole[i],
                      whole[i], i == 2 ? " or control_rate" : "");
        return false;
    }
    if (!entry && !parts->member) {
        const char *near = trxi_did_you_mean(at->reader, parts->name, whole, 4);
        trxi_error_at(at->reader->context, at->source, "unknown quantity \"%.100s\"%s", at->text,
                      *near ? near : ": write NAME.position, position, velocity, control or control_rate");
        return false;
    }
    if (!entry && strcmp(parts->name, "com") == 0) return com_quantity(at, NULL, parts->member, q);
    entry = trxi_names_resolve(at->reader, &at->scene->names, at->source, parts->name,
                               TRXI_BODY | TRXI_FRAME | TRXI_JOINT);
    if (!entry) return false;
    return entry->things == TRXI_JOINT ? joint_quantity(at, entry, parts->member, q)
                                       : body_quantity(at, entry, parts->member, q);
}

static bool read_quantity(const place *at, trxi_quantity *quantity)
{
    *quantity = (trxi_quantity){.text = at->text, .body = -1, .index = -1, .sides = {{-1, -1, -1}, {-1, -1, -1}}};
    trxi_parts parts;
    if (!trxi_parts_split(at->reader, at->text, &parts)) {
        if (at->reader->memory)
            trxi_error_at(at->reader->context, at->source, "\"%.100s\" is not a quantity: write NAME.position or another",
                          at->text);
        return false;
    }
    quantity->served = parts.function ? function_quantity(at, &parts, quantity) : named_quantity(at, &parts, quantity);
    return quantity->served;
}

bool trxi_read_quantity(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene,
                        trxi_quantity *quantity)
{
    *quantity = (trxi_quantity){.text = ""};
    if (!trxi_expect_text(reader, node, "of", "a quantity such as BODY.position")) return false;
    const place at = {reader, node->source, scene, node->text};
    return read_quantity(&at, quantity);
}

bool trxi_read_quantity_key(trxi_reader *reader, trx_source source, const char *key, const trxi_scene *scene,
                            trxi_quantity *quantity)
{
    const place at = {reader, source, scene, key};
    return read_quantity(&at, quantity);
}

void trxi_check_quantity_key(trxi_reader *reader, trx_source source, const char *key, const trxi_scene *scene)
{
    trxi_quantity quantity;
    trxi_read_quantity_key(reader, source, key, scene, &quantity);
}
