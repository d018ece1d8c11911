// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Colours of drawn geometry. <material> of the robot gives a colour a name; <material> of a visual uses the name or
// has its own colour. A colour given in a visual is valid for later visuals with the same name, because existing
// files rely on it.

#include "import/urdf/urdf.h"

#include <string.h>

// the colour of this name; a new name has no colour yet; NULL for no name, or when memory is out
static trxi_urdf_color *named(trxi_urdf *urdf, const char *name)
{
    bool known;
    if (!name || !*name) return NULL;
    const int *index = trxi_table_at(urdf->draft, &urdf->colors, name, urdf->color_nodes.count, &known);
    if (!index) return NULL;
    return known ? urdf->color_nodes.items[*index]
                 : trxi_draft_push(urdf->draft, &urdf->color_nodes, sizeof(trxi_urdf_color));
}

// <color rgba="..."/>, into 0 ... 1
static bool read_color(trxi_urdf *urdf, trxi_xml_node *material, double rgba[4])
{
    trxi_xml_node *node = trxi_xml_child(material, "color");
    if (!node || !trxi_urdf_numbers(urdf, node, "rgba", 4, true, rgba)) return false;
    for (int i = 0; i < 4; i++) {
        if (rgba[i] >= 0 && rgba[i] <= 1) continue;
        trxi_error_at(urdf->context, node->source, "rgba=\"%.80s\": write four numbers from 0 to 1",
                      trxi_xml_get(node, "rgba"));
        return false;
    }
    return true;
}

void trxi_urdf_colors(trxi_urdf *urdf)
{
    trxi_xml_node *node;
    double rgba[4];
    for (int i = 0; (node = trxi_element_next(urdf->root, "material", &i));) {
        trxi_urdf_color *color = named(urdf, trxi_xml_get(node, "name"));
        if (!read_color(urdf, node, rgba) || !color) continue;
        memcpy(color->rgba, rgba, sizeof rgba);
        color->given = true;
    }
}

bool trxi_urdf_color_of(trxi_urdf *urdf, trxi_xml_node *visual, double rgba[4])
{
    trxi_xml_node *material = trxi_xml_child(visual, "material");
    if (!material) return false;
    const char *name = trxi_xml_get(material, "name");
    bool own = read_color(urdf, material, rgba);
    trxi_urdf_color *color = named(urdf, name);
    if (own && color && !color->given) {
        memcpy(color->rgba, rgba, sizeof color->rgba);
        color->given = true;
    }
    if (own) return true;
    if (color && color->given) {
        memcpy(rgba, color->rgba, sizeof color->rgba);
        return true;
    }
    if (name && *name && !trxi_xml_child(material, "texture") && !trxi_xml_child(material, "color"))
        trxi_draft_tally(urdf->draft, TRX_NOTE_ASSUMED, material->source, "",
                         "material has no colour:", "materials have no colour:", " nothing defines it before its use");
    return false;
}
