// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Kinds of parameters: the object of each kind, the parameters of a model, and the reasons for missing parameters.

#include "geometry/shape.h"
#include "model/parameters.h"
#include "model/place.h"

bool trxi_parameter_is_setting(trx_parameter_kind kind)
{
    return kind == TRX_STICTION_TOLERANCE || kind == TRX_JOINT_STICTION_TOLERANCE;
}

bool trxi_parameter_is_pair(trx_parameter_kind kind)
{
    return (int)kind >= TRX_PAIR_STIFFNESS && kind <= TRX_PAIR_REACH;
}

bool trxi_parameter_is_joint(trx_parameter_kind kind)
{
    return (kind >= TRX_JOINT_DAMPING && kind <= TRX_JOINT_ARMATURE) || kind == TRX_JOINT_REST || kind == TRX_JOINT_FRICTION;
}

bool trxi_parameter_is_actuator(trx_parameter_kind kind)
{
    return kind == TRX_ACTUATOR_GEAR || (kind >= TRX_ACTUATOR_GAIN && kind <= TRX_ACTUATOR_KD);
}

bool trxi_parameter_is_inertia(trx_parameter_kind kind)
{
    return kind >= TRX_BODY_MASS && kind <= TRX_BODY_TENSOR;
}

bool trxi_parameter_is_geom(trx_parameter_kind kind)
{
    return kind >= TRX_GEOM_SIZE && kind <= TRX_GEOM_ROUNDING;
}

bool trxi_parameter_is_place(trx_parameter_kind kind)
{
    return kind == TRX_PLACE_POSITION || kind == TRX_PLACE_TURN;
}

// number of indices of a kind, and number of components of one index
static void ranges(const trx_model *model, trx_parameter_kind kind, int *indices, int *components)
{
    *components = 1;
    *indices = model->nbody;
    if (trxi_parameter_is_setting(kind)) *indices = 1;
    if (trxi_parameter_is_pair(kind)) *indices = model->npair, *components = 2;
    if (trxi_parameter_is_joint(kind)) *indices = model->njoint;
    if (trxi_parameter_is_actuator(kind)) *indices = model->nu;
    if (trxi_parameter_is_geom(kind)) *indices = model->ngeom;
    if (kind == TRX_GRAVITY) *indices = 1;
    if (kind == TRX_GRAVITY || kind == TRX_BODY_COM || kind == TRX_GEOM_SIZE || trxi_parameter_is_place(kind)) *components = 3;
    if (kind == TRX_BODY_TENSOR) *components = 6;
}

static bool shape_has(const trx_shape *shape, trx_parameter_kind kind)
{
    const trx_shape_type type = shape->type;
    switch (kind) {
    case TRX_GEOM_SIZE: return type == TRX_SHAPE_BOX || type == TRX_SHAPE_ELLIPSOID;
    case TRX_GEOM_RADIUS: return type == TRX_SHAPE_SPHERE || type == TRX_SHAPE_CAPSULE || type == TRX_SHAPE_CYLINDER;
    case TRX_GEOM_LENGTH: return type == TRX_SHAPE_CAPSULE || type == TRX_SHAPE_CYLINDER;
    default:
        return type != TRX_SHAPE_HALFSPACE && type != TRX_SHAPE_HEIGHT_FIELD && type != TRX_SHAPE_SPHERE &&
               type != TRX_SHAPE_CAPSULE;
    }
}

// whether the pose depends on time: the body, or a body on it, has a prescribed motion
static bool place_moves(const trx_model *model, int index)
{
    if (model->bodies[index].prescribed >= 0) return true;
    for (int i = 0; i < model->nbody; i++)
        if (model->bodies[i].prescribed >= 0 && trxi_place_carries_body(model, index, i)) return true;
    return false;
}

