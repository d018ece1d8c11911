// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Names of parameters, in both directions, and the list of a model's parameters. A name is THING.MEMBER with the
// words of the problem file. Things are bodies, joints, geometries, actuators, pair(A, B), `gravity` and `contact`.
// Things of different kinds may share a name, because their members differ. In pair(A, B), a body comes before a
// geometry of the same name.

#include "formats/scalar.h"
#include "model/place.h"
#include "model/pair_law.h"

#include <stdio.h>
#include <string.h>

typedef enum thing { BODY, JOINT, GEOM, ACTUATOR, PAIR, WORLD, CONTACT, NTHING } thing;

enum { NAME = 160 };

static const struct member {
    thing of;
    const char *text;
    trx_parameter_kind kind;
    int component;
} members[] = {
    {PAIR, "stiffness", TRX_PAIR_STIFFNESS, 0},
    {PAIR, "dissipation", TRX_PAIR_DISSIPATION, 0},
    {PAIR, "relaxation_time", TRX_PAIR_RELAXATION_TIME, 0},
    {PAIR, "friction", TRX_PAIR_FRICTION, 0},
    {PAIR, "friction_across", TRX_PAIR_FRICTION_ACROSS, 0},
    {PAIR, "dynamic_friction", TRX_PAIR_DYNAMIC_FRICTION, 0},
    {PAIR, "slip_speed", TRX_PAIR_SLIP_SPEED, 0},
    {PAIR, "torsional_friction", TRX_PAIR_TORSIONAL_FRICTION, 0},
    {PAIR, "rolling_friction", TRX_PAIR_ROLLING_FRICTION, 0},
    {PAIR, "barrier", TRX_PAIR_BARRIER, 0},
    {PAIR, "reach", TRX_PAIR_REACH, 0},
    {CONTACT, "stiction_tolerance", TRX_STICTION_TOLERANCE, 0},
    {CONTACT, "joint_stiction_tolerance", TRX_JOINT_STICTION_TOLERANCE, 0},
    {JOINT, "damping", TRX_JOINT_DAMPING, 0},
    {JOINT, "stiffness", TRX_JOINT_STIFFNESS, 0},
    {JOINT, "rest", TRX_JOINT_REST, 0},
    {JOINT, "armature", TRX_JOINT_ARMATURE, 0},
    {JOINT, "friction", TRX_JOINT_FRICTION, 0},
    {ACTUATOR, "gear", TRX_ACTUATOR_GEAR, 0},
    {ACTUATOR, "gain", TRX_ACTUATOR_GAIN, 0},
    {ACTUATOR, "bias", TRX_ACTUATOR_BIAS, 0},
    {ACTUATOR, "kp", TRX_ACTUATOR_KP, 0},
    {ACTUATOR, "kd", TRX_ACTUATOR_KD, 0},
    {WORLD, "x", TRX_GRAVITY, 0},
    {WORLD, "y", TRX_GRAVITY, 1},
    {WORLD, "z", TRX_GRAVITY, 2},
    {BODY, "mass", TRX_BODY_MASS, 0},
    {BODY, "com.x", TRX_BODY_COM, 0},
    {BODY, "com.y", TRX_BODY_COM, 1},
    {BODY, "com.z", TRX_BODY_COM, 2},
    {BODY, "inertia.xx", TRX_BODY_TENSOR, 0},
    {BODY, "inertia.yy", TRX_BODY_TENSOR, 1},
    {BODY, "inertia.zz", TRX_BODY_TENSOR, 2},
    {BODY, "inertia.xy", TRX_BODY_TENSOR, 3},
    {BODY, "inertia.xz", TRX_BODY_TENSOR, 4},
    {BODY, "inertia.yz", TRX_BODY_TENSOR, 5},
    {GEOM, "size.x", TRX_GEOM_SIZE, 0},
    {GEOM, "size.y", TRX_GEOM_SIZE, 1},
    {GEOM, "size.z", TRX_GEOM_SIZE, 2},
    {GEOM, "radius", TRX_GEOM_RADIUS, 0},
    {GEOM, "length", TRX_GEOM_LENGTH, 0},
    {GEOM, "rounding", TRX_GEOM_ROUNDING, 0},
    {BODY, "pose.x", TRX_PLACE_POSITION, 0},
    {BODY, "pose.y", TRX_PLACE_POSITION, 1},
    {BODY, "pose.z", TRX_PLACE_POSITION, 2},
    {BODY, "pose.rx", TRX_PLACE_TURN, 0},
    {BODY, "pose.ry", TRX_PLACE_TURN, 1},
    {BODY, "pose.rz", TRX_PLACE_TURN, 2},
};

