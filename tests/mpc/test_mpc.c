// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Model predictive control of push_box and of a cart: a plant that is not the model, targets, margins, memory, threads.

#include "loop.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// the clock of this program: the time of every reading is `pace` after the last one
static double pace = 1e-9;

double trx_clock(void)
{
    static double now = 0;
    return now += pace;
}

START_TEST(the_box_arrives_in_a_plant_with_less_friction)
{
    for (int way = SANITIZED; way < 2; way++) {
        loop l;
        begin(&l, "problems/push_box.yaml", NULL);
        trx_sim *plant = plant_of(&l, 0.002, way == 0 ? 0.6 : 1.3);
        run(&l, plant, 1.0, 0.02);
        assert_close(l.x[0], 0.15, 0.01);
        assert_close(l.x[1], 0, 0.005);

        // the horizon shrinks to the end of the task; after the end the box is held there
        const trx_mpc_info info = trx_mpc_get_info(l.mpc);
        ck_assert(info.ticks == 50 && info.failures == 0 && info.late == 0);
        ck_assert_int_eq(trx_plan_get_steps(trx_mpc_plan(l.mpc)), 1);
        ck_assert_int_ge(trx_mpc_update(l.mpc, 1.0, l.x), 0);
        ck_assert_int_eq(trx_plan_get_steps(trx_mpc_plan(l.mpc)), trx_mpc_settings_default().least_horizon);
        trx_sim_destroy(plant);
        end(&l);
    }
}
END_TEST

static const char CART[] = "tractrix: 1\n"
                           "model:\n"
                           "  gravity: [0, 0, 0]\n"
                           "  bodies:\n"
                           "    - name: cart\n"
                           "      joints: [{name: x, type: slide, axis: [1, 0, 0]}]\n"
                           "      inertia: {mass: 1, tensor: [1, 1, 1]}\n"
                           "  actuators: [{joint: x}]\n"
                           "time: {step: 0.02, steps: 60}\n"
                           "cost: [{of: x.position, weight: 1000}, {of: control, weight: 0.001}]\n";

START_TEST(targets_per_knot_move_with_the_time)
{
    enum { KNOTS = 61 };
    loop l;
    double path[KNOTS];
    for (int k = 0; k < KNOTS; k++) path[k] = 0.02 * k; // 1 m/s
    ck_assert_int_eq(trx_context_create(NULL, &l.context), TRX_OK);
    ck_assert_int_eq(trx_problem_load_text(l.context, "cart.yaml", CART, strlen(CART), NULL, &l.problem), TRX_OK);
    trx_plan_settings unused = trx_plan_settings_default();
    ck_assert_int_eq(trx_problem_plan(l.problem, &l.task, &unused), TRX_OK);
    trx_cost_term terms[2] = {l.task.terms[0], l.task.terms[1]};
    terms[0].target = path, terms[0].target_stride = 1;
    l.task.terms = terms;
    trx_mpc_settings settings = trx_mpc_settings_default();
    settings.horizon = 15;
    ck_assert_int_eq(trx_mpc_create(l.context, &l.task, &settings, &l.mpc), TRX_OK);
    memcpy(l.x, l.task.x0, 2 * sizeof *l.x);
    trx_sim *plant = plant_of(&l, 0.02, 1);
    run(&l, plant, 1.2, 0.02);
    assert_close(l.x[0], 1.2, 0.02);
    trx_sim_destroy(plant);
    trx_mpc_destroy(l.mpc);

    // weights per knot cannot move
    double weights[KNOTS];
    for (int k = 0; k < KNOTS; k++) weights[k] = 1000;
    terms[0].weight = weights, terms[0].weight_stride = 1;
    ck_assert_int_eq(trx_mpc_create(l.context, &l.task, &settings, &l.mpc), TRX_ERR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(trx_context_message(l.context), "weights per knot"));

    // nor can limits of some knots
    terms[0].weight_stride = 0;
    const double most = 10;
    trx_limit limit = trx_limit_default();
    limit.term = terms[0];
    limit.term.target = NULL, limit.term.target_stride = 0;
    limit.upper = &most, limit.first = 5, limit.last = 9;
    l.task.limits = &limit, l.task.nlimit = 1;
    ck_assert_int_eq(trx_mpc_create(l.context, &l.task, &settings, &l.mpc), TRX_ERR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(trx_context_message(l.context), "limits of some knots"));
    trx_problem_destroy(l.problem);
    trx_context_destroy(l.context);
}
END_TEST

