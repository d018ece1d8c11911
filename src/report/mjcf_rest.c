// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Pairs, constraints, tendons and actuators as MJCF. MuJoCo's contacts have no stiffness in newtons per metre, so a pair
// keeps its friction (if it is the same in all directions and at all speeds) and gets MuJoCo's default stiffness.
// Constraints and actuators have the same meaning in both, except that a distance becomes an equality of a tendon
// between two sites.

#include "report/mjcf.h"

#include <stdio.h>
#include <string.h>

// a section is written only when it is not empty
static void open_section(const trxi_export *m, const char *section, bool *open)
{
    if (*open) return;
    trxi_export_open(m, 1, section);
    trxi_export_close(m, true);
    *open = true;
}

static void close_section(const trxi_export *m, const char *section, bool open)
{
    if (open) trxi_export_end(m, 1, section);
}

// condim from the friction of the pair
static const char *dimension_of(const trx_pair_law *law)
{
    if (law->rolling_friction > 0) return "6";
    if (law->torsional_friction > 0) return "4";
    return law->friction > 0 ? "3" : "1";
}

static void write_pairs(const trxi_export *m)
{
    bool open = false;
    for (int i = 0; i < m->model->npair; i++) {
        const trxi_pair pair = trxi_model_pair(m->model, i);
        const double mu = pair.law->friction, l = pair.law->torsional_friction, r = pair.law->rolling_friction;
        const bool turns = l > 0 || r > 0; // lengths that do not act keep MuJoCo's defaults
        const double friction[5] = {mu, mu, turns ? l : 0.005, turns ? r : 1e-4, turns ? r : 1e-4};
        open_section(m, "contact", &open);
        trxi_export_open(m, 2, "pair");
        trxi_export_text(m, "geom1", m->model->geoms[pair.geom_a].name);
        trxi_export_text(m, "geom2", m->model->geoms[pair.geom_b].name);
        trxi_export_text(m, "condim", dimension_of(pair.law));
        trxi_export_numbers(m, "friction", friction, 5);
        trxi_export_close(m, false);
    }
    close_section(m, "contact", open);
}

// MuJoCo's polynomial is in displacements from both references: P about l_b, minus l_a
static void put_polynomial(const trxi_export *m, const trxi_constraint *c)
{
    double p[5], x = c->length_b < 0 ? 0 : m->lengths[c->length_b];
    memcpy(p, c->polynomial, sizeof p);
    for (int i = 0; i < 5; i++)
        for (int k = 3; k >= i; k--) p[k] += x * p[k + 1];
    p[0] -= m->lengths[c->length_a];
    trxi_export_numbers(m, "polycoef", p, 5);
}

// whether a coupler ties two joints, as MuJoCo's equality of joints does
static bool couples_joints(const trxi_constraint *c)
{
    return c->joint_a >= 0 && (c->joint_b >= 0 || c->length_b < 0);
}

static double neutral_distance(const trxi_export *m, const trxi_constraint *c)
{
    double p[2][3], apart[3];
    for (int side = 0; side < 2; side++) {
        int link = side ? c->link_b : c->link_a;
        const double *local = side ? c->p_LB : c->p_LA;
        trxi_copy3(local, p[side]);
        if (link < 0) continue;
        trxi_mulv3(m->link_R + 9 * link, local, p[side]);
        trxi_add3(p[side], m->link_p + 3 * link, p[side]);
    }
    trxi_sub3(p[1], p[0], apart);
    return trxi_norm3(apart);
}

static void write_constraint(const trxi_export *m, int index)
{
    static const char *const elements[] = {"joint", "connect", "weld", "tendon"};
    const trxi_constraint *c = &m->model->constraints[index];
    char a[32], b[32];
    const bool lengths = c->type == TRX_CONSTRAINT_COUPLER && !couples_joints(c);
    trxi_export_open(m, 2, lengths ? "tendon" : elements[c->type]);
    trxi_export_text(m, "name", c->name);
    if (lengths) {
        snprintf(a, sizeof a, "held#%da", index);
        snprintf(b, sizeof b, "held#%db", index);
        trxi_export_text(m, "tendon1", a);
        if (c->length_b >= 0) trxi_export_text(m, "tendon2", b);
        put_polynomial(m, c);
    } else if (c->type == TRX_CONSTRAINT_COUPLER) {
        trxi_export_text(m, "joint1", m->model->joints[c->joint_a].name);
        if (c->joint_b >= 0) trxi_export_text(m, "joint2", m->model->joints[c->joint_b].name);
        put_polynomial(m, c);
    } else if (c->type == TRX_CONSTRAINT_DISTANCE) {
        const double offset[5] = {c->length - neutral_distance(m, c)};
        snprintf(a, sizeof a, "held#%d", index);
        trxi_export_text(m, "tendon1", a);
        trxi_export_numbers(m, "polycoef", offset, 5);
    } else {
        snprintf(a, sizeof a, "held#%da", index);
        snprintf(b, sizeof b, "held#%db", index);
        trxi_export_text(m, "site1", a);
        trxi_export_text(m, "site2", b);
    }
    trxi_export_close(m, false);
}

