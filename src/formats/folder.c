// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Run folders written beside their target and exchanged into place; see files.h.
//
//     begin    a target that may not be replaced is refused; leftovers of killed processes are removed;
//              PARENT/.NAME.tmp-PID is made
//     put      files are written into the temporary folder and flushed
//     commit   the temporary folder is flushed and exchanged with the target in one step (or renamed, if there is no
//              target); the parent is flushed; then the old run, now under the temporary name, is removed
//
// If the system cannot exchange two names, the old run is first renamed away, and back again if the second rename
// fails. A failure before the parent is flushed undoes the exchange, so the old run stays. If even undoing fails,
// nothing is removed, and the message names the place of the old run.

#include "formats/files.h"

#include "formats/file_io.h"
#include "formats/yaml.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum placement {
    NOT_PLACED,
    RENAMED,   // there was no target
    EXCHANGED, // the old run has the temporary name
    MOVED      // the old run has the name `away`
} placement;

// a file being written; fd -1: none
typedef struct open_file {
    int fd;
    const char *path;
} open_file;

// a file that was made in the temporary folder
typedef struct made_file {
    const char *path;
    struct made_file *before; // the file that was made before, NULL: none
} made_file;

struct trxi_folder {
    trx_context *context;
    trxi_pool *pool;
    trxi_file_ops ops;
    trxi_target target;
    char *temporary, *away;
    bool made;         // the temporary folder exists
    int lock;          // lock on the temporary folder, -1: none
    open_file files[TRXI_FOLDER_FILES];
    made_file *last;   // the file that was made last, NULL: none
    trx_status status; // first failure
    placement placed;
};

// 1: empty, 0: not, -1: cannot be read (errno set)
static int folder_is_empty(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder) return -1;
    int empty = 1;
    for (const struct dirent *entry; empty && (entry = readdir(folder));) empty = trxi_is_dots(entry->d_name);
    closedir(folder);
    return empty;
}

// whether summary.json in the folder has versions.tractrix
static trx_status find_marker(trx_context *context, trxi_pool *pool, const char *path, bool *ours)
{
    *ours = false;
    char *summary = trxi_pool_printf(pool, "%s/summary.json", path);
    if (!summary) return TRX_ERR_MEMORY;
    struct stat info;
    if (stat(summary, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > TRXI_YAML_MAX_SIZE) return TRX_OK;

    // JSON is YAML
    char *text;
    size_t length;
    trx_status status = trxi_file_read(context, pool, summary, TRXI_YAML_MAX_SIZE, &text, &length);
    if (status < 0) return status;
    trxi_yaml_node *root;
    status = trxi_yaml_try_parse(context, pool, summary, text, length, &root);
    if (status == TRX_OK) *ours = trxi_yaml_get(trxi_yaml_get(root, "versions"), "tractrix") != NULL;
    return status == TRX_ERR_MEMORY ? status : TRX_OK;
}

static trx_status refuse(trx_context *context, const char *path)
{
    return trxi_fail(context, TRX_ERR_ARGUMENT, "'%s' is not a run folder: refusing to replace it", path);
}

static trx_status check_target(trx_context *context, trxi_pool *pool, const trxi_target *target, const char *path)
{
    struct stat info, here;
    if (!target->exists) return lstat(path, &info) == 0 ? refuse(context, path) : TRX_OK;
    if (stat(target->path, &info) != 0) return trxi_io_fail(context, "examine", path);
    if (!S_ISDIR(info.st_mode)) return refuse(context, path);
    if (stat(".", &here) == 0 && here.st_dev == info.st_dev && here.st_ino == info.st_ino)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "'%s' is the current folder: refusing to replace it", path);
    int empty = folder_is_empty(target->path);
    if (empty < 0) return trxi_io_fail(context, "examine", path);
    if (empty) return TRX_OK;
    bool ours;
    trx_status status = find_marker(context, pool, target->path, &ours);
    if (status < 0) return status;
    return ours ? TRX_OK : refuse(context, path);
}

trx_status trxi_folder_check(trx_context *context, const char *path)
{
    trxi_pool *pool = trxi_pool_create(context);
    if (!pool) return TRX_ERR_MEMORY;
    trxi_target target;
    trx_status status = trxi_target_find(context, pool, path, &target);
    if (status == TRX_OK) status = check_target(context, pool, &target, path);
    trxi_pool_destroy(pool);
    return status;
}

static void destroy(trxi_folder *folder)
{
    trxi_unlock(folder->lock);
    trxi_pool_destroy(folder->pool);
    trxi_release(folder->context, folder);
}

// removes the temporary folder: first its known files by their names, which takes neither memory nor descriptors; if other files
// remain, reads the folder
static void remove_temporary(trxi_folder *folder)
{
    for (const made_file *file = folder->last; file; file = file->before) unlink(file->path);
    if (rmdir(folder->temporary) != 0) trxi_remove_tree(AT_FDCWD, folder->temporary);
}