// a deadline in the past: the result of a tick is the better of two simulations of its guess
static const double NO_TIME = 1e-12;

static void assert_guess(const loop *l, const trx_policy_def *def, int from, int steps)
{
    const trx_policy_def now = trx_policy_get(trx_mpc_policy(l->mpc));
    for (int k = 0; k < steps; k++)
        for (int i = 0; i < l->nu; i++) assert_close(now.u[k * l->nu + i], def->u[(from + k) * l->nu + i], 1e-9);
}

START_TEST(knots_that_enter_come_from_the_first_plan)
{
    loop l;
    trx_policy *whole;
    begin(&l, "problems/push_box.yaml", NULL);
    const trx_policy_def def = trx_policy_get(trx_mpc_policy(l.mpc));
    ck_assert_int_eq(trx_policy_create(l.context, l.task.model, &def, &whole), TRX_OK);
    trx_mpc_destroy(l.mpc);
    trx_mpc_settings settings = trx_mpc_settings_default();
    settings.first = whole, settings.horizon = 10, settings.deadline = NO_TIME;
    ck_assert_int_eq(trx_mpc_create(l.context, &l.task, &settings, &l.mpc), TRX_OK);
    const trx_policy_def first = trx_policy_get(whole);
    for (int knot = 0; knot < 50; knot += SANITIZED ? 12 : 3) {
        ck_assert_int_eq(trx_mpc_update(l.mpc, 0.02 * knot, first.x + knot * l.nx), TRX_TIME_LIMIT);
        assert_guess(&l, &first, knot, knot < 40 ? 10 : 50 - knot);
    }

    // also after ticks that failed, and after a jump past the horizon
    trx_mpc_destroy(l.mpc);
    ck_assert_int_eq(trx_mpc_create(l.context, &l.task, &settings, &l.mpc), TRX_OK);
    ck_assert_int_eq(trx_mpc_update(l.mpc, 0.02, first.x + l.nx), TRX_TIME_LIMIT);
    memcpy(l.x, first.x + 2 * l.nx, sizeof l.x);
    l.x[0] = 1e200;
    ck_assert_int_lt(trx_mpc_update(l.mpc, 0.04, l.x), 0);
    ck_assert_int_eq(trx_mpc_update(l.mpc, 0.06, first.x + 3 * l.nx), TRX_TIME_LIMIT);
    assert_guess(&l, &first, 3, 10);
    ck_assert_int_eq(trx_mpc_update(l.mpc, 0.6, first.x + 30 * l.nx), TRX_TIME_LIMIT);
    assert_guess(&l, &first, 30, 10);
    trx_policy_destroy(whole);
    end(&l);
}
END_TEST

START_TEST(the_planner_takes_finer_steps_than_the_task)
{
    trx_policy *coarse;
    for (int way = 0; way < 2 - SANITIZED; way++) { // the first plan is solved and refined, or given at the task's step
        loop l;
        begin(&l, "problems/push_box.yaml", NULL);
        const trx_policy_def def = trx_policy_get(trx_mpc_policy(l.mpc));
        ck_assert_int_eq(trx_policy_create(l.context, l.task.model, &def, &coarse), TRX_OK);
        trx_mpc_destroy(l.mpc);
        trx_mpc_settings settings = trx_mpc_settings_default();
        settings.refine = 4, settings.horizon = 20, settings.first = way ? coarse : NULL;
        ck_assert_int_eq(trx_mpc_create(l.context, &l.task, &settings, &l.mpc), TRX_OK);
        ck_assert_int_eq(trx_policy_get(trx_mpc_policy(l.mpc)).steps, 200);
        trx_sim *plant = plant_of(&l, 0.002, 0.7);
        run(&l, plant, 1.0, 0.02);
        const trx_policy_def last = trx_policy_get(trx_mpc_policy(l.mpc));
        assert_close(last.time_step, 0.005, 1e-12);
        ck_assert_int_eq(last.steps, 4);
        assert_close(l.x[0], 0.15, 0.01);
        trx_sim_destroy(plant);
        trx_policy_destroy(coarse);
        end(&l);
    }
}
END_TEST

