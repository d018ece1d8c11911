// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// An XML file as a tree of elements, each with its place. Document types, and with them user-defined entities, are
// refused. Blanks before the declaration are allowed. Depth, size, names, attributes and number of elements are
// limited, so time and memory are linear in the text. Comments, processing instructions and the declaration are
// dropped.

#ifndef TRXI_FORMATS_XML_H
#define TRXI_FORMATS_XML_H

#include "base/arena.h"
#include "base/context.h"

#include <stddef.h>

enum {
    TRXI_XML_MAX_DEPTH = 256,
    TRXI_XML_MAX_SIZE = 64 << 20,    // bytes of text
    TRXI_XML_MAX_ELEMENTS = 1 << 20,
    TRXI_XML_MAX_ATTRIBUTES = 256,   // of one element
    TRXI_XML_MAX_NAME = 200,         // bytes of the name of an element or attribute
    TRXI_XML_MAX_VALUE = 16 << 20,   // bytes of the value of an attribute
};

typedef struct trxi_xml_node {
    const char *name;
    trx_source source; // of the element's "<"
    struct trxi_xml_node *parent; // NULL for the root
    int nattribute;
    const char **keys, **values; // nattribute: as written, entities replaced
    int count;
    struct trxi_xml_node **items; // count: children in order; text between them is dropped
    const char *text;             // all character data directly inside, trimmed; "" when there is none
    bool used;                    // set by readers on elements that they understand
    bool *keys_used;              // nattribute
} trxi_xml_node;

/// Parses `text` (length bytes, called `file` in places) into the pool. The encoding is UTF-8, with or without a
/// byte order mark, or the declared encoding (UTF-16, ISO-8859-1, US-ASCII); names and values become UTF-8. Places
/// in UTF-16 texts count characters, in other texts bytes. Errors: INPUT with file:line:column (parsing ends at the
/// first error, `*root` is NULL), MEMORY.
trx_status trxi_xml_parse(trx_context *context, trxi_pool *pool, const char *file, const char *text, size_t length,
                          trxi_xml_node **root);

/// The value of an attribute, marking it used; NULL when there is none.
const char *trxi_xml_get(trxi_xml_node *node, const char *key);

/// The first child called `name`, marking it used; NULL when there is none.
trxi_xml_node *trxi_xml_child(trxi_xml_node *node, const char *name);

/// Reads up to `capacity` numbers separated by white space from `text` into `values`. Returns their number, or -1
/// when the text has more numbers, infinite numbers, or other words.
int trxi_xml_numbers(const char *text, int capacity, double *values);

#endif
