// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section model: gravity, materials; robots (read_include.c), bodies (read_bodies.c), actuators, constraints
// and loads (read_actuators.c, read_constraints.c, read_loads.c). Materials are read first and references to bodies
// last, so the order of the keys in the file does not matter.

#include "formats/scalar.h"
#include "problem/read_model.h"

#include <math.h>
#include <string.h>

// ---- materials ----

typedef struct material_record {
    trx_material_def def;
    const trxi_yaml_node *stiffness;
} material_record;

static const trxi_field material_fields[] = {
    TRXI_FIELD("stiffness", TRXI_NODE, material_record, stiffness),
    TRXI_FIELD("dissipation", TRXI_NOT_NEGATIVE, material_record, def.dissipation, .of = TRXI_OF_DISSIPATION),
    TRXI_FIELD("relaxation_time", TRXI_NOT_NEGATIVE, material_record, def.relaxation_time, .of = TRXI_OF_RELAXATION),
    TRXI_FIELD("friction", TRXI_NOT_NEGATIVE, material_record, def.friction, .of = TRXI_OF_FRICTION),
    TRXI_FIELD("torsional_friction", TRXI_NOT_NEGATIVE, material_record, def.torsional_friction, .of = TRXI_OF_LENGTH),
    TRXI_FIELD("rolling_friction", TRXI_NOT_NEGATIVE, material_record, def.rolling_friction, .of = TRXI_OF_LENGTH),
};

static void read_stiffness(trxi_reader *reader, const trxi_yaml_node *node, trx_material_def *material)
{
    static const trxi_field number = {.key = "stiffness", .kind = TRXI_NOT_NEGATIVE};
    if (node->kind == TRXI_YAML_SCALAR && strcmp(node->text, "rigid") == 0)
        material->rigid = true;
    else
        trxi_read_value(reader, node, &number, &material->stiffness);
}

// defined materials, then the default material, unless the file defines it
static void read_materials(trxi_reader *reader, const trxi_yaml_node *map, trxi_scene *scene)
{
    int count = map ? map->count : 0;
    scene->materials = TRXI_READER_TAKE(reader, trx_material_def, count + 1);
    if (!scene->materials) return;
    for (int i = 0; i < count && reader->memory; i++) {
        material_record record = {.def = trx_material_def_default()};
        record.def.name = map->keys[i];
        record.def.source = map->key_sources[i];
        trxi_name_check(reader, map->key_sources[i], map->keys[i]);
        if (TRXI_READ_RECORD(reader, map->items[i], "a material", material_fields, &record) && record.stiffness)
            read_stiffness(reader, record.stiffness, &record.def);
        scene->materials[i] = record.def;
    }
    if (!map || trxi_yaml_find(map, "default") < 0) {
        scene->materials[count] = trx_material_def_default();
        scene->materials[count++].name = "default";
    }
    scene->def.materials = scene->materials;
    scene->def.nmaterial = count;
}

// ---- the section ----

typedef struct model_record {
    double gravity[3];
    const trxi_yaml_node *include, *materials, *bodies, *actuators, *constraints, *loads;
} model_record;

static const trxi_field model_fields[] = {
    TRXI_FIELD("gravity", TRXI_VECTOR, model_record, gravity, .count = 3, .of = TRXI_OF_ACCELERATION),
    TRXI_FIELD("include", TRXI_LIST, model_record, include),
    TRXI_FIELD("materials", TRXI_MAP, model_record, materials),
    TRXI_FIELD("bodies", TRXI_LIST, model_record, bodies),
    TRXI_FIELD("actuators", TRXI_LIST, model_record, actuators),
    TRXI_FIELD("constraints", TRXI_LIST, model_record, constraints),
    TRXI_FIELD("loads", TRXI_LIST, model_record, loads),
};

void trxi_read_model(trxi_reader *reader, const trxi_yaml_node *node, trxi_scene *scene)
{
    scene->def = trx_model_def_default();
    model_record record = {0};
    memcpy(record.gravity, scene->def.gravity, sizeof record.gravity);
    if (!TRXI_READ_RECORD(reader, node, "model", model_fields, &record)) return;
    memcpy(scene->def.gravity, record.gravity, sizeof record.gravity);
    if (!trxi_yaml_get(node, "bodies") && !trxi_yaml_get(node, "include"))
        trxi_error_at(reader->context, node->source, "model: missing key \"bodies\": add it");

    read_materials(reader, record.materials, scene);
    scene->gravity_given = trxi_yaml_get(node, "gravity");
    if (reader->memory) trxi_read_includes(reader, record.include, record.bodies ? record.bodies->count : 0, scene);
    if (record.bodies && reader->memory) trxi_read_bodies(reader, record.bodies, scene);
    trxi_names_finish(reader, &scene->names);

    // lists that refer to names
    if (reader->memory) trxi_read_include_motions(reader, scene);
    if (reader->memory) trxi_resolve_include_parents(reader, scene);
    if (record.bodies && reader->memory) trxi_resolve_parents(reader, record.bodies, scene);
    const int own = (record.actuators ? record.actuators->count : 0) + (record.constraints ? record.constraints->count : 0);
    if (reader->memory) trxi_read_tendons(reader, own, scene);
    if (reader->memory) trxi_read_actuators(reader, record.actuators, scene);
    if (reader->memory) trxi_read_constraints(reader, record.constraints, scene);
    if (record.loads && reader->memory) trxi_read_loads(reader, record.loads, scene);

    // the default material is the last one; if unused it is not part of the model
    bool own_default = record.materials && trxi_yaml_find(record.materials, "default") >= 0;
    if (!own_default && !scene->default_material_used && scene->def.nmaterial > 0) scene->def.nmaterial--;
}
