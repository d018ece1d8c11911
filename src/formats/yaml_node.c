// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Nodes of the YAML tree: making, growing, looking up; see yaml.h and yaml_node.h.

#include "formats/yaml_node.h"

#include <string.h>

trxi_yaml_node *trxi_yaml_make(trxi_pool *pool, trxi_yaml_kind kind, trx_source source)
{
    trxi_yaml_node *node = TRXI_POOL(pool, trxi_yaml_node, 1);
    if (node) *node = (trxi_yaml_node){.kind = kind, .source = source, .text = ""};
    return node;
}

// room for one more child; capacities are the powers of two from 8 on, so the count tells when they are used up
static bool reserve(trxi_pool *pool, trxi_yaml_node *node)
{
    int n = node->count;
    if (n != 0 && (n < 8 || (n & (n - 1)) != 0)) return true;

    int for_items = n, for_keys = n, for_sources = n;
    trxi_yaml_node **items = trxi_pool_grow(pool, node->items, n, &for_items, sizeof *items);
    if (!items) return false;
    if (node->kind == TRXI_YAML_MAPPING) {
        const char **keys = trxi_pool_grow(pool, node->keys, n, &for_keys, sizeof *keys);
        trx_source *sources = trxi_pool_grow(pool, node->key_sources, n, &for_sources, sizeof *sources);
        if (!keys || !sources) return false;
        node->keys = keys;
        node->key_sources = sources;
    }
    node->items = items;
    return true;
}

bool trxi_yaml_add(trxi_pool *pool, trxi_yaml_node *node, trxi_yaml_node *child, const char *key,
                   trx_source key_source)
{
    if (!reserve(pool, node)) return false;
    if (node->kind == TRXI_YAML_MAPPING) {
        node->keys[node->count] = key;
        node->key_sources[node->count] = key_source;
    }
    node->items[node->count++] = child;
    return true;
}

int trxi_yaml_find(const trxi_yaml_node *mapping, const char *key)
{
    if (!mapping || mapping->kind != TRXI_YAML_MAPPING) return -1;
    for (int i = 0; i < mapping->count; i++)
        if (strcmp(mapping->keys[i], key) == 0) return i;
    return -1;
}

trxi_yaml_node *trxi_yaml_get(const trxi_yaml_node *mapping, const char *key)
{
    int i = trxi_yaml_find(mapping, key);
    return i < 0 ? NULL : mapping->items[i];
}
