// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Changes between two solves: an edited plan equals a plan created with the change, to the bit; what is refused changes
// nothing; a shifted plan goes on where the old one was; nothing takes memory.

#include "trajopt/scenes.h"

#include "trajopt/plan.h"

enum { STEPS = 50, NSTATE = 19, NX = 18, NU = 3 };

static trx_plan *solved(trx_plan *plan)
{
    ck_assert_int_ge(trx_plan_solve(plan, NULL, NULL), 0);
    return plan;
}

static void assert_same_result(const trx_plan *a, const trx_plan *b)
{
    ck_assert_int_eq(memcmp(trx_plan_controls(a), trx_plan_controls(b), NU * STEPS * sizeof(double)), 0);
    ck_assert_int_eq(memcmp(trx_plan_states(a), trx_plan_states(b), NSTATE * (STEPS + 1) * sizeof(double)), 0);
    ck_assert(trx_plan_get_info(a).cost == trx_plan_get_info(b).cost);
    ck_assert_int_eq(trx_plan_get_info(a).iterations, trx_plan_get_info(b).iterations);
}

// one smoothed stage, so that a plan does not depend on the stages that its start would choose
static void use_one_stage(push *p, trx_stage *stage)
{
    *stage = trx_stage_default();
    stage->force_law = TRX_SMOOTHED, stage->smoothing = 0.005, stage->stiffness = 200, stage->stiction_tolerance = 1e-2;
    p->task.problem.stages = stage, p->task.problem.nstage = 1;
}

// by one thread and by three
START_TEST(an_edited_plan_is_the_plan_made_so)
{
    push p, q;
    trx_stage stage;
    trx_plan_settings settings = trx_plan_settings_default();
    double guess[NU * STEPS];
    settings.iterations = SANITIZED ? 4 : 12, settings.threads = _i == 0 ? 1 : 3;
    for (int i = 0; i < NU * STEPS; i++) guess[i] = 0.3 * trxi_random_normal(4, (uint64_t)i) + (i == 5 ? 100 : 0);
    open_push(&p, -0.10, 0.02, 0.1, 0, 0.1);
    use_one_stage(&p, &stage);
    p.task.problem.u_guess = guess;
    p.plan = solved(make_plan(p.context, &p.task.problem, settings));

    open_push(&q, -0.08, 0, 0.05, 0.03, 0);
    use_one_stage(&q, &stage);
    q.plan = solved(make_plan(q.context, &q.task.problem, settings));
    double x0[NSTATE];
    memcpy(x0, p.task.x0, sizeof x0);
    for (int i = 3; i < 7; i++) x0[i] *= 7; // any length of a quaternion is taken
    ck_assert_int_eq(trx_plan_set_start(q.plan, x0, 0), TRX_OK);
    ck_assert_int_eq(trx_plan_set_guess(q.plan, guess, NULL), TRX_OK);
    const int position[2] = {0, 3}, turn[2] = {1, 4};
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(trx_plan_set_target(q.plan, position[i], p.task.box, 0), TRX_OK);
        ck_assert_int_eq(trx_plan_set_target(q.plan, turn[i], p.task.quat, 0), TRX_OK);
    }
    solved(q.plan);
    assert_same_result(p.plan, q.plan);
    ck_assert(max_magnitude(trx_plan_controls(q.plan), NU * STEPS) <= 20);
    close_push(&p);
    close_push(&q);
}
END_TEST

