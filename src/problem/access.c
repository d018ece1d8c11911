// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Queries of a loaded problem, and its text with absolute paths.

#include "problem/problem.h"

#include "formats/sha256.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

const char *trx_problem_title(const trx_problem *problem)
{
    return problem->title;
}

const char *trx_problem_path(const trx_problem *problem)
{
    return problem->path;
}

const char *trx_problem_sha256(const trx_problem *problem)
{
    return problem->sha256;
}

const trx_model *trx_problem_model(const trx_problem *problem)
{
    return problem->model;
}

trx_sim_settings trx_problem_sim_settings(const trx_problem *problem)
{
    return problem->sim;
}

int trx_problem_steps(const trx_problem *problem)
{
    return problem->steps;
}

trx_settling trx_problem_settling(const trx_problem *problem)
{
    return problem->settling;
}

const double *trx_problem_start(const trx_problem *problem)
{
    return problem->start;
}

bool trx_problem_has_cost(const trx_problem *problem)
{
    return problem->has_cost;
}

int trx_problem_note_count(const trx_problem *problem)
{
    return problem->scene.nnote;
}

trx_note trx_problem_note(const trx_problem *problem, int index)
{
    if (index < 0 || index >= problem->scene.nnote) return (trx_note){.text = "", .form = ""};
    return problem->scene.notes[index];
}

trx_policy_settings trx_problem_policy(const trx_problem *problem)
{
    return problem->policy;
}

trx_trial_settings trx_problem_trial(const trx_problem *problem)
{
    return problem->trial;
}

trx_mpc_problem trx_problem_mpc(const trx_problem *problem)
{
    trx_mpc_problem mpc = problem->mpc.mpc;
    if (mpc.settings.refine == 0) mpc.settings.refine = problem->solve.refine;
    if (isnan(mpc.settings.friction_margin)) mpc.settings.friction_margin = problem->solve.settings.friction_margin;
    if (problem->mpc.policy_gains) mpc.settings.gains = &problem->policy;
    if (mpc.period == 0) mpc.period = problem->sim.time_step;
    if (mpc.duration == 0) mpc.duration = problem->steps * problem->sim.time_step;
    if (isnan(mpc.plant_delay)) mpc.plant_delay = mpc.settings.delay;
    if (isnan(mpc.plant_latency)) mpc.plant_latency = mpc.settings.latency;
    return mpc;
}

// ---- the text ----

// relative paths start at the file's folder, which may be relative to the working directory
static trx_status make_absolute(trx_problem *problem, trxi_yaml_node *node)
{
    char here[PATH_SIZE] = "";
    if (node->text[0] == '/') return TRX_OK;
    const bool relative = problem->folder[0] != '/';
    if (relative && !getcwd(here, sizeof here))
        return trxi_fail(problem->context, TRX_ERR_IO, "\"%.200s\" starts at the working directory, which has no path: %s",
                         node->text, strerror(errno));
    const char *slash = relative && strcmp(here, "/") != 0 ? "/" : "";
    const char *path = trxi_pool_printf(problem->pool, "%s%s%s%s", here, slash, problem->folder, node->text);
    if (path) node->text = path;
    return path ? TRX_OK : TRX_ERR_MEMORY;
}

// every `file:` below `node`; in these sections all of them are paths
static trx_status resolve_files(trx_problem *problem, trxi_yaml_node *node)
{
    trx_status status = TRX_OK;
    for (int i = 0; node && i < node->count && status >= 0; i++) {
        bool is_file = node->kind == TRXI_YAML_MAPPING && strcmp(node->keys[i], "file") == 0;
        if (is_file && node->items[i]->kind == TRXI_YAML_SCALAR)
            status = make_absolute(problem, node->items[i]);
        else
            status = resolve_files(problem, node->items[i]);
    }
    return status;
}

