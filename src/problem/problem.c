// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// trx_problem_load: text, tree, overrides, sections, model, start state, plan.
//
// All sections are read, whatever the errors in other sections, so one run reports all errors. The model is built
// when its own sections are valid, even if others are not, because the build has its own findings. Errors win over
// unsupported features.

#include "problem/problem.h"

#include "formats/files.h"
#include "formats/sha256.h"
#include "problem/read_contact.h"
#include "problem/read_cost.h"
#include "problem/read_mpc.h"
#include "problem/read_limits.h"
#include "problem/read_model.h"
#include "problem/read_time.h"
#include "problem/read_trial.h"

#include <math.h>
#include <string.h>

enum { SCHEMA_VERSION = 1 };

trx_problem_options trx_problem_options_default(void)
{
    return (trx_problem_options){.size = sizeof(trx_problem_options)};
}

// ---- sections ----

typedef struct file_record {
    int version;
    const char *title;
    const trxi_yaml_node *model, *contact, *parameters, *time, *start, *cost, *limits, *solve, *policy, *trial, *mpc, *fit;
} file_record;

static const trxi_field file_fields[] = {
    TRXI_FIELD("tractrix", TRXI_COUNT, file_record, version, .required = true),
    TRXI_FIELD("title", TRXI_TEXT, file_record, title),
    TRXI_FIELD("model", TRXI_NODE, file_record, model, .required = true),
    TRXI_FIELD("contact", TRXI_NODE, file_record, contact),
    TRXI_FIELD("parameters", TRXI_NODE, file_record, parameters),
    TRXI_FIELD("time", TRXI_NODE, file_record, time, .required = true),
    TRXI_FIELD("start", TRXI_NODE, file_record, start),
    TRXI_FIELD("cost", TRXI_NODE, file_record, cost),
    TRXI_FIELD("limits", TRXI_NODE, file_record, limits),
    TRXI_FIELD("solve", TRXI_NODE, file_record, solve),
    TRXI_FIELD("policy", TRXI_NODE, file_record, policy),
    TRXI_FIELD("trial", TRXI_NODE, file_record, trial),
    TRXI_FIELD("mpc", TRXI_NODE, file_record, mpc),
    TRXI_FIELD("fit", TRXI_NODE, file_record, fit),
};

// the sections that are read before the model exists
typedef struct draft {
    trxi_law_entry law;
    trxi_start start;
    trxi_cost cost;
    trxi_limits_section limits;
    bool buildable; // model and contact are valid and supported
} draft;

// loads of the caller, behind the loads of the file
static void add_loads(trxi_reader *reader, const trx_problem_options *options, trxi_scene *scene)
{
    if (!options || options->nload <= 0) return;
    const int own = scene->def.nload;
    trx_load_def *loads = TRXI_READER_TAKE(reader, trx_load_def, own + options->nload);
    if (!loads) return;
    for (int i = 0; i < own; i++) loads[i] = scene->def.loads[i];
    for (int i = 0; i < options->nload; i++) loads[own + i] = options->loads[i];
    scene->def.loads = loads;
    scene->def.nload = own + options->nload;
}

