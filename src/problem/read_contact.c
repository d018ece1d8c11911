// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section contact: the law of all pairs, which pairs meet, and final values of single pairs.

#include "problem/sections.h"

#include <math.h>
#include <string.h>

// ---- pairs ----

static bool read_side(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene,
                      trx_geometry_selector *side)
{
    if (!trxi_expect_text(reader, node, "a pair", "the name of a body or geometry")) return false;
    if (strcmp(node->text, "world") == 0) {
        trxi_error_at(reader->context, node->source, "the world has no geometry: write a body that is fixed to it");
        return false;
    }
    const trxi_named *entry = trxi_names_resolve(reader, &scene->names, node->source, node->text,
                                                 TRXI_BODY | TRXI_GEOMETRY);
    if (!entry) return false;
    if (scene->bodies[entry->body].ngeometry == 0) {
        trxi_error_at(reader->context, node->source, "\"%.100s\" has no geometry: write a body that has some",
                      node->text);
        return false;
    }
    *side = (trx_geometry_selector){entry->body, entry->things & TRXI_GEOMETRY ? entry->index : -1};
    return true;
}

bool trxi_read_pair(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, trx_pair_selector *pair)
{
    pair->source = node->source;
    if (node->kind != TRXI_YAML_SEQUENCE || node->count != 2) {
        trxi_error_at(reader->context, node->source, "a pair is a list of two names: write [A, B]");
        return false;
    }
    bool a = read_side(reader, node->items[0], scene, &pair->a), b = read_side(reader, node->items[1], scene, &pair->b);
    if (a && b && pair->a.body == pair->b.body) {
        trxi_error_at(reader->context, node->source, "geometries of one body never meet: write two bodies");
        return false;
    }
    return a && b;
}

trx_pair_selector *trxi_read_pairs(trxi_reader *reader, const trxi_yaml_node *list, const trxi_scene *scene, int *count)
{
    trx_pair_selector *pairs = TRXI_READER_TAKE(reader, trx_pair_selector, list->count);
    *count = 0;
    for (int i = 0; pairs && i < list->count && reader->memory; i++)
        *count += trxi_read_pair(reader, list->items[i], scene, &pairs[*count]);
    return pairs;
}

typedef struct pairs_record {
    const trxi_yaml_node *exclude, *only;
    bool allow_adjacent;
} pairs_record;

static const trxi_field pairs_fields[] = {
    TRXI_FIELD("exclude", TRXI_LIST, pairs_record, exclude),
    TRXI_FIELD("only", TRXI_LIST, pairs_record, only),
    TRXI_FIELD("allow_adjacent", TRXI_BOOL, pairs_record, allow_adjacent),
};

static void read_filter(trxi_reader *reader, const trxi_yaml_node *node, trxi_scene *scene)
{
    pairs_record record = {0};
    if (!TRXI_READ_RECORD(reader, node, "pairs", pairs_fields, &record)) return;
    scene->def.allow_adjacent = record.allow_adjacent;
    if (record.exclude) scene->def.exclude = trxi_read_pairs(reader, record.exclude, scene, &scene->def.nexclude);
    if (record.only) scene->def.only = trxi_read_pairs(reader, record.only, scene, &scene->def.nonly);
    if (record.only && record.only->count == 0)
        trxi_error_at(reader->context, record.only->source, "only: an empty list: name the pairs that meet, or remove it");
}

// ---- override ----

typedef struct override_record {
    const trxi_yaml_node *pair;
    trxi_law law;
} override_record;

static const trxi_field override_fields[] = {
    TRXI_FIELD("pair", TRXI_NODE, override_record, pair, .required = true),
    TRXI_LAW_FIELDS(override_record),
    TRXI_LAW_NUMBER_FIELDS(override_record),
};

static void read_override(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene,
                          const trxi_law *inherited, trx_pair_override *override)
{
    override_record record = {.law = trxi_law_nothing()};
    *override = trx_pair_override_default();
    if (!TRXI_READ_RECORD(reader, node, "an override", override_fields, &record)) return;
    trxi_law_check(reader, node, inherited, TRXI_FOR_MODEL, &record.law);
    override->stiffness = record.law.stiffness;
    override->dissipation = record.law.dissipation;
    override->relaxation_time = record.law.relaxation_time;
    override->smoothing = record.law.smoothing;
    override->friction = record.law.friction;
    override->approximation = record.law.approximation;
    override->force_law = trxi_law_number(record.law.force_law);
    if (record.pair) trxi_read_pair(reader, record.pair, scene, &override->pair);
}

static void read_overrides(trxi_reader *reader, const trxi_yaml_node *list, trxi_scene *scene, const trxi_law *inherited)
{
    trx_pair_override *overrides = TRXI_READER_TAKE(reader, trx_pair_override, list->count);
    for (int i = 0; overrides && i < list->count && reader->memory; i++)
        read_override(reader, list->items[i], scene, inherited, &overrides[i]);
    scene->def.overrides = overrides;
    scene->def.noverride = overrides ? list->count : 0;
}

// ---- the section ----

typedef struct contact_record {
    trxi_law law;
    double stiction_tolerance, tolerance, margin;
    const trxi_yaml_node *pairs, *override;
} contact_record;

static const trxi_field contact_fields[] = {
    TRXI_LAW_FIELDS(contact_record),
    TRXI_FIELD("stiction_tolerance", TRXI_POSITIVE, contact_record, stiction_tolerance),
    TRXI_FIELD("tolerance", TRXI_POSITIVE, contact_record, tolerance),
    TRXI_FIELD("margin", TRXI_NOT_NEGATIVE, contact_record, margin),
    TRXI_FIELD("pairs", TRXI_MAP, contact_record, pairs),
    TRXI_FIELD("override", TRXI_LIST, contact_record, override),
};

void trxi_read_contact(trxi_reader *reader, const trxi_yaml_node *node, trxi_scene *scene, trx_sim_settings *sim,
                       trxi_law *law)
{
    // lagged and hunt_crossley unless the file says otherwise
    const trxi_law defaults = {.approximation = TRX_LAGGED, .force_law = 0, .smoothing = 0};
    *law = defaults;
    if (!node) return;
    contact_record record = {trxi_law_nothing(), sim->stiction_tolerance, sim->tolerance, sim->margin, NULL, NULL};
    if (!TRXI_READ_RECORD(reader, node, "contact", contact_fields, &record)) return;
    trxi_law_check(reader, node, &defaults, TRXI_FOR_MODEL, &record.law);
    if (record.law.approximation >= 0) law->approximation = record.law.approximation;
    if (record.law.force_law >= 0) law->force_law = record.law.force_law;
    if (!isnan(record.law.smoothing)) law->smoothing = record.law.smoothing;

    int number = trxi_law_number(law->force_law);
    scene->def.approximation = (trx_approximation)law->approximation;
    scene->def.force_law = number < 0 ? TRX_HUNT_CROSSLEY : (trx_force_law)number;
    scene->def.smoothing = law->smoothing;
    sim->stiction_tolerance = record.stiction_tolerance;
    sim->tolerance = record.tolerance;
    sim->margin = record.margin;
    if (record.pairs) read_filter(reader, record.pairs, scene);
    if (record.override && reader->memory) read_overrides(reader, record.override, scene, law);
}
