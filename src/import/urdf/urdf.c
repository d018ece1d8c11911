// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// URDF: a robot of links and joints. Links become bodies in the order of the tree, each with the joint that moves
// it: a URDF link frame is the frame behind its joint, like a body's frame here. Links on fixed joints stay bodies
// without joint, so that their names can be used. A root link called world is the world itself; so is a
// parent called world when no link has this name.
//
// Open choices of URDF are decided here and noted: the root is fixed unless the options say otherwise. Supported
// extensions of simulators are read. Every other element and attribute is reported.

#include "import/urdf/urdf.h"

#include "import/pose.h"

#include <math.h>
#include <string.h>

// ---- links that are in the world ----

static bool is_world(const trxi_urdf_link *link)
{
    return link->joint == TRXI_URDF_NONE && strcmp(link->name, "world") == 0;
}

static bool has_content(const trxi_xml_node *link)
{
    for (int i = 0; i < link->count; i++) {
        const char *name = link->items[i]->name;
        if (strcmp(name, "collision") == 0 || strcmp(name, "visual") == 0) return true;
    }
    return false;
}

// the root: a body with the joint of the options; if the root is the world, it becomes a body only for its geometry
static void read_base(trxi_urdf *urdf)
{
    trxi_draft *draft = urdf->draft;
    trxi_urdf_link *link = urdf->base >= 0 ? &urdf->links[urdf->base] : NULL;
    trx_base wanted = draft->options.base;
    bool fixed = wanted == TRX_BASE_FIXED || wanted == TRX_BASE_OF_FILE;
    if (!fixed && (!link || is_world(link)))
        trxi_error_at(urdf->context, urdf->root->source,
                      "base: %s, but this robot's joints hold it in the world; write base: fixed, or remove the link "
                      "world and its joints",
                      wanted == TRX_BASE_FREE ? "free" : "planar");
    if (!link) return;
    if (is_world(link)) {
        link->body = TRXI_URDF_WORLD;
        if (!has_content(link->node)) return;
        link->new_name = trxi_draft_name(draft, link->name, "link", link->node->source);
    }
    trxi_urdf_base_read(urdf, link);
    trxi_urdf_link_read(urdf, link);
}

// ---- the tree, depth first ----

static void push_children(const trxi_urdf *urdf, int first, int *stack, int *count)
{
    int from = *count;
    for (int j = first; j >= 0; j = urdf->joints[j].next_joint) stack[(*count)++] = j;
    for (int a = from, b = *count - 1; a < b; a++, b--) {
        int other = stack[a];
        stack[a] = stack[b], stack[b] = other;
    }
}

static void read_bodies(trxi_urdf *urdf)
{
    int *stack = TRXI_DRAFT_TAKE(urdf->draft, int, urdf->njoint + 1), count = 0;
    if (!stack) return;
    read_base(urdf);
    if (urdf->base >= 0) push_children(urdf, urdf->links[urdf->base].first_joint, stack, &count);
    push_children(urdf, urdf->first_on_world, stack, &count);
    while (count > 0 && trxi_draft_ok(urdf->draft)) {
        trxi_urdf_joint *joint = &urdf->joints[stack[--count]];
        trxi_urdf_link *link = &urdf->links[joint->child];
        int parent = joint->parent >= 0 && !is_world(&urdf->links[joint->parent]) ? urdf->links[joint->parent].body : -1;
        trxi_urdf_joint_read(urdf, joint, parent);
        trxi_urdf_link_read(urdf, link);
        push_children(urdf, link->first_joint, stack, &count);
    }
}

// names of links before names of joints, so that links keep their names
static void name_links(trxi_urdf *urdf)
{
    for (int i = 0; i < urdf->nlink; i++) {
        trxi_urdf_link *link = &urdf->links[i];
        if (!is_world(link)) link->new_name = trxi_draft_name(urdf->draft, link->name, "link", link->node->source);
    }
}

// reports a file for xacro, whose macros must be expanded first, and returns true
static bool refuse_xacro(const trxi_urdf *urdf)
{
    for (int i = 0; i < urdf->root->count; i++) {
        const trxi_xml_node *node = urdf->root->items[i];
        if (strncmp(node->name, "xacro:", 6) != 0) continue;
        trxi_error_at(urdf->context, node->source,
                      "<%.60s>: this is a file for xacro, which makes the robot: run xacro FILE > "
                      "ROBOT.urdf, and read that",
                      node->name);
        return true;
    }
    return false;
}

void trxi_urdf_read(trxi_draft *draft, trxi_xml_node *root)
{
    trxi_urdf urdf = {.draft = draft, .context = draft->context, .root = root};
    trxi_xml_get(root, "name");
    trxi_xml_get(root, "version");
    if (refuse_xacro(&urdf) || !trxi_urdf_tree(&urdf)) return;
    trxi_urdf_colors(&urdf);
    trxi_urdf_frictions(&urdf);
    name_links(&urdf);
    read_bodies(&urdf);
    if (!trxi_draft_ok(draft)) return;
    trxi_urdf_mimics(&urdf);
    trxi_urdf_drives(&urdf);
    trxi_urdf_filters(&urdf);
    trxi_draft_note_unused(draft, root);
}
