// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The pairs of geometries that may touch, and their laws.
//
// Every pair of geometries is tested once. A pair is dropped when its bodies cannot move relative to each other (one
// body, bodies welded together, both fixed to the world), when they are neighbours (a body and its parent), when one
// geometry does not collide, or by `exclude` and `only`. The other pairs get values from their two materials (theory
// 3),
//
//     k = k1 k2/(k1 + k2)     d = (k2 d1 + k1 d2)/(k1 + k2)     tau_d = tau1 + tau2     mu = 2 mu1 mu2/(mu1 + mu2)
//     l = max(l1, l2)         r = max(r1, r2)                   torsional, rolling; lagged only
//
// and then from the overrides: first overrides of bodies, then of geometries, later entries last. The contact point
// divides the segment between the surfaces by the materials' stiffness (theory 1); overrides do not move it. Cost:
// the square of the number of geometries, once.
//
// Pairs with equal values share a kind, and neighbouring pairs of one kind share a run (geometry/pair_table.h): memory
// grows with the number of different laws, not with the number of pairs. The search for an equal kind ends after the
// last 64 kinds; a missed kind costs memory, nothing else.

#include "geometry/contact_geometry.h"
#include "math/vec3.h"
#include "model/build.h"
#include "model/pair_law.h"

#include <assert.h>
#include <limits.h>

static void check_selector(trxi_build *build, const trx_pair_selector *pair)
{
    const trx_geometry_selector *sides[2] = {&pair->a, &pair->b};
    for (int i = 0; i < 2; i++) {
        int body = sides[i]->body, geometry = sides[i]->geometry;
        bool known = body >= 0 && body < build->def->nbody && geometry >= -1 &&
                     geometry < build->def->bodies[body].ngeometry;
        if (!known) trxi_error_at(build->context, pair->source, "this pair names a geometry that does not exist");
    }
}

// whether approximation and force law exist (else reported); `least` is 0, or -1 where -1 leaves a value unchanged
static bool check_kinds(trx_context *context, trx_source source, int approximation, int law, int least)
{
    bool known = approximation >= least && approximation <= TRX_SAP, served = law >= least && law <= TRX_IPC;
    if (!known) trxi_error_at(context, source, "there is no approximation %d", approximation);
    if (!served) trxi_error_at(context, source, "there is no force law %d", law);
    return known && served;
}

// checks the law of a pair, or the values of the definition for all pairs (base_law)
static void check_law(trx_context *context, trx_source source, const trx_pair_law *law)
{
    char text[TRXI_LAW_FLAW];
    if (!trxi_pair_law_usable(law, text)) trxi_error_at(context, source, "%s", text);
}

// the definition's values for all pairs; the materials complete the law
static trx_pair_law base_law(const trx_model_def *def)
{
    return (trx_pair_law){.approximation = def->approximation, .force_law = def->force_law, .stiffness = 1,
                          .smoothing = def->smoothing, .barrier = def->barrier, .reach = def->reach};
}

static void check_override(trxi_build *build, const trx_pair_override *override)
{
    trx_source source = override->pair.source;
    check_selector(build, &override->pair);
    check_kinds(build->context, source, override->approximation, override->force_law, -1);
    for (int i = 0; i < TRXI_LAW_NUMBERS; i++) {
        const double value = *trxi_number_of_override(override, i);
        if (!isnan(value) && !(value >= 0 && isfinite(value)))
            trxi_error_at(build->context, source, "%s is %g; it must be finite and not negative", trxi_law_numbers[i].name, value);
    }

    // a value that its law does not use is an error
    bool sap = override->approximation == TRX_SAP;
    int law = override->force_law < 0 && sap ? TRX_KELVIN_VOIGT : override->force_law;
    bool barrier = law == TRX_LOG_BARRIER || law == TRX_IPC;
    if ((law == TRX_KELVIN_VOIGT || barrier) && !isnan(override->dissipation))
        trxi_error_at(build->context, source, "dissipation does not serve %s; %s", trx_force_law_name((trx_force_law)law),
                      barrier ? "remove it" : "give relaxation_time");
    if (law >= 0 && law != TRX_KELVIN_VOIGT && !isnan(override->relaxation_time))
        trxi_error_at(build->context, source, "relaxation_time serves only kelvin_voigt; %s %s",
                      barrier ? "remove it for" : "give dissipation for", trx_force_law_name((trx_force_law)law));
}