START_TEST(a_plan_with_a_margin_of_friction_serves_a_plant_with_less)
{
    loop l;
    trx_mpc_settings settings = trx_mpc_settings_default();
    settings.friction_margin = 0.25;
    begin(&l, "problems/push_box.yaml", &settings);

    // the box arrives where the pusher has 30 % less friction than the model says
    trx_sim *plant = plant_of(&l, 0.002, 0.7);
    run(&l, plant, 1.0, 0.02);
    assert_close(l.x[0], 0.15, 0.01);
    trx_sim_destroy(plant);
    end(&l);
}
END_TEST

// the pusher is a centimetre away from the box: the physical law has no gradient, a softer one has
START_TEST(softer_stages_find_a_contact_that_is_lost)
{
    for (int soft = SANITIZED; soft < 2; soft++) {
        loop l;
        trx_mpc_settings settings = trx_mpc_settings_default();
        settings.horizon = settings.least_horizon = 30, settings.first_plan = false, settings.soft_stages = 3 * soft;
        begin(&l, "problems/push_box.yaml", &settings);
        l.x[7] = -0.08;
        trx_sim *plant = plant_of(&l, 0.005, 1);
        run(&l, plant, 2.0, 0.05);
        if (soft) assert_close(l.x[0], 0.15, 0.02);
        else assert_close(l.x[0], 0, 1e-3);
        ck_assert_int_eq(trx_mpc_get_info(l.mpc).failures, 0);
        trx_sim_destroy(plant);
        end(&l);
    }
}
END_TEST

// a tick may solve twice, but it has one deadline; it is late by no more than the readings of a few steps
START_TEST(softer_stages_share_the_deadline_of_their_tick)
{
    enum { READINGS = 100 };
    loop l;
    trx_mpc_settings settings = trx_mpc_settings_default();
    settings.first_plan = false, settings.soft_stages = 3, settings.iterations = 50, settings.deadline = READINGS;
    begin(&l, "problems/push_box.yaml", &settings);
    l.x[7] = -0.069; // touches the box
    pace = 1;
    ck_assert_int_ge(trx_mpc_update(l.mpc, 0, l.x), 0);
    pace = 1e-9;
    const double taken = trx_mpc_get_info(l.mpc).seconds;
    ck_assert_double_ge(taken, READINGS);
    assert_below(taken, 1.1 * READINGS);
    end(&l);
}
END_TEST

// the guess of the task has the knots of the task. The planner has more knots, and must not read beyond the guess
START_TEST(a_finer_planner_with_softer_stages_leaves_the_guess_of_the_task_alone)
{
    loop l;
    ck_assert_int_eq(trx_context_create(NULL, &l.context), TRX_OK);
    trx_mpc_settings settings = open_loop(&l, "problems/push_box.yaml");
    settings.refine = 3, settings.soft_stages = 1, settings.first_plan = false;
    const size_t known = (size_t)(l.nu * l.task.steps), planned = 3 * known;
    double *guess = malloc(planned * sizeof *guess);
    ck_assert_ptr_nonnull(guess);
    for (size_t i = 0; i < planned; i++) guess[i] = i < known ? 0.1 : NAN;
    l.task.stages = NULL, l.task.nstage = 0;
    l.task.u_guess = guess;
    ck_assert_int_eq(trx_mpc_create(l.context, &l.task, &settings, &l.mpc), TRX_OK);
    ck_assert_int_ge(trx_mpc_update(l.mpc, 0, l.x), 0);
    free(guess);
    end(&l);
}
END_TEST

START_TEST(a_new_target_is_followed)
{
    loop l;
    trx_mpc_settings settings = trx_mpc_settings_default();
    settings.soft_stages = INT_MAX; // all that there are
    begin(&l, "problems/push_box.yaml", &settings);
    const double goal[3] = {0.2, 0, 0.05};
    ck_assert_int_eq(trx_mpc_set_target(l.mpc, 0, goal), TRX_OK);
    ck_assert_int_eq(trx_mpc_set_target(l.mpc, 5, goal), TRX_OK);
    ck_assert_int_eq(trx_mpc_set_target(l.mpc, 99, goal), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_mpc_set_target(NULL, 0, goal), TRX_ERR_ARGUMENT);
    trx_sim *plant = plant_of(&l, 0.004, 0.9);
    run(&l, plant, 1.0, 0.02);
    assert_close(l.x[0], 0.2, 0.01);
    trx_sim_destroy(plant);
    end(&l);
}
END_TEST

