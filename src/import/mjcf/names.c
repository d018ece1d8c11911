// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Names of an MJCF file: one namespace per kind of thing, any characters. These names only serve to find things while
// the file is read; the draft makes the names of the result.

#include "import/mjcf/mjcf.h"

#include <string.h>

static const char *const words[] = {"default class", "body",     "joint",  "geom",    "site",
                                    "mesh",          "material", "tendon", "actuator", "hfield"};

static const char *key_of(trxi_mjcf *reader, trxi_mjcf_kind kind, const char *name)
{
    return trxi_draft_printf(reader->draft, "%d:%s", (int)kind, name);
}

void trxi_mjcf_bind_name(trxi_mjcf *reader, trxi_mjcf_kind kind, const char *name, trx_source source, int index)
{
    bool known = false;
    int *value = trxi_table_at(reader->draft, &reader->names, key_of(reader, kind, name), index, &known);
    if (!value) return;

    // a name may already be registered by a lookup that failed
    known = known && *value >= 0;
    if (!known) *value = index;
    if (kind == TRXI_MJCF_BODY && strcmp(name, "world") == 0)
        trxi_error_at(reader->context, source,
                      "the name 'world' is that of the world itself; give this body another one");
    else if (known)
        trxi_error_at(reader->context, source, "the name '%.60s' is taken by another %s; give this one another name",
                      name, words[kind]);
}

const char *trxi_mjcf_bind(trxi_mjcf *reader, trxi_mjcf_kind kind, trxi_xml_node *node, int index)
{
    const char *name = trxi_xml_get(node, "name");
    if (!name || !*name) return NULL;
    trxi_mjcf_bind_name(reader, kind, name, node->source, index);
    return name;
}

// no similar names are suggested, because names in robots are all similar
int trxi_mjcf_find(trxi_mjcf *reader, trxi_mjcf_kind kind, const char *name)
{
    bool known = false;
    int *value = trxi_table_at(reader->draft, &reader->names, key_of(reader, kind, name), -1, &known);
    return value ? *value : -1;
}

int trxi_mjcf_refer(const trxi_mjcf_element *e, const char *key, trxi_mjcf_kind kind)
{
    trx_source where;
    const char *name = trxi_mjcf_text(e, key, &where);
    if (!name || !*name) return -1;
    int index = trxi_mjcf_find(e->reader, kind, name);
    if (index < 0)
        trxi_mjcf_error(e, where, key, "%s of this %s is '%.60s'; there is no %s of that name", key, e->node->name,
                        name, words[kind]);
    return index;
}