void trxi_validate_contact(trxi_build *build)
{
    const trx_model_def *def = build->def;
    const trx_pair_law law = base_law(def);
    if (check_kinds(build->context, (trx_source){0}, (int)def->approximation, (int)def->force_law, 0))
        check_law(build->context, (trx_source){0}, &law);
    for (int i = 0; i < def->nexclude; i++) check_selector(build, &def->exclude[i]);
    for (int i = 0; i < def->nonly; i++) check_selector(build, &def->only[i]);
    for (int i = 0; i < def->noverride; i++) check_override(build, &def->overrides[i]);
}

static bool selects(const trx_model *m, const trx_geometry_selector *side, int geom)
{
    const trxi_body *body = &m->bodies[side->body];
    const int named = body->first_geom + side->geometry;
    if (side->geometry >= 0) return geom == named || m->geoms[geom].part_of == named;
    return geom >= body->first_geom && geom < body->first_geom + body->ngeom;
}

static bool selects_pair(const trx_model *m, const trx_pair_selector *pair, int i, int j)
{
    return (selects(m, &pair->a, i) && selects(m, &pair->b, j)) || (selects(m, &pair->a, j) && selects(m, &pair->b, i));
}

static bool any_selects(const trx_model *m, const trx_pair_selector *pairs, int count, int i, int j)
{
    for (int k = 0; k < count; k++)
        if (selects_pair(m, &pairs[k], i, j)) return true;
    return false;
}

// group of a body: its uppermost ancestor that it is welded to
static int weld_root(const trx_model *m, int body)
{
    while (m->bodies[body].parent >= 0 && m->bodies[m->bodies[body].parent].link == m->bodies[body].link)
        body = m->bodies[body].parent;
    return body;
}

// whether the parent of `root` (the uppermost of the bodies welded to it) is the body of `other`; bodies welded to either
// count as the same body. A body fixed to the world is a parent too, unless its file says otherwise
static bool hangs_on(const trxi_build *build, int root, const trxi_geom *other)
{
    const trx_model *m = &build->model;
    int parent = m->bodies[root].parent;
    if (parent < 0 || weld_root(m, parent) != weld_root(m, other->body)) return false;
    return other->link >= 0 || !build->def->bodies[parent].touches_children;
}

static bool adjacent(const trxi_build *build, const trxi_geom *a, const trxi_geom *b)
{
    const trx_model *m = &build->model;
    return hangs_on(build, weld_root(m, a->body), b) || hangs_on(build, weld_root(m, b->body), a);
}

static bool may_meet(const trxi_build *build, int i, int j)
{
    const trx_model_def *def = build->def;
    const trx_model *m = &build->model;
    const trxi_geom *a = &m->geoms[i], *b = &m->geoms[j];

    // one body, welded together, or both fixed to the world: the same link
    if (!a->collide || !b->collide || a->link == b->link) return false;
    if (!(a->collision_type & b->collision_mask) && !(b->collision_type & a->collision_mask)) return false;
    if (!def->allow_adjacent && adjacent(build, a, b)) return false;
    if (def->nonly > 0 && !any_selects(m, def->only, def->nonly, i, j)) return false;
    return !any_selects(m, def->exclude, def->nexclude, i, j);
}

// the harmonic mean of both frictions, or, when the files of both materials say so, the larger one or none
static double combine_friction(const trx_material_def *a, const trx_material_def *b)
{
    double sum = a->friction + b->friction;
    if (a->slippery && b->slippery) return 0;
    if (a->larger_friction && b->larger_friction) return fmax(a->friction, b->friction);
    return sum > 0 ? 2 * a->friction * (b->friction / sum) : 0;
}

