// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section contact: the law of all pairs, the pairs that may touch, and overrides of single pairs.

#include "problem/read_contact.h"

#include "contact/model.h"

#include <math.h>
#include <string.h>

// ---- pairs ----

static bool has_geometry(const trxi_scene *scene, trxi_side side)
{
    for (int i = 0; i < scene->def.nbody; i++) {
        bool member = side.include >= 0 ? trxi_scene_in_group(scene, side, i) : i == side.body;
        if (member && scene->bodies[i].ngeometry > 0) return true;
    }
    return false;
}

static bool read_side(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, trxi_side *side)
{
    if (!trxi_expect_text(reader, node, "a pair", "the name of a body or geometry")) return false;
    if (strcmp(node->text, "world") == 0) {
        trxi_error_at(reader->context, node->source, "the world has no geometry: write a body that is fixed to it");
        return false;
    }
    if (!trxi_find_side(reader, scene, node->source, node->text, TRXI_BODY | TRXI_GEOMETRY | TRXI_INCLUDE, side))
        return false;
    if (has_geometry(scene, *side)) return true;
    trxi_error_at(reader->context, node->source, "\"%.100s\" has no geometry: write a body that has some", node->text);
    return false;
}

// [A, B]; false when it is wrong
static bool read_pair(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, trxi_side sides[2])
{
    if (node->kind != TRXI_YAML_SEQUENCE || node->count != 2) {
        trxi_error_at(reader->context, node->source, "a pair is a list of two names: write [A, B]");
        return false;
    }
    bool a = read_side(reader, node->items[0], scene, &sides[0]), b = read_side(reader, node->items[1], scene, &sides[1]);
    if (a && b && sides[0].body >= 0 && sides[0].body == sides[1].body) {
        trxi_error_at(reader->context, node->source, "geometries of one body never meet: write two bodies");
        return false;
    }
    return a && b;
}

// bodies of a side: [first, first + count)
static int bodies_of(const trxi_scene *scene, trxi_side side, int *first)
{
    *first = side.include >= 0 ? scene->includes[side.include].first_body : side.body;
    return side.include >= 0 ? scene->includes[side.include].nbody : 1;
}

// one selector for each combination of two bodies with geometry
static void expand(trxi_reader *reader, const trxi_scene *scene, trx_source source, const trxi_side sides[2],
                   trxi_pairs *pairs)
{
    int first_a, first_b, count_a = bodies_of(scene, sides[0], &first_a), count_b = bodies_of(scene, sides[1], &first_b);
    bool same = sides[0].include >= 0 && sides[0].include == sides[1].include;
    for (int a = first_a; a < first_a + count_a; a++)
        for (int b = same ? a + 1 : first_b; b < first_b + count_b; b++) {
            if (a == b || !scene->bodies[a].ngeometry || !scene->bodies[b].ngeometry) continue;
            trx_pair_selector *items = trxi_reader_grow(reader, pairs->items, pairs->count, &pairs->capacity, sizeof *items);
            if (!items) return;
            pairs->items = items;
            pairs->items[pairs->count++] =
                (trx_pair_selector){{a, sides[0].geometry}, {b, sides[1].geometry}, source};
        }
}

// appends nothing when the entry is wrong
static void append_pair(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, trxi_pairs *pairs)
{
    trxi_side sides[2];
    if (read_pair(reader, node, scene, sides)) expand(reader, scene, node->source, sides, pairs);
}

trxi_pairs trxi_read_pairs(trxi_reader *reader, const trxi_yaml_node *list, const trxi_scene *scene)
{
    trxi_pairs pairs = {0};
    for (int i = 0; i < list->count && reader->memory; i++) append_pair(reader, list->items[i], scene, &pairs);
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
    trxi_pairs exclude = {0}, only = {0};
    if (record.exclude) exclude = trxi_read_pairs(reader, record.exclude, scene);
    if (record.only) only = trxi_read_pairs(reader, record.only, scene);
    scene->def.exclude = exclude.items, scene->def.nexclude = exclude.count;
    scene->def.only = only.items, scene->def.nonly = only.count;
    if (record.only && record.only->count == 0)
        trxi_error_at(reader->context, record.only->source, "only: an empty list: name the pairs that meet, or remove it");
}

