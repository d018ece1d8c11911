// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Pairs of bodies that never touch, and pairs of geoms with a law of their own. If the masks exclude a pair, one of its
// geoms gets a type bit that no other geom has, and the other geom gets this bit in its mask. The bit serves all pairs of
// the first geom.
//
// Torsional and rolling friction are lengths of materials here: a pair takes the larger length among geoms whose
// dimension enables it. MuJoCo takes the larger of both lengths as soon as one of the geoms has the dimension.
// Pairs with a different result are noted.

#include "import/mjcf/mjcf.h"

#include <math.h>
#include <string.h>

// a body by name; -2 when there is none (reported) or the world has no geometry
static int body_of(trxi_mjcf *reader, const trxi_mjcf_element *e, const char *key)
{
    const char *name = trxi_mjcf_required(e, key);
    if (name && strcmp(name, "world") == 0) return reader->world >= 0 ? reader->world : -2;
    int index = name ? trxi_mjcf_refer(e, key, TRXI_MJCF_BODY) : -1;
    return index < 0 ? -2 : TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, index)->draft;
}

static void read_exclude(trxi_mjcf *reader, trxi_xml_node *node)
{
    trxi_mjcf_element e = trxi_mjcf_plain(reader, node);
    int a = body_of(reader, &e, "body1"), b = body_of(reader, &e, "body2");
    if (a < 0 || b < 0) return;
    trx_pair_selector *pair = trxi_draft_exclude(reader->draft, node->source);
    pair->a.body = a;
    pair->b.body = b;
}

// a bit that no geometry uses
static unsigned spare_bit(trxi_mjcf *reader)
{
    unsigned taken = 0;
    for (int i = 0; i < reader->geoms.count; i++) {
        const trxi_mjcf_geom *geom = TRXI_MJCF_AT(reader->geoms, trxi_mjcf_geom, i);
        const trx_geometry_def *def = trxi_draft_geometry_at(reader->draft, geom->body, geom->index);
        taken |= def->collision_type | def->collision_mask;
    }
    return ~taken & (taken + 1);
}

static void let_meet(trxi_mjcf *reader, trxi_xml_node *node, trxi_mjcf_geom *const geoms[2], trx_geometry_def *const def[2])
{
    bool meet = def[0]->collide && def[1]->collide &&
                ((def[0]->collision_type & def[1]->collision_mask) || (def[1]->collision_type & def[0]->collision_mask));
    if (meet) return;
    const int centre = geoms[1]->bit && !geoms[0]->bit ? 1 : 0;
    if (!geoms[centre]->bit) geoms[centre]->bit = spare_bit(reader);
    if (!geoms[centre]->bit) {
        trxi_draft_note(reader->draft, TRX_NOTE_DROPPED, node->source,
                        "this pair of geoms: their masks keep them apart, and all 32 bits are taken");
        return;
    }
    for (int i = 0; i < 2; i++) {
        if (!def[i]->collide) def[i]->material = trxi_mjcf_touching_material(reader, geoms[i]);
        def[i]->collide = true;
    }
    def[centre]->collision_type |= geoms[centre]->bit;
    def[1 - centre]->collision_mask |= geoms[centre]->bit;
}

// the uppermost body to which this body is welded
static int weld_root(const trxi_mjcf *reader, int body)
{
    int parent = trxi_draft_body_at(reader->draft, body)->parent;
    while (parent >= 0 && trxi_draft_joint_count(reader->draft, body) == 0) {
        body = parent;
        parent = trxi_draft_body_at(reader->draft, body)->parent;
    }
    return body;
}

static bool is_fixed(const trxi_mjcf *reader, int body)
{
    return trxi_draft_joint_count(reader->draft, weld_root(reader, body)) == 0;
}

// MuJoCo's filter of contacts between parent and child does not apply to parents that are fixed to the world. The options may
// replace the free joint of the first body. If this fixes the first body, it still counts as a parent that moves, as in the file
static void let_fixed_bodies_touch(trxi_mjcf *reader)
{
    int freed = -1;
    for (int i = 0; i < reader->joints.count; i++) {
        const trxi_mjcf_joint *joint = TRXI_MJCF_AT(reader->joints, trxi_mjcf_joint, i);
        if (joint->index < 0) freed = TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, joint->body)->draft;
    }
    for (int i = 0; i < trxi_draft_body_count(reader->draft); i++)
        trxi_draft_body_at(reader->draft, i)->touches_children = is_fixed(reader, i) && weld_root(reader, i) != freed;
}

// whether `other` is the parent of a body and may not touch its children; bodies welded to either count as the same body
static bool hangs_on(const trxi_mjcf *reader, int body, int other)
{
    int parent = trxi_draft_body_at(reader->draft, weld_root(reader, body))->parent;
    if (parent < 0 || trxi_draft_body_at(reader->draft, parent)->touches_children) return false;
    return weld_root(reader, parent) == weld_root(reader, other);
}