static trx_status make_temporary(trxi_folder *folder)
{
    for (int n = 0; n < TRXI_TEMPORARY_TRIES; n++) {
        folder->temporary = trxi_temporary_path(folder->pool, &folder->target, "tmp", n);
        folder->away = trxi_temporary_path(folder->pool, &folder->target, "old", n);
        if (!folder->temporary || !folder->away) return TRX_ERR_MEMORY;
        folder->made = folder->ops.mkdir(folder->ops.user, folder->temporary, 0777) == 0;
        if (folder->made) {
            folder->lock = trxi_lock(folder->temporary);
            return TRX_OK;
        }
        if (errno != EEXIST) break;
    }
    return trxi_io_fail(folder->context, "create", folder->temporary);
}

trx_status trxi_folder_begin_with(trx_context *context, const trxi_file_ops *ops, const char *path,
                                  trxi_folder **folder)
{
    *folder = NULL;
    trxi_folder *made = trxi_allocate(context, sizeof *made);
    if (!made) return TRX_ERR_MEMORY;
    *made = (trxi_folder){.context = context, .ops = *ops, .pool = trxi_pool_create(context), .lock = -1};
    for (int i = 0; i < TRXI_FOLDER_FILES; i++) made->files[i].fd = -1;

    trx_status status = made->pool ? TRX_OK : TRX_ERR_MEMORY;
    if (status == TRX_OK) status = trxi_target_find(context, made->pool, path, &made->target);
    if (status == TRX_OK) status = check_target(context, made->pool, &made->target, path);
    if (status == TRX_OK) trxi_remove_leftovers(made->pool, &made->target);
    if (status == TRX_OK) status = trxi_make_parents(context, made->pool, ops, &made->target);
    if (status == TRX_OK && (status = make_temporary(made)) < 0) trxi_remove_parents(&made->target);
    if (status < 0) {
        destroy(made);
        return status;
    }
    *folder = made;
    return TRX_OK;
}

trx_status trxi_folder_begin(trx_context *context, const char *path, trxi_folder **folder)
{
    trxi_file_ops ops = trxi_file_ops_system();
    return trxi_folder_begin_with(context, &ops, path, folder);
}

// remembers the first failure
static trx_status keep_first(trxi_folder *folder, trx_status status)
{
    if (folder->status == TRX_OK) folder->status = status;
    return folder->status;
}

const char *trxi_folder_path(trxi_folder *folder, const char *name)
{
    return trxi_pool_printf(folder->pool, "%s/%s", folder->temporary, name);
}

static trx_status refuse_file(trxi_folder *folder, const char *name)
{
    return keep_first(folder, trxi_fail(folder->context, TRX_ERR_ARGUMENT, "cannot open '%s' in a run folder", name));
}

