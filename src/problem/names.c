// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The names of the model; see names.h. Sorting makes building O(n log n) and a lookup O(log n). Only a failed
// lookup visits all names, to find the nearest one.

#include "problem/names.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SEARCHES = 100 };

void trxi_names_add(trxi_reader *reader, trxi_names *names, trxi_named entry)
{
    trxi_named *entries = trxi_reader_grow(reader, names->entries, names->count, &names->capacity, sizeof entry);
    if (!entries) return;
    names->entries = entries;
    names->entries[names->count++] = entry;
    if (entry.things == TRXI_INCLUDE) names->has_include = true;
    if (entry.things == TRXI_INCLUDE && entry.broken) names->has_broken_include = true;
}

void trxi_names_add_geometry(trxi_reader *reader, trxi_names *names, const trx_body_def *body, int at, int index,
                             const char *name, trx_source source)
{
    const char *numbered = trxi_reader_printf(reader, "%s#%d", body->name, index + 1);
    trxi_named entry = {.name = numbered, .things = TRXI_GEOMETRY, .body = at, .index = index, .source = source, .alias = name};
    if (numbered) trxi_names_add(reader, names, entry);
    entry.name = name;
    entry.alias = false;
    if (name) trxi_names_add(reader, names, entry);
}

// the kind by which entries of one name are sorted: places, joints, geometries
static int rank_of(const trxi_named *entry)
{
    return entry->things & (TRXI_BODY | TRXI_FRAME | TRXI_INCLUDE) ? 0 : entry->things & TRXI_JOINT ? 1 : 2;
}

static bool same_kind(const trxi_named *a, const trxi_named *b)
{
    return rank_of(a) == rank_of(b) || a->things & b->things;
}

static int compare(const void *a, const void *b)
{
    const trxi_named *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    if (order) return order;
    if (rank_of(x) != rank_of(y)) return rank_of(x) - rank_of(y);
    return trxi_source_after(x->source, y->source) ? 1 : trxi_source_after(y->source, x->source) ? -1 : 0;
}

static void report_taken(trxi_reader *reader, const trxi_named *entry, const trxi_named *first)
{
    trx_source source = first->source;
    if (source.file && entry->source.file && strcmp(source.file, entry->source.file) != 0)
        trxi_error_at(reader->context, entry->source, "the name \"%.100s\" is taken at %.200s:%d: write another one",
                      entry->name, source.file, source.line);
    else
        trxi_error_at(reader->context, entry->source, "the name \"%.100s\" is taken in line %d: write another one",
                      entry->name, source.line);
}

void trxi_names_finish(trxi_reader *reader, trxi_names *names)
{
    if (names->count) qsort(names->entries, (size_t)names->count, sizeof *names->entries, compare);
    int kept = 0;
    for (int i = 0; i < names->count; i++) {
        const trxi_named *entry = &names->entries[i], *taken = NULL;
        for (int k = kept - 1; k >= 0 && !taken && strcmp(names->entries[k].name, entry->name) == 0; k--)
            if (same_kind(&names->entries[k], entry)) taken = &names->entries[k];
        if (taken)
            report_taken(reader, entry, taken);
        else
            names->entries[kept++] = *entry;
    }
    names->count = kept;
}

const trxi_named *trxi_names_find(const trxi_names *names, const char *name, int things)
{
    int low = 0, high = names->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (strcmp(names->entries[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < names->count && strcmp(names->entries[low].name, name) == 0; low++)
        if (names->entries[low].things & things) return &names->entries[low];
    return NULL;
}

// whether `name` lies in an include that could not be read
static bool is_lost(const trxi_names *names, const char *name)
{
    size_t length = strcspn(name, "/");
    for (int i = 0; i < names->count && names->has_broken_include; i++) {
        const trxi_named *entry = &names->entries[i];
        if (entry->things == TRXI_INCLUDE && entry->broken && strlen(entry->name) == length &&
            strncmp(entry->name, name, length) == 0)
            return true;
    }
    return false;
}

// "body", "body or frame": the words for a set of things
static const char *things_text(trxi_reader *reader, int things)
{
    static const char *const words[] = {"body", "joint", "frame", "geometry", "include"};
    const char *chosen[5];
    int count = 0;
    for (int i = 0; i < 5; i++)
        if (things & 1 << i) chosen[count++] = words[i];
    return trxi_choices(reader, chosen, count);
}

// valid names for the message
static int candidates(trxi_reader *reader, const trxi_names *names, int things, const char ***texts)
{
    int count = 0;
    *texts = TRXI_READER_TAKE(reader, const char *, names->count + 1);
    for (int i = 0; *texts && i < names->count; i++)
        if (names->entries[i].things & things && !names->entries[i].alias) (*texts)[count++] = names->entries[i].name;
    return count;
}

const trxi_named *trxi_names_resolve(trxi_reader *reader, const trxi_names *names, trx_source source,
                                     const char *name, int things)
{
    const trxi_named *entry = trxi_names_find(names, name, things);
    if (entry) return entry->broken ? NULL : entry;
    entry = trxi_names_find(names, name, TRXI_ANY);
    if (entry && entry->broken) return NULL;
    if (is_lost(names, name)) return NULL;

    // includes are mentioned only if the file has some
    if (!names->has_include && things != TRXI_INCLUDE) things &= ~TRXI_INCLUDE;

    // the search for the nearest name takes O(n), so only the first MAX_SEARCHES errors get it
    const char **texts = NULL;
    bool search = trx_context_error_count(reader->context) - reader->errors_before < MAX_SEARCHES;
    int count = search ? candidates(reader, names, things, &texts) : 0;
    const char *wanted = things_text(reader, things), *near = trxi_did_you_mean(reader, name, texts, count);
    if (!reader->memory) return NULL;
    if (entry)
        trxi_error_at(reader->context, source, "\"%.100s\" is %s %s, but a %s is needed here", name,
                      entry->things == TRXI_INCLUDE ? "an" : "a", things_text(reader, entry->things), wanted);
    else if (*near || count == 0)
        trxi_error_at(reader->context, source, "unknown %s \"%.100s\"%s", wanted, name,
                      *near ? near : search ? ": the model has none" : "");
    else
        trxi_error_at(reader->context, source, "unknown %s \"%.100s\": write %s", wanted, name,
                      trxi_choices(reader, texts, count));
    return NULL;
}
