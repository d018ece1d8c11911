// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Actuators: checked, and compiled to dofs with factors, so that later code does not distinguish joints and tendons.
// The force on dof i is factor_i f with
//
//     f = clamp(gain u + bias - kp l - kd dl/dt, effort)        l = sum_i factor_i q_i
//
// Without kp and kd the effort limits become limits of the control. With kp or kd the law is a row of the convex step
// (theory 4).

#include "model/build.h"

static const char *actuator_name(const trx_model_def *def, const trx_actuator_def *actuator)
{
    if (actuator->name) return actuator->name;
    return actuator->tendon ? "" : def->bodies[actuator->body].joints[actuator->joint].name;
}

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

// whether joint number `at` of a tendon exists, differs from the joints before it, and has a factor
static bool part_usable(const trxi_build *build, trx_source source, const char *what, const trx_joint_factor *parts, int at)
{
    const trx_joint_factor *part = &parts[at];
    const trx_joint_def *joint = trxi_single_joint(build, source, what, part->body, part->joint);
    if (!joint) return false;
    for (int i = 0; i < at; i++) {
        if (parts[i].body != part->body || parts[i].joint != part->joint) continue;
        trxi_error_at(build->context, source, "joint '%s' is twice in %s: give it once, with the sum of both factors", joint->name,
                      what);
        return false;
    }
    if (isfinite(part->factor) && part->factor != 0) return true;
    trxi_error_at(build->context, source, "joint '%s': its factor in %s is %g; it must be finite and not 0", joint->name, what,
                  part->factor);
    return false;
}

bool trxi_tendon_usable(const trxi_build *build, trx_source source, const char *what, const trx_joint_factor *parts, int count)
{
    bool usable = count >= 1 && parts;
    if (!usable) trxi_error_at(build->context, source, "%s has no joints", what);
    for (int i = 0; parts && i < count; i++) usable = part_usable(build, source, what, parts, i) && usable;
    return usable;
}

static bool check_joints(const trxi_build *build, const trx_actuator_def *actuator)
{
    if (actuator->tendon) return trxi_tendon_usable(build, actuator->source, "the tendon", actuator->tendon, actuator->ntendon);
    return trxi_single_joint(build, actuator->source, "this actuator", actuator->body, actuator->joint) != NULL;
}

static void check_range(const trxi_build *build, const trx_actuator_def *actuator, const char *name, const char *what,
                        double lower, double upper)
{
    if (lower < upper) return;
    trxi_error_at(build->context, actuator->source,
                  "actuator of joint '%s': %s [%g, %g] leave no room; the lower one comes first", name, what, lower, upper);
}

// gain u + bias within the effort limits, as limits of u
static void effort_range(double gain, double bias, double effort_lower, double effort_upper, double range[2])
{
    double lower = (effort_lower - bias) / gain, upper = (effort_upper - bias) / gain;
    range[0] = fmin(lower, upper);
    range[1] = fmax(lower, upper);
}

// a motor obeys both its limits and its effort
static void check_both_ranges(const trxi_build *build, const trx_actuator_def *actuator, const char *name)
{
    double range[2];
    effort_range(actuator->gain, actuator->bias, actuator->effort_lower, actuator->effort_upper, range);
    bool motor = actuator->kp == 0 && actuator->kd == 0, each = actuator->lower < actuator->upper && range[0] < range[1];
    if (!motor || !each || fmax(actuator->lower, range[0]) < fmin(actuator->upper, range[1])) return;
    trxi_error_at(build->context, actuator->source,
                  "actuator of joint '%s': no control is both within the limits [%g, %g] and, by effort, within [%g, %g]", name,
                  actuator->lower, actuator->upper, range[0], range[1]);
}

