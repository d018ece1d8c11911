// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Tendons of the scene: tendons of included robots first, with indices of the scene, then one for each list `joints:` of
// actuators and constraints.

#include "problem/read_model.h"

// ---- joints ----

static bool find_joint(trxi_reader *reader, trx_source source, const char *name, const trxi_scene *scene, const char *key,
                       int *body, int *joint)
{
    const trxi_named *entry = trxi_names_resolve(reader, &scene->names, source, name, TRXI_JOINT);
    if (!entry) return false;
    const trx_joint_def *found = &scene->bodies[entry->body].joints[entry->index];
    if (trxi_joint_nv(found->type) != 1) {
        trxi_error_at(reader->context, source,
                      "%s: \"%.100s\" has %d degrees of freedom: write the name of a hinge or slide", key, name,
                      trxi_joint_nv(found->type));
        return false;
    }
    *body = entry->body;
    *joint = entry->index;
    return true;
}

bool trxi_read_joint_name(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, const char *key,
                          int *body, int *joint)
{
    return trxi_expect_text(reader, node, key, "the name of a joint") &&
           find_joint(reader, node->source, node->text, scene, key, body, joint);
}

void trxi_read_factor(trxi_reader *reader, const trxi_yaml_node *node, const char *key, double *factor)
{
    double number;
    if (!trxi_read_number(reader, node, key, &number)) return;
    if (number == 0)
        trxi_error_at(reader->context, node->source, "%s is 0, so the actuator has no effect: write another number", key);
    *factor = number;
}

static const trx_joint_factor *read_factors(trxi_reader *reader, const trxi_yaml_node *map, const trxi_scene *scene)
{
    trx_joint_factor *tendon = TRXI_READER_TAKE(reader, trx_joint_factor, map->count + 1);
    if (map->count == 0)
        trxi_error_at(reader->context, map->source, "joints: an empty tendon: write {JOINT: FACTOR, ...}");
    for (int i = 0; tendon && i < map->count && reader->memory; i++) {
        tendon[i].factor = 1;
        find_joint(reader, map->key_sources[i], map->keys[i], scene, "joints", &tendon[i].body, &tendon[i].joint);
        trxi_read_factor(reader, map->items[i], map->keys[i], &tendon[i].factor);
    }
    return tendon;
}

// ---- the list ----

static void take_tendon(trxi_reader *reader, const trxi_include *include, const trx_tendon_def *from, trx_tendon_def *to)
{
    trx_joint_factor *joints = TRXI_READER_TAKE(reader, trx_joint_factor, from->njoint + 1);
    trx_tendon_point *points = TRXI_READER_TAKE(reader, trx_tendon_point, from->npoint + 1);
    if (!joints || !points) return;
    *to = *from;
    for (int i = 0; i < from->njoint; i++) {
        joints[i] = from->joints[i];
        joints[i].body += include->first_body;
    }
    for (int i = 0; i < from->npoint; i++) {
        points[i] = from->points[i];
        if (points[i].type == TRX_TENDON_PULLEY) continue;
        points[i].body = trxi_include_body(include, points[i].body);
        if (points[i].has_side) points[i].side_body = trxi_include_body(include, points[i].side_body);
    }
    to->joints = from->njoint > 0 ? joints : NULL;
    to->points = from->npoint > 0 ? points : NULL;
}

void trxi_read_tendons(trxi_reader *reader, int own, trxi_scene *scene)
{
    int count = own;
    for (int k = 0; k < scene->ninclude; k++)
        if (scene->includes[k].import) count += trx_import_get(scene->includes[k].import)->def.ntendon;
    scene->tendons = TRXI_READER_TAKE(reader, trx_tendon_def, count);
    scene->def.tendons = scene->tendons;
    for (int k = 0; scene->tendons && k < scene->ninclude; k++) {
        trxi_include *include = &scene->includes[k];
        const trx_model_def *def = include->import ? &trx_import_get(include->import)->def : NULL;
        include->first_tendon = scene->def.ntendon;
        for (int i = 0; def && i < def->ntendon && reader->memory; i++)
            take_tendon(reader, include, &def->tendons[i], &scene->tendons[scene->def.ntendon++]);
    }
}

int trxi_read_tendon(trxi_reader *reader, const trxi_yaml_node *map, const char *name, trxi_scene *scene)
{
    const trx_joint_factor *joints = read_factors(reader, map, scene);
    if (!joints) return -1;
    trx_tendon_def *tendon = &scene->tendons[scene->def.ntendon];
    *tendon = trx_tendon_def_default();
    tendon->name = name ? name : "";
    tendon->source = map->source;
    tendon->joints = joints;
    tendon->njoint = map->count;
    return scene->def.ntendon++;
}
