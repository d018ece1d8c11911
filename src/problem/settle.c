// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// start: settle: T: the start state after T seconds in which passive bodies come to rest.
//
// Joints of trees with an actuator are fixed, except a free base. So are joints of trees that a coupler connects to
// them. They are fixed exactly: a second model is built in which every fixed joint is a weld at its start position,
// and this model is stepped. A robot with a fixed base is then part of the world, and a robot with a free base is a
// single rigid body that falls. Time stands still: prescribed motions stay at t = 0, surface velocities are zero,
// loads and actuators do not act. Afterwards fixed joints have the velocities of start: again.
//
// T is rounded up to whole steps. It is an error when something is still faster than 1 cm/s at the end.

#include "dynamics/kinematics.h"
#include "math/rotation.h"
#include "model/build.h"
#include "problem/problem.h"

#include <string.h>

static const double REST = 0.01; // [m/s]
static const double MOST_STEPS = 1e5;

typedef struct settling {
    trxi_reader *reader;
    trx_problem *problem;
    trx_context *context; // of the second model: its findings are not for the user
    bool *held;           // trees of the first model with fixed joints
    trx_model_def def;
    trx_model *model;
    trx_sim *sim;
    double *x; // nstate of the second model
    trxi_kinematics kin;
    double *V; // 6 x nlink: link velocities of the second model
} settling;

// ---- trees with fixed joints ----

static int tree_of(const trx_model *model, int joint)
{
    return model->links[model->joints[joint].first_link].tree;
}

static void choose_held(settling *s)
{
    const trx_model *model = s->problem->model;
    for (int t = 0; t < model->ntree; t++) s->held[t] = model->trees[t].actuated;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < model->nconstraint; i++) {
            const trxi_constraint *c = &model->constraints[i];
            if (c->type != TRX_CONSTRAINT_COUPLER || c->joint_a < 0 || c->joint_b < 0) continue;
            bool *a = &s->held[tree_of(model, c->joint_a)], *b = &s->held[tree_of(model, c->joint_b)];
            if (*a == *b) continue;
            *a = *b = changed = true;
        }
    }
}

static bool is_held(const settling *s, const trx_joint_def *joint)
{
    const trx_model *model = s->problem->model;
    return joint->type != TRX_JOINT_FREE && s->held[tree_of(model, trx_model_find_joint(model, joint->name))];
}

// ---- the second model ----

// pose of B in A from their poses in the world
static trx_pose relative_pose(const trx_pose *a, const trx_pose *b)
{
    trx_pose out;
    double inverse[4] = {a->quat[0], -a->quat[1], -a->quat[2], -a->quat[3]}, R[9], d[3];
    trxi_quat_to_matrix(a->quat, R);
    trxi_sub3(b->p, a->p, d);
    trxi_mulv3_t(R, d, out.p);
    trxi_quat_mul(inverse, b->quat, out.quat);
    return out;
}

// one body of the second model; `poses` are poses of the first model at the start
static bool still_body(settling *s, int index, const trx_pose *poses, trx_body_def *body)
{
    *body = s->problem->scene.bodies[index];
    bool held = body->njoint > 0 && is_held(s, &body->joints[0]), moved = body->motion.type != TRX_MOTION_NONE;
    if (held || moved) {
        body->pose = body->parent < 0 ? poses[index] : relative_pose(&poses[body->parent], &poses[index]);
        body->joints = NULL;
        body->njoint = 0;
        body->motion.type = TRX_MOTION_NONE;
    }
    trx_geometry_def *geometry = TRXI_READER_TAKE(s->reader, trx_geometry_def, body->ngeometry);
    if (!geometry) return false;
    for (int i = 0; i < body->ngeometry; i++) {
        geometry[i] = body->geometry[i];
        trxi_zero3(geometry[i].surface_velocity);
    }
    body->geometry = geometry;
    return true;
}

static bool is_held_joint(const settling *s, int body, int joint)
{
    return is_held(s, &s->problem->scene.def.bodies[body].joints[joint]);
}

static bool ties_held(const settling *s, const trx_tendon_def *tendon)
{
    for (int i = 0; i < tendon->njoint; i++)
        if (is_held_joint(s, tendon->joints[i].body, tendon->joints[i].joint)) return true;
    return false;
}

