// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Values of parameters: read, and changed in place in a model that is not shared (parameters.h). Most parameters are
// one number of the model plus values derived from it when the model was built. The pose of a fixed body is a rigid
// motion of all bodies that it carries (place.c).

#include "model/parameters.h"

#include "geometry/shape.h"
#include "model/pair_law.h"
#include "model/place.h"

#include <assert.h>

// the law of one pair, which no other pair shares from now on. A kind that `base` does not have was made here, for one pair
static trx_pair_law *own_law(const trx_model *base, trx_model *m, int pair)
{
    const trxi_pair_run *run = trxi_pair_table_run(&m->pairs, pair);
    const int kind = run->kind;
    bool shared = run->count > 1;
    if (kind >= base->npair_kind) return &m->pair_kinds[kind].law;
    for (int r = 0; r < m->pairs.nrun && !shared; r++) shared = &m->pairs.runs[r] != run && m->pairs.runs[r].kind == kind;
    if (!shared) return &m->pair_kinds[kind].law;
    m->pair_kinds[m->npair_kind] = m->pair_kinds[kind];
    trxi_pair_table_split(&m->pairs, pair, m->npair_kind);
    return &m->pair_kinds[m->npair_kind++].law;
}

static void put_laws(const trx_model *base, trx_model *m, trx_parameter p, double value)
{
    for (int i = trxi_parameter_next_pair(m, p, -1); i >= 0; i = trxi_parameter_next_pair(m, p, i))
        *trxi_number_of_law(own_law(base, m, i), (int)p.kind) = value;
}

// the number of the model that stores a parameter, unless this is a parameter of pairs
static double *slot(trx_model *m, trx_parameter p)
{
    trxi_joint *joint = trxi_parameter_is_joint(p.kind) ? &m->joints[p.index] : NULL;
    trxi_actuator *actuator = trxi_parameter_is_actuator(p.kind) ? &m->actuators[p.index] : NULL;
    switch (p.kind) {
    case TRX_JOINT_DAMPING: return &joint->damping;
    case TRX_JOINT_STIFFNESS: return &joint->stiffness;
    case TRX_JOINT_ARMATURE: return &joint->armature;
    case TRX_JOINT_REST: return &joint->rest;
    case TRX_JOINT_FRICTION: return &joint->friction;
    case TRX_ACTUATOR_GEAR: return &actuator->gear;
    case TRX_ACTUATOR_GAIN: return &actuator->gain;
    case TRX_ACTUATOR_BIAS: return &actuator->bias;
    case TRX_ACTUATOR_KP: return &actuator->kp;
    case TRX_ACTUATOR_KD: return &actuator->kd;
    case TRX_GRAVITY: return &m->gravity[p.component];
    case TRX_BODY_MASS: return &m->inertias[p.index].mass;
    case TRX_BODY_COM: return &m->inertias[p.index].com[p.component];
    case TRX_BODY_TENSOR: return &m->inertias[p.index].tensor[p.component];
    case TRX_GEOM_SIZE: return &m->geoms[p.index].shape.size[p.component];
    case TRX_GEOM_RADIUS: return &m->geoms[p.index].shape.radius;
    case TRX_GEOM_LENGTH: return &m->geoms[p.index].shape.length;
    case TRX_GEOM_ROUNDING: return &m->geoms[p.index].shape.rounding;
    default: return NULL;
    }
}

double trxi_parameter_value(const trx_model *base, const trx_model *model, trx_parameter p)
{
    if (trxi_parameter_is_place(p.kind)) return trxi_place_value(base, model, p);
    if (trxi_parameter_is_pair(p.kind)) return *trxi_number_of_law(trxi_model_pair(model, p.index).law, (int)p.kind);
    const double *number = slot((trx_model *)model, p); // read only
    assert(number);
    return *number;
}

