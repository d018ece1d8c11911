// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See scenes.h.

#include "step/scenes.h"

#include "base/random.h"
#include "geometry/contact_geometry.h"
#include "math/rotation.h"
#include "step/sim.h"

#include <check.h>
#include <string.h>

static trx_shape make_shape(trx_shape_type type, double scale)
{
    trx_shape shape = {.type = type};
    if (type == TRX_SHAPE_BOX) trxi_set3(0.10 * scale, 0.12 * scale, 0.09 * scale, shape.size);
    shape.radius = type == TRX_SHAPE_SPHERE ? 0.05 * scale : 0.03 * scale;
    shape.length = 0.10 * scale;
    return shape;
}

static void finish(scene *s, const trx_model_def *def, double time_step, double stiction_tolerance)
{
    trx_status status = trx_model_create(s->context, def, &s->model);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(s->context));
    trx_sim_settings settings = trx_sim_settings_default();
    settings.time_step = time_step;
    settings.stiction_tolerance = stiction_tolerance;
    settings.tolerance = 1e-10;
    status = trx_sim_create(s->context, s->model, &settings, &s->sim);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(s->context));
    trx_model_size size = trx_model_get_size(s->model);
    s->nq = size.nq, s->nv = size.nv, s->nu = size.nu, s->nx = 2 * size.nv;
}

enum { MAX_DEFS = 8 };

typedef struct defs {
    trx_body_def bodies[MAX_DEFS];
    trx_joint_def joints[MAX_DEFS];
    trx_geometry_def geometry[MAX_DEFS];
    trx_actuator_def actuators[MAX_DEFS];
    int nbody, njoint, ngeometry, nactuator;
} defs;

static trx_joint_def *add_joint(defs *d, const char *name, trx_joint_type type, double ax, double ay, double az)
{
    trx_joint_def *joint = &d->joints[d->njoint++];
    *joint = trx_joint_def_default();
    joint->name = name;
    joint->type = type;
    trxi_set3(ax, ay, az, joint->axis);
    return joint;
}

static trx_body_def *add_body(defs *d, const char *name, int parent, const trx_joint_def *joints, int njoint)
{
    trx_body_def *body = &d->bodies[d->nbody++];
    *body = trx_body_def_default();
    body->name = name;
    body->parent = parent;
    body->joints = joints;
    body->njoint = njoint;
    return body;
}

static void add_shape(defs *d, trx_body_def *body, const trx_shape *shape, double mass)
{
    trx_geometry_def *geometry = &d->geometry[d->ngeometry++];
    *geometry = trx_geometry_def_default();
    geometry->shape = *shape;
    geometry->material = 0;
    if (mass > 0) geometry->mass = mass;
    body->geometry = geometry;
    body->ngeometry = 1;
}

static void add_motor(defs *d, int body, int joint)
{
    trx_actuator_def *actuator = &d->actuators[d->nactuator++];
    *actuator = trx_actuator_def_default();
    actuator->body = body;
    actuator->joint = joint;
    actuator->gear = 1.5;
}

// an arm of hinge, slide, ball; link bodies carry inertia of their own
static int add_arm(defs *d, int parent, const trx_shape *tip)
{
    static const char *const names[2][5] = {{"upper", "lower", "h", "s", "w"}, {"upper2", "lower2", "h2", "s2", "w2"}};
    const char *const *name = names[d->njoint > 1];
    const trx_joint_def *first = d->joints + d->njoint;
    trx_joint_def *hinge = add_joint(d, name[2], TRX_JOINT_HINGE, 0.3, 1, -0.2);
    trxi_set3(0.05, 0, 0.02, hinge->at);
    hinge->damping = 0.3, hinge->stiffness = 2, hinge->rest = 0.1, hinge->armature = 0.01;
    trx_body_def *upper = add_body(d, name[0], parent, first, 1);
    trxi_set3(0.1, -0.2, 0.5, upper->pose.p);
    upper->has_inertia = true;
    upper->inertia = (trx_body_inertia){1.2, {0.02, 0.1, -0.03}, {0.01, 0.012, 0.008, 0.001, -0.0005, 0.0007}};
    int upper_index = d->nbody - 1;

    const trx_joint_def *second = d->joints + d->njoint;
    trx_joint_def *slide = add_joint(d, name[3], TRX_JOINT_SLIDE, 0, 0.6, 0.8);
    slide->lower = -0.2, slide->upper = 0.2, slide->damping = 1, slide->stiffness = 10;
    trx_joint_def *ball = add_joint(d, name[4], TRX_JOINT_BALL, 0, 0, 1);
    ball->damping = 0.01, ball->stiffness = 0.5;
    trx_body_def *lower = add_body(d, name[1], upper_index, second, 2);
    trxi_set3(0.05, 0.15, 0.1, lower->pose.p);
    add_shape(d, lower, tip, 0.7);
    add_motor(d, upper_index, 0);
    add_motor(d, upper_index + 1, 0);
    return upper_index;
}

