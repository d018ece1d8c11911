// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Values of parameters: read, and changed in place in a model that nobody shares (parameters.h). Most are one number of the
// model and something that was made of it when the model was built; the pose of a fixed body is a rigid motion of everything that
// stands on it (place.c).

#include "model/parameters.h"

#include "geometry/shape.h"
#include "model/pair_law.h"
#include "model/place.h"

bool trxi_parameter_is_setting(trx_parameter_kind kind)
{
    return kind == TRX_STICTION_TOLERANCE || kind == TRX_JOINT_STICTION_TOLERANCE;
}

bool trxi_parameter_is_pair(trx_parameter_kind kind)
{
    return (int)kind >= TRX_PAIR_STIFFNESS && kind <= TRX_PAIR_REACH;
}

static bool is_joint(trx_parameter_kind kind)
{
    return (kind >= TRX_JOINT_DAMPING && kind <= TRX_JOINT_ARMATURE) || kind == TRX_JOINT_REST || kind == TRX_JOINT_FRICTION;
}

static bool is_actuator(trx_parameter_kind kind)
{
    return kind == TRX_ACTUATOR_GEAR || (kind >= TRX_ACTUATOR_GAIN && kind <= TRX_ACTUATOR_KD);
}

static bool is_geom(trx_parameter_kind kind)
{
    return kind >= TRX_GEOM_SIZE && kind <= TRX_GEOM_ROUNDING;
}

static bool is_place(trx_parameter_kind kind)
{
    return kind == TRX_PLACE_POSITION || kind == TRX_PLACE_TURN;
}

// numbers of index and component
static void ranges(const trx_model *model, trx_parameter_kind kind, int *indices, int *components)
{
    *components = 1;
    *indices = model->nbody;
    if (trxi_parameter_is_setting(kind)) *indices = 1;
    if (trxi_parameter_is_pair(kind)) *indices = model->npair, *components = 2;
    if (is_joint(kind)) *indices = model->njoint;
    if (is_actuator(kind)) *indices = model->nu;
    if (is_geom(kind)) *indices = model->ngeom;
    if (kind == TRX_GRAVITY) *indices = 1;
    if (kind == TRX_GRAVITY || kind == TRX_BODY_COM || kind == TRX_GEOM_SIZE || is_place(kind)) *components = 3;
    if (kind == TRX_BODY_TENSOR) *components = 6;
}

static bool shape_has(const trx_shape *shape, trx_parameter_kind kind)
{
    const trx_shape_type type = shape->type;
    switch (kind) {
    case TRX_GEOM_SIZE: return type == TRX_SHAPE_BOX || type == TRX_SHAPE_ELLIPSOID;
    case TRX_GEOM_RADIUS: return type == TRX_SHAPE_SPHERE || type == TRX_SHAPE_CAPSULE || type == TRX_SHAPE_CYLINDER;
    case TRX_GEOM_LENGTH: return type == TRX_SHAPE_CAPSULE || type == TRX_SHAPE_CYLINDER;
    default: return type != TRX_SHAPE_HALFSPACE && type != TRX_SHAPE_SPHERE && type != TRX_SHAPE_CAPSULE;
    }
}

// a body that moves by itself has a pose of time
static bool place_moves(const trx_model *model, int index)
{
    if (model->bodies[index].mover >= 0) return true;
    for (int i = 0; i < model->nbody; i++)
        if (model->bodies[i].mover >= 0 && trxi_place_carries_body(model, index, i)) return true;
    return false;
}

bool trxi_parameter_exists(const trx_model *model, trx_parameter p)
{
    int indices, components;
    if ((int)p.kind < 0 || p.kind > TRX_PLACE_TURN) return false;
    ranges(model, p.kind, &indices, &components);
    bool unused = trxi_parameter_is_setting(p.kind) || p.kind == TRX_GRAVITY;
    if (!unused && (p.index < 0 || p.index >= indices)) return false;
    if (components > 1 && (p.component < 0 || p.component >= components)) return false;
    const trxi_joint *joint = is_joint(p.kind) ? &model->joints[p.index] : NULL;
    if (p.kind == TRX_JOINT_REST) return joint->type == TRX_JOINT_HINGE || joint->type == TRX_JOINT_SLIDE;
    if (p.kind == TRX_JOINT_FRICTION) return joint->friction != 0;
    if (p.kind == TRX_ACTUATOR_KP || p.kind == TRX_ACTUATOR_KD) return model->actuators[p.index].drive;
    if (is_geom(p.kind)) return shape_has(&model->geoms[p.index].shape, p.kind);
    if (is_place(p.kind)) return model->bodies[p.index].link < 0 && !place_moves(model, p.index);
    return true;
}

