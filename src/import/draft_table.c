// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Tables of a draft, from texts to numbers: open addressing with FNV-1a, at most half full.

#include "import/draft_state.h"

#include <stdint.h>
#include <string.h>

// FNV-1a
static uint64_t hash(const char *key)
{
    uint64_t h = 14695981039346656037u;
    for (; *key; key++) h = (h ^ (unsigned char)*key) * 1099511628211u;
    return h;
}

// the entry of `key`, or the empty entry for it
static struct trxi_table_entry *slot(const trxi_table *table, const char *key)
{
    size_t mask = (size_t)table->capacity - 1, at = (size_t)hash(key) & mask;
    while (table->entries[at].key && strcmp(table->entries[at].key, key) != 0) at = (at + 1) & mask;
    return &table->entries[at];
}

static bool grow(trxi_draft *draft, trxi_table *table)
{
    trxi_table larger = {.count = table->count, .capacity = table->capacity ? 2 * table->capacity : 64};
    larger.entries = TRXI_DRAFT_TAKE(draft, struct trxi_table_entry, larger.capacity);
    if (!larger.entries) return false;
    for (int i = 0; i < table->capacity; i++)
        if (table->entries[i].key) *slot(&larger, table->entries[i].key) = table->entries[i];
    *table = larger;
    return true;
}

int *trxi_table_at(trxi_draft *draft, trxi_table *table, const char *key, int value, bool *known)
{
    *known = false;
    if (2 * table->count >= table->capacity && !grow(draft, table)) return NULL;
    struct trxi_table_entry *entry = slot(table, key);
    *known = entry->key != NULL;
    if (*known) return &entry->value;

    size_t length = strlen(key);
    char *copy = TRXI_DRAFT_TAKE(draft, char, length + 1);
    if (!copy) return NULL;
    memcpy(copy, key, length);
    *entry = (struct trxi_table_entry){copy, value};
    table->count++;
    return &entry->value;
}

int trxi_table_find(const trxi_table *table, const char *key)
{
    if (table->count == 0) return -1;
    const struct trxi_table_entry *entry = slot(table, key);
    return entry->key ? entry->value : -1;
}
