// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Contact extensions of simulators in URDF, as far as they are supported: friction of a link's collision geometry
// (<gazebo reference="LINK"><mu1>), and groups of links that do not touch (<drake:collision_filter_group>). A group
// that ignores another group excludes every pair of a member of the one and a member of the other. A group that
// ignores itself excludes every pair of its members.

#include "import/urdf/urdf.h"

#include <math.h>
#include <string.h>

enum { MAX_EXCLUDES = 100000 };

typedef struct group {
    trxi_xml_node *node;
    int *members; // bodies
    int nmember;
} group;

typedef struct groups {
    trxi_urdf *urdf;
    group *items;
    int count, capacity;
    trxi_table names;
    int excludes;
} groups;

// ---- friction ----

void trxi_urdf_frictions(trxi_urdf *urdf)
{
    trxi_xml_node *node;
    for (int i = 0; i < urdf->root->count; i++) {
        node = urdf->root->items[i];
        const char *link = strcmp(node->name, "gazebo") == 0 ? trxi_xml_get(node, "reference") : NULL;
        int index = link ? trxi_table_find(&urdf->link_names, link) : -1;
        double friction;
        if (index < 0 || !trxi_urdf_value(urdf, node, "mu1", &friction)) continue;
        node->used = true;
        urdf->links[index].friction = friction;
    }
}

// ---- groups of links that do not touch ----

static void collect_groups(groups *all)
{
    trxi_draft *draft = all->urdf->draft;
    trxi_xml_node *node;
    for (int i = 0; trxi_element_next(all->urdf->root, "collision_filter_group", &i);) all->capacity++;
    all->items = all->capacity ? TRXI_DRAFT_TAKE(draft, group, all->capacity) : NULL;
    for (int i = 0; all->items && (node = trxi_element_next(all->urdf->root, "collision_filter_group", &i));) {
        const char *name = trxi_urdf_text(all->urdf, node, "name");
        bool known;
        const int *index = name ? trxi_table_at(draft, &all->names, name, all->count, &known) : NULL;
        if (!index) continue;
        if (known)
            trxi_error_at(all->urdf->context, node->source,
                          "the collision filter group \"%.100s\" is already defined on line "
                          "%d: rename one of them",
                          name, all->items[*index].node->source.line);
        else
            all->items[all->count++] = (group){.node = node};
    }
}

// the group that `node` names; NULL when there is none (reported)
static group *find_group(groups *all, trxi_xml_node *node)
{
    const char *name = trxi_urdf_text(all->urdf, node, "name");
    int index = name ? trxi_table_find(&all->names, name) : -1;
    if (index >= 0) return &all->items[index];
    if (name)
        trxi_error_at(all->urdf->context, node->source, "<%.60s>: there is no collision filter group \"%.100s\"",
                      node->name, name);
    return NULL;
}

static void add_member(groups *all, group *g, trxi_xml_node *node)
{
    const char *name = trxi_urdf_text(all->urdf, node, "link");
    if (!name) return;
    int link = trxi_table_find(&all->urdf->link_names, name);
    if (link < 0)
        trxi_draft_note(all->urdf->draft, TRX_NOTE_DROPPED, node->source,
                        "link \"%.100s\" of a collision filter group: there is no such link", name);
    else if (all->urdf->links[link].body >= 0)
        g->members[g->nmember++] = all->urdf->links[link].body;
}

// members of the group itself; the array has room for one per child
static bool read_members(groups *all, group *g)
{
    trxi_xml_node *node;
    g->members = TRXI_DRAFT_TAKE(all->urdf->draft, int, g->node->count + 1);
    for (int i = 0; g->members && (node = trxi_element_next(g->node, "member", &i));) add_member(all, g, node);
    return g->members != NULL;
}

static bool has_member(const group *g, int body)
{
    for (int i = 0; i < g->nmember; i++)
        if (g->members[i] == body) return true;
    return false;
}

// adds the members of the groups that are members of a group; the groups are taken in the order of the file, so a group brings its
// own nested members only if it comes earlier in the file
static void add_nested(groups *all, group *g)
{
    trxi_xml_node *node;
    for (int i = 0; (node = trxi_element_next(g->node, "member_group", &i));) {
        const group *other = find_group(all, node);
        if (!other || other == g || !trxi_draft_ok(all->urdf->draft)) continue;
        int *members = TRXI_DRAFT_TAKE(all->urdf->draft, int, (size_t)g->nmember + (size_t)other->nmember + 1);
        if (!members) return;
        memcpy(members, g->members, (size_t)g->nmember * sizeof *members);
        g->members = members;
        for (int k = 0; k < other->nmember; k++)
            if (!has_member(g, other->members[k])) g->members[g->nmember++] = other->members[k];
    }
}

// false when there are too many (reported)
static bool exclude(groups *all, const group *g, int a, int b)
{
    if (a == b) return true;
    if (++all->excludes > MAX_EXCLUDES) {
        trxi_error_at(all->urdf->context, g->node->source, "collision filter groups name more than %d pairs of links",
                      MAX_EXCLUDES);
        return false;
    }
    trx_pair_selector *pair = trxi_draft_exclude(all->urdf->draft, g->node->source);
    pair->a.body = a;
    pair->b.body = b;
    return true;
}

static bool ignore_group(groups *all, const group *g, const group *other)
{
    bool fine = true;
    for (int i = 0; i < g->nmember && fine; i++)
        for (int k = g == other ? i + 1 : 0; k < other->nmember && fine; k++)
            fine = exclude(all, g, g->members[i], other->members[k]);
    return fine && trxi_draft_ok(all->urdf->draft);
}

void trxi_urdf_filters(trxi_urdf *urdf)
{
    groups all = {.urdf = urdf};
    trxi_xml_node *node;
    collect_groups(&all);
    for (int k = 0; k < all.count; k++)
        if (!read_members(&all, &all.items[k])) return;
    for (int k = 0; k < all.count; k++) add_nested(&all, &all.items[k]);
    for (int k = 0; k < all.count; k++) {
        for (int i = 0; (node = trxi_element_next(all.items[k].node, "ignored_collision_filter_group", &i));) {
            const group *other = find_group(&all, node);
            if (other && !ignore_group(&all, &all.items[k], other)) return;
        }
    }
}
