// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Constraints beside the tree: validated, and expressed in the links that they connect (theory 4, holonomic rows).

#include "model/build.h"

#include <stdio.h>
#include <string.h>

// the joint on one side of a coupler; NULL when the side is a tendon, or wrong (reported)
static const trx_joint_def *check_side(const trxi_build *build, const trx_constraint_def *c, const char *what, int tendon, int body,
                                       int joint)
{
    if (tendon < 0) return trxi_single_joint(build, c->source, what, body, joint);
    trxi_tendon_exists(build, c->source, what, tendon);
    return NULL;
}

static void check_coupler(const trxi_build *build, const trx_constraint_def *c)
{
    char what[160];
    snprintf(what, sizeof what, "coupler '%.100s'", c->name);
    const bool has_b = c->tendon_b >= 0 || c->body_b >= 0;
    const trx_joint_def *a = check_side(build, c, what, c->tendon, c->body_a, c->joint_a);
    const trx_joint_def *b = has_b ? check_side(build, c, what, c->tendon_b, c->body_b, c->joint_b) : NULL;
    if (a && a == b) trxi_error_at(build->context, c->source, "%s couples joint '%s' with itself", what, a->name);
    if (c->tendon >= 0 && c->tendon == c->tendon_b)
        trxi_error_at(build->context, c->source, "%s couples a tendon with itself", what);
    for (int i = 0; i < 5; i++)
        if (!isfinite(c->polynomial[i])) {
            trxi_error_at(build->context, c->source, "coupler '%s': a coefficient is not finite", c->name);
            return;
        }
}

static void check_tendon(const trxi_build *build, const trx_constraint_def *c)
{
    char what[160];
    snprintf(what, sizeof what, "tendon '%.100s'", c->name);
    if (trxi_tendon_exists(build, c->source, what, c->tendon) && !(c->lower < c->upper))
        trxi_error_at(build->context, c->source, "%s: limits [%g, %g] leave no room; the lower one comes first", what, c->lower,
                      c->upper);
}

static void check_bodies(const trxi_build *build, const trx_constraint_def *c)
{
    const char *type = trx_constraint_type_name(c->type);
    int nbody = build->def->nbody;
    if (c->body_a < -1 || c->body_a >= nbody || c->body_b < -1 || c->body_b >= nbody)
        trxi_error_at(build->context, c->source, "%s '%s': there is no such body", type, c->name);
    else if (c->body_a == c->body_b)
        trxi_error_at(build->context, c->source, "%s '%s' holds a body to itself: name two", type, c->name);
    for (int side = 0; side < 2; side++) {
        int body = side ? c->body_b : c->body_a;
        if (trxi_body_is_moved(build->def, body))
            trxi_error_at(build->context, c->source,
                          "%s '%s' connects to '%s', whose motion is prescribed: name a body that joints move, or the world",
                          type, c->name, build->def->bodies[body].name);
    }
    if (!trxi_pose_usable(&c->pose_a) || !trxi_pose_usable(&c->pose_b))
        trxi_error_at(build->context, c->source, "%s '%s': a pose is not finite or its quaternion is zero", type, c->name);
    if (c->type == TRX_CONSTRAINT_DISTANCE && !(c->length > 0 && isfinite(c->length)))
        trxi_error_at(build->context, c->source,
                      "distance '%s': length is %g; it must be positive (for two points that coincide use type ball)",
                      c->name, c->length);
}

static void check_constraint(const trxi_build *build, const trx_constraint_def *c)
{
    if ((int)c->type < 0 || c->type > TRX_CONSTRAINT_TENDON) {
        trxi_error_at(build->context, c->source, "constraint '%s': there is no type %d", c->name, (int)c->type);
        return;
    }
    if (c->type == TRX_CONSTRAINT_COUPLER) check_coupler(build, c);
    else if (c->type == TRX_CONSTRAINT_TENDON) check_tendon(build, c);
    else check_bodies(build, c);
    if (!(c->stiffness > 0))
        trxi_error_at(build->context, c->source, "constraint '%s': stiffness is %g; it must be positive", c->name,
                      c->stiffness);
    if (!(c->relaxation_time >= 0 && isfinite(c->relaxation_time)))
        trxi_error_at(build->context, c->source,
                      "constraint '%s': relaxation_time is %g; it must be finite and not negative", c->name,
                      c->relaxation_time);
}

void trxi_validate_constraints(trxi_build *build)
{
    for (int i = 0; i < build->def->nconstraint; i++) check_constraint(build, &build->def->constraints[i]);
}

// link of one side and pose in it; pose in the world if there is no link
static int place_side(const trx_model *m, int body, const trx_pose *pose, double R[9], double p[3])
{
    static const trxi_body world = {.link = -1, .R_LB = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const trxi_body *held = body < 0 ? &world : &m->bodies[body];
    trxi_fixture_pose(held, pose, R, p);
    return held->link;
}

static int length_of(trxi_build *build, int tendon, int body, int joint)
{
    return tendon >= 0 ? tendon : body >= 0 ? trxi_length_of_joint(build, build->first_joint[body] + joint) : -1;
}

static void append_lengths(trxi_build *build, const trx_constraint_def *from, trxi_constraint *to)
{
    const bool coupler = from->type == TRX_CONSTRAINT_COUPLER;
    to->length_a = length_of(build, from->tendon, from->body_a, from->joint_a);
    to->length_b = coupler ? length_of(build, from->tendon_b, from->body_b, from->joint_b) : -1;
    if (coupler && from->tendon < 0) to->joint_a = build->first_joint[from->body_a] + from->joint_a;
    if (coupler && from->tendon_b < 0 && from->body_b >= 0) to->joint_b = build->first_joint[from->body_b] + from->joint_b;
}

trx_status trxi_build_constraints(trxi_build *build)
{
    static const int rows[] = {1, 3, 6, 1, 2};
    const trx_model_def *def = build->def;
    trx_model *m = &build->model;
    m->nconstraint = def->nconstraint;
    m->constraints = TRXI_POOL(build->pool, trxi_constraint, def->nconstraint);
    if (!m->constraints) return TRX_ERR_MEMORY;
    for (int i = 0; i < def->nconstraint; i++) {
        const trx_constraint_def *from = &def->constraints[i];
        trxi_constraint *to = &m->constraints[i];
        *to = (trxi_constraint){.name = from->name,
                                .source = from->source,
                                .type = from->type,
                                .body_a = from->body_a,
                                .body_b = from->body_b,
                                .joint_a = -1,
                                .joint_b = -1,
                                .link_a = -1,
                                .link_b = -1,
                                .length_a = -1,
                                .length_b = -1,
                                .pose_a = from->pose_a,
                                .pose_b = from->pose_b,
                                .length = from->length,
                                .lower = from->lower,
                                .upper = from->upper,
                                .stiffness = from->stiffness,
                                .relaxation_time = from->relaxation_time,
                                .nrow = rows[from->type]};
        memcpy(to->polynomial, from->polynomial, sizeof to->polynomial);
        if (trxi_constraint_of_lengths(to)) {
            append_lengths(build, from, to);
            continue;
        }
        to->link_a = place_side(m, from->body_a, &from->pose_a, to->R_LA, to->p_LA);
        to->link_b = place_side(m, from->body_b, &from->pose_b, to->R_LB, to->p_LB);
    }
    return TRX_OK;
}
