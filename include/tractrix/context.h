// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A context holds the state that would otherwise be global: the allocator, the findings about the input, and the message of the
// last call that failed. One context per thread. The library itself never prints or exits.

#ifndef TRACTRIX_CONTEXT_H
#define TRACTRIX_CONTEXT_H

#include <stddef.h>
#include <tractrix/export.h>
#include <tractrix/status.h>

TRX_BEGIN_C

/// Place of a definition or a finding. `file` is NULL for definitions made in code. Lines and columns count from 1
/// (columns in bytes); 0 means unknown.
typedef struct trx_source {
    const char *file;
    int line;
    int column;
} trx_source;

/// Memory functions used for everything the library allocates. `allocate` returns NULL on failure and
/// needs no particular alignment beyond malloc's; `release` accepts NULL.
typedef struct trx_allocator {
    void *(*allocate)(size_t bytes, void *user);
    void (*release)(void *memory, void *user);
    void *user;
} trx_allocator;

typedef enum trx_severity { TRX_ERROR = 0, TRX_WARNING = 1, TRX_NOTE = 2 } trx_severity;

/// One finding about the input: its place and its text (the mistake, and a correction).
typedef struct trx_diagnostic {
    trx_severity severity;
    trx_source source;
    const char *text; // owned by the context
} trx_diagnostic;

typedef struct trx_context trx_context;

typedef struct trx_context_settings {
    size_t size;             // sizeof(trx_context_settings), set by the default function
    trx_allocator allocator; // default: malloc and free
    int max_errors;          // number of kept errors, at most 128; further errors in file order are only counted [1]
    // folder for results that take long to compute: convex parts of meshes. It is created when needed, and may be shared and
    // removed at any time; NULL (default): nothing is kept. The context copies the text
    const char *cache;
} trx_context_settings;

TRX_API trx_context_settings trx_context_settings_default(void);

/// Creates a context. `settings` may be NULL for the defaults. Errors: ARGUMENT, MEMORY.
TRX_API trx_status trx_context_create(const trx_context_settings *settings, trx_context **context);

/// Destroys a context; NULL is accepted. Objects made with it must be destroyed first.
TRX_API void trx_context_destroy(trx_context *context);

/// The message of the last call that failed, "" when there was none. A call that fails sets its own message or leaves "", never
/// the message of an earlier call. Valid until the next call with the context.
TRX_API const char *trx_context_message(const trx_context *context);

/// Findings since the last trx_context_clear: errors, then warnings, then notes, each in file order.
TRX_API int trx_context_diagnostic_count(const trx_context *context);
TRX_API trx_diagnostic trx_context_diagnostic(const trx_context *context, int index);

/// Number of errors found, including errors beyond `max_errors`.
TRX_API int trx_context_error_count(const trx_context *context);

/// Forgets message and findings.
TRX_API void trx_context_clear(trx_context *context);

/// Number of bytes, 1 to 4, of the character at `text` in UTF-8 (RFC 3629), or 0 when the bytes there are not UTF-8. Reads up to
/// the first wrong byte only, so a terminating zero is never passed.
TRX_API int trx_utf8_length(const char *text);

/// Seconds of a monotonic clock with an arbitrary zero [s].
TRX_API double trx_clock(void);

TRX_END_C

#endif