static void write_constraints(const trxi_export *m)
{
    bool open = false;
    for (int i = 0; i < m->model->nconstraint; i++) {
        if (m->model->constraints[i].type == TRX_CONSTRAINT_TENDON) continue;
        open_section(m, "equality", &open);
        write_constraint(m, i);
    }
    close_section(m, "equality", open);
}

// joints of a fixed tendon
static void write_joints(const trxi_export *m, const trxi_length *length)
{
    for (int k = length->first; k < length->first + length->ncol; k++) {
        const trxi_link *link = &m->model->links[m->model->dof_link[m->model->length_dofs[k]]];
        trxi_export_open(m, 3, "joint");
        trxi_export_text(m, "joint", m->model->joints[link->joint].name);
        trxi_export_number(m, "coef", m->model->length_factors[k]);
        trxi_export_close(m, false);
    }
}

// sites and geoms of a path; spans that do not follow each other are branches
static void write_path(const trxi_export *m, const trxi_length *length)
{
    const trxi_length_span *spans = m->model->spans;
    for (int i = length->first_span; i < length->first_span + length->nspan; i++) {
        const bool first = i == length->first_span;
        const bool follows = !first && spans[i].scale == spans[i - 1].scale && spans[i].end[0].body == spans[i - 1].end[1].body &&
                             memcmp(spans[i].end[0].at, spans[i - 1].end[1].at, sizeof spans[i].end[0].at) == 0;
        if (!follows && (!first || spans[i].scale != 1)) {
            trxi_export_open(m, 3, "pulley");
            trxi_export_number(m, "divisor", 1 / spans[i].scale);
            trxi_export_close(m, false);
        }
        if (!follows) trxi_text_printf(m->out, "      <site site=\"span#%d0\"/>\n", i);
        if (spans[i].around != TRX_TENDON_SITE && spans[i].sided)
            trxi_text_printf(m->out, "      <geom geom=\"span#%d\" sidesite=\"span#%d2\"/>\n", i, i);
        else if (spans[i].around != TRX_TENDON_SITE) trxi_text_printf(m->out, "      <geom geom=\"span#%d\"/>\n", i);
        trxi_text_printf(m->out, "      <site site=\"span#%d1\"/>\n", i);
    }
}

// a tendon for one use of a length; an end without a limit is far away
static void write_length(const trxi_export *m, const char *name, int index, const double range[2], const trxi_tendon_spring *spring)
{
    static const double far = 1e6;
    const trxi_length *length = &m->model->lengths[index];
    const char *kind = length->nspan > 0 ? "spatial" : "fixed";
    trxi_export_open(m, 2, kind);
    trxi_export_text(m, "name", name);
    if (range) {
        const double ends[2] = {fmax(range[0], -far), fmin(range[1], far)};
        trxi_export_text(m, "limited", "true");
        trxi_export_numbers(m, "range", ends, 2);
    }
    if (spring) {
        const double rest[2] = {fmax(spring->rest_lower, -far), fmin(spring->rest_upper, far)};
        trxi_export_number(m, "stiffness", spring->stiffness);
        trxi_export_number(m, "damping", spring->damping);
        trxi_export_numbers(m, "springlength", rest, 2);
    }
    trxi_export_close(m, true);
    if (length->nspan > 0) write_path(m, length);
    else write_joints(m, length);
    trxi_export_end(m, 2, kind);
}

// a distance is the length between two sites
static void write_distance(const trxi_export *m, int index)
{
    char name[32];
    snprintf(name, sizeof name, "held#%d", index);
    trxi_export_open(m, 2, "spatial");
    trxi_export_text(m, "name", name);
    trxi_export_close(m, true);
    trxi_text_printf(m->out, "      <site site=\"held#%da\"/>\n      <site site=\"held#%db\"/>\n", index, index);
    trxi_export_end(m, 2, "spatial");
}

static void write_constraint_tendons(const trxi_export *m, int index, bool *open)
{
    const trxi_constraint *c = &m->model->constraints[index];
    const bool coupler = c->type == TRX_CONSTRAINT_COUPLER && !couples_joints(c);
    const double range[2] = {c->lower, c->upper};
    char name[32];
    if (!coupler && c->type != TRX_CONSTRAINT_TENDON && c->type != TRX_CONSTRAINT_DISTANCE) return;
    open_section(m, "tendon", open);
    if (c->type == TRX_CONSTRAINT_DISTANCE) write_distance(m, index);
    if (c->type == TRX_CONSTRAINT_TENDON) write_length(m, c->name, c->length_a, range, NULL);
    for (int side = 0; side < 2 && coupler; side++) {
        const int length = side ? c->length_b : c->length_a;
        snprintf(name, sizeof name, "held#%d%c", index, side ? 'b' : 'a');
        if (length >= 0) write_length(m, name, length, NULL, NULL);
    }
}

