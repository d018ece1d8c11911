// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See case.h.

#include "import/mjcf/case.h"

#include "model/model.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NUMBERS = 4096, MAX_LINE = 65536, MAX_NAME = 64 };

// ---- loading ----

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    ck_assert_ptr_nonnull(memory);
    return memory;
}

// a copy of the definitions in which nothing touches: contact has tests of its own
static void build(mjcf_case *c)
{
    trx_model_def def = c->result->def;
    int count = 0;
    for (int i = 0; i < def.nbody; i++) count += def.bodies[i].ngeometry;
    c->bodies = allocate((size_t)def.nbody, sizeof *c->bodies);
    c->geometry = allocate((size_t)count, sizeof *c->geometry);
    trx_geometry_def *next = c->geometry;
    for (int i = 0; i < def.nbody; i++) {
        c->bodies[i] = def.bodies[i];
        c->bodies[i].geometry = next;
        for (int k = 0; k < def.bodies[i].ngeometry; k++, next++) {
            *next = def.bodies[i].geometry[k];
            next->collide = false;
        }
    }
    def.bodies = c->bodies;
    trx_status status = trx_model_create(c->context, &def, &c->model);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(c->context));
}

static void finish_open(mjcf_case *c, trx_status status)
{
    trx_diagnostic first = trx_context_diagnostic(c->context, 0);
    ck_assert_msg(status == TRX_OK, "%s (%s)", trx_context_message(c->context), first.text ? first.text : "");
    c->result = trx_import_get(c->import);
    build(c);
}

void case_open(mjcf_case *c, const char *name, const trx_import_options *options)
{
    char path[256];
    trx_import_options usual = trx_import_options_default();
    *c = (mjcf_case){0};
    snprintf(path, sizeof path, "tests/import/data/%s.xml", name);
    ck_assert_int_eq(trx_context_create(NULL, &c->context), TRX_OK);
    finish_open(c, trx_import_load(c->context, path, options ? options : &usual, &c->import));
}

static trx_status load_text(mjcf_case *c, const char *text, const trx_import_options *options)
{
    trx_import_options usual = trx_import_options_default();
    *c = (mjcf_case){0};
    ck_assert_int_eq(trx_context_create(NULL, &c->context), TRX_OK);
    return trx_import_load_text(c->context, "tests/import/data/text.xml", text, strlen(text),
                                options ? options : &usual, &c->import);
}

void case_open_text(mjcf_case *c, const char *text, const trx_import_options *options)
{
    finish_open(c, load_text(c, text, options));
}

void case_refuses(const char *text, const char *error)
{
    mjcf_case c;
    char found[1000] = "";
    trx_status status = load_text(&c, text, NULL);
    for (int i = 0; i < trx_context_diagnostic_count(c.context); i++) {
        trx_diagnostic d = trx_context_diagnostic(c.context, i);
        size_t used = strlen(found);
        if (d.severity == TRX_ERROR)
            snprintf(found + used, sizeof found - used, "%s%d: %s", used ? "\n" : "", d.source.line, d.text);
    }
    ck_assert_msg(status == TRX_ERR_INPUT, "%s: %s", trx_status_name(status), text);
    ck_assert_str_eq(found, error);
    ck_assert_ptr_null(c.import);
    trx_context_destroy(c.context);
}

void case_close(mjcf_case *c)
{
    trx_model_destroy(c->model);
    trx_import_destroy(c->import);
    trx_context_destroy(c->context);
    free(c->geometry);
    free(c->bodies);
}

// ---- by name ----

static int body_index(const mjcf_case *c, const char *name)
{
    if (strcmp(name, "world") == 0) name = "worldbody";
    for (int i = 0; i < c->result->def.nbody; i++)
        if (strcmp(c->result->def.bodies[i].name, name) == 0) return i;
    return -1;
}

const trx_body_def *case_body(const mjcf_case *c, const char *name)
{
    int index = body_index(c, name);
    ck_assert_msg(index >= 0, "no body %s", name);
    return &c->result->def.bodies[index];
}

const trx_joint_def *case_joint(const mjcf_case *c, const char *name)
{
    for (int i = 0; i < c->result->def.nbody; i++)
        for (int k = 0; k < c->result->def.bodies[i].njoint; k++)
            if (strcmp(c->result->def.bodies[i].joints[k].name, name) == 0) return &c->result->def.bodies[i].joints[k];
    ck_abort_msg("no joint %s", name);
    return NULL;
}