// ---- override ----

typedef struct overrides {
    trx_pair_override *items;
    int count, capacity;
} overrides;

typedef struct override_record {
    const trxi_yaml_node *pair;
    trxi_law_entry law;
    trx_pair_override override; // without the law
} override_record;

static const trxi_field override_fields[] = {
    TRXI_FIELD("pair", TRXI_NODE, override_record, pair, .required = true),
    TRXI_LAW_FIELDS(override_record),
    TRXI_LAW_BARRIER_FIELDS(override_record),
    TRXI_LAW_NUMBER_FIELDS(override_record),
    TRXI_FIELD("axis", TRXI_VECTOR, override_record, override.axis, .count = 3, .of = TRXI_OF_DIRECTION),
    TRXI_FIELD("friction_across", TRXI_POSITIVE, override_record, override.friction_across, .of = TRXI_OF_FRICTION),
    TRXI_FIELD("dynamic_friction", TRXI_NOT_NEGATIVE, override_record, override.dynamic_friction, .of = TRXI_OF_FRICTION),
    TRXI_FIELD("slip_speed", TRXI_POSITIVE, override_record, override.slip_speed, .of = TRXI_OF_SPEED),
    TRXI_FIELD("torsional_friction", TRXI_NOT_NEGATIVE, override_record, override.torsional_friction, .of = TRXI_OF_LENGTH),
    TRXI_FIELD("rolling_friction", TRXI_NOT_NEGATIVE, override_record, override.rolling_friction, .of = TRXI_OF_LENGTH),
};

// the frictions other than the coefficient: valid combinations of keys and approximation
static void check_friction(trxi_reader *reader, const trxi_yaml_node *node, const override_record *record, int approximation)
{
    static const char *const together[][2] = {{"axis", "friction_across"}, {"dynamic_friction", "slip_speed"}};
    for (int i = 0; i < 4; i++) {
        const char *key = together[i / 2][i % 2], *other = together[i / 2][1 - i % 2];
        if (trxi_yaml_get(node, key) && !trxi_yaml_get(node, other))
            trxi_error_at(reader->context, trxi_key_source(node, key), "%s needs %s as well", key, other);
    }
    const double *a = record->override.axis;
    if (a[0] == 0 && a[1] == 0 && a[2] == 0)
        trxi_error_at(reader->context, trxi_key_source(node, "axis"), "axis has no direction: write [1, 0, 0] or another");
    if (!isnan(a[0]) && record->law.friction == 0)
        trxi_error_at(reader->context, trxi_key_source(node, "friction"), "friction along an axis must be above 0");
    if (!isnan(a[0]) && approximation == TRX_SAP)
        trxi_error_at(reader->context, trxi_key_source(node, "axis"),
                      "sap has no friction with an axis: write approximation: lagged or similar");
    const char *const turns[] = {"torsional_friction", "rolling_friction"};
    const double lengths[] = {record->override.torsional_friction, record->override.rolling_friction};
    bool lagged = approximation == TRX_LAGGED || approximation == TRX_LAGGED_REGULARIZED;
    for (int i = 0; i < 2; i++)
        if (lengths[i] > 0 && !lagged)
            trxi_error_at(reader->context, trxi_key_source(node, turns[i]),
                          "%s goes with approximation lagged or lagged_regularized only", turns[i]);
}

