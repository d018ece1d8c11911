// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The run folder as a whole: every file is written into a temporary sibling, which is then exchanged into place
// (formats/files.h). The tables come first, written at once or during a simulation (stream.c). summary.json comes
// last: its `write` has the seconds for the files before player.html. player.html shows the same text and takes the
// tables from the folder, so rewriting the player gives the same page.

#include "report/loop.h"

#include "formats/files.h"
#include "formats/yaml.h"
#include "problem/problem.h"
#include "report/player.h"

#include <stdint.h>
#include <string.h>

enum { MAX_FILE = 1 << 30 };

// files that only some runs have
static trx_status put_solution(const trx_run *run, trxi_folder *folder)
{
    trxi_text text = trxi_text_create(run->context);
    trx_status status = TRX_OK;
    if (run->planned) {
        trxi_write_iterations(run, &text);
        status = trxi_folder_put_text(folder, "iterations.csv", &text);
        trxi_text_clear(&text);
    }
    if (status >= 0 && run->A) {
        status = trxi_write_linearization(run, &text);
        if (status >= 0) status = trxi_folder_put_text(folder, "linearization.npz", &text);
        trxi_text_clear(&text);
    }
    if (status >= 0 && run->planned && run->policy) {
        status = trxi_write_policy(run, &text);
        if (status >= 0) status = trxi_folder_put_text(folder, "policy.npz", &text);
    }
    trxi_text_destroy(&text);
    return status;
}

static trx_status put_table(const trx_run *run, trxi_folder *folder, const char *name,
                            void (*write)(const trx_run *, trxi_text *))
{
    trxi_text text = trxi_text_create(run->context);
    write(run, &text);
    trx_status status = trxi_folder_put_text(folder, name, &text);
    trxi_text_destroy(&text);
    return status;
}

static trx_status put_loop(const trx_run *run, trxi_folder *folder)
{
    if (!run->loop.closed || run->loop.failure < 0) return run->loop.failure;
    const trx_status status = put_table(run, folder, "ticks.csv", trxi_write_ticks);
    return status < 0 ? status : put_table(run, folder, "pushes.csv", trxi_write_pushes);
}

// a page that is being written into the folder
typedef struct pages {
    trxi_folder *folder;
    int file;
} pages;

static trx_status append_page(void *user, trxi_text *page)
{
    const pages *p = user;
    if (page->status < 0) return page->status;
    trx_status status = trxi_folder_append(p->folder, p->file, trxi_text_get(page), page->length);
    trxi_text_clear(page);
    return status;
}

// player.html from the scene, the summary, and the tables in the folder
static trx_status put_page(const trx_run *run, trxi_folder *folder, const trxi_text *scene, const trxi_text *summary)
{
    pages to = {folder, -1};
    trxi_shown shown;
    trx_status status = trxi_shown_times(run->pool, trxi_text_get(scene), &shown);
    trxi_player_data data = {
        .title = trx_problem_title(run->problem),
        .scene_json = trxi_text_get(scene),
        .summary_json = trxi_text_get(summary),
        .trajectory_file = trxi_folder_path(folder, "trajectory.csv"),
        .contacts_file = trxi_folder_path(folder, "contacts.csv"),
        .shown = &shown,
        .flush = append_page,
        .user = &to,
    };
    if (status >= 0 && (!data.trajectory_file || !data.contacts_file)) status = TRX_ERR_MEMORY;
    if (status >= 0) status = trxi_folder_open(folder, "player.html", &to.file);
    if (status < 0) return status;
    trxi_text page = trxi_text_create(run->context);
    status = trxi_player_write(run->context, &data, &page);
    if (status >= 0) status = append_page(&to, &page);
    trxi_text_destroy(&page);
    return status < 0 ? status : trxi_folder_close(folder, to.file);
}

static trx_status put_rest(trx_run *run, trxi_folder *folder, double begun, trxi_text *scene, trxi_text *summary)
{
    const char *problem;
    trx_status status = trxi_problem_text(run->problem, &problem);
    if (status >= 0) status = trxi_folder_put(folder, "problem.yaml", problem, strlen(problem));

    // files of the recording
    if (status >= 0) status = trxi_write_scene(run, scene);
    if (status >= 0) status = trxi_folder_put_text(folder, "scene.json", scene);
    if (status >= 0) status = put_solution(run, folder);
    if (status >= 0) status = put_loop(run, folder);
    run->write = trx_clock() - begun;

    // files for the player
    trxi_write_summary(run, summary);
    if (status >= 0) status = summary->status;
    if (status >= 0) status = put_page(run, folder, scene, summary);
    if (status >= 0) status = trxi_folder_put_text(folder, "summary.json", summary);
    return status;
}

