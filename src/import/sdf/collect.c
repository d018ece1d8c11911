// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The contents of an SDF file: models of the file, of its world and of included files, nested models, links, joints
// and frames, each with a name that no other has.

#include "import/pose.h"
#include "import/sdf/sdf.h"

#include <assert.h>
#include <string.h>

// the name of a new frame inside its model; a model whose name is used gets another one (noted)
static const char *name_of(trxi_sdf *sdf, trxi_sdf_kind kind, int model, const trxi_xml_node *node, const char *name)
{
    enum { MOST = 100 };
    trxi_draft *draft = sdf->draft;
    const char *around = trxi_sdf_at(sdf, model)->name;
    const char *whole = model == TRXI_SDF_WORLD ? name : trxi_draft_printf(draft, "%s::%s", around, name), *first = whole;
    for (int k = 2; k <= MOST && kind == TRXI_SDF_MODEL && draft->memory && trxi_table_find(&sdf->names, whole) >= 0; k++)
        whole = trxi_draft_printf(draft, "%s_%d", first, k);
    if (whole != first)
        trxi_draft_note(draft, TRX_NOTE_REPLACED, node->source,
                        "the model \"%.100s\" is called \"%.100s\": the name is used on line %d", first, whole,
                        trxi_sdf_at(sdf, trxi_table_find(&sdf->names, first))->node->source.line);
    return whole;
}

// index of a new frame; TRXI_SDF_NONE when its name is missing or used (reported)
static int add_named(trxi_sdf *sdf, trxi_sdf_kind kind, int model, trxi_xml_node *node, const char *name)
{
    if (!name) return TRXI_SDF_NONE;
    name = name_of(sdf, kind, model, node, name);
    bool known;
    int index = sdf->frames.count;
    const int *entry = trxi_table_at(sdf->draft, &sdf->names, name, index, &known);
    if (!entry) return TRXI_SDF_NONE;
    if (known) {
        trxi_error_at(sdf->context, node->source, "\"%.100s\" is already defined on line %d: rename one of them", name,
                      trxi_sdf_at(sdf, *entry)->node->source.line);
        return TRXI_SDF_NONE;
    }
    trxi_sdf_frame *frame = trxi_draft_push(sdf->draft, &sdf->frames, sizeof *frame);
    if (!trxi_draft_ok(sdf->draft)) return TRXI_SDF_NONE;
    *frame = (trxi_sdf_frame){.kind = kind, .name = name, .node = node, .place = node, .model = model,
                              .first_link = TRXI_SDF_NONE, .relative = model, .attached = model,
                              .pose = trx_pose_identity(), .body = -1, .joint = TRXI_SDF_NONE,
                              .first_joint = TRXI_SDF_NONE, .parent = TRXI_SDF_NONE, .child = TRXI_SDF_NONE};
    if (kind == TRXI_SDF_LINK) frame->attached = index;
    return index;
}

static int add(trxi_sdf *sdf, trxi_sdf_kind kind, int model, trxi_xml_node *node)
{
    return add_named(sdf, kind, model, node, trxi_sdf_name(sdf, node));
}

// a link called world is the world itself; its joints name the world
static bool is_world(trxi_sdf *sdf, trxi_xml_node *link)
{
    const char *name = trxi_xml_get(link, "name");
    if (!name || strcmp(name, "world") != 0) return false;
    trxi_draft_tally(sdf->draft, TRX_NOTE_ASSUMED, link->source, "", "link called world is", "links called world are",
                     " fixed in the world");
    return true;
}

static void collect_models(trxi_sdf *sdf, trxi_xml_node *node, int around, bool is_static, int depth);

