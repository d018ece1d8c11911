// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Checks of the definitions, each finding at the place of its definition. Checking continues after a finding,
// so one run shows all findings; nothing is built from definitions with an error. Positive definiteness
// of the mass matrix depends on the configuration and is checked by trx_model_check_mass.

#include "geometry/decompose.h"
#include "geometry/shape.h"
#include "math/dense.h"
#include "model/build.h"

static void check_pose(trx_context *context, trx_source source, const trx_pose *pose, const char *what,
                       const char *name)
{
    const double *q = pose->quat;
    if (!trxi_all_finite(3, pose->p) || !trxi_all_finite(4, q))
        trxi_error_at(context, source, "the pose of %s '%s' is not finite", what, name);
    else if (q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0)
        trxi_error_at(context, source, "the quaternion of %s '%s' is zero; the identity is [1, 0, 0, 0]", what, name);
}

static void check_not_negative(trx_context *context, const trx_joint_def *joint, const char *what, double value)
{
    if (!(value >= 0 && isfinite(value)))
        trxi_error_at(context, joint->source, "joint '%s': %s is %g; it must not be negative", joint->name, what,
                      value);
}

static void check_joint(trx_context *context, const trx_joint_def *joint)
{
    if ((int)joint->type < 0 || joint->type > TRX_JOINT_FREE) {
        trxi_error_at(context, joint->source, "joint '%s': there is no joint type %d", joint->name, (int)joint->type);
        return;
    }
    bool single = trxi_joint_is_single(joint->type);
    bool limited = joint->lower != -INFINITY || joint->upper != INFINITY;
    if (single && (!trxi_all_finite(3, joint->axis) || !(trxi_norm3(joint->axis) > 0)))
        trxi_error_at(context, joint->source, "joint '%s': the axis has no direction; give one such as [0, 0, 1]",
                      joint->name);
    if (!trxi_all_finite(3, joint->at))
        trxi_error_at(context, joint->source, "joint '%s': 'at' is not finite", joint->name);
    if (limited && !single)
        trxi_error_at(context, joint->source, "joint '%s': limits are for hinge and slide joints", joint->name);
    else if (!(joint->lower < joint->upper))
        trxi_error_at(context, joint->source, "joint '%s': limits [%g, %g] leave no room; the lower one comes first",
                      joint->name, joint->lower, joint->upper);
    if (single && !(joint->velocity_limit > 0))
        trxi_error_at(context, joint->source, "joint '%s': the velocity limit is %g; it must be positive", joint->name,
                      joint->velocity_limit);
    if (!isfinite(joint->rest))
        trxi_error_at(context, joint->source, "joint '%s': rest is not finite", joint->name);
    else if (joint->rest != 0 && !single)
        trxi_error_at(context, joint->source,
                      "joint '%s': rest is for hinge and slide joints; the spring of others is relaxed at zero",
                      joint->name);
    check_not_negative(context, joint, "damping", joint->damping);
    check_not_negative(context, joint, "stiffness", joint->stiffness);
    check_not_negative(context, joint, "armature", joint->armature);
    check_not_negative(context, joint, "friction", joint->friction);
    if (!isfinite(joint->reference) || (joint->reference != 0 && !single))
        trxi_error_at(context, joint->source, "joint '%s': reference is a finite number, for hinge and slide joints",
                      joint->name);
}

static bool is_identity(const trx_pose *pose)
{
    const double *p = pose->p, *q = pose->quat;
    return p[0] == 0 && p[1] == 0 && p[2] == 0 && q[0] != 0 && q[1] == 0 && q[2] == 0 && q[3] == 0;
}

static void check_free_joint(trx_context *context, const trx_body_def *body, const trx_joint_def *joint)
{
    if (body->njoint > 1)
        trxi_error_at(context, joint->source, "body '%s': a free joint stands alone; remove its other joints",
                      body->name);
    if (body->parent >= 0)
        trxi_error_at(context, joint->source, "body '%s': a free joint needs the world as parent; remove 'parent'",
                      body->name);
    if (!is_identity(&body->pose))
        trxi_error_at(context, joint->source,
                      "body '%s': a free joint takes no pose: its coordinates are the world pose; put it at the start "
                      "instead",
                      body->name);
}