const trx_geometry_def *case_geometry(const mjcf_case *c, const char *name)
{
    for (int i = 0; i < c->result->def.nbody; i++)
        for (int k = 0; k < c->result->def.bodies[i].ngeometry; k++) {
            const trx_geometry_def *def = &c->result->def.bodies[i].geometry[k];
            if (def->name && strncmp(def->name, name, strlen(name)) == 0 &&
                (def->name[strlen(name)] == '\0' || strcmp(def->name + strlen(name), "_geometry") == 0))
                return def;
        }
    ck_abort_msg("no geometry %s", name);
    return NULL;
}

const trx_actuator_def *case_actuator(const mjcf_case *c, const char *name)
{
    for (int i = 0; i < c->result->def.nactuator; i++)
        if (strcmp(c->result->def.actuators[i].name, name) == 0) return &c->result->def.actuators[i];
    ck_abort_msg("no actuator %s", name);
    return NULL;
}

const trx_constraint_def *case_constraint(const mjcf_case *c, const char *name)
{
    for (int i = 0; i < c->result->def.nconstraint; i++)
        if (strcmp(c->result->def.constraints[i].name, name) == 0) return &c->result->def.constraints[i];
    ck_abort_msg("no constraint %s", name);
    return NULL;
}

int case_notes(const mjcf_case *c, trx_note_kind kind, const char *part)
{
    int count = 0;
    for (int i = 0; i < c->result->nnote; i++)
        count += c->result->notes[i].kind == kind && strstr(c->result->notes[i].text, part) != NULL;
    return count;
}

// ---- comparing ----

// one line of the reference: up to four names, then numbers
typedef struct reference {
    const mjcf_case *c;
    char word[16], names[4][MAX_NAME];
    double numbers[MAX_NUMBERS];
    int nname, count, equality; // number of the constraint
    double tolerance;
    double q[MAX_NAME], v[MAX_NAME];
} reference;

static void compare(const reference *r, const char *what, const double *found, const double *expected, int count)
{
    double scale = 1e-3;
    for (int i = 0; i < count; i++)
        if (isfinite(expected[i])) scale = fmax(scale, fabs(expected[i]));
    for (int i = 0; i < count; i++)
        ck_assert_msg(found[i] == expected[i] || fabs(found[i] - expected[i]) <= r->tolerance * scale,
                      "%s of %s %s: number %d is %.17g, MuJoCo has %.17g", what, r->word, r->names[0], i, found[i],
                      expected[i]);
}

// half turns about the axes of a shape do not change the shape
static void compare_up_to_flips(const reference *r, const trx_pose *found, const double *expected)
{
    const double *a = found->quat, *b = expected + 3;
    const double relative[4] = {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3], a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2],
        a[0] * b[2] + a[1] * b[3] - a[2] * b[0] - a[3] * b[1], a[0] * b[3] - a[1] * b[2] + a[2] * b[1] - a[3] * b[0]};
    compare(r, "position", found->p, expected, 3);
    assert_close(max_magnitude(relative, 4), 1, r->tolerance);
}

// quaternions of opposite signs are the same rotation
static void compare_pose(const reference *r, const trx_pose *found, const double *expected)
{
    double dot = 0, length = 0, quat[4];
    for (int i = 0; i < 4; i++) dot += found->quat[i] * expected[3 + i], length += expected[3 + i] * expected[3 + i];
    for (int i = 0; i < 4; i++) quat[i] = (dot < 0 ? -1 : 1) * expected[3 + i] / sqrt(length);
    compare(r, "position", found->p, expected, 3);
    compare(r, "quaternion", found->quat, quat, 4);
}

static void compare_body(const reference *r)
{
    int index = body_index(r->c, r->names[0]);
    ck_assert_msg(index >= 0, "no body %s", r->names[0]);
    trx_body_inertia inertia = trx_model_body_inertia(r->c->model, index);
    compare(r, "mass", &inertia.mass, r->numbers, 1);
    if (inertia.mass > 0) compare(r, "com", inertia.com, r->numbers + 1, 3);
    double largest = max_magnitude(r->numbers + 4, 6);
    for (int i = 0; i < 6; i++) assert_close(inertia.tensor[i], r->numbers[4 + i], r->tolerance * largest);
}

static void compare_joint(const reference *r)
{
    const trx_joint_def *j = case_joint(r->c, r->names[0]);
    const double found[] = {j->lower, j->upper,    j->damping,  j->stiffness,
                            j->rest,  j->armature, j->friction, j->reference};
    for (int i = 0; i < 8; i++) compare(r, "number", &found[i], &r->numbers[i], 1);
}

