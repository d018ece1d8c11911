// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section solve: method and limits of the solver, the guess, the stages of the continuation
// (docs/problem_file.md, solve). The last stage always has the physical model, written or not.

#include "problem/read_solve.h"

#include "contact/model.h"
#include "trajopt/plan.h"

#include <math.h>
#include <string.h>

enum { MOST_STAGES = TRXI_MAX_STAGES - 2 }; // a plan takes one stage less than TRXI_MAX_STAGES, the last is physical

// ---- stages ----

typedef struct stage_record {
    trxi_law_entry law;
    trx_stage stage; // without the law
    const trxi_yaml_node *pairs;
} stage_record;

static const trxi_field stage_fields[] = {
    TRXI_LAW_FIELDS(stage_record),
    TRXI_LAW_NUMBER_FIELDS(stage_record),
    TRXI_FIELD("stiction_tolerance", TRXI_POSITIVE, stage_record, stage.stiction_tolerance, .of = TRXI_OF_SPEED),
    TRXI_FIELD("iterations", TRXI_COUNT, stage_record, stage.iterations, .of = TRXI_OF_ITERATIONS),
    TRXI_FIELD("tolerance", TRXI_POSITIVE, stage_record, stage.tolerance, .of = TRXI_OF_TOLERANCE),
    TRXI_FIELD("pairs", TRXI_NODE, stage_record, pairs),
    TRXI_FIELD("model", TRXI_WORD, stage_record, stage.contact_model, .words = trxi_contact_model_words,
               .count = TRX_CONTACT_MODELS),
    TRXI_FIELD("kappa", TRXI_POSITIVE, stage_record, stage.kappa),
};

// actuated, all, or a list of pairs
static void read_stage_pairs(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene,
                             trxi_stage_entry *entry)
{
    static const char *const words[] = {"actuated", "all"};
    int word = 0;
    entry->listed = node->kind == TRXI_YAML_SEQUENCE;
    if (entry->listed)
        entry->pairs = trxi_read_pairs(reader, node, scene);
    else if (trxi_read_word(reader, node, "pairs", words, 2, &word))
        entry->all = word == 1;
}

// `model` is the contact model of the section contact
static void read_stage(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene,
                       const trxi_law_entry *inherited, trx_contact_model model, trxi_stage_entry *entry)
{
    stage_record record = {.law = trxi_law_nothing(), .stage = trx_stage_default()};
    if (!TRXI_READ_RECORD(reader, node, "a stage", stage_fields, &record)) return;
    trxi_law_check(reader, node, inherited, TRXI_FOR_PLAN, &record.law);
    trx_stage *stage = &entry->stage;
    *stage = record.stage;
    stage->approximation = record.law.approximation;
    stage->force_law = trxi_law_number(record.law.force_law);
    stage->smoothing = record.law.smoothing;
    stage->stiffness = record.law.stiffness;
    stage->dissipation = record.law.dissipation;
    stage->relaxation_time = record.law.relaxation_time;
    stage->friction = record.law.friction;
    if (!isnan(stage->kappa) && (stage->contact_model >= 0 ? stage->contact_model : (int)model) != TRX_CONTACT_DOJO)
        trxi_error_at(reader->context, trxi_key_source(node, "kappa"), "kappa serves model: dojo: remove it, or write that");
    if (record.pairs) read_stage_pairs(reader, record.pairs, scene, entry);
}

static void read_continuation(trxi_reader *reader, const trxi_yaml_node *list, const trxi_scene *scene,
                              const trxi_law_entry *law, trx_contact_model model, trxi_solve *solve)
{
    solve->stages = TRXI_READER_TAKE(reader, trxi_stage_entry, list->count + 1);
    if (!solve->stages) return;
    for (int i = 0; i < list->count && reader->memory; i++) {
        const trxi_yaml_node *node = list->items[i];
        bool word = node->kind == TRXI_YAML_SCALAR, physical = word && strcmp(node->text, "physical") == 0;
        if (word && !physical)
            trxi_error_at(reader->context, node->source, "a stage is a mapping or the word physical, not \"%.60s\"",
                          node->text);
        else if (physical && i + 1 < list->count)
            trxi_error_at(reader->context, node->source, "physical is the last stage: move it to the end, or remove it");
        else if (!physical && solve->nstage == MOST_STAGES) {
            trxi_error_at(reader->context, node->source, "more than %d stages before the physical one", MOST_STAGES);
            break;
        } else if (!physical)
            read_stage(reader, node, scene, law, model, &solve->stages[solve->nstage++]);
    }
    solve->stages[solve->nstage++].stage = trxi_stage_physical();
}

// ---- the guess ----

typedef struct guess_record {
    const char *controls, *states;
} guess_record;

