// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// tractrix compare PROBLEM --over KEY=V1,V2 plans the problem for every combination of the values. With --models it simulates
// the problem with every contact model. It writes one table, one page, and a run folder for each variant. A variant that cannot
// be loaded, planned or simulated gets a row with the reason.

#define _GNU_SOURCE

#include "compare.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_VARIANTS = 64, NAME = CLI_VARIANT_NAME };

// the values of one --over
typedef struct axis {
    const char *key; // the text before "=", `key_length` bytes
    int key_length;
    char *text;      // copy of the values, each ended by a zero
    char *values[MOST_VARIANTS + 1]; // room for one value more than allowed, so that it can be refused
    int count;
} axis;

typedef struct comparison {
    const cli_options *options;
    axis *axes;
    cli_variant *variants;
    int count;
    int width; // length of the longest name, for the table
    char *folder;
} comparison;

// ---- values ----

// splits at commas outside brackets and quotes
static bool split(const char *over, axis *a)
{
    const char *equals = strchr(over, '=');
    *a = (axis){.key = over, .key_length = (int)(equals - over), .text = strdup(equals + 1)};
    if (!a->text) return false;
    int depth = 0;
    char quote = '\0';
    a->values[a->count++] = a->text;
    for (char *c = a->text; *c; c++) {
        if (quote) quote = *c == quote ? '\0' : quote;
        else if (*c == '"' || *c == '\'') quote = *c;
        else if (strchr("[{(", *c)) depth++;
        else if (strchr("]})", *c)) depth--;
        else if (*c == ',' && depth == 0 && a->count <= MOST_VARIANTS) {
            *c = '\0';
            a->values[a->count++] = c + 1;
        }
    }
    return true;
}

static int read_axes(comparison *c)
{
    const cli_options *options = c->options;
    c->axes = calloc((size_t)options->over.count, sizeof *c->axes);
    c->count = 1;
    for (int i = 0; c->axes && i < options->over.count; i++) {
        if (!split(options->over.words[i], &c->axes[i])) return CLI_IO;
        c->count *= c->axes[i].count;
        if (c->count <= MOST_VARIANTS) continue;
        cli_error("more than %d variants: give fewer values to --over", MOST_VARIANTS);
        return CLI_USAGE;
    }
    c->variants = calloc((size_t)c->count, sizeof *c->variants);
    return c->axes && c->variants ? CLI_OK : CLI_IO;
}

// returns the value of an axis in a variant; the last axis changes fastest
static const char *value_of(const comparison *c, int index, int axis_index)
{
    for (int i = c->options->over.count - 1; i > axis_index; i--) index /= c->axes[i].count;
    return c->axes[axis_index].values[index % c->axes[axis_index].count];
}

// "method=ilqr, step=0.01": the last part of each key and its value
static void name_variant(const comparison *c, int index, char name[NAME])
{
    size_t used = 0;
    for (int i = 0; i < c->options->over.count && used < NAME; i++) {
        const axis *a = &c->axes[i];
        int from = a->key_length;
        while (from > 0 && a->key[from - 1] != '.') from--;
        used += (size_t)snprintf(name + used, NAME - used, "%s%.*s=%s", i ? ", " : "", a->key_length - from, a->key + from,
                                 value_of(c, index, i));
    }
}

// ---- one variant ----

static void free_overrides(const comparison *c, const char **set)
{
    for (int i = 0; set && i < c->options->over.count; i++) free((void *)set[c->options->set.count + i]);
    free(set);
}

// lists the command's --set options, then one for each axis; NULL when memory is out
static const char **overrides(const comparison *c, int index)
{
    const cli_options *options = c->options;
    const char **set = calloc((size_t)(options->set.count + options->over.count), sizeof *set);
    for (int i = 0; set && i < options->set.count; i++) set[i] = options->set.words[i];
    for (int i = 0; set && i < options->over.count; i++) {
        const axis *a = &c->axes[i];
        const char *value = value_of(c, index, i);
        const size_t size = (size_t)a->key_length + strlen(value) + 2;
        char *text = malloc(size);
        if (!text) {
            free_overrides(c, set);
            return NULL;
        }
        snprintf(text, size, "%.*s=%s", a->key_length, a->key, value);
        set[options->set.count + i] = text;
    }
    return set;
}