START_TEST(ticks_take_no_memory)
{
    counting_allocator counter = {0};
    trx_context_settings counting = counting_settings(&counter);
    loop l;
    ck_assert_int_eq(trx_context_create(&counting, &l.context), TRX_OK);
    trx_mpc_settings settings = open_loop(&l, "problems/push_box.yaml");
    const trx_policy_settings gains = trx_policy_settings_default();
    settings.latency = 0.01, settings.horizon = 20, settings.gains = &gains, settings.friction_range = 0.2;
    ck_assert_int_eq(trx_mpc_create(l.context, &l.task, &settings, &l.mpc), TRX_OK);
    trx_sim *plant = plant_of(&l, 0.02, 0.8);
    run(&l, plant, 0.04, 0.02);
    const int before = counter.calls;
    run(&l, plant, 0.0, 0.02);
    for (int k = 2; k < (SANITIZED ? 20 : 60); k++) {
        ck_assert_int_ge(trx_mpc_update_late(l.mpc, 0.02 * k, 0.02 * k - 0.001 * (k % 5), l.x), 0);
        ck_assert_int_eq(trx_mpc_control_late(l.mpc, 0.02 * k, 0.02 * k - 0.001 * (k % 3), l.x, l.u), TRX_OK);
        if (k % 7 == 0) ck_assert_int_eq(trx_mpc_restart(l.mpc), TRX_OK);
        ck_assert_int_ge(trx_step(plant, l.x, l.u, l.x), 0);
    }
    ck_assert_int_eq(counter.calls, before);
    trx_sim_destroy(plant);
    end(&l);
    ck_assert_int_eq(counter.outstanding, 0);
}
END_TEST

START_TEST(threads_do_not_change_a_bit)
{
    double x[2][64];
    for (int i = 0; i < 2; i++) {
        loop l;
        ck_assert_int_eq(trx_context_create(NULL, &l.context), TRX_OK);
        trx_mpc_settings settings = open_loop(&l, "problems/push_box.yaml");
        settings.threads = 1 + 2 * i, settings.horizon = 15;
        ck_assert_int_eq(trx_mpc_create(l.context, &l.task, &settings, &l.mpc), TRX_OK);
        trx_sim *plant = plant_of(&l, 0.004, 0.7);
        run(&l, plant, SANITIZED ? 0.1 : 0.5, 0.02);
        memcpy(x[i], l.x, sizeof l.x);
        trx_sim_destroy(plant);
        end(&l);
    }
    ck_assert_mem_eq(x[0], x[1], 19 * sizeof(double));
}
END_TEST

START_TEST(a_loop_is_a_controller_of_trials)
{
    enum { WORLDS = SANITIZED ? 1 : 6 };
    loop l;
    ck_assert_int_eq(trx_context_create(NULL, &l.context), TRX_OK);
    trx_mpc_info ticks = {0};
    trx_mpc_controller from = {.settings = open_loop(&l, "problems/push_box.yaml"), .period = 0.02, .ticks = &ticks};
    from.task = &l.task;
    const trx_controller controller = trx_mpc_as_controller(&from);
    trx_trial_settings settings = trx_trial_settings_default();
    settings.worlds = WORLDS, settings.friction = 0.5;
    trx_trial *trial;
    ck_assert_int_eq(trx_trial_run(l.context, &l.task, &settings, &controller, NULL, NULL, &trial), TRX_OK);
    ck_assert_int_eq(trx_trial_get_info(trial).successes, WORLDS);
    ck_assert(ticks.ticks == 50 && ticks.failures == 0);
    trx_trial_destroy(trial);

    from.period = 0;
    ck_assert_int_eq(trx_trial_run(l.context, &l.task, &settings, &controller, NULL, NULL, &trial), TRX_OK);
    ck_assert_int_eq(trx_trial_get_info(trial).successes, 0);
    ck_assert_int_eq(trx_trial_get_world(trial, 0).status, TRX_ERR_ARGUMENT);
    trx_trial_destroy(trial);
    end(&l);
}
END_TEST

