// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Models and problems that several tests of this room share.

#ifndef TESTS_TRAJOPT_SCENES_H
#define TESTS_TRAJOPT_SCENES_H

#include "base/random.h"
#include "support/support.h"

#include <stdio.h>
#include <string.h>
#include <tractrix/plan.h>

static inline trx_context *make_context(void)
{
    trx_context *context;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    return context;
}

static inline trx_model *build_model(trx_context *context, const trx_model_def *def)
{
    trx_model *model = NULL;
    trx_status status = trx_model_create(context, def, &model);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(context));
    return model;
}

static inline trx_joint_def joint_of(const char *name, trx_joint_type type, double x, double y, double z)
{
    trx_joint_def joint = trx_joint_def_default();
    joint.name = name;
    joint.type = type;
    joint.axis[0] = x, joint.axis[1] = y, joint.axis[2] = z;
    return joint;
}

static inline trx_stage physical_stage(void)
{
    trx_stage stage = trx_stage_default();
    stage.physical = true;
    return stage;
}

// creates a plan; the test fails when this fails
static inline trx_plan *make_plan(trx_context *context, const trx_plan_problem *problem, trx_plan_settings settings)
{
    trx_plan *plan = NULL;
    ck_assert_msg(trx_plan_create(context, problem, &settings, &plan) == TRX_OK, "%s", trx_context_message(context));
    return plan;
}

// ---- a mass on a rail, a double integrator ----

static inline trx_model *rail_model(trx_context *context, double mass)
{
    trx_joint_def rail = joint_of("rail", TRX_JOINT_SLIDE, 1, 0, 0);
    trx_body_def cart = trx_body_def_default();
    cart.name = "cart", cart.joints = &rail, cart.njoint = 1, cart.has_inertia = true;
    cart.inertia = (trx_body_inertia){mass, {0, 0, 0}, {1, 1, 1, 0, 0, 0}};
    trx_actuator_def motor = trx_actuator_def_default();
    motor.body = 0, motor.joint = 0;
    trx_model_def def = trx_model_def_default();
    def.bodies = &cart, def.nbody = 1, def.actuators = &motor, def.nactuator = 1;
    return build_model(context, &def);
}

// ---- a pendulum that swings up ----

// a point mass of 1 kg at 0.5 m under a hinge about y, damping 0.1; the torque is limited to +-limit
static inline trx_model *pendulum_model(trx_context *context, double limit)
{
    trx_joint_def hinge = joint_of("theta", TRX_JOINT_HINGE, 0, 1, 0);
    hinge.damping = 0.1;
    trx_body_def pole = trx_body_def_default();
    pole.name = "pole";
    pole.joints = &hinge;
    pole.njoint = 1;
    pole.has_inertia = true;
    pole.inertia.mass = 1;
    pole.inertia.com[2] = -0.5;
    trx_actuator_def motor = trx_actuator_def_default();
    motor.body = 0, motor.joint = 0;
    motor.lower = -limit;
    motor.upper = limit;
    trx_model_def def = trx_model_def_default();
    def.bodies = &pole;
    def.nbody = 1;
    def.actuators = &motor;
    def.nactuator = 1;
    return build_model(context, &def);
}

typedef struct swing_up {
    trx_context *context;
    trx_model *model;
    trx_plan *plan;
} swing_up;

// from hanging to upright; goals 0.01 rad, 0.02 rad/s
static inline swing_up make_swing_up(trx_context *context, double limit, double weight, int steps,
                                     trx_plan_settings settings)
{
    static const double upright[2] = {3.14159265358979323846, 0}, x0[2] = {0, 0}, w_v[1] = {0.01}, w_end[1] = {100};
    const trx_cost_term terms[4] = {
        {.name = "v", .quantity = TRX_VELOCITY, .weight = w_v},
        {.name = "theta", .quantity = TRX_POSITION, .target = upright, .weight = w_end, .time = TRX_END,
         .tolerance = 0.01},
        {.name = "rate", .quantity = TRX_VELOCITY, .weight = w_end, .time = TRX_END, .tolerance = 0.02},
        {.name = "u", .quantity = TRX_CONTROL, .weight = &weight},
    };
    swing_up s = {.context = context, .model = pendulum_model(context, limit)};
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = s.model, problem.steps = steps, problem.x0 = x0;
    problem.terms = terms, problem.nterm = 4;
    s.plan = make_plan(context, &problem, settings);
    return s;
}

