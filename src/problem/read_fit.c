// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section fit: recordings, noise, parameters and settings of an identification (docs/problem_file.md, fit).

#include "problem/read_fit.h"

#include "problem/quantity.h"
#include "problem/read_values.h"

#include <math.h>
#include <string.h>

// ---- noise ----

// whether a name is a quantity of a step. Only recordings tell which of these exist, so a misspelled one is found when the
// files are read
static bool is_of_step(const char *name)
{
    static const char *const words[] = {"force(", "joint_force(", "acceleration("};
    for (int i = 0; i < 3; i++)
        if (strncmp(name, words[i], strlen(words[i])) == 0) return true;
    return false;
}

static void check_quantity(trxi_reader *reader, const trxi_fit_quantity *q, const trxi_scene *scene)
{
    if (!is_of_step(q->name)) trxi_check_quantity_key(reader, q->source, q->name, scene);
}

static void read_quantities(trxi_reader *reader, const trxi_yaml_node *noise, const trxi_yaml_node *ignore, const trxi_scene *scene,
                            trxi_fit_section *section)
{
    const int most = (noise ? noise->count : 0) + (ignore ? ignore->count : 0);
    section->quantities = TRXI_READER_TAKE(reader, trxi_fit_quantity, most);
    for (int i = 0; noise && i < noise->count && reader->memory; i++) {
        const trxi_field deviation = {.key = noise->keys[i], .kind = TRXI_POSITIVE};
        trxi_fit_quantity *q = &section->quantities[section->nquantity++];
        *q = (trxi_fit_quantity){.name = noise->keys[i], .source = noise->key_sources[i]};
        check_quantity(reader, q, scene);
        trxi_read_value(reader, noise->items[i], &deviation, &q->noise);
    }
    for (int i = 0; ignore && i < ignore->count && reader->memory; i++) {
        if (!trxi_expect_text(reader, ignore->items[i], "ignore", "a quantity such as BODY.velocity")) continue;
        trxi_fit_quantity *q = &section->quantities[section->nquantity++];
        *q = (trxi_fit_quantity){.name = ignore->items[i]->text, .source = ignore->items[i]->source, .noise = NAN, .ignored = true};
        check_quantity(reader, q, scene);
    }
}

// ---- data ----

typedef struct data_record {
    const char *file, *time, *recording;
    int window;
    const trxi_yaml_node *holdout;
} data_record;

static const trxi_field data_fields[] = {
    TRXI_FIELD("file", TRXI_PATH, data_record, file, .required = true),
    TRXI_FIELD("time", TRXI_TEXT, data_record, time),
    TRXI_FIELD("recording", TRXI_TEXT, data_record, recording),
    TRXI_FIELD("window", TRXI_INDEX, data_record, window, .of = TRXI_OF_STEPS),
    TRXI_FIELD("holdout", TRXI_NODE, data_record, holdout),
};

typedef struct holdout_record {
    int every;
} holdout_record;

static const trxi_field holdout_fields[] = {
    TRXI_FIELD("every", TRXI_COUNT, holdout_record, every, .required = true),
};

// all, a list of numbers, or {every: N}
static void read_holdout(trxi_reader *reader, const trxi_yaml_node *node, bool numbered, trx_fit_file *file)
{
    static const char *const words[] = {"all"};
    int word = 0;
    holdout_record every = {0};
    if (node->kind != TRXI_YAML_SCALAR && !numbered) {
        trxi_error_at(reader->context, node->source,
                      "holdout: the file is one recording: name the column that numbers recordings, or write all");
    } else if (node->kind == TRXI_YAML_SEQUENCE) {
        double *numbers = TRXI_READER_TAKE(reader, double, node->count);
        if (numbers && trxi_read_vector(reader, node, "holdout", node->count, numbers))
            file->holdout = numbers, file->nholdout = node->count;
    } else if (node->kind == TRXI_YAML_MAPPING) {
        if (TRXI_READ_RECORD(reader, node, "holdout", holdout_fields, &every)) file->holdout_every = every.every;
    } else file->held_out = trxi_read_word(reader, node, "holdout", words, 1, &word);
}

