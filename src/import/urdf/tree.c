// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The tree of a URDF robot. Links and joints are collected by name and connected. Then every link must be the child
// of at most one joint, at most one link may be the child of none (the root), and no chain of parents may be a cycle.
// If no link is called world, a parent of this name is the world, and its children are not roots.

#include "import/urdf/urdf.h"

#include <math.h>
#include <string.h>

static const char *const TYPES[] = {"fixed", "revolute", "continuous", "prismatic", "floating", "planar", "ball"};
enum { NTYPE = sizeof TYPES / sizeof *TYPES };

// ---- links ----

static bool read_links(trxi_urdf *urdf)
{
    trxi_xml_node *node;
    for (int i = 0; trxi_element_next(urdf->root, "link", &i);) urdf->nlink++;
    urdf->links = TRXI_DRAFT_TAKE(urdf->draft, trxi_urdf_link, urdf->nlink + 1);
    if (!urdf->links) return false;
    urdf->nlink = 0;
    for (int i = 0; (node = trxi_element_next(urdf->root, "link", &i));) {
        const char *name = trxi_urdf_text(urdf, node, "name");
        bool known;
        const int *index = name ? trxi_table_at(urdf->draft, &urdf->link_names, name, urdf->nlink, &known) : NULL;
        if (!index) continue;
        if (known)
            trxi_error_at(urdf->context, node->source,
                          "the link \"%.100s\" is already defined on line %d: rename one of them", name,
                          urdf->links[*index].node->source.line);
        else
            urdf->links[urdf->nlink++] = (trxi_urdf_link){.name = name,
                                                          .node = node,
                                                          .joint = TRXI_URDF_NONE,
                                                          .first_joint = TRXI_URDF_NONE,
                                                          .body = TRXI_URDF_WORLD,
                                                          .friction = NAN,
                                                          .density = NAN};
    }
    if (urdf->nlink == 0)
        trxi_error_at(urdf->context, urdf->root->source, "the robot has no links: write <link name=\"...\"/>");
    return urdf->nlink > 0;
}

// ---- joints ----

static bool read_type(trxi_urdf *urdf, trxi_urdf_joint *joint)
{
    const char *type = trxi_urdf_text(urdf, joint->node, "type");
    if (!type) return false;
    for (int i = 0; i < NTYPE; i++) {
        joint->type = (trxi_urdf_type)i;
        if (strcmp(type, TYPES[i]) == 0) return true;
    }
    joint->type = TRXI_URDF_BALL;
    if (strcmp(type, "spherical") == 0) return true;
    trxi_error_at(urdf->context, joint->node->source,
                  "joint \"%.100s\": type \"%.60s\" is not served: write fixed, revolute, continuous, prismatic, "
                  "floating, "
                  "planar or ball",
                  joint->name, type);
    return false;
}

// the link named by <parent> or <child>
static int read_end(trxi_urdf *urdf, const trxi_urdf_joint *joint, const char *which)
{
    trxi_xml_node *end = trxi_xml_child(joint->node, which);
    if (!end) {
        trxi_error_at(urdf->context, joint->node->source, "joint \"%.100s\" has no <%s>: write <%s link=\"...\"/>",
                      joint->name, which, which);
        return TRXI_URDF_NONE;
    }
    const char *name = trxi_urdf_text(urdf, end, "link");
    if (!name) return TRXI_URDF_NONE;
    bool world = strcmp(which, "parent") == 0 && strcmp(name, "world") == 0;
    if (!world || trxi_table_find(&urdf->link_names, name) >= 0) return trxi_urdf_find_link(urdf, end, name);
    trxi_draft_tally(urdf->draft, TRX_NOTE_ASSUMED, end->source, "the parent of ", "joint", "joints",
                     " is the world: there is no link of that name");
    return TRXI_URDF_WORLD;
}

static bool join(trxi_urdf *urdf, trxi_urdf_joint *joint, int index)
{
    bool fine = read_type(urdf, joint);
    joint->parent = read_end(urdf, joint, "parent");
    joint->child = read_end(urdf, joint, "child");
    if (!fine || joint->parent == TRXI_URDF_NONE || joint->child < 0) return false;
    trxi_urdf_link *child = &urdf->links[joint->child];
    if (child->joint != TRXI_URDF_NONE) {
        const trxi_urdf_joint *other = &urdf->joints[child->joint];
        trxi_error_at(urdf->context, joint->node->source,
                      "link \"%.100s\" is already the child of joint \"%.100s\" (line %d): remove one of the two joints",
                      child->name, other->name, other->node->source.line);
        return false;
    }
    child->joint = index;
    return true;
}

