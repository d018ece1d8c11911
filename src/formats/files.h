// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Whole files in, whole files and run folders out. A reader never sees half of what is written: it is made
// under a temporary name beside the target (".NAME.tmp-PID"), flushed, and exchanged into place. On any failure
// what was there before is untouched, byte by byte, and the temporary is removed.

#ifndef TRXI_FORMATS_FILES_H
#define TRXI_FORMATS_FILES_H

#include "base/arena.h"
#include "formats/file_ops.h"

/// Reads the file at `path` into `pool`, with a terminating zero after its `*length` bytes. Errors: IO; INPUT
/// when it is larger than `limit` bytes; MEMORY.
trx_status trxi_file_read(trx_context *context, trxi_pool *pool, const char *path, size_t limit, char **bytes,
                          size_t *length);

/// Writes one file, replacing the old one atomically. Missing parent folders are created. Errors: IO, MEMORY.
trx_status trxi_file_replace(trx_context *context, const char *path, const void *bytes, size_t length);
trx_status trxi_file_replace_with(trx_context *context, const trxi_file_ops *ops, const char *path,
                                  const void *bytes, size_t length);

/// Whether a run may be written to `path`: nothing is there, or an empty folder, or a run (a folder with a
/// summary.json whose `versions` name tractrix). Otherwise ARGUMENT; IO when it cannot be examined.
trx_status trxi_folder_check(trx_context *context, const char *path);

/// A run folder being written.
typedef struct trxi_folder trxi_folder;

/// Checks the target (trxi_folder_check), creates missing parents and the temporary folder. Errors: ARGUMENT,
/// IO, MEMORY; then `*folder` is NULL and nothing is left behind.
trx_status trxi_folder_begin(trx_context *context, const char *path, trxi_folder **folder);
trx_status trxi_folder_begin_with(trx_context *context, const trxi_file_ops *ops, const char *path,
                                  trxi_folder **folder);

/// Writes the file `name` (no slash) of `length` bytes into the folder. A failure is sticky.
trx_status trxi_folder_put(trxi_folder *folder, const char *name, const void *bytes, size_t length);

/// The same in pieces; up to TRXI_FOLDER_FILES files are open at a time, each known by the number in `*file`.
enum { TRXI_FOLDER_FILES = 4 };
trx_status trxi_folder_open(trxi_folder *folder, const char *name, int *file);
trx_status trxi_folder_append(trxi_folder *folder, int file, const void *bytes, size_t length);
trx_status trxi_folder_close(trxi_folder *folder, int file);

/// Where the file `name` lies until the folder is in place; NULL when memory is out.
const char *trxi_folder_path(trxi_folder *folder, const char *name);

/// Puts the folder into place and destroys the object, also on failure. Errors: IO, ARGUMENT (the target became
/// something else), MEMORY, or the sticky failure.
trx_status trxi_folder_commit(trxi_folder *folder);

/// Removes the temporary folder and destroys the object; NULL is accepted.
void trxi_folder_abort(trxi_folder *folder);

#endif