static void read_sections(trxi_reader *reader, trx_problem *problem, const trx_problem_options *options, draft *d)
{
    file_record record = {.version = SCHEMA_VERSION, .title = ""};
    trxi_scene *scene = &problem->scene;
    if (!TRXI_READ_RECORD(reader, problem->root, "the file", file_fields, &record)) return;
    if (record.version != SCHEMA_VERSION) {
        trxi_error_at(reader->context, trxi_yaml_get(problem->root, "tractrix")->source,
                      "tractrix: schema version %d: this version reads %d", record.version, SCHEMA_VERSION);
        return;
    }
    problem->title = record.title;
    problem->nadded = options && options->nload > 0 ? options->nload : 0;
    if (!record.model) return;
    int errors = trx_context_error_count(reader->context);
    trxi_read_model(reader, record.model, scene);
    if (reader->memory) add_loads(reader, options, scene);
    if (reader->memory) trxi_read_contact(reader, record.contact, scene, &problem->sim, &d->law);
    if (reader->memory) trxi_merge_includes(reader, scene);
    d->buildable = trx_context_error_count(reader->context) == errors && !reader->unsupported[TRXI_FOR_MODEL];

    trxi_read_values(reader, record.parameters, &problem->values);
    trxi_read_time(reader, record.time, &problem->sim, &problem->steps);
    if (reader->memory) trxi_read_start(reader, record.start, scene, &d->start);
    if (reader->memory) trxi_read_cost(reader, record.cost, scene, &d->cost);
    if (reader->memory) trxi_read_limits(reader, record.limits, scene, &d->limits);
    if (reader->memory) trxi_read_solve(reader, record.solve, scene, &d->law, problem->sim.contact_model, &problem->solve);
    problem->policy = trx_policy_settings_default();
    if (reader->memory) trxi_read_policy(reader, record.policy, &problem->policy);
    problem->trial = trx_trial_settings_default();
    if (reader->memory) trxi_read_trial(reader, record.trial, &problem->trial);
    problem->mpc.mpc = (trx_mpc_problem){.settings = trx_mpc_settings_default(), .seed = 1};
    problem->mpc.mpc.settings.refine = 0; // as for the plan, unless the section has its own
    problem->mpc.mpc.settings.friction_margin = NAN; // likewise
    problem->mpc.mpc.plant_delay = problem->mpc.mpc.plant_latency = NAN; // as for the planner
    if (reader->memory) trxi_read_mpc(reader, record.mpc, scene, &problem->mpc);
    if (reader->memory) trxi_read_fit(reader, record.fit, scene, &problem->fit);
    problem->has_cost = record.cost != NULL;
    problem->cost_source = record.cost ? record.cost->source : problem->root->source;
}

// ---- with the model ----

static void make_start(trxi_reader *reader, trx_problem *problem, const draft *d)
{
    trx_model_size size = trx_model_get_size(problem->model);
    problem->start = TRXI_READER_TAKE(reader, double, size.nstate);
    if (problem->start) trxi_start_apply(&d->start, &problem->scene, problem->model, problem->start);
}

// controls that keep the start at rest, when a term has them as target
static const double *holding_target(trxi_reader *reader, const trx_problem *problem, const trxi_cost *cost)
{
    bool wanted = false;
    for (int i = 0; i < cost->count; i++)
        wanted = wanted || (cost->terms[i].of.quantity == TRX_CONTROL && cost->terms[i].form == TRXI_TARGET_START);
    if (!wanted) return NULL;
    double *hold = TRXI_READER_TAKE(reader, double, trx_model_get_size(problem->model).nu);
    if (hold && trxi_holding_controls(problem, hold) < 0) reader->memory = false;
    return hold;
}

static void make_plan(trxi_reader *reader, trx_problem *problem, const draft *d)
{
    const double *hold = holding_target(reader, problem, &d->cost);
    if (!reader->memory) return;
    const trxi_task task = {&problem->scene,         problem->model, problem->start,
                            problem->sim.time_step, problem->steps, hold};
    problem->terms = trxi_cost_resolve(reader, &d->cost, &task);
    problem->nterm = d->cost.count;
    if (reader->memory) problem->limits = trxi_limits_resolve(reader, &d->limits, &task, &problem->nlimit);
    if (reader->memory) problem->stages = trxi_stages_resolve(reader, &problem->solve, &problem->scene, problem->model);
    problem->not_planned = reader->unsupported[TRXI_FOR_PLAN];
}

