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

#include "geometry/contact_geometry.h"
#include "math/vec3.h"
#include "model/build.h"
#include "model/pair_law.h"

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

// a valid law for a definition; `least` is 0, or -1 where -1 leaves a value unchanged
static bool check_kinds(trx_context *context, trx_source source, int approximation, int law, int least)
{
    bool known = approximation >= least && approximation <= TRX_SAP, served = law >= least && law <= TRX_IPC;
    if (!known) trxi_error_at(context, source, "there is no approximation %d", approximation);
    if (!served) trxi_error_at(context, source, "there is no force law %d", law);
    return known && served;
}

// the law of a pair, or the default of all pairs; without materials the definition's values are checked
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
    const char *const names[] = {"stiffness", "dissipation", "relaxation_time", "smoothing", "friction", "barrier", "reach",
                                 "friction_across", "dynamic_friction", "slip_speed", "torsional_friction",
                                 "rolling_friction"};
    const double values[] = {override->stiffness, override->dissipation, override->relaxation_time,
                             override->smoothing, override->friction, override->barrier, override->reach,
                             override->friction_across, override->dynamic_friction, override->slip_speed,
                             override->torsional_friction, override->rolling_friction};
    trx_source source = override->pair.source;
    check_selector(build, &override->pair);
    check_kinds(build->context, source, override->approximation, override->force_law, -1);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (!isnan(values[i]) && !(values[i] >= 0 && isfinite(values[i])))
            trxi_error_at(build->context, source, "%s is %g; it must be finite and not negative", names[i], values[i]);

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
    if (side->geometry >= 0) return geom == body->first_geom + side->geometry;
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

// a body and its parent, where bodies welded to either count as the same body; a body fixed to the world counts as a
// parent only if it is the named parent
static bool adjacent(const trx_model *m, const trxi_geom *a, const trxi_geom *b)
{
    int root_a = weld_root(m, a->body), root_b = weld_root(m, b->body);
    int above_a = m->bodies[root_a].parent, above_b = m->bodies[root_b].parent;
    if (above_a >= 0 && (above_a == b->body || (b->link >= 0 && m->bodies[above_a].link == b->link))) return true;
    return above_b >= 0 && (above_b == a->body || (a->link >= 0 && m->bodies[above_b].link == a->link));
}

static bool may_meet(const trxi_build *build, int i, int j)
{
    const trx_model_def *def = build->def;
    const trx_model *m = &build->model;
    const trxi_geom *a = &m->geoms[i], *b = &m->geoms[j];

    // one body, welded together, or both fixed to the world: the same link
    if (!a->collide || !b->collide || a->link == b->link) return false;
    if (!(a->collision_type & b->collision_mask) && !(b->collision_type & a->collision_mask)) return false;
    if (adjacent(m, a, b) && !def->allow_adjacent) return false;
    if (def->nonly > 0 && !any_selects(m, def->only, def->nonly, i, j)) return false;
    return !any_selects(m, def->exclude, def->nexclude, i, j);
}

// two materials give the values of a pair; weight_b is the share of the stiffer body (theory 1, 3)
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
    double friction = a->friction + b->friction;
    law->relaxation_time = a->relaxation_time + b->relaxation_time;
    law->friction = friction > 0 ? 2 * a->friction * (b->friction / friction) : 0;
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

static void replace(double value, double *field)
{
    if (!isnan(value)) *field = value;
}

// `swapped`: the selector's first side is the pair's second
static void apply_override(const trx_pair_override *from, bool swapped, trx_pair_law *law)
{
    replace(from->stiffness, &law->stiffness);
    replace(from->dissipation, &law->dissipation);
    replace(from->relaxation_time, &law->relaxation_time);
    replace(from->smoothing, &law->smoothing);
    replace(from->friction, &law->friction);
    replace(from->barrier, &law->barrier);
    replace(from->reach, &law->reach);
    replace(from->friction_across, &law->friction_across);
    replace(from->dynamic_friction, &law->dynamic_friction);
    replace(from->slip_speed, &law->slip_speed);
    replace(from->torsional_friction, &law->torsional_friction);
    replace(from->rolling_friction, &law->rolling_friction);
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
static const trx_pair_override *apply_overrides(const trxi_build *build, trxi_pair *pair)
{
    const int i = pair->geom_a, j = pair->geom_b;
    const trx_pair_override *last = NULL;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < build->def->noverride; k++) {
            const trx_pair_override *override = &build->def->overrides[k];
            bool geometry = override->pair.a.geometry >= 0 || override->pair.b.geometry >= 0;
            if (geometry != (pass == 1) || !selects_pair(&build->model, &override->pair, i, j)) continue;
            bool swapped = !(selects(&build->model, &override->pair.a, i) && selects(&build->model, &override->pair.b, j));
            apply_override(override, swapped, &pair->law);
            last = override;
        }
    return last;
}

