// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Lengths l(q) (theory 4): of fixed tendons, l = sum_i factor_i q_i; of spatial tendons, sums of spans between points of
// bodies; and of single joints. Drives, limits, couplers and springs act on lengths and know nothing else of tendons.
// dynamics/lengths.c evaluates them.
//
// A path becomes spans: two sites in a row are a straight span, and an obstacle between them makes the path wrap. Pulleys separate
// branches. A length depends on the dofs on the paths from the world to its points and obstacles, but not on the dofs that
// all of them share.

#include "model/build.h"

#include "math/dense.h"

#include <stdio.h>
#include <string.h>

// ---- checks ----

const trx_joint_def *trxi_single_joint(const trxi_build *build, trx_source source, const char *what, int body, int joint)
{
    const trx_model_def *def = build->def;
    if (body < 0 || body >= def->nbody || joint < 0 || joint >= def->bodies[body].njoint) {
        trxi_error_at(build->context, source, "%s has no joint; name a hinge or slide joint", what);
        return NULL;
    }
    const trx_joint_def *found = &def->bodies[body].joints[joint];
    if (trxi_joint_is_single(found->type)) return found;
    trxi_error_at(build->context, source, "joint '%s' has more than one degree of freedom: %s needs hinge or slide joints",
                  found->name, what);
    return NULL;
}

// checks that joint number `at` of a tendon exists, differs from the joints before it, and has a factor
static void check_factor(const trxi_build *build, const trx_tendon_def *tendon, const char *what, int at)
{
    const trx_joint_factor *part = &tendon->joints[at];
    const trx_joint_def *joint = trxi_single_joint(build, tendon->source, what, part->body, part->joint);
    if (!joint) return;
    for (int i = 0; i < at; i++) {
        if (tendon->joints[i].body != part->body || tendon->joints[i].joint != part->joint) continue;
        trxi_error_at(build->context, tendon->source, "joint '%s' is twice in %s: give it once, with the sum of both factors",
                      joint->name, what);
        return;
    }
    if (isfinite(part->factor) && part->factor != 0) return;
    trxi_error_at(build->context, tendon->source, "joint '%s': its factor in %s is %g; it must be finite and not 0", joint->name,
                  what, part->factor);
}

static bool is_obstacle(const trx_tendon_point *point)
{
    return point->type == TRX_TENDON_SPHERE || point->type == TRX_TENDON_CYLINDER;
}

static void check_point_body(const trxi_build *build, const trx_tendon_def *tendon, const char *what, int body)
{
    if (body < -1 || body >= build->def->nbody)
        trxi_error_at(build->context, tendon->source, "%s: there is no body number %d", what, body);
    else if (trxi_body_is_moved(build->def, body))
        trxi_error_at(build->context, tendon->source,
                      "%s touches '%s', whose motion is prescribed: take a body that joints move, or the world", what,
                      build->def->bodies[body].name);
}

static void check_point(const trxi_build *build, const trx_tendon_def *tendon, const char *what, const trx_tendon_point *point)
{
    if ((int)point->type < 0 || point->type > TRX_TENDON_PULLEY) {
        trxi_error_at(build->context, tendon->source, "%s: its path has no elements of type %d", what, (int)point->type);
    } else if (point->type == TRX_TENDON_PULLEY) {
        if (!(point->divisor > 0 && isfinite(point->divisor)))
            trxi_error_at(build->context, tendon->source, "%s: the divisor of a pulley is %g; it must be positive", what,
                          point->divisor);
    } else {
        check_point_body(build, tendon, what, point->body);
        if (!trxi_pose_usable(&point->pose))
            trxi_error_at(build->context, tendon->source, "%s: a pose is not finite or its quaternion is zero", what);
        if (is_obstacle(point) && !(point->radius > 0 && isfinite(point->radius)))
            trxi_error_at(build->context, tendon->source, "%s: the radius of an obstacle is %g; it must be positive", what,
                          point->radius);
        if (!point->has_side) return;
        check_point_body(build, tendon, what, point->side_body);
        if (!trxi_all_finite(3, point->side)) trxi_error_at(build->context, tendon->source, "%s: a side is not finite", what);
    }
}

// whether each branch begins and ends with a site and has at least two, and each obstacle lies between two sites
static bool path_usable(const trx_tendon_def *tendon)
{
    int sites = 0;
    for (int i = 0; i <= tendon->npoint; i++) {
        const bool end = i == tendon->npoint || tendon->points[i].type == TRX_TENDON_PULLEY;
        const bool site = !end && tendon->points[i].type == TRX_TENDON_SITE;
        const bool after_site = i > 0 && tendon->points[i - 1].type == TRX_TENDON_SITE;
        if (end && (sites < 2 || !after_site) && !(sites == 0 && i == 0 && tendon->npoint > 0)) return false;
        if (!end && !site && !after_site) return false;
        sites = end ? 0 : sites + site;
    }
    return true;
}

