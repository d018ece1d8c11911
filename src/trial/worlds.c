// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Variations, draws and worlds of a trial (theory 7, trials); see worlds.h.

#include "trial/worlds.h"

#include "base/context.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

// streams of random numbers: the draws of a world begin at world << WORLD_SHIFT; push times have a seed of their own
enum { WORLD_SHIFT = 24 };
static const uint64_t PUSH_STREAM = 0x9e3779b97f4a7c15u;

// ---- list of variations ----

static void add(trxi_worlds *w, const char *name, trxi_varied what, trx_parameter_kind kind, int index, double range)
{
    w->variations[w->count++] = (trxi_variation){name, what, kind, index, range};
}

static int body_of(const trx_model *model, int geom)
{
    return trx_model_geom(model, geom).body;
}

static bool same_bodies(const trx_model *model, int pair_a, int pair_b)
{
    const trx_pair_info a = trx_model_pair(model, pair_a), b = trx_model_pair(model, pair_b);
    const int a1 = body_of(model, a.geom_a), a2 = body_of(model, a.geom_b);
    const int b1 = body_of(model, b.geom_a), b2 = body_of(model, b.geom_b);
    return (a1 == b1 && a2 == b2) || (a1 == b2 && a2 == b1);
}

// gives all pairs of geometries of the same two bodies the number of the first such pair
static void group_pairs(trxi_worlds *w)
{
    for (int i = 0; i < w->size.npair; i++) {
        int first = 0;
        while (first < i && !(w->groups[first] == first && same_bodies(w->model, first, i))) first++;
        w->groups[i] = first;
    }
}

// a finite value other than 0 can be scaled
static bool scales(double value)
{
    return isfinite(value) && value != 0;
}

static double value_of(const trx_model *model, trx_context *context, trx_parameter parameter)
{
    double value = 0;
    return trx_model_parameter_value(context, model, parameter, &value) >= 0 ? value : 0;
}

static const char *parameter_name(trxi_pool *pool, const trx_model *model, trx_parameter parameter)
{
    char text[512] = "?";
    trx_model_parameter_name(model, parameter, text, sizeof text);
    return trxi_pool_printf(pool, "%s", text);
}

static void add_pairs(trxi_worlds *w, trxi_pool *pool, trx_parameter_kind kind, double range)
{
    for (int i = 0; i < w->size.npair && range > 0; i++) {
        if (w->groups[i] != i) continue;
        const trx_pair_law law = trx_model_pair(w->model, i).law;
        const double contact = kind == TRX_PAIR_STIFFNESS ? law.stiffness : law.dissipation;
        const double value = kind == TRX_PAIR_FRICTION ? law.friction : contact;
        if (scales(value)) add(w, parameter_name(pool, w->model, (trx_parameter){kind, i, 1}), TRXI_VARIED_PAIR, kind, i, range);
    }
}

static void add_bodies(trxi_worlds *w, trxi_pool *pool)
{
    for (int i = 0; i < w->size.nbody && w->settings.mass > 0; i++) {
        const trx_body_info body = trx_model_body(w->model, i);
        if (body.tree < 0 || !(trx_model_body_inertia(w->model, i).mass > 0)) continue;
        const trx_parameter mass = {TRX_BODY_MASS, i, 0};
        add(w, parameter_name(pool, w->model, mass), TRXI_VARIED_BODY, TRX_BODY_MASS, i, w->settings.mass);
    }
}

static void add_joints(trxi_worlds *w, trxi_pool *pool)
{
    for (int i = 0; i < w->size.njoint && w->settings.damping > 0; i++) {
        const trx_parameter damping = {TRX_JOINT_DAMPING, i, 0};
        if (!scales(trx_model_joint(w->model, i).damping)) continue;
        add(w, parameter_name(pool, w->model, damping), TRXI_VARIED_JOINT, TRX_JOINT_DAMPING, i, w->settings.damping);
    }
}

// ---- dofs whose start varies ----

