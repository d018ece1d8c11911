// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Messages, findings and memory.
//
// Findings are kept sorted by place as they arrive (errors first, then warnings, then notes), so printing needs no
// second pass. Their texts are in fixed slots inside the context. Recording a finding therefore needs no memory and
// cannot fail, also when memory is out.
//
// Texts of files and names of files are part of messages, and a terminal acts on control characters. Every control
// character of a message except a tab is therefore shown as \xNN.

#include "base/context.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_SIZE = 1024, MAX_FINDINGS = 128, FILE_SIZE = 512, ALIGNMENT = 64 };

typedef struct finding {
    trx_severity severity;
    int line, column;
    bool has_file;
    char file[FILE_SIZE];
    char text[MESSAGE_SIZE];
} finding;

struct trx_context {
    trx_context_settings settings;
    char message[MESSAGE_SIZE];
    finding findings[MAX_FINDINGS];
    int order[MAX_FINDINGS]; // findings sorted by severity and place
    int count;
    int errors; // all errors, kept or not
    int errors_before; // errors before the present call
    int held;   // calls in progress that keep their messages until their end
};

static void *default_allocate(size_t bytes, void *user)
{
    (void)user;
    return malloc(bytes);
}

static void default_release(void *memory, void *user)
{
    (void)user;
    free(memory);
}

trx_context_settings trx_context_settings_default(void)
{
    return (trx_context_settings){
        .size = sizeof(trx_context_settings),
        .allocator = {default_allocate, default_release, NULL},
        .max_errors = 20,
    };
}

// the aligned block starts at least ALIGNMENT bytes after the start of the allocator's block; the word before the aligned block
// points to the allocator's block
static void *allocate(const trx_allocator *allocator, size_t bytes)
{
    if (bytes > SIZE_MAX - 2 * ALIGNMENT) return NULL;
    bool own = allocator->allocate == default_allocate; // calloc's pages cost nothing until they are used
    void *raw = own ? calloc(1, bytes + 2 * ALIGNMENT) : allocator->allocate(bytes + 2 * ALIGNMENT, allocator->user);
    if (!raw) return NULL;
    uintptr_t aligned = ((uintptr_t)raw + 2 * ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
    void **block = (void **)aligned;
    block[-1] = raw;
    if (!own) memset(block, 0, bytes);
    return block;
}

trx_status trx_context_create(const trx_context_settings *settings, trx_context **context)
{
    if (!context) return TRX_ERR_ARGUMENT;
    *context = NULL;
    trx_context_settings chosen = settings ? *settings : trx_context_settings_default();
    bool usable = chosen.size == sizeof chosen && chosen.allocator.allocate && chosen.allocator.release;
    if (!usable || chosen.max_errors < 1 || chosen.max_errors > MAX_FINDINGS) return TRX_ERR_ARGUMENT;

    // the text of the cache folder follows the context in its memory
    const size_t text = chosen.cache ? strlen(chosen.cache) + 1 : 0;
    trx_context *made = allocate(&chosen.allocator, sizeof *made + text);
    if (!made) return TRX_ERR_MEMORY;
    made->settings = chosen;
    if (text > 0) made->settings.cache = memcpy(made + 1, chosen.cache, text);
    *context = made;
    return TRX_OK;
}

void trx_context_destroy(trx_context *context)
{
    if (!context) return;
    trx_allocator allocator = context->settings.allocator;
    trxi_release_with(&allocator, context);
}

const char *trx_context_message(const trx_context *context)
{
    return context->message;
}

int trx_context_diagnostic_count(const trx_context *context)
{
    return context->count;
}

trx_diagnostic trx_context_diagnostic(const trx_context *context, int index)
{
    if (index < 0 || index >= context->count) return (trx_diagnostic){TRX_NOTE, {NULL, 0, 0}, ""};
    const finding *f = &context->findings[context->order[index]];
    return (trx_diagnostic){f->severity, {f->has_file ? f->file : NULL, f->line, f->column}, f->text};
}

int trx_context_error_count(const trx_context *context)
{
    return context->errors;
}

void trx_context_clear(trx_context *context)
{
    context->message[0] = '\0';
    context->count = 0;
    context->errors = context->errors_before = 0;
}

const char *trxi_cache(const trx_context *context)
{
    return context->settings.cache;
}

void trxi_clear_message(trx_context *context)
{
    context->message[0] = '\0';
}

void trxi_begin(trx_context *context)
{
    if (context->held > 0) return;
    trxi_clear_message(context);
    context->errors_before = context->errors;
}

void trxi_hold_messages(trx_context *context)
{
    trxi_begin(context);
    context->held++;
}

void trxi_release_messages(trx_context *context)
{
    context->held--;
}

// bytes of the control character at `c`: below U+0020 except a tab, U+007F, U+0080 to U+009F in UTF-8; 0 for others
static int control_bytes(const unsigned char *c)
{
    if ((c[0] < 0x20 && c[0] != '\t') || c[0] == 0x7F) return 1;
    return c[0] == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0 ? 2 : 0;
}

// shows control characters as \xNN; a text that becomes too long is cut off
static void show_controls(char *text, size_t size)
{
    char shown[MESSAGE_SIZE];
    size_t length = 0;
    bool changed = false;
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        const int bytes = control_bytes(c);
        changed = changed || bytes > 0;
        if (length + (bytes > 0 ? 4 : 1) >= sizeof shown) break;
        if (bytes == 0) shown[length++] = (char)*c;
        else length += (size_t)snprintf(shown + length, 5, "\\x%02x", c[bytes - 1]);
        if (bytes == 2) c++;
    }
    shown[length] = '\0';
    if (changed) snprintf(text, size, "%.*s", (int)size - 1, shown);
}

