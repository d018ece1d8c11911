// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The system calls for writing, as a table, so that a test can make any of them fail. Each returns -1 and sets
// errno on failure.

#ifndef TRXI_FORMATS_FILE_OPS_H
#define TRXI_FORMATS_FILE_OPS_H

#include <sys/types.h>

typedef struct trxi_file_ops {
    int (*open)(void *user, const char *path, int flags, mode_t mode);
    ssize_t (*write)(void *user, int fd, const void *bytes, size_t length);
    int (*fsync)(void *user, int fd);
    int (*close)(void *user, int fd);
    int (*mkdir)(void *user, const char *path, mode_t mode);
    int (*rename)(void *user, const char *from, const char *to);
    int (*exchange)(void *user, const char *a, const char *b); // atomic swap; ENOSYS or EINVAL: not available
    void *user;
} trxi_file_ops;

/// The table with the system's own calls.
trxi_file_ops trxi_file_ops_system(void);

#endif