enum { MEMBERS = sizeof members / sizeof *members };

static int count_of(const trx_model *model, thing of)
{
    switch (of) {
    case BODY: return model->nbody;
    case JOINT: return model->njoint;
    case GEOM: return model->ngeom;
    case ACTUATOR: return model->nu;
    case PAIR: return model->npair;
    default: return 1;
    }
}

// the name of thing `index`; a pair has no name of its own
static const char *name_of(const trx_model *model, thing of, int index)
{
    switch (of) {
    case BODY: return model->bodies[index].name;
    case JOINT: return model->joints[index].name;
    case GEOM: return model->geoms[index].name;
    case ACTUATOR: return model->actuators[index].name;
    case WORLD: return "gravity";
    case CONTACT: return "contact";
    default: return NULL;
    }
}

// ---- from a parameter to its name ----

bool trx_model_parameter_name(const trx_model *model, trx_parameter p, char *text, size_t size)
{
    if (!model || !text || size == 0) return false;
    const bool pair = trxi_parameter_is_pair(p.kind);
    for (int k = 0; k < MEMBERS; k++) {
        const struct member *m = &members[k];
        if (m->kind != p.kind || (!pair && m->component != p.component)) continue;
        bool single = m->of == WORLD || m->of == CONTACT;
        int index = single ? 0 : p.index, length;
        if (index < 0 || index >= count_of(model, m->of)) return false;
        if (pair) {
            const trxi_pair sides = trxi_model_pair(model, index);
            const trxi_geom *a = &model->geoms[sides.geom_a], *b = &model->geoms[sides.geom_b];
            bool bodies = p.component != 0;
            length = snprintf(text, size, "pair(%s, %s).%s", bodies ? model->bodies[a->body].name : a->name,
                              bodies ? model->bodies[b->body].name : b->name, m->text);
        } else {
            length = snprintf(text, size, "%s.%s", name_of(model, m->of, index), m->text);
        }
        return length >= 0 && (size_t)length < size;
    }
    return false;
}

// ---- from a name to the parameter ----

static int find_thing(const trx_model *model, thing of, const char *name)
{
    if (of == GEOM) return trx_model_find_geom(model, name);
    for (int i = 0; i < count_of(model, of); i++) {
        const char *its = name_of(model, of, i);
        if (its && strcmp(its, name) == 0) return i;
    }
    return -1;
}

// reports an unknown member, with the member of the things called `name` that is nearest, else with all their members
static trx_status unknown_member(trx_context *context, const trx_model *model, const char *name, const char *member,
                                 bool pair)
{
    const char *known[MEMBERS];
    char list[600] = "";
    int n = 0;
    for (int k = 0; k < MEMBERS; k++) {
        bool has = pair ? members[k].of == PAIR : members[k].of != PAIR && find_thing(model, members[k].of, name) >= 0;
        if (!has) continue;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", n > 0 ? ", " : "", members[k].text);
        known[n++] = members[k].text;
    }
    const char *near = trxi_suggest(member, known, n);
    if (near)
        return trxi_fail(context, TRX_ERR_INPUT, "\"%.60s.%.60s\" is no parameter: did you mean \"%.60s.%s\"?", name, member,
                         name, near);
    return trxi_fail(context, TRX_ERR_INPUT, "\"%.60s.%.60s\" is no parameter: those of %.60s are %s", name, member, name, list);
}

static trx_status unknown_thing(trx_context *context, const trx_model *model, const char *name, bool pair)
{
    int total = 0, n = 0;
    for (int of = 0; of < NTHING; of++)
        if (of != PAIR) total += count_of(model, (thing)of);
    const char **known = trxi_allocate(context, (size_t)total * sizeof *known);
    if (!known) return TRX_ERR_MEMORY;
    for (int of = 0; of < NTHING; of++) {
        bool wanted = pair ? of == BODY || of == GEOM : of != PAIR;
        for (int i = 0; wanted && i < count_of(model, (thing)of); i++) known[n++] = name_of(model, (thing)of, i);
    }
    const char *near = trxi_suggest(name, known, n), *what = pair ? "body or geometry" : "body, joint, geometry or actuator";
    trx_status status = near ? trxi_fail(context, TRX_ERR_INPUT, "there is no %s \"%.100s\": did you mean \"%.100s\"?", what, name,
                                         near)
                             : trxi_fail(context, TRX_ERR_INPUT, "there is no %s \"%.100s\"", what, name);
    trxi_release(context, known);
    return status;
}

