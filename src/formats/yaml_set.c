// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Replaces or creates one value of the tree, for the option --set KEY=VALUE; see yaml.h.
//
// The search follows the path from the root. At a mapping the next component is the longest prefix of the rest of
// the path that is a key (keys may contain dots: `mpc.noise.box.position`). At a list the next component is the
// longest prefix that is the `name` of an element, otherwise a number. If a mapping has no such key, the search ends,
// and the rest of the path becomes new nested mappings, one per component. The tree changes in the last step only, so
// an error leaves the tree unchanged.

#include "formats/scalar.h"
#include "formats/yaml_node.h"

#include <string.h>

enum { MAX_LISTED = 12 };

typedef struct walk {
    trx_context *context;
    trxi_pool *pool;
    const char *file;     // "--set KEY=VALUE"
    const char *path;     // KEY
    const char *rest;     // rest of the path; NULL at the end
    trxi_yaml_node *node; // current node of the search
    int child;            // index of the component found there, -1: none
    int depth;            // collections passed, `node` included
} walk;

// a component of the path
typedef struct component {
    const char *text;
    const char *next; // behind its dot, NULL at the end
} component;

// the component of `length` bytes at the rest of the path
static component take(const walk *w, size_t length)
{
    const char *end = w->rest + length;
    return (component){trxi_pool_string(w->pool, w->rest, length), *end == '.' ? end + 1 : NULL};
}

// reads a component: up to the closing quote if it is quoted, otherwise up to the next dot
static trx_status simple_component(const walk *w, component *c)
{
    if (w->rest[0] == '"') {
        size_t length = strcspn(w->rest + 1, "\"");
        const char *end = w->rest + 1 + length;
        if (*end != '"' || (end[1] != '\0' && end[1] != '.'))
            return trxi_fail(w->context, TRX_ERR_ARGUMENT, "--set %.200s: a quote is not closed before a dot", w->path);
        *c = (component){trxi_pool_string(w->pool, w->rest + 1, length), end[1] ? end + 2 : NULL};
    } else {
        *c = take(w, strcspn(w->rest, "."));
    }
    if (!c->text) return TRX_ERR_MEMORY;
    size_t length = strlen(c->text);
    if (length > 0 && length <= TRXI_YAML_MAX_KEY) return TRX_OK;
    return trxi_fail(w->context, TRX_ERR_ARGUMENT, "--set %.200s: a name between the dots is %s", w->path,
                     length ? "longer than 200 bytes" : "empty");
}

// index of the child called `name`: a key, or the value of an element's `name`
static int find_named(const trxi_yaml_node *node, const char *name)
{
    if (node->kind == TRXI_YAML_MAPPING) return trxi_yaml_find(node, name);
    for (int i = 0; i < node->count; i++) {
        const trxi_yaml_node *its = trxi_yaml_get(node->items[i], "name");
        if (its && its->kind == TRXI_YAML_SCALAR && strcmp(its->text, name) == 0) return i;
    }
    return -1;
}

// the existing names, at most MAX_LISTED of them
static int list_names(const trxi_yaml_node *node, const char *names[MAX_LISTED])
{
    int n = 0;
    for (int i = 0; i < node->count && n < MAX_LISTED; i++) {
        const trxi_yaml_node *its = trxi_yaml_get(node->items[i], "name");
        if (its && its->kind == TRXI_YAML_SCALAR) names[n++] = its->text;
    }
    return n;
}

// reports an error that begins with the part of the path found so far
static trx_status fail_at(const walk *w, const char *text)
{
    int done = (int)(w->rest - w->path) - 1;
    return trxi_fail(w->context, TRX_ERR_ARGUMENT, "--set %.200s: %.*s %s", w->path, done > 0 ? done : 8,
                     done > 0 ? w->path : "the file", text);
}

static trx_status fail_in_list(const walk *w, const char *name)
{
    const char *names[MAX_LISTED];
    int n = list_names(w->node, names);
    trxi_text text = trxi_text_create(w->context);
    trxi_text_printf(&text, "has no element \"%.100s\"", name);
    if (w->node->count == 0) trxi_text_string(&text, ": it is empty");
    else trxi_text_printf(&text, ": it has %d, numbered from 0", w->node->count);
    for (int i = 0; i < n; i++) trxi_text_printf(&text, "%s%.60s", i ? ", " : ", called ", names[i]);
    if (n == MAX_LISTED && n < w->node->count) trxi_text_string(&text, ", ...");
    const char *close = trxi_suggest(name, names, n);
    if (close) trxi_text_printf(&text, "; did you mean \"%s\"?", close);
    trx_status status = text.status == TRX_OK ? fail_at(w, trxi_text_get(&text)) : text.status;
    trxi_text_destroy(&text);
    return status;
}