static bool read_joints(trxi_urdf *urdf)
{
    trxi_xml_node *node;
    int count = 0;
    for (int i = 0; trxi_element_next(urdf->root, "joint", &i);) count++;
    urdf->joints = TRXI_DRAFT_TAKE(urdf->draft, trxi_urdf_joint, count + 1);
    if (!urdf->joints) return false;
    bool fine = true;
    for (int i = 0; (node = trxi_element_next(urdf->root, "joint", &i));) {
        const char *name = trxi_urdf_text(urdf, node, "name");
        bool known = false;
        const int *index = name ? trxi_table_at(urdf->draft, &urdf->joint_names, name, urdf->njoint, &known) : NULL;
        if (known)
            trxi_error_at(urdf->context, node->source,
                          "the joint \"%.100s\" is already defined on line %d: rename one of them", name,
                          urdf->joints[*index].node->source.line);
        fine &= index && !known;
        if (!index || known) continue;
        urdf->joints[urdf->njoint] = (trxi_urdf_joint){.name = name, .node = node, .next_joint = TRXI_URDF_NONE};
        fine &= join(urdf, &urdf->joints[urdf->njoint], urdf->njoint);
        urdf->njoint++;
    }
    return fine;
}

// ---- one tree ----

// the link above a link; TRXI_URDF_NONE for a root and for a child of the world
static int parent_of(const trxi_urdf *urdf, int link)
{
    int joint = urdf->links[link].joint;
    return joint >= 0 && urdf->joints[joint].parent >= 0 ? urdf->joints[joint].parent : TRXI_URDF_NONE;
}

static void report_cycle(trxi_urdf *urdf, int link)
{
    // a cycle is reported at its joint that comes first in the file
    int first = urdf->links[link].joint, count = 1;
    for (int at = parent_of(urdf, link); at != link; at = parent_of(urdf, at), count++)
        if (urdf->links[at].joint < first) first = urdf->links[at].joint;
    const trxi_urdf_joint *joint = &urdf->joints[first];
    trxi_error_at(urdf->context, joint->node->source,
                  "joint \"%.100s\" closes a loop of %d links through \"%.100s\": remove one of its joints", joint->name,
                  count, urdf->links[joint->child].name);
}

// each link is followed upwards once: `seen` holds the number of the pass that reached it
static bool check_cycles(trxi_urdf *urdf)
{
    int *seen = TRXI_DRAFT_TAKE(urdf->draft, int, urdf->nlink);
    bool fine = seen != NULL;
    for (int i = 0; seen && i < urdf->nlink; i++) {
        int at = i;
        while (at >= 0 && seen[at] == 0) {
            seen[at] = i + 1;
            at = parent_of(urdf, at);
        }
        if (at < 0 || seen[at] != i + 1) continue;
        report_cycle(urdf, at);
        fine = false;
    }
    return fine;
}

static bool find_base(trxi_urdf *urdf)
{
    urdf->base = TRXI_URDF_WORLD;
    bool fine = true;
    for (int i = 0; i < urdf->nlink; i++) {
        if (urdf->links[i].joint != TRXI_URDF_NONE) continue;
        if (urdf->base < 0) {
            urdf->base = i;
            continue;
        }
        fine = false;
        const trxi_urdf_link *base = &urdf->links[urdf->base], *link = &urdf->links[i];
        trxi_error_at(urdf->context, link->node->source,
                      "link \"%.100s\" hangs on nothing, and so does \"%.100s\" (line %d): a robot has one root; add a "
                      "joint "
                      "with <child link=\"%.100s\"/>",
                      link->name, base->name, base->node->source.line, link->name);
    }
    return fine;
}

// lists of the joints below each link, in the order of the file
static void list_children(trxi_urdf *urdf)
{
    urdf->first_on_world = TRXI_URDF_NONE;
    for (int j = urdf->njoint - 1; j >= 0; j--) {
        trxi_urdf_joint *joint = &urdf->joints[j];
        int *first = joint->parent >= 0 ? &urdf->links[joint->parent].first_joint : &urdf->first_on_world;
        joint->next_joint = *first;
        *first = j;
    }
}

bool trxi_urdf_tree(trxi_urdf *urdf)
{
    if (!read_links(urdf)) return false;
    int errors = trx_context_error_count(urdf->context);
    bool fine = read_joints(urdf);
    if (!trxi_draft_ok(urdf->draft) || !check_cycles(urdf)) return false;
    if (!fine || trx_context_error_count(urdf->context) > errors) return false;
    if (!find_base(urdf)) return false;
    list_children(urdf);
    return true;
}
