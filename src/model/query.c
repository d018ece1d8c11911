// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Questions to a finished model: sizes, names, and one view per object.

#include "model/model.h"

#include "geometry/contact_geometry.h"

#include <stdio.h>
#include <string.h>

trx_model_size trx_model_get_size(const trx_model *model)
{
    return (trx_model_size){
        .nq = model->nq,
        .nv = model->nv,
        .na = model->na,
        .nu = model->nu,
        .nstate = model->nstate,
        .ntangent = model->ntangent,
        .nbody = model->nbody,
        .njoint = model->njoint,
        .ngeom = model->ngeom,
        .npair = model->npair,
        .ntree = model->ntree,
        .nframe = model->nframe,
        .nconstraint = model->nconstraint,
        .nmaterial = model->nmaterial,
        .nload = model->nload,
        .nmotion = model->nprescribed,
        .ntendon = model->ntendon,
    };
}

static bool within(int index, int count)
{
    return index >= 0 && index < count;
}

const char *trx_model_body_name(const trx_model *model, int body)
{
    return within(body, model->nbody) ? model->bodies[body].name : NULL;
}

const char *trx_model_joint_name(const trx_model *model, int joint)
{
    return within(joint, model->njoint) ? model->joints[joint].name : NULL;
}

const char *trx_model_geom_name(const trx_model *model, int geom)
{
    return within(geom, model->ngeom) ? model->geoms[geom].name : NULL;
}

const char *trx_model_frame_name(const trx_model *model, int frame)
{
    return within(frame, model->nframe) ? model->frames[frame].name : NULL;
}

const char *trx_model_tendon_name(const trx_model *model, int tendon)
{
    return within(tendon, model->ntendon) ? model->lengths[tendon].name : NULL;
}

const char *trx_model_actuator_name(const trx_model *model, int actuator)
{
    return within(actuator, model->nu) ? model->actuators[actuator].name : NULL;
}

const char *trx_model_q_name(const trx_model *model, int index)
{
    return within(index, model->nq) ? model->q_names[index] : NULL;
}

const char *trx_model_v_name(const trx_model *model, int index)
{
    return within(index, model->nv) ? model->v_names[index] : NULL;
}

const char *trxi_model_activation_name(const trx_model *model, int index)
{
    return within(index, model->na) ? model->a_names[index] : NULL;
}

const char *trx_model_state_name(const trx_model *model, int index)
{
    const int i = index - model->nq - model->nv;
    if (index < model->nq) return trx_model_q_name(model, index);
    return i < 0 ? trx_model_v_name(model, index - model->nq) : trxi_model_activation_name(model, i);
}

void trxi_model_tangent_name(const trx_model *model, int i, char *text, size_t size)
{
    if (i >= model->nv) {
        snprintf(text, size, "%s", trx_model_state_name(model, i - model->nv + model->nq));
        return;
    }
    const trxi_link *link = &model->links[model->dof_link[i]];
    if (link->type == TRXI_BALL)
        snprintf(text, size, "%s.r%c", model->joints[link->joint].name, "xyz"[i - link->v]);
    else
        snprintf(text, size, "%s", trx_model_q_name(model, link->q + i - link->v));
}

// index of `name` among the names that `of` gives
static int find(const trx_model *model, int count, const char *(*of)(const trx_model *, int), const char *name)
{
    for (int i = 0; name && i < count; i++) {
        const char *its = of(model, i);
        if (its && strcmp(its, name) == 0) return i;
    }
    return -1;
}

int trx_model_find_body(const trx_model *model, const char *name)
{
    return find(model, model->nbody, trx_model_body_name, name);
}

int trx_model_find_joint(const trx_model *model, const char *name)
{
    return find(model, model->njoint, trx_model_joint_name, name);
}

int trx_model_find_geom(const trx_model *model, const char *name)
{
    const int known = find(model, model->ngeom, trx_model_geom_name, name);
    if (known >= 0) return known;

    // BODY#N is also geometry N of a body if that geometry has a name
    const char *mark = name ? strrchr(name, '#') : NULL;
    for (int i = 0; mark && i < model->nbody; i++) {
        const trxi_body *body = &model->bodies[i];
        size_t length = (size_t)(mark - name);
        if (strncmp(body->name, name, length) != 0 || body->name[length] != '\0') continue;
        for (int k = 0; k < body->ngeom; k++) {
            char number[16];
            snprintf(number, sizeof number, "%d", k + 1);
            if (strcmp(mark + 1, number) == 0) return body->first_geom + k;
        }
    }
    return -1;
}

int trx_model_find_frame(const trx_model *model, const char *name)
{
    return find(model, model->nframe, trx_model_frame_name, name);
}

int trx_model_find_actuator(const trx_model *model, const char *name)
{
    return find(model, model->nu, trx_model_actuator_name, name);
}

trx_joint_info trx_model_joint(const trx_model *model, int joint)
{
    if (!within(joint, model->njoint)) return (trx_joint_info){.name = NULL};
    const trxi_joint *j = &model->joints[joint];
    return (trx_joint_info){
        .name = j->name,
        .source = j->source,
        .type = j->type,
        .body = j->body,
        .q_index = j->q,
        .nq = j->nq,
        .v_index = j->v,
        .nv = j->nv,
        .lower = j->lower,
        .upper = j->upper,
        .damping = j->damping,
        .stiffness = j->stiffness,
        .armature = j->armature,
        .friction = j->friction,
        .reference = j->reference,
        .velocity_limit = j->velocity_limit,
    };
}

