// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Internal interface of the context: messages, findings with their places, memory.

#ifndef TRXI_BASE_CONTEXT_H
#define TRXI_BASE_CONTEXT_H

#include <stdbool.h>
#include <tractrix/context.h>

#if defined(__GNUC__) || defined(__clang__)
#define TRXI_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define TRXI_PRINTF(fmt, args)
#endif

/// Begins a call of the library: clears the message of an earlier call; the first input error of this call becomes the message.
/// Does nothing within a call that keeps its messages (trxi_hold_messages).
void trxi_begin(trx_context *context);

/// Begins a call that makes other calls of the library and keeps the messages of all of them. trxi_release_messages ends it.
void trxi_hold_messages(trx_context *context);
void trxi_release_messages(trx_context *context);

/// Clears the message, for a caller that has dealt with a failure. Findings stay.
void trxi_clear_message(trx_context *context);

/// Sets the message and returns `status`, so a failure is one statement. Without a context it only returns.
trx_status trxi_fail(trx_context *context, trx_status status, const char *format, ...) TRXI_PRINTF(3, 4);

/// Records an error of the input at `source` and returns TRX_ERR_INPUT. Reading continues, so one run reports all
/// errors. The first error also becomes the message.
trx_status trxi_error_at(trx_context *context, trx_source source, const char *format, ...) TRXI_PRINTF(3, 4);

/// Records a warning or a note at `source`.
void trxi_warn_at(trx_context *context, trx_source source, const char *format, ...) TRXI_PRINTF(3, 4);
void trxi_note_at(trx_context *context, trx_source source, const char *format, ...) TRXI_PRINTF(3, 4);

/// 64-byte aligned, zeroed memory from the context's allocator; NULL (message set) when memory is out. `trxi_release`
/// accepts NULL.
void *trxi_allocate(trx_context *context, size_t bytes);
void trxi_release(trx_context *context, void *memory);

/// Releases with a copy of the allocator, for objects that outlive the context (constant models).
void trxi_release_with(const trx_allocator *allocator, void *memory);

const trx_allocator *trxi_allocator(const trx_context *context);

/// The cache folder of the context's settings, NULL when there is none.
const char *trxi_cache(const trx_context *context);

/// Checks the first field of a settings struct; `function` names the default function in the message.
trx_status trxi_check_size(trx_context *context, size_t size, size_t expected, const char *function);

#endif