static trx_status plan(const cli_options *options, cli_variant *v, const char *path)
{
    trx_status status = cli_plan_solve(options, &v->session, NULL, &v->run);
    return status < 0 ? status : trx_run_write(v->run, path);
}

static trx_status try_variant(comparison *c, const cli_options *options, int index)
{
    cli_variant *v = &c->variants[index];
    trx_status status = cli_session_load(options, options->target, &v->session);
    if (status < 0) return status;
    char path[4096];
    snprintf(v->folder, sizeof v->folder, "%02d", index + 1);
    snprintf(path, sizeof path, "%s/%s", c->folder, v->folder);
    return options->models ? cli_compare_simulate(options, v, path) : plan(options, v, path);
}

static void run_variant(comparison *c, int index)
{
    cli_variant *v = &c->variants[index];
    cli_options own = *c->options;
    own.verb = CLI_PLAN, own.quiet = true, own.json = false;
    own.set.words = overrides(c, index);
    own.set.count += own.over.count;
    const trx_status status = own.set.words ? try_variant(c, &own, index) : TRX_ERR_MEMORY;
    if (status < 0) {
        const trx_context *context = v->session.context;
        v->code = context ? cli_failure_code(context, status) : CLI_IO;
        snprintf(v->message, NAME, "%.500s", context ? trx_context_message(context) : "out of memory");
        trx_run_destroy(v->run);
        v->run = NULL;
    }
    free_overrides(c, own.set.words);
}

// ---- output ----

static void print_head(const comparison *c)
{
    if (c->options->quiet || c->options->json) return;
    if (c->options->models) {
        cli_compare_simulated_head(c->width);
        return;
    }
    printf("%s%-*s %-16s %12s %8s %6s %10s %14s%s\n", cli_style_text(CLI_DIM), c->width, "variant", "status", "cost", "goals",
           "iter.", "time", "fine replay", cli_style_text(CLI_PLAIN));
}

static const char *status_of(trx_status status)
{
    switch (status) {
    case TRX_STALLED: return "stalled";
    case TRX_ITERATION_LIMIT: return "iteration limit";
    case TRX_TIME_LIMIT: return "time limit";
    case TRX_INTERRUPTED: return "interrupted";
    case TRX_PROCESS_LOST: return "solver lost";
    default: return status < 0 ? "failed" : "converged";
    }
}

// the row of a failed variant says only that it failed; the reason is printed as an error
static void print_row(const comparison *c, const cli_variant *v)
{
    if (!v->run) cli_error("%s: %s", v->name, v->message);
    if (c->options->quiet || c->options->json) return;
    if (!v->run) {
        printf("%-*s %sfailed%s\n", c->width, v->name, cli_style_text(CLI_RED), cli_style_text(CLI_PLAIN));
        return;
    }
    if (c->options->models) {
        cli_compare_simulated_row(c->width, v, c->variants);
        return;
    }
    const trx_run_info info = trx_run_get_info(v->run);
    char cost[CLI_NUMBER], seconds[CLI_NUMBER], fine[CLI_NUMBER] = "-", goals[CLI_NUMBER];
    int met = 0;
    for (int i = 0; i < info.ngoal; i++) met += info.physical.goals[i].met;
    snprintf(goals, sizeof goals, "%d of %d", met, info.ngoal);
    if (info.has_fine) cli_number(fine, 5, info.fine.cost);
    printf("%-*s %-16s %12s %s%8s%s %6d %10s %14s\n", c->width, v->name, status_of(info.status), cli_number(cost, 6, info.cost),
           cli_style_text(met == info.ngoal ? CLI_GREEN : CLI_RED), goals, cli_style_text(CLI_PLAIN), info.iterations,
           cli_seconds(seconds, info.solve), fine);
}

