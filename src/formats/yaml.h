// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// YAML text as a tree whose nodes know their places. A scalar is its text; the reader of the tree chooses the type,
// so a number is never guessed. The subset: one UTF-8 document of scalars, sequences and mappings with distinct
// scalar keys of at most 200 bytes; no anchors, aliases, tags or merge keys; at most 64 levels and 16 MiB.
// Everything else is an error at its place, found in time linear in the text.

#ifndef TRXI_FORMATS_YAML_H
#define TRXI_FORMATS_YAML_H

#include "base/arena.h"
#include "formats/text.h"

typedef enum trxi_yaml_kind { TRXI_YAML_SCALAR, TRXI_YAML_SEQUENCE, TRXI_YAML_MAPPING } trxi_yaml_kind;

typedef struct trxi_yaml_node trxi_yaml_node;
struct trxi_yaml_node {
    trxi_yaml_kind kind;
    trx_source source;       // where the node begins
    const char *text;        // scalar: its text, zero-terminated; otherwise ""
    bool quoted;             // scalar: written in quotes or as a block scalar; an empty plain scalar is "no value"
    int count;               // children
    trxi_yaml_node **items;  // sequence items or mapping values
    const char **keys;       // mapping: keys, in file order
    trx_source *key_sources; // mapping: places of the keys
};

enum { TRXI_YAML_MAX_DEPTH = 64, TRXI_YAML_MAX_SIZE = 16 << 20, TRXI_YAML_MAX_KEY = 200 };

/// Parses `length` bytes of `text`; `file` names the text in messages. The tree and a copy of `file` live in
/// `pool`. Errors: INPUT (findings with their places; `*root` is NULL), MEMORY.
trx_status trxi_yaml_parse(trx_context *context, trxi_pool *pool, const char *file, const char *text,
                           size_t length, trxi_yaml_node **root);

/// Parses the file at `path`. Errors also: IO when the file cannot be read.
trx_status trxi_yaml_read(trx_context *context, trxi_pool *pool, const char *path, trxi_yaml_node **root);

/// Like trxi_yaml_parse, but bad text records no finding: returns TRX_ERR_ARGUMENT with a message (the first
/// error). For text that is not the user's file: values of options, files of unknown origin.
trx_status trxi_yaml_try_parse(trx_context *context, trxi_pool *pool, const char *file, const char *text,
                               size_t length, trxi_yaml_node **root);

/// Index of `key` in `mapping`, -1 if absent or if the node is not a mapping (or NULL).
int trxi_yaml_find(const trxi_yaml_node *mapping, const char *key);

/// Value of `key` in `mapping`, NULL if absent or if the node is not a mapping (or NULL).
trxi_yaml_node *trxi_yaml_get(const trxi_yaml_node *mapping, const char *key);

/// Replaces or creates the node at `path` by the YAML text `value`, for the option --set KEY=VALUE. `path` is
/// dotted. The value of its `name` key or its number from 0 names a list element. An existing key that contains
/// dots is written as it is, a new one in double quotes. Missing mappings are created; missing list elements are
/// not. The new nodes have the file "--set KEY=VALUE", line 1, and columns of KEY=VALUE. Errors: ARGUMENT (the
/// message names the component and the existing names; the tree is unchanged), MEMORY.
trx_status trxi_yaml_set(trx_context *context, trxi_pool *pool, trxi_yaml_node *root, const char *path,
                         const char *value);

/// Appends `root` as YAML that parses to the same tree. A collection that fits a line is in flow style, but mappings of
/// mappings and lists of several mappings are in block style. Returns the status of `out`.
trx_status trxi_yaml_write(const trxi_yaml_node *root, trxi_text *out);

#endif