static void read_file(trxi_reader *reader, const trxi_yaml_node *node, trxi_fit_section *section)
{
    data_record record = {0};
    if (!TRXI_READ_RECORD(reader, node, "data", data_fields, &record) || !record.file) return;
    trx_fit_file *file = &section->files[section->nfile++];
    *file = (trx_fit_file){.path = trxi_file_path(reader, record.file), .time = record.time, .recording = record.recording,
                           .window = record.window, .source = trxi_key_source(node, "file")};
    if (record.holdout) read_holdout(reader, record.holdout, record.recording != NULL, file);
}

// ---- parameters ----

typedef struct prior_record {
    double mean, sd;
} prior_record;

static const trxi_field prior_fields[] = {
    TRXI_FIELD("mean", TRXI_NUMBER, prior_record, mean, .required = true),
    TRXI_FIELD("sd", TRXI_POSITIVE, prior_record, sd, .required = true),
};

typedef struct parameter_record {
    const trxi_yaml_node *of, *prior, *same_as, *per;
    double start, min, max, ratio;
    bool profile;
} parameter_record;

static const trxi_field parameter_fields[] = {
    TRXI_FIELD("of", TRXI_NODE, parameter_record, of, .required = true),
    TRXI_FIELD("start", TRXI_NUMBER, parameter_record, start),
    TRXI_FIELD("min", TRXI_NUMBER, parameter_record, min),
    TRXI_FIELD("max", TRXI_NUMBER, parameter_record, max),
    TRXI_FIELD("prior", TRXI_NODE, parameter_record, prior),
    TRXI_FIELD("same_as", TRXI_NODE, parameter_record, same_as),
    TRXI_FIELD("ratio", TRXI_NUMBER, parameter_record, ratio),
    TRXI_FIELD("per", TRXI_NODE, parameter_record, per),
    TRXI_FIELD("profile", TRXI_BOOL, parameter_record, profile),
};

// keys that only a free parameter has
static void check_tie(trxi_reader *reader, const trxi_yaml_node *node)
{
    static const char *const of_free[] = {"start", "min", "max", "prior", "per", "profile"};
    for (size_t i = 0; i < sizeof of_free / sizeof *of_free; i++)
        if (trxi_yaml_get(node, of_free[i]))
            trxi_error_at(reader->context, trxi_yaml_get(node, of_free[i])->source,
                          "%s: the parameter follows another one: leave it out", of_free[i]);
}

// `per`: whether each recording or each file has its own value; must be the same for all local parameters
static void read_sharing(trxi_reader *reader, const trxi_yaml_node *node, trxi_fit_section *section, trx_fit_parameter *p)
{
    static const char *const words[] = {"recording", "file"};
    int word;
    if (!trxi_read_word(reader, node, "per", words, 2, &word)) return;
    p->per = word == 0 ? TRX_FIT_PER_RECORDING : TRX_FIT_PER_FILE;
    for (int i = 0; i < section->nentry; i++)
        if (section->entries[i].parameter.per && section->entries[i].parameter.per != p->per)
            trxi_error_at(reader->context, node->source,
                          "per: not in this version: parameters per recording and per file in one fit: write one of both");
}