static inline void close_swing_up(swing_up *s)
{
    trx_plan_destroy(s->plan);
    trx_model_destroy(s->model);
    trx_context_destroy(s->context);
}

// ---- a box that is pushed ----

// theory 8: a 10 cm box of 0.5 kg on a table (mu 0.3), a spherical pusher of 0.3 kg with three force actuators
// of +-20 N; both pairs have 1e4 N/m and the law given
static inline trx_model *push_model_with(trx_context *context, trx_approximation approximation, trx_force_law law)
{
    trx_material_def materials[2] = {trx_material_def_default(), trx_material_def_default()};
    materials[0].name = "table", materials[0].stiffness = 2e4;
    materials[0].dissipation = 5, materials[0].friction = 0.3;
    materials[1].name = "tip", materials[1].stiffness = 2e4;
    materials[1].dissipation = 1, materials[1].friction = 0.5;

    trx_joint_def free_joint = joint_of("box", TRX_JOINT_FREE, 0, 0, 1);
    trx_joint_def slides[3] = {joint_of("px", TRX_JOINT_SLIDE, 1, 0, 0), joint_of("py", TRX_JOINT_SLIDE, 0, 1, 0),
                               joint_of("pz", TRX_JOINT_SLIDE, 0, 0, 1)};
    for (int i = 0; i < 3; i++) slides[i].damping = 2;

    trx_geometry_def cube = trx_geometry_def_default(), ball = cube, table = cube;
    cube.shape.type = TRX_SHAPE_BOX;
    for (int i = 0; i < 3; i++) cube.shape.size[i] = 0.1;
    cube.mass = 0.5;
    ball.shape.type = TRX_SHAPE_SPHERE;
    ball.shape.radius = 0.02;
    ball.mass = 0.3;
    ball.material = 1;
    table.shape.type = TRX_SHAPE_HALFSPACE;

    trx_body_def bodies[3] = {trx_body_def_default(), trx_body_def_default(), trx_body_def_default()};
    bodies[0].name = "box", bodies[0].joints = &free_joint, bodies[0].njoint = 1;
    bodies[0].geometry = &cube, bodies[0].ngeometry = 1;
    bodies[1].name = "pusher", bodies[1].joints = slides, bodies[1].njoint = 3;
    bodies[1].geometry = &ball, bodies[1].ngeometry = 1, bodies[1].gravity = false;
    bodies[2].name = "ground", bodies[2].geometry = &table, bodies[2].ngeometry = 1;

    trx_actuator_def motors[3];
    for (int i = 0; i < 3; i++) {
        motors[i] = trx_actuator_def_default();
        motors[i].body = 1, motors[i].joint = i;
        motors[i].lower = -20, motors[i].upper = 20;
    }
    trx_pair_selector apart = {.a = {1, -1}, .b = {2, -1}};
    trx_pair_override touch = trx_pair_override_default();
    touch.pair = (trx_pair_selector){.a = {1, -1}, .b = {0, -1}};
    touch.friction = 0.5, touch.stiffness = 1e4, touch.dissipation = 1;

    trx_model_def def = trx_model_def_default();
    def.materials = materials, def.nmaterial = 2;
    def.bodies = bodies, def.nbody = 3;
    def.actuators = motors, def.nactuator = 3;
    def.exclude = &apart, def.nexclude = 1;
    def.overrides = &touch, def.noverride = 1;
    def.approximation = approximation, def.force_law = law;
    return build_model(context, &def);
}