START_TEST(what_is_refused_changes_nothing_and_is_named)
{
    push p;
    trx_stage stage;
    trx_plan_settings settings = trx_plan_settings_default();
    double x0[NSTATE], x[NSTATE * (STEPS + 1)], u[NU * STEPS] = {0}, target[3] = {0, NAN, 0}, first[NU * STEPS];
    settings.iterations = 3;
    open_push(&p, -0.08, 0, 0.05, 0, 0);
    use_one_stage(&p, &stage);
    p.plan = make_plan(p.context, &p.task.problem, settings);
    const char *message = trx_context_message(p.context);
    ck_assert_int_eq(trx_plan_shift(p.plan, 1), TRX_ERR_NO_STEP);
    ck_assert_ptr_nonnull(strstr(message, "trx_plan_shift"));
    solved(p.plan);
    memcpy(first, trx_plan_controls(p.plan), sizeof first);
    memcpy(x0, p.task.x0, sizeof x0);
    memcpy(x, trx_plan_states(p.plan), sizeof x);

    ck_assert_int_eq(trx_plan_set_start(NULL, x0, 0), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_plan_set_start(p.plan, NULL, 0), TRX_ERR_ARGUMENT);
    ck_assert_str_eq(message, "x0 is NULL");
    ck_assert_int_eq(trx_plan_set_start(p.plan, x0, INFINITY), TRX_ERR_NOT_FINITE);
    ck_assert_str_eq(message, "the start time is not finite");
    x0[8] = NAN;
    ck_assert_int_eq(trx_plan_set_start(p.plan, x0, 0), TRX_ERR_NOT_FINITE);
    x0[8] = 0;
    memset(x0 + 3, 0, 4 * sizeof *x0);
    ck_assert_int_eq(trx_plan_set_start(p.plan, x0, 0), TRX_ERR_ARGUMENT);
    ck_assert_str_eq(message, "x0 has a quaternion of length 0");

    u[7] = INFINITY;
    ck_assert_int_eq(trx_plan_set_guess(p.plan, u, NULL), TRX_ERR_NOT_FINITE);
    memset(x + 20 * NSTATE + 3, 0, 4 * sizeof *x);
    ck_assert_int_eq(trx_plan_set_guess(p.plan, NULL, x), TRX_ERR_ARGUMENT);
    ck_assert_str_eq(message, "knot 20 of the guess has a quaternion of length 0");

    ck_assert_int_eq(trx_plan_set_target(p.plan, PUSH_TERMS, target, 0), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_plan_set_target(p.plan, 0, NULL, 0), TRX_ERR_ARGUMENT);
    ck_assert_str_eq(message, "the target is NULL");
    ck_assert_int_eq(trx_plan_set_target(p.plan, 0, target, 0), TRX_ERR_ARGUMENT);
    ck_assert_str_eq(message, "cost term 0 (box.position): target must be finite");
    ck_assert_int_eq(trx_plan_set_target(p.plan, 0, x, 3), TRX_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(message, "one target for all knots"));
    ck_assert_int_eq(trx_plan_shift(p.plan, -1), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_plan_shift(p.plan, STEPS + 1), TRX_ERR_ARGUMENT);

    solved(p.plan);
    ck_assert_int_eq(memcmp(first, trx_plan_controls(p.plan), sizeof first), 0);
    close_push(&p);
}
END_TEST

START_TEST(targets_per_knot_are_replaced_one_by_one_or_by_one_for_all)
{
    mixed_scene f = open_mixed();
    const trx_stage physical = physical_stage();
    const double w[3] = {1, 2, 3}, other[3] = {5, 6, 7};
    double targets[4 * 5], x[64], u[2] = {0}, r[3], r_zero[3];
    for (int i = 0; i < 20; i++) targets[i] = 0.1 * i;
    trx_cost_term along = {.name = "ship", .quantity = TRX_BODY_POSITION, .target = targets, .target_stride = 5, .weight = w};
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = f.model, problem.steps = 3, problem.x0 = f.x0;
    problem.terms = &along, problem.nterm = 1, problem.stages = &physical, problem.nstage = 1;
    trx_plan *plan = make_plan(f.context, &problem, trx_plan_settings_default());
    memcpy(x, f.x, sizeof x);
    const double zero[3] = {0, 0, 0};
    ck_assert_int_eq(trx_plan_set_target(plan, 0, zero, 0), TRX_OK);
    ck_assert_int_eq(trx_plan_residual(plan, 0, 3, x, NULL, r_zero), TRX_OK);
    for (int k = 0; k <= 3; k++) {
        ck_assert_int_eq(trx_plan_set_target(plan, 0, targets, 5), TRX_OK);
        ck_assert_int_eq(trx_plan_residual(plan, 0, k, x, u, r), TRX_OK);
        for (int i = 0; i < 3; i++) assert_close(r[i], r_zero[i] - targets[5 * k + i], 1e-14);
        ck_assert_int_eq(trx_plan_set_target(plan, 0, other, 0), TRX_OK);
        ck_assert_int_eq(trx_plan_residual(plan, 0, k, x, u, r), TRX_OK);
        for (int i = 0; i < 3; i++) assert_close(r[i], r_zero[i] - other[i], 1e-14);
    }
    ck_assert_int_eq(trx_plan_set_target(plan, 0, targets, 2), TRX_ERR_ARGUMENT);
    trx_plan_destroy(plan);
    close_mixed(&f);
}
END_TEST