static trx_status finish(const trxi_reader *reader)
{
    if (!reader->memory) return TRX_ERR_MEMORY;
    if (reader->unreadable) return TRX_ERR_IO;
    if (!trxi_reader_ok(reader)) return TRX_ERR_INPUT;
    const char *path = reader->unsupported[TRXI_FOR_MODEL];
    return path ? trxi_fail(reader->context, TRX_ERR_UNSUPPORTED, "not in this version: %s", path) : TRX_OK;
}

static trx_status build(trxi_reader *reader, trx_problem *problem, const draft *d)
{
    trx_status status = TRX_OK;
    if (d->buildable && reader->memory) {
        status = trx_model_create(reader->context, &problem->scene.def, &problem->model);
        if (status < 0 && status != TRX_ERR_INPUT) return status;
    }
    if (problem->model) trxi_values_apply(reader, &problem->values, &problem->model, &problem->sim);
    if (problem->model && reader->memory) trxi_fit_resolve(reader, &problem->fit, problem->model);
    if (problem->model && reader->memory)
        trxi_disturbances_resolve(reader, &problem->mpc.disturbances, &problem->scene, problem->model, &problem->mpc.mpc);
    if ((status = finish(reader)) < 0) return status;
    make_start(reader, problem, d);
    if (reader->memory) {
        status = trx_model_check_mass(reader->context, problem->model, problem->start);
        if (status < 0 && status != TRX_ERR_INPUT) return status;
    }
    if (reader->memory && trxi_reader_ok(reader)) trxi_settle(reader, problem, &d->start);
    if (reader->memory) make_plan(reader, problem, d);
    return finish(reader);
}

// ---- options ----

static trx_status check_packages(trx_context *context, const trx_problem_options *options)
{
    for (int i = 0; options && i < options->npackage; i++) {
        const char *text = options->packages ? options->packages[i] : NULL, *equals = text ? strchr(text, '=') : NULL;
        if (!equals || equals == text || !equals[1])
            return trxi_fail(context, TRX_ERR_ARGUMENT, "--package \"%.200s\": write --package NAME=DIR", text ? text : "");
    }
    return TRX_OK;
}

// overrides of values of the file
static trx_status apply_options(trx_problem *problem, const trx_problem_options *options)
{
    trx_context *context = problem->context;
    trx_status packages = check_packages(context, options);
    if (packages < 0) return packages;
    for (int i = 0; options && i < options->nwith; i++) {
        if (!options->with || !options->with[i]) return trxi_fail(context, TRX_ERR_ARGUMENT, "a file of values is NULL");
        trx_status status = trxi_add_values(context, problem->pool, problem->root, options->with[i]);
        if (status < 0) return status;
    }
    for (int i = 0; options && i < options->nset; i++) {
        if (!options->set || !options->set[i]) return trxi_fail(context, TRX_ERR_ARGUMENT, "an override is NULL");
        const char *equals = strchr(options->set[i], '=');
        if (!equals || equals == options->set[i])
            return trxi_fail(context, TRX_ERR_ARGUMENT, "--set \"%.200s\": write --set KEY=VALUE", options->set[i]);
        char *key = trxi_pool_string(problem->pool, options->set[i], (size_t)(equals - options->set[i]));
        trx_status status = key ? trxi_yaml_set(context, problem->pool, problem->root, key, equals + 1) : TRX_ERR_MEMORY;
        if (status < 0) return status;
    }
    return TRX_OK;
}

// ---- loading ----

static bool is_xml(const char *text, size_t length)
{
    size_t at = 0;
    while (at < length && strchr(" \t\r\n\xef\xbb\xbf", text[at])) at++;
    return at + 1 < length && text[at] == '<' && text[at + 1] != '<'; // << is a key of YAML
}

// names the problem file that the user probably wants
static trx_status refuse_robot(const trx_problem *problem)
{
    const char *slash = strrchr(problem->path, '/');
    return trxi_error_at(problem->context, (trx_source){problem->path, 1, 1},
                         "this is XML, such as a robot, and no problem file: write a problem file that includes it, "
                         "with model: {include: [{name: robot, file: \"%.200s\"}]}",
                         slash ? slash + 1 : problem->path);
}

