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

// an array of twice `count` elements (at least 2) that begins with the old ones; NULL when memory is out
static void *grow(trxi_pool *pool, const void *array, int count, size_t size)
{
    void *larger = trxi_pool_take(pool, count ? 2 * (size_t)count : 2, size);
    if (larger && count) memcpy(larger, array, (size_t)count * size);
    return larger;
}

// room for one more child; capacities are powers of two, so the count tells when they are used up
static bool reserve(trxi_pool *pool, trxi_yaml_node *node)
{
    int n = node->count;
    if (n == 1 || (n & (n - 1)) != 0) return true;

    trxi_yaml_node **items = grow(pool, node->items, n, sizeof *items);
    if (!items) return false;
    if (node->kind == TRXI_YAML_MAPPING) {
        const char **keys = grow(pool, node->keys, n, sizeof *keys);
        trx_source *sources = grow(pool, node->key_sources, n, sizeof *sources);
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