// the pair of two geometries with its law, and the last override that applies to it
static trxi_pair make_pair(const trxi_build *build, int i, int j, const trx_pair_override **override)
{
    const trx_model_def *def = build->def;
    const trx_model *m = &build->model;
    bool swap = m->geoms[i].shape.type > m->geoms[j].shape.type;
    int first = swap ? j : i, second = swap ? i : j;
    const trxi_geom *a = &m->geoms[first], *b = &m->geoms[second];

    trxi_pair pair = {.geom_a = first, .geom_b = second, .link_a = a->link, .link_b = b->link};
    pair.max_points = trxi_max_points(a->shape.type, b->shape.type);
    pair.actuated = (a->tree >= 0 && m->trees[a->tree].actuated) || (b->tree >= 0 && m->trees[b->tree].actuated);
    pair.law = base_law(def);
    const trx_material_def *material_a = &def->materials[a->material], *material_b = &def->materials[b->material];
    combine(material_a, material_b, &pair.law, &pair.weight_b);
    pair.law.torsional_friction = pair.law.rolling_friction = NAN;
    *override = apply_overrides(build, &pair);
    combine_lengths(material_a, material_b, &pair.law);
    return pair;
}

static void check_pair(const trxi_build *build, const trxi_pair *pair, const trx_pair_override *override)
{
    const trxi_geom *a = &build->model.geoms[pair->geom_a], *b = &build->model.geoms[pair->geom_b];
    trx_source later = pair->geom_a > pair->geom_b ? a->source : b->source;
    if (!trxi_pair_served(a->shape.type, b->shape.type))
        trxi_error_at(build->context, later,
                      "contact of %s '%s' and %s '%s' is not in this version: exclude the pair in contact.pairs, or "
                      "give one of them collide: false",
                      trx_shape_name(a->shape.type), a->name, trx_shape_name(b->shape.type), b->name);
    else if (isinf(pair->law.stiffness))
        trxi_error_at(build->context, later,
                      "'%s' and '%s' are both rigid: give one of them a stiffness, or the pair one in "
                      "contact.override",
                      a->name, b->name);
    else if (override)
        check_law(build->context, override->pair.source, &pair->law);
}

static bool is_answered(const trx_model *m, const trx_pair_selector *selector)
{
    for (int k = 0; k < m->npair; k++)
        if (selects_pair(m, selector, m->pairs[k].geom_a, m->pairs[k].geom_b)) return true;
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
        const trx_pair_selector *first = (const void *)((const char *)selectors + stride * (size_t)k), *other = first;
        bool answered = false;
        for (next = k; next < count; next++) {
            other = (const void *)((const char *)selectors + stride * (size_t)next);
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
    int capacity = 0, before = trx_context_error_count(build->context);
    m->pairs = TRXI_POOL(build->pool, trxi_pair, 0);
    if (!m->pairs) return TRX_ERR_MEMORY;
    for (int i = 0; i < m->ngeom; i++)
        for (int j = i + 1; j < m->ngeom; j++) {
            if (!may_meet(build, i, j)) continue;
            if (m->npair == capacity) {
                m->pairs = trxi_pool_grow(build->pool, m->pairs, m->npair, &capacity, sizeof *m->pairs);
                if (!m->pairs) return TRX_ERR_MEMORY;
            }
            trxi_pair *pair = &m->pairs[m->npair++];
            const trx_pair_override *override;
            *pair = make_pair(build, i, j, &override);
            check_pair(build, pair, override);
            m->max_points += pair->max_points;
        }
    const trx_model_def *def = build->def;
    warn_unused(build, def->noverride ? &def->overrides->pair : NULL, sizeof *def->overrides, def->noverride, "override");
    warn_unused(build, def->only, sizeof *def->only, def->nonly, "pairs: only");
    return trx_context_error_count(build->context) > before ? TRX_ERR_INPUT : TRX_OK;
}
