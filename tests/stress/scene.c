// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See scene.h. Bodies are drawn one after the other, each free, fixed, or hanging from the one before it; then the walls, the
// drives and constraints, and the state. In most of the scenes bodies are then moved apart until no overlap is deeper than a
// length that is drawn, down to a micrometre: a stiff contact half a body deep only ever shows an explosion.

#include "stress/scene.h"

#include "base/random.h"
#include "math/vec3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BODIES = 12, MAX_WALLS = 5, ALL_BODIES = MAX_BODIES + MAX_WALLS, MAX_CONSTRAINTS = 3, CORNERS = 6, NAME = 16 };

double uniform(dice *d, double low, double high)
{
    return low + (high - low) * trxi_random_uniform(d->seed, d->index++);
}

double log_uniform(dice *d, double low, double high)
{
    return exp(uniform(d, log(low), log(high)));
}

double normal(dice *d)
{
    // another seed than uniform numbers have, because a normal number uses two indices
    return trxi_random_normal(~d->seed, d->index++);
}

bool chance(dice *d, double share)
{
    return uniform(d, 0, 1) < share;
}

int pick(dice *d, int count)
{
    return (int)uniform(d, 0, count);
}

typedef struct drawing {
    dice d;
    char names[ALL_BODIES][NAME];
    trx_body_def bodies[ALL_BODIES];
    trx_joint_def joints[ALL_BODIES];
    trx_geometry_def geometry[ALL_BODIES];
    trx_actuator_def actuators[ALL_BODIES];
    trx_constraint_def constraints[MAX_CONSTRAINTS];
    trx_material_def materials[2];
    double corners[ALL_BODIES][3 * CORNERS];
    trx_mesh meshes[ALL_BODIES];
    int nbody, nactuator, nconstraint;
    double side;  // of the cube that holds the bodies at first [m]
    bool joints_wanted;
} drawing;

static const int facets[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};

// the ends of three axes, pulled out of shape
static trx_shape draw_mesh(drawing *w, int body)
{
    for (int k = 0; k < CORNERS; k++)
        for (int i = 0; i < 3; i++) {
            double along = k / 2 == i ? (k % 2 ? -1 : 1) * uniform(&w->d, 0.01, 0.1) : uniform(&w->d, -0.003, 0.003);
            w->corners[body][3 * k + i] = along;
        }
    w->meshes[body] = (trx_mesh){w->names[body], CORNERS, w->corners[body], 8, facets};
    trx_shape shape = trx_shape_default(TRX_SHAPE_MESH);
    shape.mesh = &w->meshes[body];
    return shape;
}

static trx_shape draw_shape(drawing *w, int body)
{
    trx_shape_type type = (trx_shape_type)(1 + pick(&w->d, TRX_SHAPE_SPHERE));
    trx_shape shape = type == TRX_SHAPE_MESH ? draw_mesh(w, body) : trx_shape_default(type);
    for (int i = 0; i < 3; i++) shape.size[i] = log_uniform(&w->d, 0.02, 0.2);
    shape.radius = log_uniform(&w->d, 0.01, 0.1);
    shape.length = log_uniform(&w->d, 0.02, 0.2);
    bool round = type == TRX_SHAPE_SPHERE || type == TRX_SHAPE_CAPSULE;
    if (!round && chance(&w->d, 0.3)) shape.rounding = uniform(&w->d, 0.001, 0.01);
    return shape;
}

static void draw_direction(dice *d, double out[3])
{
    do trxi_set3(normal(d), normal(d), normal(d), out);
    while (!(trxi_normalize3(out, out) > 0.01));
}

static trx_pose draw_pose(dice *d, double distance)
{
    trx_pose pose = trx_pose_identity();
    draw_direction(d, pose.p);
    trxi_scale3(distance, pose.p, pose.p);
    double length = 0;
    for (int i = 0; i < 4; i++) pose.quat[i] = normal(d), length += pose.quat[i] * pose.quat[i];
    for (int i = 0; i < 4; i++) pose.quat[i] /= sqrt(length);
    return pose;
}

static trx_body_def *add_body(drawing *w, const trx_shape *shape)
{
    int body = w->nbody++;
    snprintf(w->names[body], NAME, "body%d", body);
    w->geometry[body] = trx_geometry_def_default();
    w->geometry[body].shape = *shape;
    w->geometry[body].material = pick(&w->d, 2);
    trx_body_def *def = &w->bodies[body];
    *def = trx_body_def_default();
    def->name = w->names[body];
    def->geometry = &w->geometry[body];
    def->ngeometry = 1;
    return def;
}

