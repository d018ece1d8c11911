// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Parts: what came from the file of an attached model (attach.c). A part knows its frame, and its sections have the frame as
// parent, so every element finds its part, and with it the settings and classes of its file.

#include "import/mjcf/mjcf.h"

trxi_mjcf_part *trxi_mjcf_part_at(trxi_mjcf *reader, const trxi_xml_node *frame)
{
    for (int i = 0; i < reader->parts.count; i++) {
        trxi_mjcf_part *part = reader->parts.items[i];
        if (part->frame == frame) return part;
    }
    return NULL;
}

trxi_mjcf_part *trxi_mjcf_part_of(trxi_mjcf *reader, const trxi_xml_node *element)
{
    return element->parent ? trxi_mjcf_part_at(reader, element->parent->parent) : NULL;
}

trxi_mjcf_part *trxi_mjcf_part_around(trxi_mjcf *reader, const trxi_mjcf_part *part)
{
    trxi_mjcf_part *around = NULL;
    for (const trxi_xml_node *node = part->frame->parent; node && !around; node = node->parent)
        around = trxi_mjcf_part_at(reader, node);
    return around;
}

void trxi_mjcf_copy_part(trxi_mjcf *reader, const trxi_xml_node *from, const trxi_xml_node *to)
{
    trxi_mjcf_part *part = trxi_mjcf_part_at(reader, from);
    if (!part) return;
    part->copied = true;
    trxi_mjcf_part *copy = trxi_draft_push(reader->draft, &reader->parts, sizeof *copy);
    *copy = *part;
    copy->copied = false;
    copy->frame = to;
}

void trxi_mjcf_append(trxi_mjcf *reader, trxi_list *list, trxi_xml_node *node)
{
    if (list->count == list->capacity) {
        void *grown = trxi_pool_grow(trxi_draft_pool(reader->draft), list->items, list->count, &list->capacity,
                                     sizeof *list->items);
        if (!grown) reader->draft->memory = false;
        if (!grown) return;
        list->items = grown;
    }
    list->items[list->count++] = node;
}
