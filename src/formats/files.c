// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Reading a whole file, replacing one file; see files.h. The temporary file is in the folder of its target because
// rename is atomic only within a file system.

#define _XOPEN_SOURCE 700 // realpath

#include "formats/files.h"

#include "formats/file_io.h"
#include "formats/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 16384 };

trx_status trxi_io_fail(trx_context *context, const char *verb, const char *path)
{
    char reason[128];
    if (strerror_r(errno, reason, sizeof reason) != 0) strcpy(reason, "unknown error");
    return trxi_fail(context, TRX_ERR_IO, "cannot %s '%s': %s", verb, path, reason);
}

// appends the file to `text` until its end, or one chunk past the limit; false with errno set
static bool read_all(int fd, size_t limit, trxi_text *text)
{
    char chunk[CHUNK];
    while (text->length <= limit && text->status == TRX_OK) {
        ssize_t n = read(fd, chunk, sizeof chunk);
        if (n == 0) break;
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        trxi_text_append(text, chunk, (size_t)n);
    }
    return true;
}

trx_status trxi_file_read(trx_context *context, trxi_pool *pool, const char *path, size_t limit, char **bytes,
                          size_t *length)
{
    *bytes = NULL;
    *length = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return trxi_io_fail(context, "read", path);

    // the size of a regular file is known before it is read
    struct stat about;
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && (uintmax_t)about.st_size > limit) {
        close(fd);
        return trxi_error_at(context, (trx_source){path, 1, 1}, "the file is larger than %zu bytes: it has %jd", limit,
                             (intmax_t)about.st_size);
    }
    trxi_text text = trxi_text_create(context);
    bool ok = read_all(fd, limit, &text);
    trx_status status = ok ? text.status : trxi_io_fail(context, "read", path);
    close(fd);
    if (status == TRX_OK && text.length > limit)
        status = trxi_error_at(context, (trx_source){path, 1, 1}, "the file is larger than %zu bytes", limit);
    if (status == TRX_OK) {
        *bytes = trxi_pool_string(pool, trxi_text_get(&text), text.length);
        if (*bytes) *length = text.length;
        else status = TRX_ERR_MEMORY;
    }
    trxi_text_destroy(&text);
    return status;
}

bool trxi_write_all(const trxi_file_ops *ops, int fd, const void *bytes, size_t length)
{
    const char *next = bytes;
    while (length > 0) {
        ssize_t n = ops->write(ops->user, fd, next, length);
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) errno = EIO;
        if (n <= 0) return false;
        next += n;
        length -= (size_t)n;
    }
    return true;
}

bool trxi_flush_folder(const trxi_file_ops *ops, const char *path)
{
    int fd = ops->open(ops->user, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd < 0) return false;
    // some file systems cannot flush folders and return EINVAL
    bool ok = ops->fsync(ops->user, fd) == 0 || errno == EINVAL;
    int reason = errno;
    if (ops->close(ops->user, fd) != 0 && ok) return false;
    errno = reason;
    return ok;
}

trx_status trxi_target_find(trx_context *context, trxi_pool *pool, const char *path, trxi_target *target)
{
    *target = (trxi_target){0};
    char resolved[PATH_MAX];
    target->exists = realpath(path, resolved) != NULL;
    if (!target->exists && errno != ENOENT) return trxi_io_fail(context, "write", path);
    if (path[0] == '\0') return trxi_fail(context, TRX_ERR_ARGUMENT, "an empty path cannot be written to");
    const char *last = strrchr(path, '/');
    if (!target->exists && strcmp(last ? last + 1 : path, "..") == 0)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "'%s' cannot be written to: write a name after it", path);

    // without slashes and dots at the end: new/. is new
    const char *clean = target->exists ? resolved : path;
    size_t length = strlen(clean);
    while (length > 1 && (clean[length - 1] == '/' || (clean[length - 1] == '.' && clean[length - 2] == '/'))) length--;
    target->path = trxi_pool_string(pool, clean, length);
    if (!target->path) return TRX_ERR_MEMORY;

    const char *slash = strrchr(target->path, '/');
    target->name = slash ? target->path + (slash - target->path) + 1 : target->path;
    target->parent = slash ? trxi_pool_string(pool, target->path, slash > target->path ? (size_t)(slash - target->path) : 1)
                           : trxi_pool_string(pool, ".", 1);
    return target->parent ? TRX_OK : TRX_ERR_MEMORY;
}

// makes the folder and flushes its name in the folder above, whose path has `above` bytes
static trx_status make_parent(trx_context *context, trxi_pool *pool, const trxi_file_ops *ops, const char *path, size_t above,
                              trxi_target *target)
{
    if (ops->mkdir(ops->user, path, 0777) != 0) return trxi_io_fail(context, "create", path);
    const char *made = trxi_pool_string(pool, path, strlen(path));
    const char *holder = above > 0 ? trxi_pool_string(pool, path, above) : path[0] == '/' ? "/" : ".";
    if (!made || !holder) {
        rmdir(path);
        return TRX_ERR_MEMORY;
    }
    if (!target->made) target->made = made;
    return trxi_flush_folder(ops, holder) ? TRX_OK : trxi_io_fail(context, "create", path);
}

