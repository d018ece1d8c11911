// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See scenes.h.

#include "step/scenes.h"

#include "base/random.h"
#include "geometry/contact_geometry.h"
#include "math/rotation.h"
#include "step/sim.h"

#include "support/support.h"

#include <check.h>
#include <string.h>

// an octahedron pulled out of shape, at two sizes
static const double crystal[2][18] = {
    {0.055, 0.004, -0.003, -0.05, 0.006, 0.002, 0.003, 0.045, 0.005, -0.004, -0.052, 0.003,
     0.006, -0.002, 0.05, 0.002, 0.005, -0.048},
    {0.044, 0.003, -0.002, -0.04, 0.005, 0.002, 0.002, 0.036, 0.004, -0.003, -0.042, 0.002,
     0.005, -0.002, 0.04, 0.002, 0.004, -0.038}};
static const int facets[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
static const trx_mesh crystals[2] = {{"large", 6, crystal[0], 8, facets}, {"small", 6, crystal[1], 8, facets}};

// the smaller one of cylinders and crystals is rounded
static trx_shape make_shape(trx_shape_type type, double scale)
{
    trx_shape shape = {.type = type};
    if (type == TRX_SHAPE_BOX) trxi_set3(0.10 * scale, 0.12 * scale, 0.09 * scale, shape.size);
    if (type == TRX_SHAPE_ELLIPSOID) trxi_set3(0.10 * scale, 0.12 * scale, 0.08 * scale, shape.size);
    if (type == TRX_SHAPE_MESH) shape.mesh = &crystals[scale < 1];
    if ((type == TRX_SHAPE_MESH || type == TRX_SHAPE_CYLINDER) && scale < 1) shape.rounding = 0.004;
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
    actuator->gear = 150;
}

// an arm of hinge, slide, ball; link bodies carry inertia of their own
static int add_arm(defs *d, int parent, double height, const trx_shape *tip)
{
    static const char *const names[2][5] = {{"upper", "lower", "h", "s", "w"}, {"upper2", "lower2", "h2", "s2", "w2"}};
    const char *const *name = names[d->njoint > 1];
    const trx_joint_def *first = d->joints + d->njoint;
    trx_joint_def *hinge = add_joint(d, name[2], TRX_JOINT_HINGE, 0.3, 1, -0.2);
    trxi_set3(0.05, 0, 0.02, hinge->at);
    hinge->damping = 0.3, hinge->stiffness = 2, hinge->rest = 0.1, hinge->armature = 0.01;
    trx_body_def *upper = add_body(d, name[0], parent, first, 1);
    trxi_set3(0.1, -0.2, height, upper->pose.p);
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
    lower->has_inertia = true;
    lower->inertia = (trx_body_inertia){0.7, {0.01, 0.005, -0.02}, {0.014, 0.015, 0.013, 0.0014, -0.0013, 0.0012}};
    add_shape(d, lower, tip, 0);
    add_motor(d, upper_index, 0);
    add_motor(d, upper_index + 1, 0);
    return upper_index;
}

static trx_shape shape_of(trx_shape_type type, int side)
{
    return make_shape(type, side ? 0.8 : 1);
}

// a base that floats and carries the arms of SCENE_SAME
static void add_base(defs *d)
{
    const trx_joint_def *joint = d->joints + d->njoint;
    add_joint(d, "base", TRX_JOINT_FREE, 0, 0, 1);
    trx_body_def *base = add_body(d, "base", -1, joint, 1);
    base->has_inertia = true;
    base->inertia = (trx_body_inertia){2, {0.01, 0.02, 0}, {0.1, 0.08, 0.12, 0, 0, 0}};
}

// a cart in the plane
static int add_cart(defs *d)
{
    const trx_joint_def *joint = d->joints + d->njoint;
    add_joint(d, "cart", TRX_JOINT_PLANAR, 0, 0, 1);
    trx_body_def *cart = add_body(d, "cart", -1, joint, 1);
    cart->has_inertia = true;
    cart->inertia = (trx_body_inertia){1.5, {0.02, -0.01, 0.03}, {0.05, 0.06, 0.04, 0.002, 0, 0}};
    return d->nbody - 1;
}

static void add_free(defs *d, const char *name, const trx_shape *shape, double mass)
{
    const trx_joint_def *joint = d->joints + d->njoint;
    add_joint(d, name, TRX_JOINT_FREE, 0, 0, 1);
    add_shape(d, add_body(d, name, -1, joint, 1), shape, mass);
}

static void add_first(defs *d, scene_kind kind, const trx_shape *shape)
{
    if (shape->type == TRX_SHAPE_HALFSPACE) {
        add_shape(d, add_body(d, "a", -1, NULL, 0), shape, 0);
    } else if (kind == SCENE_FREE) {
        add_free(d, "a", shape, 0.4);
    } else {
        if (kind == SCENE_SAME) add_base(d);
        add_arm(d, d->nbody - 1, 0.5, shape);
    }
}

scene scene_pair(scene_kind kind, trx_shape_type a, trx_shape_type b)
{
    scene s = {0};
    s.context = context_open();
    defs d = {0};
    trx_shape shape_a = shape_of(a, 0), shape_b = shape_of(b, 1);
    bool floor = a == TRX_SHAPE_HALFSPACE;
    add_first(&d, kind, &shape_a);
    if (floor ? kind != SCENE_FREE : kind == SCENE_SAME) {
        int parent = kind == SCENE_PLANAR ? add_cart(&d) : floor ? -1 : 0;
        add_arm(&d, parent, floor ? -0.05 : 0.5, &shape_b);
    } else {
        add_free(&d, "b", &shape_b, 0.5);
        trxi_set3(0.004, -0.003, 0.002, d.geometry[d.ngeometry - 1].pose.p);
    }
    const trx_material_def materials[] = {trx_material_def_default()};
    trx_model_def def = trx_model_def_default();
    def.materials = materials, def.nmaterial = 1;
    def.bodies = d.bodies, def.nbody = d.nbody;
    def.actuators = d.actuators, def.nactuator = d.nactuator;
    finish(&s, &def, 0.01, 1e-3);
    return s;
}

scene scene_push(trx_approximation approximation, trx_force_law law, double smoothing, double stiffness,
                 double stiction_tolerance)
{
    scene s = {0};
    s.context = context_open();
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
    if (law == TRX_SMOOTHED) override.force_law = (int)law, override.smoothing = smoothing;
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

floor_def floor_def_default(void)
{
    return (floor_def){
        .shape = {.type = TRX_SHAPE_BOX, .size = {0.1, 0.1, 0.1}},
        .mass = 1,
        .turns = true,
        .law = {.approximation = TRX_LAGGED, .stiffness = 1e5, .relaxation_time = 0.01, .smoothing = 1e-3, .friction = 0.5},
        .time_step = 0.01,
        .stiction_tolerance = 1e-4,
        .tolerance = 1e-8,
    };
}

static void tilt_quat(double tilt, double quat[4])
{
    quat[0] = cos(0.5 * tilt), quat[1] = 0, quat[2] = sin(0.5 * tilt), quat[3] = 0;
}

floor_def floor_def_sphere(void)
{
    floor_def def = floor_def_default();
    def.shape = (trx_shape){.type = TRX_SHAPE_SPHERE, .radius = 0.05};
    def.mass = 0.5;
    def.time_step = 1e-3;
    return def;
}

scene scene_floor(const floor_def *wanted)
{
    scene s = {0};
    s.context = context_open();
    defs d = {0};
    const trx_shape plane = {.type = TRX_SHAPE_HALFSPACE};
    if (wanted->turns) {
        add_free(&d, "b", &wanted->shape, wanted->mass);
    } else {
        static const char *const names[3] = {"x", "y", "z"};
        const trx_joint_def *slides = d.joints;
        for (int i = 0; i < 3; i++) add_joint(&d, names[i], TRX_JOINT_SLIDE, i == 0, i == 1, i == 2);
        add_shape(&d, add_body(&d, "b", -1, slides, 3), &wanted->shape, wanted->mass);
    }
    add_shape(&d, add_body(&d, "floor", -1, NULL, 0), &plane, 0);
    tilt_quat(wanted->tilt, d.geometry[1].pose.quat);
    const trx_material_def materials[] = {trx_material_def_default()};
    trx_model_def def = trx_model_def_default();
    def.materials = materials, def.nmaterial = 1;
    def.bodies = d.bodies, def.nbody = d.nbody;
    if (wanted->weightless) def.gravity[2] = 0;
    finish(&s, &def, wanted->time_step, wanted->stiction_tolerance);
    trx_sim_settings settings = trx_sim_get_settings(s.sim);
    settings.tolerance = wanted->tolerance;
    ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_OK);
    ck_assert_int_eq(trx_sim_set_pair_law(s.sim, 0, &wanted->law), TRX_OK);
    return s;
}

void floor_state(const scene *s, const floor_def *def, double height, double speed, double *x)
{
    double n[3] = {sin(def->tilt), 0, cos(def->tilt)}, down[3] = {cos(def->tilt), 0, -sin(def->tilt)};
    trx_model_neutral(s->model, x);
    memset(x + s->nq, 0, (size_t)s->nv * sizeof *x);
    trxi_scale3(height, n, x);
    trxi_scale3(speed, down, x + s->nq);
    if (def->turns) tilt_quat(def->tilt, x + 3);
}

void scene_step(const scene *s, double *x, const double *u)
{
    trx_status status = trx_step(s->sim, x, u, x);
    ck_assert_msg(status >= 0, "%s", trx_context_message(s->context));
    trx_step_info info = trx_sim_step_info(s->sim);
    double tolerance = trx_sim_get_settings(s->sim).tolerance;
    bool balanced = info.residual <= 2e-14 + tolerance * info.scale || (status == TRX_ROUND_OFF && info.residual <= info.floor);
    ck_assert_msg(balanced, "residual %g, scale %g, floor %g", info.residual, info.scale, info.floor);
    ck_assert(trx_sim_momentum_residual(s->sim) <= tolerance * (1 + 2e-14 / info.scale) + 2e-14 / info.scale);
}

void scene_destroy(scene *s)
{
    trx_sim_destroy(s->sim);
    trx_model_destroy(s->model);
    context_close(s->context);
}

// independent numbers of one draw: each use takes the next index
typedef struct draws {
    uint64_t stream, next;
} draws;

static draws draws_of(uint64_t seed, int index)
{
    return (draws){seed * 1000003u + (uint64_t)index, 0};
}

static double uniform(draws *d, double low, double high)
{
    return low + (high - low) * trxi_random_uniform(d->stream, d->next++);
}

static double log_uniform(draws *d, double low, double high)
{
    return low * pow(high / low, uniform(d, 0, 1));
}

static double normal(draws *d)
{
    return trxi_random_normal(d->stream, 1000 + d->next++);
}

void scene_law(const scene *s, trx_approximation approximation, scene_aim aim, uint64_t seed, int index)
{
    draws d = draws_of(seed + 77, index);
    trx_pair_law law = {.approximation = approximation};
    law.stiffness = log_uniform(&d, 1e3, 1e5);
    law.dissipation = uniform(&d, 0, 1) < 0.2 ? 0 : log_uniform(&d, 0.3, 30);
    law.relaxation_time = log_uniform(&d, 1e-3, 3e-2);
    law.smoothing = log_uniform(&d, 1e-4, 3e-3);
    law.friction = aim == SCENE_STICK ? uniform(&d, 0.7, 1.5) : uniform(&d, 0.1, 0.8);

    // a smoothed contact is never open
    bool smooth = aim != SCENE_OPEN && uniform(&d, 0, 1) < 0.3;
    law.force_law = uniform(&d, 0, 1) < 0.2 ? TRX_KELVIN_VOIGT : smooth ? TRX_SMOOTHED : TRX_HUNT_CROSSLEY;
    if (approximation == TRX_SAP) law.force_law = TRX_KELVIN_VOIGT;
    ck_assert_int_eq(trx_sim_set_pair_law(s->sim, 0, &law), TRX_OK);

    trx_sim_settings settings = trx_sim_get_settings(s->sim);
    settings.stiction_tolerance = log_uniform(&d, 1e-4, 1e-2);
    ck_assert_int_eq(trx_sim_set_settings(s->sim, &settings), TRX_OK);
}

// gap of the deepest point of the pair and its normal at q
static double deepest(const scene *s, const double *q, double n[3])
{
    const trx_model *model = s->model;
    trxi_placed_shape placed[2];
    double R[2][9], p[2][3];
    const trxi_pair pair = trxi_model_pair(model, 0);
    const int geoms[2] = {pair.geom_a, pair.geom_b};
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

// a slide well inside its limits of 0.2 m, or a little short of one or past it
static double draw_slide(draws *d)
{
    if (uniform(d, 0, 1) < 0.7) return uniform(d, -0.15, 0.15);
    double past = uniform(d, -2e-3, 5e-4);
    return uniform(d, 0, 1) < 0.5 ? 0.2 + past : -0.2 - past;
}

// orientations at random; every other state nearly upright, so that a box touches with a face
static void draw_pose(const scene *s, draws *d, double *x)
{
    const trx_model *model = s->model;
    double dq[64], spread = uniform(d, 0, 1) < 0.5 ? 0.8 : 0.03;
    trx_model_neutral(model, x);
    for (int i = 0; i < s->nv; i++)
        dq[i] = normal(d) * (model->links[model->dof_link[i]].type == TRXI_BALL ? spread : 0.1);
    for (int i = 0; i < model->nlimit; i++) dq[model->joints[model->limits[i]].v] = draw_slide(d);
    trx_model_integrate(model, x, dq, x);
}

void scene_set_gap(const scene *s, double gap, double *x)
{
    int free_body = trx_model_find_joint(s->model, "b"), arm = trx_model_find_joint(s->model, "s2");
    if (arm < 0) arm = trx_model_find_joint(s->model, "s");
    int at = trx_model_joint(s->model, free_body >= 0 ? free_body : arm).q_index;
    for (int round = 0; round < (free_body >= 0 ? 3 : 40); round++) {
        double n[3], phi = deepest(s, x, n);
        if (free_body >= 0) {
            for (int i = 0; i < 3; i++) x[at + i] += (gap - phi) * n[i];
            continue;
        }
        double q = x[at], unused[3];
        x[at] = q + 1e-6;
        double slope = (deepest(s, x, unused) - phi) / 1e-6;
        x[at] = q + (fabs(slope) > 0.05 ? fmax(-0.05, fmin(0.05, (gap - phi) / slope)) : 0.01);
    }
}

static double draw_gap(draws *d, scene_aim aim)
{
    if (aim != SCENE_OPEN) return -log_uniform(d, 1e-4, 3e-3);
    return log_uniform(d, 1e-4, 1e-3) * (uniform(d, 0, 1) < 0.5 ? 1 : -1);
}

void scene_state(const scene *s, scene_aim aim, uint64_t seed, int index, double *x, double *u)
{
    draws d = draws_of(seed, index);
    draw_pose(s, &d, x);
    double gap = draw_gap(&d, aim), n[3];
    scene_set_gap(s, gap, x);

    static const double speeds[3][2] = {{1e-3, 0.3}, {1e-5, 3e-3}, {1e-2, 1}};
    double speed = log_uniform(&d, speeds[aim][0], speeds[aim][1]), *v = x + s->nq;
    for (int i = 0; i < s->nv; i++) v[i] = speed * normal(&d);
    for (int i = 0; i < s->nu; i++) u[i] = normal(&d) * (aim == SCENE_STICK ? 0.001 : 0.02);

    // SCENE_OPEN: the shapes touch, or nearly, and separate
    int b = trx_model_find_joint(s->model, "b");
    if (aim != SCENE_OPEN || b < 0) return;
    deepest(s, x, n);
    double separation = uniform(&d, 0.5, 1.5) * fabs(gap) / 0.01 + 2 * speed;
    trxi_axpy3(separation, n, v + trx_model_joint(s->model, b).v_index);
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