// an override for each of its pairs
static void read_override(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene,
                          const trxi_law_entry *inherited, overrides *list)
{
    override_record record = {.law = trxi_law_nothing(), .override = trx_pair_override_default()};
    if (!TRXI_READ_RECORD(reader, node, "an override", override_fields, &record)) return;
    trxi_law_check(reader, node, inherited, TRXI_FOR_MODEL, &record.law);
    check_friction(reader, node, &record,
                   record.law.approximation >= 0 ? record.law.approximation : inherited->approximation);
    trx_pair_override override = record.override;
    override.stiffness = record.law.stiffness;
    override.dissipation = record.law.dissipation;
    override.relaxation_time = record.law.relaxation_time;
    override.smoothing = record.law.smoothing;
    override.friction = record.law.friction;
    override.barrier = record.law.barrier;
    override.reach = record.law.reach;
    override.approximation = record.law.approximation;
    override.force_law = trxi_law_number(record.law.force_law);
    trxi_pairs pairs = {0};
    if (record.pair) append_pair(reader, record.pair, scene, &pairs);
    for (int i = 0; i < pairs.count && reader->memory; i++) {
        trx_pair_override *items = trxi_reader_grow(reader, list->items, list->count, &list->capacity, sizeof *items);
        if (!items) return;
        list->items = items;
        override.pair = pairs.items[i];
        list->items[list->count++] = override;
    }
}

static void read_overrides(trxi_reader *reader, const trxi_yaml_node *nodes, trxi_scene *scene, const trxi_law_entry *inherited)
{
    overrides list = {0};
    for (int i = 0; i < nodes->count && reader->memory; i++)
        read_override(reader, nodes->items[i], scene, inherited, &list);
    scene->def.overrides = list.items;
    scene->def.noverride = list.count;
}

// ---- the section ----

typedef struct contact_record {
    trxi_law_entry law;
    trx_sim_settings sim;
    const trxi_yaml_node *pairs, *override;
} contact_record;

static const trxi_field contact_fields[] = {
    TRXI_LAW_FIELDS(contact_record),
    TRXI_LAW_BARRIER_FIELDS(contact_record),
    TRXI_FIELD("stiction_tolerance", TRXI_POSITIVE, contact_record, sim.stiction_tolerance, .of = TRXI_OF_SPEED),
    TRXI_FIELD("joint_stiction_tolerance", TRXI_POSITIVE, contact_record, sim.joint_stiction_tolerance, .of = TRXI_OF_SPEED),
    TRXI_FIELD("tolerance", TRXI_POSITIVE, contact_record, sim.tolerance, .of = TRXI_OF_TOLERANCE),
    TRXI_FIELD("margin", TRXI_NOT_NEGATIVE, contact_record, sim.margin, .of = TRXI_OF_LENGTH),
    TRXI_FIELD("model", TRXI_WORD, contact_record, sim.contact_model, .words = trxi_contact_model_words,
               .count = TRX_CONTACT_MODELS),
    TRXI_FIELD("solver", TRXI_WORD, contact_record, sim.contact_solver, .words = trxi_contact_solver_words,
               .count = TRX_CONTACT_SOLVERS),
    TRXI_FIELD("sweeps", TRXI_COUNT, contact_record, sim.max_sweeps, .of = TRXI_OF_ITERATIONS),
    TRXI_FIELD("relaxation", TRXI_POSITIVE, contact_record, sim.relaxation),
    TRXI_FIELD("compliance", TRXI_POSITIVE, contact_record, sim.compliance),
    TRXI_FIELD("kappa", TRXI_POSITIVE, contact_record, sim.kappa),
    TRXI_FIELD("sides", TRXI_COUNT, contact_record, sim.sides),
    TRXI_FIELD("pairs", TRXI_MAP, contact_record, pairs),
    TRXI_FIELD("override", TRXI_LIST, contact_record, override),
};

