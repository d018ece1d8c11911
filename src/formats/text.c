// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The text sink; see text.h. Memory doubles when it is full, so n bytes cost O(n) copies.

#include "formats/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 256 };

trxi_text trxi_text_create(trx_context *context)
{
    return (trxi_text){.context = context};
}

void trxi_text_destroy(trxi_text *text)
{
    trxi_release(text->context, text->data);
    *text = trxi_text_create(text->context);
}

void trxi_text_clear(trxi_text *text)
{
    text->length = 0;
    text->status = TRX_OK;
    if (text->data) text->data[0] = '\0';
}

// room for `more` bytes and the terminating zero; false (sticky) when memory is out
static bool reserve(trxi_text *text, size_t more)
{
    if (text->status != TRX_OK) return false;
    if (more < text->capacity - text->length) return true;
    if (more > SIZE_MAX / 4 - text->length) {
        text->status = trxi_fail(text->context, TRX_ERR_MEMORY, "out of memory (%zu bytes)", more);
        return false;
    }
    size_t capacity = text->capacity ? 2 * text->capacity : FIRST_CAPACITY;
    while (capacity <= text->length + more) capacity *= 2;
    char *data = trxi_allocate(text->context, capacity);
    if (!data) {
        text->status = TRX_ERR_MEMORY;
        return false;
    }
    if (text->length) memcpy(data, text->data, text->length);
    trxi_release(text->context, text->data);
    text->data = data;
    text->capacity = capacity;
    return true;
}

void trxi_text_append(trxi_text *text, const void *bytes, size_t length)
{
    if (length == 0 || !reserve(text, length)) return;
    memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void trxi_text_string(trxi_text *text, const char *string)
{
    trxi_text_append(text, string, strlen(string));
}

void trxi_text_char(trxi_text *text, char c)
{
    trxi_text_append(text, &c, 1);
}

void trxi_text_repeat(trxi_text *text, char c, int count)
{
    for (int i = 0; i < count; i++) trxi_text_char(text, c);
}

void trxi_text_printf(trxi_text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length > 0 && reserve(text, (size_t)length)) {
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void trxi_text_number(trxi_text *text, double number)
{
    if (!isfinite(number)) {
        trxi_text_string(text, isnan(number) ? "nan" : number > 0 ? "inf" : "-inf");
        return;
    }
    // integers of moderate size, the most frequent case, need no search
    char digits[64];
    if (number == (double)(int)fmax(fmin(number, 1e6), -1e6) && (number != 0 || !signbit(number))) {
        trxi_text_int(text, (int)number);
        return;
    }
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, number);
        if (strtod(digits, NULL) == number) break;
    }
    // replaces the locale's decimal point by "."
    for (const char *c = digits; *c; c++) {
        if (strchr("+-0123456789e", *c)) {
            trxi_text_char(text, *c);
        } else {
            trxi_text_char(text, '.');
            while (c[1] && !strchr("0123456789", c[1])) c++;
        }
    }
}

void trxi_text_int(trxi_text *text, int number)
{
    trxi_text_printf(text, "%d", number);
}

void trxi_text_cells(trxi_text *text, const double *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        trxi_text_char(text, ',');
        if (isfinite(numbers[i])) trxi_text_number(text, numbers[i]);
    }
}

void trxi_text_quoted(trxi_text *text, const char *cell)
{
    trxi_text_char(text, '"');
    for (; *cell; cell++) {
        if (*cell == '"') trxi_text_char(text, '"');
        trxi_text_char(text, *cell == '\n' ? ' ' : *cell);
    }
    trxi_text_char(text, '"');
}

const char *trxi_text_get(const trxi_text *text)
{
    return text->data ? text->data : "";
}