// true when the parents of a body form a cycle, and the body is the first one of this cycle
static bool leads_cycle(const trx_model_def *def, int body)
{
    int ancestor = body;
    for (int steps = 0; steps < def->nbody; steps++) {
        ancestor = def->bodies[ancestor].parent;
        if (ancestor == body) return true;
        if (ancestor < body || ancestor >= def->nbody) return false;
    }
    return false;
}

static void check_geometry(trx_context *context, const trx_model_def *def, const trx_body_def *body,
                           const trx_geometry_def *geom)
{
    const char *name = geom->name ? geom->name : body->name, *defect = trxi_shape_defect(&geom->shape);
    if (defect) trxi_error_at(context, geom->source, "geometry of '%s': %s", name, defect);
    check_pose(context, geom->source, &geom->pose, "the geometry of", name);
    const char *division = geom->decompose.most != 0 ? trxi_decomposition_defect(&geom->decompose) : NULL;
    if (division) trxi_error_at(context, geom->source, "geometry of '%s': %s", name, division);
    if (geom->material < 0 || geom->material >= def->nmaterial)
        trxi_error_at(context, geom->source, "geometry of '%s': there is no material number %d", name,
                      geom->material);
    if (!trxi_all_finite(3, geom->surface_velocity))
        trxi_error_at(context, geom->source, "geometry of '%s': the surface velocity is not finite", name);
}

static void check_body(trxi_build *build, int index)
{
    const trx_model_def *def = build->def;
    const trx_body_def *body = &def->bodies[index];
    trx_context *context = build->context;
    if (body->parent >= def->nbody || body->parent < -1)
        trxi_error_at(context, body->source, "body '%s': there is no parent body number %d", body->name,
                      body->parent);
    else if (leads_cycle(def, index))
        trxi_error_at(context, body->source,
                      "body '%s' is its own ancestor (its parent is '%s'); a chain of parents must end at the world",
                      body->name, def->bodies[body->parent].name);
    check_pose(context, body->source, &body->pose, "body", body->name);
    for (int k = 0; k < body->njoint; k++) {
        check_joint(context, &body->joints[k]);
        if (body->joints[k].type == TRX_JOINT_FREE) check_free_joint(context, body, &body->joints[k]);
    }
    for (int k = 0; k < body->ngeometry; k++) check_geometry(context, def, body, &body->geometry[k]);
    trxi_validate_motion(build, index);
    for (int k = 0; k < body->nframe; k++)
        check_pose(context, body->frames[k].source, &body->frames[k].pose, "frame", body->frames[k].name);
}

static void check_material(trx_context *context, const trx_material_def *material)
{
    const char *const names[] = {"stiffness", "dissipation", "relaxation_time", "friction", "torsional_friction",
                                 "rolling_friction"};
    const double values[] = {material->rigid ? 0 : material->stiffness, material->dissipation, material->relaxation_time,
                             material->friction, material->torsional_friction, material->rolling_friction};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (!(values[i] >= 0 && isfinite(values[i])))
            trxi_error_at(context, material->source, "material '%s': %s is %g; it must be finite and not negative%s",
                          material->name, names[i], values[i],
                          i == 0 ? " (for an unyielding surface write rigid)" : "");
}

trx_status trxi_validate(trxi_build *build)
{
    const trx_model_def *def = build->def;
    trx_context *context = build->context;
    int before = trx_context_error_count(context);

    // names first: the messages of the other checks use them
    trx_status status = trxi_validate_names(build);
    if (status < 0) return status;

    if (!trxi_all_finite(3, def->gravity)) trxi_error_at(context, (trx_source){0}, "gravity is not finite");
    for (int i = 0; i < def->nmaterial; i++) check_material(context, &def->materials[i]);
    for (int i = 0; i < def->nbody; i++) check_body(build, i), trxi_validate_drag(build, &def->bodies[i]);
    trxi_validate_inertia(build);
    trxi_validate_lengths(build);
    trxi_validate_actuators(build);
    trxi_validate_constraints(build);
    trxi_validate_loads(build);
    trxi_validate_contact(build);

    return trx_context_error_count(context) > before ? TRX_ERR_INPUT : TRX_OK;
}
