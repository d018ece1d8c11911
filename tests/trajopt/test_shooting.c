// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Multiple shooting: the minimum of iLQR from controls and from states, on a linear system in one step; contact; a result
// that is a simulation however a solve ends; nothing is lost from a known solution; the calls between two solves.

#include "trajopt/scenes.h"

#include "trajopt/plan.h"

enum { STEPS = 50, NSTATE = 19, NX = 18, NU = 3 };

static trx_plan_settings shooting(void)
{
    trx_plan_settings settings = trx_plan_settings_default();
    settings.method = TRX_MULTIPLE_SHOOTING;
    return settings;
}

static bool count_steps(const trx_iteration *line, void *user)
{
    if (line->step > 0) ++*(int *)user;
    return true;
}

// ---- a linear system ----

// a mass on a spring and its plan, from states that have nothing to do with each other
START_TEST(a_linear_system_takes_one_step_from_any_states)
{
    enum { N = 20 };
    trx_context *context = make_context();
    trx_joint_def slide = joint_of("z", TRX_JOINT_SLIDE, 1, 0, 0);
    trx_body_def body = trx_body_def_default();
    slide.stiffness = 3;
    body.name = "mass", body.joints = &slide, body.njoint = 1, body.has_inertia = true, body.inertia.mass = 2;
    trx_actuator_def motor = trx_actuator_def_default();
    motor.body = 0, motor.joint = 0;
    trx_model_def def = trx_model_def_default();
    def.bodies = &body, def.nbody = 1, def.actuators = &motor, def.nactuator = 1;
    trx_model *model = build_model(context, &def);

    const double x0[2] = {1, 0}, weight[1] = {3};
    const trx_cost_term terms[2] = {{.name = "q", .quantity = TRX_POSITION, .weight = weight, .time = TRX_ALL},
                                    {.name = "u", .quantity = TRX_CONTROL, .weight = weight}};
    double states[2 * (N + 1)], cost[2];
    for (int i = 0; i < 2 * (N + 1); i++) states[i] = 5 * trxi_random_normal(1, (uint64_t)i);
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = model, problem.steps = N, problem.x0 = x0, problem.terms = terms, problem.nterm = 2;
    problem.sim.time_step = 0.1;
    for (int method = TRX_ILQR; method <= TRX_MULTIPLE_SHOOTING; method++) {
        int steps = 0;
        trx_plan_settings settings = trx_plan_settings_default();
        settings.method = (trx_method)method, settings.tolerance = 1e-10;
        problem.x_guess = method == TRX_MULTIPLE_SHOOTING ? states : NULL;
        trx_plan *plan = make_plan(context, &problem, settings);
        ck_assert_int_eq(trx_plan_solve(plan, count_steps, &steps), TRX_OK);
        ck_assert_int_eq(steps, 1);
        cost[method] = trx_plan_get_info(plan).cost;
        trx_plan_destroy(plan);
    }
    assert_close(cost[1], cost[0], 1e-9 * cost[0]);
    trx_model_destroy(model);
    trx_context_destroy(context);
}
END_TEST

// ---- a swing-up ----

// states on a straight line to the goal; no controls follow this line
static void fill_way(double *x, int steps)
{
    for (int k = 0; k <= steps; k++) {
        x[2 * k] = 3.14159265358979323846 * k / steps;
        x[2 * k + 1] = 1;
    }
}

START_TEST(controls_and_states_lead_to_the_minimum_of_ilqr)
{
    enum { N = 150 };
    double cost[3], way[2 * (N + 1)];
    fill_way(way, N);
    for (int i = 0; i < 3; i++) {
        trx_plan_settings settings = i == 0 ? trx_plan_settings_default() : shooting();
        settings.tolerance = 1e-9;
        swing_up s = make_swing_up(make_context(), 20, 0.01, N, settings);
        if (i == 2) ck_assert_int_eq(trx_plan_set_guess(s.plan, NULL, way), TRX_OK);
        ck_assert_int_eq(trx_plan_solve(s.plan, NULL, NULL), TRX_OK);
        cost[i] = trx_plan_get_info(s.plan).cost;
        close_swing_up(&s);
    }
    assert_close(cost[1], cost[0], 1e-4 * cost[0]);
    assert_close(cost[2], cost[0], 1e-4 * cost[0]);
}
END_TEST

START_TEST(limits_of_controls_hold_and_are_used)
{
    enum { N = 200 };
    swing_up s = make_swing_up(make_context(), 2, 0.01, N, shooting());
    ck_assert_int_ge(trx_plan_solve(s.plan, NULL, NULL), 0);
    assert_close(max_magnitude(trx_plan_controls(s.plan), N), 2, 0);
    close_swing_up(&s);
}
END_TEST

// ---- a push ----

START_TEST(a_push_meets_its_goals)
{
    push p;
    open_push(&p, -0.08, 0, 0.1, 0, 0);
    ck_assert_int_ge(solve_push(&p, shooting()), 0);
    const trx_plan_info info = trx_plan_get_info(p.plan);
    for (int i = 0; i < info.ngoal; i++) ck_assert_msg(info.physical.goals[i].met, "%s", info.physical.goals[i].name);
    close_push(&p);
}
END_TEST