static void check_tendon(const trxi_build *build, const trx_tendon_def *tendon)
{
    char what[160];
    snprintf(what, sizeof what, "tendon '%.100s'", tendon->name ? tendon->name : "");
    if ((tendon->njoint > 0) == (tendon->npoint > 0))
        trxi_error_at(build->context, tendon->source, tendon->njoint > 0 ? "%s has joints and a path: give one of them"
                                                                        : "%s has no joints", what);
    for (int i = 0; i < tendon->njoint; i++) check_factor(build, tendon, what, i);
    for (int i = 0; i < tendon->npoint; i++) check_point(build, tendon, what, &tendon->points[i]);
    if (tendon->npoint > 0 && !path_usable(tendon))
        trxi_error_at(build->context, tendon->source,
                      "%s: each branch of its path begins and ends with a site and has two, and each obstacle lies between two "
                      "sites", what);
    const double numbers[] = {tendon->stiffness, tendon->damping};
    for (int i = 0; i < 2; i++)
        if (!(numbers[i] >= 0 && isfinite(numbers[i])))
            trxi_error_at(build->context, tendon->source, "%s: %s is %g; it must be finite and not negative", what,
                          i ? "damping" : "stiffness", numbers[i]);
    if (!(tendon->rest_lower <= tendon->rest_upper) || tendon->rest_lower == INFINITY || tendon->rest_upper == -INFINITY)
        trxi_error_at(build->context, tendon->source, "%s: its rest [%g, %g] has no finite length; the lower end comes first", what,
                      tendon->rest_lower, tendon->rest_upper);
}

bool trxi_tendon_exists(const trxi_build *build, trx_source source, const char *what, int tendon)
{
    if (tendon >= 0 && tendon < build->def->ntendon) return true;
    trxi_error_at(build->context, source, "%s: there is no tendon number %d", what, tendon);
    return false;
}

void trxi_validate_lengths(trxi_build *build)
{
    for (int i = 0; i < build->def->ntendon; i++) check_tendon(build, &build->def->tendons[i]);
}

// ---- building ----

static trxi_span_end end_at(const trx_model *m, int body, const double at[3])
{
    trxi_span_end end = {.body = body, .link = body < 0 ? -1 : m->bodies[body].link};
    trxi_copy3(at, end.at);
    trxi_copy3(at, end.p_L);
    if (body < 0) return end;
    trxi_mulv3(m->bodies[body].R_LB, at, end.p_L);
    trxi_add3(end.p_L, m->bodies[body].p_LB, end.p_L);
    return end;
}