trx_status trxi_make_parents(trx_context *context, trxi_pool *pool, const trxi_file_ops *ops, trxi_target *target)
{
    char *partial = trxi_pool_string(pool, target->parent, strlen(target->parent));
    if (!partial) return TRX_ERR_MEMORY;
    for (char *end = partial; *end;) {
        // the path up to the next slash
        const size_t above = (size_t)(end - partial);
        end += strspn(end, "/");
        end += strcspn(end, "/");
        char next = *end;
        *end = '\0';
        struct stat info;
        if (partial[0] && stat(partial, &info) != 0) {
            trx_status status = errno == ENOENT ? make_parent(context, pool, ops, partial, above, target)
                                                : trxi_io_fail(context, "create", partial);
            if (status < 0) {
                trxi_remove_parents(target);
                return status;
            }
        }
        *end = next;
    }
    return TRX_OK;
}

void trxi_remove_parents(const trxi_target *target)
{
    if (!target->made) return;
    char partial[PATH_MAX];
    size_t length = strlen(target->parent), last = strlen(target->made);
    if (length >= sizeof partial) return;
    memcpy(partial, target->parent, length + 1);
    // from the innermost folder outwards, each only if empty
    while (length >= last) {
        rmdir(partial);
        while (length > 0 && partial[length - 1] != '/') length--;
        while (length > 0 && partial[length - 1] == '/') length--;
        partial[length] = '\0';
    }
}

char *trxi_temporary_path(trxi_pool *pool, const trxi_target *target, const char *word, int n)
{
    char number[16] = "";
    if (n > 0) snprintf(number, sizeof number, "-%d", n);
    return trxi_pool_printf(pool, "%s/.%s.%s-%ld%s", target->parent, target->name, word, (long)getpid(), number);
}

// writes and flushes the bytes under a new temporary name
static trx_status write_temporary(trx_context *context, trxi_pool *pool, const trxi_file_ops *ops,
                                  const trxi_target *target, const void *bytes, size_t length, char **temporary)
{
    int fd = -1;
    for (int n = 0; fd < 0 && n < TRXI_TEMPORARY_TRIES; n++) {
        *temporary = trxi_temporary_path(pool, target, "tmp", n);
        if (!*temporary) return TRX_ERR_MEMORY;
        fd = ops->open(ops->user, *temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST) break;
    }
    if (fd < 0) return trxi_io_fail(context, "create", *temporary);
    trx_status status = TRX_OK;
    const int lock = trxi_lock(*temporary);
    if (!trxi_write_all(ops, fd, bytes, length) || ops->fsync(ops->user, fd) != 0)
        status = trxi_io_fail(context, "write", target->path);
    if (ops->close(ops->user, fd) != 0 && status == TRX_OK) status = trxi_io_fail(context, "write", target->path);
    trxi_unlock(lock);
    if (status < 0) unlink(*temporary);
    return status;
}

static trx_status replace(trx_context *context, trxi_pool *pool, const trxi_file_ops *ops, const char *path,
                          const void *bytes, size_t length)
{
    trxi_target target;
    char *temporary;
    trx_status status = trxi_target_find(context, pool, path, &target);
    if (status < 0) return status;
    trxi_remove_leftovers(pool, &target);
    if ((status = trxi_make_parents(context, pool, ops, &target)) < 0) return status;
    status = write_temporary(context, pool, ops, &target, bytes, length, &temporary);
    if (status == TRX_OK && ops->rename(ops->user, temporary, target.path) != 0) {
        status = trxi_io_fail(context, "write", target.path);
        unlink(temporary);
    }
    if (status < 0) {
        trxi_remove_parents(&target);
        return status;
    }
    // the new file is now in place; after a power failure it may still be lost
    return trxi_flush_folder(ops, target.parent) ? TRX_OK : trxi_io_fail(context, "flush the folder of", target.path);
}

trx_status trxi_file_replace_with(trx_context *context, const trxi_file_ops *ops, const char *path,
                                  const void *bytes, size_t length)
{
    trxi_pool *pool = trxi_pool_create(context);
    if (!pool) return TRX_ERR_MEMORY;
    trx_status status = replace(context, pool, ops, path, bytes, length);
    trxi_pool_destroy(pool);
    return status;
}

trx_status trxi_file_replace(trx_context *context, const char *path, const void *bytes, size_t length)
{
    trxi_file_ops ops = trxi_file_ops_system();
    return trxi_file_replace_with(context, &ops, path, bytes, length);
}
