// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Pushing a box (theory 8): default stages, the tasks themselves on the physical law, and the reasons of failures.

#include "trajopt/scenes.h"

#include <string.h>

typedef struct push {
    trx_context *context;
    trx_model *model;
    push_task task;
    trx_plan *plan;
} push;

static void prepare(push *p, double px, double py, double x, double y, double yaw)
{
    p->context = make_context();
    p->model = push_model(p->context);
    p->plan = NULL;
    push_task_init(&p->task, p->model, px, py, (double[3]){x, y, yaw});
}

static trx_status solve(push *p, trx_plan_settings settings)
{
    ck_assert_msg(trx_plan_create(p->context, &p->task.problem, &settings, &p->plan) == TRX_OK, "%s",
                  trx_context_message(p->context));
    return trx_plan_solve(p->plan, NULL, NULL);
}

static void release(push *p)
{
    trx_plan_destroy(p->plan);
    trx_model_destroy(p->model);
    trx_context_destroy(p->context);
}

// the plan of a task with default stages reaches the goal on the physical law
static void check_push(double px, double py, double x, double y, double yaw)
{
    push p;
    prepare(&p, px, py, x, y, yaw);
    trx_status status = solve(&p, trx_plan_settings_default());
    trx_plan_info info = trx_plan_get_info(p.plan);
    ck_assert_msg(status == TRX_OK || status == TRX_STALLED, "%s: %s", trx_status_name(status), info.message);
    ck_assert_int_eq(info.physical.status, TRX_OK);
    assert_below(info.physical.goals[0].error, 0.005);
    assert_below(info.physical.goals[1].error, 0.02);
    assert_below(info.physical.penetration, 1e-3);
    assert_below(info.physical.slip, 1.001e-4);
    assert_below(info.physical.momentum_residual, 1e-9);
    ck_assert(info.physical.penetration > 1e-4);
    ck_assert_int_eq(info.fine.status, TRX_OK);
    assert_below(info.fine.goals[0].error, 0.02);

    const double *u = trx_plan_controls(p.plan), *end = trx_plan_states(p.plan) + 19 * 50;
    for (int i = 0; i < 150; i++) ck_assert(fabs(u[i]) <= 20);
    assert_close(hypot(end[0] - x, end[1] - y), info.physical.goals[0].error, 1e-12);
    release(&p);
}

START_TEST(a_box_is_pushed_straight)
{
    check_push(-0.10, 0, 0.15, 0, 0);
}
END_TEST

START_TEST(a_box_is_pushed_diagonally)
{
    check_push(-0.09, 0, 0.12, 0.08, 0);
}
END_TEST

START_TEST(a_box_is_pushed_sideways)
{
    check_push(-0.09, 0, 0, 0.1, 0);
}
END_TEST

START_TEST(a_box_is_pushed_and_turned)
{
    check_push(-0.09, 0, 0.1, 0.05, 0.6);
}
END_TEST

START_TEST(a_box_is_pushed_from_afar)
{
    check_push(-0.15, 0, 0.15, 0, 0);
    check_push(-0.22, 0, 0.15, 0, 0);
}
END_TEST

START_TEST(default_stages_reach_across_the_gap_and_stiffen)
{
    push p;
    prepare(&p, -0.19, 0, 0.15, 0, 0);
    trx_stage stages[16];
    int count = trx_plan_default_stages(p.context, &p.task.problem, stages, 16);
    const double smoothing[6] = {0.040, 0.020, 0.010, 0.005, 0.0022, 0.001};
    const double stiffness[6] = {24.5, 49, 98, 198, 990, 4950};
    const double stiction[6] = {0.0098, 0.0098, 0.0098, 0.0098, 0.0033, 0.0011};
    ck_assert_int_eq(count, 7);
    for (int i = 0; i < 6; i++) {
        ck_assert_int_eq(stages[i].force_law, TRX_SMOOTHED);
        assert_close(stages[i].smoothing, smoothing[i], 0.03 * smoothing[i]);
        assert_close(stages[i].stiffness, stiffness[i], 0.03 * stiffness[i]);
        assert_close(stages[i].stiction_tolerance, stiction[i], 0.03 * stiction[i]);
        ck_assert(!stages[i].physical && stages[i].pairs == NULL);
    }
    ck_assert(stages[6].physical);

    // no room for all of them: the physical one stays last
    ck_assert_int_eq(trx_plan_default_stages(p.context, &p.task.problem, stages, 3), 3);
    ck_assert(stages[2].physical);
    release(&p);
}
END_TEST