// the two names of pair(A, B), without blanks around them; false for other texts
static bool split_pair(const char *name, char a[NAME], char b[NAME], const char **member)
{
    const char *comma = strchr(name, ','), *close = strchr(name, ')');
    if (strncmp(name, "pair(", 5) != 0 || !comma || !close || comma > close || close[1] != '.') return false;
    const char *parts[2] = {name + 5, comma + 1}, *ends[2] = {comma, close};
    char *outs[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        const char *from = parts[i], *to = ends[i];
        while (from < to && *from == ' ') from++;
        while (to > from && to[-1] == ' ') to--;
        if (to == from || to - from >= NAME) return false;
        memcpy(outs[i], from, (size_t)(to - from));
        outs[i][to - from] = '\0';
    }
    *member = close + 2;
    return true;
}

static bool side_is(const trx_model *model, int geom, int body, int wanted)
{
    return body >= 0 ? model->geoms[geom].body == body : geom == wanted;
}

static trx_status find_pair(trx_context *context, const trx_model *model, const char *const names[2], const char *member,
                            trx_parameter *out)
{
    int body[2], geom[2], at = -1;
    for (int i = 0; i < 2; i++) {
        body[i] = find_thing(model, BODY, names[i]);
        geom[i] = find_thing(model, GEOM, names[i]);
        if (body[i] < 0 && geom[i] < 0) return unknown_thing(context, model, names[i], true);
    }
    for (int k = 0; k < MEMBERS && at < 0; k++)
        if (members[k].of == PAIR && strcmp(members[k].text, member) == 0) at = k;
    if (at < 0) {
        char text[2 * NAME + 10];
        snprintf(text, sizeof text, "pair(%s, %s)", names[0], names[1]);
        return unknown_member(context, model, text, member, true);
    }
    bool bodies = body[0] >= 0 && body[1] >= 0;
    int found = 0;
    for (int i = model->npair - 1; i >= 0; i--) {
        const trxi_pair pair = trxi_model_pair(model, i);
        const int a = pair.geom_a, b = pair.geom_b;
        bool is = (side_is(model, a, body[0], geom[0]) && side_is(model, b, body[1], geom[1])) ||
                  (side_is(model, b, body[0], geom[0]) && side_is(model, a, body[1], geom[1]));
        if (!is) continue;
        *out = (trx_parameter){members[at].kind, i, bodies};
        found++;
    }
    if (found == 0) return trxi_fail(context, TRX_ERR_INPUT, "%.100s and %.100s are no pair: they never meet", names[0], names[1]);
    if (found > 1 && !bodies)
        return trxi_fail(context, TRX_ERR_INPUT, "%.100s and %.100s meet in %d pairs: name two geometries or two bodies", names[0],
                         names[1], found);
    return TRX_OK;
}

// "tensor" is a second word for "inertia" in the problem file
static const char *usual(const char *member, char text[NAME])
{
    if (strncmp(member, "tensor.", 7) != 0) return member;
    snprintf(text, NAME, "inertia.%s", member + 7);
    return text;
}

trx_status trx_model_find_parameter(trx_context *context, const trx_model *model, const char *name, trx_parameter *parameter)
{
    if (!context) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    if (!model || !parameter) return trxi_fail(context, TRX_ERR_ARGUMENT, "no model or no place for the parameter");
    if (!name) return trxi_fail(context, TRX_ERR_ARGUMENT, "no name of a parameter given");
    char a[NAME], b[NAME], other[NAME];
    const char *member;
    if (split_pair(name, a, b, &member)) {
        trx_status status = find_pair(context, model, (const char *const[2]){a, b}, member, parameter);
        return status < 0 ? status : trxi_parameter_check(context, model, *parameter);
    }
    const char *dot = strchr(name, '.');
    if (!dot || dot == name || dot - name >= NAME || strchr(name, '('))
        return trxi_fail(context, TRX_ERR_INPUT,
                         "\"%.100s\" is no parameter: write BODY.mass, JOINT.damping, GEOMETRY.radius or "
                         "pair(A, B).friction",
                         name);
    snprintf(a, sizeof a, "%.*s", (int)(dot - name), name);
    member = usual(dot + 1, other);
    bool known = false;
    for (int k = 0; k < MEMBERS; k++) {
        int index = members[k].of == PAIR ? -1 : find_thing(model, members[k].of, a);
        if (index < 0) continue;
        known = true;
        if (strcmp(members[k].text, member) != 0) continue;
        *parameter = (trx_parameter){members[k].kind, index, members[k].component};
        return trxi_parameter_check(context, model, *parameter);
    }
    return known ? unknown_member(context, model, a, member, false) : unknown_thing(context, model, a, false);
}

// ---- the list ----

