// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Features of the file that this version does not support: the first one of each scope, by its dotted path as in
// --set. The path is searched in the tree when it is needed, so readers need not keep track of it.

#include "problem/reader.h"

#include <string.h>

// a component of a dotted path, quoted when it holds a dot itself
static const char *component(trxi_reader *reader, const char *path, const char *name)
{
    const char *quote = strchr(name, '.') ? "\"" : "";
    return trxi_reader_printf(reader, "%s%s%s%s%s", path, *path ? "." : "", quote, name, quote);
}

// name of element `i` of a list: the value of its key `name`, or its number
static const char *element_name(trxi_reader *reader, const trxi_yaml_node *list, int i)
{
    const trxi_yaml_node *name = trxi_yaml_get(list->items[i], "name");
    if (name && name->kind == TRXI_YAML_SCALAR && *name->text) return name->text;
    return trxi_reader_printf(reader, "%d", i);
}

static bool holds(const trxi_yaml_node *root, const trxi_yaml_node *node)
{
    if (root == node) return true;
    for (int i = 0; i < root->count; i++)
        if (holds(root->items[i], node)) return true;
    return false;
}

// dotted path of `node`, as --set writes it; NULL when memory is out
static const char *path_of(trxi_reader *reader, const trxi_yaml_node *node)
{
    const char *path = "";
    const trxi_yaml_node *at = reader->root;
    while (at != node && path) {
        int i = 0;
        while (i < at->count && !holds(at->items[i], node)) i++;
        if (i == at->count) break;
        const char *name = at->kind == TRXI_YAML_MAPPING ? at->keys[i] : element_name(reader, at, i);
        path = name ? component(reader, path, name) : NULL;
        at = at->items[i];
    }
    return path;
}

void trxi_not_served(trxi_reader *reader, trxi_scope scope, const trxi_yaml_node *node, const char *detail)
{
    bool first = !reader->unsupported[scope];
    if (!first && !trxi_source_after(reader->unsupported_source[scope], node->source)) return;
    const char *path = path_of(reader, node);
    if (path && detail) path = trxi_reader_printf(reader, "%s: %s", path, detail);
    if (!path) return;
    reader->unsupported[scope] = path;
    reader->unsupported_source[scope] = node->source;
}