static void read_parameter(trxi_reader *reader, const trxi_yaml_node *node, trxi_fit_section *section)
{
    parameter_record record = {.start = NAN, .min = -INFINITY, .max = INFINITY, .ratio = 1};
    prior_record prior = {0, INFINITY};
    if (!TRXI_READ_RECORD(reader, node, "a parameter", parameter_fields, &record)) return;
    if (!(record.min < record.max))
        trxi_error_at(reader->context, trxi_yaml_get(node, "max")->source, "max is not above min: write min < max");
    if (record.prior) TRXI_READ_RECORD(reader, record.prior, "prior", prior_fields, &prior);
    if (!record.of || !trxi_expect_text(reader, record.of, "of", "a parameter such as BODY.mass")) return;
    if (record.same_as && !trxi_expect_text(reader, record.same_as, "same_as", "an earlier parameter")) return;
    if (record.same_as) check_tie(reader, node);
    else if (trxi_yaml_get(node, "ratio"))
        trxi_error_at(reader->context, trxi_yaml_get(node, "ratio")->source,
                      "ratio: of which parameter? Add same_as, or leave it out");
    if (record.start < record.min || record.start > record.max)
        trxi_error_at(reader->context, trxi_yaml_get(node, "start")->source,
                      "start is outside of min and max: write another start");
    trx_fit_parameter parameter = {.start = record.start, .min = record.min, .max = record.max, .prior_mean = prior.mean,
                                   .prior_sd = prior.sd, .same_as = -1, .ratio = record.ratio, .profile = record.profile};
    if (record.per) read_sharing(reader, record.per, section, &parameter);
    section->entries[section->nentry++] = (trxi_fit_entry){
        .of = record.of->text,
        .source = record.of->source,
        .same_as = record.same_as ? record.same_as->text : NULL,
        .same_as_source = record.same_as ? record.same_as->source : record.of->source,
        .parameter = parameter,
    };
}

// ---- the section ----

static const trxi_field start_fields[] = {
    TRXI_FIELD("position", TRXI_NOT_NEGATIVE, trx_fit_settings, start_position),
    TRXI_FIELD("velocity", TRXI_NOT_NEGATIVE, trx_fit_settings, start_velocity),
    TRXI_FIELD("first_velocity", TRXI_NOT_NEGATIVE, trx_fit_settings, first_velocity),
    TRXI_FIELD("activation", TRXI_NOT_NEGATIVE, trx_fit_settings, start_activation),
};

enum { SOLVERS = TRX_FIT_IPOPT + 1 };
static const char *const solver_words[SOLVERS] = {"gauss_newton", "ipopt"};

typedef struct fit_record {
    trx_fit_settings set;
    int seed, solver;
    const trxi_yaml_node *data, *design, *noise, *ignore, *parameters, *start;
} fit_record;

static const trxi_field fit_fields[] = {
    TRXI_FIELD("data", TRXI_LIST, fit_record, data),
    TRXI_FIELD("design", TRXI_MAP, fit_record, design),
    TRXI_FIELD("noise", TRXI_MAP, fit_record, noise),
    TRXI_FIELD("ignore", TRXI_LIST, fit_record, ignore),
    TRXI_FIELD("parameters", TRXI_LIST, fit_record, parameters, .required = true),
    TRXI_FIELD("start", TRXI_MAP, fit_record, start),
    TRXI_FIELD("solver", TRXI_WORD, fit_record, solver, .words = solver_words, .count = SOLVERS),
    TRXI_FIELD("huber", TRXI_POSITIVE, fit_record, set.huber),
    TRXI_FIELD("iterations", TRXI_INDEX, fit_record, set.iterations, .of = TRXI_OF_ITERATIONS),
    TRXI_FIELD("rounds", TRXI_COUNT, fit_record, set.rounds),
    TRXI_FIELD("starts", TRXI_COUNT, fit_record, set.starts),
    TRXI_FIELD("seed", TRXI_COUNT, fit_record, seed),
    TRXI_FIELD("start_in_impacts", TRXI_BOOL, fit_record, set.start_in_impacts),
    TRXI_FIELD("cross_validate", TRXI_COUNT, fit_record, set.folds),
    TRXI_FIELD("tolerance", TRXI_POSITIVE, fit_record, set.tolerance, .of = TRXI_OF_TOLERANCE),
};