// notes a pair of geoms that never meet here, because of their bodies; in MuJoCo a pair always meets
static void note_kept_apart(trxi_mjcf *reader, trxi_xml_node *node, int a, int b)
{
    bool still = weld_root(reader, a) == weld_root(reader, b) || (is_fixed(reader, a) && is_fixed(reader, b));
    bool neighbours = hangs_on(reader, a, b) || hangs_on(reader, b, a);
    if (still || (neighbours && !reader->draft->allow_adjacent))
        trxi_draft_note(reader->draft, TRX_NOTE_DROPPED, node->source, "this pair of geoms: %s never meet",
                        still ? "bodies that do not move against each other" : "a body and its parent");
}

// lengths of a pair by its materials, and by MuJoCo's rule
typedef struct lengths {
    double torsional, rolling;
} lengths;

static lengths lengths_here(const trxi_mjcf *reader, const trxi_mjcf_geom *a, const trxi_mjcf_geom *b)
{
    const trx_material_def *given = &reader->draft->options.material;
    return (lengths){fmax(a->dimension >= 4 ? a->torsional : given->torsional_friction,
                          b->dimension >= 4 ? b->torsional : given->torsional_friction),
                     fmax(a->dimension == 6 ? a->rolling : given->rolling_friction,
                          b->dimension == 6 ? b->rolling : given->rolling_friction)};
}

static lengths lengths_there(const trxi_mjcf_geom *a, const trxi_mjcf_geom *b)
{
    int dimension = a->dimension > b->dimension ? a->dimension : b->dimension;
    return (lengths){dimension >= 4 ? fmax(a->torsional, b->torsional) : 0, dimension == 6 ? fmax(a->rolling, b->rolling) : 0};
}

// friction of a pair, with lengths 0 if its dimension has none
static void read_pair_friction(const trxi_mjcf_element *e, trxi_mjcf_geom *const geoms[2], trx_pair_override *override)
{
    double friction[5] = {1, 1, 0.005, 0.0001, 0.0001}; // MuJoCo's default of a pair; friction of the geoms does not count
    int dimension = trxi_mjcf_dimension(e);
    trxi_mjcf_numbers_over(e, "friction", 5, friction);
    for (int i = 0; i < 5; i++)
        if (friction[i] < 0)
            trxi_mjcf_error(e, e->node->source, "friction", "friction of this pair is %g; it must not be negative", friction[i]);
    override->friction = dimension == 1 ? 0 : fmax(friction[0], 0);

    lengths here = lengths_here(e->reader, geoms[0], geoms[1]);
    lengths there = {dimension >= 4 ? friction[2] : 0, dimension == 6 ? fmax(friction[3], friction[4]) : 0};
    if (here.torsional > 0 && there.torsional == 0) override->torsional_friction = here.torsional = 0;
    if (here.rolling > 0 && there.rolling == 0) override->rolling_friction = here.rolling = 0;
    if (here.torsional != there.torsional || here.rolling != there.rolling)
        trxi_draft_note(e->reader->draft, TRX_NOTE_REPLACED, e->node->source,
                        "this pair of geoms: torsional and rolling friction are those of the geoms, %g and %g m, not %g and %g m",
                        here.torsional, here.rolling, there.torsional, there.rolling);
}

static void read_pair(trxi_mjcf *reader, trxi_xml_node *node)
{
    trxi_mjcf_element e = {reader, node, "pair", trxi_mjcf_class_of(reader, node, "class", NULL)};
    static const char *const keys[2] = {"geom1", "geom2"};
    trx_geometry_selector selector[2];
    trx_geometry_def *def[2] = {NULL, NULL};
    trxi_mjcf_geom *geoms[2] = {NULL, NULL};
    bool left_out = false;
    for (int i = 0; i < 2; i++) {
        int index = trxi_mjcf_required(&e, keys[i]) ? trxi_mjcf_refer(&e, keys[i], TRXI_MJCF_GEOM) : -1;
        left_out |= index == TRXI_MJCF_LEFT_OUT;
        if (index < 0 || index == TRXI_MJCF_LEFT_OUT) continue;
        const trxi_mjcf_geom *geom = geoms[i] = TRXI_MJCF_AT(reader->geoms, trxi_mjcf_geom, index);
        def[i] = trxi_draft_geometry_at(reader->draft, geom->body, geom->index);
        selector[i] = (trx_geometry_selector){geom->body, geom->index};
    }
    if (left_out)
        trxi_draft_tally(reader->draft, TRX_NOTE_MISSING, node->source, "", "pair of geoms", "pairs of geoms",
                         ": one of the geoms is left out");
    if (!def[0] || !def[1]) return;
    let_meet(reader, node, geoms, def);
    note_kept_apart(reader, node, selector[0].body, selector[1].body);

    trx_pair_override override = trx_pair_override_default();
    override.pair.a = selector[0];
    override.pair.b = selector[1];
    read_pair_friction(&e, geoms, &override);
    trx_pair_override *kept = trxi_draft_override(reader->draft, node->source);
    override.pair.source = kept->pair.source;
    *kept = override;
}

static void read_contact(trxi_mjcf *reader, trxi_xml_node *node)
{
    if (strcmp(node->name, "exclude") == 0) read_exclude(reader, node);
    if (strcmp(node->name, "pair") == 0) read_pair(reader, node);
}