// checks the range of one value by itself
static trx_status check_value(trx_context *context, const trx_model *model, trx_parameter p, double value)
{
    bool sign = p.kind == TRX_GRAVITY || p.kind == TRX_JOINT_REST || p.kind == TRX_BODY_COM || p.kind == TRX_BODY_TENSOR ||
                p.kind == TRX_ACTUATOR_BIAS || trxi_parameter_is_place(p.kind);
    bool nonzero = p.kind == TRX_ACTUATOR_GEAR || p.kind == TRX_ACTUATOR_GAIN;
    bool positive = p.kind == TRX_JOINT_FRICTION || (trxi_parameter_is_geom(p.kind) && p.kind != TRX_GEOM_ROUNDING);
    const trxi_actuator *a = trxi_parameter_is_actuator(p.kind) ? &model->actuators[p.index] : NULL;
    // a drive that is no muscle needs kp or kd: without both it is a motor, which has no rows
    const bool muscle = a && a->muscle.optimal_length > 0;
    if (p.kind == TRX_ACTUATOR_KP) positive = a && !muscle && !(a->kd > 0);
    if (p.kind == TRX_ACTUATOR_KD) positive = a && !muscle && !(a->kp > 0);
    if (p.kind == TRX_ACTUATOR_GAIN && muscle) nonzero = false, positive = true;
    const char *wanted = sign       ? "finite"
                         : nonzero  ? "finite and not 0"
                         : positive ? "positive and finite"
                                    : "finite and not negative";
    if (isfinite(value) && (sign || (nonzero && value != 0) || (!nonzero && (value > 0 || (!positive && value == 0)))))
        return TRX_OK;
    char name[200];
    if (!trx_model_parameter_name(model, p, name, sizeof name)) name[0] = '\0';
    return trxi_fail(context, TRX_ERR_INPUT, "%s is %g: it must be %s", name, value, wanted);
}

static void copy_to_dofs(const trxi_joint *joint, double value, double *of_dofs)
{
    assert(joint);
    for (int i = joint->v; i < joint->v + joint->nv; i++) of_dofs[i] = value;
}

// recomputes values derived from the number; a value that is set back gives the same bits
static void follow(trx_model *m, trx_parameter p, double before, double value)
{
    const trxi_joint *joint = trxi_parameter_is_joint(p.kind) ? &m->joints[p.index] : NULL;
    trxi_actuator *actuator = trxi_parameter_is_actuator(p.kind) ? &m->actuators[p.index] : NULL;
    switch (p.kind) {
    case TRX_JOINT_DAMPING: copy_to_dofs(joint, value, m->damping); return;
    case TRX_JOINT_STIFFNESS:
        copy_to_dofs(joint, value, m->stiffness);
        m->has_springs = m->has_springs || value != 0;
        return;
    case TRX_JOINT_ARMATURE: copy_to_dofs(joint, value, m->armature); return;
    case TRX_JOINT_REST: copy_to_dofs(joint, value, m->rest); return;
    case TRX_JOINT_FRICTION: copy_to_dofs(joint, value, m->friction); return;
    case TRX_ACTUATOR_GAIN:
    case TRX_ACTUATOR_BIAS:
        assert(actuator);
        trxi_actuator_limit(actuator);
        return;
    case TRX_ACTUATOR_KP:
        assert(actuator);
        if (actuator->servo) actuator->gain = actuator->gain == before ? value : actuator->gain + (value - before);
        return;
    case TRX_BODY_MASS:
    case TRX_BODY_COM:
    case TRX_BODY_TENSOR: trxi_model_sum_inertia(m); return;
    case TRX_GEOM_SIZE:
    case TRX_GEOM_RADIUS:
    case TRX_GEOM_LENGTH:
    case TRX_GEOM_ROUNDING: m->geoms[p.index].radius = trxi_shape_bounding_radius(&m->geoms[p.index].shape); return;
    default: return;
    }
}

void trxi_parameter_put(const trx_model *base, trx_model *model, trx_parameter p, double value)
{
    if (trxi_parameter_is_place(p.kind)) {
        trxi_place_set(base, model, p, value);
        return;
    }
    if (trxi_parameter_is_pair(p.kind)) {
        put_laws(base, model, p, value);
        return;
    }
    double *number = slot(model, p);
    assert(number);
    const double before = *number;
    *number = value;
    follow(model, p, before, value);
}