static int write_all(const comparison *c, int done)
{
    trx_variant *rows = calloc((size_t)done, sizeof *rows);
    trx_context *context = NULL;
    if (!rows || trx_context_create(NULL, &context) < 0) {
        free(rows);
        return CLI_IO;
    }
    const char *title = c->options->target;
    for (int i = 0; i < done; i++) {
        const cli_variant *v = &c->variants[i];
        if (v->session.problem && *trx_problem_title(v->session.problem)) title = trx_problem_title(v->session.problem);
        rows[i] = (trx_variant){v->name, v->run ? v->folder : NULL, v->run, v->message, v->checked ? &v->gradients : NULL};
    }
    trx_status status = trx_compare_write(context, title, rows, done, c->folder);
    int code = status < 0 ? cli_fail(context, status) : CLI_OK;
    if (code == CLI_OK && c->options->json) cli_json_file(c->folder, "compare");
    else if (code == CLI_OK && !c->options->quiet) printf("table: %s/compare.csv\npage:  %s/compare.html\n", c->folder, c->folder);
    trx_context_destroy(context);
    free(rows);
    return code;
}

// exit code of the comparison: 4 if a variant failed for lack of memory or because of a file; the code of the first variant if no
// variant has a run; 0 if every variant has a plan that meets its goals, or a complete simulation
static int outcome(const comparison *c, int done)
{
    int runs = 0;
    for (int i = 0; i < done; i++) {
        if (c->variants[i].code == CLI_IO) return CLI_IO;
        runs += c->variants[i].run != NULL;
    }
    if (runs == 0) return c->variants[0].code;
    for (int i = 0; i < done; i++) {
        const cli_variant *v = &c->variants[i];
        const bool judged = !c->options->models;
        if (!v->run || trx_run_get_info(v->run).status < 0 || (judged && !trx_run_goals_met(v->run))) return CLI_MISSED;
    }
    return CLI_OK;
}

// an existing folder must be empty or hold an earlier comparison
static int choose_folder(comparison *c)
{
    c->folder = c->options->output ? strdup(c->options->output) : cli_default_folder(c->options->target, "-compare");
    if (!c->folder) {
        cli_error("out of memory");
        return CLI_IO;
    }
    char earlier[4096];
    struct stat info;
    snprintf(earlier, sizeof earlier, "%s/compare.csv", c->folder);
    if (stat(c->folder, &info) != 0 || stat(earlier, &info) == 0 || rmdir(c->folder) == 0) return CLI_OK;
    cli_error("%s exists and is not a comparison: remove it, or write -o DIR", c->folder);
    return CLI_USAGE;
}

static int compare(comparison *c)
{
    int done = 0;
    cli_catch_signals();
    c->width = (int)sizeof "variant";
    for (int i = 0; i < c->count; i++) {
        name_variant(c, i, c->variants[i].name);
        if ((int)strlen(c->variants[i].name) > c->width) c->width = (int)strlen(c->variants[i].name);
    }
    print_head(c);
    for (; done < c->count && !cli_interrupted(); done++) {
        run_variant(c, done);
        print_row(c, &c->variants[done]);
    }
    int code = done > 0 ? write_all(c, done) : CLI_OK;
    if (code == CLI_OK) code = cli_interrupted() ? CLI_INTERRUPTED : outcome(c, done);
    return code;
}

int cli_compare(const cli_options *options)
{
    cli_options own = *options;
    comparison c = {.options = &own};
    char *models = options->models ? cli_compare_models(options->models) : NULL;
    const char **over = calloc((size_t)options->over.count + 1, sizeof *over);
    for (int i = 0; over && i < options->over.count; i++) over[i] = options->over.words[i];
    if (over && models) over[own.over.count++] = models;
    own.over.words = over;
    int code = over && (models || !options->models) ? read_axes(&c) : CLI_IO;
    if (code == CLI_IO) cli_error("out of memory");
    if (code == CLI_OK) code = choose_folder(&c);
    if (code == CLI_OK) code = compare(&c);
    for (int i = 0; c.variants && i < c.count; i++) {
        trx_run_destroy(c.variants[i].run);
        cli_session_close(&c.variants[i].session);
    }
    for (int i = 0; c.axes && i < own.over.count; i++) free(c.axes[i].text);
    free(over);
    free(models);
    free(c.variants);
    free(c.axes);
    free(c.folder);
    return code;
}