static inline trx_model *push_model(trx_context *context)
{
    return push_model_with(context, TRX_LAGGED, TRX_HUNT_CROSSLEY);
}

enum { PUSH_TERMS = 8 };

/// A push from (px, py) to a goal (x, y, yaw): N = 50 steps of 20 ms. Holds what its problem points to.
typedef struct push_task {
    double x0[19], box[3], quat[4];
    trx_cost_term terms[PUSH_TERMS];
    trx_plan_problem problem;
} push_task;

static inline void push_task_init(push_task *task, const trx_model *model, double px, double py, const double goal[3])
{
    static const double end_xy[3] = {1500, 1500, 0}, end_yaw[3] = {5, 5, 50}, end_v[3] = {1.5, 1.5, 1.5};
    static const double run_xy[3] = {2, 2, 0}, run_yaw[3] = {0, 0, 1}, run_pz[1] = {25}, height[1] = {0.05};
    static const double run_v[9] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, run_u[3] = {0.1, 0.1, 0.1};
    static const int pz[1] = {3};
    *task = (push_task){
        .x0 = {0, 0, 0.05, 1, 0, 0, 0, px, py, 0.05},
        .box = {goal[0], goal[1], 0.05},
        .quat = {cos(goal[2] / 2), 0, 0, sin(goal[2] / 2)},
    };
    ck_assert_int_eq(trx_model_find_joint(model, "pz"), pz[0]);
    const trx_cost_term terms[PUSH_TERMS] = {
        {.name = "box.position", .quantity = TRX_BODY_POSITION, .target = task->box, .weight = end_xy, .time = TRX_END,
         .tolerance = 0.005},
        {.name = "box.orientation", .quantity = TRX_BODY_ORIENTATION, .target = task->quat, .weight = end_yaw,
         .time = TRX_END, .tolerance = 0.02},
        {.name = "box.velocity", .quantity = TRX_BODY_VELOCITY, .weight = end_v, .time = TRX_END},
        {.name = "box.position", .quantity = TRX_BODY_POSITION, .target = task->box, .weight = run_xy},
        {.name = "box.orientation", .quantity = TRX_BODY_ORIENTATION, .target = task->quat, .weight = run_yaw},
        {.name = "pz.position", .quantity = TRX_JOINT_POSITION, .joints = pz, .njoint = 1, .target = height,
         .weight = run_pz},
        {.name = "velocity", .quantity = TRX_VELOCITY, .weight = run_v},
        {.name = "control", .quantity = TRX_CONTROL, .weight = run_u},
    };
    for (int i = 0; i < PUSH_TERMS; i++) task->terms[i] = terms[i];
    task->problem = trx_plan_problem_default();
    task->problem.model = model;
    task->problem.sim.time_step = 0.02;
    task->problem.steps = 50;
    task->problem.x0 = task->x0;
    task->problem.terms = task->terms;
    task->problem.nterm = PUSH_TERMS;
}

typedef struct push {
    trx_context *context;
    trx_model *model;
    push_task task;
    trx_plan *plan;
} push;

static inline void open_push(push *p, double px, double py, double x, double y, double yaw)
{
    p->context = make_context();
    p->model = push_model(p->context);
    p->plan = NULL;
    push_task_init(&p->task, p->model, px, py, (double[3]){x, y, yaw});
}

static inline trx_status solve_push(push *p, trx_plan_settings settings)
{
    p->plan = make_plan(p->context, &p->task.problem, settings);
    return trx_plan_solve(p->plan, NULL, NULL);
}

static inline void close_push(push *p)
{
    trx_plan_destroy(p->plan);
    trx_model_destroy(p->model);
    trx_context_destroy(p->context);
}