// a joint of an arm with what a joint can have
static void draw_joint(drawing *w, trx_joint_def *joint)
{
    static const trx_joint_type types[] = {TRX_JOINT_HINGE, TRX_JOINT_HINGE, TRX_JOINT_SLIDE, TRX_JOINT_BALL, TRX_JOINT_PLANAR};
    dice *d = &w->d;
    joint->type = types[pick(d, 5)];
    draw_direction(d, joint->axis);
    bool single = joint->type == TRX_JOINT_HINGE || joint->type == TRX_JOINT_SLIDE;
    double room = joint->type == TRX_JOINT_SLIDE ? 0.1 : 1;
    if (single && chance(d, 0.5)) joint->lower = -uniform(d, 0, room), joint->upper = uniform(d, 0, room);
    if (chance(d, 0.5)) joint->damping = log_uniform(d, 1e-4, 10);
    if (chance(d, 0.3)) joint->stiffness = log_uniform(d, 0.1, 1e4);
    if (chance(d, 0.3)) joint->armature = log_uniform(d, 1e-6, 0.1);
    if (single && chance(d, 0.3)) joint->friction = log_uniform(d, 1e-3, 10);
    if (single && chance(d, 0.5)) {
        trx_actuator_def *actuator = &w->actuators[w->nactuator++];
        *actuator = trx_actuator_def_default();
        actuator->body = w->nbody - 1, actuator->joint = 0;
        if (chance(d, 0.5)) actuator->kp = log_uniform(d, 1, 1e5), actuator->kd = log_uniform(d, 0.01, 100);
        if (chance(d, 0.5)) actuator->effort_upper = log_uniform(d, 0.1, 100), actuator->effort_lower = -actuator->effort_upper;
    }
}

static void draw_body(drawing *w, double mass)
{
    dice *d = &w->d;
    trx_shape shape = draw_shape(w, w->nbody);
    trx_body_def *body = add_body(w, &shape);
    int index = w->nbody - 1;
    w->geometry[index].mass = mass;
    trx_joint_def *joint = &w->joints[index];
    *joint = trx_joint_def_default();
    joint->name = body->name;
    joint->type = TRX_JOINT_FREE;
    body->joints = joint, body->njoint = 1;
    if (w->joints_wanted && chance(d, 0.6)) {
        bool chained = index > 0 && chance(d, 0.7);
        body->parent = chained ? index - 1 : -1;
        body->pose = draw_pose(d, chained ? 0.1 : uniform(d, 0, w->side));
        draw_joint(w, joint);
    } else if (index > 1 && chance(d, 0.08)) {
        body->pose = draw_pose(d, uniform(d, 0, w->side));
        body->njoint = 0;
    }
}

