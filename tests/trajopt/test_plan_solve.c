// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A solve as a whole: the same bits twice, no memory taken; its judgement, goals by component, and the contacts of its knots. The
// second try runs when a hard contact holds the body, keeps the better result, and leaves the plan as it was.

#include "trajopt/scenes.h"

#include "math/dense.h"
#include "trajopt/plan.h"

START_TEST(two_solves_give_the_same_bits)
{
    swing_up s = make_swing_up(make_context(), 4, 0.01, 200, trx_plan_settings_default());
    double first[200];
    ck_assert_int_ge(trx_plan_solve(s.plan, NULL, NULL), TRX_OK);
    memcpy(first, trx_plan_controls(s.plan), sizeof first);
    ck_assert_int_ge(trx_plan_solve(s.plan, NULL, NULL), TRX_OK);
    ck_assert_int_eq(memcmp(first, trx_plan_controls(s.plan), sizeof first), 0);
    close_swing_up(&s);
}
END_TEST

START_TEST(a_solve_allocates_nothing)
{
    counting_allocator counter = {0};
    trx_context_settings settings = counting_settings(&counter);
    trx_context *context;
    ck_assert_int_eq(trx_context_create(&settings, &context), TRX_OK);
    swing_up s = make_swing_up(context, 4, 0.01, 100, trx_plan_settings_default());
    int before = counter.calls;
    ck_assert_int_ge(trx_plan_solve(s.plan, NULL, NULL), TRX_OK);
    ck_assert_int_eq(counter.calls, before);
    close_swing_up(&s);
    ck_assert_int_eq(counter.outstanding, 0);
}
END_TEST

START_TEST(a_push_allocates_nothing)
{
    counting_allocator counter = {0};
    trx_context_settings counting = counting_settings(&counter);
    push p;
    ck_assert_int_eq(trx_context_create(&counting, &p.context), TRX_OK);
    p.model = push_model(p.context);
    push_task_init(&p.task, p.model, -0.08, 0.01, (double[3]){0.1, 0, 0.2});
    trx_plan_settings settings = trx_plan_settings_default();
    ck_assert_int_eq(trx_plan_create(p.context, &p.task.problem, &settings, &p.plan), TRX_OK);
    int before = counter.calls;
    ck_assert_int_ge(trx_plan_solve(p.plan, NULL, NULL), TRX_OK);
    trx_plan_timing timing;
    ck_assert_int_eq(trx_plan_measure(p.plan, &timing), TRX_OK);
    ck_assert(timing.rollout > 0 && timing.linearize > 0 && timing.backward > 0 && timing.search > 0);
    ck_assert_int_eq(counter.calls, before);
    close_push(&p);
    ck_assert_int_eq(counter.outstanding, 0);
}
END_TEST

START_TEST(a_solve_is_judged_at_once_or_on_demand)
{
    push p[2];
    trx_plan_info info[2];
    for (int i = 0; i < 2; i++) {
        trx_plan_settings settings = trx_plan_settings_default();
        settings.judge = i == 0;
        open_push(&p[i], -0.08, 0.01, 0.08, 0, 0.2);
        ck_assert_int_ge(solve_push(&p[i], settings), TRX_OK);
        info[i] = trx_plan_get_info(p[i].plan);
    }
    ck_assert_int_eq(info[1].physical.status, TRX_ERR_NO_STEP);
    ck_assert_int_eq(info[1].fine.status, TRX_ERR_NO_STEP);
    ck_assert(info[1].cost == info[1].stages[info[1].nstage - 1].cost && !info[1].physical.goals[0].met);
    ck_assert_str_eq(info[1].message, "");
    ck_assert(max_difference(trx_plan_states(p[0].plan), trx_plan_states(p[1].plan), 19 * 51) < 1e-6);
    ck_assert(max_magnitude(trx_plan_gains(p[1].plan), 3 * 18 * 50) > 0);

    ck_assert_int_eq(trx_plan_judge(p[1].plan), TRX_OK);
    info[1] = trx_plan_get_info(p[1].plan);
    ck_assert(info[1].cost == info[0].cost && info[1].fine.cost == info[0].fine.cost);
    ck_assert(info[1].physical.goals[0].met && info[1].physical.goals[1].error == info[0].physical.goals[1].error);
    ck_assert_int_eq(memcmp(trx_plan_gains(p[0].plan), trx_plan_gains(p[1].plan), 3 * 18 * 50 * sizeof(double)), 0);
    ck_assert_int_eq(memcmp(trx_plan_A(p[0].plan), trx_plan_A(p[1].plan), 18 * 18 * 50 * sizeof(double)), 0);
    for (int i = 0; i < 2; i++) close_push(&p[i]);
}
END_TEST