// three stages, the first two with limits of their own
static inline void open_stages(push *p, trx_stage stages[3])
{
    open_push(p, -0.08, 0, 0.05, 0, 0);
    for (int i = 0; i < 2; i++) {
        stages[i] = trx_stage_default();
        stages[i].force_law = TRX_SMOOTHED, stages[i].smoothing = 0.005, stages[i].stiffness = 200;
        stages[i].stiction_tolerance = 0.01, stages[i].iterations = 2 + i;
    }
    stages[2] = physical_stage();
    p->task.problem.stages = stages, p->task.problem.nstage = 3;
    p->plan = make_plan(p->context, &p->task.problem, trx_plan_settings_default());
}

// solves again and again from a measured start: no memory is taken, and the states begin at the start
static inline void check_ticks(trx_plan_settings settings, int ticks)
{
    counting_allocator counter = {0};
    trx_context_settings counting = counting_settings(&counter);
    push p;
    double x0[19];
    ck_assert_int_eq(trx_context_create(&counting, &p.context), TRX_OK);
    p.model = push_model(p.context);
    push_task_init(&p.task, p.model, -0.08, 0.01, (double[3]){0.1, 0, 0.2});
    settings.max_iterations = 20, settings.judge = false;
    p.plan = make_plan(p.context, &p.task.problem, settings);
    const int before = counter.calls;
    ck_assert_int_ge(trx_plan_solve(p.plan, NULL, NULL), TRX_OK);
    for (int tick = 0; tick < ticks; tick++) {
        ck_assert_int_eq(trx_plan_shift(p.plan, 1), TRX_OK);
        memcpy(x0, trx_plan_states(p.plan), sizeof x0);
        x0[7] += 1e-3;
        ck_assert_int_eq(trx_plan_set_start(p.plan, x0, 0.02 * tick), TRX_OK);
        ck_assert_int_ge(trx_plan_solve(p.plan, NULL, NULL), TRX_OK);
        assert_below(max_difference(trx_plan_states(p.plan), x0, 19), 1e-12);
        ck_assert(isfinite(trx_plan_get_info(p.plan).cost));
    }
    ck_assert_int_ge(trx_plan_judge(p.plan), TRX_OK);
    ck_assert_int_eq(counter.calls, before);
    close_push(&p);
    ck_assert_int_eq(counter.outstanding, 0);
}

// ---- all kinds of joints: a free body, a ball under it, a chain of hinge, slide and hinge with frames ----

enum { MAX_DIM = 16 };

typedef struct mixed_scene {
    trx_context *context;
    trx_model *model;
    trx_model_size size;
    double x0[64], x[64], u[2];
} mixed_scene;

static inline trx_model *mixed_model(trx_context *context)
{
    trx_joint_def ship = joint_of("ship", TRX_JOINT_FREE, 0, 0, 1), ball = joint_of("mast", TRX_JOINT_BALL, 0, 0, 1);
    trx_joint_def chain[2] = {joint_of("j1", TRX_JOINT_HINGE, 1, 2, 0.5),
                              joint_of("j2", TRX_JOINT_SLIDE, 0.3, -1, 0.2)};
    trx_joint_def last = joint_of("j3", TRX_JOINT_HINGE, 0, 1, -1);
    ball.at[0] = 0.1, ball.at[2] = 0.2;
    last.at[1] = 0.15;
    trx_frame_def tip = {.name = "tip", .pose = {{0.1, -0.2, 0.3}, {0.8, 0, 0.6, 0}}};
    trx_frame_def top = {.name = "top", .pose = {{0, 0.1, 0.4}, {0.6, 0.8, 0, 0}}};
    trx_frame_def rock = {.name = "rock", .pose = {{1, 0, 0}, {1, 0, 0, 0}}};
    trx_body_def bodies[5];
    const char *names[5] = {"ship", "mast", "upper", "lower", "shore"};
    for (int i = 0; i < 5; i++) {
        bodies[i] = trx_body_def_default();
        bodies[i].name = names[i];
        bodies[i].has_inertia = i < 4;
        bodies[i].inertia = (trx_body_inertia){1.0 + i, {0.05, -0.02 * i, 0.1}, {0.1, 0.12, 0.15, 0.01, 0, -0.01}};
        bodies[i].pose = (trx_pose){{0.2 * i, 0.1, -0.1}, {0.6, 0, 0.8, 0}};
    }
    bodies[0].joints = &ship, bodies[0].njoint = 1, bodies[0].pose = trx_pose_identity();
    bodies[1].joints = &ball, bodies[1].njoint = 1, bodies[1].parent = 0;
    bodies[2].joints = chain, bodies[2].njoint = 2;
    bodies[3].joints = &last, bodies[3].njoint = 1, bodies[3].parent = 2;
    bodies[3].frames = &tip, bodies[3].nframe = 1;
    bodies[1].frames = &top, bodies[1].nframe = 1;
    bodies[4].frames = &rock, bodies[4].nframe = 1;
    trx_actuator_def motors[2] = {trx_actuator_def_default(), trx_actuator_def_default()};
    motors[0].body = 2, motors[0].joint = 0;
    motors[1].body = 3, motors[1].joint = 0;
    trx_model_def def = trx_model_def_default();
    def.bodies = bodies, def.nbody = 5;
    def.actuators = motors, def.nactuator = 2;
    return build_model(context, &def);
}