static void check_actuator(const trxi_build *build, const trx_actuator_def *actuator)
{
    if (!check_joints(build, actuator)) return;
    const char *name = actuator_name(build->def, actuator);
    const struct {
        const char *name;
        double value;
    } factors[] = {{"gear", actuator->gear}, {"gain", actuator->gain}}, gains[] = {{"kp", actuator->kp}, {"kd", actuator->kd}};
    for (int i = 0; i < 2; i++)
        if (!isfinite(factors[i].value) || factors[i].value == 0)
            trxi_error_at(build->context, actuator->source,
                          "actuator of joint '%s': %s is %g; it must be finite and not 0", name, factors[i].name,
                          factors[i].value);
    for (int i = 0; i < 2; i++)
        if (!(gains[i].value >= 0 && isfinite(gains[i].value)))
            trxi_error_at(build->context, actuator->source,
                          "actuator of joint '%s': %s is %g; it must be finite and not negative", name, gains[i].name,
                          gains[i].value);
    if (!isfinite(actuator->bias))
        trxi_error_at(build->context, actuator->source, "actuator of joint '%s': bias is not finite", name);
    check_range(build, actuator, name, "limits", actuator->lower, actuator->upper);
    check_range(build, actuator, name, "effort limits", actuator->effort_lower, actuator->effort_upper);
    check_both_ranges(build, actuator, name);
}

void trxi_validate_actuators(trxi_build *build)
{
    for (int i = 0; i < build->def->nactuator; i++) check_actuator(build, &build->def->actuators[i]);
}

// efforts of a motor are limits of its control
static void fold_effort(trxi_actuator *a)
{
    double range[2];
    effort_range(a->gain, a->bias, a->effort_lower, a->effort_upper, range);
    a->lower = fmax(a->lower, range[0]);
    a->upper = fmin(a->upper, range[1]);
}

static void push_joint(trxi_build *build, trxi_actuator *a, int body, int joint, double factor)
{
    trx_model *m = &build->model;
    const trxi_joint *pushed = &m->joints[build->first_joint[body] + joint];
    m->factor_dofs[m->nfactor] = pushed->v;
    m->factors[m->nfactor++] = factor;
    a->nfactor++;
    m->trees[m->links[pushed->first_link].tree].actuated = true;
}

static void append_actuator(trxi_build *build, const trx_actuator_def *from)
{
    trx_model *m = &build->model;
    const trx_joint_factor single = {from->body, from->joint, 1};
    const trx_joint_factor *parts = from->tendon ? from->tendon : &single;
    int joint = build->first_joint[parts->body] + parts->joint;
    trxi_actuator *a = &m->actuators[m->nu++];
    *a = (trxi_actuator){
        .name = from->name ? from->name : m->joints[joint].name,
        .source = from->source,
        .joint = joint,
        .v = m->joints[joint].v,
        .first = m->nfactor,
        .servo = from->kp > 0 && from->gain == from->kp,
        .drive = from->kp > 0 || from->kd > 0,
        .gear = from->gear,
        .gain = from->gain,
        .bias = from->bias,
        .kp = from->kp,
        .kd = from->kd,
        .effort_lower = from->effort_lower,
        .effort_upper = from->effort_upper,
        .lower = from->lower,
        .upper = from->upper,
    };
    for (int i = 0; i < (from->tendon ? from->ntendon : 1); i++)
        push_joint(build, a, parts[i].body, parts[i].joint, from->gear * parts[i].factor);
    m->ndrive += a->drive;
    if (!a->drive) fold_effort(a);
}

trx_status trxi_build_actuators(trxi_build *build)
{
    const trx_model_def *def = build->def;
    trx_model *m = &build->model;
    int nfactor = 0;
    for (int i = 0; i < def->nactuator; i++) nfactor += def->actuators[i].tendon ? def->actuators[i].ntendon : 1;
    m->actuators = TRXI_POOL(build->pool, trxi_actuator, def->nactuator);
    m->factor_dofs = TRXI_POOL(build->pool, int, nfactor);
    m->factors = TRXI_POOL(build->pool, double, nfactor);
    if (!m->actuators || !m->factor_dofs || !m->factors) return TRX_ERR_MEMORY;
    for (int i = 0; i < def->nactuator; i++) append_actuator(build, &def->actuators[i]);
    return TRX_OK;
}

double trxi_actuator_length(const trx_model *model, const trxi_actuator *actuator, const double *q)
{
    double length = 0;
    for (int k = actuator->first; k < actuator->first + actuator->nfactor; k++)
        length += model->factors[k] * q[model->links[model->dof_link[model->factor_dofs[k]]].q];
    return length;
}
