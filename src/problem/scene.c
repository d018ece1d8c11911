// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Counts, groups, materials and notes of a scene; see scene.h. A scene may still contain errors that only trx_model_create finds (a
// cycle of parents), so loops towards the root are bounded.

#include "problem/scene.h"

#include <string.h>

static int count(const trxi_scene *scene, int (*numbers)(trx_joint_type))
{
    int sum = 0;
    for (int i = 0; i < scene->def.nbody; i++)
        for (int j = 0; j < scene->bodies[i].njoint; j++) sum += numbers(scene->bodies[i].joints[j].type);
    return sum;
}

int trxi_scene_nq(const trxi_scene *scene)
{
    return count(scene, trxi_joint_nq);
}

int trxi_scene_nv(const trxi_scene *scene)
{
    return count(scene, trxi_joint_nv);
}

bool trxi_scene_descends(const trxi_scene *scene, int body, int ancestor)
{
    for (int steps = 0; body >= 0 && steps <= scene->def.nbody; steps++) {
        if (body == ancestor) return true;
        body = scene->bodies[body].parent;
    }
    return false;
}

bool trxi_scene_in_group(const trxi_scene *scene, trxi_side side, int body)
{
    if (side.include < 0) return trxi_scene_descends(scene, body, side.body);
    const trxi_include *include = &scene->includes[side.include];
    return body >= include->first_body && body < include->first_body + include->nbody;
}

int trxi_scene_group(const trxi_scene *scene, trxi_side side)
{
    int sum = 0;
    for (int i = 0; i < scene->def.nbody; i++)
        for (int j = 0; trxi_scene_in_group(scene, side, i) && j < scene->bodies[i].njoint; j++)
            sum += trxi_joint_nv(scene->bodies[i].joints[j].type) == 1;
    return sum;
}

void trxi_group_joints(const trxi_scene *scene, const trx_model *model, trxi_side side, int *joints)
{
    int count = 0;
    for (int i = 0; i < model->nv; i++) {
        int index = model->links[model->dof_link[i]].joint;
        const trxi_joint *joint = &model->joints[index];
        const trxi_named *body = trxi_names_find(&scene->names, model->bodies[joint->body].name, TRXI_BODY);
        if (joint->nv == 1 && body && trxi_scene_in_group(scene, side, body->body)) joints[count++] = index;
    }
}

bool trxi_find_side(trxi_reader *reader, const trxi_scene *scene, trx_source source, const char *name, int things,
                    trxi_side *side)
{
    const trxi_named *entry = trxi_names_resolve(reader, &scene->names, source, name, things);
    if (!entry) return false;
    *side = (trxi_side){-1, -1, -1};
    if (entry->things == TRXI_INCLUDE) {
        side->include = entry->body;
        return true;
    }
    side->body = entry->body;
    if (entry->things == TRXI_GEOMETRY) side->geometry = entry->index;
    return true;
}

int trxi_find_material(trxi_reader *reader, const trxi_yaml_node *node, trxi_scene *scene)
{
    int count = scene->def.nmaterial;
    if (node && !trxi_expect_text(reader, node, "material", "the name of a material")) return 0;
    const char *name = node ? node->text : "default";
    const char **names = node ? TRXI_READER_TAKE(reader, const char *, count) : NULL;
    if (!node) scene->default_material_used = true;
    for (int i = 0; i < count; i++) {
        if (strcmp(scene->materials[i].name, name) == 0) return i;
        if (names) names[i] = scene->materials[i].name;
    }
    if (!names) return 0;
    const char *near = trxi_did_you_mean(reader, name, names, count);
    if (*near)
        trxi_error_at(reader->context, node->source, "unknown material \"%.100s\"%s", name, near);
    else
        trxi_error_at(reader->context, node->source,
                      "unknown material \"%.100s\": write %s, or define it in materials:", name,
                      trxi_choices(reader, names, count));
    return 0;
}

void trxi_scene_note(trxi_reader *reader, trxi_scene *scene, trx_note note)
{
    for (int i = 0; note.text && i < scene->nnote; i++) {
        const trx_note *known = &scene->notes[i];
        if (known->kind == note.kind && known->source.line == note.source.line && known->source.column == note.source.column &&
            strcmp(known->text, note.text) == 0)
            return;
    }
    if (!note.text) return;
    trx_note *notes = trxi_reader_grow(reader, scene->notes, scene->nnote, &scene->note_capacity, sizeof *notes);
    if (!notes) return;
    scene->notes = notes;
    if (!note.form) note.form = note.text;
    scene->notes[scene->nnote++] = note;
}
