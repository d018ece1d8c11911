// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Contact extensions of simulators in URDF, as far as they are supported: friction of a link's collision geometry
// (<gazebo reference="LINK"><mu1>), and groups of links that do not touch (<drake:collision_filter_group>). A group
// that ignores another group excludes every pair of a member of the one and a member of the other. A group that
// ignores itself excludes every pair of its members.

#include "import/urdf/urdf.h"

#include <math.h>
#include <string.h>

enum { MAX_EXCLUDES = 100000, MAX_NESTED = 1000000 };

typedef struct group {
    trxi_xml_node *node;
    int *own, *inner; // bodies and groups that the element names as members
    int nown, ninner;
    int *members;     // bodies of the group and of all groups in it, each once
    int nmember;
} group;

typedef struct groups {
    trxi_urdf *urdf;
    group *items;
    int count, capacity;
    trxi_table names;
    int *queue, *bodies;   // groups and members that a walk has found
    int nqueue, nbody;
    int *visited, *taken;  // for each group and each body: 1 + the group whose walk found it last
    int nested;            // groups and members that the walks found inside other groups
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
        g->own[g->nown++] = all->urdf->links[link].body;
}

// the members that the element names; the arrays have room for one per child
static bool read_group(groups *all, group *g)
{
    trxi_xml_node *node;
    g->own = TRXI_DRAFT_TAKE(all->urdf->draft, int, g->node->count + 1);
    g->inner = TRXI_DRAFT_TAKE(all->urdf->draft, int, g->node->count + 1);
    if (!g->own || !g->inner) return false;
    for (int i = 0; (node = trxi_element_next(g->node, "member", &i));) add_member(all, g, node);
    for (int i = 0; (node = trxi_element_next(g->node, "member_group", &i));) {
        const group *inner = find_group(all, node);
        if (inner) g->inner[g->ninner++] = (int)(inner - all->items);
    }
    return trxi_draft_ok(all->urdf->draft);
}

static bool begin_walks(groups *all)
{
    trxi_draft *draft = all->urdf->draft;
    const int nbody = trxi_draft_body_count(draft);
    all->queue = TRXI_DRAFT_TAKE(draft, int, all->count + 1);
    all->visited = TRXI_DRAFT_TAKE(draft, int, all->count + 1);
    all->bodies = TRXI_DRAFT_TAKE(draft, int, nbody + 1);
    all->taken = TRXI_DRAFT_TAKE(draft, int, nbody + 1);
    return all->queue && all->visited && all->bodies && all->taken;
}

// takes the own members of a group, and puts the groups in it into the queue, each once for each walk
static void visit(groups *all, const group *g, int walk)
{
    for (int k = 0; k < g->nown; k++) {
        if (all->taken[g->own[k]] != walk) all->bodies[all->nbody++] = g->own[k];
        all->taken[g->own[k]] = walk;
    }
    for (int k = 0; k < g->ninner; k++) {
        if (all->visited[g->inner[k]] != walk) all->queue[all->nqueue++] = g->inner[k];
        all->visited[g->inner[k]] = walk;
    }
}

// finds the members of a group by a walk over the groups in it, at any depth and in any order of the file; groups may contain each
// other. False when memory is out or when all groups together contain too much (reported)
static bool find_members(groups *all, int index)
{
    group *g = &all->items[index];
    all->nbody = 0, all->nqueue = 1;
    all->queue[0] = index;
    all->visited[index] = index + 1;
    for (int at = 0; at < all->nqueue; at++) {
        const group *next = &all->items[all->queue[at]];
        if (at > 0) all->nested += 1 + next->nown + next->ninner;
        if (all->nested > MAX_NESTED) {
            trxi_error_at(all->urdf->context, g->node->source, "collision filter groups contain more than %d groups and members",
                          MAX_NESTED);
            return false;
        }
        visit(all, next, index + 1);
    }
    g->members = TRXI_DRAFT_TAKE(all->urdf->draft, int, all->nbody + 1);
    if (!g->members) return false;
    memcpy(g->members, all->bodies, (size_t)all->nbody * sizeof *g->members);
    g->nmember = all->nbody;
    return true;
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
        if (!read_group(&all, &all.items[k])) return;
    if (!begin_walks(&all)) return;
    for (int k = 0; k < all.count; k++)
        if (!find_members(&all, k)) return;
    for (int k = 0; k < all.count; k++) {
        for (int i = 0; (node = trxi_element_next(all.items[k].node, "ignored_collision_filter_group", &i));) {
            const group *other = find_group(&all, node);
            if (other && !ignore_group(&all, &all.items[k], other)) return;
        }
    }
}