static void compare_actuator(const reference *r)
{
    const trx_actuator_def *a = case_actuator(r->c, r->names[0]);
    const double found[] = {a->gear,  a->gain,  a->bias,         a->kp,          a->kd,
                            a->lower, a->upper, a->effort_lower, a->effort_upper};
    for (int i = 0; i < 9; i++) compare(r, "number", &found[i], &r->numbers[i], 1);
    double factors[8] = {a->gear};
    const trx_tendon_def *tendon = a->tendon >= 0 ? &r->c->result->def.tendons[a->tendon] : NULL;
    int count = tendon ? tendon->njoint : 1;
    for (int i = 0; tendon && i < count; i++) factors[i] = a->gear * tendon->joints[i].factor;
    ck_assert_int_eq(r->count - 9, count);
    compare(r, "factors", factors, r->numbers + 9, count);
}

static void compare_geom(const reference *r)
{
    const trx_geometry_def *g = case_geometry(r->c, r->names[0]);
    double size[3] = {0, 0, 0};
    ck_assert_str_eq(trx_shape_name(g->shape.type), r->names[2]);
    if (g->shape.type == TRX_SHAPE_BOX || g->shape.type == TRX_SHAPE_ELLIPSOID)
        for (int i = 0; i < 3; i++) size[i] = g->shape.size[i] / 2;
    else if (g->shape.type != TRX_SHAPE_HALFSPACE && g->shape.type != TRX_SHAPE_MESH)
        size[0] = g->shape.radius, size[1] = g->shape.type == TRX_SHAPE_SPHERE ? 0 : g->shape.length / 2;
    if (strncmp(g->name, "fit_", 4) == 0)
        compare_up_to_flips(r, &g->pose, r->numbers);
    else
        compare_pose(r, &g->pose, r->numbers);
    for (int i = 0; i < 3; i++)
        if (size[i] != 0 || g->shape.type == TRX_SHAPE_BOX) compare(r, "size", &size[i], &r->numbers[7 + i], 1);
    // bits of the file are kept; elements <pair> add bits
    ck_assert_uint_eq(g->collision_type & (unsigned)(int)r->numbers[10], (unsigned)(int)r->numbers[10]);
    ck_assert_uint_eq(g->collision_mask & (unsigned)(int)r->numbers[11], (unsigned)(int)r->numbers[11]);
    if (g->has_color)
        for (int i = 0; i < 4; i++) assert_close(g->color[i], r->numbers[13 + i], 1e-6);
}

static void compare_site(const reference *r)
{
    const trx_body_def *body = case_body(r->c, r->names[1]);
    for (int i = 0; i < body->nframe; i++)
        if (strcmp(body->frames[i].name, r->names[0]) == 0) {
            compare_pose(r, &body->frames[i].pose, r->numbers);
            return;
        }
    ck_abort_msg("body %s has no frame %s", r->names[1], r->names[0]);
}

static void compare_coupler(const reference *r, const trx_constraint_def *def)
{
    static const double at[2] = {0.3, -0.8};
    const trx_model_def *model = &r->c->result->def;
    ck_assert_int_eq(def->type, TRX_CONSTRAINT_COUPLER);
    ck_assert_str_eq(model->bodies[def->body_a].joints[def->joint_a].name, r->names[0]);
    if (strcmp(r->names[1], "-") == 0)
        ck_assert_int_eq(def->body_b, -1);
    else
        ck_assert_str_eq(model->bodies[def->body_b].joints[def->joint_b].name, r->names[1]);
    for (int i = 0; i < 2; i++) {
        double value = 0;
        for (int k = 4; k >= 0; k--) value = value * at[i] + def->polynomial[k];
        assert_close(value, r->numbers[i], 1e-12);
    }
}

static void compare_bodies(const reference *r, const trx_constraint_def *def)
{
    const trx_body_def *bodies = r->c->result->def.bodies;
    bool ball = strcmp(r->word, "ball") == 0;
    ck_assert_int_eq(def->type, ball ? TRX_CONSTRAINT_BALL : TRX_CONSTRAINT_WELD);
    ck_assert_str_eq(def->body_a < 0 ? "world" : bodies[def->body_a].name, r->names[0]);
    ck_assert_str_eq(def->body_b < 0 ? "world" : bodies[def->body_b].name, r->names[1]);
    if (ball) {
        compare(r, "point a", def->pose_a.p, r->numbers, 3);
        compare(r, "point b", def->pose_b.p, r->numbers + 7, 3);
    } else {
        compare_pose(r, &def->pose_a, r->numbers);
        compare_pose(r, &def->pose_b, r->numbers + 7);
    }
}