START_TEST(a_shifted_plan_goes_on_where_it_was)
{
    enum { SHIFT = 7, KEPT = STEPS - SHIFT };
    push p;
    double x[NSTATE * (STEPS + 1)], u[NU * STEPS], K[NU * NX * STEPS];
    open_push(&p, -0.08, 0.01, 0.08, 0, 0.1);
    ck_assert_int_ge(solve_push(&p, trx_plan_settings_default()), 0);
    memcpy(x, trx_plan_states(p.plan), sizeof x);
    memcpy(u, trx_plan_controls(p.plan), sizeof u);
    memcpy(K, trx_plan_gains(p.plan), sizeof K);
    ck_assert_int_eq(trx_plan_shift(p.plan, 3), TRX_OK);
    ck_assert_int_eq(trx_plan_shift(p.plan, SHIFT - 3), TRX_OK);
    ck_assert_int_eq(memcmp(trx_plan_states(p.plan), x + NSTATE * SHIFT, NSTATE * (KEPT + 1) * sizeof *x), 0);
    ck_assert_int_eq(memcmp(trx_plan_controls(p.plan), u + NU * SHIFT, NU * KEPT * sizeof *u), 0);
    ck_assert_int_eq(memcmp(trx_plan_gains(p.plan), K + NU * NX * SHIFT, NU * NX * KEPT * sizeof *K), 0);
    for (int k = KEPT; k < STEPS; k++) {
        ck_assert_int_eq(memcmp(trx_plan_controls(p.plan) + NU * k, u + NU * (STEPS - 1), NU * sizeof *u), 0);
        ck_assert_int_eq(memcmp(trx_plan_states(p.plan) + NSTATE * (k + 1), x + NSTATE * STEPS, NSTATE * sizeof *x), 0);
    }

    // the start is the state and the time of the new first knot
    assert_close(p.plan->rollout.start_time, 0.02 * SHIFT, 1e-15);
    ck_assert_int_eq(memcmp(p.plan->rollout.x0, x + NSTATE * SHIFT, NSTATE * sizeof *x), 0);
    solved(p.plan);
    ck_assert_int_eq(memcmp(trx_plan_states(p.plan), x + NSTATE * SHIFT, NSTATE * sizeof *x), 0);
    ck_assert_int_eq(trx_plan_shift(p.plan, STEPS), TRX_OK);
    for (int k = 1; k < STEPS; k++)
        ck_assert_int_eq(memcmp(trx_plan_controls(p.plan), trx_plan_controls(p.plan) + NU * k, NU * sizeof *u), 0);
    close_push(&p);
}
END_TEST

