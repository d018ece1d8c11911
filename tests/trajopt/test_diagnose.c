// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Why a plan did not work: each message is provoked, and names what the problem was made to lack (theory 8).

#include "trajopt/scenes.h"

#include "trajopt/plan.h"

START_TEST(a_gap_without_smoothing_is_named)
{
    push p;
    open_push(&p, -0.10, 0, 0.15, 0, 0);
    trx_stage physical = physical_stage();
    p.task.problem.stages = &physical, p.task.problem.nstage = 1;
    solve_push(&p, trx_plan_settings_default());
    const char *message = trx_plan_get_info(p.plan).message;
    ck_assert_msg(strstr(message, "no control moves box") != NULL, "%s", message);
    ck_assert_msg(strstr(message, "its gradient is zero") != NULL, "%s", message);
    ck_assert_msg(strstr(message, "box#1|pusher#1") || strstr(message, "pusher#1|box#1"), "%s", message);
    ck_assert_msg(strstr(message, "gap 0.03 m") != NULL, "%s", message);
    ck_assert_msg(strstr(message, "smoothing of about 0.01 m") != NULL, "%s", message);
    ck_assert(!trx_plan_get_info(p.plan).physical.goals[0].met);
    close_push(&p);
}
END_TEST

// a ball of 1 kg on a slide along z that exactly touches a floor of 1e12 N/m, in rest, without gravity
static trx_model *touching_model(trx_context *context)
{
    trx_material_def hard = trx_material_def_default();
    hard.name = "hard", hard.stiffness = 2e12, hard.dissipation = 0;
    trx_joint_def slide = joint_of("z", TRX_JOINT_SLIDE, 0, 0, 1);
    trx_geometry_def ball = trx_geometry_def_default(), floor = ball;
    ball.shape.type = TRX_SHAPE_SPHERE, ball.shape.radius = 0.5, ball.mass = 1;
    floor.shape.type = TRX_SHAPE_HALFSPACE;
    trx_body_def bodies[2] = {trx_body_def_default(), trx_body_def_default()};
    bodies[0].name = "ball", bodies[0].joints = &slide, bodies[0].njoint = 1, bodies[0].gravity = false;
    bodies[0].geometry = &ball, bodies[0].ngeometry = 1;
    bodies[1].name = "floor", bodies[1].geometry = &floor, bodies[1].ngeometry = 1;
    trx_actuator_def motor = trx_actuator_def_default();
    motor.body = 0, motor.joint = 0;
    trx_model_def def = trx_model_def_default();
    def.materials = &hard, def.nmaterial = 1;
    def.bodies = bodies, def.nbody = 2;
    def.actuators = &motor, def.nactuator = 1;
    return build_model(context, &def);
}

START_TEST(a_stall_names_its_knot)
{
    // the cost pulls into the floor; the derivative on the kink belongs to the open branch, which has no force
    trx_context *context = make_context();
    trx_model *model = touching_model(context);
    const double x0[2] = {0.5, 0}, below[1] = {-0.5}, weight[1] = {1};
    const trx_cost_term terms[2] = {
        {.quantity = TRX_POSITION, .target = below, .weight = weight, .time = TRX_END},
        {.quantity = TRX_CONTROL, .weight = (const double[1]){1e-6}},
    };
    trx_stage physical = physical_stage();
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = model, problem.steps = 1, problem.x0 = x0, problem.terms = terms, problem.nterm = 2;
    problem.stages = &physical, problem.nstage = 1;
    trx_plan_settings settings = trx_plan_settings_default();
    trx_plan *plan;
    ck_assert_int_eq(trx_plan_create(context, &problem, &settings, &plan), TRX_OK);
    ck_assert_int_eq(trx_plan_solve(plan, NULL, NULL), TRX_STALLED);
    const char *message = trx_plan_get_info(plan).message;
    ck_assert_msg(strstr(message, "no acceptable step") && strstr(message, "at knot 0: z.v by 100 %"), "%s", message);
    ck_assert_msg(strstr(message, "floor#1|ball#1") != NULL, "%s", message);
    assert_close(trx_plan_get_info(plan).cost, 1, 1e-6);
    trx_plan_destroy(plan);
    trx_model_destroy(model);
    trx_context_destroy(context);
}
END_TEST