// checks that the solver serves the model, and that the keys of iterative methods serve the solver
static void check_solver(trxi_reader *reader, const trxi_yaml_node *node, const contact_record *record)
{
    const trx_contact_model model = record->sim.contact_model;
    const trx_contact_solver solver = record->sim.contact_solver;
    trxi_island_solver *const *const methods = trxi_contact_model_methods(model, solver);
    char others[64];
    trxi_contact_model_solvers(model, others, sizeof others);
    if (!methods && !others[0])
        trxi_error_at(reader->context, trxi_key_source(node, "solver"),
                      "solver: %s does not serve model: %s, which has one solver: remove it", trxi_contact_solver_words[solver],
                      trxi_contact_model_words[model]);
    else if (!methods)
        trxi_error_at(reader->context, trxi_key_source(node, "solver"), "solver: %s does not serve model: %s: write %s",
                      trxi_contact_solver_words[solver], trxi_contact_model_words[model], others);
    const bool rigid = solver == TRX_SOLVER_USUAL && trxi_contact_model_methods(model, TRX_SOLVER_STAGGERED);
    const bool named = solver == TRX_SOLVER_PGS || solver == TRX_SOLVER_ADMM || solver == TRX_SOLVER_STAGGERED;
    const bool iterates = methods && (rigid || named);
    const char *const keys[] = {"sweeps", "relaxation"};
    for (int i = 0; i < 2; i++)
        if (trxi_yaml_get(node, keys[i]) && methods && !iterates)
            trxi_error_at(reader->context, trxi_key_source(node, keys[i]),
                          "%s serves solver: pgs, admm and staggered: remove it, or write one of these", keys[i]);
    const bool far = solver == TRX_SOLVER_ADMM ? record->sim.relaxation >= 2 : record->sim.relaxation > 1;
    if (trxi_yaml_get(node, "relaxation") && iterates && far)
        trxi_error_at(reader->context, trxi_key_source(node, "relaxation"), "relaxation must be %s",
                      solver == TRX_SOLVER_ADMM ? "below 2 for admm" : "at most 1 for pgs and staggered");
}

// the model, a solver that serves it, and keys that only some models take
static void check_model(trxi_reader *reader, const trxi_yaml_node *node, const contact_record *record)
{
    const bool convex = record->sim.contact_model == TRX_CONTACT_CONVEX, dojo = record->sim.contact_model == TRX_CONTACT_DOJO;
    check_solver(reader, node, record);
    if (trxi_yaml_get(node, "compliance") && (convex || dojo))
        trxi_error_at(reader->context, trxi_key_source(node, "compliance"),
                      "compliance serves the models lcp, ccp, ncp, raisim and first_order: remove it, or write one of those");
    if (trxi_yaml_get(node, "kappa") && !dojo)
        trxi_error_at(reader->context, trxi_key_source(node, "kappa"), "kappa serves model: dojo: remove it, or write that");
    const int sides = record->sim.sides;
    if (!trxi_yaml_get(node, "sides")) return;
    if (record->sim.contact_model != TRX_CONTACT_LCP)
        trxi_error_at(reader->context, trxi_key_source(node, "sides"), "sides serves model: lcp: remove it, or write that");
    else if (sides < 4 || sides > 64 || sides % 2)
        trxi_error_at(reader->context, trxi_key_source(node, "sides"), "sides is %d: write an even number from 4 to 64", sides);
}

void trxi_read_contact(trxi_reader *reader, const trxi_yaml_node *node, trxi_scene *scene, trx_sim_settings *sim,
                       trxi_law_entry *law)
{
    // lagged and hunt_crossley unless the file says otherwise
    trxi_law_entry defaults = trxi_law_nothing();
    defaults.approximation = TRX_LAGGED, defaults.force_law = 0, defaults.smoothing = 0;
    *law = defaults;
    if (!node) return;
    contact_record record = {.law = trxi_law_nothing(), .sim = *sim};
    if (!TRXI_READ_RECORD(reader, node, "contact", contact_fields, &record)) return;
    trxi_law_check(reader, node, &defaults, TRXI_FOR_MODEL, &record.law);
    if (record.law.approximation >= 0) law->approximation = record.law.approximation;
    if (record.law.force_law >= 0) law->force_law = record.law.force_law;
    if (!isnan(record.law.smoothing)) law->smoothing = record.law.smoothing;

    law->barrier = record.law.barrier, law->reach = record.law.reach;
    scene->def.approximation = (trx_approximation)law->approximation;
    scene->def.force_law = (trx_force_law)trxi_law_number(law->force_law);
    scene->def.smoothing = law->smoothing;
    scene->def.barrier = isnan(law->barrier) ? 0 : law->barrier;
    scene->def.reach = isnan(law->reach) ? 0 : law->reach;
    *sim = record.sim;
    check_model(reader, node, &record);
    if (record.pairs) read_filter(reader, record.pairs, scene);
    if (record.override && reader->memory) read_overrides(reader, record.override, scene, law);
}