// a floor, or a floor and four walls
static void draw_walls(drawing *w)
{
    static const double quats[MAX_WALLS][4] = {
        {1, 0, 0, 0}, {1, 0, 1, 0}, {1, 0, -1, 0}, {1, 1, 0, 0}, {1, -1, 0, 0}}; // normals z, x, -x, -y, y
    static const double signs[MAX_WALLS][3] = {{0, 0, -1}, {-1, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
    int count = chance(&w->d, 0.2) ? 0 : chance(&w->d, 0.5) ? MAX_WALLS : 1;
    trx_shape halfspace = trx_shape_default(TRX_SHAPE_HALFSPACE);
    for (int k = 0; k < count; k++) {
        trx_body_def *body = add_body(w, &halfspace);
        trxi_scale3(w->side / 2 + 0.1, signs[k], body->pose.p);
        double scale = k == 0 ? 1 : sqrt(0.5);
        for (int i = 0; i < 4; i++) body->pose.quat[i] = scale * quats[k][i];
    }
}

static void draw_constraints(drawing *w, int nmoving)
{
    dice *d = &w->d;
    w->nconstraint = chance(d, 0.8) ? 0 : 1 + pick(d, MAX_CONSTRAINTS);
    for (int k = 0; k < w->nconstraint; k++) {
        static const char *const constraint_names[MAX_CONSTRAINTS] = {"one", "two", "three"};
        static const trx_constraint_type types[] = {TRX_CONSTRAINT_BALL, TRX_CONSTRAINT_WELD, TRX_CONSTRAINT_DISTANCE};
        trx_constraint_def *c = &w->constraints[k];
        *c = trx_constraint_def_default();
        c->name = constraint_names[k];
        c->type = types[pick(d, 3)];
        c->body_a = pick(d, nmoving);
        c->body_b = (c->body_a + 1 + pick(d, nmoving - 1)) % nmoving;
        // the first two bodies have joints
        if (w->bodies[c->body_b].njoint == 0) c->body_b = c->body_a == 0;
        if (chance(d, 0.2)) c->body_a = -1;
        c->pose_a = draw_pose(d, 0.05), c->pose_b = draw_pose(d, 0.05);
        c->length = uniform(d, 0.05, 0.5);
        if (chance(d, 0.5)) c->stiffness = log_uniform(d, 1e2, 1e8), c->relaxation_time = log_uniform(d, 1e-3, 0.1);
    }
}

static void draw_materials(drawing *w, stress_scene *scene)
{
    dice *d = &w->d;
    scene->stiffness = log_uniform(d, 1e2, 1e12);
    for (int i = 0; i < 2; i++) {
        trx_material_def *m = &w->materials[i];
        *m = trx_material_def_default();
        m->name = i ? "harder" : "softer";
        m->stiffness = scene->stiffness * (i ? log_uniform(d, 1, 100) : 1);
        m->dissipation = chance(d, 0.2) ? 0 : log_uniform(d, 0.01, 100);
        m->relaxation_time = chance(d, 0.2) ? 0 : log_uniform(d, 1e-5, 0.1);
        m->friction = chance(d, 0.1) ? 0 : log_uniform(d, 0.01, 10);
        scene->friction = fmax(scene->friction, m->friction);
    }
}

static void draw_settings(dice *d, trx_sim_settings *settings)
{
    *settings = trx_sim_settings_default();
    settings->time_step = log_uniform(d, 1e-5, 0.1);
    settings->stiction_tolerance = log_uniform(d, 1e-5, 1e-2);
    settings->tolerance = pick(d, 2) ? 1e-6 : log_uniform(d, 1e-9, 1e-4);
    settings->line_search = chance(d, 0.3) ? TRX_LINE_SEARCH_BACKTRACKING : TRX_LINE_SEARCH_EXACT;
}

// whether velocity number `i` of a joint is a spin
static bool spins(trx_joint_type type, int i)
{
    switch (type) {
    case TRX_JOINT_SLIDE: return false;
    case TRX_JOINT_PLANAR: return i == 2;
    case TRX_JOINT_FREE: return i > 2;
    default: return true;
    }
}

// poses and velocities, spins of about a tenth of a radian a step at most; `scale` moves free bodies apart
static void draw_state(const drawing *w, stress_scene *scene, double scale)
{
    const int nq = scene->size.nq, nv = scene->size.nv;
    dice d = w->d;
    double speed = chance(&d, 0.2) ? 0 : log_uniform(&d, 1e-3, 30);
    double *q = scene->x, *v = scene->x + nq;
    trx_model_neutral(scene->model, q);
    // v first holds the displacement from the neutral configuration
    for (int i = 0; i < nv; i++) v[i] = uniform(&d, -0.3, 0.3);
    for (int j = 0; j < scene->size.njoint; j++) {
        trx_joint_info joint = trx_model_joint(scene->model, j);
        if (joint.type != TRX_JOINT_FREE) continue;
        for (int i = 0; i < 3; i++) v[joint.v_index + i] = scale * uniform(&d, -w->side / 2, w->side / 2);
        for (int i = 3; i < 6; i++) v[joint.v_index + i] = normal(&d);
    }
    trx_model_integrate(scene->model, q, v, q);
    for (int j = 0; j < scene->size.njoint; j++) {
        trx_joint_info joint = trx_model_joint(scene->model, j);
        for (int i = 0; i < joint.nv; i++) {
            double most = spins(joint.type, i) ? 0.1 / scene->settings.time_step : INFINITY;
            v[joint.v_index + i] = fmin(speed, most) * normal(&d);
        }
    }
    for (int i = 0; i < scene->size.nu; i++) scene->u[i] = normal(&d);
}

static double deepest(trx_sim *sim)
{
    const trx_contact *contacts;
    double depth = 0;
    int count = trx_sim_contacts(sim, &contacts);
    for (int k = 0; k < count; k++) depth = fmax(depth, -contacts[k].distance);
    return depth;
}

// moves free bodies apart until no contact is deeper; soft materials tell where they touch
static trx_status spread(trx_context *context, const drawing *w, stress_scene *scene, double depth)
{
    trx_sim_settings settings = trx_sim_settings_default();
    trx_sim *sim;
    trx_status status = trx_sim_create(context, scene->model, &settings, &sim);
    if (status < 0) return status;
    for (int k = 0; k < trx_model_get_size(scene->model).npair; k++) {
        trx_pair_law law = trx_sim_pair_law(sim, k);
        law.approximation = TRX_LAGGED, law.force_law = TRX_HUNT_CROSSLEY;
        law.stiffness = 1, law.dissipation = 0, law.friction = 0;
        if ((status = trx_sim_set_pair_law(sim, k, &law)) < 0) break;
    }
    double scale = 1;
    for (int trial = 0; status >= 0 && trial < 30; trial++, scale *= 1.15) {
        draw_state(w, scene, scale);
        if (trx_step(sim, scene->x, scene->u, NULL) >= 0 && deepest(sim) <= depth) break;
    }
    trx_sim_destroy(sim);
    return status;
}

static void draw_bodies(drawing *w, stress_scene *scene)
{
    dice *d = &w->d;
    scene->nbody = 2 + pick(d, MAX_BODIES - 1);
    w->side = 0.12 * cbrt(scene->nbody) * log_uniform(d, 0.7, 2);
    w->joints_wanted = chance(d, 0.35);
    double ratio = chance(d, 0.3) ? 1 : log_uniform(d, 1, 1e6), lightest = log_uniform(d, 1e-3, 1);
    double low = INFINITY, high = 0;
    for (int i = 0; i < scene->nbody; i++) {
        double mass = lightest * (i == 0 ? 1 : i == 1 ? ratio : log_uniform(d, 1, 1 + ratio));
        low = fmin(low, mass), high = fmax(high, mass);
        draw_body(w, mass);
    }
    scene->mass_ratio = high / low;
}

static trx_status build(trx_context *context, const drawing *w, stress_scene *scene)
{
    trx_model_def def = trx_model_def_default();
    def.materials = w->materials, def.nmaterial = 2;
    def.bodies = w->bodies, def.nbody = w->nbody;
    def.actuators = w->actuators, def.nactuator = w->nactuator;
    def.constraints = w->constraints, def.nconstraint = w->nconstraint;
    def.approximation = scene->approximation, def.force_law = scene->law;
    dice d = w->d;
    d.index += 1000;
    def.smoothing = log_uniform(&d, 1e-4, 1e-2);
    def.barrier = log_uniform(&d, 1e-6, 10), def.reach = log_uniform(&d, 1e-4, 1e-2);
    trx_status status = trx_model_create(context, &def, &scene->model);
    if (status < 0) return status;
    scene->size = trx_model_get_size(scene->model);
    scene->x = calloc((size_t)(scene->size.nq + scene->size.nv) + 1, sizeof *scene->x);
    scene->u = calloc((size_t)scene->size.nu + 1, sizeof *scene->u);
    return scene->x && scene->u ? TRX_OK : TRX_ERR_MEMORY;
}

trx_status stress_scene_draw(trx_context *context, int number, stress_scene *scene)
{
    drawing *w = calloc(1, sizeof *w);
    if (!w) return TRX_ERR_MEMORY;
    *scene = (stress_scene){.number = number};
    w->d = (dice){.seed = (uint64_t)number};
    scene->approximation = (trx_approximation)(number % (TRX_SAP + 1));
    scene->law = scene->approximation == TRX_SAP ? TRX_KELVIN_VOIGT : (trx_force_law)(number / (TRX_SAP + 1) % TRX_USER_LAW);
    draw_settings(&w->d, &scene->settings);
    draw_materials(w, scene);
    draw_bodies(w, scene);
    int nmoving = w->nbody;
    draw_walls(w);
    draw_constraints(w, nmoving);
    bool barrier = scene->law == TRX_LOG_BARRIER || scene->law == TRX_IPC, apart = chance(&w->d, 0.7) || barrier;
    double depth = log_uniform(&w->d, 1e-6, 1e-2) * !barrier;
    trx_status status = build(context, w, scene);
    if (status >= 0) draw_state(w, scene, 1);
    if (status >= 0 && apart) status = spread(context, w, scene, depth);
    free(w);
    return status;
}

void stress_scene_free(stress_scene *scene)
{
    trx_model_destroy(scene->model);
    free(scene->x);
    free(scene->u);
    *scene = (stress_scene){.number = scene->number};
}
