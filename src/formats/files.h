// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Reading of whole files; writing of whole files and run folders. A reader never sees a half-written file: the file is
// written under a temporary name beside the target (".NAME.tmp-PID"), flushed, and exchanged into place. On a failure
// before the exchange, the old target is unchanged, byte by byte, and the temporary file is removed. After the exchange
// only the flush of the parent folder can fail: a run folder is then exchanged back, a single file stays replaced.

#ifndef TRXI_FORMATS_FILES_H
#define TRXI_FORMATS_FILES_H

#include "base/arena.h"
#include "formats/file_ops.h"
#include "formats/text.h"

/// Reads the file at `path` into `pool`, with a terminating zero after its `*length` bytes. Errors: IO; INPUT when
/// the file is larger than `limit` bytes; MEMORY.
trx_status trxi_file_read(trx_context *context, trxi_pool *pool, const char *path, size_t limit, char **bytes,
                          size_t *length);

/// Writes one file, replacing the old one atomically. Missing parent folders are created. Errors: ARGUMENT (no name for a file in
/// `path`), IO, MEMORY.
trx_status trxi_file_replace(trx_context *context, const char *path, const void *bytes, size_t length);
trx_status trxi_file_replace_with(trx_context *context, const trxi_file_ops *ops, const char *path,
                                  const void *bytes, size_t length);

/// Checks that a run may be written to `path`: the path does not exist, or is an empty folder or a run (a folder
/// with a summary.json whose `versions` name tractrix). Errors: ARGUMENT; IO when the path cannot be examined.
trx_status trxi_folder_check(trx_context *context, const char *path);

/// A run folder being written.
typedef struct trxi_folder trxi_folder;

/// Checks the target (trxi_folder_check), creates missing parents and the temporary folder. Errors: ARGUMENT, IO,
/// MEMORY; then `*folder` is NULL and nothing was created.
trx_status trxi_folder_begin(trx_context *context, const char *path, trxi_folder **folder);
trx_status trxi_folder_begin_with(trx_context *context, const trxi_file_ops *ops, const char *path,
                                  trxi_folder **folder);

/// Writes the file `name` (no slash) of `length` bytes into the folder. After a failure, later calls fail too.
trx_status trxi_folder_put(trxi_folder *folder, const char *name, const void *bytes, size_t length);

/// Like trxi_folder_put with the bytes of a text. A text whose memory ran out is refused with its status, MEMORY.
trx_status trxi_folder_put_text(trxi_folder *folder, const char *name, const trxi_text *text);

/// Writes a file in pieces. Up to TRXI_FOLDER_FILES files can be open; the number in `*file` identifies a file.
enum { TRXI_FOLDER_FILES = 4 };
trx_status trxi_folder_open(trxi_folder *folder, const char *name, int *file);
trx_status trxi_folder_append(trxi_folder *folder, int file, const void *bytes, size_t length);
trx_status trxi_folder_close(trxi_folder *folder, int file);

/// Path of the file `name` before the folder is in place; NULL when memory is out.
const char *trxi_folder_path(trxi_folder *folder, const char *name);

/// Puts the folder into place and destroys the object, also on failure. Errors: IO, ARGUMENT (the target is no run
/// any more), MEMORY, or an earlier failure.
trx_status trxi_folder_commit(trxi_folder *folder);

/// Removes the temporary folder and destroys the object; NULL is accepted.
void trxi_folder_abort(trxi_folder *folder);

#endif
