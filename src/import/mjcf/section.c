// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Sections of an MJCF file: each may come several times, and from attached models with settings of their own.

#include "import/mjcf/mjcf.h"

#include <string.h>

void trxi_mjcf_each(trxi_mjcf *reader, const char *section, void (*read)(trxi_mjcf *reader, trxi_xml_node *node))
{
    for (int i = 0; i < reader->root->count; i++) {
        trxi_xml_node *node = reader->root->items[i];
        if (strcmp(node->name, section) != 0) continue;
        const trxi_mjcf_part *part = trxi_mjcf_part_at(reader, node->parent);
        const trxi_mjcf_compiler own = reader->compiler;
        if (part) reader->compiler = part->compiler;
        for (int k = 0; k < node->count && trxi_draft_ok(reader->draft); k++) read(reader, node->items[k]);
        reader->compiler = own;
    }
}
