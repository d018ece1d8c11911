// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See folders.h.

#define _XOPEN_SOURCE 700

#include "support/folders.h"

#include "formats/files.h"
#include "formats/text.h"
#include "support/support.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void remove_all(const char *path)
{
    DIR *folder = opendir(path);
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        char inner[1024];
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) remove_all(inner);
    }
    if (folder) closedir(folder);
    remove(path);
}

// appends the path, kind and bytes of everything below `path`, in order of names
static void add_snapshot(trxi_pool *pool, trxi_text *text, const char *path, size_t root)
{
    struct dirent **entries;
    int n = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char inner[1024];
        struct stat info;
        snprintf(inner, sizeof inner, "%s/%s", path, entries[i]->d_name);
        bool dots = !strcmp(entries[i]->d_name, ".") || !strcmp(entries[i]->d_name, "..");
        free(entries[i]);
        if (dots) continue;
        ck_assert_int_eq(lstat(inner, &info), 0);
        trxi_text_printf(text, "%s%s\n", inner + root, S_ISDIR(info.st_mode) ? "/" : "");
        if (S_ISDIR(info.st_mode)) add_snapshot(pool, text, inner, root);
        char *bytes;
        size_t length;
        if (!S_ISREG(info.st_mode)) continue;
        ck_assert_int_eq(trxi_file_read(text->context, pool, inner, 1 << 24, &bytes, &length), TRX_OK);
        trxi_text_append(text, bytes, length);
        trxi_text_char(text, '\n');
    }
    if (n >= 0) free(entries);
}

const char *snapshot_folder(trxi_pool *pool, trx_context *context, const char *path)
{
    trxi_text text = trxi_text_create(context);
    add_snapshot(pool, &text, path, strlen(path));
    const char *copy = trxi_pool_string(pool, trxi_text_get(&text), text.length);
    trxi_text_destroy(&text);
    return copy;
}

// ---- system calls that fail ----

static bool fails(void *user)
{
    faults *f = user;
    f->calls++;
    if (f->calls != f->fail_at && !(f->stays && f->fail_at && f->calls > f->fail_at)) return false;
    errno = f->reason;
    return true;
}

static int faulty_open(void *user, const char *path, int flags, mode_t mode)
{
    const faults *f = user;
    return fails(user) ? -1 : f->real.open(f->real.user, path, flags, mode);
}

static ssize_t faulty_write(void *user, int fd, const void *bytes, size_t length)
{
    const faults *f = user;
    if (fails(user)) return -1;
    return f->real.write(f->real.user, fd, bytes, f->short_writes && length > 3 ? 3 : length);
}

static int faulty_fsync(void *user, int fd)
{
    const faults *f = user;
    return fails(user) ? -1 : f->real.fsync(f->real.user, fd);
}

// a close that fails has closed all the same
static int faulty_close(void *user, int fd)
{
    const faults *f = user;
    f->real.close(f->real.user, fd);
    return fails(user) ? -1 : 0;
}

static int faulty_mkdir(void *user, const char *path, mode_t mode)
{
    const faults *f = user;
    return fails(user) ? -1 : f->real.mkdir(f->real.user, path, mode);
}

static int faulty_rename(void *user, const char *from, const char *to)
{
    const faults *f = user;
    return fails(user) ? -1 : f->real.rename(f->real.user, from, to);
}

static int faulty_exchange(void *user, const char *a, const char *b)
{
    const faults *f = user;
    if (f->no_exchange) {
        errno = ENOSYS;
        return -1;
    }
    return fails(user) ? -1 : f->real.exchange(f->real.user, a, b);
}

trxi_file_ops faulty_ops(faults *f)
{
    f->real = trxi_file_ops_system();
    return (trxi_file_ops){faulty_open,  faulty_write,  faulty_fsync,    faulty_close,
                           faulty_mkdir, faulty_rename, faulty_exchange, f};
}
