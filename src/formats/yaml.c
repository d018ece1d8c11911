// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// From text to tree, on the events of libyaml; see yaml.h.
//
// The parser uses libyaml's events, not its document tree: the tree takes quadratic time on nested text, and it
// resolves features that this subset refuses. Two limits keep the time linear. The depth is limited while events
// arrive (libyaml scans at most 1024 characters ahead). Runs of blanks are limited before parsing, because libyaml
// clears a buffer as long as the longest run at every line that it folds.
//
// After an error of the subset (an alias, a repeated key) parsing continues, so one run reports all such errors
// (the first MAX_ERRORS). An error of syntax or depth ends parsing.

#include "base/utf8.h"
#include "formats/yaml.h"

#include "formats/files.h"
#include "formats/scalar.h"
#include "formats/yaml_node.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

enum { MAX_BLANKS = 1024, MAX_ERRORS = 100 };

typedef struct reader {
    trx_context *context;
    trxi_pool *pool;
    yaml_parser_t parser;
    const char *file;
    const char *text;
    size_t length;
    int first_column;     // where the text begins in its line, counted from 0
    bool record;          // errors become findings; otherwise the first becomes the message
    int errors;
    bool out_of_memory;
    size_t index, offset; // cursor: characters and bytes before it
    size_t line_start;    // byte where its line begins
} reader;

// moves the cursor to the mark: libyaml counts characters, places count bytes. Marks go back only for events that
// begin together; an earlier mark keeps libyaml's column, which is the same in ASCII
static trx_source place(reader *r, yaml_mark_t mark)
{
    int begin = mark.line == 0 ? r->first_column + 1 : 1;
    trx_source source = {r->file, (int)mark.line + 1, begin + (int)mark.column};
    if (mark.index < r->index) return source;
    for (; r->index < mark.index && r->offset < r->length; r->index++) {
        char c = r->text[r->offset++];
        if (c == '\n' || c == '\r') r->line_start = r->offset;
        while (r->offset < r->length && (r->text[r->offset] & 0xC0) == 0x80) r->offset++;
    }
    if (mark.column > 0) source.column = begin + (int)(r->offset - r->line_start);
    return source;
}

static void report(reader *r, trx_source at, const char *what, const char *detail)
{
    if (r->errors >= MAX_ERRORS) return;
    if (r->record)
        trxi_error_at(r->context, at, "%s%.200s", what, detail);
    else if (r->errors == 0)
        trxi_fail(r->context, TRX_ERR_ARGUMENT, "%.300s:%d:%d: %s%.200s", r->file, at.line, at.column, what, detail);
    r->errors++;
}

// line and column of a byte
static trx_source place_of_byte(const reader *r, size_t offset)
{
    trx_source source = {r->file, 1, r->first_column + 1};
    for (size_t i = 0; i < offset && i < r->length; i++) {
        source.column++;
        if (r->text[i] == '\n') source.line++, source.column = 1;
    }
    return source;
}

// characters that YAML allows to be written as they are
static bool is_printable(uint32_t c)
{
    return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c < 0x7F) || c == 0x85 ||
           (c >= 0xA0 && c != 0xFEFF && c != 0xFFFE && c != 0xFFFF);
}

static bool is_space(uint32_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029;
}

// one pass before parsing: size, UTF-8, control characters, runs of blanks
static bool check_characters(reader *r)
{
    if (r->length > TRXI_YAML_MAX_SIZE) {
        report(r, (trx_source){r->file, 1, 1}, "the text is larger than 16 MiB", "");
        return false;
    }
    int blanks = 0;
    for (size_t at = 0; at < r->length;) {
        // a character at the very end is decoded from a copy, which ends in zero
        char tail[5] = "";
        const char *next = r->text + at;
        if (r->length - at < 4) next = memcpy(tail, next, r->length - at);
        uint32_t c = 0;
        int length = trxi_utf8_decode(next, &c);
        blanks = is_space(c) ? blanks + 1 : 0;
        const char *problem = length == 0                ? "this is not UTF-8: save the file as UTF-8"
                              : !is_printable(c)         ? "a control character"
                              : blanks > MAX_BLANKS      ? "more than 1024 blanks in a row"
                                                         : NULL;
        if (problem) {
            report(r, place_of_byte(r, at), problem, "");
            return false;
        }
        at += (size_t)length;
    }
    return true;
}