static void find_linear(trxi_worlds *w)
{
    for (int i = 0; i < w->size.njoint; i++) {
        const trx_joint_info joint = trx_model_joint(w->model, i);
        const int linear = joint.type == TRX_JOINT_FREE ? 3 : joint.type == TRX_JOINT_PLANAR ? 2 : joint.type == TRX_JOINT_SLIDE;
        for (int k = 0; k < joint.nv; k++) w->linear[joint.v_index + k] = k < linear;
    }
}

// marks the dofs that no actuator drives; all dofs if actuators drive all
static void find_free(const trxi_worlds *w, bool *varies)
{
    int driven = 0;
    for (int i = 0; i < w->size.nv; i++) varies[i] = true;
    for (int i = 0; i < w->size.nu; i++) {
        const trx_actuator_info actuator = trx_model_actuator(w->model, i);
        for (int k = 0; k < actuator.nfactor; k++) varies[actuator.v_indices[k]] = false;
    }
    for (int i = 0; i < w->size.nv; i++) driven += !varies[i];
    for (int i = 0; i < w->size.nv && driven == w->size.nv; i++) varies[i] = true;
}

static void add_dofs(trxi_worlds *w, trxi_pool *pool, const bool *varies)
{
    const trx_trial_settings *s = &w->settings;
    for (int i = 0; i < w->size.nv; i++) {
        const double start = w->linear[i] ? s->start_position : s->start_rotation;
        const char *dof = trx_model_v_name(w->model, i);
        if (varies[i] && start > 0)
            add(w, trxi_pool_printf(pool, "start of %s", dof), TRXI_VARIED_START, TRX_JOINT_REST, i, start);
        if (varies[i] && s->push > 0)
            add(w, trxi_pool_printf(pool, "push on %s", dof), TRXI_VARIED_PUSH, TRX_JOINT_REST, i, s->push);
    }
}

static void fill_noise(const trxi_worlds *w)
{
    const trx_trial_settings *s = &w->settings;
    for (int i = 0; i < w->size.nv; i++) {
        w->noise[i] = w->linear[i] ? s->noise_position : s->noise_rotation;
        w->noise[w->size.nv + i] = s->noise_velocity;
    }
}

trx_status trxi_worlds_begin(trxi_pool *pool, const trx_model *model, const trx_trial_settings *settings, trxi_worlds *worlds)
{
    const trx_model_size size = trx_model_get_size(model);
    const int most = 3 * size.npair + size.nbody + size.njoint + 2 * size.nv;
    *worlds = (trxi_worlds){.model = model, .settings = *settings, .size = size,
                            .groups = TRXI_POOL(pool, int, size.npair + 1), .linear = TRXI_POOL(pool, bool, size.nv + 1),
                            .noise = TRXI_POOL(pool, double, 2 * size.nv + 1),
                            .variations = TRXI_POOL(pool, trxi_variation, most + 1)};
    bool *varies = TRXI_POOL(pool, bool, size.nv + 1);
    if (!worlds->groups || !worlds->linear || !worlds->noise || !worlds->variations || !varies) return TRX_ERR_MEMORY;
    group_pairs(worlds);
    find_linear(worlds);
    fill_noise(worlds);
    find_free(worlds, varies);
    add_pairs(worlds, pool, TRX_PAIR_FRICTION, settings->friction);
    add_pairs(worlds, pool, TRX_PAIR_STIFFNESS, settings->stiffness);
    add_pairs(worlds, pool, TRX_PAIR_DISSIPATION, settings->dissipation);
    add_bodies(worlds, pool);
    add_joints(worlds, pool);
    add_dofs(worlds, pool, varies);
    for (int i = 0; i < worlds->count; i++)
        if (!worlds->variations[i].name) return TRX_ERR_MEMORY;
    return TRX_OK;
}

// ---- one world ----