static trx_shape shape_of(trx_shape_type type, int side)
{
    return make_shape(type, side ? 0.8 : 1);
}

scene scene_pair(scene_kind kind, trx_shape_type a, trx_shape_type b, const trx_pair_law *law, double time_step,
                 double stiction_tolerance)
{
    scene s = {0};
    ck_assert_int_eq(trx_context_create(NULL, &s.context), TRX_OK);
    defs d = {0};
    trx_shape shape_a = shape_of(a, 0), shape_b = shape_of(b, 1);
    if (a == TRX_SHAPE_HALFSPACE) {
        add_shape(&d, add_body(&d, "a", -1, NULL, 0), &shape_a, 0);
    } else if (kind == SCENE_FREE) {
        const trx_joint_def *joint = d.joints + d.njoint;
        add_joint(&d, "a", TRX_JOINT_FREE, 0, 0, 1);
        add_shape(&d, add_body(&d, "a", -1, joint, 1), &shape_a, 0.4);
    } else if (kind == SCENE_ARM) {
        add_arm(&d, -1, &shape_a);
    } else {
        const trx_joint_def *joint = d.joints + d.njoint;
        add_joint(&d, "base", TRX_JOINT_FREE, 0, 0, 1);
        trx_body_def *base = add_body(&d, "base", -1, joint, 1);
        base->has_inertia = true;
        base->inertia = (trx_body_inertia){2, {0.01, 0.02, 0}, {0.02, 0.02, 0.03, 0, 0, 0}};
        add_arm(&d, d.nbody - 1, &shape_a);
    }
    if (kind == SCENE_SAME && a != TRX_SHAPE_HALFSPACE) {
        add_arm(&d, 0, &shape_b);
    } else {
        const trx_joint_def *joint = d.joints + d.njoint;
        add_joint(&d, "b", TRX_JOINT_FREE, 0, 0, 1);
        trx_body_def *body = add_body(&d, "b", -1, joint, 1);
        add_shape(&d, body, &shape_b, 0.5);
        trxi_set3(0.004, -0.003, 0.002, d.geometry[d.ngeometry - 1].pose.p);
    }
    const trx_material_def materials[] = {{.name = "m",
                                           .stiffness = 2 * law->stiffness,
                                           .dissipation = law->dissipation,
                                           .relaxation_time = 0.5 * law->relaxation_time,
                                           .friction = law->friction}};
    trx_model_def def = trx_model_def_default();
    def.materials = materials, def.nmaterial = 1;
    def.bodies = d.bodies, def.nbody = d.nbody;
    def.actuators = d.actuators, def.nactuator = d.nactuator;
    def.approximation = law->approximation, def.force_law = law->force_law, def.smoothing = law->smoothing;
    finish(&s, &def, time_step, stiction_tolerance);
    return s;
}

scene scene_push(trx_approximation approximation, trx_force_law law, double smoothing, double stiffness,
                 double stiction_tolerance)
{
    scene s = {0};
    ck_assert_int_eq(trx_context_create(NULL, &s.context), TRX_OK);
    defs d = {0};
    const trx_shape box = {.type = TRX_SHAPE_BOX, .size = {0.1, 0.1, 0.1}}, ball = {.type = TRX_SHAPE_SPHERE, .radius = 0.02},
                    floor = {.type = TRX_SHAPE_HALFSPACE};
    add_joint(&d, "box", TRX_JOINT_FREE, 0, 0, 1);
    add_shape(&d, add_body(&d, "box", -1, d.joints, 1), &box, 0.5);
    const trx_joint_def *slides = d.joints + d.njoint;
    add_joint(&d, "px", TRX_JOINT_SLIDE, 1, 0, 0)->damping = 2;
    add_joint(&d, "py", TRX_JOINT_SLIDE, 0, 1, 0)->damping = 2;
    add_joint(&d, "pz", TRX_JOINT_SLIDE, 0, 0, 1)->damping = 2;
    trx_body_def *pusher = add_body(&d, "pusher", -1, slides, 3);
    pusher->gravity = false;
    add_shape(&d, pusher, &ball, 0.3);
    add_shape(&d, add_body(&d, "ground", -1, NULL, 0), &floor, 0);
    for (int i = 0; i < 3; i++) {
        add_motor(&d, 1, i);
        d.actuators[i].gear = 1;
    }
    const trx_material_def materials[] = {
        {.name = "table", .stiffness = 2e4, .dissipation = 5, .relaxation_time = 0.005, .friction = 0.3}};
    const trx_pair_selector exclude[] = {{.a = {1, -1}, .b = {2, -1}}};
    trx_pair_override override = trx_pair_override_default();
    override.pair = (trx_pair_selector){.a = {1, -1}, .b = {0, -1}};
    override.stiffness = stiffness, override.dissipation = 1, override.friction = 0.5;
    if (law == TRX_SMOOTHED) override.force_law = law, override.smoothing = smoothing;
    trx_model_def def = trx_model_def_default();
    def.materials = materials, def.nmaterial = 1;
    def.bodies = d.bodies, def.nbody = d.nbody;
    def.actuators = d.actuators, def.nactuator = d.nactuator;
    def.exclude = exclude, def.nexclude = 1;
    def.overrides = &override, def.noverride = 1;
    def.approximation = approximation;
    def.force_law = approximation == TRX_SAP ? TRX_KELVIN_VOIGT : TRX_HUNT_CROSSLEY;
    finish(&s, &def, 0.02, stiction_tolerance);
    return s;
}