// why there is none
static trx_status refuse(trx_context *context, const trx_model *model, trx_parameter p)
{
    int indices, components;
    if ((int)p.kind < 0 || p.kind > TRX_PLACE_TURN)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "there is no kind %d of parameters", (int)p.kind);
    ranges(model, p.kind, &indices, &components);
    if (p.index < 0 || p.index >= indices)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "no parameter of kind %d has index %d", (int)p.kind, p.index);
    if (components > 1 && (p.component < 0 || p.component >= components))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "no parameter of kind %d has component %d", (int)p.kind, p.component);
    if (p.kind == TRX_JOINT_REST)
        return trxi_fail(context, TRX_ERR_UNSUPPORTED, "joint '%s' has no rest: only hinges and slides have",
                         model->joints[p.index].name);
    if (p.kind == TRX_JOINT_FRICTION)
        return trxi_fail(context, TRX_ERR_UNSUPPORTED,
                         "joint '%s' has no dry friction: give it a small one for its derivative", model->joints[p.index].name);
    if (is_actuator(p.kind))
        return trxi_fail(context, TRX_ERR_UNSUPPORTED, "actuator '%s' is a motor: it has neither kp nor kd",
                         model->actuators[p.index].name);
    if (is_geom(p.kind))
        return trxi_fail(context, TRX_ERR_UNSUPPORTED, "geometry '%s' is a %s, which has no such size",
                         model->geoms[p.index].name, trx_shape_name(model->geoms[p.index].shape.type));
    const trxi_body *body = &model->bodies[p.index];
    if (body->link >= 0)
        return trxi_fail(context, TRX_ERR_UNSUPPORTED,
                         "body '%s' is moved by joints: only the pose of a body that is fixed to the world is a parameter",
                         body->name);
    return trxi_fail(context, TRX_ERR_UNSUPPORTED,
                     "body '%s' moves by itself or carries a body that does: its pose is no parameter", body->name);
}

trx_status trxi_parameter_check(trx_context *context, const trx_model *model, trx_parameter p)
{
    return trxi_parameter_exists(model, p) ? TRX_OK : refuse(context, model, p);
}

bool trxi_parameter_has_pair(const trx_model *model, trx_parameter p, int pair)
{
    if (pair == p.index) return true;
    if (p.component == 0) return false;
    const trxi_pair *one = &model->pairs[p.index], *other = &model->pairs[pair];
    int a = model->geoms[one->geom_a].body, b = model->geoms[one->geom_b].body;
    int c = model->geoms[other->geom_a].body, d = model->geoms[other->geom_b].body;
    return (a == c && b == d) || (a == d && b == c);
}

double *trxi_parameter_of_law(trx_pair_law *law, trx_parameter_kind kind)
{
    switch (kind) {
    case TRX_PAIR_STIFFNESS: return &law->stiffness;
    case TRX_PAIR_DISSIPATION: return &law->dissipation;
    case TRX_PAIR_RELAXATION_TIME: return &law->relaxation_time;
    case TRX_PAIR_FRICTION_ACROSS: return &law->friction_across;
    case TRX_PAIR_DYNAMIC_FRICTION: return &law->dynamic_friction;
    case TRX_PAIR_SLIP_SPEED: return &law->slip_speed;
    case TRX_PAIR_TORSIONAL_FRICTION: return &law->torsional_friction;
    case TRX_PAIR_ROLLING_FRICTION: return &law->rolling_friction;
    case TRX_PAIR_BARRIER: return &law->barrier;
    case TRX_PAIR_REACH: return &law->reach;
    default: return &law->friction;
    }
}

// the number of the model that a parameter is
static double *slot(trx_model *m, trx_parameter p)
{
    trxi_joint *joint = is_joint(p.kind) ? &m->joints[p.index] : NULL;
    trxi_actuator *actuator = is_actuator(p.kind) ? &m->actuators[p.index] : NULL;
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
    default: return trxi_parameter_of_law(&m->pairs[p.index].law, p.kind);
    }
}

double trxi_parameter_value(const trx_model *base, const trx_model *model, trx_parameter p)
{
    if (is_place(p.kind)) return trxi_place_value(base, model, p);
    return *slot((trx_model *)model, p); // read only
}