START_TEST(without_a_solve_there_is_nothing_to_judge)
{
    push p;
    const trx_contact *contacts;
    open_push(&p, -0.08, 0, 0.08, 0, 0);
    p.plan = make_plan(p.context, &p.task.problem, trx_plan_settings_default());
    ck_assert_int_eq(trx_plan_judge(p.plan), TRX_ERR_NO_STEP);
    ck_assert_str_eq(trx_context_message(p.context), "trx_plan_judge: there is no result before a solve");
    ck_assert_int_eq(trx_plan_contacts(p.plan, 0, &contacts), TRX_ERR_NO_STEP);
    ck_assert_int_eq(trx_plan_judge(NULL), TRX_ERR_ARGUMENT);
    close_push(&p);
}
END_TEST

START_TEST(goals_have_components_whose_norm_is_the_error)
{
    push p;
    double r[3];
    open_push(&p, -0.08, 0.01, 0.08, 0, 0.2);
    ck_assert_int_ge(solve_push(&p, trx_plan_settings_default()), TRX_OK);
    trx_plan_info info = trx_plan_get_info(p.plan);
    const trx_goal_result *goal = info.physical.goals;
    const double *end = trx_plan_states(p.plan) + 19 * 50;
    ck_assert_int_eq(trx_plan_residual(p.plan, 0, 50, end, NULL, r), TRX_OK);
    ck_assert(goal->ncomponent == 3 && goal->components[0] == r[0] && goal->components[1] == r[1]);
    ck_assert(goal->components[2] == 0 && fabs(r[2]) > 1e-6); // the height has no weight
    for (int i = 0; i < 2; i++) {
        assert_close(goal[i].error, sqrt(trxi_dot(3, goal[i].components, goal[i].components)), 1e-15);
        ck_assert(info.fine.goals[i].components != goal[i].components && info.fine.goals[i].error > 0);
    }
    close_push(&p);
}
END_TEST

START_TEST(a_knot_has_the_contacts_of_its_step)
{
    push p;
    open_push(&p, -0.08, 0.01, 0.08, 0, 0.2);
    ck_assert_int_ge(solve_push(&p, trx_plan_settings_default()), TRX_OK);
    trx_sim_settings settings = p.plan->sim_settings;
    trx_sim *sim;
    ck_assert_int_eq(trx_sim_create(p.context, p.model, &settings, &sim), TRX_OK);
    int pushes = 0;
    for (int k = 0; k <= 50; k += 5) {
        const trx_contact *contacts, *expected;
        const double *u = trx_plan_controls(p.plan) + 3 * (k < 50 ? k : 49);
        int count = trx_plan_contacts(p.plan, k, &contacts);
        ck_assert_int_ge(trx_step(sim, trx_plan_states(p.plan) + 19 * k, u, NULL), TRX_OK);
        ck_assert_int_eq(count, trx_sim_contacts(sim, &expected));
        for (int i = 0; i < count; i++) {
            ck_assert(contacts[i].f_n == expected[i].f_n && contacts[i].distance == expected[i].distance);
            pushes += contacts[i].f_n > 0 && trx_model_pair(p.model, contacts[i].pair).actuated;
        }
    }
    ck_assert_int_gt(pushes, 2);
    const trx_contact *contacts;
    ck_assert_int_eq(trx_plan_contacts(p.plan, 51, &contacts), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_plan_contacts(p.plan, 0, NULL), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_plan_contacts(NULL, 0, &contacts), TRX_ERR_ARGUMENT);
    trx_sim_destroy(sim);
    close_push(&p);
}
END_TEST

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
    if (!SANITIZED) {
        ck_assert_int_ge(trx_plan_solve(l.plan, NULL, NULL), TRX_OK);
        ck_assert(trx_plan_get_info(l.plan).cost == cost);
    }
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
    Suite *suite = suite_create("trajopt/plan_solve");
    TCase *cases = tcase_create("plan_solve");
    tcase_set_timeout(cases, 300);
    tcase_add_test(cases, two_solves_give_the_same_bits);
    tcase_add_test(cases, a_solve_allocates_nothing);
    tcase_add_test(cases, a_push_allocates_nothing);
    tcase_add_test(cases, a_solve_is_judged_at_once_or_on_demand);
    tcase_add_test(cases, without_a_solve_there_is_nothing_to_judge);
    tcase_add_test(cases, goals_have_components_whose_norm_is_the_error);
    tcase_add_test(cases, a_knot_has_the_contacts_of_its_step);
    tcase_add_test(cases, what_a_hard_contact_holds_is_lifted_by_the_second_try);
    tcase_add_test(cases, without_the_second_try_the_message_names_the_holder);
    tcase_add_test(cases, a_second_try_that_is_not_better_leaves_the_first);
    tcase_add_test(cases, an_interrupted_second_try_leaves_a_valid_first);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