static void compare_key(const reference *r, int key)
{
    const trx_import_result *result = r->c->result;
    const trx_keyframe *k = &result->keyframes[key];
    ck_assert_str_eq(k->name, r->names[0]);
    compare(r, "q", k->q, r->numbers, result->nq);
    if (k->v) compare(r, "v", k->v, r->numbers + result->nq, result->nv);
    if (k->u) compare(r, "u", k->u, r->numbers + result->nq + result->nv, result->def.nactuator);
    for (int i = 0; !k->v && i < result->nv; i++) ck_assert_double_eq(r->numbers[result->nq + i], 0);
}

static void compare_act(const reference *r)
{
    const trx_model_size size = trx_model_get_size(r->c->model);
    const trx_keyframe *key = r->c->result->keyframes;
    while (strcmp(key->name, r->names[0]) != 0) key++;
    ck_assert_int_eq(r->count, size.na);
    for (int i = 0; i < size.nu; i++) {
        const int a = trx_model_actuator(r->c->model, i).a_index;
        const double found = key->a && a >= 0 ? key->a[i] : 0;
        if (a >= 0) compare(r, "activation", &found, &r->numbers[a], 1);
    }
}

static void compare_activation(const reference *r)
{
    const trx_activation_def *a = &case_actuator(r->c, r->names[0])->activation;
    const bool filter = a->type == TRX_ACTIVATION_FILTER;
    const double found[] = {a->type, filter ? a->time_constant : r->numbers[1], a->lower, a->upper, a->early};
    for (int i = 0; i < 5; i++) compare(r, "number", &found[i], &r->numbers[i], 1);
}

// a step from rest at the reference configuration
static void compare_drive(const reference *r)
{
    const trx_model_size size = trx_model_get_size(r->c->model);
    const double *u = r->numbers, *a = u + size.nu, *force = a + size.na, *next = force + size.nu;
    double x[MAX_NAME] = {0};
    trx_sim *sim;
    ck_assert_int_eq(r->count, 2 * (size.nu + size.na));
    ck_assert_int_eq(trx_sim_create(r->c->context, r->c->model, NULL, &sim), TRX_OK);
    trx_model_neutral(r->c->model, x);
    memcpy(x + size.nq + size.nv, a, (size_t)size.na * sizeof *a);
    ck_assert_int_ge(trx_step(sim, x, u, x), 0);
    for (int i = 0; i < size.nu; i++) {
        const double found = trx_sim_actuator_force(sim, i);
        if (!isnan(force[i])) compare(r, "force", &found, &force[i], 1);
    }
    for (int i = 0; i < size.na; i++)
        if (!isnan(next[i])) compare(r, "activation", &x[size.nq + size.nv + i], &next[i], 1);
    trx_sim_destroy(sim);
}

// joint forces of the actuators with these forces
static void add_joint_forces(const reference *r, const double *q, const double *force, double *out)
{
    const trx_model_size size = trx_model_get_size(r->c->model);
    for (int i = 0; i < size.nu; i++) {
        const trx_actuator_info a = trx_model_actuator(r->c->model, i);
        double length, gradient[MAX_NAME] = {0};
        if (a.tendon >= 0) ck_assert_int_eq(trx_model_tendon(r->c->context, r->c->model, a.tendon, q, &length, gradient), TRX_OK);
        else gradient[a.v_index] = 1;
        for (int k = 0; k < size.nv; k++) out[k] += a.gear * gradient[k] * force[i];
    }
}

// M a + bias with MuJoCo's acceleration, against the actuators with the forces found here
static void compare_balance(const reference *r, const double *q, const double *v, const double *acceleration, const double *force)
{
    const int nv = trx_model_get_size(r->c->model).nv;
    double M[MAX_NAME * MAX_NAME], balance[MAX_NAME], joints[MAX_NAME] = {0};
    ck_assert_int_eq(trx_model_dynamics(r->c->context, r->c->model, q, v, M, balance), TRX_OK);
    for (int i = 0; i < nv; i++)
        for (int k = 0; k < nv; k++) balance[i] += M[i + nv * k] * acceleration[k];
    add_joint_forces(r, q, force, joints);
    compare(r, "joint forces", joints, balance, nv);
}

