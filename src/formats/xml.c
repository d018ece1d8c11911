// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// From text to tree, on the events of expat; see xml.h.
//
// Two stacks grow and shrink with the open elements: the text of each element so far, and its finished children.
// When an element ends, its part is on top of both stacks and is copied into the pool with its exact size.
//
// Expat counts characters, places count bytes; a cursor follows expat's byte index. Expat's own memory does not
// come from the context, because its allocation functions have no user argument; it is freed before the parser
// returns.

#include "formats/xml.h"

#include "formats/scalar.h"
#include "formats/text.h"
#include "formats/xml_mend.h"

#include <expat.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_NUMBER = 255 };

// an element that has begun and not ended
typedef struct open_element {
    trxi_xml_node *node;
    size_t text;  // start of its part in the stack of texts
    int children; // start of its part in the stack of children
} open_element;

typedef struct reader {
    trx_context *context;
    trxi_pool *pool;
    XML_Parser parser;
    const char *file, *text;
    size_t length;
    size_t first;              // byte at which expat begins: blanks before a declaration are passed over
    bool wide;                 // UTF-16
    const size_t *gaps;        // bytes before which expat gets a blank that the text lacks
    int ngap, passed;          // number of gaps; number of gaps before the cursor
    size_t offset, line_start; // cursor: bytes before it, and before its line
    int line;
    trx_status status;
    int elements, depth;
    open_element open[TRXI_XML_MAX_DEPTH];
    trxi_text texts;
    trxi_xml_node **children;
    int nchild, capacity;
} reader;

// line and column of a byte; the cursor only moves forward
static trx_source place_of_byte(reader *r, size_t target)
{
    for (; r->offset < target && r->offset < r->length; r->offset++) {
        char c = r->text[r->offset];
        bool ends = c == '\n' || (c == '\r' && !(r->offset + 1 < r->length && r->text[r->offset + 1] == '\n'));
        if (ends) r->line++, r->line_start = r->offset + 1;
    }
    return (trx_source){r->file, r->line, (int)(r->offset - r->line_start) + 1};
}

// byte of the text from expat's index, which also counts blanks that the text lacks; only forward
static size_t byte_of(reader *r, size_t index)
{
    while (r->passed < r->ngap && r->first + index > r->gaps[r->passed] + (size_t)r->passed) r->passed++;
    return r->first + index - (size_t)r->passed;
}

// place of the current event
static trx_source place(reader *r)
{
    if (r->wide)
        return (trx_source){r->file, (int)XML_GetCurrentLineNumber(r->parser),
                            (int)XML_GetCurrentColumnNumber(r->parser) + 1};
    XML_Index index = XML_GetCurrentByteIndex(r->parser);
    return place_of_byte(r, index < 0 ? r->offset : byte_of(r, (size_t)index));
}

// stops reading; the first failure is kept
static void stop(reader *r, trx_status status)
{
    if (r->status == TRX_OK) r->status = status;
    XML_StopParser(r->parser, XML_FALSE);
}

static void report(reader *r, const char *what)
{
    if (r->status == TRX_OK) stop(r, trxi_error_at(r->context, place(r), "%s", what));
}

static void *kept(reader *r, void *memory)
{
    if (!memory) stop(r, TRX_ERR_MEMORY);
    return memory;
}

static const char *copy(reader *r, const char *text)
{
    return kept(r, trxi_pool_string(r->pool, text, strlen(text)));
}

// the limit that an element exceeds; NULL when it exceeds none
static const char *excess(const reader *r, const char *name, const char **attributes)
{
    if (r->depth >= TRXI_XML_MAX_DEPTH) return "more than 256 levels of nesting";
    if (r->elements >= TRXI_XML_MAX_ELEMENTS) return "more than 1048576 elements";
    if (strlen(name) > TRXI_XML_MAX_NAME) return "an element's name of more than 200 bytes";
    for (int i = 0; attributes[i]; i += 2) {
        if (i >= 2 * TRXI_XML_MAX_ATTRIBUTES) return "an element with more than 256 attributes";
        if (strlen(attributes[i]) > TRXI_XML_MAX_NAME) return "an attribute's name of more than 200 bytes";
        if (strlen(attributes[i + 1]) > TRXI_XML_MAX_VALUE) return "an attribute of more than 16 MiB";
    }
    return NULL;
}

static void read_attributes(reader *r, trxi_xml_node *node, const char **attributes)
{
    while (attributes[2 * node->nattribute]) node->nattribute++;
    node->keys = kept(r, TRXI_POOL(r->pool, const char *, node->nattribute));
    node->values = kept(r, TRXI_POOL(r->pool, const char *, node->nattribute));
    node->keys_used = kept(r, TRXI_POOL(r->pool, bool, node->nattribute));
    for (int i = 0; r->status == TRX_OK && i < node->nattribute; i++) {
        node->keys[i] = copy(r, attributes[2 * i]);
        node->values[i] = copy(r, attributes[2 * i + 1]);
    }
}