START_TEST(a_failed_contact_solve_is_named)
{
    push p;
    open_push(&p, -0.07, 0, 0.15, 0, 0);
    p.task.problem.sim.max_iterations = 1;
    trx_status status = solve_push(&p, trx_plan_settings_default());
    trx_plan_info info = trx_plan_get_info(p.plan);
    ck_assert_int_eq(status, TRX_ERR_NOT_CONVERGED);
    ck_assert_int_eq(info.stages[0].status, TRX_ERR_NOT_CONVERGED);
    ck_assert_msg(strstr(info.message, "stage 1: the step from knot ") != NULL, "%s", info.message);
    ck_assert_int_lt(info.physical.status, 0);
    ck_assert(!info.physical.goals[0].met);
    close_push(&p);
}
END_TEST

START_TEST(a_goal_missed_after_contact_is_explained)
{
    push p;
    open_push(&p, -0.08, 0, 0.15, 0, 0);
    const double weak[3] = {1, 1, 0};
    p.task.terms[0].weight = weak;
    ck_assert_int_ge(solve_push(&p, trx_plan_settings_default()), TRX_OK);
    trx_plan_info info = trx_plan_get_info(p.plan);
    ck_assert(!info.physical.goals[0].met);
    ck_assert(strlen(info.message) > 0);
    close_push(&p);
}
END_TEST

START_TEST(smoothed_stages_that_found_nothing_are_named)
{
    // a smoothing of 0.1 mm is not felt over 3 cm
    push p;
    open_push(&p, -0.10, 0, 0.15, 0, 0);
    trx_stage stages[2] = {trx_stage_default(), physical_stage()};
    stages[0].force_law = TRX_SMOOTHED, stages[0].smoothing = 1e-4;
    p.task.problem.stages = stages, p.task.problem.nstage = 2;
    solve_push(&p, trx_plan_settings_default());
    const char *message = trx_plan_get_info(p.plan).message;
    ck_assert_msg(strstr(message, "no control moves box: the contact ") != NULL, "%s", message);
    ck_assert_msg(strstr(message, "the smoothed stages did not bring them together: start closer") != NULL, "%s",
                  message);
    close_push(&p);
}
END_TEST

// the diagnosis asked for a closer start, although the limit of the speed keeps the pusher from the box
START_TEST(a_limit_that_keeps_bodies_apart_is_named)
{
    push p;
    open_push(&p, -0.10, 0, 0.15, 0, 0);
    const int joint = trx_model_find_joint(p.model, "px");
    const double fastest = 0.01;
    trx_limit limit = trx_limit_default();
    limit.term = (trx_cost_term){.name = "px.velocity", .quantity = TRX_JOINT_VELOCITY, .joints = &joint, .njoint = 1};
    limit.upper = &fastest;
    p.task.problem.limits = &limit, p.task.problem.nlimit = 1;
    solve_push(&p, trx_plan_settings_default());
    const char *message = trx_plan_get_info(p.plan).message;
    ck_assert_msg(strstr(message, "the contact box#1|pusher#1 is open at every knot") != NULL, "%s", message);
    ck_assert_msg(strstr(message, "; the motion exceeded the limit of px.velocity at ") != NULL, "%s", message);
    ck_assert_msg(strstr(message, "before it was kept: widen it, or take more steps") != NULL, "%s", message);
    ck_assert_msg(strstr(message, "start closer") == NULL, "%s", message);
    close_push(&p);
}
END_TEST