// gains for a delay and for softer contacts in place of the gains of the solver
START_TEST(gains_between_ticks_are_made_as_those_of_a_policy)
{
    loop l;
    ck_assert_int_eq(trx_context_create(NULL, &l.context), TRX_OK);
    trx_mpc_settings settings = open_loop(&l, "problems/push_box.yaml");
    const trx_policy_settings gains = trx_policy_settings_default();
    settings.gains = &gains;
    ck_assert_int_eq(trx_mpc_create(l.context, &l.task, &settings, &l.mpc), TRX_OK);
    trx_sim *plant = plant_of(&l, 0.002, 0.8);
    run(&l, plant, SANITIZED ? 0.1 : 0.3, 0.02);

    trx_policy *made;
    ck_assert_int_eq(trx_policy_of_plan(trx_mpc_plan(l.mpc), &gains, &made), TRX_OK);
    const trx_policy_def acts = trx_policy_get(trx_mpc_policy(l.mpc)), expected = trx_policy_get(made);
    const size_t count = (size_t)(2 * l.nv * l.nu) * (size_t)acts.steps;
    ck_assert_int_eq(acts.steps, expected.steps);
    ck_assert_mem_eq(acts.x, expected.x, (size_t)l.nx * sizeof(double) * ((size_t)acts.steps + 1));
    ck_assert_mem_eq(acts.K, expected.K, count * sizeof(double));
    ck_assert(memcmp(acts.K, trx_plan_gains(trx_mpc_plan(l.mpc)), count * sizeof(double)) != 0);
    trx_policy_destroy(made);
    trx_sim_destroy(plant);
    end(&l);
}
END_TEST

START_TEST(what_is_wrong_is_refused)
{
    loop l;
    ck_assert_int_eq(trx_context_create(NULL, &l.context), TRX_OK);
    const trx_mpc_settings good = open_loop(&l, "problems/push_box.yaml");
    trx_mpc_settings bad[15] = {good, good, good, good, good, good, good, good, good, good, good, good, good, good, good};
    trx_policy_settings gains = trx_policy_settings_default();
    gains.smoothing = -1;
    bad[0].horizon = l.task.steps + 1, bad[1].iterations = 0, bad[2].deadline = 0, bad[3].latency = NAN, bad[4].size = 4;
    bad[5].threads = 65, bad[6].delay = -1, bad[7].refine = 0;
    bad[8].friction_margin = 1, bad[9].soft_stages = -1, bad[10].max_age = INFINITY;
    bad[11].delay = 1e7 * l.task.sim.time_step, bad[11].latency = l.task.sim.time_step;
    bad[12].goal_weight = 0, bad[13].goal_weight = INFINITY;
    bad[14].gains = &gains;
    for (int i = 0; i < 15; i++) {
        ck_assert_int_eq(trx_mpc_create(l.context, &l.task, &bad[i], &l.mpc), TRX_ERR_ARGUMENT);
        ck_assert_ptr_null(l.mpc);
    }
    ck_assert_int_eq(trx_mpc_update(NULL, 0, l.x), TRX_ERR_ARGUMENT);
    end(&l);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mpc/mpc");
    TCase *cases = tcase_create("mpc");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, the_box_arrives_in_a_plant_with_less_friction);
    tcase_add_test(cases, targets_per_knot_move_with_the_time);
    tcase_add_test(cases, knots_that_enter_come_from_the_first_plan);
    tcase_add_test(cases, the_planner_takes_finer_steps_than_the_task);
    tcase_add_test(cases, a_plan_with_a_margin_of_friction_serves_a_plant_with_less);
    tcase_add_test(cases, softer_stages_find_a_contact_that_is_lost);
    tcase_add_test(cases, softer_stages_share_the_deadline_of_their_tick);
    tcase_add_test(cases, a_finer_planner_with_softer_stages_leaves_the_guess_of_the_task_alone);
    tcase_add_test(cases, a_new_target_is_followed);
    tcase_add_test(cases, ticks_take_no_memory);
    tcase_add_test(cases, threads_do_not_change_a_bit);
    tcase_add_test(cases, a_loop_is_a_controller_of_trials);
    tcase_add_test(cases, gains_between_ticks_are_made_as_those_of_a_policy);
    tcase_add_test(cases, what_is_wrong_is_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
