// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The command line: VERB [TARGET] [OPTION]... in any order after the verb. A value is the next word or follows "=";
// "--" ends the options. Every mistake is reported in one line with the wrong word and the valid alternative.

#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// sets of verbs that take an option
enum {
    CHECK = 1 << CLI_CHECK, SIM = 1 << CLI_SIM, PLAN = 1 << CLI_PLAN, MPC = 1 << CLI_MPC, COMPARE = 1 << CLI_COMPARE,
    TRIAL = 1 << CLI_TRIAL, FIT = 1 << CLI_FIT, VIEW = 1 << CLI_VIEW, BENCH = 1 << CLI_BENCH,
    COMMON = CHECK | SIM | PLAN | MPC | COMPARE | TRIAL | FIT | VIEW | BENCH
};

// where the value of an option goes
typedef enum option_kind {
    FLAG,  // bool: true; the option has no value
    TEXT,  // const char *
    WHOLE, // int
    BIG,   // unsigned long long
    PAIR,  // cli_list: a text KEY=VALUE is appended
    WITH,  // a text: an entry of the cli_list `values`, or for the verb trial the kind of controller
    HELP,  // asks for help about the verb
} option_kind;

typedef struct option_def {
    const char *name, *value; // `value` names the option's value, NULL without a value
    int verbs;
    option_kind kind;
    size_t offset;                  // place of the member in cli_options
    unsigned long long least, most; // WHOLE, BIG
    const char *example;            // PAIR
} option_def;

#define OPTION(option, its_value, taken_by, what, member, ...)                                      \
    {.name = option, .value = its_value, .verbs = taken_by, .kind = what, .offset = offsetof(cli_options, member), __VA_ARGS__}

static const option_def options_known[] = {
    OPTION("-o", "DIR", COMMON, TEXT, output),
    OPTION("--set", "KEY=VALUE", COMMON, PAIR, set, .example = "time.steps=100"),
    OPTION("--over", "KEY=V1,V2", COMPARE, PAIR, over, .example = "solve.method=ilqr,multiple_shooting"),
    OPTION("--models", "M1,M2", COMPARE, TEXT, models),
    OPTION("--package", "NAME=DIR", COMMON, PAIR, packages, .example = "panda_description=/opt/robots/panda"),
    OPTION("--threads", "N", COMMON, WHOLE, threads, .least = 1, .most = 64),
    OPTION("--seed", "N", COMMON, BIG, seed, .least = 0, .most = 1ull << 53),
    OPTION("--quiet", NULL, COMMON, FLAG, quiet),
    OPTION("--json", NULL, COMMON, FLAG, json),
    OPTION("--no-color", NULL, COMMON, FLAG, no_color),
    OPTION("--worlds", "N", TRIAL, WHOLE, worlds, .least = 1, .most = 1000000),
    OPTION("--first-world", "N", TRIAL, WHOLE, first_world, .least = 0, .most = 100000000),
    OPTION("--with", "FILE", COMMON, WITH, with),
    OPTION("--hold", NULL, SIM | COMPARE, FLAG, hold),
    OPTION("--design", NULL, FIT, FLAG, design),
    OPTION("--controls", "CSV", SIM | COMPARE | FIT, TEXT, controls),
    OPTION("--policy", "RUN", SIM, TEXT, policy),
    OPTION("--linearize", NULL, SIM, FLAG, linearize),
    OPTION("--every", "N", SIM | MPC, WHOLE, every, .least = 1, .most = INT_MAX),
    OPTION("--statistics", NULL, SIM | MPC, FLAG, statistics),
    OPTION("--condition", NULL, SIM, FLAG, condition),
    OPTION("--save", "FILE", SIM, TEXT, save),
    OPTION("--save-every", "N", SIM, WHOLE, save_every, .least = 1, .most = INT_MAX),
    OPTION("--restore", "FILE", SIM, TEXT, restore),
    OPTION("--resume", NULL, PLAN | TRIAL | FIT, FLAG, resume),
    OPTION("--run", "RUN", CHECK, TEXT, run),
    OPTION("--notes", NULL, CHECK, FLAG, notes),
    OPTION("--strict", NULL, PLAN | CHECK, FLAG, strict),
    OPTION("--open", NULL, VIEW, FLAG, open),
    OPTION("--mjcf", "FILE", VIEW, TEXT, mjcf),
    OPTION("--export", "FILE", VIEW, TEXT, export),
    OPTION("--help", NULL, COMMON, HELP, verb),
};
enum { OPTIONS = sizeof options_known / sizeof *options_known };