// the diagnosis blamed the smoothed stages, none of which had run
START_TEST(a_solve_out_of_time_says_so)
{
    push p;
    open_push(&p, -0.10, 0, 0.15, 0, 0);
    trx_plan_settings settings = trx_plan_settings_default();
    settings.time_limit = 1e-9;
    ck_assert_int_eq(solve_push(&p, settings), TRX_TIME_LIMIT);
    ck_assert_str_eq(trx_plan_get_info(p.plan).message, "time limit reached in stage 1");
    close_push(&p);
}
END_TEST

START_TEST(a_body_that_nothing_can_touch_is_named)
{
    // the ship floats free; only the chain beside it is driven, and nothing has a geometry
    mixed_scene f = open_mixed();
    const double w[3] = {1, 1, 1}, w_u[2] = {1e-3, 1e-3};
    const trx_cost_term terms[2] = {
        {.name = "ship", .quantity = TRX_BODY_POSITION, .weight = w, .time = TRX_END, .tolerance = 1e-3},
        {.quantity = TRX_CONTROL, .weight = w_u},
    };
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = f.model, problem.steps = 3, problem.x0 = f.x0, problem.terms = terms, problem.nterm = 2;
    trx_plan *plan = make_plan(f.context, &problem, trx_plan_settings_default());
    ck_assert_int_ge(trx_plan_solve(plan, NULL, NULL), TRX_OK);
    ck_assert_str_eq(trx_plan_get_info(plan).message,
                     "no control moves ship: no pair of geometries connects it to an actuated tree");
    trx_plan_destroy(plan);
    close_mixed(&f);
}
END_TEST

START_TEST(a_missed_goal_is_named_with_its_error)
{
    // nothing forbids the swing-up but the price of torque
    swing_up s = make_swing_up(make_context(), INFINITY, 1e4, 20, trx_plan_settings_default());
    ck_assert_int_eq(trx_plan_solve(s.plan, NULL, NULL), TRX_OK);
    trx_plan_info info = trx_plan_get_info(s.plan);
    char expected[128];
    ck_assert(!info.physical.goals[0].met);
    snprintf(expected, sizeof expected, "the goal theta is missed by %.3g (tolerance 0.01)",
             info.physical.goals[0].error);
    ck_assert_str_eq(info.message, expected);
    close_swing_up(&s);
}
END_TEST

// a cart of 1 kg on a rail
static trx_model *make_cart(trx_context *context, double lower, double upper, double effort)
{
    trx_joint_def rail = joint_of("rail", TRX_JOINT_SLIDE, 1, 0, 0);
    rail.lower = lower, rail.upper = upper;
    trx_body_def cart = trx_body_def_default();
    cart.name = "cart", cart.joints = &rail, cart.njoint = 1, cart.has_inertia = true;
    cart.inertia = (trx_body_inertia){1, {0, 0, 0}, {1, 1, 1, 0, 0, 0}};
    trx_actuator_def motor = trx_actuator_def_default();
    motor.body = 0, motor.joint = 0, motor.lower = -effort, motor.upper = effort;
    trx_model_def def = trx_model_def_default();
    def.bodies = &cart, def.nbody = 1, def.actuators = &motor, def.nactuator = 1;
    return build_model(context, &def);
}