// two materials give the values of a pair; weight_b = k_B/(k_A + k_B) puts the contact point nearer to the stiffer body (theory 1)
static void combine(const trx_material_def *a, const trx_material_def *b, trx_pair_law *law, double *weight_b)
{
    if (a->rigid || b->rigid) {
        const trx_material_def *soft = a->rigid ? b : a;
        law->stiffness = soft->rigid ? INFINITY : soft->stiffness;
        law->dissipation = soft->rigid ? 0 : soft->dissipation;
        *weight_b = a->rigid && b->rigid ? 0.5 : b->rigid;
    } else {
        double ka = a->stiffness, kb = b->stiffness, sum = ka + kb;
        law->stiffness = sum > 0 ? ka * (kb / sum) : 0;
        law->dissipation = sum > 0 ? (kb / sum) * a->dissipation + (ka / sum) * b->dissipation : 0;
        *weight_b = sum > 0 ? kb / sum : 0.5;
    }
    law->relaxation_time = a->relaxation_time + b->relaxation_time;
    law->friction = combine_friction(a, b);
}

// torsional and rolling lengths without an override; approximations other than lagged have none
static void combine_lengths(const trx_material_def *a, const trx_material_def *b, trx_pair_law *law)
{
    const bool turns = trxi_approximation_turns(law->approximation);
    if (isnan(law->torsional_friction))
        law->torsional_friction = turns ? fmax(a->torsional_friction, b->torsional_friction) : 0;
    if (isnan(law->rolling_friction))
        law->rolling_friction = turns ? fmax(a->rolling_friction, b->rolling_friction) : 0;
}

// `swapped`: the selector's first side is the pair's second
static void apply_override(const trx_pair_override *from, bool swapped, trx_pair_law *law)
{
    for (int i = 0; i < TRXI_LAW_NUMBERS; i++) {
        const double value = *trxi_number_of_override(from, i);
        if (!isnan(value)) *trxi_number_of_law(law, i) = value;
    }
    if (!isnan(from->axis[0])) {
        trxi_copy3(from->axis, law->axis);
        law->axis_on_b = swapped;
    }
    if (from->approximation >= 0) law->approximation = (trx_approximation)from->approximation;
    if (from->force_law >= 0) law->force_law = (trx_force_law)from->force_law;

    // sap implies kelvin_voigt
    if (from->approximation == TRX_SAP && from->force_law < 0) law->force_law = TRX_KELVIN_VOIGT;
}

// overrides of bodies in pass 0, of geometries in pass 1; returns the last one that applies
static const trx_pair_override *apply_overrides(const trxi_build *build, int geom_a, int geom_b, trx_pair_law *law)
{
    const trx_pair_override *last = NULL;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < build->def->noverride; k++) {
            const trx_pair_override *override = &build->def->overrides[k];
            const trx_pair_selector *pair = &override->pair;
            bool geometry = pair->a.geometry >= 0 || pair->b.geometry >= 0;
            if (geometry != (pass == 1) || !selects_pair(&build->model, pair, geom_a, geom_b)) continue;
            bool swapped = !(selects(&build->model, &pair->a, geom_a) && selects(&build->model, &pair->b, geom_b));
            apply_override(override, swapped, law);
            last = override;
        }
    return last;
}

// two geometries in the order of a pair: the smaller shape type first, and of equal ones the first geometry
typedef struct sides {
    int a, b;
} sides;

static sides order_sides(const trx_model *m, int i, int j)
{
    const bool swap = trxi_pair_swaps(m->geoms[i].shape.type, m->geoms[j].shape.type);
    return swap ? (sides){j, i} : (sides){i, j};
}

// the law and weight of two geometries, and the last override that applies to them
static trxi_pair_kind make_kind(const trxi_build *build, sides pair, const trx_pair_override **override)
{
    const trx_model_def *def = build->def;
    const trx_material_def *material_a = &def->materials[build->model.geoms[pair.a].material];
    const trx_material_def *material_b = &def->materials[build->model.geoms[pair.b].material];
    trxi_pair_kind kind = {.law = base_law(def)};
    combine(material_a, material_b, &kind.law, &kind.weight_b);
    kind.law.torsional_friction = kind.law.rolling_friction = NAN;
    *override = apply_overrides(build, pair.a, pair.b, &kind.law);
    combine_lengths(material_a, material_b, &kind.law);
    return kind;
}

