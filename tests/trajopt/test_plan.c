// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Creation of a plan: what it copies, fills in and refuses, what it answers before a solve, and memory that runs out.

#include "trajopt/scenes.h"

#include "trajopt/plan.h"

START_TEST(creation_survives_every_failed_allocation)
{
    trx_context *builder = make_context();
    trx_model *model = push_model(builder);
    push_task task;
    push_task_init(&task, model, -0.1, 0, (double[3]){0.1, 0, 0});
    trx_plan_settings settings = trx_plan_settings_default();
    bool created = false;
    for (int k = 2; !created; k++) {
        counting_allocator counter = {.fail_at = k};
        trx_context_settings counting = counting_settings(&counter);
        trx_context *context;
        ck_assert_int_eq(trx_context_create(&counting, &context), TRX_OK);
        trx_plan *plan;
        trx_status status = trx_plan_create(context, &task.problem, &settings, &plan);
        created = status == TRX_OK;
        if (!created) {
            ck_assert_int_eq(status, TRX_ERR_MEMORY);
            ck_assert_ptr_null(plan);
            ck_assert_ptr_nonnull(strstr(trx_context_message(context), "out of memory"));
        }
        trx_plan_destroy(plan);
        trx_context_destroy(context);
        ck_assert_int_eq(counter.outstanding, 0);
    }
    trx_model_destroy(model);
    trx_context_destroy(builder);
}
END_TEST

START_TEST(a_physical_stage_is_added_when_missing)
{
    push p;
    open_push(&p, -0.08, 0, 0.05, 0, 0);
    trx_stage smooth = trx_stage_default();
    smooth.force_law = TRX_SMOOTHED, smooth.smoothing = 0.005, smooth.stiffness = 200, smooth.stiction_tolerance = 1e-2;
    smooth.iterations = 3;
    p.task.problem.stages = &smooth, p.task.problem.nstage = 1;
    ck_assert_int_ge(solve_push(&p, trx_plan_settings_default()), TRX_OK);
    trx_plan_info info = trx_plan_get_info(p.plan);
    ck_assert_int_eq(info.nstage, 2);
    ck_assert_int_eq(info.stages[0].iterations, 3);
    ck_assert_int_eq(info.stages[0].status, TRX_ITERATION_LIMIT);
    ck_assert_int_eq(info.iterations, info.stages[0].iterations + info.stages[1].iterations);
    assert_close(info.stages[1].cost, info.cost, 1e-6 * info.cost);
    close_push(&p);
}
END_TEST

START_TEST(a_last_physical_stage_is_not_doubled)
{
    push p;
    open_push(&p, -0.08, 0, 0.05, 0, 0);
    trx_stage stages[2] = {trx_stage_default(), physical_stage()};
    stages[0].stiffness = 500;
    p.task.problem.stages = stages, p.task.problem.nstage = 2;
    p.plan = make_plan(p.context, &p.task.problem, trx_plan_settings_default());
    ck_assert_int_eq(trx_plan_get_info(p.plan).nstage, 2);
    ck_assert(!p.plan->stages[0].physical && p.plan->stages[1].physical);

    // the pairs of a stage are written out
    for (int i = 0; i < trx_model_get_size(p.model).npair; i++)
        ck_assert(p.plan->stages[0].pairs[i] == trx_model_pair(p.model, i).actuated);
    close_push(&p);
}
END_TEST

START_TEST(before_a_solve_nothing_is_met)
{
    push p;
    open_push(&p, -0.08, 0, 0.05, 0, 0);
    p.plan = make_plan(p.context, &p.task.problem, trx_plan_settings_default());
    trx_plan_info info = trx_plan_get_info(p.plan);
    ck_assert_int_eq(info.status, TRX_ERR_NO_STEP);
    ck_assert_str_eq(info.message, "");
    ck_assert(isinf(info.cost) && isinf(info.physical.cost) && isinf(info.fine.cost));
    ck_assert_int_eq(info.physical.status, TRX_ERR_NO_STEP);
    ck_assert_int_eq(info.fine.status, TRX_ERR_NO_STEP);
    ck_assert_int_eq(info.ngoal, 2);
    const trx_goal_result *goals = info.physical.goals;
    ck_assert_str_eq(goals[0].name, "box.position");
    ck_assert_str_eq(goals[1].name, "box.orientation");
    ck_assert(goals[0].tolerance == 0.005 && goals[1].tolerance == 0.02);
    ck_assert(!goals[0].met && isinf(goals[0].error) && !info.fine.goals[1].met);
    close_push(&p);
}
END_TEST

