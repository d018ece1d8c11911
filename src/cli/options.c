// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The command line: VERB [TARGET] [OPTION]... in any order after the verb. A value is the next word or follows "=";
// "--" ends the options. Every mistake is reported in one line with the wrong word and the valid alternative.

#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { COMMON = 1 << CLI_CHECK | 1 << CLI_SIM | 1 << CLI_PLAN | 1 << CLI_MPC | 1 << CLI_COMPARE | 1 << CLI_TRIAL | 1 << CLI_FIT |
               1 << CLI_VIEW | 1 << CLI_BENCH };

typedef enum option_id {
    OPTION_OUTPUT, OPTION_SET, OPTION_OVER, OPTION_MODELS, OPTION_PACKAGE, OPTION_THREADS, OPTION_SEED, OPTION_QUIET, OPTION_JSON,
    OPTION_NO_COLOR, OPTION_HOLD, OPTION_DESIGN, OPTION_CONTROLS, OPTION_POLICY, OPTION_LINEARIZE, OPTION_EVERY, OPTION_STATISTICS,
    OPTION_CONDITION, OPTION_WORLDS, OPTION_FIRST_WORLD, OPTION_WITH,
    OPTION_SAVE, OPTION_SAVE_EVERY, OPTION_RESTORE, OPTION_RESUME, OPTION_RUN, OPTION_NOTES,
    OPTION_STRICT, OPTION_OPEN, OPTION_MJCF,
    OPTION_EXPORT, OPTION_HELP, OPTION_COUNT
} option_id;

typedef struct option_def {
    const char *name, *value; // `value` names the option's value, NULL without a value
    int verbs;                // bit set of the verbs that take the option
} option_def;

static const option_def options_known[OPTION_COUNT] = {
    [OPTION_OUTPUT] = {"-o", "DIR", COMMON},
    [OPTION_SET] = {"--set", "KEY=VALUE", COMMON},
    [OPTION_OVER] = {"--over", "KEY=V1,V2", 1 << CLI_COMPARE},
    [OPTION_MODELS] = {"--models", "M1,M2", 1 << CLI_COMPARE},
    [OPTION_PACKAGE] = {"--package", "NAME=DIR", COMMON},
    [OPTION_THREADS] = {"--threads", "N", COMMON},
    [OPTION_SEED] = {"--seed", "N", COMMON},
    [OPTION_QUIET] = {"--quiet", NULL, COMMON},
    [OPTION_JSON] = {"--json", NULL, COMMON},
    [OPTION_NO_COLOR] = {"--no-color", NULL, COMMON},
    [OPTION_WORLDS] = {"--worlds", "N", 1 << CLI_TRIAL},
    [OPTION_FIRST_WORLD] = {"--first-world", "N", 1 << CLI_TRIAL},
    [OPTION_WITH] = {"--with", "FILE", COMMON},
    [OPTION_HOLD] = {"--hold", NULL, 1 << CLI_SIM | 1 << CLI_COMPARE},
    [OPTION_DESIGN] = {"--design", NULL, 1 << CLI_FIT},
    [OPTION_CONTROLS] = {"--controls", "CSV", 1 << CLI_SIM | 1 << CLI_COMPARE | 1 << CLI_FIT},
    [OPTION_POLICY] = {"--policy", "RUN", 1 << CLI_SIM},
    [OPTION_LINEARIZE] = {"--linearize", NULL, 1 << CLI_SIM},
    [OPTION_EVERY] = {"--every", "N", 1 << CLI_SIM | 1 << CLI_MPC},
    [OPTION_STATISTICS] = {"--statistics", NULL, 1 << CLI_SIM | 1 << CLI_MPC},
    [OPTION_CONDITION] = {"--condition", NULL, 1 << CLI_SIM},
    [OPTION_SAVE] = {"--save", "FILE", 1 << CLI_SIM},
    [OPTION_SAVE_EVERY] = {"--save-every", "N", 1 << CLI_SIM},
    [OPTION_RESTORE] = {"--restore", "FILE", 1 << CLI_SIM},
    [OPTION_RESUME] = {"--resume", NULL, 1 << CLI_PLAN | 1 << CLI_TRIAL | 1 << CLI_FIT},
    [OPTION_RUN] = {"--run", "RUN", 1 << CLI_CHECK},
    [OPTION_NOTES] = {"--notes", NULL, 1 << CLI_CHECK},
    [OPTION_STRICT] = {"--strict", NULL, 1 << CLI_PLAN | 1 << CLI_CHECK},
    [OPTION_OPEN] = {"--open", NULL, 1 << CLI_VIEW},
    [OPTION_MJCF] = {"--mjcf", "FILE", 1 << CLI_VIEW},
    [OPTION_EXPORT] = {"--export", "FILE", 1 << CLI_VIEW},
    [OPTION_HELP] = {"--help", NULL, COMMON},
};

