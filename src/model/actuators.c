// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Actuators: checked, and compiled to lengths, so that later code does not distinguish joints and tendons. The force on dof i is
// f dL/dq_i with
//
//     f = clamp(gain u + bias - kp L - kd dL/dt, effort)        L = gear l
//
// with the force of a muscle (muscle.c) in place of gain u. A motor is no muscle, has neither kp nor kd, and no activation with
// effort limits. Effort limits of a motor become limits of the control. All other actuators are rows of the convex step (theory 4).
// Rows are also motors on a length whose gradient depends on q, and motors with an activation on several trees: an activation acts
// on one island, and the row joins the trees to one island.

#include "model/build.h"

static const char *actuator_name(const trx_model_def *def, const trx_actuator_def *actuator)
{
    if (actuator->name) return actuator->name;
    return actuator->tendon >= 0 ? "" : def->bodies[actuator->body].joints[actuator->joint].name;
}

static bool check_joints(const trxi_build *build, const trx_actuator_def *actuator)
{
    if (actuator->tendon >= 0) return trxi_tendon_exists(build, actuator->source, "this actuator", actuator->tendon);
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

// whether the force is gain u + bias, with the control or the activation as u: no muscle, no kp, no kd, no activation with effort
// limits
static bool is_motor(const trx_actuator_def *a)
{
    const bool limited = isfinite(a->effort_lower) || isfinite(a->effort_upper);
    return a->kp == 0 && a->kd == 0 && !(a->activation.type && limited) && a->muscle.optimal_length == 0;
}

// a motor obeys both its limits and its effort
static void check_both_ranges(const trxi_build *build, const trx_actuator_def *actuator, const char *name)
{
    double range[2];
    effort_range(actuator->gain, actuator->bias, actuator->effort_lower, actuator->effort_upper, range);
    bool motor = is_motor(actuator), each = actuator->lower < actuator->upper && range[0] < range[1];
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
    trxi_check_activation(build, name, actuator->source, &actuator->activation);
    trxi_check_muscle(build, name, actuator);
}

void trxi_validate_actuators(trxi_build *build)
{
    for (int i = 0; i < build->def->nactuator; i++) check_actuator(build, &build->def->actuators[i]);
}

void trxi_effort_range(const trxi_actuator *a, double range[2])
{
    range[0] = -INFINITY, range[1] = INFINITY;
    if (a->motor) effort_range(a->gain, a->bias, a->effort_lower, a->effort_upper, range);
}

bool trxi_actuator_limit(trxi_actuator *a)
{
    double range[2];
    trxi_effort_range(a, range);
    a->lower = fmax(a->given_lower, range[0]);
    a->upper = fmin(a->given_upper, range[1]);
    return a->lower < a->upper;
}

// whether a length moves several trees
static bool ties_trees(const trx_model *m, const trxi_length *on)
{
    for (int k = 1; k < on->ncol; k++)
        if (m->dof_tree[m->length_dofs[on->first + k]] != m->dof_tree[m->length_dofs[on->first]]) return true;
    return false;
}

static void append_actuator(trxi_build *build, const trx_actuator_def *from)
{
    trx_model *m = &build->model;
    const int length = from->tendon >= 0 ? from->tendon : trxi_length_of_joint(build, build->first_joint[from->body] + from->joint);
    const trxi_length *on = &m->lengths[length];
    const int v = on->ncol > 0 ? m->length_dofs[on->first] : 0, joint = on->ncol > 0 ? m->links[m->dof_link[v]].joint : 0;
    trxi_actuator *a = &m->actuators[m->nu++];
    *a = (trxi_actuator){
        .name = from->name ? from->name : on->ncol > 0 ? m->joints[joint].name : on->name,
        .source = from->source,
        .joint = joint,
        .v = v,
        .length = length,
        .servo = from->kp > 0 && from->gain == from->kp,
        .motor = is_motor(from),
        .drive = !is_motor(from) || on->nspan > 0 || (from->activation.type && ties_trees(m, on)),
        .gear = from->gear,
        .gain = from->gain,
        .bias = from->bias,
        .kp = from->kp,
        .kd = from->kd,
        .effort_lower = from->effort_lower,
        .effort_upper = from->effort_upper,
        .given_lower = from->lower,
        .given_upper = from->upper,
        .a = from->activation.type ? m->na++ : -1,
        .activation = from->activation,
        .muscle = from->muscle,
    };
    for (int k = 0; k < on->ncol; k++) m->trees[m->dof_tree[m->length_dofs[on->first + k]]].actuated = true;
    m->ndrive += a->drive;
    trxi_actuator_limit(a);
}

trx_status trxi_build_actuators(trxi_build *build)
{
    const trx_model_def *def = build->def;
    build->model.actuators = TRXI_POOL(build->pool, trxi_actuator, def->nactuator);
    if (!build->model.actuators) return TRX_ERR_MEMORY;
    for (int i = 0; i < def->nactuator; i++) append_actuator(build, &def->actuators[i]);
    return TRX_OK;
}

const char *trxi_control_unit(const trx_model *model, int actuator)
{
    static const char *const forces[2][2] = {{"N m", "N"}, {"N m/s", "N/s"}};
    static const char *const lengths[2][2] = {{"rad", "m"}, {"rad/s", "m/s"}};
    const trxi_actuator *a = &model->actuators[actuator];
    const bool metres = trxi_length_bends(model, a->length) || trxi_dof_slides(model, a->v);
    const bool rate = a->activation.type == TRX_ACTIVATION_INTEGRATOR;
    if (a->muscle.optimal_length > 0) return "";
    return (a->servo ? lengths : forces)[rate][metres];
}