// tendons, except tendons of fixed joints; `kept` (ntendon): their new indices, -1: left out
static bool still_tendons(settling *s, int *kept)
{
    const trx_model_def *from = &s->problem->scene.def;
    trx_tendon_def *tendons = TRXI_READER_TAKE(s->reader, trx_tendon_def, from->ntendon);
    if (!tendons) return false;
    s->def.tendons = tendons;
    s->def.ntendon = 0;
    for (int i = 0; i < from->ntendon; i++) {
        kept[i] = ties_held(s, &from->tendons[i]) ? -1 : s->def.ntendon;
        if (kept[i] >= 0) tendons[s->def.ntendon++] = from->tendons[i];
    }
    return true;
}

// whether a length of a constraint is free; a tendon gets its new index
static bool is_free(const settling *s, const int *kept, int *tendon, int body, int joint)
{
    if (*tendon < 0) return body < 0 || !is_held_joint(s, body, joint);
    *tendon = kept[*tendon];
    return *tendon >= 0;
}

// constraints, except on lengths of fixed joints
static bool still_constraints(settling *s)
{
    const trx_model_def *from = &s->problem->scene.def;
    trx_constraint_def *constraints = TRXI_READER_TAKE(s->reader, trx_constraint_def, from->nconstraint);
    int *kept = TRXI_READER_TAKE(s->reader, int, from->ntendon + 1);
    if (!constraints || !kept || !still_tendons(s, kept)) return false;
    s->def.constraints = constraints;
    s->def.nconstraint = 0;
    for (int i = 0; i < from->nconstraint; i++) {
        trx_constraint_def c = from->constraints[i];
        const bool lengths = c.type == TRX_CONSTRAINT_COUPLER || c.type == TRX_CONSTRAINT_TENDON;
        bool tied = lengths && !is_free(s, kept, &c.tendon, c.body_a, c.joint_a);
        if (c.type == TRX_CONSTRAINT_COUPLER && c.tendon_b >= 0) tied = !is_free(s, kept, &c.tendon_b, -1, -1) || tied;
        if (!tied) constraints[s->def.nconstraint++] = c;
    }
    return true;
}

static trx_status build_still(settling *s)
{
    const trx_model *model = s->problem->model;
    s->def = s->problem->scene.def;
    s->held = TRXI_READER_TAKE(s->reader, bool, model->ntree);
    trx_pose *poses = TRXI_READER_TAKE(s->reader, trx_pose, model->nbody);
    trx_body_def *bodies = TRXI_READER_TAKE(s->reader, trx_body_def, model->nbody);
    if (!s->held || !poses || !bodies) return TRX_ERR_MEMORY;
    choose_held(s);
    trx_model_body_poses(model, s->problem->start, poses);
    for (int i = 0; i < model->nbody; i++)
        if (!still_body(s, i, poses, &bodies[i])) return TRX_ERR_MEMORY;
    if (!still_constraints(s)) return TRX_ERR_MEMORY;
    s->def.bodies = bodies;
    s->def.nactuator = s->def.nload = 0;
    const trx_status status = trx_model_create(s->context, &s->def, &s->model);
    return status < 0 ? status : trxi_values_apply_known(s->context, &s->problem->values, &s->model);
}

// ---- between the two models ----

// copies positions and velocities of the joints of the second model from the start state or, with `out`, to the start state
static void exchange(const settling *s, bool out)
{
    const trx_model *model = s->problem->model;
    double *x = s->problem->start;
    for (int i = 0; i < s->model->njoint; i++) {
        const trxi_joint *to = &s->model->joints[i], *from = &model->joints[trx_model_find_joint(model, to->name)];
        double *q = s->x + to->q, *v = s->x + s->model->nq + to->v;
        double *q_full = x + from->q, *v_full = x + model->nq + from->v;
        memcpy(out ? q_full : q, out ? q : q_full, (size_t)to->nq * sizeof *q);
        memcpy(out ? v_full : v, out ? v : v_full, (size_t)to->nv * sizeof *v);
    }
}

// ---- the result ----

// the fastest geometry, by the speed of its centre plus its spin times its radius
static double fastest(settling *s, int *geom)
{
    const trxi_kinematics *kin = &s->kin;
    double most = 0;
    *geom = -1;
    trxi_kinematics_compute(s->model, s->x, &s->kin);
    trxi_link_velocities(s->model, kin, s->x + s->model->nq, s->V);
    for (int g = 0; g < s->model->ngeom; g++) {
        const trxi_geom *geometry = &s->model->geoms[g];
        if (geometry->link < 0) continue;
        const double *V = s->V + 6 * geometry->link;
        double arm[3], u[3];
        trxi_mulv3(kin->R + 9 * geometry->link, geometry->p_LG, arm);
        trxi_add3(arm, kin->o + 3 * geometry->link, arm);
        trxi_velocity_at(V, arm, u);
        double speed = trxi_norm3(u) + (isfinite(geometry->radius) ? geometry->radius * trxi_norm3(V) : 0);
        if (speed > most) most = speed, *geom = g;
    }
    return most;
}

