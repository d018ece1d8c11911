// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The list include: robots from other files, which the import room turns into definitions. Here these join the
// scene. Their bodies come before the bodies of the problem file, and so do actuators, constraints and pair rules;
// every index moves by the number of earlier elements. Their names have the prefix "NAME/" and are otherwise
// ordinary names.
//
// Settings of a robot's file about its world (gravity unless `gravity: true`, time step, contact of neighbours) are
// replaced by the problem's. Notes report another gravity and contact of neighbours.

#include "problem/read_contact.h"
#include "problem/read_model.h"

#include <math.h>
#include <string.h>

enum { BASES = 3, REPAIRS = 5, MESHES = 2 };

typedef struct include_record {
    const char *name, *file;
    int base, repair, meshes;
    trx_pose pose;
    bool actuators, keep_start, gravity, compensated;
    double damping, friction; // of joints without their own
    const trxi_yaml_node *material, *parent, *motions, *decompose;
} include_record;

static const char *const base_words[BASES] = {"fixed", "free", "planar"};
static const char *const repair_words[REPAIRS] = {"nearest", "bound", "balance", "from_geometry", "refuse"};
static const char *const mesh_words[MESHES] = {"refuse", "skip"};

static const trxi_field include_fields[] = {
    TRXI_FIELD("name", TRXI_NAME, include_record, name, .required = true),
    TRXI_FIELD("file", TRXI_PATH, include_record, file, .required = true),
    TRXI_FIELD("base", TRXI_WORD, include_record, base, .words = base_words, .count = BASES),
    TRXI_FIELD("pose", TRXI_POSE, include_record, pose),
    TRXI_FIELD("parent", TRXI_NODE, include_record, parent),
    TRXI_FIELD("material", TRXI_NODE, include_record, material),
    TRXI_FIELD("actuators", TRXI_BOOL, include_record, actuators),
    TRXI_FIELD("repair_inertia", TRXI_WORD, include_record, repair, .words = repair_words, .count = REPAIRS),
    TRXI_FIELD("meshes", TRXI_WORD, include_record, meshes, .words = mesh_words, .count = MESHES),
    TRXI_FIELD("decompose", TRXI_NODE, include_record, decompose),
    TRXI_FIELD("keep_start", TRXI_BOOL, include_record, keep_start),
    TRXI_FIELD("gravity", TRXI_BOOL, include_record, gravity),
    TRXI_FIELD("gravity_compensation", TRXI_BOOL, include_record, compensated),
    TRXI_FIELD("motions", TRXI_MAP, include_record, motions),
    TRXI_FIELD("joint_damping", TRXI_NOT_NEGATIVE, include_record, damping, .of = TRXI_OF_DAMPING),
    TRXI_FIELD("joint_friction", TRXI_NOT_NEGATIVE, include_record, friction, .of = TRXI_OF_FORCE),
};

// ---- loading ----

// an unsupported file is reported here; the import's own errors are already in the context
static void report_failure(trxi_reader *reader, const trxi_yaml_node *file, trx_status status)
{
    if (status == TRX_ERR_MEMORY) reader->memory = false;
    if (status == TRX_ERR_IO)
        trxi_unreadable(reader, file->source, trx_context_message(reader->context));
    else if (status == TRX_ERR_UNSUPPORTED)
        trxi_not_served(reader, TRXI_FOR_MODEL, file, trx_context_message(reader->context));
    else if (status != TRX_ERR_INPUT && status != TRX_ERR_MEMORY)
        trxi_error_at(reader->context, file->source, "%s", trx_context_message(reader->context));
}

static void load(trxi_reader *reader, const trxi_yaml_node *node, const include_record *record, trxi_scene *scene,
                 trxi_include *include)
{
    static const trx_base bases[BASES + 1] = {TRX_BASE_OF_FILE, TRX_BASE_FIXED, TRX_BASE_FREE, TRX_BASE_PLANAR};
    static const trx_repair_inertia repairs[REPAIRS] = {TRX_REPAIR_NEAREST, TRX_REPAIR_BOUND, TRX_REPAIR_BALANCE,
                                                        TRX_REPAIR_FROM_GEOMETRY, TRX_REPAIR_NONE};
    bool used = scene->default_material_used;
    int errors = trx_context_error_count(reader->context), material = trxi_find_material(reader, record->material, scene);
    scene->default_material_used = used; // a robot has its own copy
    if (trx_context_error_count(reader->context) > errors) return;

    trx_import_options options = trx_import_options_default();
    options.prefix = record->name;
    options.base = bases[record->base + 1];
    options.pose = record->pose;
    options.material = scene->materials[material];
    options.repair = repairs[record->repair];
    options.skip_meshes = record->meshes == 1;
    options.keep_start = record->keep_start;
    if (record->decompose) trxi_read_decomposition(reader, record->decompose, &options.decompose);
    options.packages = reader->packages;
    options.npackage = reader->npackage;
    if (trx_context_error_count(reader->context) > errors) return;
    trx_status status =
        trx_import_load(reader->context, trxi_file_path(reader, record->file), &options, &include->import);
    if (status < 0) report_failure(reader, trxi_yaml_get(node, "file"), status);
}

