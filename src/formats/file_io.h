// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Common steps of writing single files and run folders; private to files.c and folder.c. Functions that return
// TRX_ERR_IO set a message with the path and the system's reason.

#ifndef TRXI_FORMATS_FILE_IO_H
#define TRXI_FORMATS_FILE_IO_H

#include "base/arena.h"
#include "formats/file_ops.h"

/// "VERB 'PATH': reason", from errno.
trx_status trxi_io_fail(trx_context *context, const char *verb, const char *path);

/// Writes all bytes, also after partial writes and interrupts; false with errno set.
bool trxi_write_all(const trxi_file_ops *ops, int fd, const void *bytes, size_t length);

/// Flushes the entries of the folder at `path`; false with errno set.
bool trxi_flush_folder(const trxi_file_ops *ops, const char *path);

/// The place of a target: `path` with symbolic links resolved if the target exists.
typedef struct trxi_target {
    char *path;       // cleaned
    char *parent;     // its folder, "." if it has none
    char *name;       // its last component
    const char *made; // the uppermost parent created by trxi_make_parents, NULL if none
    bool exists;
} trxi_target;

/// Splits and resolves `path`. Errors: ARGUMENT for "", IO, MEMORY.
trx_status trxi_target_find(trx_context *context, trxi_pool *pool, const char *path, trxi_target *target);

/// Creates the missing parents. Errors: IO, MEMORY; created parents are then removed again.
trx_status trxi_make_parents(trx_context *context, trxi_pool *pool, const trxi_file_ops *ops, trxi_target *target);

/// Removes the parents that trxi_make_parents created, if they are empty.
void trxi_remove_parents(const trxi_target *target);

/// PARENT/.NAME.WORD-PID[-n]; NULL when memory is out.
char *trxi_temporary_path(trxi_pool *pool, const trxi_target *target, const char *word, int n);

/// leftovers.c: removes the temporary files and folders of the target that killed processes have left.
void trxi_remove_leftovers(trxi_pool *pool, const trxi_target *target);

/// leftovers.c: locks a temporary file or folder, so that other processes know that it is in use. Returns -1 when another process
/// has the lock or the path cannot be opened. On a file system without locks the result is not a lock, but not -1 either.
int trxi_lock(const char *path);
void trxi_unlock(int lock);

/// leftovers.c: removes a file or a folder with its contents, without following links; false if something remains.
bool trxi_remove_tree(int parent, const char *name);

/// "." or "..".
bool trxi_is_dots(const char *name);

/// Number of names tried for a temporary file.
enum { TRXI_TEMPORARY_TRIES = 100 };

#endif