void trxi_world_draw(const trxi_worlds *worlds, int world, double *draws)
{
    const uint64_t from = (uint64_t)world << WORLD_SHIFT;
    for (int i = 0; i < worlds->count; i++)
        draws[i] = 2 * trxi_random_uniform(worlds->settings.seed, from + (uint64_t)i) - 1;
}

// parameters and values that a world changes
typedef struct changes {
    trx_parameter *parameters;
    double *values;
    int count;
} changes;

static void change(changes *c, trx_parameter parameter, double value)
{
    c->parameters[c->count] = parameter;
    c->values[c->count++] = value;
}

static void change_pairs(const trxi_worlds *w, trx_context *context, const trxi_variation *v, double factor, changes *c)
{
    for (int i = v->index; i < w->size.npair; i++) {
        const trx_parameter parameter = {v->kind, i, 0};
        if (w->groups[i] != v->index) continue;
        const double value = value_of(w->model, context, parameter);
        if (scales(value)) change(c, parameter, factor * value);
    }
}

// scales mass and inertia tensor by the same factor, like a change of density
static void change_body(const trxi_worlds *w, int body, double factor, changes *c)
{
    const trx_body_inertia inertia = trx_model_body_inertia(w->model, body);
    change(c, (trx_parameter){TRX_BODY_MASS, body, 0}, factor * inertia.mass);
    for (int k = 0; k < 6; k++)
        if (inertia.tensor[k] != 0) change(c, (trx_parameter){TRX_BODY_TENSOR, body, k}, factor * inertia.tensor[k]);
}

trx_status trxi_world_model(const trxi_worlds *worlds, trx_context *context, const double *draws, trx_model **model)
{
    trxi_pool *pool = trxi_pool_create(context);
    if (!pool) return TRX_ERR_MEMORY;
    const int most = 3 * worlds->size.npair + 7 * worlds->size.nbody + worlds->size.njoint + 1;
    changes c = {TRXI_POOL(pool, trx_parameter, most), TRXI_POOL(pool, double, most), 0};
    trx_status status = c.parameters && c.values ? TRX_OK : TRX_ERR_MEMORY;
    for (int i = 0; status >= 0 && i < worlds->count; i++) {
        const trxi_variation *v = &worlds->variations[i];
        const double factor = 1 + v->range * draws[i];
        if (v->what == TRXI_VARIED_PAIR) change_pairs(worlds, context, v, factor, &c);
        if (v->what == TRXI_VARIED_BODY) change_body(worlds, v->index, factor, &c);
        if (v->what == TRXI_VARIED_JOINT)
            change(&c, (trx_parameter){v->kind, v->index, 0}, factor * trx_model_joint(worlds->model, v->index).damping);
    }
    if (status >= 0) status = trx_model_change(context, worlds->model, c.parameters, c.values, c.count, model);
    trxi_pool_destroy(pool);
    return status;
}

void trxi_world_start(const trxi_worlds *worlds, const double *draws, const double *x0, double *dx, double *x)
{
    const int nq = worlds->size.nq;
    memset(dx, 0, (size_t)worlds->size.nv * sizeof *dx);
    for (int i = 0; i < worlds->count; i++) {
        const trxi_variation *v = &worlds->variations[i];
        if (v->what == TRXI_VARIED_START) dx[v->index] = v->range * draws[i];
    }
    trx_model_integrate(worlds->model, x0, dx, x);
    memcpy(x + nq, x0 + nq, (size_t)(worlds->size.nstate - nq) * sizeof *x);
}

void trxi_world_push(const trxi_worlds *worlds, const double *draws, double *v)
{
    for (int i = 0; i < worlds->count; i++) {
        const trxi_variation *varied = &worlds->variations[i];
        if (varied->what == TRXI_VARIED_PUSH) v[varied->index] += varied->range * draws[i];
    }
}

double trxi_world_push_time(const trxi_worlds *worlds, int world)
{
    return trxi_random_uniform(worlds->settings.seed ^ PUSH_STREAM, (uint64_t)world);
}