// false when the robot's names remain unknown
static bool read_include(trxi_reader *reader, const trxi_yaml_node *node, trxi_scene *scene, trxi_include *include)
{
    include_record record = {.base = -1, .pose = trx_pose_identity(), .actuators = true};
    *include = (trxi_include){.name = "", .source = node->source, .carrier = -1};
    int errors = trx_context_error_count(reader->context);
    TRXI_READ_RECORD(reader, node, "an include", include_fields, &record);
    include->parent = record.parent;
    include->has_actuators = record.actuators;
    include->motions = record.motions;
    include->gravity = record.gravity;
    include->compensated = record.compensated;
    include->joint_damping = record.damping;
    include->joint_friction = record.friction;
    if (record.parent && !trxi_expect_text(reader, record.parent, "parent", "the name of a body")) include->parent = NULL;
    if (record.parent && record.base == TRX_BASE_FREE - 1)
        trxi_error_at(reader->context, record.parent->source,
                      "the parent of a free base is the world: remove parent, or write base: fixed");
    if (!record.name) return false;
    include->name = record.name;
    bool taken = false; // reported with the other names
    for (int i = 0; i < scene->ninclude; i++) taken = taken || strcmp(scene->includes[i].name, record.name) == 0;
    if (record.file && !taken && trx_context_error_count(reader->context) == errors)
        load(reader, node, &record, scene, include);
    return true;
}

// ---- joining the scene ----

static void add_names(trxi_reader *reader, trxi_scene *scene, int at)
{
    const trx_body_def *body = &scene->bodies[at];
    bool shared = body->njoint == 1 && strcmp(body->joints[0].name, body->name) == 0;
    trxi_named entry = {body->name, shared ? TRXI_BODY | TRXI_JOINT : TRXI_BODY, at, 0, body->source, false, false};
    trxi_names_add(reader, &scene->names, entry);
    for (int j = 0; j < body->njoint && !shared; j++)
        trxi_names_add(reader, &scene->names,
                       (trxi_named){body->joints[j].name, TRXI_JOINT, at, j, body->joints[j].source, false, false});
    for (int i = 0; i < body->nframe; i++)
        trxi_names_add(reader, &scene->names,
                       (trxi_named){body->frames[i].name, TRXI_FRAME, at, i, body->frames[i].source, false, false});
    for (int i = 0; i < body->ngeometry; i++) {
        const trx_geometry_def *geometry = &body->geometry[i];
        trxi_names_add_geometry(reader, &scene->names, body, at, i, geometry->name, geometry->source);
    }
}

// joints with the damping and dry friction of the include where the file gives none
static const trx_joint_def *complete_joints(trxi_reader *reader, const trxi_include *include, const trx_body_def *body)
{
    trx_joint_def *joints = TRXI_READER_TAKE(reader, trx_joint_def, body->njoint);
    for (int i = 0; joints && i < body->njoint; i++) {
        joints[i] = body->joints[i];
        if (joints[i].type != TRX_JOINT_HINGE && joints[i].type != TRX_JOINT_SLIDE) continue;
        if (joints[i].damping == 0) joints[i].damping = include->joint_damping;
        if (joints[i].friction == 0) joints[i].friction = include->joint_friction;
    }
    return joints;
}

// bodies with indices of the scene; geometries are copied, because their materials move later
static void take_bodies(trxi_reader *reader, trxi_scene *scene, const trxi_include *include)
{
    const trx_model_def *def = &trx_import_get(include->import)->def;
    for (int i = 0; i < def->nbody && reader->memory; i++) {
        trx_body_def *body = &scene->bodies[include->first_body + i];
        *body = def->bodies[i];
        if (body->parent >= 0) body->parent += include->first_body;
        if (include->compensated) body->gravity = false;
        trx_geometry_def *geometry = TRXI_READER_TAKE(reader, trx_geometry_def, body->ngeometry);
        if (!geometry) return;
        if (body->ngeometry) memcpy(geometry, body->geometry, (size_t)body->ngeometry * sizeof *geometry);
        body->geometry = geometry;
        body->joints = complete_joints(reader, include, body);
        if (!body->joints) return;
        add_names(reader, scene, include->first_body + i);
    }
}