// from a state beside the plan, the controls of the shifted plan cost less with its gains than alone
START_TEST(a_shifted_plan_is_followed_by_its_gains)
{
    push p;
    const trx_stage physical = physical_stage();
    double cost[2];
    for (int shifted = 0; shifted < 2; shifted++) {
        double x0[NSTATE];
        open_push(&p, -0.08, 0, 0.1, 0, 0);
        ck_assert_int_ge(solve_push(&p, trx_plan_settings_default()), 0);
        trx_plan_settings settings = trx_plan_settings_default();
        settings.time_limit = 1e-9;
        p.task.problem.stages = &physical, p.task.problem.nstage = 1;
        trx_plan *tick = make_plan(p.context, &p.task.problem, settings);
        ck_assert_int_eq(trx_plan_set_guess(tick, trx_plan_controls(p.plan), trx_plan_states(p.plan)), TRX_OK);
        ck_assert_int_eq(trx_plan_solve(tick, NULL, NULL), TRX_TIME_LIMIT);
        if (shifted) ck_assert_int_eq(trx_plan_shift(tick, 0), TRX_OK);
        memcpy(x0, p.task.x0, sizeof x0);
        x0[8] += 0.01;
        ck_assert_int_eq(trx_plan_set_start(tick, x0, 0), TRX_OK);
        ck_assert_int_eq(trx_plan_solve(tick, NULL, NULL), TRX_TIME_LIMIT);
        cost[shifted] = trx_plan_get_info(tick).stages[0].cost;
        trx_plan_destroy(tick);
        close_push(&p);
    }
    ck_assert_msg(cost[1] < 0.8 * cost[0], "%g with gains, %g without", cost[1], cost[0]);
}
END_TEST

// a force acts from 50 ms on: in a plan from 0 s half way, in a plan from 60 ms at once. One thread and three
START_TEST(a_shorter_plan_is_the_plan_made_so)
{
    push p, q;
    trx_stage stage;
    trx_plan_settings settings = trx_plan_settings_default();
    settings.iterations = SANITIZED ? 4 : 12, settings.threads = _i == 0 ? 1 : 3;
    const int shorter = 30;
    open_push(&p, -0.08, 0.01, 0.05, 0, 0.1);
    use_one_stage(&p, &stage);
    p.plan = solved(make_plan(p.context, &p.task.problem, settings));
    ck_assert_int_eq(trx_plan_set_steps(p.plan, 0), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_plan_set_steps(p.plan, STEPS + 1), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_plan_set_steps(p.plan, shorter), TRX_OK);
    ck_assert_int_eq(trx_plan_set_guess(p.plan, NULL, NULL), TRX_OK);
    solved(p.plan);

    open_push(&q, -0.08, 0.01, 0.05, 0, 0.1);
    use_one_stage(&q, &stage);
    q.task.problem.steps = shorter;
    q.plan = solved(make_plan(q.context, &q.task.problem, settings));
    ck_assert_int_eq(memcmp(trx_plan_controls(p.plan), trx_plan_controls(q.plan), NU * (size_t)shorter * sizeof(double)), 0);
    ck_assert_int_eq(memcmp(trx_plan_states(p.plan), trx_plan_states(q.plan), NSTATE * (size_t)(shorter + 1) * sizeof(double)), 0);
    ck_assert(trx_plan_get_info(p.plan).physical.goals[0].error == trx_plan_get_info(q.plan).physical.goals[0].error);

    // longer again: the last knot is repeated
    ck_assert_int_eq(trx_plan_set_steps(p.plan, STEPS), TRX_OK);
    const double *u = trx_plan_controls(p.plan), *x = trx_plan_states(p.plan);
    for (int k = shorter; k < STEPS; k++) ck_assert_mem_eq(u + NU * k, u + NU * (shorter - 1), NU * sizeof *u);
    ck_assert_mem_eq(x + NSTATE * STEPS, x + NSTATE * shorter, NSTATE * sizeof *x);
    close_push(&p);
    close_push(&q);
}
END_TEST