START_TEST(a_guess_is_kept_within_the_limits)
{
    // without a guess, controls of zero are the guess
    trx_context *context = make_context();
    trx_model *model = pendulum_model(context, 2);
    const double x0[2] = {0, 0}, guess[3] = {-5, 1, 7}, kept[3] = {-2, 1, 2};
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = model, problem.steps = 3, problem.x0 = x0;
    for (int i = 0; i < 2; i++) {
        problem.u_guess = i ? guess : NULL;
        trx_plan *plan = make_plan(context, &problem, trx_plan_settings_default());
        for (int k = 0; k < 3; k++) ck_assert(plan->u_guess[k] == (i ? kept[k] : 0));
        trx_plan_destroy(plan);
    }
    trx_model_destroy(model);
    trx_context_destroy(context);
}
END_TEST

START_TEST(the_problem_is_copied)
{
    // the arrays of the problem are overwritten before the solve
    double u[2][150];
    for (int spoil = 0; spoil < 2; spoil++) {
        push p;
        open_push(&p, -0.08, 0, 0.05, 0, 0);
        trx_stage stages[1] = {trx_stage_default()};
        bool pairs[8] = {true};
        double guess[150];
        for (int i = 0; i < 150; i++) guess[i] = 0.5;
        stages[0].stiffness = 200, stages[0].iterations = 3, stages[0].pairs = pairs;
        p.task.problem.stages = stages, p.task.problem.nstage = 1, p.task.problem.u_guess = guess;
        p.plan = make_plan(p.context, &p.task.problem, trx_plan_settings_default());
        if (spoil) {
            memset(&p.task, 0x7f, sizeof p.task);
            memset(stages, 0x7f, sizeof stages);
            memset(pairs, 0, sizeof pairs);
            memset(guess, 0x7f, sizeof guess);
        }
        ck_assert_int_ge(trx_plan_solve(p.plan, NULL, NULL), TRX_OK);
        memcpy(u[spoil], trx_plan_controls(p.plan), sizeof u[spoil]);
        close_push(&p);
    }
    ck_assert_int_eq(memcmp(u[0], u[1], sizeof u[0]), 0);
}
END_TEST

START_TEST(a_start_without_an_orientation_is_refused_any_length_is_taken)
{
    double cost[2];
    for (int i = 0; i < 2; i++) {
        push p;
        open_push(&p, -0.12, 0, 0.02, 0, 0);
        double x0[19];
        memcpy(x0, p.task.problem.x0, sizeof x0);
        p.task.problem.x0 = x0;
        x0[3] = 0;
        trx_plan_settings settings = trx_plan_settings_default();
        ck_assert_int_eq(trx_plan_create(p.context, &p.task.problem, &settings, &p.plan), TRX_ERR_ARGUMENT);
        ck_assert_str_eq(trx_context_message(p.context), "x0 has a quaternion of length 0");
        x0[3] = i == 0 ? 1 : 3;
        settings.iterations = 2;
        ck_assert_int_ge(solve_push(&p, settings), TRX_OK);
        cost[i] = trx_plan_get_info(p.plan).cost;
        close_push(&p);
    }
    ck_assert(cost[0] == cost[1]);
}
END_TEST

START_TEST(a_stage_that_cannot_be_simulated_is_refused_at_once)
{
    push p;
    open_push(&p, -0.08, 0, 0.05, 0, 0);
    trx_stage stages[2] = {trx_stage_default(), physical_stage()};
    stages[0].approximation = TRX_SAP;
    p.task.problem.stages = stages, p.task.problem.nstage = 2;
    trx_plan_settings settings = trx_plan_settings_default();
    ck_assert_int_eq(trx_plan_create(p.context, &p.task.problem, &settings, &p.plan), TRX_ERR_ARGUMENT);
    ck_assert_ptr_null(p.plan);
    ck_assert_ptr_nonnull(strstr(trx_context_message(p.context), "sap takes only"));
    ck_assert_int_eq(trx_plan_create(NULL, &p.task.problem, &settings, &p.plan), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_plan_create(p.context, &p.task.problem, &settings, NULL), TRX_ERR_ARGUMENT);
    close_push(&p);
}
END_TEST