// finds the next component in a collection: sets `child` (-1: no such key) and `c`
static trx_status find_child(walk *w, component *c)
{
    // the longest existing name
    for (size_t length = w->rest[0] == '"' ? 0 : strlen(w->rest); length > 0; length--) {
        if (w->rest[length] != '\0' && w->rest[length] != '.') continue;
        *c = take(w, length);
        if (!c->text) return TRX_ERR_MEMORY;
        w->child = find_named(w->node, c->text);
        if (w->child >= 0) return TRX_OK;
    }
    trx_status status = simple_component(w, c);
    if (status < 0) return status;
    w->child = find_named(w->node, c->text);
    if (w->child >= 0 || w->node->kind == TRXI_YAML_MAPPING) return TRX_OK;
    if (trxi_int_parse(c->text, &w->child) && w->child >= 0 && w->child < w->node->count) return TRX_OK;
    return fail_in_list(w, c->text);
}

static bool is_empty(const trxi_yaml_node *node)
{
    return node->kind == TRXI_YAML_SCALAR && !node->quoted && node->text[0] == '\0';
}

// searches as far as the tree goes; at the end either `rest` is the last component and `child` its node, or `rest`
// must be created in `node`
static trx_status follow(walk *w)
{
    for (w->depth = 1;; w->depth++) {
        w->child = -1;
        if (is_empty(w->node)) return TRX_OK;
        if (w->node->kind == TRXI_YAML_SCALAR) return fail_at(w, "is a single value: there is nothing below it");
        component c;
        trx_status status = find_child(w, &c);
        if (status < 0 || w->child < 0 || !c.next) return status;
        w->node = w->node->items[w->child];
        w->rest = c.next;
    }
}

// collections from `node` down
static int height(const trxi_yaml_node *node)
{
    int most = 0;
    for (int i = 0; i < node->count; i++) {
        int h = height(node->items[i]);
        if (h > most) most = h;
    }
    return most + (node->kind != TRXI_YAML_SCALAR);
}

// puts `value` at the rest of the path below `node`, which becomes a mapping if it was empty
static trx_status make_rest(walk *w, trxi_yaml_node *value)
{
    trxi_yaml_node *node = w->node;
    const char *first_key = NULL;
    trx_source first_at = {0};
    trxi_yaml_node *inner = NULL, *first_child = NULL;
    int depth = w->depth;

    // the chain below the first missing key
    while (w->rest) {
        component c;
        trx_status status = simple_component(w, &c);
        if (status < 0) return status;
        trx_source at = {w->file, 1, (int)(w->rest - w->path) + 1};
        trxi_yaml_node *child = c.next ? trxi_yaml_make(w->pool, TRXI_YAML_MAPPING, at) : value;
        if (!child) return TRX_ERR_MEMORY;
        if (!first_key) first_key = c.text, first_at = at, first_child = child;
        else if (!trxi_yaml_add(w->pool, inner, child, c.text, at)) return TRX_ERR_MEMORY;
        inner = child;
        w->rest = c.next;
        if (c.next && ++depth + height(value) > TRXI_YAML_MAX_DEPTH) break;
    }
    if (depth + height(value) > TRXI_YAML_MAX_DEPTH)
        return trxi_fail(w->context, TRX_ERR_ARGUMENT, "--set %.200s: more than 64 levels of nesting", w->path);

    trxi_yaml_node grown = *node;
    if (grown.kind == TRXI_YAML_SCALAR)
        grown = (trxi_yaml_node){TRXI_YAML_MAPPING, node->source, "", false, 0, NULL, NULL, NULL};
    if (!trxi_yaml_add(w->pool, &grown, first_child, first_key, first_at)) return TRX_ERR_MEMORY;
    *node = grown;
    return TRX_OK;
}

static trx_status read_value(walk *w, const char *value, trxi_yaml_node **node)
{
    int column = (int)strlen(w->path) + 1;
    if (value[strspn(value, " \t")] != '\0')
        return trxi_yaml_parse_within(w->context, w->pool, w->file, value, strlen(value), column, false, node);
    *node = trxi_yaml_make(w->pool, TRXI_YAML_SCALAR, (trx_source){w->file, 1, column + 1});
    return *node ? TRX_OK : TRX_ERR_MEMORY;
}

trx_status trxi_yaml_set(trx_context *context, trxi_pool *pool, trxi_yaml_node *root, const char *path,
                         const char *value)
{
    walk w = {.context = context, .pool = pool, .path = path, .rest = path, .node = root};
    w.file = trxi_pool_printf(pool, "--set %.200s=%.200s", path, value);
    if (!w.file) return TRX_ERR_MEMORY;
    if (strlen(path) > 4096) return trxi_fail(context, TRX_ERR_ARGUMENT, "--set: a key of more than 4096 bytes");

    trxi_yaml_node *made;
    trx_status status = read_value(&w, value, &made);
    if (status == TRX_OK) status = follow(&w);
    if (status < 0) return status;
    if (w.child < 0) return make_rest(&w, made);
    if (w.depth + height(made) > TRXI_YAML_MAX_DEPTH)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "--set %.200s: more than 64 levels of nesting", path);
    w.node->items[w.child] = made;
    return TRX_OK;
}