static void check_pair(const trxi_build *build, sides pair, const trx_pair_law *law, const trx_pair_override *override)
{
    const trxi_geom *a = &build->model.geoms[pair.a], *b = &build->model.geoms[pair.b];
    trx_source later = pair.a > pair.b ? a->source : b->source;
    if (!trxi_pair_served(a->shape.type, b->shape.type))
        trxi_error_at(build->context, later,
                      "contact of %s '%s' and %s '%s' is not in this version: exclude the pair in contact.pairs, or "
                      "give one of them collide: false",
                      trx_shape_name(a->shape.type), a->name, trx_shape_name(b->shape.type), b->name);
    else if (isinf(law->stiffness))
        trxi_error_at(build->context, later,
                      "'%s' and '%s' are both rigid: give one of them a stiffness, or the pair one in "
                      "contact.override",
                      a->name, b->name);
    else if (override)
        check_law(build->context, override->pair.source, law);
}

static bool same_kind(const trxi_pair_kind *x, const trxi_pair_kind *y)
{
    const trx_pair_law *a = &x->law, *b = &y->law;
    for (int i = 0; i < TRXI_LAW_NUMBERS; i++)
        if (*trxi_number_of_law(a, i) != *trxi_number_of_law(b, i)) return false;
    return x->weight_b == y->weight_b && a->approximation == b->approximation && a->force_law == b->force_law &&
           a->user == b->user && a->user_data == b->user_data && a->axis[0] == b->axis[0] && a->axis[1] == b->axis[1] &&
           a->axis[2] == b->axis[2] && a->axis_on_b == b->axis_on_b;
}

// pairs on their way into the table
typedef struct pair_list {
    trxi_build *build;
    int run_room, kind_room;
    sides last; // the pair added last; -1: none yet
} pair_list;

// whether `pair`, of row i, and the last pair of the list have the same inputs of make_kind
static bool same_sides(const pair_list *list, sides pair, int i)
{
    const trx_model *m = &list->build->model;
    const sides last = list->last;
    const bool row = last.a == i || last.b == i, side = (pair.a == i) == (last.a == i);
    if (list->build->def->noverride > 0 || !row || !side) return false;
    const trxi_geom *new = &m->geoms[pair.a == i ? pair.b : pair.a], *old = &m->geoms[last.a == i ? last.b : last.a];
    return new->material == old->material && new->shape.type == old->shape.type;
}

// the number of a kind, appended unless one of the last kinds equals it; -1 when memory is out
static int place_kind(pair_list *list, const trxi_pair_kind *kind)
{
    enum { LAST_KINDS = 64 };
    trx_model *m = &list->build->model;
    for (int k = m->npair_kind - 1; k >= 0 && k >= m->npair_kind - LAST_KINDS; k--)
        if (same_kind(&m->pair_kinds[k], kind)) return k;
    if (m->npair_kind == list->kind_room) {
        m->pair_kinds = trxi_pool_grow(list->build->pool, m->pair_kinds, m->npair_kind, &list->kind_room, sizeof *kind);
        if (!m->pair_kinds) return -1;
    }
    m->pair_kinds[m->npair_kind] = *kind;
    return m->npair_kind++;
}

static int find_kind(pair_list *list, sides pair, int i)
{
    const trx_model *m = &list->build->model;
    if (same_sides(list, pair, i)) {
        const int kind = m->pairs.runs[m->pairs.nrun - 1].kind;
        check_pair(list->build, pair, &m->pair_kinds[kind].law, NULL);
        return kind;
    }
    const trx_pair_override *override;
    const trxi_pair_kind kind = make_kind(list->build, pair, &override);
    check_pair(list->build, pair, &kind.law, override);
    return place_kind(list, &kind);
}