START_TEST(a_start_has_a_time)
{
    trx_context *context = make_context();
    trx_joint_def slide = joint_of("z", TRX_JOINT_SLIDE, 0, 0, 1);
    trx_body_def body = trx_body_def_default();
    body.name = "mass", body.joints = &slide, body.njoint = 1, body.has_inertia = true, body.inertia.mass = 1;
    trx_actuator_def motor = trx_actuator_def_default();
    motor.body = 0, motor.joint = 0;
    trx_load_def load = trx_load_def_default();
    load.body = 0, load.force[2] = 30, load.start = 0.05;
    trx_model_def def = trx_model_def_default();
    def.bodies = &body, def.nbody = 1, def.actuators = &motor, def.nactuator = 1, def.loads = &load, def.nload = 1;
    trx_model *model = build_model(context, &def);

    const trx_stage physical = physical_stage();
    const double x0[2] = {1, 0}, times[2] = {0, 0.06};
    double end[2];
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = model, problem.steps = 10, problem.x0 = x0, problem.stages = &physical, problem.nstage = 1;
    trx_plan *plan = make_plan(context, &problem, trx_plan_settings_default());
    trx_sim *sim;
    ck_assert_int_eq(trx_sim_create(context, model, &problem.sim, &sim), TRX_OK);
    for (int i = 0; i < 2; i++) {
        double x[2] = {1, 0};
        ck_assert_int_eq(trx_plan_set_start(plan, x0, times[i]), TRX_OK);
        ck_assert_int_eq(trx_plan_solve(plan, NULL, NULL), TRX_OK);
        for (int k = 0; k < 10; k++) {
            trx_sim_set_time(sim, times[i] + k * problem.sim.time_step);
            ck_assert_int_ge(trx_step(sim, x, NULL, x), TRX_OK);
            assert_below(max_difference(x, trx_plan_states(plan) + 2 * (k + 1), 2), 1e-12);
        }
        end[i] = x[0];
    }
    ck_assert(end[1] > end[0] + 0.05);
    trx_sim_destroy(sim);
    trx_plan_destroy(plan);
    trx_model_destroy(model);
    trx_context_destroy(context);
}
END_TEST

START_TEST(ticks_take_no_memory)
{
    counting_allocator counter = {0};
    trx_context_settings counting = counting_settings(&counter);
    push p;
    double x0[NSTATE];
    ck_assert_int_eq(trx_context_create(&counting, &p.context), TRX_OK);
    p.model = push_model(p.context);
    push_task_init(&p.task, p.model, -0.08, 0.01, (double[3]){0.1, 0, 0.2});
    trx_plan_settings settings = trx_plan_settings_default();
    settings.max_iterations = 8, settings.judge = false;
    p.plan = make_plan(p.context, &p.task.problem, settings);
    memcpy(x0, p.task.x0, sizeof x0);
    const int before = counter.calls;
    ck_assert_int_ge(trx_plan_solve(p.plan, NULL, NULL), TRX_OK);
    for (int tick = 0; tick < 4; tick++) {
        const trx_contact *contacts;
        p.task.box[0] += 0.01;
        ck_assert_int_eq(trx_plan_shift(p.plan, 1), TRX_OK);
        memcpy(x0, trx_plan_states(p.plan), sizeof x0);
        x0[7] += 1e-3;
        ck_assert_int_eq(trx_plan_set_start(p.plan, x0, 0.02 * tick), TRX_OK);
        ck_assert_int_eq(trx_plan_set_target(p.plan, 0, p.task.box, 0), TRX_OK);
        ck_assert_int_ge(trx_plan_solve(p.plan, NULL, NULL), TRX_OK);
        ck_assert_int_ge(trx_plan_contacts(p.plan, 3, &contacts), 1);
    }
    ck_assert_int_eq(trx_plan_set_guess(p.plan, trx_plan_controls(p.plan), trx_plan_states(p.plan)), TRX_OK);
    ck_assert_int_ge(trx_plan_judge(p.plan), TRX_OK);
    ck_assert_int_eq(counter.calls, before);
    close_push(&p);
    ck_assert_int_eq(counter.outstanding, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/plan_edit");
    TCase *cases = tcase_create("plan_edit");
    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, an_edited_plan_is_the_plan_made_so, 0, 2);
    tcase_add_loop_test(cases, a_shorter_plan_is_the_plan_made_so, 0, 2);
    tcase_add_test(cases, what_is_refused_changes_nothing_and_is_named);
    tcase_add_test(cases, targets_per_knot_are_replaced_one_by_one_or_by_one_for_all);
    tcase_add_test(cases, a_shifted_plan_goes_on_where_it_was);
    tcase_add_test(cases, a_shifted_plan_is_followed_by_its_gains);
    tcase_add_test(cases, a_start_has_a_time);
    tcase_add_test(cases, ticks_take_no_memory);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