void trxi_read_fit(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, trxi_fit_section *section)
{
    fit_record record = {.set = trx_fit_settings_default(), .seed = 1};
    *section = (trxi_fit_section){.settings = record.set};
    if (!node || !TRXI_READ_RECORD(reader, node, "fit", fit_fields, &record)) return;
    section->given = true;
    section->source = node->source;
    if (record.start) TRXI_READ_RECORD(reader, record.start, "start", start_fields, &record.set);
    section->settings = record.set;
    section->settings.seed = (unsigned long long)record.seed;
    section->settings.solver = (trx_fit_solver)record.solver;
    trxi_read_design(reader, record.design, &section->design);
    section->files = TRXI_READER_TAKE(reader, trx_fit_file, record.data ? record.data->count : 0);
    section->entries = TRXI_READER_TAKE(reader, trxi_fit_entry, record.parameters ? record.parameters->count : 0);
    for (int i = 0; record.data && i < record.data->count && reader->memory; i++) read_file(reader, record.data->items[i], section);
    if (reader->memory) read_quantities(reader, record.noise, record.ignore, scene, section);
    for (int i = 0; record.parameters && i < record.parameters->count && reader->memory; i++)
        read_parameter(reader, record.parameters->items[i], section);
}

// ---- with the model ----

static const double USUAL_CHANGE = 1; // deviation of the prior of an inertia: 95 % within a factor of 7 of the model's mass

// whether a name is inertia(BODY)
static bool is_inertia(const char *name)
{
    const char *close = strchr(name, ')');
    return strncmp(name, "inertia(", 8) == 0 && close && close[1] == '\0';
}

// the parts of a name that stands for several numbers; 1 and NULL for other names
static int parts_of(const char *name, const char *const **parts, const char **dot)
{
    static const char *const numbers[] = {"mass", "com.x", "com.y", "com.z", "inertia.xx", "inertia.yy", "inertia.zz", "inertia.xy",
                                          "inertia.xz", "inertia.yz"};
    static const char *const axes[] = {"x", "y", "z"}, *const moments[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
    static const char *const turns[] = {"rx", "ry", "rz"};
    *dot = strrchr(name, '.');
    *parts = NULL;
    if (is_inertia(name)) {
        *parts = numbers;
        return 10;
    }
    if (!*dot || strncmp(name, "pair(", 5) == 0) return 1;
    if (strncmp(name, "marker(", 7) == 0) {
        *parts = strcmp(*dot, ".position") == 0 ? axes : strcmp(*dot, ".rotation") == 0 ? turns : NULL;
        return *parts ? 3 : 1;
    }
    const bool com = strcmp(*dot, ".com") == 0, tensor = strcmp(*dot, ".tensor") == 0 || strcmp(*dot, ".inertia") == 0;
    *parts = com ? axes : tensor ? moments : NULL;
    return com ? 3 : tensor ? 6 : 1;
}

static int find_earlier(const trxi_fit_section *section, const char *name)
{
    for (int i = 0; i < section->nparameter; i++)
        if (strcmp(section->parameters[i].name, name) == 0) return i;
    return -1;
}

// returns the quantity of marker(BODY).x ... .rz and sets the signal and the axis; NULL for other names
static const char *marker_of(trxi_reader *reader, const char *name, trx_fit_parameter *p)
{
    static const char *const members[] = {"x", "y", "z", "rx", "ry", "rz"};
    const char *end = strrchr(name, ')');
    if (strncmp(name, "marker(", 7) != 0 || !end || end[1] != '.') return NULL;
    for (int i = 0; i < 6; i++) {
        if (strcmp(end + 2, members[i]) != 0) continue;
        p->signal = i < 3 ? TRX_FIT_OFFSET : TRX_FIT_TURN;
        p->signal_axis = i % 3;
        return trxi_reader_printf(reader, "%.*s.%s", (int)(end - name) - 7, name + 7, i < 3 ? "position" : "orientation");
    }
    return NULL;
}

// returns OF in gain(OF), bias(OF) or delay(OF), or the quantity of a marker, and sets the signal; NULL for other names
static const char *signal_of(trxi_reader *reader, const char *name, trx_fit_parameter *p)
{
    static const struct {
        const char *word;
        trx_fit_signal signal;
    } signals[] = {{"gain(", TRX_FIT_GAIN}, {"bias(", TRX_FIT_BIAS}, {"delay(", TRX_FIT_DELAY}};
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        const size_t word = strlen(signals[i].word);
        if (strncmp(name, signals[i].word, word) != 0 || name[length - 1] != ')') continue;
        p->signal = signals[i].signal;
        return trxi_reader_printf(reader, "%.*s", (int)(length - word) - 1, name + word);
    }
    return marker_of(reader, name, p);
}