// libyaml's error text, at libyaml's place
static void report_syntax(reader *r)
{
    const yaml_parser_t *p = &r->parser;
    if (p->error == YAML_MEMORY_ERROR) {
        r->out_of_memory = true;
        trxi_fail(r->context, TRX_ERR_MEMORY, "out of memory while reading %.300s", r->file);
        return;
    }
    char text[320] = "invalid YAML";
    if (p->problem) snprintf(text, sizeof text, "%.120s", p->problem);
    if (p->problem && p->context)
        snprintf(text, sizeof text, "%.120s, %.120s that begins on line %zu", p->problem, p->context,
                 p->context_mark.line + 1);
    // better texts for the most frequent errors
    trx_source at = place(r, p->problem_mark);
    bool stray = p->problem && strstr(p->problem, "cannot start any token") && r->offset < r->length;
    if (stray && r->text[r->offset] == '\t')
        report(r, at, "a tab cannot indent: use blanks", "");
    else if (stray)
        report(r, at, "text cannot begin with this character: put it in quotes", "");
    else
        report(r, at, text, "");
}

// the next event; false when there is none (reported)
static bool next_event(reader *r, yaml_event_t *event)
{
    if (yaml_parser_parse(&r->parser, event)) return true;
    report_syntax(r);
    return false;
}

// a fresh node; NULL when memory is out
static trxi_yaml_node *make_node(reader *r, trxi_yaml_kind kind, trx_source source)
{
    trxi_yaml_node *node = trxi_yaml_make(r->pool, kind, source);
    if (!node) r->out_of_memory = true;
    return node;
}

// adds a child, with its key if the node is a mapping; false when memory is out
static bool add_child(reader *r, trxi_yaml_node *node, trxi_yaml_node *child, const char *key, trx_source at)
{
    if (trxi_yaml_add(r->pool, node, child, key, at)) return true;
    r->out_of_memory = true;
    return false;
}

// text of a scalar event
static const char *scalar_text(reader *r, const yaml_event_t *event, trx_source at)
{
    const char *value = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (memchr(value, '\0', length)) report(r, at, "text with a zero character", "");
    const char *text = trxi_pool_string(r->pool, value, length);
    if (!text) r->out_of_memory = true;
    return text;
}

// features that this subset refuses on any node
static void check_properties(reader *r, trx_source at, const yaml_char_t *anchor, const yaml_char_t *tag)
{
    if (anchor) report(r, at, "anchors are not supported: write the value where it is used", "");
    if (tag) report(r, at, "tags are not supported: ", (const char *)tag);
}

static trxi_yaml_node *read_node(reader *r, yaml_event_t *event, int depth);

// items up to the end of the sequence; false when parsing cannot go on
static bool read_items(reader *r, trxi_yaml_node *node, int depth)
{
    for (;;) {
        yaml_event_t event;
        if (!next_event(r, &event)) return false;
        if (event.type == YAML_SEQUENCE_END_EVENT) {
            yaml_event_delete(&event);
            return true;
        }
        trxi_yaml_node *item = read_node(r, &event, depth + 1);
        if (!item || !add_child(r, node, item, NULL, item->source)) return false;
    }
}

// takes the event of a key; NULL when the event is no key or memory is out
static const char *read_key(reader *r, yaml_event_t *event, trx_source at)
{
    const char *key = NULL;
    if (event->type != YAML_SCALAR_EVENT) {
        report(r, at, "a key must be a name", "");
    } else {
        check_properties(r, at, event->data.scalar.anchor, event->data.scalar.tag);
        bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
        if (event->data.scalar.length > TRXI_YAML_MAX_KEY) report(r, at, "a key of more than 200 bytes", "");
        key = scalar_text(r, event, at);
        if (key && plain && strcmp(key, "<<") == 0) report(r, at, "merge keys are not supported: write the keys out", "");
        if (key && plain && key[0] == '\0') report(r, at, "a value without its key", "");
    }
    yaml_event_delete(event);
    return key;
}

static bool check_duplicates(reader *r, const trxi_yaml_node *node)
{
    if (node->count < 2) return true;
    const int *first = trxi_first_equal(r->pool, node->keys, node->count);
    r->out_of_memory = r->out_of_memory || !first;
    for (int i = 0; first && i < node->count; i++) {
        if (first[i] == i) continue;
        char what[64];
        snprintf(what, sizeof what, "this key is already on line %d: ", node->key_sources[first[i]].line);
        report(r, node->key_sources[i], what, node->keys[i]);
    }
    return first != NULL;
}

// keys and values up to the end of the mapping; false when parsing cannot go on
static bool read_pairs(reader *r, trxi_yaml_node *node, int depth)
{
    for (;;) {
        yaml_event_t event;
        if (!next_event(r, &event)) return false;
        if (event.type == YAML_MAPPING_END_EVENT) {
            yaml_event_delete(&event);
            return check_duplicates(r, node);
        }
        trx_source at = place(r, event.start_mark);
        const char *key = read_key(r, &event, at);
        if (!key || !next_event(r, &event)) return false;
        trxi_yaml_node *value = read_node(r, &event, depth + 1);
        if (!value || !add_child(r, node, value, key, at)) return false;
    }
}

static trxi_yaml_node *read_scalar(reader *r, const yaml_event_t *event, trx_source at)
{
    check_properties(r, at, event->data.scalar.anchor, event->data.scalar.tag);
    trxi_yaml_node *node = make_node(r, TRXI_YAML_SCALAR, at);
    if (!node) return NULL;
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    node->text = scalar_text(r, event, at);
    return node->text ? node : NULL;
}

