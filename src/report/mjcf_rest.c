// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Pairs, constraints and actuators as MJCF. MuJoCo's contacts have no stiffness in newtons per metre, so a pair
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

// MuJoCo's polynomial is in displacements from both references: P about ref_b, minus ref_a
static void put_polynomial(const trxi_export *m, const trxi_constraint *c)
{
    double p[5], x = c->joint_b < 0 ? 0 : m->model->joints[c->joint_b].reference;
    memcpy(p, c->polynomial, sizeof p);
    for (int i = 0; i < 5; i++)
        for (int k = 3; k >= i; k--) p[k] += x * p[k + 1];
    p[0] -= m->model->joints[c->joint_a].reference;
    trxi_export_numbers(m, "polycoef", p, 5);
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
    trxi_export_open(m, 2, elements[c->type]);
    trxi_export_text(m, "name", c->name);
    if (c->type == TRX_CONSTRAINT_COUPLER) {
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

static void write_parts(const trxi_export *m, const int *dofs, const double *factors, int count, double gear)
{
    for (int k = 0; k < count; k++) {
        const trxi_link *link = &m->model->links[m->model->dof_link[dofs[k]]];
        trxi_export_open(m, 3, "joint");
        trxi_export_text(m, "joint", m->model->joints[link->joint].name);
        trxi_export_number(m, "coef", factors[k] / gear);
        trxi_export_close(m, false);
    }
    trxi_export_end(m, 2, "fixed");
}

// a constraint of the type tendon: a fixed tendon with a range; an end without a limit is far away
static void write_limited_tendon(const trxi_export *m, const trxi_constraint *c)
{
    static const double far = 1e6;
    const double range[2] = {fmax(c->lower, -far), fmin(c->upper, far)};
    trxi_export_open(m, 2, "fixed");
    trxi_export_text(m, "name", c->name);
    trxi_export_text(m, "limited", "true");
    trxi_export_numbers(m, "range", range, 2);
    trxi_export_close(m, true);
    write_parts(m, m->model->constraint_dofs + c->first, m->model->constraint_factors + c->first, c->nfactor, 1);
}

static void write_tendons(const trxi_export *m)
{
    bool open = false;
    char name[32];
    for (int i = 0; i < m->model->nconstraint; i++) {
        if (m->model->constraints[i].type != TRX_CONSTRAINT_TENDON) continue;
        open_section(m, "tendon", &open);
        write_limited_tendon(m, &m->model->constraints[i]);
    }
    for (int i = 0; i < m->model->nu; i++) {
        const trxi_actuator *a = &m->model->actuators[i];
        if (a->nfactor == 1) continue;
        open_section(m, "tendon", &open);
        trxi_export_open(m, 2, "fixed");
        snprintf(name, sizeof name, "tendon#%d", i);
        trxi_export_text(m, "name", name);
        trxi_export_close(m, true);
        write_parts(m, m->model->factor_dofs + a->first, m->model->factors + a->first, a->nfactor, a->gear);
    }
    for (int i = 0; i < m->model->nconstraint; i++) {
        if (m->model->constraints[i].type != TRX_CONSTRAINT_DISTANCE) continue;
        open_section(m, "tendon", &open);
        snprintf(name, sizeof name, "held#%d", i);
        trxi_export_open(m, 2, "spatial");
        trxi_export_text(m, "name", name);
        trxi_export_close(m, true);
        trxi_text_printf(m->out, "      <site site=\"held#%da\"/>\n      <site site=\"held#%db\"/>\n", i, i);
        trxi_export_end(m, 2, "spatial");
    }
    close_section(m, "tendon", open);
}

static void put_range(const trxi_export *m, const char *key, double lower, double upper)
{
    if (!isfinite(lower) && !isfinite(upper)) return;
    const double range[2] = {fmax(lower, -1e9), fmin(upper, 1e9)};
    trxi_export_numbers(m, key, range, 2);
}

static void write_actuators(const trxi_export *m)
{
    bool open = false;
    for (int i = 0; i < m->model->nu; i++) {
        const trxi_actuator *a = &m->model->actuators[i];
        const double bias[3] = {a->bias, -a->kp, -a->kd};
        char name[32];
        open_section(m, "actuator", &open);
        trxi_export_open(m, 2, "general");
        trxi_export_text(m, "name", a->name);
        snprintf(name, sizeof name, "tendon#%d", i);
        if (a->nfactor == 1) trxi_export_text(m, "joint", m->model->joints[a->joint].name);
        else trxi_export_text(m, "tendon", name);
        trxi_export_number(m, "gear", a->nfactor == 1 ? m->model->factors[a->first] : a->gear);
        trxi_export_number(m, "gainprm", a->gain);
        trxi_export_text(m, "biastype", "affine");
        trxi_export_numbers(m, "biasprm", bias, 3);
        put_range(m, "ctrlrange", a->lower, a->upper);
        put_range(m, "forcerange", a->effort_lower, a->effort_upper);
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