// links, joints, frames and models of the model at frame `model`
static void collect_parts(trxi_sdf *sdf, trxi_xml_node *node, int model, bool is_static, int depth)
{
    trxi_xml_node *item;
    if (trxi_xml_get(node, "placement_frame"))
        trxi_error_at(sdf->context, node->source, "placement_frame is not served: give the pose of the model");
    for (int i = 0; (item = trxi_element_next(node, "link", &i));) {
        int link = add(sdf, TRXI_SDF_LINK, model, item);
        if (link < 0) continue;
        trxi_sdf_at(sdf, link)->is_static = is_static || is_world(sdf, item);
        if (trxi_sdf_at(sdf, model)->first_link < 0) trxi_sdf_at(sdf, model)->first_link = link;
    }
    for (int i = 0; (item = trxi_element_next(node, "joint", &i));) add(sdf, TRXI_SDF_JOINT, model, item);
    for (int i = 0; (item = trxi_element_next(node, "frame", &i));) add(sdf, TRXI_SDF_FRAME, model, item);
    collect_models(sdf, node, model, is_static, depth);
}

static void collect_model(trxi_sdf *sdf, trxi_xml_node *node, int around, bool is_static, int depth)
{
    int model = add(sdf, TRXI_SDF_MODEL, around, node);
    is_static |= trxi_sdf_is_true(sdf, node, "static");
    if (model >= 0) collect_parts(sdf, node, model, is_static, depth);
}

// the model of another file; name, pose and <static> of the <include> replace the model's own
static void collect_include(trxi_sdf *sdf, trxi_xml_node *include, int around, bool is_static, int depth)
{
    trxi_xml_node *node = trxi_sdf_include(sdf, include, depth);
    if (!node) return;
    const char *name = trxi_sdf_word(include, "name"), *own = trxi_sdf_name(sdf, node);
    int model = add_named(sdf, TRXI_SDF_MODEL, around, node, name ? name : own);
    is_static |= trxi_sdf_is_true(sdf, trxi_element_child(include, "static") ? include : node, "static");
    trxi_element_child(node, "static");
    if (model < 0) return;
    if (trxi_element_child(include, "pose")) trxi_sdf_at(sdf, model)->place = include;
    trxi_element_child(node, "pose");
    collect_parts(sdf, node, model, is_static, depth + 1);
}

static void collect_models(trxi_sdf *sdf, trxi_xml_node *node, int around, bool is_static, int depth)
{
    trxi_xml_node *item;
    for (int i = 0; (item = trxi_element_next(node, "model", &i)); sdf->models += around == TRXI_SDF_WORLD)
        collect_model(sdf, item, around, is_static, depth);
    for (int i = 0; trxi_draft_ok(sdf->draft) && (item = trxi_element_next(node, "include", &i));) {
        collect_include(sdf, item, around, is_static, depth);
        sdf->models += around == TRXI_SDF_WORLD;
    }
}

bool trxi_sdf_collect(trxi_sdf *sdf)
{
    int errors = trx_context_error_count(sdf->context);
    trxi_sdf_frame *root = trxi_draft_push(sdf->draft, &sdf->frames, sizeof *root);
    bool known;
    *root = (trxi_sdf_frame){.name = "world", .node = sdf->root, .place = sdf->root, .pose = trx_pose_identity(),
                             .world = trx_pose_identity(), .resolved = true, .first_joint = TRXI_SDF_NONE};
    trxi_table_at(sdf->draft, &sdf->names, "world", TRXI_SDF_WORLD, &known);
    trxi_xml_node *item, *world = trxi_element_child(sdf->root, "world"), *places[] = {sdf->root, world};
    if (world) trxi_xml_get(world, "name");
    for (int k = 0; k < 2 && places[k]; k++) {
        collect_models(sdf, places[k], TRXI_SDF_WORLD, false, 0);
        for (int i = 0; k == 1 && (item = trxi_element_next(world, "frame", &i));)
            add(sdf, TRXI_SDF_FRAME, TRXI_SDF_WORLD, item);
    }
    assert(sdf->root);
    if (sdf->models == 0)
        trxi_error_at(sdf->context, sdf->root->source, "the file has no models: write <model name=\"...\">");
    return trxi_draft_ok(sdf->draft) && trx_context_error_count(sdf->context) == errors;
}