static const char *const verb_names[CLI_VERBS] = {"check", "sim", "plan", "mpc", "compare", "trial", "fit", "view", "bench",
                                                  "help",  "version"};

const char *cli_verb_name(cli_verb verb)
{
    return verb_names[verb];
}

// edit distance (insert, delete, replace) of two short words; the distance of long words is large
static int distance(const char *a, const char *b)
{
    enum { LONGEST = 24 };
    int row[LONGEST + 1], n = (int)strlen(a), m = (int)strlen(b);
    if (n > LONGEST || m > LONGEST) return LONGEST;
    for (int j = 0; j <= m; j++) row[j] = j;
    for (int i = 1; i <= n; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            int best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[m];
}

// reports a word that is not among `count` known words, and suggests a similar one
static int unknown(const char *kind, const char *word, int count, const char *(*name)(int))
{
    int best = -1, nearest = 3;
    for (int i = 0; i < count; i++) {
        int d = distance(word, name(i));
        if (d < nearest) {
            nearest = d;
            best = i;
        }
    }
    if (best >= 0) cli_error("unknown %s '%s': did you mean '%s'?", kind, word, name(best));
    else cli_error("unknown %s '%s': see 'tractrix help'", kind, word);
    return CLI_USAGE;
}

static const char *verb_name_at(int i)
{
    return verb_names[i];
}

static const char *option_name_at(int i)
{
    return options_known[i].name;
}

static int find_verb(const char *word, cli_verb *verb)
{
    if (!strcmp(word, "--help") || !strcmp(word, "-h")) word = "help";
    if (!strcmp(word, "--version")) word = "version";
    for (int i = 0; i < CLI_VERBS; i++) {
        if (strcmp(word, verb_names[i])) continue;
        *verb = (cli_verb)i;
        return CLI_OK;
    }
    if (word[0] == '-') {
        cli_error("the verb comes first, then '%s': see 'tractrix help'", word);
        return CLI_USAGE;
    }
    return unknown("verb", word, CLI_VERBS, verb_name_at);
}

// length of the option's name in `word` (up to "="), and which option it is; OPTION_COUNT if none
static option_id find_option(const char *word, size_t *length)
{
    *length = strcspn(word, "=");
    if (!strcmp(word, "-h")) return OPTION_HELP;
    if (!strncmp(word, "-o", 2) && word[1] == 'o') {
        *length = 2;
        return OPTION_OUTPUT;
    }
    for (int i = 0; i < OPTION_COUNT; i++)
        if (strlen(options_known[i].name) == *length && !strncmp(word, options_known[i].name, *length))
            return (option_id)i;
    return OPTION_COUNT;
}

static int parse_whole(const char *name, const char *text, unsigned long long least, unsigned long long most,
                       unsigned long long *value)
{
    char *end;
    errno = 0;
    bool digits = text[0] != '\0' && strspn(text, "0123456789") == strlen(text);
    *value = digits ? strtoull(text, &end, 10) : 0;
    if (digits && errno == 0 && *value >= least && *value <= most) return CLI_OK;
    cli_error("%s takes a whole number from %llu to %llu, not '%s'", name, least, most, text);
    return CLI_USAGE;
}

static int take_set(cli_options *options, const char *value)
{
    const char *equals = strchr(value, '=');
    if (!equals || equals == value) {
        cli_error("--set takes KEY=VALUE, such as time.steps=100, not '%s'", value);
        return CLI_USAGE;
    }
    options->set[options->nset++] = value;
    return CLI_OK;
}

static int take_over(cli_options *options, const char *value)
{
    const char *equals = strchr(value, '=');
    if (!equals || equals == value || !equals[1]) {
        cli_error("--over takes KEY=V1,V2, such as solve.method=ilqr,multiple_shooting, not '%s'", value);
        return CLI_USAGE;
    }
    options->over[options->nover++] = value;
    return CLI_OK;
}

static int take_package(cli_options *options, const char *value)
{
    const char *equals = strchr(value, '=');
    if (!equals || equals == value || !equals[1]) {
        cli_error("--package takes NAME=DIR, such as panda_description=/opt/robots/panda, not '%s'", value);
        return CLI_USAGE;
    }
    options->packages[options->npackage++] = value;
    return CLI_OK;
}

static int take_with(cli_options *options, const char *value)
{
    const bool word = strcmp(value, "open") == 0 || strcmp(value, "policy") == 0 || strcmp(value, "mpc") == 0;
    const char *dot = strrchr(value, '.');
    const bool file = dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
    if (!file && !(word && options->verb == CLI_TRIAL)) {
        cli_error("--with takes %sa file of values such as fitted.yaml, not '%s'",
                  options->verb == CLI_TRIAL ? "open, policy, mpc, or " : "", value);
        return CLI_USAGE;
    }
    if (file) options->values[options->nvalues++] = value;
    else options->with = value;
    return CLI_OK;
}

static int take(cli_options *options, option_id id, const char *value)
{
    unsigned long long number = 0;
    int code = CLI_OK;
    switch (id) {
    case OPTION_OUTPUT: options->output = value; break;
    case OPTION_SET: return take_set(options, value);
    case OPTION_OVER: return take_over(options, value);
    case OPTION_MODELS: options->models = value; break;
    case OPTION_PACKAGE: return take_package(options, value);
    case OPTION_THREADS:
        code = parse_whole("--threads", value, 1, 64, &number);
        options->threads = (int)number;
        break;
    case OPTION_SEED: return parse_whole("--seed", value, 0, 1ull << 53, &options->seed);
    case OPTION_QUIET: options->quiet = true; break;
    case OPTION_JSON: options->json = true; break;
    case OPTION_NO_COLOR: options->no_color = true; break;
    case OPTION_HOLD: options->hold = true; break;
    case OPTION_WORLDS:
        code = parse_whole("--worlds", value, 1, 1000000, &number);
        options->worlds = (int)number;
        break;
    case OPTION_FIRST_WORLD:
        code = parse_whole("--first-world", value, 0, 100000000, &number);
        options->first_world = (int)number;
        break;
    case OPTION_WITH: return take_with(options, value);
    case OPTION_DESIGN: options->design = true; break;
    case OPTION_CONTROLS: options->controls = value; break;
    case OPTION_POLICY: options->policy = value; break;
    case OPTION_LINEARIZE: options->linearize = true; break;
    case OPTION_EVERY:
        code = parse_whole("--every", value, 1, INT_MAX, &number);
        options->every = (int)number;
        break;
    case OPTION_STATISTICS: options->statistics = true; break;
    case OPTION_CONDITION: options->condition = true; break;
    case OPTION_SAVE: options->save = value; break;
    case OPTION_SAVE_EVERY:
        code = parse_whole("--save-every", value, 1, INT_MAX, &number);
        options->save_every = (int)number;
        break;
    case OPTION_RESTORE: options->restore = value; break;
    case OPTION_RESUME: options->resume = true; break;
    case OPTION_RUN: options->run = value; break;
    case OPTION_NOTES: options->notes = true; break;
    case OPTION_STRICT: options->strict = true; break;
    case OPTION_OPEN: options->open = true; break;
    case OPTION_MJCF: options->mjcf = value; break;
    case OPTION_EXPORT: options->export = value; break;
    default: break;
    }
    return code;
}

// one option at argv[*i], with its value in the same or the next word
static int parse_option(int argc, char **argv, int *i, cli_options *options)
{
    size_t length;
    const char *word = argv[*i];
    option_id id = find_option(word, &length);
    if (id == OPTION_COUNT) return unknown("option", word, OPTION_COUNT, option_name_at);
    const option_def *def = &options_known[id];
    if (id == OPTION_HELP) {
        options->target = verb_names[options->verb];
        options->verb = CLI_HELP;
        return CLI_OK;
    }
    if (!(def->verbs & 1 << options->verb)) {
        cli_error("%s does not take %s: see 'tractrix help %s'", verb_names[options->verb], def->name,
                  verb_names[options->verb]);
        return CLI_USAGE;
    }
    const char *value = NULL;
    if (word[length] == '=') value = word + length + 1;
    else if (word[length] != '\0') value = word + length;
    if (!def->value && value) {
        cli_error("%s takes no value", def->name);
        return CLI_USAGE;
    }
    if (def->value && !value) value = *i + 1 < argc ? argv[++*i] : NULL;
    if (def->value && (!value || !*value)) {
        cli_error("%s needs a value: %s %s", def->name, def->name, def->value);
        return CLI_USAGE;
    }
    return take(options, id, value);
}

// whether the verb has its required arguments and no contradicting ones
static int validate(const cli_options *options)
{
    static const char *const targets[CLI_VERBS] = {
        [CLI_CHECK] = "PROBLEM", [CLI_SIM] = "PROBLEM", [CLI_PLAN] = "PROBLEM", [CLI_MPC] = "PROBLEM",
        [CLI_COMPARE] = "PROBLEM --over KEY=V1,V2 | --models all",
        [CLI_TRIAL] = "RUN",
        [CLI_FIT] = "PROBLEM",
        [CLI_VIEW] = "RUN [--mjcf FILE] [--export FILE]"};
    if (targets[options->verb] && !options->target) {
        cli_error("which one? usage: tractrix %s %s", verb_names[options->verb], targets[options->verb]);
        return CLI_USAGE;
    }
    if (options->verb == CLI_COMPARE && options->nover == 0 && !options->models) {
        cli_error("compare what? add --over KEY=V1,V2, such as --over solve.method=ilqr,multiple_shooting, or --models all");
        return CLI_USAGE;
    }
    if (options->hold + !!options->controls + !!options->policy > 1) {
        cli_error("--hold, --controls and --policy exclude each other");
        return CLI_USAGE;
    }
    if (options->verb == CLI_COMPARE && !options->models && (options->hold || options->controls)) {
        cli_error("--hold and --controls drive simulations: add --models all");
        return CLI_USAGE;
    }
    if (options->condition && !options->statistics) {
        cli_error("--condition is a column of steps.csv: add --statistics");
        return CLI_USAGE;
    }
    if (options->save_every && !options->save) {
        cli_error("--save-every needs --save FILE: where to");
        return CLI_USAGE;
    }
    return CLI_OK;
}

int cli_options_parse(int argc, char **argv, cli_options *options)
{
    *options = (cli_options){.verb = CLI_HELP, .threads = 1, .every = 1, .first_world = -1, .with = "policy"};
    if (argc < 2) {
        cli_error("what shall be done? usage: tractrix VERB ...; see 'tractrix help'");
        return CLI_USAGE;
    }
    options->set = calloc((size_t)argc, sizeof *options->set);
    options->packages = calloc((size_t)argc, sizeof *options->packages);
    options->over = calloc((size_t)argc, sizeof *options->over);
    options->values = calloc((size_t)argc, sizeof *options->values);
    if (!options->set || !options->packages || !options->over || !options->values) {
        cli_error("out of memory");
        return CLI_IO;
    }
    int code = find_verb(argv[1], &options->verb);
    bool ended = false;
    for (int i = 2; i < argc && code == CLI_OK; i++) {
        bool word = ended || argv[i][0] != '-' || !argv[i][1];
        if (options->verb == CLI_HELP && options->target) break;
        if (!word && !strcmp(argv[i], "--")) ended = true;
        else if (!word) code = parse_option(argc, argv, &i, options);
        else if (options->target || options->verb == CLI_VERSION) {
            cli_error("one thing too many: '%s'", argv[i]);
            code = CLI_USAGE;
        } else options->target = argv[i];
    }
    if (code == CLI_OK) code = validate(options);
    return code;
}