static void resolve_one(trxi_reader *reader, trxi_fit_section *section, const trxi_fit_entry *entry, const char *name,
                        int part, const trx_model *model)
{
    trx_fit_parameter p = entry->parameter;
    p.name = name;
    p.body_number = is_inertia(entry->of) ? part + 1 : 0;
    const char *of = signal_of(reader, name, &p);
    if (!of && (p.signal || !trxi_find_parameter(reader, entry->source, model, name, &p.of))) return;
    if (entry->same_as) {
        p.same_as = find_earlier(section, entry->same_as);
        const trx_fit_parameter *tie = p.same_as < 0 ? NULL : &section->parameters[p.same_as];
        if (!tie || tie->same_as >= 0 || tie->body_number > 0) {
            trxi_error_at(reader->context, entry->same_as_source,
                          "same_as: \"%.100s\" is no earlier parameter of this list without same_as, or it is of an inertia: "
                          "write another one", entry->same_as);
            return;
        }
    }
    if (find_earlier(section, name) >= 0) {
        trxi_error_at(reader->context, entry->source, "%.100s is in the list twice: leave one out", name);
        return;
    }
    if (of) section->signals[section->nsignal++] = (trxi_fit_signal){section->nparameter, of, entry->source};
    section->parameters[section->nparameter++] = p;
}

// "box.com.x", "box.inertia.xx", "marker(box).x"
static const char *part_name(trxi_reader *reader, const char *of, const char *dot, const char *part, int count)
{
    if (is_inertia(of)) return trxi_reader_printf(reader, "%.*s.%s", (int)strlen(of) - 9, of + 8, part);
    if (strncmp(of, "marker(", 7) == 0) return trxi_reader_printf(reader, "%.*s.%s", (int)(dot - of), of, part);
    return trxi_reader_printf(reader, "%.*s.%s.%s", (int)(dot - of), of, count == 3 ? "com" : "inertia", part);
}

// an inertia starts at the inertia of the model. Its prior has a relative deviation and no mean
static void complete_inertia(trxi_reader *reader, trxi_fit_entry *entry)
{
    trx_fit_parameter *p = &entry->parameter;
    if (!isnan(p->start) || isfinite(p->min) || isfinite(p->max) || entry->same_as || p->per || p->profile)
        trxi_error_at(reader->context, entry->source,
                      "%.100s: ten numbers have no start, min, max, same_as, per or profile in common: leave these out, or write "
                      "BODY.mass, BODY.com and BODY.tensor", entry->of);
    if (!isinf(p->prior_sd) && p->prior_mean != 0)
        trxi_error_at(reader->context, entry->source, "%.100s: the prior is about the model's inertia: write mean: 0", entry->of);
    if (isinf(p->prior_sd)) p->prior_sd = USUAL_CHANGE;
}

void trxi_fit_resolve(trxi_reader *reader, trxi_fit_section *section, const trx_model *model)
{
    enum { MOST_PARTS = 10 };
    section->parameters = TRXI_READER_TAKE(reader, trx_fit_parameter, MOST_PARTS * section->nentry);
    section->signals = TRXI_READER_TAKE(reader, trxi_fit_signal, MOST_PARTS * section->nentry);
    for (int i = 0; i < section->nentry && reader->memory; i++) {
        trxi_fit_entry *entry = &section->entries[i];
        const char *const *parts, *dot;
        const int count = parts_of(entry->of, &parts, &dot);
        if (is_inertia(entry->of)) complete_inertia(reader, entry);
        for (int k = 0; k < count && reader->memory; k++) {
            const char *name = entry->of;
            if (parts) name = part_name(reader, entry->of, dot, parts[k], count);
            if (name) resolve_one(reader, section, entry, name, k, model);
        }
    }
}
