// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A growing sequence of bytes, used for all output of the toolkit. After a failure to allocate, the text keeps its
// bytes, further calls do nothing, and `status` reports the failure.

#ifndef TRXI_FORMATS_TEXT_H
#define TRXI_FORMATS_TEXT_H

#include "base/context.h"

typedef struct trxi_text {
    trx_context *context;
    char *data;        // `length` bytes and a terminating zero; NULL before the first byte
    size_t length;     // bytes written
    size_t capacity;   // bytes allocated
    trx_status status; // TRX_OK or TRX_ERR_MEMORY
} trxi_text;

/// An empty text on the context's allocator.
trxi_text trxi_text_create(trx_context *context);

/// Releases the bytes; the text is empty afterwards and can be used again.
void trxi_text_destroy(trxi_text *text);

/// Clears the bytes and a failure but keeps the memory.
void trxi_text_clear(trxi_text *text);

void trxi_text_append(trxi_text *text, const void *bytes, size_t length);
void trxi_text_string(trxi_text *text, const char *string);
void trxi_text_char(trxi_text *text, char c);

/// `count` times the character `c`.
void trxi_text_repeat(trxi_text *text, char c, int count);

/// printf. Floating-point conversions follow the locale. Use trxi_text_number for numbers that are read again.
void trxi_text_printf(trxi_text *text, const char *format, ...) TRXI_PRINTF(2, 3);

/// The shortest of 15, 16, 17 digits that restores the same double; "nan", "inf", "-inf" otherwise.
void trxi_text_number(trxi_text *text, double number);

void trxi_text_int(trxi_text *text, int number);

/// Cells of a table: a comma and a number each; inf and nan are empty.
void trxi_text_cells(trxi_text *text, const double *numbers, int count);

/// A text as one cell of a table: in quotes, inner quotes doubled, line ends as blanks.
void trxi_text_quoted(trxi_text *text, const char *cell);

/// The bytes as a string; "" when nothing was written.
const char *trxi_text_get(const trxi_text *text);

#endif