void scene_destroy(scene *s)
{
    trx_sim_destroy(s->sim);
    trx_model_destroy(s->model);
    trx_context_destroy(s->context);
}

static double range(unsigned long long seed, int index, double low, double high)
{
    return low + (high - low) * trxi_random_uniform(seed, (unsigned long long)index);
}

// gap of the deepest point of the pair and its normal at q
static double deepest(const scene *s, const double *q, double n[3])
{
    const trx_model *model = s->model;
    trxi_placed_shape placed[2];
    double R[2][9], p[2][3];
    const int geoms[2] = {model->pairs[0].geom_a, model->pairs[0].geom_b};
    trx_pose poses[MAX_DEFS];
    trx_model_body_poses(model, q, poses);
    for (int i = 0; i < 2; i++) {
        trx_geom_info geom = trx_model_geom(model, geoms[i]);
        trxi_quat_to_matrix(poses[geom.body].quat, R[i]);
        trxi_mulv3(R[i], geom.pose.p, p[i]);
        trxi_add3(p[i], poses[geom.body].p, p[i]);
        placed[i] = (trxi_placed_shape){&model->geoms[geoms[i]].shape, R[i], p[i]};
    }
    trxi_contact_point points[TRXI_MAX_CONTACT_POINTS];
    int count = trxi_collide(&placed[0], &placed[1], 10, false, points), best = 0;
    ck_assert_int_gt(count, 0);
    for (int i = 1; i < count; i++)
        if (points[i].phi < points[best].phi) best = i;
    trxi_copy3(points[best].n, n);
    return points[best].phi;
}

void scene_state(const scene *s, unsigned long long seed, int index, double *x, double *u)
{
    const trx_model *model = s->model;
    unsigned long long stream = seed * 1000003u + (unsigned)index;
    int k = 0;
    double dq[64];
    trx_model_neutral(model, x);
    bool separate = trx_model_find_joint(model, "b") >= 0;
    double spread = separate ? 1 : 0.6;
    for (int i = 0; i < s->nv; i++) dq[i] = spread * trxi_random_normal(stream, (unsigned long long)(1000 + i));
    for (int i = 0; i < s->nv; i++)
        if (model->links[model->dof_link[i]].type != TRXI_BALL) dq[i] *= 0.1;
    trx_model_integrate(model, x, dq, x);

    // move the second shape's tree, or for one tree its slide, along the normal to the gap wanted
    double gap = trxi_random_uniform(stream, (unsigned)k++) < 0.75 ? -range(stream, k++, 0.05e-3, 3e-3) : range(stream, k++, 0, 1e-3);
    trx_joint_info joint = trx_model_joint(model, trx_model_find_joint(model, separate ? "b" : "s2"));
    for (int round = 0; round < (separate ? 3 : 40); round++) {
        double n[3], phi = deepest(s, x, n);
        if (separate) {
            for (int i = 0; i < 3; i++) x[joint.q_index + i] += (gap - phi) * n[i];
            continue;
        }
        double q = x[joint.q_index], unused[3];
        x[joint.q_index] = q + 1e-6;
        double slope = (deepest(s, x, unused) - phi) / 1e-6;
        x[joint.q_index] = q + (fabs(slope) > 0.05 ? fmax(-0.05, fmin(0.05, (gap - phi) / slope)) : 0.01);
    }

    double speed = pow(10, range(stream, k++, -4.5, -0.3));
    for (int i = 0; i < s->nv; i++) x[s->nq + i] = speed * trxi_random_normal(stream, (unsigned long long)(2000 + i));
    for (int i = 0; i < s->nu; i++) u[i] = trxi_random_normal(stream, (unsigned long long)(3000 + i));
}

void push_state(const scene *s, double depth, double gap, double *x)
{
    memset(x, 0, (size_t)(s->nq + s->nv) * sizeof *x);
    trx_joint_info box = trx_model_joint(s->model, trx_model_find_joint(s->model, "box"));
    x[box.q_index + 2] = 0.05 - depth;
    x[box.q_index + 3] = 1;
    x[trx_model_joint(s->model, trx_model_find_joint(s->model, "px")).q_index] = -0.05 - 0.02 - gap;
    x[trx_model_joint(s->model, trx_model_find_joint(s->model, "pz")).q_index] = 0.05;
}