trx_status trxi_run_put_rest(trx_run *run, trxi_folder *folder, double begun)
{
    trxi_text scene = trxi_text_create(run->context), summary = scene;
    trx_status status = put_rest(run, folder, begun, &scene, &summary);
    trxi_text_destroy(&scene);
    trxi_text_destroy(&summary);
    return status;
}

trx_status trx_run_check_path(trx_context *context, const char *path)
{
    if (!context) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    if (!path) return trxi_fail(context, TRX_ERR_ARGUMENT, "no path given");

    // only making a folder tells whether one can be made
    trxi_folder *folder;
    trx_status status = trxi_folder_begin(context, path, &folder);
    if (status >= 0) trxi_folder_abort(folder);
    return status;
}

trx_status trxi_run_write_with(trx_run *run, const trxi_file_ops *ops, const char *path)
{
    trxi_folder *folder;
    trx_status status = trxi_folder_begin_with(run->context, ops, path, &folder);
    if (status < 0) return status;
    double begun = trx_clock();
    status = put_table(run, folder, "trajectory.csv", trxi_write_trajectory);
    if (status >= 0) status = put_table(run, folder, "contacts.csv", trxi_write_contacts);
    if (status >= 0) status = trxi_run_put_rest(run, folder, begun);
    if (status < 0) {
        trxi_folder_abort(folder);
        return status;
    }
    status = trxi_folder_commit(folder);
    run->written = status >= 0;
    return status;
}

trx_status trx_run_write(trx_run *run, const char *path)
{
    if (!run) return TRX_ERR_ARGUMENT;
    trxi_begin(run->context);
    if (!path) return trxi_fail(run->context, TRX_ERR_ARGUMENT, "no path given");
    if (run->written && !run->x)
        return trxi_fail(run->context, TRX_ERR_ARGUMENT, "the run was written while it was simulated and not kept");
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

// title of a summary (JSON is also YAML); "" without a title. Errors: MEMORY, INPUT when the summary is not of a run
static trx_status summary_title(trx_context *context, trxi_pool *pool, const char *path, const trxi_text *summary,
                                const char **title)
{
    trxi_yaml_node *root = NULL;
    trx_status status =
        trxi_yaml_try_parse(context, pool, "summary.json", trxi_text_get(summary), summary->length, &root);
    if (status == TRX_ERR_MEMORY) return status;
    if (status < 0 || !trxi_yaml_get(trxi_yaml_get(root, "versions"), "tractrix"))
        return trxi_fail(context, TRX_ERR_INPUT, "'%s' is not a run folder of tractrix", path);
    const trxi_yaml_node *text = trxi_yaml_get(root, "title");
    *title = text ? text->text : "";
    return TRX_OK;
}

static trx_status rewrite(trx_context *context, trxi_pool *pool, const char *path, trxi_text *scene,
                          trxi_text *summary, trxi_text *page)
{
    trx_status status = read_text(context, pool, path, "summary.json", summary);
    if (status >= 0) status = read_text(context, pool, path, "scene.json", scene);
    if (status < 0) return status;
    const char *title = "";
    if ((status = summary_title(context, pool, path, summary, &title)) < 0) return status;
    trxi_shown shown;
    const char *file = trxi_pool_printf(pool, "%s/player.html", path);
    trxi_player_data data = {
        .title = title,
        .scene_json = trxi_text_get(scene),
        .summary_json = trxi_text_get(summary),
        .trajectory_file = trxi_pool_printf(pool, "%s/trajectory.csv", path),
        .contacts_file = trxi_pool_printf(pool, "%s/contacts.csv", path),
        .shown = &shown,
    };
    if (!file || !data.trajectory_file || !data.contacts_file) return TRX_ERR_MEMORY;
    if ((status = trxi_shown_times(pool, data.scene_json, &shown)) < 0) return status;
    if ((status = trxi_player_write(context, &data, page)) < 0) return status;
    return trxi_file_replace(context, file, trxi_text_get(page), page->length);
}

trx_status trx_run_rewrite_player(trx_context *context, const char *path)
{
    if (!context) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    if (!path) return trxi_fail(context, TRX_ERR_ARGUMENT, "no path given");
    trxi_pool *pool = trxi_pool_create(context);
    if (!pool) return TRX_ERR_MEMORY;
    trxi_text scene = trxi_text_create(context), summary = scene, page = scene;
    trx_status status = rewrite(context, pool, path, &scene, &summary, &page);
    trxi_text_destroy(&scene);
    trxi_text_destroy(&summary);
    trxi_text_destroy(&page);
    trxi_pool_destroy(pool);
    return status;
}