// a pendulum whose torque is the activation of an integrator, by every control it has
START_TEST(a_plan_steers_through_an_activation)
{
    static const double w_u[1] = {1e-4}, w_end[1] = {100}, target[1] = {1.2}, x0[3] = {0.1, 0, 0.5};
    trx_context *context = make_context();
    trx_joint_def hinge = joint_of("theta", TRX_JOINT_HINGE, 0, 1, 0);
    trx_body_def pole = trx_body_def_default();
    pole.name = "pole", pole.joints = &hinge, pole.njoint = 1, pole.has_inertia = true;
    pole.inertia.mass = 1, pole.inertia.com[2] = -0.5;
    trx_actuator_def motor = trx_actuator_def_default();
    motor.body = 0, motor.joint = 0, motor.activation.type = TRX_ACTIVATION_INTEGRATOR, motor.activation.early = false;
    trx_model_def def = trx_model_def_default();
    def.bodies = &pole, def.nbody = 1, def.actuators = &motor, def.nactuator = 1;
    trx_model *model = build_model(context, &def);
    const trx_cost_term terms[3] = {
        {.name = "theta", .quantity = TRX_POSITION, .target = target, .weight = w_end, .time = TRX_END, .tolerance = 0.01},
        {.name = "rate", .quantity = TRX_VELOCITY, .weight = w_end, .time = TRX_END, .tolerance = 0.02},
        {.name = "u", .quantity = TRX_CONTROL, .weight = w_u}};
    enum { N = 60 };
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = model, problem.steps = N, problem.x0 = x0, problem.terms = terms, problem.nterm = 3;
    for (int method = 0; method < 2; method++) {
        trx_plan_settings settings = trx_plan_settings_default();
        settings.method = method ? TRX_MULTIPLE_SHOOTING : TRX_ILQR;
        trx_plan *plan = make_plan(context, &problem, settings);
        ck_assert_int_ge(trx_plan_solve(plan, NULL, NULL), 0);
        const trx_plan_info info = trx_plan_get_info(plan);
        ck_assert(info.physical.goals[0].met && info.physical.goals[1].met);

        // the torque at knot k is what the controls before it have added up
        const double *x = trx_plan_states(plan), *u = trx_plan_controls(plan), *K = trx_plan_gains(plan), *A = trx_plan_A(plan);
        double a = x0[2];
        for (int k = 0; k < N; a += 0.01 * u[k++]) assert_close(x[3 * k + 2], a, 1e-12);
        ck_assert(A[1 + 3 * 2] > 0 && A[2 + 3 * 2] == 1 && A[2] == 0);
        ck_assert(fabs(K[2 + 3 * (N / 2)]) > 1e-3);

        // the gradient of the cost against differences
        double cost, grad_u[N], unused[N], grad_x0[3], moved[N], start[3], high, low;
        ck_assert_int_ge(trx_plan_gradient(plan, u, &cost, grad_u, grad_x0), 0);
        memcpy(moved, u, sizeof moved);
        const double e = 1e-5;
        moved[5] = u[5] + e;
        ck_assert_int_ge(trx_plan_gradient(plan, moved, &high, unused, NULL), 0);
        moved[5] = u[5] - e;
        ck_assert_int_ge(trx_plan_gradient(plan, moved, &low, unused, NULL), 0);
        assert_close(grad_u[5], (high - low) / (2 * e), 1e-6);
        for (int i = 0; i < 3; i++) {
            for (int end = 0; end < 2; end++) {
                memcpy(start, x0, sizeof start);
                start[i] += end ? -e : e;
                ck_assert_int_ge(trx_plan_set_start(plan, start, 0), 0);
                ck_assert_int_ge(trx_plan_gradient(plan, u, end ? &low : &high, unused, NULL), 0);
            }
            assert_close(grad_x0[i], (high - low) / (2 * e), 1e-6);
        }
        trx_plan_destroy(plan);
    }
    trx_model_destroy(model);
    trx_context_destroy(context);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/plan");
    TCase *cases = tcase_create("plan");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, a_plan_steers_through_an_activation);
    tcase_add_test(cases, creation_survives_every_failed_allocation);
    tcase_add_test(cases, a_physical_stage_is_added_when_missing);
    tcase_add_test(cases, a_last_physical_stage_is_not_doubled);
    tcase_add_test(cases, before_a_solve_nothing_is_met);
    tcase_add_test(cases, a_guess_is_kept_within_the_limits);
    tcase_add_test(cases, the_problem_is_copied);
    tcase_add_test(cases, a_start_without_an_orientation_is_refused_any_length_is_taken);
    tcase_add_test(cases, a_stage_that_cannot_be_simulated_is_refused_at_once);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