// the result of one iteration from states that have nothing to do with each other is a simulation, not worse than the guess
START_TEST(the_result_is_a_simulation_however_a_solve_ends)
{
    enum { N = 150 };
    double way[2 * (N + 1)];
    fill_way(way, N);
    for (int limit = 1; limit <= 3; limit++) {
        trx_plan_settings settings = shooting();
        settings.iterations = limit;
        swing_up s = make_swing_up(make_context(), 20, 0.01, N, settings);
        const double idle = 100 * 3.14159265358979323846 * 3.14159265358979323846;
        ck_assert_int_eq(trx_plan_set_guess(s.plan, NULL, way), TRX_OK);
        ck_assert_int_eq(trx_plan_solve(s.plan, NULL, NULL), TRX_ITERATION_LIMIT);
        const trx_plan_info info = trx_plan_get_info(s.plan);
        ck_assert(info.stages[0].cost <= idle * (1 + 1e-12));
        assert_close(info.physical.cost, info.stages[0].cost, 1e-6 * info.stages[0].cost);
        close_swing_up(&s);
    }
}
END_TEST

// a start at the controls and states of iLQR's solution keeps or lowers its cost
START_TEST(a_known_solution_is_kept_or_improved)
{
    push p;
    const trx_stage physical = physical_stage();
    open_push(&p, -0.08, 0.01, 0.1, 0.02, 0.2);
    ck_assert_int_ge(solve_push(&p, trx_plan_settings_default()), 0);
    const double known = trx_plan_get_info(p.plan).cost;
    p.task.problem.stages = &physical, p.task.problem.nstage = 1;
    trx_plan *plan = make_plan(p.context, &p.task.problem, shooting());
    ck_assert_int_eq(trx_plan_set_guess(plan, trx_plan_controls(p.plan), trx_plan_states(p.plan)), TRX_OK);
    ck_assert_int_ge(trx_plan_solve(plan, NULL, NULL), 0);
    ck_assert(trx_plan_get_info(plan).cost <= known * (1 + 1e-9));
    trx_plan_destroy(plan);
    close_push(&p);
}
END_TEST

START_TEST(threads_do_not_change_bits)
{
    static double x[2][NSTATE * (STEPS + 1)], K[2][NU * NX * STEPS];
    for (int i = 0; i < 2; i++) {
        push p;
        trx_plan_settings settings = shooting();
        settings.threads = 1 + 2 * i;
        open_push(&p, -0.10, 0.05, 0.1, 0, 0);
        ck_assert_int_ge(solve_push(&p, settings), 0);
        memcpy(x[i], trx_plan_states(p.plan), sizeof x[i]);
        memcpy(K[i], trx_plan_gains(p.plan), sizeof K[i]);
        close_push(&p);
    }
    ck_assert(memcmp(x[0], x[1], sizeof x[0]) == 0 && memcmp(K[0], K[1], sizeof K[0]) == 0);
}
END_TEST

// ---- between two solves ----

START_TEST(ticks_follow_a_measured_start_and_take_no_memory)
{
    check_ticks(shooting(), 4);
}
END_TEST

// an allocation that fails in a create is reported, and nothing is lost
START_TEST(every_allocation_of_a_plan_may_fail)
{
    for (int fail = 1;; fail++) {
        counting_allocator counter = {0};
        trx_context_settings counting = counting_settings(&counter);
        trx_context *context;
        ck_assert_int_eq(trx_context_create(&counting, &context), TRX_OK);
        trx_model *model = push_model(context);
        push_task task;
        push_task_init(&task, model, -0.08, 0, (double[3]){0.1, 0, 0});
        trx_plan *plan = NULL;
        const trx_plan_settings settings = shooting();
        counter.fail_at = counter.calls + fail;
        const trx_status status = trx_plan_create(context, &task.problem, &settings, &plan);
        counter.fail_at = 0;
        trx_plan_destroy(plan);
        trx_model_destroy(model);
        trx_context_destroy(context);
        ck_assert_int_eq(counter.outstanding, 0);
        if (status == TRX_OK) break;
        ck_assert_int_eq(status, TRX_ERR_MEMORY);
        ck_assert_int_lt(fail, 100);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/shooting");
    TCase *cases = tcase_create("shooting");
    tcase_add_test(cases, a_linear_system_takes_one_step_from_any_states);
    tcase_add_test(cases, controls_and_states_lead_to_the_minimum_of_ilqr);
    tcase_add_test(cases, limits_of_controls_hold_and_are_used);
    tcase_add_test(cases, a_push_meets_its_goals);
    tcase_add_test(cases, the_result_is_a_simulation_however_a_solve_ends);
    tcase_add_test(cases, a_known_solution_is_kept_or_improved);
    tcase_add_test(cases, threads_do_not_change_bits);
    tcase_add_test(cases, ticks_follow_a_measured_start_and_take_no_memory);
    tcase_add_test(cases, every_allocation_of_a_plan_may_fail);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
