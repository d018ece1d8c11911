// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The second try: it runs when a hard contact holds the body, keeps the better result, and leaves the plan as it was.

#include "trajopt/scenes.h"

#include "trajopt/plan.h"

// two balls on slides touch a box on the ground from both sides; the box must rise by `height`
typedef struct lift {
    trx_context *context;
    trx_model *model;
    trx_plan *plan;
    int tries[2]; // iterations of both tries
    int last;     // iteration of the last line
} lift;

static trx_body_def ball_of(trx_geometry_def *ball, trx_joint_def joints[2])
{
    trx_body_def body = trx_body_def_default();
    body.joints = joints, body.njoint = 2, body.gravity = false;
    body.geometry = ball, body.ngeometry = 1;
    return body;
}

static trx_model *lift_model(trx_context *context)
{
    trx_material_def rubber = trx_material_def_default();
    rubber.name = "rubber", rubber.stiffness = 2e4, rubber.dissipation = 5, rubber.friction = 0.8;
    trx_geometry_def cube = trx_geometry_def_default(), ball = cube, floor = cube;
    cube.shape.type = TRX_SHAPE_BOX, cube.mass = 0.2;
    for (int i = 0; i < 3; i++) cube.shape.size[i] = 0.06;
    ball.shape.type = TRX_SHAPE_SPHERE, ball.shape.radius = 0.015, ball.mass = 0.2;
    floor.shape.type = TRX_SHAPE_HALFSPACE;
    trx_joint_def slides[4] = {joint_of("lx", TRX_JOINT_SLIDE, 1, 0, 0), joint_of("lz", TRX_JOINT_SLIDE, 0, 0, 1),
                               joint_of("rx", TRX_JOINT_SLIDE, 1, 0, 0), joint_of("rz", TRX_JOINT_SLIDE, 0, 0, 1)};
    for (int i = 0; i < 4; i++) slides[i].damping = 2;
    trx_joint_def free_joint = joint_of("box", TRX_JOINT_FREE, 0, 0, 0);
    trx_body_def bodies[4] = {trx_body_def_default(), ball_of(&ball, slides), ball_of(&ball, slides + 2), trx_body_def_default()};
    bodies[0].name = "box", bodies[0].joints = &free_joint, bodies[0].njoint = 1;
    bodies[0].geometry = &cube, bodies[0].ngeometry = 1;
    bodies[1].name = "left", bodies[2].name = "right";
    bodies[3].name = "ground", bodies[3].geometry = &floor, bodies[3].ngeometry = 1;
    trx_actuator_def motors[4];
    for (int i = 0; i < 4; i++) {
        motors[i] = trx_actuator_def_default();
        motors[i].body = 1 + i / 2, motors[i].joint = i % 2;
        motors[i].lower = -20, motors[i].upper = 20;
    }
    trx_model_def def = trx_model_def_default();
    def.materials = &rubber, def.nmaterial = 1;
    def.bodies = bodies, def.nbody = 4;
    def.actuators = motors, def.nactuator = 4;
    return build_model(context, &def);
}

static bool count(const trx_iteration *line, void *user)
{
    lift *l = user;
    l->tries[line->attempt] += line->iteration > l->last; // a part of a stage begins with the number of the line before
    l->last = line->iteration;
    return true;
}

static lift make_lift(double height, trx_plan_settings settings)
{
    lift l = {.context = make_context()};
    l.model = lift_model(l.context);
    const double x0[21] = {0, 0, 0.03, 1, 0, 0, 0, -0.0449, 0.03, 0.0449, 0.03}, target[3] = {0, 0, 0.03 + height};
    const double w_v[10] = {0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05}, w_u[4] = {0.01, 0.01, 0.01, 0.01};
    const double w_goal[3] = {1000, 1000, 1000};
    const trx_cost_term terms[3] = {
        {.name = "velocity", .quantity = TRX_VELOCITY, .weight = w_v},
        {.name = "control", .quantity = TRX_CONTROL, .weight = w_u},
        {.name = "box", .quantity = TRX_BODY_POSITION, .target = target, .weight = w_goal, .time = TRX_END, .tolerance = 0.005},
    };
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = l.model, problem.steps = 60, problem.sim.time_step = 0.01, problem.x0 = x0;
    problem.terms = terms, problem.nterm = 3;
    l.plan = make_plan(l.context, &problem, settings);
    return l;
}

