// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Constraints beside the tree: validated, and expressed in the links that they connect (theory 4, holonomic rows).

#include "model/build.h"

#include <string.h>

static bool finite_pose(const trx_pose *pose)
{
    bool finite = true, direction = false;
    for (int i = 0; i < 3; i++) finite = finite && isfinite(pose->p[i]);
    for (int i = 0; i < 4; i++) finite = finite && isfinite(pose->quat[i]), direction = direction || pose->quat[i] != 0;
    return finite && direction;
}

static const trx_joint_def *single_joint(const trx_model_def *def, int body, int joint)
{
    if (body < 0 || body >= def->nbody || joint < 0 || joint >= def->bodies[body].njoint) return NULL;
    const trx_joint_def *found = &def->bodies[body].joints[joint];
    return trxi_joint_is_single(found->type) ? found : NULL;
}

static void check_coupler(const trxi_build *build, const trx_constraint_def *c)
{
    const trx_joint_def *a = single_joint(build->def, c->body_a, c->joint_a);
    const trx_joint_def *b = c->body_b < 0 ? NULL : single_joint(build->def, c->body_b, c->joint_b);
    if (!a || (c->body_b >= 0 && !b))
        trxi_error_at(build->context, c->source, "coupler '%s' needs hinge or slide joints", c->name);
    else if (a == b)
        trxi_error_at(build->context, c->source, "coupler '%s' couples joint '%s' with itself", c->name, a->name);
    for (int i = 0; i < 5; i++)
        if (!isfinite(c->polynomial[i])) {
            trxi_error_at(build->context, c->source, "coupler '%s': a coefficient is not finite", c->name);
            return;
        }
}

// whether joint `at` of a tendon exists, once, with a factor
static bool check_part(const trxi_build *build, const trx_constraint_def *c, int at)
{
    const trx_joint_factor *part = &c->tendon[at];
    const trx_joint_def *joint = single_joint(build->def, part->body, part->joint);
    if (!joint) {
        trxi_error_at(build->context, c->source, "tendon '%s' needs hinge or slide joints", c->name);
        return false;
    }
    for (int i = 0; i < at; i++)
        if (c->tendon[i].body == part->body && c->tendon[i].joint == part->joint) {
            trxi_error_at(build->context, c->source,
                          "joint '%s' is twice in tendon '%s': give it once, with the sum of both factors", joint->name, c->name);
            return false;
        }
    if (isfinite(part->factor) && part->factor != 0) return true;
    trxi_error_at(build->context, c->source, "joint '%s': its factor in tendon '%s' is %g; it must be finite and not 0",
                  joint->name, c->name, part->factor);
    return false;
}

static void check_tendon(const trxi_build *build, const trx_constraint_def *c)
{
    if (c->ntendon < 1 || !c->tendon) {
        trxi_error_at(build->context, c->source, "tendon '%s' has no joints", c->name);
        return;
    }
    for (int i = 0; i < c->ntendon; i++)
        if (!check_part(build, c, i)) return;
    if (!(c->lower < c->upper))
        trxi_error_at(build->context, c->source, "tendon '%s': limits [%g, %g] leave no room; the lower one comes first", c->name,
                      c->lower, c->upper);
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
    if (!finite_pose(&c->pose_a) || !finite_pose(&c->pose_b))
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

static void append_tendon(trxi_build *build, const trx_constraint_def *from, trxi_constraint *to)
{
    trx_model *m = &build->model;
    to->first = m->nconstraint_factor;
    to->nfactor = from->ntendon;
    for (int i = 0; i < from->ntendon; i++) {
        const trx_joint_factor *part = &from->tendon[i];
        m->constraint_dofs[m->nconstraint_factor] = m->joints[build->first_joint[part->body] + part->joint].v;
        m->constraint_factors[m->nconstraint_factor++] = part->factor;
    }
}

static int count_factors(const trx_model_def *def)
{
    int count = 0;
    for (int i = 0; i < def->nconstraint; i++)
        if (def->constraints[i].type == TRX_CONSTRAINT_TENDON) count += def->constraints[i].ntendon;
    return count;
}

trx_status trxi_build_constraints(trxi_build *build)
{
    static const int rows[] = {1, 3, 6, 1, 2};
    const trx_model_def *def = build->def;
    trx_model *m = &build->model;
    m->nconstraint = def->nconstraint;
    m->constraints = TRXI_POOL(build->pool, trxi_constraint, def->nconstraint);
    m->constraint_dofs = TRXI_POOL(build->pool, int, count_factors(def));
    m->constraint_factors = TRXI_POOL(build->pool, double, count_factors(def));
    if (!m->constraints || !m->constraint_dofs || !m->constraint_factors) return TRX_ERR_MEMORY;
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
                                .pose_a = from->pose_a,
                                .pose_b = from->pose_b,
                                .length = from->length,
                                .lower = from->lower,
                                .upper = from->upper,
                                .stiffness = from->stiffness,
                                .relaxation_time = from->relaxation_time,
                                .nrow = rows[from->type]};
        memcpy(to->polynomial, from->polynomial, sizeof to->polynomial);
        if (from->type == TRX_CONSTRAINT_COUPLER) {
            to->joint_a = build->first_joint[from->body_a] + from->joint_a;
            if (from->body_b >= 0) to->joint_b = build->first_joint[from->body_b] + from->joint_b;
            continue;
        }
        if (from->type == TRX_CONSTRAINT_TENDON) {
            append_tendon(build, from, to);
            continue;
        }
        to->link_a = place_side(m, from->body_a, &from->pose_a, to->R_LA, to->p_LA);
        to->link_b = place_side(m, from->body_b, &from->pose_b, to->R_LB, to->p_LB);
    }
    return TRX_OK;
}
