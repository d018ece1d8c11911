// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Classes of defaults. Classes nest: a class inherits from the class around it, and so from the main class of its file.
// The main class may have several top-level elements; additions of a later element do not reach classes of an
// earlier element. Nothing is merged here; looking up an attribute searches the classes.

#include "import/mjcf/mjcf.h"

#include <string.h>

static trxi_mjcf_class *new_class(trxi_mjcf *reader, const char *name, trx_source source, const trxi_mjcf_class *parent)
{
    int index = reader->classes.count;
    trxi_mjcf_class *class = trxi_draft_push(reader->draft, &reader->classes, sizeof *class);
    class->name = name;
    class->parent = parent;
    class->inherited = parent ? parent->nodes.count : 0;
    trxi_mjcf_bind_name(reader, TRXI_MJCF_CLASS, name, source, index);
    return class;
}

static void read_inner(trxi_mjcf *reader, trxi_xml_node *node, const trxi_mjcf_class *parent);

// elements first, wherever they are, because the classes inside inherit them
static void read_class(trxi_mjcf *reader, trxi_xml_node *node, trxi_mjcf_class *class)
{
    for (int i = 0; i < node->count; i++) {
        if (strcmp(node->items[i]->name, "default") == 0) continue;
        trxi_mjcf_default *entry = trxi_draft_push(reader->draft, &class->nodes, sizeof *entry);
        entry->node = node->items[i];
    }
    for (int i = 0; i < node->count && trxi_draft_ok(reader->draft); i++)
        if (strcmp(node->items[i]->name, "default") == 0) read_inner(reader, node->items[i], class);
}

static void read_inner(trxi_mjcf *reader, trxi_xml_node *node, const trxi_mjcf_class *parent)
{
    const char *name = trxi_xml_get(node, "class");
    if (name && *name)
        read_class(reader, node, new_class(reader, name, node->source, parent));
    else
        trxi_error_at(reader->context, node->source, "a default inside another needs the attribute class");
}

// the main class of a part, which inherits nothing
static trxi_mjcf_class *class_of_part(trxi_mjcf *reader, trxi_mjcf_part *part)
{
    int index = trxi_mjcf_find(reader, TRXI_MJCF_CLASS, part->main);
    return index >= 0 ? TRXI_MJCF_AT(reader->classes, trxi_mjcf_class, index)
                      : new_class(reader, part->main, part->frame->source, NULL);
}

void trxi_mjcf_read_defaults(trxi_mjcf *reader)
{
    trxi_mjcf_class *top = new_class(reader, "main", reader->root->source, NULL);
    for (int i = 0; i < reader->root->count; i++) {
        trxi_xml_node *node = reader->root->items[i];
        if (strcmp(node->name, "default") != 0) continue;
        const char *name = trxi_xml_get(node, "class");
        if (name && strcmp(name, "main") != 0 && name[0] != TRXI_MJCF_CLASS_MARK)
            trxi_error_at(reader->context, node->source,
                          "the class of a default at the top is main, not '%.60s'; put this one inside a default",
                          name);
        trxi_mjcf_part *part = trxi_mjcf_part_at(reader, node->parent);
        read_class(reader, node, part ? class_of_part(reader, part) : top);
    }
    for (int i = 0; i < reader->parts.count; i++) {
        trxi_mjcf_part *part = TRXI_MJCF_AT(reader->parts, trxi_mjcf_part, i);
        part->class = class_of_part(reader, part);
    }
}

const trxi_mjcf_class *trxi_mjcf_class_of(trxi_mjcf *reader, trxi_xml_node *node, const char *key,
                                          const trxi_mjcf_class *around)
{
    trxi_mjcf_element e = trxi_mjcf_plain(reader, node);
    int index = trxi_mjcf_refer(&e, key, TRXI_MJCF_CLASS);
    if (index >= 0) return TRXI_MJCF_AT(reader->classes, trxi_mjcf_class, index);
    if (around || reader->classes.count == 0) return around;
    const trxi_mjcf_part *part = trxi_mjcf_part_of(reader, node);
    return part ? part->class : TRXI_MJCF_AT(reader->classes, trxi_mjcf_class, 0);
}