// controls and states of the guess
static trx_status resolve_guess(trx_problem *problem)
{
    trxi_yaml_node *guess = trxi_yaml_get(trxi_yaml_get(problem->root, "solve"), "guess");
    trxi_yaml_node *controls = guess, *states = NULL;
    if (guess && guess->kind == TRXI_YAML_MAPPING) {
        controls = trxi_yaml_get(guess, "controls");
        states = trxi_yaml_get(guess, "states");
    }
    trx_status status = controls && problem->solve.guess_is_path ? make_absolute(problem, controls) : TRX_OK;
    if (status >= 0 && states && problem->solve.states_are_path) status = make_absolute(problem, states);
    return status;
}

trx_status trxi_problem_text(trx_problem *problem, const char **text)
{
    static const char *const sections[] = {"model", "cost", "limits", "fit"};
    trx_status status = TRX_OK;
    if (problem->text.length == 0) {
        for (int i = 0; i < 4 && status >= 0; i++) status = resolve_files(problem, trxi_yaml_get(problem->root, sections[i]));
        if (status >= 0) status = resolve_guess(problem);
        if (status >= 0) status = trxi_yaml_write(problem->root, &problem->text);
        if (status < 0) trxi_text_clear(&problem->text);
    }
    *text = trxi_text_get(&problem->text);
    return status;
}

const char *trx_problem_text(trx_problem *problem)
{
    const char *text;
    trxi_problem_text(problem, &text);
    return text;
}

// copies a mapping without a key; the items are shared. NULL when memory is out
static trxi_yaml_node *without(trxi_pool *pool, const trxi_yaml_node *mapping, const char *key)
{
    trxi_yaml_node *rest = TRXI_POOL(pool, trxi_yaml_node, 1), **items = TRXI_POOL(pool, trxi_yaml_node *, mapping->count);
    const char **keys = TRXI_POOL(pool, const char *, mapping->count);
    if (!rest || !items || !keys) return NULL;
    *rest = *mapping;
    rest->count = 0, rest->items = items, rest->keys = keys;
    for (int i = 0; i < mapping->count; i++) {
        if (strcmp(mapping->keys[i], key) == 0) continue;
        items[rest->count] = mapping->items[i];
        keys[rest->count++] = mapping->keys[i];
    }
    return rest;
}

// the section `key` of a mapping without its time limit; nothing when nothing is left
static bool write_timeless(trxi_pool *pool, const trxi_yaml_node *mapping, const char *key, trxi_text *out)
{
    const trxi_yaml_node *section = trxi_yaml_get(mapping, key);
    if (!section) return true;
    if (section->kind == TRXI_YAML_MAPPING) section = without(pool, section, "time_limit");
    if (!section) return false;
    return (section->kind == TRXI_YAML_MAPPING && section->count == 0) || trxi_yaml_write(section, out) >= 0;
}

// all sections but `solve`, then `solve` without its search, then the search; both without their time limits
static bool write_without_limits(trx_problem *problem, trxi_text *out)
{
    const trxi_yaml_node *solve = trxi_yaml_get(problem->root, "solve"), *rest = without(problem->pool, problem->root, "solve");
    if (!rest || trxi_yaml_write(rest, out) < 0) return false;
    if (!solve || solve->kind != TRXI_YAML_MAPPING) return true;
    const trxi_yaml_node *own = without(problem->pool, solve, "search");
    if (own) own = without(problem->pool, own, "time_limit");
    if (!own || (own->count > 0 && trxi_yaml_write(own, out) < 0)) return false;
    return write_timeless(problem->pool, solve, "search", out);
}

trx_status trxi_problem_hash(trx_problem *problem, char hash[65])
{
    // makes the paths in the tree absolute
    const char *whole;
    const trx_status status = trxi_problem_text(problem, &whole);
    if (status < 0) return status;
    trxi_text text = trxi_text_create(problem->context);
    const bool fine = write_without_limits(problem, &text);
    if (fine) trxi_sha256(trxi_text_get(&text), text.length, hash);
    trxi_text_destroy(&text);
    return fine ? TRX_OK : TRX_ERR_MEMORY;
}