trx_status trxi_parameter_set(trx_context *context, const trx_model *base, trx_model *model, trx_parameter p, double value)
{
    trx_status status = check_value(context, model, p, value);
    if (status == TRX_OK) trxi_parameter_put(base, model, p, value);
    return status;
}

trx_status trx_model_parameter_value(trx_context *context, const trx_model *model, trx_parameter parameter, double *value)
{
    if (!context) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    if (!model || !value) return trxi_fail(context, TRX_ERR_ARGUMENT, "no model or no place for the value");
    trx_status status = trxi_parameter_check(context, model, parameter);
    if (status < 0) return status;
    if (trxi_parameter_is_setting(parameter.kind))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "a stiction tolerance is a setting of simulators, not of the model");
    *value = trxi_parameter_value(model, model, parameter);
    return TRX_OK;
}

// values that are valid alone may be invalid in their law
static trx_status check_laws(trx_context *context, const trx_model *model)
{
    char flaw[TRXI_LAW_FLAW];
    for (int r = 0; r < model->pairs.nrun; r++) {
        const trxi_pair_run *run = &model->pairs.runs[r];
        if (trxi_pair_law_usable(&model->pair_kinds[run->kind].law, flaw)) continue;
        const trxi_pair pair = trxi_model_pair(model, run->first);
        return trxi_fail(context, TRX_ERR_INPUT, "%s|%s: %s", model->geoms[pair.geom_a].name, model->geoms[pair.geom_b].name,
                         flaw);
    }
    return TRX_OK;
}

// gain and bias that are valid alone may leave a motor no control
static trx_status check_limits(trx_context *context, const trx_model *model)
{
    for (int i = 0; i < model->nu; i++) {
        const trxi_actuator *a = &model->actuators[i];
        double range[2];
        if (a->lower < a->upper) continue;
        trxi_effort_range(a, range);
        return trxi_fail(context, TRX_ERR_INPUT,
                         "actuator '%s': no control is both within the limits [%g, %g] and, by effort, within [%g, %g]", a->name,
                         a->given_lower, a->given_upper, range[0], range[1]);
    }
    return TRX_OK;
}

// number of pairs that the parameters change; a pair of two parameters counts twice
static int count_pairs(const trx_model *model, const trx_parameter *parameters, int count)
{
    int meant = 0;
    for (int k = 0; k < count; k++) {
        if (!trxi_parameter_is_pair(parameters[k].kind) || !trxi_parameter_exists(model, parameters[k])) continue;
        for (int i = -1; (i = trxi_parameter_next_pair(model, parameters[k], i)) >= 0;) meant++;
    }
    return meant;
}

trx_status trx_model_change(trx_context *context, const trx_model *model, const trx_parameter *parameters,
                            const double *values, int count, trx_model **changed)
{
    if (!context || !changed) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    *changed = NULL;
    if (!model) return trxi_fail(context, TRX_ERR_ARGUMENT, "trx_model_change: no model given");
    if (count > 0 && (!parameters || !values))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "trx_model_change: no parameters or no values given");
    trx_model *copy;
    trx_status status = trxi_model_copy(context, model, count_pairs(model, parameters, count), &copy);
    for (int i = 0; i < count && status == TRX_OK; i++) {
        status = trxi_parameter_check(context, model, parameters[i]);
        if (status == TRX_OK && trxi_parameter_is_setting(parameters[i].kind))
            status = trxi_fail(context, TRX_ERR_ARGUMENT, "a stiction tolerance is a setting of simulators, not of the model");
        if (status == TRX_OK) status = trxi_parameter_set(context, model, copy, parameters[i], values[i]);
    }
    if (status == TRX_OK) status = check_laws(context, copy);
    if (status == TRX_OK) status = check_limits(context, copy);
    if (status == TRX_OK) *changed = copy;
    else trx_model_destroy(copy);
    return status;
}