static const char *const verb_names[CLI_VERBS] = {"check", "sim", "plan", "mpc", "compare", "trial", "fit", "view", "bench",
                                                  "help",  "version"};

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

// finds the option that `word` names before any "="; NULL: none
static const option_def *find_option(const char *word, size_t *length)
{
    *length = strcspn(word, "=");
    if (!strcmp(word, "-h")) return &options_known[OPTIONS - 1];
    if (!strncmp(word, "-o", 2)) {
        *length = 2;
        return &options_known[0];
    }
    for (int i = 0; i < OPTIONS; i++)
        if (strlen(options_known[i].name) == *length && !strncmp(word, options_known[i].name, *length)) return &options_known[i];
    return NULL;
}

static int parse_whole(const option_def *def, const char *text, unsigned long long *value)
{
    char *end;
    errno = 0;
    bool digits = text[0] != '\0' && strspn(text, "0123456789") == strlen(text);
    *value = digits ? strtoull(text, &end, 10) : 0;
    if (digits && errno == 0 && *value >= def->least && *value <= def->most) return CLI_OK;
    cli_error("%s takes a whole number from %llu to %llu, not '%s'", def->name, def->least, def->most, text);
    return CLI_USAGE;
}

// appends a text KEY=VALUE; only --set allows an empty VALUE
static int take_pair(const option_def *def, const char *value, const cli_list *set, cli_list *list)
{
    const char *equals = strchr(value, '=');
    if (equals && equals != value && (equals[1] || list == set)) {
        list->words[list->count++] = value;
        return CLI_OK;
    }
    cli_error("%s takes %s, such as %s, not '%s'", def->name, def->value, def->example, value);
    return CLI_USAGE;
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
    if (file) options->values.words[options->values.count++] = value;
    else options->with = value;
    return CLI_OK;
}

static int take(cli_options *options, const option_def *def, const char *value)
{
    void *member = (char *)options + def->offset;
    unsigned long long number;
    switch (def->kind) {
    case FLAG: *(bool *)member = true; return CLI_OK;
    case TEXT: *(const char **)member = value; return CLI_OK;
    case WHOLE:
    case BIG:
        if (parse_whole(def, value, &number) != CLI_OK) return CLI_USAGE;
        if (def->kind == BIG) *(unsigned long long *)member = number;
        else *(int *)member = (int)number;
        return CLI_OK;
    case PAIR: return take_pair(def, value, &options->set, member);
    case WITH: return take_with(options, value);
    case HELP: break;
    }
    options->target = verb_names[options->verb];
    options->verb = CLI_HELP;
    return CLI_OK;
}

// parses the option at argv[*i], whose value is in the same or in the next word
static int parse_option(int argc, char **argv, int *i, cli_options *options)
{
    size_t length;
    const char *word = argv[*i];
    const option_def *def = find_option(word, &length);
    if (!def) return unknown("option", word, OPTIONS, option_name_at);
    if (def->kind == HELP) return take(options, def, NULL);
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
    return take(options, def, value);
}

// returns whether the target is a file although the verb needs the folder of a run
static bool names_a_file(const cli_options *options)
{
    struct stat info;
    const bool run = options->verb == CLI_TRIAL || options->verb == CLI_VIEW;
    return run && stat(options->target, &info) == 0 && !S_ISDIR(info.st_mode);
}

// checks that the verb has its required arguments and no contradicting ones
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
    if (names_a_file(options)) {
        cli_error("%s takes the folder of a run, such as runs/push_box, and '%s' is a file", verb_names[options->verb],
                  options->target);
        return CLI_USAGE;
    }
    if (options->verb == CLI_COMPARE && options->over.count == 0 && !options->models) {
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
    cli_list *const lists[] = {&options->set, &options->over, &options->packages, &options->values};
    for (int i = 0; i < 4; i++)
        if (!(lists[i]->words = calloc((size_t)argc, sizeof *lists[i]->words))) {
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

void cli_options_release(cli_options *options)
{
    free(options->set.words);
    free(options->over.words);
    free(options->packages.words);
    free(options->values.words);
}