// what no sum or table stands in the way of
static trx_status check_value(trx_context *context, const trx_model *model, trx_parameter p, double value)
{
    bool sign = p.kind == TRX_GRAVITY || p.kind == TRX_JOINT_REST || p.kind == TRX_BODY_COM || p.kind == TRX_BODY_TENSOR ||
                p.kind == TRX_ACTUATOR_BIAS || is_place(p.kind);
    bool nonzero = p.kind == TRX_ACTUATOR_GEAR || p.kind == TRX_ACTUATOR_GAIN;
    bool positive = p.kind == TRX_JOINT_FRICTION || (is_geom(p.kind) && p.kind != TRX_GEOM_ROUNDING);
    const trxi_actuator *a = is_actuator(p.kind) ? &model->actuators[p.index] : NULL;
    if (p.kind == TRX_ACTUATOR_KP) positive = !(a->kd > 0); // a drive without kp and kd is a motor, of which there are rows or not
    if (p.kind == TRX_ACTUATOR_KD) positive = !(a->kp > 0);
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
    for (int i = joint->v; i < joint->v + joint->nv; i++) of_dofs[i] = value;
}

// what was made of the number when the model was built; values that come back bring the same bits
static void follow(const trx_model *base, trx_model *m, trx_parameter p, double before, double value)
{
    const trxi_joint *joint = is_joint(p.kind) ? &m->joints[p.index] : NULL;
    trxi_actuator *actuator = is_actuator(p.kind) ? &m->actuators[p.index] : NULL;
    switch (p.kind) {
    case TRX_JOINT_DAMPING: copy_to_dofs(joint, value, m->damping); return;
    case TRX_JOINT_STIFFNESS:
        copy_to_dofs(joint, value, m->stiffness);
        m->has_springs = m->has_springs || value != 0;
        return;
    case TRX_JOINT_ARMATURE: copy_to_dofs(joint, value, m->armature); return;
    case TRX_JOINT_REST: copy_to_dofs(joint, value, m->rest); return;
    case TRX_JOINT_FRICTION: copy_to_dofs(joint, value, m->friction); return;
    case TRX_ACTUATOR_GEAR:
        for (int i = actuator->first; i < actuator->first + actuator->nfactor; i++)
            m->factors[i] = base->factors[i] * (value / base->actuators[p.index].gear);
        return;
    case TRX_ACTUATOR_KP:
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
    if (is_place(p.kind)) {
        trxi_place_set(base, model, p, value);
        return;
    }
    for (int i = 0; trxi_parameter_is_pair(p.kind) && i < model->npair; i++)
        if (trxi_parameter_has_pair(model, p, i)) *trxi_parameter_of_law(&model->pairs[i].law, p.kind) = value;
    double *number = slot(model, p), before = *number;
    *number = value;
    follow(base, model, p, before, value);
}

trx_status trxi_parameter_set(trx_context *context, const trx_model *base, trx_model *model, trx_parameter p, double value)
{
    trx_status status = check_value(context, model, p, value);
    if (status == TRX_OK) trxi_parameter_put(base, model, p, value);
    return status;
}

trx_status trx_model_parameter_value(trx_context *context, const trx_model *model, trx_parameter parameter, double *value)
{
    if (!context || !model || !value) return TRX_ERR_ARGUMENT;
    trx_status status = trxi_parameter_check(context, model, parameter);
    if (status < 0) return status;
    if (trxi_parameter_is_setting(parameter.kind))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "a stiction tolerance is a setting of simulators, not of the model");
    *value = trxi_parameter_value(model, model, parameter);
    return TRX_OK;
}

// what one number allows its law need not
static trx_status check_laws(trx_context *context, const trx_model *model)
{
    char flaw[TRXI_LAW_FLAW];
    for (int i = 0; i < model->npair; i++) {
        const trxi_pair *pair = &model->pairs[i];
        if (trxi_pair_law_usable(&pair->law, flaw)) continue;
        return trxi_fail(context, TRX_ERR_INPUT, "%s|%s: %s", model->geoms[pair->geom_a].name,
                         model->geoms[pair->geom_b].name, flaw);
    }
    return TRX_OK;
}

trx_status trx_model_change(trx_context *context, const trx_model *model, const trx_parameter *parameters,
                            const double *values, int count, trx_model **changed)
{
    if (!context || !model || !changed) return TRX_ERR_ARGUMENT;
    *changed = NULL;
    if (count > 0 && (!parameters || !values))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "trx_model_change: no parameters or no values given");
    trx_model *copy;
    trx_status status = trxi_model_copy(context, model, &copy);
    for (int i = 0; i < count && status == TRX_OK; i++) {
        status = trxi_parameter_check(context, model, parameters[i]);
        if (status == TRX_OK && trxi_parameter_is_setting(parameters[i].kind))
            status = trxi_fail(context, TRX_ERR_ARGUMENT, "a stiction tolerance is a setting of simulators, not of the model");
        if (status == TRX_OK) status = trxi_parameter_set(context, model, copy, parameters[i], values[i]);
    }
    if (status == TRX_OK) status = check_laws(context, copy);
    if (status == TRX_OK) *changed = copy;
    else trx_model_destroy(copy);
    return status;
}