trx_status trxi_fail(trx_context *context, trx_status status, const char *format, ...)
{
    if (!context) return status;
    va_list args;
    va_start(args, format);
    vsnprintf(context->message, sizeof context->message, format, args);
    va_end(args);
    show_controls(context->message, sizeof context->message);
    return status;
}

// severity, then file, line, column
static int compare(const finding *a, const finding *b)
{
    if (a->severity != b->severity) return a->severity < b->severity ? -1 : 1;
    int file = strcmp(a->file, b->file);
    if (file) return file;
    if (a->line != b->line) return a->line < b->line ? -1 : 1;
    return a->column < b->column ? -1 : a->column > b->column;
}

// index of a new finding, -1 when it is only counted. With too many errors or findings, the first in their order are kept, in
// whatever order they were found
static int free_slot(trx_context *context, const finding *made)
{
    int errors = 0;
    while (errors < context->count && context->findings[context->order[errors]].severity == TRX_ERROR) errors++;
    const bool too_many = made->severity == TRX_ERROR && errors == context->settings.max_errors;
    if (!too_many && context->count < MAX_FINDINGS) return context->count;

    const int place = (too_many ? errors : context->count) - 1, last = context->order[place];
    if (compare(made, &context->findings[last]) >= 0) return -1;
    context->count--;
    for (int i = place; i < context->count; i++) context->order[i] = context->order[i + 1];
    return last;
}

static void record(trx_context *context, trx_severity severity, trx_source source, const char *format,
                   va_list args)
{
    finding made = {.severity = severity, .line = source.line, .column = source.column};
    made.has_file = source.file != NULL;
    if (source.file) snprintf(made.file, sizeof made.file, "%s", source.file);
    vsnprintf(made.text, sizeof made.text, format, args);
    show_controls(made.file, sizeof made.file);
    show_controls(made.text, sizeof made.text);

    if (severity == TRX_ERROR && context->errors++ == context->errors_before) {
        if (made.has_file && made.line > 0)
            snprintf(context->message, sizeof context->message, "%.300s:%d:%d: %.640s", made.file, made.line,
                     made.column, made.text);
        else
            snprintf(context->message, sizeof context->message, "%s", made.text);
    }
    int slot = free_slot(context, &made);
    if (slot < 0) return;
    context->findings[slot] = made;

    // insertion keeps equal places in the order they were found
    int at = context->count++;
    for (; at > 0 && compare(&made, &context->findings[context->order[at - 1]]) < 0; at--)
        context->order[at] = context->order[at - 1];
    context->order[at] = slot;
}

trx_status trxi_error_at(trx_context *context, trx_source source, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    record(context, TRX_ERROR, source, format, args);
    va_end(args);
    return TRX_ERR_INPUT;
}

void trxi_warn_at(trx_context *context, trx_source source, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    record(context, TRX_WARNING, source, format, args);
    va_end(args);
}

void trxi_note_at(trx_context *context, trx_source source, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    record(context, TRX_NOTE, source, format, args);
    va_end(args);
}

void trxi_release_with(const trx_allocator *allocator, void *memory)
{
    if (memory) allocator->release(((void **)memory)[-1], allocator->user);
}

void *trxi_allocate(trx_context *context, size_t bytes)
{
    void *memory = allocate(&context->settings.allocator, bytes);
    if (!memory) trxi_fail(context, TRX_ERR_MEMORY, "out of memory (%zu bytes)", bytes);
    return memory;
}

void trxi_release(trx_context *context, void *memory)
{
    if (memory) trxi_release_with(&context->settings.allocator, memory);
}

const trx_allocator *trxi_allocator(const trx_context *context)
{
    return &context->settings.allocator;
}

trx_status trxi_check_size(trx_context *context, size_t size, size_t expected, const char *function)
{
    if (size == expected) return TRX_OK;
    return trxi_fail(context, TRX_ERR_ARGUMENT, "settings not initialized: start from %s()", function);
}
