// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Names. Every kind of thing has its own namespace, except that bodies and frames share one: both are places. So a
// body, a joint and a geometry may share a name, as in robot files. Duplicates are found by sorting, which is fast
// for thousands of names. Unnamed geometries are BODY#1, BODY#2, ...; coordinates are named after their joint: px and
// px.v, box.x ... box.qz and box.vx ... box.wz.

#include "model/build.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
    const char *name;
    const char *kind;
    trx_source source;
    int order; // position among all names
} entry;

typedef struct entries {
    entry *list;
    int count;
    bool missing; // a name is NULL
} entries;

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// characters that robot files use are allowed as long as neither quantities (NAME.member, pair(A, B), BODY#N) nor tables use them
static bool well_formed(const char *name)
{
    if (!is_letter(name[0])) return false;
    const char *c = name + 1;
    for (; *c; c++)
        if (!is_letter(*c) && !(*c >= '0' && *c <= '9') && !strchr("_-/:+@ ", *c)) return false;
    return c[-1] != ' ';
}

// validates one name and adds it to the search for duplicates
static void take(trx_context *context, entries *all, const char *kind, const char *name, trx_source source)
{
    if (!name) {
        trxi_error_at(context, source, "this %s needs a name", kind);
        all->missing = true;
    } else if (!well_formed(name))
        trxi_error_at(context, source,
                      "'%s' is no name for a %s: use letters, digits, _ - / : + @ and blanks inside, a letter first", name, kind);
    else if (strcmp(name, "world") == 0)
        trxi_error_at(context, source, "the name 'world' is reserved; give this %s another one", kind);
    else {
        all->list[all->count] = (entry){name, kind, source, all->count};
        all->count++;
    }
}

static int compare(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    int by_name = strcmp(x->name, y->name);
    return by_name ? by_name : x->order - y->order;
}

static void report_duplicate(trx_context *context, const entry *known, const entry *found)
{
    const char *article = known->kind[0] == 'a' ? "an" : "a";
    if (known->source.line > 0)
        trxi_error_at(context, found->source, "the name '%s' is taken by %s %s on line %d; give this %s another one",
                      found->name, article, known->kind, known->source.line, found->kind);
    else
        trxi_error_at(context, found->source, "the name '%s' is taken by %s %s; give this %s another one", found->name,
                      article, known->kind, found->kind);
}

// reports every name after the first equal one, and clears the list
static void report_duplicates(trx_context *context, entries *all)
{
    qsort(all->list, (size_t)all->count, sizeof *all->list, compare);
    for (int i = 1, first = 0; i < all->count; i++) {
        if (strcmp(all->list[first].name, all->list[i].name) == 0)
            report_duplicate(context, &all->list[first], &all->list[i]);
        else
            first = i;
    }
    all->count = 0;
}

static void take_places(trx_context *context, entries *all, const trx_body_def *body)
{
    take(context, all, "body", body->name, body->source);
    for (int k = 0; k < body->nframe; k++) take(context, all, "frame", body->frames[k].name, body->frames[k].source);
}

static void take_joints(trx_context *context, entries *all, const trx_body_def *body)
{
    for (int k = 0; k < body->njoint; k++) take(context, all, "joint", body->joints[k].name, body->joints[k].source);
}

static void take_geometries(trx_context *context, entries *all, const trx_body_def *body)
{
    for (int k = 0; k < body->ngeometry; k++)
        if (body->geometry[k].name)
            take(context, all, "geometry", body->geometry[k].name, body->geometry[k].source);
}

// an actuator without a name has its joint's name, which is validated with the joint
static void take_actuator(trx_context *context, entries *all, const trx_model_def *def, const trx_actuator_def *actuator)
{
    const char *name = actuator->name;
    if (!name && actuator->tendon < 0 && actuator->body >= 0 && actuator->body < def->nbody) {
        const trx_body_def *body = &def->bodies[actuator->body];
        if (actuator->joint >= 0 && actuator->joint < body->njoint) name = body->joints[actuator->joint].name;
    }
    if (name) take(context, all, "actuator", name, actuator->source);
}