trx_status trxi_parameter_check(trx_context *context, const trx_model *model, trx_parameter p)
{
    int indices, components;
    if ((int)p.kind < 0 || p.kind > TRX_PLACE_TURN)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "there is no kind %d of parameters", (int)p.kind);
    ranges(model, p.kind, &indices, &components);
    bool indexed = !trxi_parameter_is_setting(p.kind) && p.kind != TRX_GRAVITY;
    if (indexed && (p.index < 0 || p.index >= indices))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "no parameter of kind %d has index %d", (int)p.kind, p.index);
    if (components > 1 && (p.component < 0 || p.component >= components))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "no parameter of kind %d has component %d", (int)p.kind, p.component);
    const trxi_joint *joint = trxi_parameter_is_joint(p.kind) ? &model->joints[p.index] : NULL;
    if (p.kind == TRX_JOINT_REST && joint->type != TRX_JOINT_HINGE && joint->type != TRX_JOINT_SLIDE)
        return trxi_fail(context, TRX_ERR_UNSUPPORTED, "joint '%s' has no rest: only hinges and slides have", joint->name);
    if (p.kind == TRX_JOINT_FRICTION && joint->friction == 0)
        return trxi_fail(context, TRX_ERR_UNSUPPORTED,
                         "joint '%s' has no dry friction: give it a small one for its derivative", joint->name);
    if ((p.kind == TRX_ACTUATOR_KP || p.kind == TRX_ACTUATOR_KD) && model->actuators[p.index].motor)
        return trxi_fail(context, TRX_ERR_UNSUPPORTED, "actuator '%s' is a motor: it has neither kp nor kd",
                         model->actuators[p.index].name);
    if (trxi_parameter_is_geom(p.kind) && !shape_has(&model->geoms[p.index].shape, p.kind))
        return trxi_fail(context, TRX_ERR_UNSUPPORTED, "geometry '%s' is a %s, which has no such size",
                         model->geoms[p.index].name, trx_shape_name(model->geoms[p.index].shape.type));
    if (!trxi_parameter_is_place(p.kind)) return TRX_OK;
    const trxi_body *body = &model->bodies[p.index];
    if (body->link >= 0)
        return trxi_fail(context, TRX_ERR_UNSUPPORTED,
                         "body '%s' is moved by joints: only the pose of a body that is fixed to the world is a parameter",
                         body->name);
    if (place_moves(model, p.index))
        return trxi_fail(context, TRX_ERR_UNSUPPORTED,
                         "the motion of body '%s', or of a body on it, is prescribed: its pose is no parameter", body->name);
    return TRX_OK;
}

bool trxi_parameter_exists(const trx_model *model, trx_parameter p)
{
    return trxi_parameter_check(NULL, model, p) == TRX_OK;
}

bool trxi_parameter_has_pair(const trx_model *model, trx_parameter p, int pair)
{
    if (pair == p.index) return true;
    if (p.component == 0) return false;
    const trxi_pair one = trxi_model_pair(model, p.index), other = trxi_model_pair(model, pair);
    int a = model->geoms[one.geom_a].body, b = model->geoms[one.geom_b].body;
    int c = model->geoms[other.geom_a].body, d = model->geoms[other.geom_b].body;
    return (a == c && b == d) || (a == d && b == c);
}

int trxi_parameter_next_pair(const trx_model *model, trx_parameter p, int after)
{
    if (p.component == 0) return after < p.index ? p.index : -1;

    // pairs are sorted by their lower geometry, then by their higher one; the geometries of a body are contiguous. So the search
    // goes on behind the geometries of the pair `after`
    const trxi_pair_run *run = trxi_pair_table_run(&model->pairs, p.index);
    const trxi_body *low = &model->bodies[model->geoms[run->row].body];
    const trxi_body *high = &model->bodies[model->geoms[run->geom + (p.index - run->first)].body];
    const trxi_pair_run *last = after >= 0 ? trxi_pair_table_run(&model->pairs, after) : NULL;
    const int row = last ? last->row : -1, geom = last ? last->geom + (after - last->first) : -1;
    for (int i = row > low->first_geom ? row : low->first_geom; i < low->first_geom + low->ngeom; i++)
        for (int j = i == row && geom >= high->first_geom ? geom + 1 : high->first_geom; j < high->first_geom + high->ngeom; j++) {
            run = trxi_pair_table_find(&model->pairs, i, j);
            if (run) return trxi_pair_number(run, j);
        }
    return -1;
}