// the message of a plan that should move the cart by 2 m in 0.8 s, and does not
static void check_dash(double lower, double upper, double effort, const trx_limit *limit, const char *expected,
                       const char *unexpected)
{
    trx_context *context = make_context();
    trx_model *model = make_cart(context, lower, upper, effort);
    const int joint = 0;
    const double x0[2] = {0, 0}, target = 2, weight = 1e4, cheap = 1e-4;
    const trx_cost_term terms[2] = {
        {.name = "rail.position", .quantity = TRX_JOINT_POSITION, .joints = &joint, .njoint = 1, .target = &target,
         .weight = &weight, .time = TRX_END, .tolerance = 1e-2},
        {.quantity = TRX_CONTROL, .weight = &cheap},
    };
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = model, problem.steps = 40, problem.x0 = x0, problem.terms = terms, problem.nterm = 2;
    problem.limits = limit, problem.nlimit = limit ? 1 : 0;
    problem.sim.time_step = 0.02;
    trx_plan *plan = make_plan(context, &problem, trx_plan_settings_default());
    ck_assert_int_eq(trx_plan_solve(plan, NULL, NULL), TRX_OK);
    const char *message = trx_plan_get_info(plan).message;
    ck_assert_msg(strstr(message, expected) && !strstr(message, unexpected), "%s", message);
    trx_plan_destroy(plan);
    trx_model_destroy(model);
    trx_context_destroy(context);
}

// the diagnosis asked for more effort, although the cart is at the end of its range
START_TEST(a_target_beyond_the_range_of_its_joint_is_named)
{
    check_dash(-1, 1, 20, NULL, "; joint rail is at its limit 1: the target is beyond", "control");
}
END_TEST

// with a limit on one side, every position counted as at the limit
START_TEST(a_joint_with_one_limit_is_at_its_limit_only_there)
{
    check_dash(-INFINITY, 1, 20, NULL, "; joint rail is at its limit 1: the target is beyond", "control");
    check_dash(-INFINITY, 5, 5, NULL, "; control ", "joint rail");
    check_dash(-5, INFINITY, 5, NULL, "; control ", "joint rail");
}
END_TEST

// the diagnosis named the goal alone, although the limit of the speed leaves the cart no time
START_TEST(a_limit_that_leaves_too_little_time_is_named)
{
    const int joint = 0;
    const double fastest = 1;
    trx_limit limit = trx_limit_default();
    limit.term = (trx_cost_term){.name = "rail.velocity", .quantity = TRX_JOINT_VELOCITY, .joints = &joint, .njoint = 1};
    limit.upper = &fastest;
    check_dash(-10, 10, 100, &limit, "; the limit of rail.velocity acts at 40 of 41 knots", "control");
}
END_TEST

START_TEST(of_several_components_the_worst_is_named)
{
    // a push along x that stops a little short, and nothing moves the box along y
    push p;
    open_push(&p, -0.08, 0, 0.1, 0, 0);
    p.task.terms[0].tolerance = 1e-7;
    ck_assert_int_ge(solve_push(&p, trx_plan_settings_default()), TRX_OK);
    trx_plan_info info = trx_plan_get_info(p.plan);
    char expected[128];
    const trx_goal_result *goal = info.physical.goals;
    snprintf(expected, sizeof expected, "the goal box.position is missed by %.3g (tolerance 1e-07), most in x: %.3g", goal->error,
             goal->components[0]);
    ck_assert_str_eq(info.message, expected);
    close_push(&p);
}
END_TEST

static bool stop(const trx_iteration *line, void *user)
{
    (void)user;
    return line->iteration < 2;
}

START_TEST(what_ended_a_stage_is_named)
{
    trx_plan_settings settings = trx_plan_settings_default();
    swing_up s = make_swing_up(make_context(), INFINITY, 0.01, 200, settings);
    char expected[128];
    ck_assert_int_eq(trx_plan_solve(s.plan, stop, NULL), TRX_INTERRUPTED);
    snprintf(expected, sizeof expected, "%s in stage 1", trx_status_text(TRX_INTERRUPTED));
    ck_assert_str_eq(trx_plan_get_info(s.plan).message, expected);
    close_swing_up(&s);

    settings.iterations = 2;
    s = make_swing_up(make_context(), INFINITY, 0.01, 200, settings);
    ck_assert_int_eq(trx_plan_solve(s.plan, NULL, NULL), TRX_ITERATION_LIMIT);
    snprintf(expected, sizeof expected, "%s in stage 1", trx_status_text(TRX_ITERATION_LIMIT));
    ck_assert_str_eq(trx_plan_get_info(s.plan).message, expected);
    close_swing_up(&s);
}
END_TEST