static void add_note(trxi_reader *reader, trxi_scene *scene, const trxi_include *include, const char *text)
{
    trxi_scene_note(reader, scene, (trx_note){.kind = TRX_NOTE_REPLACED, .source = include->source, .text = text});
}

// the gravity of the file acts on the whole problem, so it is given once
static void take_gravity(trxi_reader *reader, trxi_scene *scene, const trxi_include *include)
{
    const double *theirs = trx_import_get(include->import)->gravity;
    if (!include->gravity || isnan(theirs[0])) return;
    if (scene->gravity_given)
        trxi_error_at(reader->context, include->source,
                      "gravity: the gravity of \"%.100s\" is not the only one: remove gravity of the model, or of all robots but "
                      "one",
                      include->name);
    memcpy(scene->def.gravity, theirs, sizeof scene->def.gravity);
    scene->gravity_given = true;
}

static void note_difference(trxi_reader *reader, trxi_scene *scene, const trxi_include *include)
{
    const trx_import_result *result = trx_import_get(include->import);
    const double *theirs = result->gravity, *ours = scene->def.gravity;
    bool differs = false;
    for (int i = 0; i < 3; i++) differs = differs || theirs[i] != ours[i];
    if (include->gravity && isnan(theirs[0]))
        add_note(reader, scene, include,
                 trxi_reader_printf(reader, "the file of \"%s\" gives no gravity; the problem's [%g, %g, %g] acts", include->name,
                                    ours[0], ours[1], ours[2]));
    if (differs && !isnan(theirs[0]))
        add_note(reader, scene, include,
                 trxi_reader_printf(reader, "gravity of the file of \"%s\" is [%g, %g, %g]; the problem's [%g, %g, %g] acts",
                                    include->name, theirs[0], theirs[1], theirs[2], ours[0], ours[1], ours[2]));
    if (result->def.allow_adjacent)
        add_note(reader, scene, include,
                 trxi_reader_printf(reader,
                                    "in the file of \"%s\" a body and its parent may meet; here contact.pairs.allow_adjacent "
                                    "decides",
                                    include->name));
    for (int i = 0; i < result->nnote; i++) trxi_scene_note(reader, scene, result->notes[i]);
}

void trxi_read_includes(trxi_reader *reader, const trxi_yaml_node *list, int own, trxi_scene *scene)
{
    int count = list ? list->count : 0;
    scene->includes = TRXI_READER_TAKE(reader, trxi_include, count);
    for (int i = 0; scene->includes && i < count && reader->memory; i++) {
        trxi_include *include = &scene->includes[scene->ninclude];
        bool named = read_include(reader, list->items[i], scene, include);
        if (!named) continue;
        const trxi_yaml_node *name = trxi_yaml_get(list->items[i], "name");
        trxi_names_add(reader, &scene->names, (trxi_named){include->name, TRXI_INCLUDE, scene->ninclude++, 0, name->source,
                                                           !include->import, false});
        include->first_body = scene->own_body;
        include->nbody = include->import ? trx_import_get(include->import)->def.nbody : 0;
        scene->own_body += include->nbody;
    }
    scene->bodies = TRXI_READER_TAKE(reader, trx_body_def, scene->own_body + own);
    for (int i = 0; scene->bodies && i < scene->ninclude && reader->memory; i++) {
        if (!scene->includes[i].import) continue;
        take_bodies(reader, scene, &scene->includes[i]);
        take_gravity(reader, scene, &scene->includes[i]);
    }
    for (int i = 0; scene->bodies && i < scene->ninclude && reader->memory; i++)
        if (scene->includes[i].import) note_difference(reader, scene, &scene->includes[i]);
    scene->def.bodies = scene->bodies;
    scene->def.nbody = scene->bodies ? scene->own_body : 0;
}

// ---- motions of bodies, as of MJCF's mocap ----

void trxi_read_include_motions(trxi_reader *reader, trxi_scene *scene)
{
    for (int k = 0; k < scene->ninclude && reader->memory; k++) {
        const trxi_yaml_node *motions = scene->includes[k].motions;
        for (int i = 0; motions && scene->includes[k].import && i < motions->count && reader->memory; i++) {
            const char *name = trxi_reader_printf(reader, "%s/%s", scene->includes[k].name, motions->keys[i]);
            if (!name) return;
            const trxi_named *entry = trxi_names_resolve(reader, &scene->names, motions->key_sources[i], name, TRXI_BODY);
            if (entry) trxi_read_motion(reader, motions->items[i], &scene->bodies[entry->body]);
        }
    }
}

// ---- carriers of robots ----

static bool has_free_joint(const trx_body_def *body)
{
    return body->njoint == 1 && body->joints[0].type == TRX_JOINT_FREE;
}