static void on_start(void *user, const char *name, const char **attributes)
{
    reader *r = user;
    if (r->status != TRX_OK) return;
    const char *problem = excess(r, name, attributes);
    if (problem) {
        report(r, problem);
        return;
    }
    trxi_xml_node *node = kept(r, TRXI_POOL(r->pool, trxi_xml_node, 1));
    if (!node) return;
    node->name = copy(r, name);
    node->source = place(r);
    node->parent = r->depth > 0 ? r->open[r->depth - 1].node : NULL;
    read_attributes(r, node, attributes);
    r->open[r->depth++] = (open_element){node, r->texts.length, r->nchild};
    r->elements++;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// blanks before an element's first word are dropped
static void on_text(void *user, const char *text, int length)
{
    reader *r = user;
    if (r->status != TRX_OK || r->depth == 0) return;
    bool first = r->texts.length == r->open[r->depth - 1].text;
    while (first && length > 0 && is_blank(*text)) text++, length--;
    trxi_text_append(&r->texts, text, (size_t)length);
    if (r->texts.status != TRX_OK) stop(r, r->texts.status);
}

// the finished element becomes a child of the one around it
static bool push_child(reader *r, trxi_xml_node *node)
{
    if (r->nchild == r->capacity) {
        void *grown = kept(r, trxi_pool_grow(r->pool, r->children, r->nchild, &r->capacity, sizeof *r->children));
        if (!grown) return false;
        r->children = grown;
    }
    r->children[r->nchild++] = node;
    return true;
}

static void on_end(void *user, const char *name)
{
    (void)name;
    reader *r = user;
    if (r->status != TRX_OK) return;
    open_element *e = &r->open[--r->depth];
    trxi_xml_node *node = e->node;

    size_t length = r->texts.length - e->text;
    const char *text = trxi_text_get(&r->texts) + e->text;
    while (length > 0 && is_blank(text[length - 1])) length--;
    node->text = kept(r, trxi_pool_string(r->pool, text, length));
    r->texts.length = e->text;

    node->count = r->nchild - e->children;
    node->items = kept(r, TRXI_POOL(r->pool, trxi_xml_node *, node->count));
    if (r->status != TRX_OK) return;
    for (int i = 0; i < node->count; i++) node->items[i] = r->children[e->children + i];
    r->nchild = e->children;
    push_child(r, node);
}

// expat reports a document type at its "[" or ">"; no earlier event has moved the cursor
static void on_doctype(void *user, const char *name, const char *system_id, const char *public_id, int internal)
{
    (void)name, (void)system_id, (void)public_id, (void)internal;
    reader *r = user;
    static const char begin[] = "<!DOCTYPE";
    const size_t length = sizeof begin - 1;
    size_t at = r->wide ? 0 : byte_of(r, (size_t)XML_GetCurrentByteIndex(r->parser));
    while (at > 0 && (at + length > r->length || memcmp(r->text + at, begin, length) != 0)) at--;
    trx_source source = r->wide ? place(r) : place_of_byte(r, at);
    stop(r, trxi_error_at(r->context, source, "a document type is not supported: remove <!DOCTYPE ...> and write out the "
                                              "entities it declares"));
}

// expat's error texts, with better texts for the most frequent errors
static void report_syntax(reader *r)
{
    const trxi_xml_node *inner = r->depth > 0 ? r->open[r->depth - 1].node : NULL;
    enum XML_Error code = XML_GetErrorCode(r->parser);
    char what[400];
    if (code == XML_ERROR_NO_MEMORY) {
        r->status = trxi_fail(r->context, TRX_ERR_MEMORY, "out of memory while reading %.300s", r->file);
        return;
    }
    if (code == XML_ERROR_TAG_MISMATCH && inner)
        snprintf(what, sizeof what, "this does not close <%s>, which begins on line %d", inner->name,
                 inner->source.line);
    else if (code == XML_ERROR_NO_ELEMENTS && inner)
        snprintf(what, sizeof what, "the text ends before </%s>: it begins on line %d", inner->name, inner->source.line);
    else if (code == XML_ERROR_NO_ELEMENTS)
        snprintf(what, sizeof what, "there is no element in this text");
    else if (code == XML_ERROR_JUNK_AFTER_DOC_ELEMENT)
        snprintf(what, sizeof what, "nothing may follow the end of the first element");
    else if (code == XML_ERROR_DUPLICATE_ATTRIBUTE)
        snprintf(what, sizeof what, "this attribute is already given in the same element");
    else if (code == XML_ERROR_UNDEFINED_ENTITY)
        snprintf(what, sizeof what, "an entity that XML does not know: only &lt; &gt; &amp; &quot; &apos; and numbers");
    else
        snprintf(what, sizeof what, "no valid XML: %.200s", XML_ErrorString(code));
    report(r, what);
}

// number of blanks before a declaration; XML forbids such blanks, but other readers accept them
static size_t leading_blanks(const reader *r)
{
    size_t n = 0;
    while (n < r->length && is_blank(r->text[n])) n++;
    return r->length - n >= 5 && memcmp(r->text + n, "<?xml", 5) == 0 ? n : 0;
}

// gives expat the text, with a blank at each gap
static enum XML_Status feed(reader *r)
{
    enum XML_Status parsed = XML_STATUS_OK;
    size_t at = r->first;
    for (int i = 0; i < r->ngap && parsed == XML_STATUS_OK; at = r->gaps[i++]) {
        parsed = XML_Parse(r->parser, r->text + at, (int)(r->gaps[i] - at), XML_FALSE);
        if (parsed == XML_STATUS_OK) parsed = XML_Parse(r->parser, " ", 1, XML_FALSE);
    }
    return parsed == XML_STATUS_OK ? XML_Parse(r->parser, r->text + at, (int)(r->length - at), XML_TRUE) : parsed;
}

static void run(reader *r)
{
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, on_start, on_end);
    XML_SetCharacterDataHandler(r->parser, on_text);
    XML_SetStartDoctypeDeclHandler(r->parser, on_doctype);
    if (feed(r) != XML_STATUS_OK && r->status == TRX_OK) report_syntax(r);
}