START_TEST(default_stages_at_touch_only_stiffen)
{
    push p;
    prepare(&p, -0.07, 0, 0.15, 0, 0);
    trx_stage stages[16];
    ck_assert_int_eq(trx_plan_default_stages(p.context, &p.task.problem, stages, 16), 4);
    assert_close(stages[0].stiffness, 198, 2);
    release(&p);
}
END_TEST

START_TEST(without_pairs_the_only_stage_is_physical)
{
    trx_context *context = make_context();
    trx_model *model = pendulum_model(context, 1);
    const double x0[2] = {0, 0};
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = model, problem.steps = 10, problem.x0 = x0;
    trx_stage stages[4];
    ck_assert_int_eq(trx_plan_default_stages(context, &problem, stages, 4), 1);
    ck_assert(stages[0].physical);
    trx_model_destroy(model);
    trx_context_destroy(context);
}
END_TEST

START_TEST(a_physical_stage_is_added_when_missing)
{
    push p;
    prepare(&p, -0.08, 0, 0.05, 0, 0);
    trx_stage smooth = trx_stage_default();
    smooth.force_law = TRX_SMOOTHED, smooth.smoothing = 0.005, smooth.stiffness = 200, smooth.stiction_tolerance = 1e-2;
    smooth.iterations = 3;
    p.task.problem.stages = &smooth, p.task.problem.nstage = 1;
    ck_assert_int_ge(solve(&p, trx_plan_settings_default()), TRX_OK);
    trx_plan_info info = trx_plan_get_info(p.plan);
    ck_assert_int_eq(info.nstage, 2);
    ck_assert_int_eq(info.stages[0].iterations, 3);
    ck_assert_int_eq(info.stages[0].status, TRX_ITERATION_LIMIT);
    ck_assert_int_eq(info.iterations, info.stages[0].iterations + info.stages[1].iterations);
    assert_close(info.stages[1].cost, info.cost, 1e-6 * info.cost);
    release(&p);
}
END_TEST

START_TEST(a_stage_changes_only_its_pairs)
{
    // the box rests on the ground, whose pair no actuator moves: a soft law for that pair sinks it
    double cost[2];
    for (int all = 0; all < 2; all++) {
        push p;
        prepare(&p, -0.12, 0, 0, 0, 0);
        const bool every[8] = {true, true, true, true, true, true, true, true};
        trx_stage soft = trx_stage_default();
        soft.stiffness = 100, soft.pairs = all ? every : NULL;
        p.task.problem.stages = &soft, p.task.problem.nstage = 1;
        trx_plan_settings settings = trx_plan_settings_default();
        ck_assert_int_ge(solve(&p, settings), TRX_OK);
        trx_plan_info info = trx_plan_get_info(p.plan);
        cost[all] = info.stages[0].cost;
        assert_below(info.physical.penetration, 2e-4);
        release(&p);
    }
    ck_assert(cost[1] > 100 * cost[0]);
}
END_TEST

START_TEST(a_gap_without_smoothing_is_named)
{
    push p;
    prepare(&p, -0.10, 0, 0.15, 0, 0);
    trx_stage physical = physical_stage();
    p.task.problem.stages = &physical, p.task.problem.nstage = 1;
    solve(&p, trx_plan_settings_default());
    const char *message = trx_plan_get_info(p.plan).message;
    ck_assert_msg(strstr(message, "no control moves box") != NULL, "%s", message);
    ck_assert_msg(strstr(message, "its gradient is zero") != NULL, "%s", message);
    ck_assert_msg(strstr(message, "box#1|pusher#1") || strstr(message, "pusher#1|box#1"), "%s", message);
    ck_assert_msg(strstr(message, "gap 0.03 m") != NULL, "%s", message);
    ck_assert_msg(strstr(message, "smoothing of about 0.01 m") != NULL, "%s", message);
    ck_assert(!trx_plan_get_info(p.plan).physical.goals[0].met);
    release(&p);
}
END_TEST