// the model with activations that act late, at one state: MuJoCo's forces, rates and accelerations
static void compare_pull(const reference *r)
{
    const trx_model_size size = trx_model_get_size(r->c->model);
    const double *q = r->numbers, *u = q + size.nstate - size.na, *a = u + size.nu, *force = a + size.na, *rate = force + size.nu,
                 *acceleration = rate + size.na;
    ck_assert_int_eq(r->count, size.nstate + 2 * size.nu + size.na + size.nv);
    trx_model_def def = r->c->result->def;
    trx_actuator_def actuators[MAX_NAME];
    for (int i = 0; i < def.nactuator; i++) actuators[i] = def.actuators[i], actuators[i].activation.early = false;
    def.actuators = actuators, def.bodies = r->c->bodies;
    trx_model *model;
    trx_sim *sim;
    trx_sim_settings settings = trx_sim_settings_default();
    settings.tolerance = 1e-15;
    ck_assert_int_ge(trx_model_create(r->c->context, &def, &model), 0);
    ck_assert_int_ge(trx_sim_create(r->c->context, model, &settings, &sim), 0);

    double x[MAX_NAME], next[MAX_NAME], found[MAX_NAME];
    memcpy(x, q, (size_t)(size.nq + size.nv) * sizeof *x);
    memcpy(x + size.nq + size.nv, a, (size_t)size.na * sizeof *x);

    // a step this short has the force of its start; a constant time constant gives the rate from a step of any length
    settings.time_step = 1e-16;
    ck_assert_int_ge(trx_sim_set_settings(sim, &settings), 0);
    ck_assert_int_ge(trx_step(sim, x, u, next), 0);
    for (int i = 0; i < size.nu; i++) found[i] = trx_sim_actuator_force(sim, i);
    compare(r, "force", found, force, size.nu);
    compare_balance(r, q, q + size.nq, acceleration, found);
    for (int i = 0; i < size.nu; i++) {
        const int k = trx_model_actuator(model, i).a_index;
        if (k < 0) continue;
        const double dt = 1e-3, next_a = trxi_activation_advance(&actuators[i].activation, dt, a[k], u[i]).value;
        found[k] = -log1p((a[k] - next_a) / (u[i] - a[k])) / dt * (u[i] - a[k]);
    }
    compare(r, "rate", found, rate, size.na);
    trx_sim_destroy(sim);
    trx_model_destroy(model);
}

// MuJoCo looks for the point where a tendon touches the inside of an obstacle until an angle is right to 1e-6
static const double INSIDE_TOLERANCE = 1e-6;

// length and gradient of a tendon or, times the gear, of an actuator
static void compare_length(reference *r, int tendon, double gear)
{
    double found[MAX_NAME + 1];
    ck_assert_int_eq(trx_model_tendon(r->c->context, r->c->model, tendon, r->q, found, found + 1), TRX_OK);
    for (int i = 0; i <= r->c->result->nv; i++) found[i] *= gear;
    compare(r, "length", found, r->numbers, 1);
    const double tolerance = r->tolerance;
    if (strstr(r->names[0], "inside")) r->tolerance = INSIDE_TOLERANCE;
    compare(r, "gradient", found + 1, r->numbers + 1, r->c->result->nv);
    r->tolerance = tolerance;
}

static void compare_tendon(reference *r)
{
    const trx_model_def *def = &r->c->result->def;
    for (int i = 0; i < def->ntendon; i++)
        if (strcmp(def->tendons[i].name, r->names[0]) == 0) compare_length(r, i, 1);
}

static void compare_moment(reference *r)
{
    const trx_actuator_def *a = case_actuator(r->c, r->names[0]);
    if (a->tendon >= 0) compare_length(r, a->tendon, a->gear);
}

// forces of the springs and dampers of all tendons
static void compare_passive(reference *r)
{
    const trx_model_def *def = &r->c->result->def;
    const int nv = r->c->result->nv;
    double force[MAX_NAME] = {0}, length, gradient[MAX_NAME];
    for (int i = 0; i < def->ntendon; i++) {
        const trx_tendon_def *t = &def->tendons[i];
        ck_assert_int_eq(trx_model_tendon(r->c->context, r->c->model, i, r->q, &length, gradient), TRX_OK);
        double rate = 0;
        for (int k = 0; k < nv; k++) rate += gradient[k] * r->v[k];
        const double pull = t->stiffness * (fmax(t->rest_lower, fmin(t->rest_upper, length)) - length) - t->damping * rate;
        for (int k = 0; k < nv; k++) force[k] += pull * gradient[k];
    }
    compare(r, "passive forces", force, r->numbers, nv);
}