// replaces the text by a copy without harmless faults
static bool mend(reader *r)
{
    trxi_xml_mended mended;
    if (r->wide) return true;
    if (!trxi_xml_mend(r->pool, r->text, r->length, &mended)) return false;
    r->text = mended.text, r->length = mended.length;
    r->gaps = mended.gaps, r->ngap = mended.ngap;
    return true;
}

trx_status trxi_xml_parse(trx_context *context, trxi_pool *pool, const char *file, const char *text, size_t length,
                          trxi_xml_node **root)
{
    *root = NULL;
    file = trxi_pool_string(pool, file, strlen(file));
    reader *r = TRXI_POOL(pool, reader, 1);
    if (!file || !r) return TRX_ERR_MEMORY;
    if (length > TRXI_XML_MAX_SIZE)
        return trxi_error_at(context, (trx_source){file, 1, 1}, "the text is larger than 64 MiB");

    // a byte order mark is not part of a line; two bytes with a zero, or the mark of UTF-16, mean wide characters
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3, length -= 3;
    const unsigned char *b = (const unsigned char *)text;
    *r = (reader){.context = context, .pool = pool, .file = file, .text = text, .length = length, .line = 1};
    r->wide = length >= 2 && (b[0] == 0 || b[1] == 0 || (b[0] >= 0xFE && b[1] >= 0xFE));
    if (!mend(r)) return TRX_ERR_MEMORY;
    r->texts = trxi_text_create(context);
    r->parser = XML_ParserCreate(NULL);
    if (!r->parser) return trxi_fail(context, TRX_ERR_MEMORY, "out of memory while reading %.300s", file);
    r->first = leading_blanks(r);
    run(r);
    XML_ParserFree(r->parser);
    trxi_text_destroy(&r->texts);
    if (r->status == TRX_OK) *root = r->children[0];
    return r->status;
}

const char *trxi_xml_get(trxi_xml_node *node, const char *key)
{
    for (int i = 0; i < node->nattribute; i++) {
        if (strcmp(node->keys[i], key) != 0) continue;
        node->keys_used[i] = true;
        return node->values[i];
    }
    return NULL;
}

trxi_xml_node *trxi_xml_child(trxi_xml_node *node, const char *name)
{
    for (int i = 0; i < node->count; i++) {
        if (strcmp(node->items[i]->name, name) != 0) continue;
        node->items[i]->used = true;
        return node->items[i];
    }
    return NULL;
}

int trxi_xml_numbers(const char *text, int capacity, double *values)
{
    int count = 0;
    for (;;) {
        while (is_blank(*text)) text++;
        if (*text == '\0') return count;
        char word[MAX_NUMBER + 1];
        int length = 0;
        while (length < MAX_NUMBER && text[length] && !is_blank(text[length])) word[length] = text[length], length++;
        word[length] = '\0';
        if (count == capacity || !trxi_number_parse(word, &values[count])) return -1;
        text += length;
        if (*text && !is_blank(*text)) return -1;
        count++;
    }
}