static bool on_joint(const trxi_export *m, const trxi_actuator *a)
{
    return a->length >= m->model->ntendon;
}

static void write_tendons(const trxi_export *m)
{
    bool open = false;
    char name[32];
    for (int i = 0; i < m->model->nconstraint; i++) write_constraint_tendons(m, i, &open);
    for (int i = 0; i < m->model->nu; i++) {
        const trxi_actuator *a = &m->model->actuators[i];
        if (on_joint(m, a)) continue;
        open_section(m, "tendon", &open);
        snprintf(name, sizeof name, "tendon#%d", i);
        write_length(m, name, a->length, NULL, NULL);
    }
    for (int i = 0; i < m->model->nspring; i++) {
        open_section(m, "tendon", &open);
        snprintf(name, sizeof name, "spring#%d", i);
        write_length(m, name, m->model->springs[i].length, NULL, &m->model->springs[i]);
    }
    close_section(m, "tendon", open);
}

static void put_range(const trxi_export *m, const char *key, double lower, double upper)
{
    if (!isfinite(lower) && !isfinite(upper)) return;
    const double range[2] = {fmax(lower, -1e9), fmin(upper, 1e9)};
    trxi_export_numbers(m, key, range, 2);
}

// filterexact has the same closed form as our filter
static void write_activation(const trxi_export *m, const trx_activation_def *activation)
{
    if (!activation->type) return;
    static const char *const types[TRX_ACTIVATION_TYPES] = {
        [TRX_ACTIVATION_FILTER] = "filterexact", [TRX_ACTIVATION_INTEGRATOR] = "integrator", [TRX_ACTIVATION_MUSCLE] = "muscle"};
    const double times[3] = {activation->time_constant, activation->fall_time, activation->smoothing};
    trxi_export_text(m, "dyntype", types[activation->type]);
    if (activation->type == TRX_ACTIVATION_FILTER) trxi_export_number(m, "dynprm", activation->time_constant);
    if (activation->type == TRX_ACTIVATION_MUSCLE) trxi_export_numbers(m, "dynprm", times, 3);
    put_range(m, "actrange", activation->lower, activation->upper);
    trxi_export_text(m, "actearly", activation->early ? "true" : "false");
}

static void write_bias(const trxi_export *m, const trxi_actuator *a)
{
    const double bias[3] = {a->bias, -a->kp, -a->kd};
    trxi_export_text(m, "biastype", "affine");
    trxi_export_numbers(m, "biasprm", bias, 3);
}

// MuJoCo's muscle has either a passive force or an affine bias. MuJoCo takes the lengths of the actuator at two
// relative lengths instead of the optimal length and the length of the tendon
static void write_muscle(const trxi_export *m, const trxi_actuator *a)
{
    const trx_muscle_def *of = &a->muscle;
    const double ends[2] = {of->tendon_length + of->shortest * of->optimal_length,
                            of->tendon_length + of->longest * of->optimal_length};
    const bool passive = of->passive_force > 0; // MuJoCo refuses a passive force of 0
    const double unused_scale = 200;
    const double numbers[] = {of->shortest, of->longest, a->gain, unused_scale, of->shortest, of->longest, of->max_speed,
                              passive ? of->passive_force : 1, of->lengthening_force};
    trxi_export_text(m, "gaintype", "muscle");
    trxi_export_numbers(m, "gainprm", numbers, 9);
    if (passive) {
        trxi_export_text(m, "biastype", "muscle");
        trxi_export_numbers(m, "biasprm", numbers, 9);
    } else if (a->bias != 0 || a->kp != 0 || a->kd != 0) {
        write_bias(m, a);
    }
    trxi_export_numbers(m, "lengthrange", ends, 2);
}

static void write_law(const trxi_export *m, const trxi_actuator *a)
{
    trxi_export_number(m, "gainprm", a->gain);
    write_bias(m, a);
}

static void write_actuators(const trxi_export *m)
{
    bool open = false;
    for (int i = 0; i < m->model->nu; i++) {
        const trxi_actuator *a = &m->model->actuators[i];
        char name[32];
        open_section(m, "actuator", &open);
        trxi_export_open(m, 2, "general");
        trxi_export_text(m, "name", a->name);
        snprintf(name, sizeof name, "tendon#%d", i);
        if (on_joint(m, a)) trxi_export_text(m, "joint", m->model->joints[a->joint].name);
        else trxi_export_text(m, "tendon", name);
        trxi_export_number(m, "gear", a->gear);
        if (a->muscle.optimal_length > 0) write_muscle(m, a);
        else write_law(m, a);
        put_range(m, "ctrlrange", a->lower, a->upper);
        put_range(m, "forcerange", a->effort_lower, a->effort_upper);
        write_activation(m, &a->activation);
        trxi_export_close(m, false);
    }
    close_section(m, "actuator", open);
}

void trxi_export_rest(const trxi_export *m)
{
    write_pairs(m);
    write_constraints(m);
    write_tendons(m);
    write_actuators(m);
}