trx_constraint_info trx_model_constraint(const trx_model *model, int constraint)
{
    if (!within(constraint, model->nconstraint)) return (trx_constraint_info){.name = NULL};
    const trxi_constraint *c = &model->constraints[constraint];
    return (trx_constraint_info){
        .name = c->name,
        .source = c->source,
        .type = c->type,
        .body_a = c->body_a,
        .body_b = c->body_b,
        .joint_a = c->joint_a,
        .joint_b = c->joint_b,
        .tendon_a = c->length_a < model->ntendon ? c->length_a : -1,
        .tendon_b = c->length_b < model->ntendon ? c->length_b : -1,
        .nrow = c->nrow,
        .lower = c->lower,
        .upper = c->upper,
    };
}

const char *trx_model_constraint_name(const trx_model *model, int constraint)
{
    return within(constraint, model->nconstraint) ? model->constraints[constraint].name : NULL;
}

trx_body_inertia trx_model_body_inertia(const trx_model *model, int body)
{
    return within(body, model->nbody) ? model->inertias[body] : (trx_body_inertia){.mass = 0};
}

trx_body_info trx_model_body(const trx_model *model, int body)
{
    if (!within(body, model->nbody)) return (trx_body_info){.name = NULL};
    const trxi_body *b = &model->bodies[body];
    return (trx_body_info){
        .name = b->name,
        .source = b->source,
        .parent = b->parent,
        .tree = trxi_link_tree(model, b->link),
        .mass = b->mass,
        .first_geom = b->first_geom,
        .ngeom = b->ngeom,
        .gravity = b->gravity,
        .motion = b->prescribed >= 0,
    };
}

trx_geom_info trx_model_geom(const trx_model *model, int geom)
{
    if (!within(geom, model->ngeom)) return (trx_geom_info){.name = NULL};
    const trxi_geom *g = &model->geoms[geom];
    trx_geom_info info = {
        .name = g->name,
        .body = g->body,
        .shape = g->shape,
        .pose = g->pose,
        .collide = g->collide,
        .has_color = g->has_color,
        .material = g->material,
        .part_of = g->part_of,
        .fill = g->mesh >= 0 && g->collide && g->part_of < 0 ? model->meshes[g->mesh].fill : NAN,
    };
    memcpy(info.color, g->color, sizeof info.color);
    memcpy(info.surface_velocity, g->surface_velocity, sizeof info.surface_velocity);
    return info;
}

static bool is_actuated(const trx_model *model, const trxi_geom *geom)
{
    return geom->tree >= 0 && model->trees[geom->tree].actuated;
}

trxi_pair trxi_model_pair(const trx_model *model, int pair)
{
    const trxi_pair_run *run = trxi_pair_table_run(&model->pairs, pair);
    const trxi_pair_kind *kind = &model->pair_kinds[run->kind];
    const int i = run->row, j = run->geom + (pair - run->first);
    const bool swap = trxi_pair_swaps(model->geoms[i].shape.type, model->geoms[j].shape.type);
    const trxi_geom *a = &model->geoms[swap ? j : i], *b = &model->geoms[swap ? i : j];
    return (trxi_pair){
        .geom_a = swap ? j : i,
        .geom_b = swap ? i : j,
        .link_a = a->link,
        .link_b = b->link,
        .actuated = is_actuated(model, a) || is_actuated(model, b),
        .weight_b = kind->weight_b,
        .law = &kind->law,
    };
}

bool trxi_model_meets(const trx_model *model, int geom)
{
    for (int r = 0; r < model->pairs.nrun; r++) {
        const trxi_pair_run *run = &model->pairs.runs[r];
        if (run->row == geom || (run->geom <= geom && geom < run->geom + run->count)) return true;
    }
    return false;
}

trx_pair_info trx_model_pair(const trx_model *model, int pair)
{
    if (!within(pair, model->npair)) return (trx_pair_info){.geom_a = -1, .geom_b = -1};
    const trxi_pair p = trxi_model_pair(model, pair);
    return (trx_pair_info){p.geom_a, p.geom_b, p.actuated, *p.law};
}

trx_actuator_info trx_model_actuator(const trx_model *model, int actuator)
{
    if (!within(actuator, model->nu)) return (trx_actuator_info){.name = NULL};
    const trxi_actuator *a = &model->actuators[actuator];
    const trxi_length *length = &model->lengths[a->length];
    return (trx_actuator_info){
        .name = a->name,
        .joint = a->joint,
        .v_index = a->v,
        .tendon = a->length < model->ntendon ? a->length : -1,
        .nfactor = length->ncol,
        .v_indices = model->length_dofs + length->first,
        .factors = model->length_factors + length->first,
        .gear = a->gear,
        .gain = a->gain,
        .bias = a->bias,
        .kp = a->kp,
        .kd = a->kd,
        .effort_lower = a->effort_lower,
        .effort_upper = a->effort_upper,
        .lower = a->lower,
        .upper = a->upper,
        .a_index = a->a,
        .activation = a->activation,
        .muscle = a->muscle,
    };
}

double trx_model_mass(const trx_model *model)
{
    return model->mass;
}

void trx_model_gravity(const trx_model *model, double gravity[3])
{
    for (int i = 0; i < 3; i++) gravity[i] = model->gravity[i];
}