static bool may_touch(const trxi_mjcf *reader, const trxi_mjcf_geom *a, const trxi_mjcf_geom *b)
{
    if (a->body == b->body || (is_fixed(reader, a->body) && is_fixed(reader, b->body))) return false;
    const trx_geometry_def *one = trxi_draft_geometry_at(reader->draft, a->body, a->index);
    const trx_geometry_def *other = trxi_draft_geometry_at(reader->draft, b->body, b->index);
    return one->collide && other->collide &&
           ((one->collision_type & other->collision_mask) || (other->collision_type & one->collision_mask));
}

// ---- pairs of unlike geoms ----

// geoms with the same dimension and coefficients are of one kind. Most files have few kinds, so pairs of unlike kinds are found
// without a loop over all pairs
typedef struct kinds {
    int *newest; // of each kind, its last geom so far
    int *before; // of each geom, the geom of its kind before it, -1: none
    int count;
} kinds;

static const trxi_mjcf_geom *geom_at(const trxi_mjcf *reader, int index)
{
    return TRXI_MJCF_AT(reader->geoms, trxi_mjcf_geom, index);
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool same_kind(const trxi_mjcf_geom *a, const trxi_mjcf_geom *b)
{
    return a->dimension == b->dimension && a->torsional == b->torsional && a->rolling == b->rolling &&
           same_number(a->friction, b->friction);
}

static void add_to_kind(const trxi_mjcf *reader, kinds *all, int index)
{
    int kind = 0;
    while (kind < all->count && !same_kind(geom_at(reader, all->newest[kind]), geom_at(reader, index))) kind++;
    all->before[index] = kind < all->count ? all->newest[kind] : -1;
    all->newest[kind] = index;
    if (kind == all->count) all->count++;
}

typedef bool geom_relation(const trxi_mjcf *reader, const trxi_mjcf_geom *a, const trxi_mjcf_geom *b);
typedef bool geom_note(trxi_mjcf *reader, const trxi_mjcf_geom *later);

// calls `note` with the later geom of each pair of geoms that may touch and whose kinds are unlike, until `note` returns false
static void each_unlike_pair(trxi_mjcf *reader, geom_relation *unlike, geom_note *note)
{
    const int count = reader->geoms.count;
    kinds all = {.newest = TRXI_DRAFT_TAKE(reader->draft, int, count + 1),
                 .before = TRXI_DRAFT_TAKE(reader->draft, int, count + 1)};
    if (!all.newest || !all.before) return;
    for (int i = 0; i < count; i++) {
        const trxi_mjcf_geom *later = geom_at(reader, i);
        for (int kind = 0; kind < all.count; kind++) {
            if (!unlike(reader, geom_at(reader, all.newest[kind]), later)) continue;
            for (int k = all.newest[kind]; k >= 0; k = all.before[k])
                if (may_touch(reader, geom_at(reader, k), later) && !note(reader, later)) return;
        }
        if (trxi_draft_geometry_at(reader->draft, later->body, later->index)->collide) add_to_kind(reader, &all, i);
    }
}

// whether a pair has other lengths here than in MuJoCo: the geom with the larger length lacks the dimension for it, or the options
// give a length
static bool have_other_lengths(const trxi_mjcf *reader, const trxi_mjcf_geom *a, const trxi_mjcf_geom *b)
{
    const lengths here = lengths_here(reader, a, b), there = lengths_there(a, b);
    return here.torsional != there.torsional || here.rolling != there.rolling;
}

static bool note_lengths(trxi_mjcf *reader, const trxi_mjcf_geom *later)
{
    trxi_draft_tally(reader->draft, TRX_NOTE_REPLACED, trxi_draft_geometry_at(reader->draft, later->body, later->index)->source,
                     "torsional and rolling friction of ", "pair of geoms", "pairs of geoms",
                     ": the larger of those that condim lets count, where MuJoCo takes the larger of all");
    return true;
}

static bool have_other_friction(const trxi_mjcf *reader, const trxi_mjcf_geom *a, const trxi_mjcf_geom *b)
{
    const double usual = reader->draft->options.material.friction;
    const bool slippery = a->dimension == 1 && b->dimension == 1;
    return !slippery && (isnan(a->friction) ? usual : a->friction) != (isnan(b->friction) ? usual : b->friction);
}

// one note, at the later geom of the first pair that may touch and has different frictions
static bool note_larger_friction(trxi_mjcf *reader, const trxi_mjcf_geom *later)
{
    trxi_draft_note(reader->draft, TRX_NOTE_ASSUMED, trxi_draft_geometry_at(reader->draft, later->body, later->index)->source,
                    "two geoms of this file have the larger of their frictions, as in MuJoCo; a geom and "
                    "another body have the mean");
    return false;
}

void trxi_mjcf_read_contact(trxi_mjcf *reader)
{
    let_fixed_bodies_touch(reader);
    if (reader->off.contact) return;
    each_unlike_pair(reader, have_other_lengths, note_lengths);
    each_unlike_pair(reader, have_other_friction, note_larger_friction);
    trxi_mjcf_each(reader, "contact", read_contact);
}