static inline void random_state(const trx_model *model, trx_model_size size, uint64_t seed, double *x)
{
    double neutral[64], dq[32];
    trx_model_neutral(model, neutral);
    for (int i = 0; i < size.nv; i++) dq[i] = 0.6 * trxi_random_normal(seed, (uint64_t)i);
    trx_model_integrate(model, neutral, dq, x);
    for (int i = 0; i < size.nv; i++) x[size.nq + i] = 0.8 * trxi_random_normal(seed, 100 + (uint64_t)i);
}

static inline mixed_scene open_mixed(void)
{
    mixed_scene f = {.context = make_context(), .u = {0.7, -1.3}};
    f.model = mixed_model(f.context);
    f.size = trx_model_get_size(f.model);
    random_state(f.model, f.size, 1, f.x0);
    random_state(f.model, f.size, 2, f.x);
    return f;
}

static inline void close_mixed(mixed_scene *f)
{
    trx_model_destroy(f->model);
    trx_context_destroy(f->context);
}

// (x, u) moved by eps along column j of 2nv + nu
static inline void move_mixed(const mixed_scene *f, int j, double eps, double *x, double *u)
{
    const int nv = f->size.nv, nq = f->size.nq;
    double dq[32] = {0};
    memcpy(x, f->x, (size_t)(nq + nv) * sizeof *x);
    memcpy(u, f->u, 2 * sizeof *u);
    if (j >= 2 * nv) u[j - 2 * nv] += eps;
    else if (j >= nv) x[nq + j - nv] += eps;
    else dq[j] = eps, trx_model_integrate(f->model, f->x, dq, x);
}

// one term with a plan of its own, a random target, and unequal weights
static inline trx_plan *plan_of_term(mixed_scene *f, trx_cost_term term)
{
    static double target[64], weight[MAX_DIM * 2];
    static trx_stage physical;
    physical = physical_stage();
    random_state(f->model, f->size, 3, target);
    int length = trx_cost_term_target_length(f->model, &term), dim = trx_cost_term_dimension(f->model, &term);
    if (length == 4 && dim == 3) memcpy(target, (double[4]){0.5, -0.1, 0.7, 0.5}, 4 * sizeof(double));
    for (int i = 0; i < dim; i++) weight[i] = 0.5 + 0.3 * i;
    term.target = target, term.weight = weight;

    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = f->model, problem.steps = 3, problem.x0 = f->x0;
    problem.terms = &term, problem.nterm = 1;
    problem.stages = &physical, problem.nstage = 1;
    return make_plan(f->context, &problem, trx_plan_settings_default());
}

#endif
