// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The run folder as a whole: every file is put into a temporary sibling, which is then exchanged into place
// (formats/files.h). summary.json comes last: its `write` counts the seconds spent on the files before it, and
// player.html shows the same text, so that rewriting the player from the folder gives the same page again.

#include "report/run.h"

#include "formats/files.h"
#include "formats/yaml.h"
#include "report/player.h"

#include <stdint.h>
#include <string.h>

enum { MAX_FILE = 1 << 30 };

// texts that the player needs again
typedef struct shown {
    trxi_text scene, trajectory, contacts, summary, page;
} shown;

static shown shown_create(trx_context *context)
{
    trxi_text empty = trxi_text_create(context);
    return (shown){empty, empty, empty, empty, empty};
}

static void shown_destroy(shown *s)
{
    trxi_text_destroy(&s->scene);
    trxi_text_destroy(&s->trajectory);
    trxi_text_destroy(&s->contacts);
    trxi_text_destroy(&s->summary);
    trxi_text_destroy(&s->page);
}

static trx_status put(trxi_folder *folder, const char *name, const trxi_text *text)
{
    if (text->status < 0) return text->status;
    return trxi_folder_put(folder, name, text->data ? text->data : "", text->length);
}

// the page from its four texts
static trx_status make_page(trx_context *context, const char *title, shown *s)
{
    trxi_player_data data = {
        .title = title,
        .scene_json = trxi_text_get(&s->scene),
        .trajectory_csv = trxi_text_get(&s->trajectory),
        .contacts_csv = trxi_text_get(&s->contacts),
        .summary_json = trxi_text_get(&s->summary),
    };
    return trxi_player_write(context, &data, &s->page);
}

// files that only some runs have
static trx_status put_solution(const trx_run *run, trxi_folder *folder)
{
    trxi_text text = trxi_text_create(run->context);
    trx_status status = TRX_OK;
    if (run->planned) {
        trxi_write_iterations(run, &text);
        status = put(folder, "iterations.csv", &text);
        trxi_text_clear(&text);
    }
    if (status >= 0 && run->A) {
        status = trxi_write_linearization(run, &text);
        if (status >= 0) status = put(folder, "linearization.npz", &text);
    }
    trxi_text_destroy(&text);
    return status;
}

static trx_status put_files(trx_run *run, trxi_folder *folder, shown *s)
{
    double begun = trx_clock();
    const char *problem = trx_problem_text(run->problem);
    if (*problem == '\0') return TRX_ERR_MEMORY; // a problem is never empty
    trx_status status = trxi_folder_put(folder, "problem.yaml", problem, strlen(problem));

    // what was recorded
    if (status >= 0) status = trxi_write_scene(run, &s->scene);
    if (status >= 0) status = put(folder, "scene.json", &s->scene);
    trxi_write_trajectory(run, &s->trajectory);
    if (status >= 0) status = put(folder, "trajectory.csv", &s->trajectory);
    trxi_write_contacts(run, &s->contacts);
    if (status >= 0) status = put(folder, "contacts.csv", &s->contacts);
    if (status >= 0) status = put_solution(run, folder);
    run->write = trx_clock() - begun;

    // what is shown of it
    trxi_write_summary(run, &s->summary);
    if (status >= 0) status = s->summary.status;
    if (status >= 0) status = make_page(run->context, trx_problem_title(run->problem), s);
    if (status >= 0) status = put(folder, "player.html", &s->page);
    if (status >= 0) status = put(folder, "summary.json", &s->summary);
    return status;
}

trx_status trx_run_check_path(trx_context *context, const char *path)
{
    if (!context) return TRX_ERR_ARGUMENT;
    if (!path) return trxi_fail(context, TRX_ERR_ARGUMENT, "no path given");
    return trxi_folder_check(context, path);
}

trx_status trxi_run_write_with(trx_run *run, const trxi_file_ops *ops, const char *path)
{
    trxi_folder *folder;
    trx_status status = trxi_folder_begin_with(run->context, ops, path, &folder);
    if (status < 0) return status;
    shown s = shown_create(run->context);
    status = put_files(run, folder, &s);
    shown_destroy(&s);
    if (status < 0) {
        trxi_folder_abort(folder);
        return status;
    }
    return trxi_folder_commit(folder);
}

trx_status trx_run_write(trx_run *run, const char *path)
{
    if (!run) return TRX_ERR_ARGUMENT;
    if (!path) return trxi_fail(run->context, TRX_ERR_ARGUMENT, "no path given");
    if (!run->x) return trxi_fail(run->context, TRX_ERR_ARGUMENT, "nothing was recorded: simulate or set a plan first");
    trxi_file_ops ops = trxi_file_ops_system();
    return trxi_run_write_with(run, &ops, path);
}

// reads PATH/NAME into `text`
static trx_status read_text(trx_context *context, trxi_pool *pool, const char *path, const char *name, trxi_text *text)
{
    char *file = trxi_pool_printf(pool, "%s/%s", path, name), *bytes;
    size_t length;
    if (!file) return TRX_ERR_MEMORY;
    trx_status status = trxi_file_read(context, pool, file, MAX_FILE, &bytes, &length);
    if (status < 0) return status;
    trxi_text_append(text, bytes, length);
    return text->status;
}

// title of a summary, which is YAML too; "" when there is none
static const char *summary_title(trx_context *context, trxi_pool *pool, const trxi_text *summary, bool *is_run)
{
    trxi_yaml_node *root = NULL;
    trx_status status =
        trxi_yaml_try_parse(context, pool, "summary.json", trxi_text_get(summary), summary->length, &root);
    *is_run = status >= 0 && trxi_yaml_get(trxi_yaml_get(root, "versions"), "tractrix");
    const trxi_yaml_node *title = status < 0 ? NULL : trxi_yaml_get(root, "title");
    return title ? title->text : "";
}

static trx_status rewrite(trx_context *context, trxi_pool *pool, const char *path, shown *s)
{
    trx_status status = read_text(context, pool, path, "summary.json", &s->summary);
    if (status >= 0) status = read_text(context, pool, path, "scene.json", &s->scene);
    if (status >= 0) status = read_text(context, pool, path, "trajectory.csv", &s->trajectory);
    if (status >= 0) status = read_text(context, pool, path, "contacts.csv", &s->contacts);
    if (status < 0) return status;
    bool is_run;
    const char *title = summary_title(context, pool, &s->summary, &is_run);
    if (!is_run) return trxi_fail(context, TRX_ERR_INPUT, "'%s' is not a run folder of tractrix", path);

    if ((status = make_page(context, title, s)) < 0) return status;
    char *file = trxi_pool_printf(pool, "%s/player.html", path);
    if (!file) return TRX_ERR_MEMORY;
    return trxi_file_replace(context, file, trxi_text_get(&s->page), s->page.length);
}

trx_status trx_run_rewrite_player(trx_context *context, const char *path)
{
    if (!context) return TRX_ERR_ARGUMENT;
    if (!path) return trxi_fail(context, TRX_ERR_ARGUMENT, "no path given");
    trxi_pool *pool = trxi_pool_create(context);
    if (!pool) return TRX_ERR_MEMORY;
    shown s = shown_create(context);
    trx_status status = rewrite(context, pool, path, &s);
    shown_destroy(&s);
    trxi_pool_destroy(pool);
    return status;
}