// the contact with the largest force on a geometry's body; NULL without a contact
static const trx_contact *strongest(const settling *s, int geom)
{
    const trx_contact *contacts, *found = NULL;
    int count = trx_sim_contacts(s->sim, &contacts), body = s->model->geoms[geom].body;
    for (int i = 0; i < count; i++) {
        bool touches = s->model->geoms[contacts[i].geom_a].body == body || s->model->geoms[contacts[i].geom_b].body == body;
        if (touches && contacts[i].f_n > (found ? found->f_n : 0)) found = &contacts[i];
    }
    return found;
}

static void judge(settling *s, trx_source source)
{
    int geom;
    trx_settling *result = &s->problem->settling;
    result->speed = fastest(s, &geom);
    if (result->speed <= REST) return;
    const trx_contact *contact = strongest(s, geom);
    const char *body = s->model->bodies[s->model->geoms[geom].body].name;
    if (contact)
        trxi_error_at(s->reader->context, source,
                      "settle: after %g s \"%s\" still moves at %.3g m/s, in contact %s|%s: settle longer, start it nearer "
                      "to rest, or give the contact more friction or dissipation",
                      result->seconds, body, result->speed, s->model->geoms[contact->geom_a].name,
                      s->model->geoms[contact->geom_b].name);
    else
        trxi_error_at(s->reader->context, source,
                      "settle: after %g s \"%s\" moves at %.3g m/s and touches nothing: give it something to come to rest "
                      "on, settle longer, or give its joints damping",
                      result->seconds, body, result->speed);
}

static void layout(trxi_arena *arena, settling *s)
{
    s->x = TRXI_TAKE(arena, double, s->model->nstate);
    s->V = TRXI_TAKE(arena, double, 6 * s->model->nlink);
    trxi_kinematics_layout(arena, s->model, &s->kin);
}

static trx_status run(settling *s, const trxi_start *start)
{
    trx_settling *result = &s->problem->settling;
    const trx_sim_settings *settings = &s->problem->sim;
    trx_status status = build_still(s);
    if (status < 0) return status;
    trxi_arena arena = {0};
    layout(&arena, s);
    arena = (trxi_arena){.base = trxi_pool_take(s->reader->pool, arena.used, 1)};
    if (!arena.base) return TRX_ERR_MEMORY;
    layout(&arena, s);
    if ((status = trx_sim_create(s->context, s->model, settings, &s->sim)) < 0) return status;
    exchange(s, false);
    if (start->settle > MOST_STEPS * settings->time_step) {
        trxi_error_at(s->reader->context, start->settle_source, "settle: %g s are more than %g steps: settle less long",
                      start->settle, MOST_STEPS);
        return TRX_ERR_INPUT;
    }
    result->steps = (int)ceil(start->settle / settings->time_step * (1 - 1e-12));
    result->seconds = result->steps * settings->time_step;
    for (int k = 0; k < result->steps; k++) {
        status = trx_step(s->sim, s->x, NULL, s->x);
        if (status >= 0) continue;
        trxi_error_at(s->reader->context, start->settle_source, "settle: %g s after its begin: %s",
                      k * settings->time_step, trx_context_message(s->context));
        return TRX_ERR_INPUT;
    }
    exchange(s, true);
    judge(s, start->settle_source);
    return TRX_OK;
}

void trxi_settle(trxi_reader *reader, trx_problem *problem, const trxi_start *start)
{
    if (!(start->settle > 0)) return;
    settling s = {.reader = reader, .problem = problem};
    trx_context_settings settings = trx_context_settings_default();
    settings.allocator = *trxi_allocator(reader->context);
    settings.cache = trxi_cache(reader->context);
    trx_status status = trx_context_create(&settings, &s.context);
    if (status == TRX_OK) status = run(&s, start);
    if (status == TRX_ERR_MEMORY) {
        reader->memory = false;
        trxi_fail(reader->context, status, "out of memory while the start settled");
    } else if (status < 0 && status != TRX_ERR_INPUT)
        trxi_error_at(reader->context, start->settle_source, "settle: %s", trx_context_message(s.context));
    trx_sim_destroy(s.sim);
    trx_model_destroy(s.model);
    trx_context_destroy(s.context);
}