START_TEST(a_plan_that_worked_has_no_message)
{
    swing_up s = make_swing_up(make_context(), INFINITY, 0.01, 200, trx_plan_settings_default());
    ck_assert_int_eq(trx_plan_solve(s.plan, NULL, NULL), TRX_OK);
    ck_assert_str_eq(trx_plan_get_info(s.plan).message, "");
    close_swing_up(&s);
}
END_TEST

// a plan of five steps of the pendulum from x0 with velocities weighed by w
static trx_plan *weighed_plan(trx_context *context, const trx_model *model, const double x0[2], double w)
{
    const trx_cost_term rates = {.quantity = TRX_VELOCITY, .weight = &w, .time = TRX_ALL};
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = model, problem.steps = 5, problem.x0 = x0, problem.terms = &rates, problem.nterm = 1;
    return make_plan(context, &problem, trx_plan_settings_default());
}

START_TEST(weights_that_overflow_are_named)
{
    trx_context *context = make_context();
    trx_model *model = pendulum_model(context, INFINITY);
    const double rest[2] = {0, 0}, fast[2] = {0, 1e3};
    trx_plan *plan = weighed_plan(context, model, rest, 1e308);
    ck_assert_int_eq(trx_plan_solve(plan, NULL, NULL), TRX_ERR_NOT_PD);
    ck_assert_str_eq(trx_plan_get_info(plan).message,
                     "stage 1: Q_uu is not finite at knot 4: the weights of the cost overflow");
    ck_assert_str_eq(trx_context_message(context), trx_plan_get_info(plan).message);

    // finite, but not positive definite
    plan->work.riccati.Q_uu[0] = -1;
    plan->work.riccati.failed_knot = 2;
    trxi_plan_explain_failure(plan, TRX_ERR_NOT_PD);
    ck_assert_str_eq(plan->message, "stage 1: Q_uu is not positive definite at knot 2: the weights of the cost span "
                                    "too many orders of magnitude");
    trx_plan_destroy(plan);

    plan = weighed_plan(context, model, fast, 1e305);
    ck_assert_int_eq(trx_plan_solve(plan, NULL, NULL), TRX_ERR_NOT_FINITE);
    ck_assert_str_eq(trx_plan_get_info(plan).message, "stage 1: the cost of the first rollout is not finite");
    trx_plan_destroy(plan);
    trx_model_destroy(model);
    trx_context_destroy(context);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/diagnose");
    TCase *cases = tcase_create("diagnose");
    tcase_set_timeout(cases, 300);
    tcase_add_test(cases, a_gap_without_smoothing_is_named);
    tcase_add_test(cases, a_stall_names_its_knot);
    tcase_add_test(cases, a_failed_contact_solve_is_named);
    tcase_add_test(cases, a_goal_missed_after_contact_is_explained);
    tcase_add_test(cases, smoothed_stages_that_found_nothing_are_named);
    tcase_add_test(cases, a_limit_that_keeps_bodies_apart_is_named);
    tcase_add_test(cases, a_solve_out_of_time_says_so);
    tcase_add_test(cases, a_body_that_nothing_can_touch_is_named);
    tcase_add_test(cases, a_missed_goal_is_named_with_its_error);
    tcase_add_test(cases, a_target_beyond_the_range_of_its_joint_is_named);
    tcase_add_test(cases, a_joint_with_one_limit_is_at_its_limit_only_there);
    tcase_add_test(cases, a_limit_that_leaves_too_little_time_is_named);
    tcase_add_test(cases, of_several_components_the_worst_is_named);
    tcase_add_test(cases, what_ended_a_stage_is_named);
    tcase_add_test(cases, a_plan_that_worked_has_no_message);
    tcase_add_test(cases, weights_that_overflow_are_named);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