static const trxi_field guess_fields[] = {
    TRXI_FIELD("controls", TRXI_TEXT, guess_record, controls),
    TRXI_FIELD("states", TRXI_TEXT, guess_record, states, .required = true),
};

static void keep_controls(trxi_reader *reader, const char *text, trxi_solve *solve)
{
    solve->guess_is_path = strcmp(text, "zero") != 0 && strcmp(text, "gravity") != 0;
    solve->guess = solve->guess_is_path ? trxi_file_path(reader, text) : text;
}

static void keep_states(trxi_reader *reader, const char *text, trxi_solve *solve)
{
    solve->states_are_path = strcmp(text, "interpolate") != 0;
    solve->states = solve->states_are_path ? trxi_file_path(reader, text) : text;
}

// a text for the controls, or a mapping for controls and states
static void read_guess(trxi_reader *reader, const trxi_yaml_node *node, trxi_solve *solve)
{
    static const trxi_field text_field = {.key = "guess", .kind = TRXI_TEXT};
    guess_record record = {"zero", NULL};
    if (node->kind == TRXI_YAML_MAPPING)
        TRXI_READ_RECORD(reader, node, "guess", guess_fields, &record);
    else if (!trxi_read_value(reader, node, &text_field, &record.controls))
        return;
    keep_controls(reader, record.controls, solve);
    if (record.states) keep_states(reader, record.states, solve);
}

// ---- the section ----

enum { METHODS = TRX_IPOPT + 1, HESSIANS = 2 };

static const char *const method_words[METHODS] = {
    [TRX_ILQR] = "ilqr", [TRX_MULTIPLE_SHOOTING] = "multiple_shooting", [TRX_IPOPT] = "ipopt"};
static const char *const hessian_words[HESSIANS] = {"gauss_newton", "lbfgs"};

typedef struct solve_record {
    trx_plan_settings settings;
    int hessian, refine;
    const trxi_yaml_node *guess, *continuation, *search, *robust;
} solve_record;

static const trxi_field solve_fields[] = {
    TRXI_FIELD("method", TRXI_WORD, solve_record, settings.method, .words = method_words, .count = METHODS),
    TRXI_FIELD("hessian", TRXI_WORD, solve_record, hessian, .words = hessian_words, .count = HESSIANS),
    TRXI_FIELD("memory_limit", TRXI_COUNT, solve_record, settings.memory_limit),
    TRXI_FIELD("iterations", TRXI_COUNT, solve_record, settings.iterations, .of = TRXI_OF_ITERATIONS),
    TRXI_FIELD("max_iterations", TRXI_COUNT, solve_record, settings.max_iterations, .of = TRXI_OF_ITERATIONS),
    TRXI_FIELD("refine", TRXI_COUNT, solve_record, refine),
    TRXI_FIELD("second_try", TRXI_BOOL, solve_record, settings.second_try),
    TRXI_FIELD("tolerance", TRXI_POSITIVE, solve_record, settings.tolerance, .of = TRXI_OF_TOLERANCE),
    TRXI_FIELD("time_limit", TRXI_POSITIVE, solve_record, settings.time_limit, .of = TRXI_OF_TIME),
    TRXI_FIELD("friction_margin", TRXI_NOT_NEGATIVE, solve_record, settings.friction_margin),
    TRXI_FIELD("guess", TRXI_NODE, solve_record, guess),
    TRXI_FIELD("continuation", TRXI_LIST, solve_record, continuation),
    TRXI_FIELD("search", TRXI_NODE, solve_record, search),
    TRXI_FIELD("robust", TRXI_NODE, solve_record, robust),
};

// reads a word, on or off, into *on; returns false when the node is no word
static bool read_switch(trxi_reader *reader, const trxi_yaml_node *node, const char *name, bool *on)
{
    static const char *const words[] = {"on", "off"};
    int word = 0;
    if (node->kind != TRXI_YAML_SCALAR) return false;
    if (trxi_read_word(reader, node, name, words, 2, &word)) *on = word == 0;
    return true;
}

// ---- the search ----

typedef struct search_record {
    trx_search_settings settings;
    int seed;
} search_record;

static const trxi_field search_fields[] = {
    TRXI_FIELD("starts", TRXI_COUNT, search_record, settings.starts),
    TRXI_FIELD("seed", TRXI_COUNT, search_record, seed),
    TRXI_FIELD("time_limit", TRXI_POSITIVE, search_record, settings.time_limit, .of = TRXI_OF_TIME),
    TRXI_FIELD("effort", TRXI_POSITIVE, search_record, settings.effort),
    TRXI_FIELD("fine", TRXI_BOOL, search_record, settings.fine),
};

static void read_search(trxi_reader *reader, const trxi_yaml_node *node, trxi_solve *solve)
{
    if (read_switch(reader, node, "search", &solve->searches)) return;
    search_record record = {solve->search, (int)solve->search.seed};
    if (!TRXI_READ_RECORD(reader, node, "search", search_fields, &record)) return;
    solve->search = record.settings;
    solve->search.seed = (uint64_t)record.seed;
}