void trxi_resolve_include_parents(trxi_reader *reader, trxi_scene *scene)
{
    for (int k = 0; k < scene->ninclude && reader->memory; k++) {
        trxi_include *include = &scene->includes[k];
        const trxi_yaml_node *node = include->parent;
        if (!node || !include->import || strcmp(node->text, "world") == 0) continue;
        const trxi_named *entry = trxi_names_resolve(reader, &scene->names, node->source, node->text, TRXI_BODY);
        if (!entry) continue;
        if (trxi_scene_in_group(scene, (trxi_side){k, -1, -1}, entry->body)) {
            trxi_error_at(reader->context, node->source, "\"%.100s\" is part of this include: write another body",
                          node->text);
            continue;
        }
        include->carrier = entry->body;
        for (int i = include->first_body; i < include->first_body + include->nbody; i++) {
            if (scene->bodies[i].parent >= 0) continue;
            if (has_free_joint(&scene->bodies[i]))
                trxi_error_at(reader->context, node->source,
                              "body \"%.100s\" is free in its file, and the parent of a free body is the world: remove "
                              "parent, or write base: fixed",
                              scene->bodies[i].name);
            scene->bodies[i].parent = entry->body;
        }
    }
}

// ---- definitions that are lists of the whole model ----

// room for `more` behind `count` elements of `size`
static void *enlarged(trxi_reader *reader, const void *old, int count, int more, size_t size)
{
    char *made = trxi_reader_take(reader, count + more, size);
    if (made && count) memcpy(made, old, (size_t)count * size);
    return made;
}

static void merge_materials(trxi_reader *reader, trxi_scene *scene, trxi_include *include)
{
    const trx_model_def *def = &trx_import_get(include->import)->def;
    int first = scene->def.nmaterial;
    trx_material_def *materials = enlarged(reader, scene->materials, first, def->nmaterial, sizeof *materials);
    if (!materials) return;
    if (def->nmaterial) memcpy(materials + first, def->materials, (size_t)def->nmaterial * sizeof *materials);
    scene->materials = materials;
    scene->def.materials = materials;
    scene->def.nmaterial = first + def->nmaterial;
    for (int i = include->first_body; i < include->first_body + include->nbody; i++) {
        trx_geometry_def *geometry = (trx_geometry_def *)scene->bodies[i].geometry;
        for (int k = 0; k < scene->bodies[i].ngeometry; k++) geometry[k].material += first;
    }
}

static void move_selector(trx_pair_selector *pair, int first)
{
    pair->a.body += first;
    pair->b.body += first;
}

// pair rules of the robots come first, so that rules of the problem win
static void merge_pairs(trxi_reader *reader, trxi_scene *scene)
{
    int nexclude = 0, noverride = 0;
    for (int k = 0; k < scene->ninclude; k++) {
        if (!scene->includes[k].import) continue;
        const trx_model_def *def = &trx_import_get(scene->includes[k].import)->def;
        nexclude += def->nexclude;
        noverride += def->noverride;
    }
    if (nexclude + noverride == 0) return;
    trx_pair_selector *exclude = TRXI_READER_TAKE(reader, trx_pair_selector, nexclude + scene->def.nexclude);
    trx_pair_override *overrides = TRXI_READER_TAKE(reader, trx_pair_override, noverride + scene->def.noverride);
    if (!exclude || !overrides) return;
    nexclude = noverride = 0;
    for (int k = 0; k < scene->ninclude; k++) {
        if (!scene->includes[k].import) continue;
        const trx_model_def *def = &trx_import_get(scene->includes[k].import)->def;
        int first = scene->includes[k].first_body;
        for (int i = 0; i < def->nexclude; i++) {
            exclude[nexclude] = def->exclude[i];
            move_selector(&exclude[nexclude++], first);
        }
        for (int i = 0; i < def->noverride; i++) {
            overrides[noverride] = def->overrides[i];
            move_selector(&overrides[noverride++].pair, first);
        }
    }
    for (int i = 0; i < scene->def.nexclude; i++) exclude[nexclude++] = scene->def.exclude[i];
    for (int i = 0; i < scene->def.noverride; i++) overrides[noverride++] = scene->def.overrides[i];
    scene->def.exclude = exclude, scene->def.nexclude = nexclude;
    scene->def.overrides = overrides, scene->def.noverride = noverride;
}

void trxi_merge_includes(trxi_reader *reader, trxi_scene *scene)
{
    for (int i = 0; i < scene->ninclude && reader->memory; i++)
        if (scene->includes[i].import) merge_materials(reader, scene, &scene->includes[i]);
    if (reader->memory) merge_pairs(reader, scene);
}

void trxi_scene_close(trxi_scene *scene)
{
    for (int i = 0; i < scene->ninclude; i++) trx_import_destroy(scene->includes[i].import);
    scene->ninclude = 0;
}