// whether the pose of a body has an effect: something on it has contacts, joints or constraints
static bool place_matters(const trx_model *model, int body)
{
    for (int g = 0; g < model->ngeom; g++)
        if (trxi_place_carries_body(model, body, model->geoms[g].body) && trxi_model_meets(model, g)) return true;
    for (int t = 0; t < model->ntree; t++)
        if (trxi_place_carries_link(model, body, model->trees[t].first_link)) return true;
    for (int i = 0; i < model->nconstraint; i++) {
        const trxi_constraint *c = &model->constraints[i];
        if (trxi_constraint_of_lengths(c)) continue;
        if (trxi_place_carries_body(model, body, c->body_a) || trxi_place_carries_body(model, body, c->body_b)) return true;
    }
    return false;
}

static bool pair_matters(const trx_model *model, trx_parameter p)
{
    if (trxi_parameter_next_pair(model, p, -1) < p.index) return false; // an earlier entry stands for both
    const trx_pair_law *law = trxi_model_pair(model, p.index).law;
    const bool barrier = law->force_law == TRX_LOG_BARRIER || law->force_law == TRX_IPC;
    switch (p.kind) {
    case TRX_PAIR_STIFFNESS: return !barrier;
    case TRX_PAIR_DISSIPATION: return law->force_law != TRX_KELVIN_VOIGT && !barrier;
    case TRX_PAIR_RELAXATION_TIME: return law->force_law == TRX_KELVIN_VOIGT;
    case TRX_PAIR_FRICTION_ACROSS: return trxi_pair_law_anisotropic(law);
    case TRX_PAIR_DYNAMIC_FRICTION:
    case TRX_PAIR_SLIP_SPEED: return law->slip_speed > 0;
    case TRX_PAIR_TORSIONAL_FRICTION: return law->torsional_friction > 0;
    case TRX_PAIR_ROLLING_FRICTION: return law->rolling_friction > 0;
    case TRX_PAIR_BARRIER: return barrier;
    case TRX_PAIR_REACH: return law->force_law == TRX_IPC;
    default: return true;
    }
}

// whether the joint stiction tolerance has an effect: on dry friction of joints, on torsional or rolling friction
static bool turns(const trx_model *model)
{
    bool any = model->nfriction > 0;
    for (int k = 0; k < model->npair_kind; k++)
        any = any || model->pair_kinds[k].law.torsional_friction > 0 || model->pair_kinds[k].law.rolling_friction > 0;
    return any;
}

static bool matters(const trx_model *model, trx_parameter p)
{
    switch (p.kind) {
    case TRX_PAIR_STIFFNESS:
    case TRX_PAIR_DISSIPATION:
    case TRX_PAIR_RELAXATION_TIME:
    case TRX_PAIR_FRICTION_ACROSS:
    case TRX_PAIR_DYNAMIC_FRICTION:
    case TRX_PAIR_SLIP_SPEED:
    case TRX_PAIR_TORSIONAL_FRICTION:
    case TRX_PAIR_ROLLING_FRICTION:
    case TRX_PAIR_BARRIER:
    case TRX_PAIR_REACH:
    case TRX_PAIR_FRICTION: return pair_matters(model, p);
    case TRX_STICTION_TOLERANCE: return model->npair > 0;
    case TRX_JOINT_STICTION_TOLERANCE: return turns(model);
    case TRX_JOINT_STIFFNESS: return model->joints[p.index].type != TRX_JOINT_FREE;
    case TRX_JOINT_FRICTION: return model->joints[p.index].friction != 0;
    case TRX_JOINT_REST: return model->joints[p.index].stiffness != 0;
    case TRX_BODY_MASS:
    case TRX_BODY_COM:
    case TRX_BODY_TENSOR: return model->bodies[p.index].link >= 0 && model->inertias[p.index].mass > 0;
    case TRX_GEOM_SIZE:
    case TRX_GEOM_RADIUS:
    case TRX_GEOM_LENGTH:
    case TRX_GEOM_ROUNDING: return trxi_model_meets(model, p.index);
    case TRX_PLACE_POSITION:
    case TRX_PLACE_TURN: return model->bodies[p.index].link < 0 && place_matters(model, p.index);
    default: return true;
    }
}

int trx_model_parameters(const trx_model *model, trx_parameter *list, int room)
{
    int count = 0;
    for (int k = 0; model && k < MEMBERS; k++)
        for (int i = 0; i < count_of(model, members[k].of); i++) {
            trx_parameter p = {members[k].kind, i, members[k].of == PAIR ? 1 : members[k].component};
            if (!matters(model, p) || !trxi_parameter_exists(model, p)) continue;
            if (list && count < room) list[count] = p;
            count++;
        }
    return count;
}
