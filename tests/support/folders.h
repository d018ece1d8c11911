// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Common parts of the tests of files and folders: listings of a folder's whole content, its removal, and system calls that fail on
// request.

#ifndef TESTS_SUPPORT_FOLDERS_H
#define TESTS_SUPPORT_FOLDERS_H

#include "base/arena.h"
#include "formats/file_ops.h"

#include <stdbool.h>

/// Removes `path` and everything below it, if it exists.
void remove_all(const char *path);

/// Paths, kinds and bytes of everything below `path`, in order of names, as one text in `pool`.
const char *snapshot_folder(trxi_pool *pool, trx_context *context, const char *path);

/// The system's calls, counted. One call fails, or all calls from a number on.
typedef struct faults {
    trxi_file_ops real;
    int calls;
    int fail_at;      // number of the call that fails, counting from 1
    bool stays;       // all calls after it fail, too
    int reason;       // errno of the failure
    bool no_exchange; // names cannot be exchanged
    bool short_writes;
} faults;

/// Calls that go through `f`, which must outlive them.
trxi_file_ops faulty_ops(faults *f);

#endif