// it used to blame the smoothed stages, none of which had run
START_TEST(a_solve_out_of_time_says_so)
{
    push p;
    prepare(&p, -0.10, 0, 0.15, 0, 0);
    trx_plan_settings settings = trx_plan_settings_default();
    settings.time_limit = 1e-9;
    ck_assert_int_eq(solve(&p, settings), TRX_TIME_LIMIT);
    ck_assert_str_eq(trx_plan_get_info(p.plan).message, "time limit reached in stage 1");
    release(&p);
}
END_TEST

START_TEST(a_start_without_an_orientation_is_refused_any_length_is_taken)
{
    double cost[2];
    for (int i = 0; i < 2; i++) {
        push p;
        prepare(&p, -0.12, 0, 0.02, 0, 0);
        double x0[19];
        memcpy(x0, p.task.problem.x0, sizeof x0);
        p.task.problem.x0 = x0;
        x0[3] = 0;
        trx_plan_settings settings = trx_plan_settings_default();
        ck_assert_int_eq(trx_plan_create(p.context, &p.task.problem, &settings, &p.plan), TRX_ERR_ARGUMENT);
        ck_assert_str_eq(trx_context_message(p.context), "x0 has a quaternion of length 0");
        x0[3] = i == 0 ? 1 : 3;
        settings.iterations = 2;
        ck_assert_int_ge(solve(&p, settings), TRX_OK);
        cost[i] = trx_plan_get_info(p.plan).cost;
        release(&p);
    }
    ck_assert(cost[0] == cost[1]);
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
    // the cost pulls into the floor; on the kink the derivative is that of the open branch, where nothing resists
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
    prepare(&p, -0.07, 0, 0.15, 0, 0);
    p.task.problem.sim.max_iterations = 1;
    trx_status status = solve(&p, trx_plan_settings_default());
    trx_plan_info info = trx_plan_get_info(p.plan);
    ck_assert_int_eq(status, TRX_ERR_NOT_CONVERGED);
    ck_assert_int_eq(info.stages[0].status, TRX_ERR_NOT_CONVERGED);
    ck_assert_msg(strstr(info.message, "stage 1: the step from knot ") != NULL, "%s", info.message);
    ck_assert_int_lt(info.physical.status, 0);
    ck_assert(!info.physical.goals[0].met);
    release(&p);
}
END_TEST

START_TEST(a_missed_goal_is_named)
{
    push p;
    prepare(&p, -0.08, 0, 0.15, 0, 0);
    const double weak[3] = {1, 1, 0};
    p.task.terms[0].weight = weak;
    ck_assert_int_ge(solve(&p, trx_plan_settings_default()), TRX_OK);
    trx_plan_info info = trx_plan_get_info(p.plan);
    ck_assert(!info.physical.goals[0].met);
    ck_assert(strlen(info.message) > 0);
    release(&p);
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
    ck_assert(timing.rollout > 0 && timing.linearize > 0 && timing.backward > 0);
    ck_assert_int_eq(counter.calls, before);
    release(&p);
    ck_assert_int_eq(counter.outstanding, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/push");
    TCase *cases = tcase_create("push");
    tcase_set_timeout(cases, 300);
    tcase_add_test(cases, a_box_is_pushed_straight);
    tcase_add_test(cases, a_box_is_pushed_diagonally);
    tcase_add_test(cases, a_box_is_pushed_sideways);
    tcase_add_test(cases, a_box_is_pushed_and_turned);
    tcase_add_test(cases, a_box_is_pushed_from_afar);
    tcase_add_test(cases, default_stages_reach_across_the_gap_and_stiffen);
    tcase_add_test(cases, default_stages_at_touch_only_stiffen);
    tcase_add_test(cases, without_pairs_the_only_stage_is_physical);
    tcase_add_test(cases, a_physical_stage_is_added_when_missing);
    tcase_add_test(cases, a_stage_changes_only_its_pairs);
    tcase_add_test(cases, a_gap_without_smoothing_is_named);
    tcase_add_test(cases, a_solve_out_of_time_says_so);
    tcase_add_test(cases, a_start_without_an_orientation_is_refused_any_length_is_taken);
    tcase_add_test(cases, a_stall_names_its_knot);
    tcase_add_test(cases, a_failed_contact_solve_is_named);
    tcase_add_test(cases, a_missed_goal_is_named);
    tcase_add_test(cases, a_push_allocates_nothing);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