static trx_status read_text(trx_problem *problem, const char *text, size_t length, const trx_problem_options *options)
{
    trx_context *context = problem->context;
    trxi_reader reader = {.context = context,
                          .pool = problem->pool,
                          .folder = problem->folder,
                          .packages = options ? options->packages : NULL,
                          .npackage = options ? options->npackage : 0,
                          .errors_before = trx_context_error_count(context),
                          .memory = true};
    trxi_sha256(text, length, problem->sha256);
    if (is_xml(text, length)) return refuse_robot(problem);
    trx_status status = trxi_yaml_parse(context, problem->pool, problem->path, text, length, &problem->root);
    if (status < 0 || (status = apply_options(problem, options)) < 0) return status;

    reader.root = problem->root;
    draft d = {0};
    read_sections(&reader, problem, options, &d);
    return build(&reader, problem, &d);
}

// an empty problem with its folder
static trx_status create(trx_context *context, const char *path, const trx_problem_options *options, trx_problem **made)
{
    if (options) {
        trx_status status = trxi_check_size(context, options->size, sizeof *options, "trx_problem_options_default");
        if (status < 0) return status;
    }
    trx_problem *problem = trxi_allocate(context, sizeof *problem);
    if (!problem) return TRX_ERR_MEMORY;
    *made = problem;
    problem->context = context;
    problem->title = "";
    problem->sim = trx_sim_settings_default();
    problem->text = trxi_text_create(context);
    problem->pool = trxi_pool_create(context);
    if (!problem->pool) return TRX_ERR_MEMORY;
    problem->path = trxi_pool_string(problem->pool, path, strlen(path));
    const char *slash = strrchr(path, '/');
    problem->folder = trxi_pool_string(problem->pool, path, slash ? (size_t)(slash - path) + 1 : 0);
    return problem->path && problem->folder ? TRX_OK : TRX_ERR_MEMORY;
}

static trx_status hand_out(trx_problem *made, trx_status status, trx_problem **problem)
{
    if (status < 0)
        trx_problem_destroy(made);
    else
        *problem = made;
    return status;
}

trx_status trx_problem_load_text(trx_context *context, const char *file, const char *text, size_t length,
                                 const trx_problem_options *options, trx_problem **problem)
{
    if (!context || !problem) return TRX_ERR_ARGUMENT;
    *problem = NULL;
    if (!file || !text) return trxi_fail(context, TRX_ERR_ARGUMENT, "no file name or no text");
    trx_problem *made = NULL;
    trxi_hold_messages(context);
    trx_status status = create(context, file, options, &made);
    if (status == TRX_OK) status = read_text(made, text, length, options);
    trxi_release_messages(context);
    return hand_out(made, status, problem);
}

trx_status trx_problem_load(trx_context *context, const char *path, const trx_problem_options *options,
                            trx_problem **problem)
{
    if (!context || !problem) return TRX_ERR_ARGUMENT;
    *problem = NULL;
    if (!path) return trxi_fail(context, TRX_ERR_ARGUMENT, "no path");
    trx_problem *made = NULL;
    char *text = NULL;
    size_t length = 0;
    trxi_hold_messages(context);
    trx_status status = create(context, path, options, &made);
    if (status == TRX_OK) status = trxi_file_read(context, made->pool, path, TRXI_YAML_MAX_SIZE, &text, &length);
    if (status == TRX_OK) status = read_text(made, text, length, options);
    trxi_release_messages(context);
    return hand_out(made, status, problem);
}

void trx_problem_destroy(trx_problem *problem)
{
    if (!problem) return;
    trx_model_destroy(problem->model);
    trxi_scene_close(&problem->scene);
    trxi_text_destroy(&problem->text);
    trxi_pool_destroy(problem->pool);
    trxi_release(problem->context, problem);
}
