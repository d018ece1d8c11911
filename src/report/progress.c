// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The progress of a plan on disk, beside its run folder: PARENT/.NAME.progress,
//
//     name of the format, hash of the problem, lengths of the parts     (head)
//     the parts, each with its own checksum
//
// in the byte order of the machine. The hash leaves out time limits, so an interrupted plan may continue with more time.

#include "report/run.h"

#include "formats/file_io.h"
#include "problem/problem.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_PROGRESS = 1 << 30 };

typedef struct head {
    char name[24], problem[65];
    uint64_t plan, search, refined; // lengths
} head;

static const char NAME[24] = "tractrix progress 2";

// PARENT/.NAME.progress for the run folder at `path`
static trx_status find_file(trx_run *run, const char *path, char **file)
{
    trxi_target target;
    *file = NULL;
    if (!path) return trxi_fail(run->context, TRX_ERR_ARGUMENT, "no path given");
    trx_status status = trxi_target_find(run->context, run->pool, path, &target);
    if (status < 0) return status;
    *file = trxi_pool_printf(run->pool, "%s/.%s.progress", target.parent, target.name);
    return *file ? TRX_OK : TRX_ERR_MEMORY;
}

trx_status trx_run_write_progress(trx_run *run, const char *path, const trx_progress *progress)
{
    if (!run) return TRX_ERR_ARGUMENT;
    trxi_begin(run->context);
    if (!progress) return trxi_fail(run->context, TRX_ERR_ARGUMENT, "no progress given");
    char *file;
    head h = {.plan = progress->plan_length, .search = progress->search_length, .refined = progress->refined_length};
    memcpy(h.name, NAME, sizeof NAME);
    trx_status status = find_file(run, path, &file);
    if (status < 0 || (status = trxi_problem_hash(run->problem, h.problem)) < 0) return status;
    trxi_text text = trxi_text_create(run->context);
    trxi_text_append(&text, &h, sizeof h);
    trxi_text_append(&text, progress->plan, progress->plan_length);
    trxi_text_append(&text, progress->search, progress->search_length);
    trxi_text_append(&text, progress->refined, progress->refined_length);
    status = text.status < 0 ? text.status : trxi_file_replace(run->context, file, trxi_text_get(&text), text.length);
    trxi_text_destroy(&text);
    return status;
}

// the parts of a file that is whole and belongs to the problem
static trx_status take_parts(trx_run *run, const char *file, const char *bytes, size_t length, trx_progress *progress)
{
    head h;
    char hash[65];
    bool whole = length >= sizeof h;
    if (whole) memcpy(&h, bytes, sizeof h);
    const size_t parts = length - sizeof h;
    whole = whole && memcmp(h.name, NAME, sizeof NAME) == 0 && h.plan <= parts && h.search <= parts - h.plan &&
            h.refined == parts - h.plan - h.search;
    if (!whole) return trxi_error_at(run->context, (trx_source){file, 0, 0}, "not the progress of a plan, or damaged");
    trx_status status = trxi_problem_hash(run->problem, hash);
    if (status < 0) return status;
    if (memcmp(hash, h.problem, sizeof hash) != 0)
        return trxi_error_at(run->context, (trx_source){file, 0, 0},
                             "the progress of another problem, or with other --set values: start again without --resume");
    const char *plan = bytes + sizeof h, *search = plan + h.plan, *refined = search + h.search;
    *progress = (trx_progress){.plan = h.plan ? plan : NULL, .plan_length = h.plan,
                               .search = h.search ? search : NULL, .search_length = h.search,
                               .refined = h.refined ? refined : NULL, .refined_length = h.refined};
    return TRX_OK;
}

trx_status trx_run_read_progress(trx_run *run, const char *path, trx_progress *progress)
{
    if (!run) return TRX_ERR_ARGUMENT;
    trxi_begin(run->context);
    if (!progress) return trxi_fail(run->context, TRX_ERR_ARGUMENT, "no progress given");
    *progress = (trx_progress){0};
    char *file, *bytes;
    size_t length;
    struct stat info;
    trx_status status = find_file(run, path, &file);
    if (status < 0) return status;
    assert(file);
    if (stat(file, &info) != 0) return TRX_OK;
    status = trxi_file_read(run->context, run->pool, file, MAX_PROGRESS, &bytes, &length);
    return status < 0 ? status : take_parts(run, file, bytes, length, progress);
}

trx_status trx_run_remove_progress(trx_run *run, const char *path)
{
    if (!run) return TRX_ERR_ARGUMENT;
    trxi_begin(run->context);
    char *file;
    trxi_target target;
    trx_status status = find_file(run, path, &file);
    if (status >= 0) status = trxi_target_find(run->context, run->pool, file, &target);
    if (status < 0) return status;
    assert(file);
    trxi_remove_leftovers(run->pool, &target);
    if (unlink(file) == 0 || errno == ENOENT || errno == ENOTDIR) return TRX_OK;
    return trxi_io_fail(run->context, "remove", file);
}
