// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Names of elements that are copied (replicate.c) or come from another model (attach.c): prefix and suffix for the names that
// elements have and for the names by which they refer to each other. `world` keeps its name. Classes of another model get a
// prefix that no file can write, so they never meet classes of the first model.

#include "import/mjcf/mjcf.h"

#include <string.h>

enum { MOST_COPIES = 1 << 17 };

// kinds of things that have names; other names are not referred to, or only by sensors
static const struct {
    char kind;
    const char *elements, *keys;
} kinds[] = {
    {'b', " body ", " body body1 body2 target "},
    {'j', " joint freejoint ", " joint joint1 joint2 jointinparent "},
    {'g', " geom ", " geom geom1 geom2 "},
    {'s', " site ", " site site1 site2 sidesite cranksite slidersite refsite "},
    {'t', " fixed spatial ", " tendon tendon1 tendon2 "},
    {'m', " mesh ", " mesh "},
    {'M', " material ", " material "},
    {'x', " texture ", " texture "},
    {'h', " hfield ", " hfield "},
    {'a', "", " actuator "},
    {'c', "", " class childclass "},
};

static bool lists(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = strstr(words, word); at && length > 0; at = strstr(at + 1, word))
        if (at > words && at[-1] == ' ' && at[length] == ' ') return true;
    return false;
}

// kind of an element; 0: no attribute refers to elements like this
static char kind_of(const trxi_xml_node *node)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (lists(kinds[i].elements, node->name)) return kinds[i].kind;
    return trxi_mjcf_is_actuator(node->name) ? 'a' : 0;
}

// kind of the thing that an attribute refers to; 0: none
static char kind_of_key(const char *key)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (lists(kinds[i].keys, key)) return kinds[i].kind;
    return 0;
}

static const char *entry(trxi_mjcf *reader, char kind, const char *name)
{
    return trxi_draft_printf(reader->draft, "%c:%s", kind, name);
}

static bool is_known(trxi_mjcf *reader, const trxi_table *table, char kind, const char *name)
{
    return table->count > 0 && trxi_table_find(table, entry(reader, kind, name)) >= 0;
}

void trxi_mjcf_collect_names(trxi_mjcf *reader, const trxi_xml_node *node, trxi_table *names)
{
    const char kind = kind_of(node);
    bool known;
    for (int i = 0; kind && i < node->nattribute; i++)
        if (strcmp(node->keys[i], "name") == 0)
            trxi_table_at(reader->draft, names, entry(reader, kind, node->values[i]), 0, &known);
    for (int i = 0; i < node->count && trxi_draft_ok(reader->draft); i++) trxi_mjcf_collect_names(reader, node->items[i], names);
}

bool trxi_mjcf_refers_to(trxi_mjcf *reader, const trxi_xml_node *node, const trxi_table *names)
{
    for (int i = 0; i < node->nattribute; i++) {
        const char kind = kind_of_key(node->keys[i]);
        if (kind && is_known(reader, names, kind, node->values[i])) return true;
    }
    for (int i = 0; i < node->count; i++)
        if (trxi_mjcf_refers_to(reader, node->items[i], names)) return true;
    return false;
}

// the value of an attribute after the change
static const char *renamed(trxi_mjcf *reader, const trxi_mjcf_renaming *change, const char *key, const char *value)
{
    const char kind = kind_of_key(key);
    const bool own = strcmp(key, "name") == 0;
    if (!(own || kind) || value[0] == '\0' || value[0] == TRXI_MJCF_CLASS_MARK) return value;
    if (kind == 'c' && change->classes) return trxi_draft_printf(reader->draft, "%s%s", change->classes, value);
    if (kind == 'b' && strcmp(value, "world") == 0) return value;
    if (!own && change->only && !is_known(reader, change->only, kind, value)) return value;
    return trxi_draft_printf(reader->draft, "%s%s%s", change->prefix, value, change->suffix);
}

void trxi_mjcf_rename(trxi_mjcf *reader, trxi_xml_node *node, const trxi_mjcf_renaming *change)
{
    for (int i = 0; i < node->nattribute && trxi_draft_ok(reader->draft); i++)
        node->values[i] = renamed(reader, change, node->keys[i], node->values[i]);
    for (int i = 0; i < node->count && trxi_draft_ok(reader->draft); i++) trxi_mjcf_rename(reader, node->items[i], change);
}

trxi_xml_node *trxi_mjcf_clone(trxi_mjcf *reader, const trxi_xml_node *node, trxi_xml_node *parent)
{
    trxi_xml_node *copy = TRXI_DRAFT_TAKE(reader->draft, trxi_xml_node, 1);
    if (!copy) return NULL;
    if (++reader->copies == MOST_COPIES + 1)
        trxi_error_at(reader->context, node->source, "replicate and attach make more than %d elements", MOST_COPIES);
    *copy = *node;
    copy->parent = parent;
    copy->values = TRXI_DRAFT_TAKE(reader->draft, const char *, node->nattribute + 1);
    copy->keys_used = TRXI_DRAFT_TAKE(reader->draft, bool, node->nattribute + 1);
    copy->items = TRXI_DRAFT_TAKE(reader->draft, trxi_xml_node *, node->count + 1);
    copy->count = 0;
    if (!copy->values || !copy->keys_used || !copy->items || reader->copies > MOST_COPIES) return NULL;
    for (int i = 0; i < node->nattribute; i++) copy->values[i] = node->values[i];
    trxi_mjcf_copy_part(reader, node, copy);
    for (int i = 0; i < node->count; i++) {
        trxi_xml_node *child = trxi_mjcf_clone(reader, node->items[i], copy);
        if (!child) return NULL;
        copy->items[copy->count++] = child;
    }
    return copy;
}
