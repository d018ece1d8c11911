// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The system's calls behind the table of file_ops.h. The atomic exchange of two names is Linux's renameat2;
// elsewhere, and on file systems that lack it, callers fall back to two renames.

#define _GNU_SOURCE

#include "formats/file_ops.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int system_open(void *user, const char *path, int flags, mode_t mode)
{
    (void)user;
    return open(path, flags, mode);
}

static ssize_t system_write(void *user, int fd, const void *bytes, size_t length)
{
    (void)user;
    return write(fd, bytes, length);
}

static int system_fsync(void *user, int fd)
{
    (void)user;
    return fsync(fd);
}

static int system_close(void *user, int fd)
{
    (void)user;
    return close(fd);
}

static int system_mkdir(void *user, const char *path, mode_t mode)
{
    (void)user;
    return mkdir(path, mode);
}

static int system_rename(void *user, const char *from, const char *to)
{
    (void)user;
    return rename(from, to);
}

static int system_exchange(void *user, const char *a, const char *b)
{
    (void)user;
#ifdef RENAME_EXCHANGE
    return renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE);
#else
    (void)a;
    (void)b;
    errno = ENOSYS;
    return -1;
#endif
}

trxi_file_ops trxi_file_ops_system(void)
{
    return (trxi_file_ops){system_open,  system_write,  system_fsync,    system_close,
                           system_mkdir, system_rename, system_exchange, NULL};
}