// the largest number of names that share a namespace, or more
static int most_names(const trx_model_def *def)
{
    int objects = def->nbody, most = def->nactuator > def->nmaterial ? def->nactuator : def->nmaterial;
    if (def->nconstraint > most) most = def->nconstraint;
    for (int i = 0; i < def->nbody; i++)
        objects += def->bodies[i].njoint + def->bodies[i].nframe + def->bodies[i].ngeometry;
    return objects > most ? objects : most;
}

trx_status trxi_validate_names(trxi_build *build)
{
    const trx_model_def *def = build->def;
    entries all = {.list = TRXI_POOL(build->pool, entry, most_names(def))};
    if (!all.list) return TRX_ERR_MEMORY;

    static void (*const kinds[])(trx_context *, entries *, const trx_body_def *) = {take_places, take_joints, take_geometries};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < def->nbody; i++) kinds[k](build->context, &all, &def->bodies[i]);
        report_duplicates(build->context, &all);
    }
    for (int i = 0; i < def->nmaterial; i++)
        take(build->context, &all, "material", def->materials[i].name, def->materials[i].source);
    report_duplicates(build->context, &all);
    for (int i = 0; i < def->nactuator; i++) take_actuator(build->context, &all, def, &def->actuators[i]);
    report_duplicates(build->context, &all);
    for (int i = 0; i < def->nconstraint; i++)
        take(build->context, &all, "constraint", def->constraints[i].name, def->constraints[i].source);
    report_duplicates(build->context, &all);
    return all.missing ? TRX_ERR_INPUT : TRX_OK;
}

// names of a joint's coordinates in q, and in v
static trx_status name_coordinates(trxi_build *build, const trxi_joint *joint)
{
    static const char *const ball_q[7] = {".qw", ".qx", ".qy", ".qz"}, *const ball_v[6] = {".wx", ".wy", ".wz"};
    static const char *const planar_q[7] = {".x", ".y", ".yaw"}, *const planar_v[6] = {".vx", ".vy", ".wz"};
    static const char *const free_q[7] = {".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"};
    static const char *const free_v[6] = {".vx", ".vy", ".vz", ".wx", ".wy", ".wz"};
    static const char *const single_q[7] = {""}, *const single_v[6] = {".v"};

    const char *const *q = single_q, *const *v = single_v;
    if (joint->type == TRX_JOINT_BALL) q = ball_q, v = ball_v;
    if (joint->type == TRX_JOINT_PLANAR) q = planar_q, v = planar_v;
    if (joint->type == TRX_JOINT_FREE) q = free_q, v = free_v;

    trx_model *m = &build->model;
    bool all = true;
    assert(joint->nq <= 7 && joint->nv <= 6);
    for (int k = 0; k < joint->nq; k++)
        all &= (m->q_names[joint->q + k] = trxi_pool_printf(build->pool, "%s%s", joint->name, q[k])) != NULL;
    for (int k = 0; k < joint->nv; k++)
        all &= (m->v_names[joint->v + k] = trxi_pool_printf(build->pool, "%s%s", joint->name, v[k])) != NULL;
    return all ? TRX_OK : TRX_ERR_MEMORY;
}

trx_status trxi_build_names(trxi_build *build)
{
    trx_model *m = &build->model;
    for (int i = 0; i < m->ngeom; i++) {
        trxi_geom *geom = &m->geoms[i];
        const trxi_body *body = &m->bodies[geom->body];
        if (geom->name) continue;
        geom->name = trxi_pool_printf(build->pool, "%s#%d", body->name, i - body->first_geom + 1);
        if (!geom->name) return TRX_ERR_MEMORY;
    }

    m->q_names = TRXI_POOL(build->pool, const char *, m->nq);
    m->v_names = TRXI_POOL(build->pool, const char *, m->nv);
    m->a_names = TRXI_POOL(build->pool, const char *, m->na + 1);
    if (!m->q_names || !m->v_names || !m->a_names) return TRX_ERR_MEMORY;
    for (int i = 0; i < m->njoint; i++)
        if (name_coordinates(build, &m->joints[i]) < 0) return TRX_ERR_MEMORY;
    for (int i = 0; i < m->nu; i++)
        if (m->actuators[i].a >= 0 &&
            !(m->a_names[m->actuators[i].a] = trxi_pool_printf(build->pool, "%s.a", m->actuators[i].name)))
            return TRX_ERR_MEMORY;
    return TRX_OK;
}