// ---- robust plans ----

typedef struct robust_record {
    trx_robust_settings settings;
    int seed;
} robust_record;

static const trxi_field robust_fields[] = {
    TRXI_FIELD("worlds", TRXI_COUNT, robust_record, settings.worlds, .of = TRXI_OF_WORLDS),
    TRXI_FIELD("seed", TRXI_COUNT, robust_record, seed),
    TRXI_FIELD("iterations", TRXI_COUNT, robust_record, settings.iterations, .of = TRXI_OF_ITERATIONS),
};

static void read_robust(trxi_reader *reader, const trxi_yaml_node *node, trxi_solve *solve)
{
    if (read_switch(reader, node, "robust", &solve->is_robust)) return;
    robust_record record = {solve->robust, (int)solve->robust.seed};
    if (!TRXI_READ_RECORD(reader, node, "robust", robust_fields, &record)) return;
    if (record.settings.worlds > 1000)
        trxi_error_at(reader->context, trxi_yaml_get(node, "worlds")->source, "worlds is %d: at most 1000", record.settings.worlds);
    solve->is_robust = true;
    solve->robust = record.settings;
    solve->robust.seed = (unsigned long long)record.seed;
}

void trxi_read_solve(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, const trxi_law_entry *law,
                     trx_contact_model model, trxi_solve *solve)
{
    solve->settings = trx_plan_settings_default();
    solve->guess = "zero";
    solve->refine = 1;
    solve->search = trx_search_settings_default();
    solve->searches = true;
    solve->robust = trx_robust_settings_default();
    if (!node) return;
    solve_record record = {.settings = solve->settings, .refine = 1};
    if (!TRXI_READ_RECORD(reader, node, "solve", solve_fields, &record)) return;
    solve->settings = record.settings;
    solve->settings.lbfgs = record.hessian == 1;
    solve->refine = record.refine;
    if (record.refine > 100)
        trxi_error_at(reader->context, trxi_yaml_get(node, "refine")->source, "refine is %d: at most 100", record.refine);
    if (record.settings.friction_margin >= 1)
        trxi_error_at(reader->context, trxi_yaml_get(node, "friction_margin")->source,
                      "friction_margin is %g: it must be less than 1", record.settings.friction_margin);

    if (record.guess) read_guess(reader, record.guess, solve);
    if (record.search) read_search(reader, record.search, solve);
    if (record.robust) read_robust(reader, record.robust, solve);
    if (record.continuation && reader->memory) read_continuation(reader, record.continuation, scene, law, model, solve);
}

// ---- with the model ----

static bool is_side(const trxi_scene *scene, const trx_model *model, trx_geometry_selector side, int geom)
{
    int body = trx_model_find_body(model, scene->bodies[side.body].name);
    if (trx_model_geom(model, geom).body != body) return false;
    const int named = trx_model_body(model, body).first_geom + side.geometry;
    return side.geometry < 0 || geom == named || trx_model_geom(model, geom).part_of == named;
}

static bool is_selected(const trxi_scene *scene, const trx_model *model, const trx_pair_selector *s, trx_pair_info pair)
{
    return (is_side(scene, model, s->a, pair.geom_a) && is_side(scene, model, s->b, pair.geom_b)) ||
           (is_side(scene, model, s->a, pair.geom_b) && is_side(scene, model, s->b, pair.geom_a));
}

// flags of the pairs that a stage changes; NULL: pairs with an actuated side
static const bool *flag_pairs(trxi_reader *reader, const trxi_stage_entry *entry, const trxi_scene *scene,
                              const trx_model *model)
{
    int npair = trx_model_get_size(model).npair;
    if (!entry->all && !entry->listed) return NULL;
    bool *flags = TRXI_READER_TAKE(reader, bool, npair);
    for (int p = 0; flags && p < npair; p++) {
        flags[p] = entry->all;
        for (int s = 0; s < entry->pairs.count && !flags[p]; s++)
            flags[p] = is_selected(scene, model, &entry->pairs.items[s], trx_model_pair(model, p));
    }
    return flags;
}

trx_stage *trxi_stages_resolve(trxi_reader *reader, const trxi_solve *solve, const trxi_scene *scene,
                               const trx_model *model)
{
    if (!solve->stages) return NULL;
    trx_stage *stages = TRXI_READER_TAKE(reader, trx_stage, solve->nstage);
    for (int i = 0; stages && i < solve->nstage && reader->memory; i++) {
        stages[i] = solve->stages[i].stage;
        stages[i].pairs = flag_pairs(reader, &solve->stages[i], scene, model);
    }
    return stages;
}