static trxi_yaml_node *read_collection(reader *r, const yaml_event_t *event, trx_source at, int depth)
{
    bool mapping = event->type == YAML_MAPPING_START_EVENT;
    check_properties(r, at, mapping ? event->data.mapping_start.anchor : event->data.sequence_start.anchor,
                     mapping ? event->data.mapping_start.tag : event->data.sequence_start.tag);
    if (depth >= TRXI_YAML_MAX_DEPTH) {
        report(r, at, "more than 64 levels of nesting", "");
        return NULL;
    }
    trxi_yaml_node *node = make_node(r, mapping ? TRXI_YAML_MAPPING : TRXI_YAML_SEQUENCE, at);
    if (!node) return NULL;
    return (mapping ? read_pairs(r, node, depth) : read_items(r, node, depth)) ? node : NULL;
}

// takes the event that begins a node and all events up to its end; NULL when parsing cannot go on
static trxi_yaml_node *read_node(reader *r, yaml_event_t *event, int depth)
{
    trx_source at = place(r, event->start_mark);
    trxi_yaml_node *node = NULL;
    if (event->type == YAML_SCALAR_EVENT) {
        node = read_scalar(r, event, at);
    } else if (event->type == YAML_ALIAS_EVENT) {
        report(r, at, "aliases are not supported: write the value out", "");
        node = make_node(r, TRXI_YAML_SCALAR, at);
    } else {
        node = read_collection(r, event, at, depth);
    }
    yaml_event_delete(event);
    return node;
}

// the events around the one document
static trxi_yaml_node *read_document(reader *r)
{
    yaml_event_t event;
    if (!next_event(r, &event)) return NULL; // stream start
    yaml_event_delete(&event);
    if (!next_event(r, &event)) return NULL; // document start
    bool empty = event.type != YAML_DOCUMENT_START_EVENT;
    bool tags = !empty && event.data.document_start.tag_directives.start != event.data.document_start.tag_directives.end;
    trx_source at = place(r, event.start_mark);
    yaml_event_delete(&event);
    if (tags) report(r, at, "%TAG directives are not supported", "");
    if (empty) report(r, at, "there is nothing in this text", "");
    if (empty || !next_event(r, &event)) return NULL;

    trxi_yaml_node *root = read_node(r, &event, 0);
    if (!root || !next_event(r, &event)) return NULL; // document end
    yaml_event_delete(&event);
    if (!next_event(r, &event)) return NULL;
    if (event.type != YAML_STREAM_END_EVENT)
        report(r, place(r, event.start_mark), "a second document: only one is read from a file", "");
    yaml_event_delete(&event);
    return root;
}

trx_status trxi_yaml_parse_within(trx_context *context, trxi_pool *pool, const char *file, const char *text,
                                  size_t length, int first_column, bool record, trxi_yaml_node **root)
{
    *root = NULL;
    reader r = {.context = context, .pool = pool, .text = text, .length = length};
    r.first_column = first_column;
    r.record = record;
    r.file = trxi_pool_string(pool, file, strlen(file));
    if (!r.file) return TRX_ERR_MEMORY;

    // a byte order mark is not part of a line
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) r.text += 3, r.length -= 3;
    trxi_yaml_node *made = NULL;
    if (check_characters(&r)) {
        if (!yaml_parser_initialize(&r.parser)) return trxi_fail(context, TRX_ERR_MEMORY, "out of memory");
        yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
        yaml_parser_set_input_string(&r.parser, (const unsigned char *)r.text, r.length);
        made = read_document(&r);
        yaml_parser_delete(&r.parser);
    }
    if (r.out_of_memory) return TRX_ERR_MEMORY;
    if (r.errors) return record ? TRX_ERR_INPUT : TRX_ERR_ARGUMENT;
    *root = made;
    return TRX_OK;
}

trx_status trxi_yaml_parse(trx_context *context, trxi_pool *pool, const char *file, const char *text,
                           size_t length, trxi_yaml_node **root)
{
    return trxi_yaml_parse_within(context, pool, file, text, length, 0, true, root);
}

trx_status trxi_yaml_try_parse(trx_context *context, trxi_pool *pool, const char *file, const char *text,
                               size_t length, trxi_yaml_node **root)
{
    return trxi_yaml_parse_within(context, pool, file, text, length, 0, false, root);
}

trx_status trxi_yaml_read(trx_context *context, trxi_pool *pool, const char *path, trxi_yaml_node **root)
{
    *root = NULL;
    char *text;
    size_t length;
    trx_status status = trxi_file_read(context, pool, path, TRXI_YAML_MAX_SIZE, &text, &length);
    return status < 0 ? status : trxi_yaml_parse(context, pool, path, text, length, root);
}