static void compare_state(reference *r)
{
    const trx_model *model = r->c->model;
    int nq = r->c->result->nq, nv = r->c->result->nv;
    double M[MAX_NAME * MAX_NAME], bias[MAX_NAME];
    trx_pose poses[MAX_NAME];
    ck_assert_int_le(nq, MAX_NAME);
    if (strcmp(r->word, "state") == 0) {
        memcpy(r->q, r->numbers, (size_t)nq * sizeof *r->q);
        memcpy(r->v, r->numbers + nq, (size_t)nv * sizeof *r->v);
        return;
    }
    if (strcmp(r->word, "tendon") == 0) {
        compare_tendon(r);
        return;
    }
    if (strcmp(r->word, "moment") == 0) {
        compare_moment(r);
        return;
    }
    if (strcmp(r->word, "passive") == 0) {
        compare_passive(r);
        return;
    }
    ck_assert_int_eq(trx_model_dynamics(r->c->context, model, r->q, r->v, M, bias), TRX_OK);
    trx_model_body_poses(model, r->q, poses);
    if (strcmp(r->word, "M") == 0)
        compare(r, "M", M, r->numbers, nv * nv);
    else if (strcmp(r->word, "bias") == 0)
        compare(r, "bias", bias, r->numbers, nv);
    else
        compare_pose(r, &poses[body_index(r->c, r->names[0])], r->numbers);
}

static void compare_line(reference *r, int *key)
{
    const trx_import_result *result = r->c->result;
    const double sizes[3] = {result->nq, result->nv, result->def.nactuator};
    const char *word = r->word;
    if (strcmp(word, "size") == 0)
        compare(r, "sizes", sizes, r->numbers, 3);
    else if (strcmp(word, "gravity") == 0)
        compare(r, "gravity", result->def.gravity, r->numbers, 3);
    else if (strcmp(word, "body") == 0)
        compare_body(r);
    else if (strcmp(word, "joint") == 0)
        compare_joint(r);
    else if (strcmp(word, "actuator") == 0)
        compare_actuator(r);
    else if (strcmp(word, "geom") == 0)
        compare_geom(r);
    else if (strcmp(word, "site") == 0)
        compare_site(r);
    else if (strcmp(word, "coupler") == 0)
        compare_coupler(r, &result->def.constraints[r->equality++]);
    else if (strcmp(word, "ball") == 0 || strcmp(word, "weld") == 0)
        compare_bodies(r, &result->def.constraints[r->equality++]);
    else if (strcmp(word, "key") == 0)
        compare_key(r, (*key)++);
    else if (strcmp(word, "act") == 0)
        compare_act(r);
    else if (strcmp(word, "activation") == 0)
        compare_activation(r);
    else if (strcmp(word, "drive") == 0)
        compare_drive(r);
    else if (strcmp(word, "pull") == 0)
        compare_pull(r);
    else
        compare_state(r);
}

static void parse_line(reference *r, char *line)
{
    r->nname = r->count = 0;
    bool first = true;
    for (char *token = strtok(line, " \n"); token; token = strtok(NULL, " \n"), first = false) {
        char *end;
        double value = strtod(token, &end);
        bool word = *end != '\0' || (strcmp(token, "-") == 0);
        if (first)
            snprintf(r->word, sizeof r->word, "%s", token);
        else if (word && r->nname < 4)
            snprintf(r->names[r->nname++], MAX_NAME, "%s", token);
        else {
            ck_assert_int_lt(r->count, MAX_NUMBERS);
            r->numbers[r->count++] = value;
        }
    }
}

void compare_with_reference(const mjcf_case *c, const char *name, double tolerance, const char *words)
{
    char path[256], seen[4096] = " ";
    reference *r = allocate(1, sizeof *r);
    char *line = allocate(MAX_LINE, 1);
    int key = 0;
    snprintf(path, sizeof path, "tests/import/data/%s.ref", name);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "no %s", path);
    *r = (reference){.c = c, .tolerance = tolerance};
    while (fgets(line, MAX_LINE, file)) {
        parse_line(r, line);
        compare_line(r, &key);
        if (!strstr(seen, r->word)) snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s ", r->word);
    }
    fclose(file);
    char wanted[256];
    snprintf(wanted, sizeof wanted, "%s", words);
    for (char *word = strtok(wanted, " "); word; word = strtok(NULL, " "))
        ck_assert_msg(strstr(seen, word) != NULL, "%s says nothing of %s", path, word);
    free(line);
    free(r);
}