// appends the pair of geometries i < j
static trx_status add_pair(pair_list *list, int i, int j)
{
    trx_model *m = &list->build->model;
    trxi_pair_table *table = &m->pairs;
    const sides pair = order_sides(m, i, j);
    const int kind = find_kind(list, pair, i);
    if (kind < 0) return TRX_ERR_MEMORY;
    list->last = pair;
    if (table->npair == INT_MAX)
        return trxi_fail(list->build->context, TRX_ERR_UNSUPPORTED, "more than %d pairs of geometries may meet", INT_MAX);
    const int points = trxi_max_points(m->geoms[pair.a].shape.type, m->geoms[pair.b].shape.type);
    m->max_points = m->max_points > INT_MAX - points ? INT_MAX : m->max_points + points;

    // extends the last run or appends a run
    trxi_pair_run *last = table->nrun > 0 ? &table->runs[table->nrun - 1] : NULL;
    if (last && last->row == i && last->geom + last->count == j && last->kind == kind) {
        last->count++, table->npair++;
        return TRX_OK;
    }
    if (table->nrun == list->run_room) {
        table->runs = trxi_pool_grow(list->build->pool, table->runs, table->nrun, &list->run_room, sizeof *table->runs);
        if (!table->runs) return TRX_ERR_MEMORY;
    }
    assert(table->runs);
    table->runs[table->nrun++] = (trxi_pair_run){.first = table->npair++, .count = 1, .row = i, .geom = j, .kind = kind};
    return TRX_OK;
}

static bool is_answered(const trx_model *m, const trx_pair_selector *selector)
{
    const trxi_body *a = &m->bodies[selector->a.body], *b = &m->bodies[selector->b.body];
    for (int i = a->first_geom; i < a->first_geom + a->ngeom; i++)
        for (int j = b->first_geom; selects(m, &selector->a, i) && j < b->first_geom + b->ngeom; j++)
            if (selects(m, &selector->b, j) && trxi_model_meet(m, i, j)) return true;
    return false;
}

static bool same_place(trx_source a, trx_source b)
{
    return a.line > 0 && a.line == b.line && a.column == b.column && a.file == b.file;
}

// An override, or an entry of `only`, without any matching pair is probably a mistake. Entries of one place count as
// one (a name that stands for many bodies): one match is enough. `selectors` are `stride` bytes apart.
static void warn_unused(const trxi_build *build, const void *selectors, size_t stride, int count, const char *what)
{
    const trx_model *m = &build->model;
    for (int k = 0, next; k < count; k = next) {
        const trx_pair_selector *first = (const void *)((const char *)selectors + stride * (size_t)k);
        bool answered = false;
        for (next = k; next < count; next++) {
            const trx_pair_selector *other = (const void *)((const char *)selectors + stride * (size_t)next);
            if (next > k && !same_place(first->source, other->source)) break;
            answered = answered || is_answered(m, other);
        }
        if (!answered)
            trxi_warn_at(build->context, first->source, "%s: '%s' and '%s' never meet, so this has no effect", what,
                         m->bodies[first->a.body].name, m->bodies[first->b.body].name);
    }
}

trx_status trxi_build_pairs(trxi_build *build)
{
    trx_model *m = &build->model;
    pair_list list = {.build = build, .last = {-1, -1}};
    const int before = trx_context_error_count(build->context);
    trx_status status = TRX_OK;
    m->pairs.nrow = m->ngeom + 1;
    m->pairs.rows = TRXI_POOL(build->pool, int, m->pairs.nrow);
    if (!m->pairs.rows) return TRX_ERR_MEMORY;
    for (int i = 0; i < m->ngeom; i++) {
        m->pairs.rows[i] = m->pairs.nrun;
        for (int j = i + 1; j < m->ngeom && status == TRX_OK; j++)
            if (may_meet(build, i, j)) status = add_pair(&list, i, j);
    }
    m->pairs.rows[m->ngeom] = m->pairs.nrun;
    m->npair = m->pairs.npair;
    if (status < 0) return status;
    const trx_model_def *def = build->def;
    warn_unused(build, def->noverride ? &def->overrides->pair : NULL, sizeof *def->overrides, def->noverride, "override");
    warn_unused(build, def->only, sizeof *def->only, def->nonly, "pairs: only");
    return trx_context_error_count(build->context) > before ? TRX_ERR_INPUT : TRX_OK;
}