static void close_lift(lift *l)
{
    trx_plan_destroy(l->plan);
    trx_model_destroy(l->model);
    trx_context_destroy(l->context);
}

START_TEST(what_a_hard_contact_holds_is_lifted_by_the_second_try)
{
    lift l = make_lift(0.1, trx_plan_settings_default());
    const trx_stage *stages;
    ck_assert_int_ge(trx_plan_solve(l.plan, count, &l), TRX_OK);
    trx_plan_info info = trx_plan_get_info(l.plan);
    ck_assert_int_eq(info.second_try, TRX_TRY_KEPT);
    ck_assert_msg(info.physical.goals[0].met, "%s", info.message);
    ck_assert(l.tries[0] > 0 && l.tries[1] > 0);
    ck_assert_int_eq(info.iterations, l.tries[0] + l.tries[1]);

    // the stages are as before, and another solve gives the same bits
    int hard = 0, nstage = trx_plan_stages(l.plan, &stages);
    for (int i = 0; i < trx_model_get_size(l.model).npair; i++) hard += !stages[0].pairs[i];
    ck_assert(nstage > 1 && hard > 0);
    const double cost = info.cost;
    ck_assert_int_ge(trx_plan_solve(l.plan, NULL, NULL), TRX_OK);
    ck_assert(trx_plan_get_info(l.plan).cost == cost);
    close_lift(&l);
}
END_TEST

START_TEST(without_the_second_try_the_message_names_the_holder)
{
    trx_plan_settings settings = trx_plan_settings_default();
    settings.second_try = false;
    lift l = make_lift(0.1, settings);
    ck_assert_int_ge(trx_plan_solve(l.plan, count, &l), TRX_OK);
    trx_plan_info info = trx_plan_get_info(l.plan);
    ck_assert_int_eq(info.second_try, TRX_TRY_NONE);
    ck_assert_int_eq(l.tries[1], 0);
    ck_assert_msg(strstr(info.message, "holds it, and no stage smooths this contact"), "%s", info.message);
    ck_assert_msg(!strstr(info.message, "open"), "%s", info.message);
    close_lift(&l);
}
END_TEST

START_TEST(a_second_try_that_is_not_better_leaves_the_first)
{
    // one iteration in all: the second try has none left
    trx_plan_settings settings = trx_plan_settings_default();
    settings.max_iterations = 4;
    lift l = make_lift(0.1, settings);
    trx_plan_solve(l.plan, count, &l);
    trx_plan_info info = trx_plan_get_info(l.plan);
    ck_assert_int_ne(info.second_try, TRX_TRY_KEPT);
    ck_assert_int_le(info.iterations, 4);
    ck_assert(!info.physical.goals[0].met);
    close_lift(&l);
}
END_TEST

static bool stop_second(const trx_iteration *line, void *user)
{
    (void)user;
    return line->attempt == 0;
}

START_TEST(an_interrupted_second_try_leaves_a_valid_first)
{
    lift l = make_lift(0.1, trx_plan_settings_default());
    ck_assert_int_eq(trx_plan_solve(l.plan, stop_second, NULL), TRX_INTERRUPTED);
    trx_plan_info info = trx_plan_get_info(l.plan);
    ck_assert_int_eq(info.second_try, TRX_TRY_WORSE);
    ck_assert_int_eq(info.physical.status, TRX_OK);
    ck_assert(isfinite(info.cost));
    close_lift(&l);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/second_try");
    TCase *cases = tcase_create("second_try");
    tcase_add_test(cases, what_a_hard_contact_holds_is_lifted_by_the_second_try);
    tcase_add_test(cases, without_the_second_try_the_message_names_the_holder);
    tcase_add_test(cases, a_second_try_that_is_not_better_leaves_the_first);
    tcase_add_test(cases, an_interrupted_second_try_leaves_a_valid_first);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