trx_status trxi_folder_open(trxi_folder *folder, const char *name, int *file)
{
    *file = -1;
    if (folder->status != TRX_OK) return folder->status;
    int slot = 0;
    while (slot < TRXI_FOLDER_FILES && folder->files[slot].fd >= 0) slot++;
    if (slot == TRXI_FOLDER_FILES || !name[0] || strchr(name, '/') || trxi_is_dots(name)) return refuse_file(folder, name);
    open_file *opened = &folder->files[slot];
    opened->path = trxi_folder_path(folder, name);
    made_file *file_made = TRXI_POOL(folder->pool, made_file, 1);
    if (!opened->path || !file_made) return keep_first(folder, TRX_ERR_MEMORY);
    *file_made = (made_file){opened->path, folder->last};
    folder->last = file_made;
    opened->fd = folder->ops.open(folder->ops.user, opened->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (opened->fd < 0) return keep_first(folder, trxi_io_fail(folder->context, "create", opened->path));
    *file = slot;
    return TRX_OK;
}

trx_status trxi_folder_append(trxi_folder *folder, int file, const void *bytes, size_t length)
{
    if (folder->status != TRX_OK) return folder->status;
    if (file < 0 || file >= TRXI_FOLDER_FILES || folder->files[file].fd < 0)
        return keep_first(folder, trxi_fail(folder->context, TRX_ERR_ARGUMENT, "no such file is open"));
    if (!trxi_write_all(&folder->ops, folder->files[file].fd, bytes, length))
        return keep_first(folder, trxi_io_fail(folder->context, "write", folder->files[file].path));
    return TRX_OK;
}

trx_status trxi_folder_close(trxi_folder *folder, int file)
{
    if (file < 0 || file >= TRXI_FOLDER_FILES || folder->files[file].fd < 0) return folder->status;
    open_file *closing = &folder->files[file];
    if (folder->status == TRX_OK && folder->ops.fsync(folder->ops.user, closing->fd) != 0)
        keep_first(folder, trxi_io_fail(folder->context, "write", closing->path));
    int closed = folder->ops.close(folder->ops.user, closing->fd);
    closing->fd = -1;
    if (closed != 0 && folder->status == TRX_OK) keep_first(folder, trxi_io_fail(folder->context, "write", closing->path));
    return folder->status;
}

trx_status trxi_folder_put(trxi_folder *folder, const char *name, const void *bytes, size_t length)
{
    int file;
    trx_status status = trxi_folder_open(folder, name, &file);
    if (status == TRX_OK) trxi_folder_append(folder, file, bytes, length);
    return status == TRX_OK ? trxi_folder_close(folder, file) : status;
}

trx_status trxi_folder_put_text(trxi_folder *folder, const char *name, const trxi_text *text)
{
    if (text->status < 0) return keep_first(folder, text->status);
    return trxi_folder_put(folder, name, trxi_text_get(text), text->length);
}

// gives the temporary folder the name of the target; false with errno set when nothing has changed or when the old
// run could not be moved back (then `placed` is MOVED)
static bool place(trxi_folder *folder)
{
    const trxi_file_ops *ops = &folder->ops;
    const char *temporary = folder->temporary, *target = folder->target.path, *away = folder->away;
    if (!folder->target.exists) {
        if (ops->rename(ops->user, temporary, target) != 0) return false;
        folder->placed = RENAMED;
        return true;
    }
    if (ops->exchange(ops->user, temporary, target) == 0) {
        folder->placed = EXCHANGED;
        return true;
    }
    // without an atomic exchange: renames the old run away, then the new run into place
    if (errno != ENOSYS && errno != EINVAL && errno != ENOTSUP) return false;
    if (ops->rename(ops->user, target, away) != 0) return false;
    folder->placed = MOVED;
    if (ops->rename(ops->user, temporary, target) == 0) return true;
    int reason = errno;
    if (ops->rename(ops->user, away, target) == 0) folder->placed = NOT_PLACED;
    errno = reason;
    return false;
}

// undoes `place`; false when the old run does not have its name again
static bool displace(trxi_folder *folder)
{
    const trxi_file_ops *ops = &folder->ops;
    const char *temporary = folder->temporary, *target = folder->target.path;
    bool undone = false;
    if (folder->placed == EXCHANGED) undone = ops->exchange(ops->user, temporary, target) == 0;
    else if (ops->rename(ops->user, target, temporary) == 0)
        undone = folder->placed == RENAMED || ops->rename(ops->user, folder->away, target) == 0;
    if (undone) folder->placed = NOT_PLACED;
    return undone;
}

// conditions before the exchange: all files are written and flushed, and the target may still be replaced
static trx_status prepare(trxi_folder *folder)
{
    for (int i = 0; i < TRXI_FOLDER_FILES; i++) trxi_folder_close(folder, i);
    if (folder->status != TRX_OK) return folder->status;
    if (!trxi_flush_folder(&folder->ops, folder->temporary))
        return trxi_io_fail(folder->context, "write", folder->temporary);
    struct stat info;
    folder->target.exists = lstat(folder->target.path, &info) == 0;
    return check_target(folder->context, folder->pool, &folder->target, folder->target.path);
}

// the message when the exchange could not be undone
static trx_status report_stranded(trxi_folder *folder)
{
    const char *where = folder->placed == MOVED ? folder->away : folder->temporary;
    if (folder->placed == RENAMED)
        return trxi_fail(folder->context, TRX_ERR_IO, "'%s' is written but could not be flushed", folder->target.path);
    return trxi_fail(folder->context, TRX_ERR_IO, "cannot write '%s'; the previous run is kept as '%s'",
                     folder->target.path, where);
}

trx_status trxi_folder_commit(trxi_folder *folder)
{
    trx_status status = prepare(folder);
    if (status == TRX_OK && !place(folder)) status = trxi_io_fail(folder->context, "write", folder->target.path);
    if (status == TRX_OK && !trxi_flush_folder(&folder->ops, folder->target.parent)) {
        status = trxi_io_fail(folder->context, "write", folder->target.path);
        displace(folder);
    }
    if (status < 0) {
        if (folder->placed == NOT_PLACED) {
            trxi_folder_abort(folder);
            return status;
        }
        status = report_stranded(folder);
        if (folder->placed == MOVED) remove_temporary(folder);
    } else if (folder->placed != RENAMED) {
        // the new run is in place; removes the old run
        const char *old = folder->placed == MOVED ? folder->away : folder->temporary;
        if (!trxi_remove_tree(AT_FDCWD, old))
            trxi_warn_at(folder->context, (trx_source){0}, "the previous run could not be removed from '%s'", old);
    }
    destroy(folder);
    return status;
}

void trxi_folder_abort(trxi_folder *folder)
{
    if (!folder) return;
    for (int i = 0; i < TRXI_FOLDER_FILES; i++)
        if (folder->files[i].fd >= 0) folder->ops.close(folder->ops.user, folder->files[i].fd);
    if (folder->made) {
        remove_temporary(folder);
        // flush the removal: after a loss of power, the next run with this name must not find this empty folder
        trxi_flush_folder(&folder->ops, folder->target.parent);
    }
    trxi_remove_parents(&folder->target);
    destroy(folder);
}