void trxi_span_place(const trx_model *m, trxi_length_span *span)
{
    static const trxi_body world = {.link = -1, .R_LB = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (int k = 0; k < 2; k++) span->end[k] = end_at(m, span->end[k].body, span->end[k].at);
    if (span->sided) span->side = end_at(m, span->side.body, span->side.at);
    trxi_fixture_pose(span->body < 0 ? &world : &m->bodies[span->body], &span->pose, span->R_L, span->p_L);
}

static void append_span(trxi_build *build, const trx_tendon_point *from, const trx_tendon_point *around, const trx_tendon_point *to,
                        double scale)
{
    trx_model *m = &build->model;
    trxi_length_span *span = &m->spans[m->nspan++];
    *span = (trxi_length_span){.scale = scale, .body = -1, .link = -1, .pose = {.quat = {1, 0, 0, 0}}};
    const trx_tendon_point *ends[] = {from, to};
    for (int k = 0; k < 2; k++) {
        span->end[k].body = ends[k]->body;
        trxi_copy3(ends[k]->pose.p, span->end[k].at);
    }
    if (around) {
        span->around = around->type;
        span->body = around->body;
        span->link = around->body < 0 ? -1 : m->bodies[around->body].link;
        span->pose = around->pose;
        span->radius = around->radius;
        span->sided = around->has_side;
        span->side.body = around->side_body;
        trxi_copy3(around->side, span->side.at);
    }
    trxi_span_place(m, span);
}

static void append_path(trxi_build *build, const trx_tendon_def *tendon)
{
    double scale = 1;
    for (int i = 0; i + 1 < tendon->npoint; i++) {
        const trx_tendon_point *from = &tendon->points[i], *next = from + 1;
        if (from->type == TRX_TENDON_PULLEY) scale = 1 / from->divisor;
        if (from->type != TRX_TENDON_SITE || next->type == TRX_TENDON_PULLEY) continue;
        if (is_obstacle(next)) append_span(build, from, next, next + 1, scale);
        else append_span(build, from, NULL, next, scale);
    }
}

static void count_path(const trx_model *m, int link, int *count)
{
    for (int k = 0; link >= 0 && k < m->links[link].path_length; k++) count[m->path[m->links[link].path_start + k]]++;
}

// dofs that move some points of the spans and not all; `count` (nv) is zero before and after
static void find_dofs(trx_model *m, trxi_length *length, int *count)
{
    int points = 0;
    for (int i = length->first_span; i < length->first_span + length->nspan; i++) {
        const trxi_length_span *span = &m->spans[i];
        count_path(m, span->end[0].link, count);
        count_path(m, span->end[1].link, count);
        points += 2;
        if (span->around == TRX_TENDON_SITE) continue;
        count_path(m, span->link, count);
        points++;
    }
    for (int d = 0; d < m->nv; d++) {
        length->shared += count[d] == points;
        if (count[d] > 0 && count[d] < points) m->length_dofs[m->nlength_dof++] = d, length->ncol++;
        count[d] = 0;
    }
}

// the dofs of a fixed tendon, ascending
static void sort_factors(trxi_build *build, const trx_tendon_def *tendon, trxi_length *length)
{
    trx_model *m = &build->model;
    int *dofs = m->length_dofs + length->first;
    double *factors = m->length_factors + length->first;
    for (int i = 0; i < tendon->njoint; i++) {
        const trx_joint_factor *part = &tendon->joints[i];
        const int dof = m->joints[build->first_joint[part->body] + part->joint].v;
        int at = length->ncol++;
        for (; at > 0 && dofs[at - 1] > dof; at--) dofs[at] = dofs[at - 1], factors[at] = factors[at - 1];
        dofs[at] = dof, factors[at] = part->factor;
    }
    m->nlength_dof += length->ncol;
}

static void append_tendon(trxi_build *build, const trx_tendon_def *tendon, int *count)
{
    trx_model *m = &build->model;
    trxi_length *length = &m->lengths[m->nlength];
    *length = (trxi_length){.name = tendon->name ? tendon->name : "", .source = tendon->source, .first = m->nlength_dof,
                            .first_span = m->nspan};
    append_path(build, tendon);
    length->nspan = m->nspan - length->first_span;
    if (length->nspan > 0) find_dofs(m, length, count);
    else sort_factors(build, tendon, length);
    if (tendon->stiffness > 0 || tendon->damping > 0)
        m->springs[m->nspring++] = (trxi_tendon_spring){m->nlength, tendon->stiffness, tendon->damping, tendon->rest_lower,
                                                        tendon->rest_upper};
    m->nlength++;
}

int trxi_length_of_joint(trxi_build *build, int joint)
{
    trx_model *m = &build->model;
    const int dof = m->joints[joint].v;
    for (int i = m->ntendon; i < m->nlength; i++)
        if (m->length_dofs[m->lengths[i].first] == dof) return i;
    m->lengths[m->nlength] =
        (trxi_length){.name = m->joints[joint].name, .source = m->joints[joint].source, .first = m->nlength_dof, .ncol = 1};
    m->length_dofs[m->nlength_dof] = dof;
    m->length_factors[m->nlength_dof++] = 1;
    return m->nlength++;
}

trx_status trxi_build_lengths(trxi_build *build)
{
    const trx_model_def *def = build->def;
    trx_model *m = &build->model;
    int dofs = def->nactuator + 2 * def->nconstraint, points = 0;
    for (int i = 0; i < def->ntendon; i++) {
        dofs += def->tendons[i].npoint > 0 ? m->nv : def->tendons[i].njoint;
        points += def->tendons[i].npoint;
    }
    m->lengths = TRXI_POOL(build->pool, trxi_length, def->ntendon + def->nactuator + 2 * def->nconstraint);
    m->length_dofs = TRXI_POOL(build->pool, int, dofs);
    m->length_factors = TRXI_POOL(build->pool, double, dofs);
    m->spans = TRXI_POOL(build->pool, trxi_length_span, points);
    m->springs = TRXI_POOL(build->pool, trxi_tendon_spring, def->ntendon);
    int *count = TRXI_POOL(build->pool, int, m->nv);
    if (!m->lengths || !m->length_dofs || !m->length_factors || !m->spans || !m->springs || !count) return TRX_ERR_MEMORY;
    m->ntendon = def->ntendon;
    for (int i = 0; i < def->ntendon; i++) append_tendon(build, &def->tendons[i], count);
    return TRX_OK;
}

double trxi_length_of_joints(const trx_model *model, const trxi_length *length, const double *q)
{
    double sum = 0;
    for (int k = length->first; k < length->first + length->ncol && length->nspan == 0; k++)
        sum += model->length_factors[k] * q[model->links[model->dof_link[model->length_dofs[k]]].q];
    return sum;
}
