// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Model predictive control of push_box and of a cart: a plant that is not the model, delays, faults, memory, threads.

#include "support/support.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tractrix/tractrix.h>

typedef struct loop {
    trx_context *context;
    trx_problem *problem;
    trx_plan_problem task;
    trx_mpc *mpc;
    int nq, nv, nu, nx;
    double x[64], u[32];
} loop;

static trx_mpc_settings open_loop(loop *l, const char *path)
{
    trx_plan_settings unused = trx_plan_settings_default();
    ck_assert_int_eq(trx_problem_load(l->context, path, NULL, &l->problem), TRX_OK);
    l->task = trx_plan_problem_default();
    ck_assert_int_eq(trx_problem_plan(l->problem, &l->task, &unused), TRX_OK);
    const trx_model_size size = trx_model_get_size(l->task.model);
    l->nq = size.nq, l->nv = size.nv, l->nu = size.nu, l->nx = size.nq + size.nv;
    memcpy(l->x, l->task.x0, (size_t)l->nx * sizeof *l->x);
    l->mpc = NULL;
    return trx_mpc_settings_default();
}

static void begin(loop *l, const char *path, const trx_mpc_settings *settings)
{
    ck_assert_int_eq(trx_context_create(NULL, &l->context), TRX_OK);
    const trx_mpc_settings defaults = open_loop(l, path);
    ck_assert_int_eq(trx_mpc_create(l->context, &l->task, settings ? settings : &defaults, &l->mpc), TRX_OK);
}

static void end(loop *l)
{
    trx_mpc_destroy(l->mpc);
    trx_problem_destroy(l->problem);
    trx_context_destroy(l->context);
}

// a plant with its own time step and scaled friction
static trx_sim *plant_of(const loop *l, double time_step, double friction)
{
    trx_sim *sim;
    trx_sim_settings settings = l->task.sim;
    settings.time_step = time_step;
    ck_assert_int_eq(trx_sim_create(l->context, l->task.model, &settings, &sim), TRX_OK);
    for (int i = 0; i < trx_model_get_size(l->task.model).npair; i++) {
        trx_pair_law law = trx_sim_pair_law(sim, i);
        law.friction *= friction;
        ck_assert_int_eq(trx_sim_set_pair_law(sim, i, &law), TRX_OK);
    }
    return sim;
}

// runs the plant to the time `until`, with an update every `period`
static void run(loop *l, trx_sim *plant, double until, double period)
{
    const double h = trx_sim_get_settings(plant).time_step;
    for (int k = 0; k * h < until - 0.5 * h; k++) {
        const double t = k * h;
        if (fabs(remainder(t, period)) < 0.5 * h) ck_assert_int_ge(trx_mpc_update(l->mpc, t, l->x), 0);
        ck_assert_int_eq(trx_policy_control(trx_mpc_policy(l->mpc), t, l->x, l->u), TRX_OK);
        const trx_step_input input = {.time = t, .x = l->x, .u = l->u};
        ck_assert_int_ge(trx_step_from(plant, &input, l->x), 0);
    }
}

START_TEST(the_box_arrives_in_a_plant_with_less_friction)
{
    for (int way = 0; way < 2; way++) {
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

START_TEST(the_state_is_predicted_over_the_latency)
{
    loop l;
    ck_assert_int_eq(trx_context_create(NULL, &l.context), TRX_OK);
    trx_mpc_settings settings = open_loop(&l, "problems/push_box.yaml");
    enum { LATE = 10 };
    const double h = l.task.sim.time_step / 5; // that of the prediction
    settings.latency = LATE * h;
    ck_assert_int_eq(trx_mpc_create(l.context, &l.task, &settings, &l.mpc), TRX_OK);
    trx_sim *plant = plant_of(&l, h, 1);
    l.x[7] -= 0.01; // off the first plan
    for (int tick = 0; tick < 8; tick++) {
        const double measured_at = tick * LATE * h;
        double measured[64];
        memcpy(measured, l.x, sizeof measured);
        for (int k = 0; k < LATE; k++) { // meanwhile the old policy acts
            const double t = measured_at + k * h;
            ck_assert_int_eq(trx_policy_control(trx_mpc_policy(l.mpc), t, l.x, l.u), TRX_OK);
            const trx_step_input input = {.time = t, .x = l.x, .u = l.u};
            ck_assert_int_ge(trx_step_from(plant, &input, l.x), 0);
        }
        ck_assert_int_ge(trx_mpc_update(l.mpc, measured_at, measured), 0);
        const trx_policy_def def = trx_policy_get(trx_mpc_policy(l.mpc));
        assert_close(def.start_time, measured_at + LATE * h, 1e-12);
        for (int i = 0; i < l.nx; i++) assert_close(def.x[i], l.x[i], 1e-7);
    }
    trx_sim_destroy(plant);
    end(&l);
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
    for (int knot = 0; knot < 50; knot += 3) {
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
    for (int way = 0; way < 2; way++) { // solved and refined; given at the task's step
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

// a plant whose commands act late; its steps are those of the prediction
START_TEST(commands_that_are_on_their_way_are_predicted)
{
    enum { SLOTS = 5 };
    loop l;
    ck_assert_int_eq(trx_context_create(NULL, &l.context), TRX_OK);
    trx_mpc_settings settings = open_loop(&l, "problems/push_box.yaml");
    settings.delay = 0.02;
    ck_assert_int_eq(trx_mpc_create(l.context, &l.task, &settings, &l.mpc), TRX_OK);
    const double h = 0.004;
    trx_sim *plant = plant_of(&l, h, 1);
    double waiting[SLOTS][32] = {{0}}, predicted[64];
    l.x[7] -= 0.01; // off the first plan
    for (int k = 0; k < 250; k++) {
        const double t = k * h;
        if (k % SLOTS == 0) {
            for (int i = 0; k > SLOTS && i < l.nx; i++) assert_close(predicted[i], l.x[i], 1e-7);
            ck_assert_int_ge(trx_mpc_update(l.mpc, t, l.x), 0);
            const trx_policy_def def = trx_policy_get(trx_mpc_policy(l.mpc));
            assert_close(def.start_time, t + settings.delay, 1e-12);
            memcpy(predicted, def.x, (size_t)l.nx * sizeof *predicted);
        }
        // the plant gets what was sent a delay ago, and at first the first command
        double *slot = waiting[k % SLOTS];
        memcpy(l.u, slot, sizeof l.u);
        ck_assert_int_eq(trx_mpc_control(l.mpc, t, l.x, slot), TRX_OK);
        if (k < SLOTS) memcpy(l.u, waiting[0], sizeof l.u);
        const trx_step_input input = {.time = t, .x = l.x, .u = l.u};
        ck_assert_int_ge(trx_step_from(plant, &input, l.x), 0);
    }
    assert_close(l.x[0], 0.15, 0.01);
    trx_sim_destroy(plant);
    end(&l);
}
END_TEST

static void assert_policy_is(const trx_policy *policy, const double *u, const double *x, int nu, int nx)
{
    const trx_policy_def def = trx_policy_get(policy);
    ck_assert_mem_eq(def.u, u, (size_t)nu * sizeof *u);
    ck_assert_mem_eq(def.x, x, (size_t)nx * sizeof *x);
}

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
    for (int soft = 0; soft < 2; soft++) {
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

// the guess of the task has the knots of the task: nothing behind them is read, though the planner has more
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
    settings.soft_stages = 1;
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

// a measurement as a broken sensor or clock gives it
static double break_measurement(const loop *l, int i, double t, double *x)
{
    const int kind = (int)(7 * trxi_random_uniform(1, (uint64_t)i)), at = (int)(l->nx * trxi_random_uniform(2, (uint64_t)i));
    const double random = trxi_random_normal(3, (uint64_t)i);
    if (kind == 0) x[at] = i % 2 ? NAN : -INFINITY;
    if (kind == 1) x[at] = 1e200;
    if (kind == 2) t = -1 - fabs(random);
    if (kind == 3) t = i % 2 ? NAN : INFINITY;
    if (kind == 4) x[at] += 1e3 * random;
    if (kind == 5) t -= 0.3 * fabs(random) + 0.05;
    if (kind == 6) t += 0.01 * fabs(random), x[at] += 0.1 * random;
    return t;
}

START_TEST(a_thousand_faults_keep_the_last_policy)
{
    loop l;
    trx_mpc_settings settings = trx_mpc_settings_default();
    settings.horizon = 12, settings.iterations = 1, settings.delay = 0.005;
    begin(&l, "problems/push_box.yaml", &settings);
    trx_sim *plant = plant_of(&l, 0.02, 1);
    run(&l, plant, 0.2, 0.02);
    int failures = 0, refused = 0;
    for (int i = 0; i < 1000; i++) {
        const trx_policy_def before = trx_policy_get(trx_mpc_policy(l.mpc));
        const double now = 0.2 + 0.0005 * i;
        double u[8], x[64], bad[64], command[8] = {7, 7, 7};
        memcpy(u, before.u, (size_t)l.nu * sizeof *u);
        memcpy(x, before.x, (size_t)l.nx * sizeof *x);
        memcpy(bad, l.x, sizeof bad);
        const double t = break_measurement(&l, i, now, bad);
        const bool finite = isfinite(t) && isfinite(bad[0] + bad[1] + bad[2] + bad[3] + bad[4] + bad[5] + bad[6] + bad[7] + bad[8] +
                                                   bad[9] + bad[10] + bad[11] + bad[12] + bad[13] + bad[14] + bad[15] + bad[16] +
                                                   bad[17] + bad[18]);
        const trx_status status = trx_mpc_update(l.mpc, t, bad);
        if (!finite) ck_assert_int_eq(status, TRX_ERR_NOT_FINITE);
        if (t < now - 0.1) ck_assert_int_lt(status, 0);
        if (status < 0) assert_policy_is(trx_mpc_policy(l.mpc), u, x, l.nu, l.nx);
        failures += status < 0;

        // a command for the broken state is within the limits, or there is none
        const trx_status answered = trx_mpc_control(l.mpc, t, bad, command);
        if (!finite) ck_assert_int_lt(answered, 0);
        if (answered < 0) ck_assert(command[0] == 7 && command[1] == 7 && command[2] == 7);
        refused += answered < 0;
        for (int k = 0; k < l.nu; k++) ck_assert(fabs(command[k]) <= 20);

        // the policy's command for the true state is within the limits, whatever has happened
        ck_assert_int_eq(trx_policy_control(trx_mpc_policy(l.mpc), now, l.x, l.u), TRX_OK);
        for (int k = 0; k < l.nu; k++) ck_assert(fabs(l.u[k]) <= 20);
    }
    ck_assert(failures > 500 && refused > 200);
    ck_assert_int_eq(trx_mpc_get_info(l.mpc).failures, failures);

    // a good measurement is all that the loop needs to go on
    ck_assert_int_ge(trx_mpc_update(l.mpc, 0.8, l.x), 0);
    ck_assert_int_ge(trx_mpc_control(l.mpc, 0.8, l.x, l.u), 0);
    trx_sim_destroy(plant);
    end(&l);
}
END_TEST

START_TEST(a_jump_of_the_time_begins_from_the_first_plan)
{
    loop l;
    begin(&l, "problems/push_box.yaml", NULL);
    ck_assert_int_ge(trx_mpc_update(l.mpc, 0, l.x), 0);
    ck_assert_int_ge(trx_mpc_update(l.mpc, 100, l.x), 0); // far past the end: the least horizon
    ck_assert_int_eq(trx_plan_get_steps(trx_mpc_plan(l.mpc)), 10);
    ck_assert_int_eq(trx_mpc_update(l.mpc, 99, l.x), TRX_ERR_ARGUMENT);
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
    settings.latency = 0.01, settings.horizon = 20;
    ck_assert_int_eq(trx_mpc_create(l.context, &l.task, &settings, &l.mpc), TRX_OK);
    trx_sim *plant = plant_of(&l, 0.02, 0.8);
    run(&l, plant, 0.04, 0.02);
    const int before = counter.calls;
    run(&l, plant, 0.0, 0.02);
    for (int k = 2; k < 60; k++) {
        ck_assert_int_ge(trx_mpc_update(l.mpc, 0.02 * k, l.x), 0);
        ck_assert_int_eq(trx_policy_control(trx_mpc_policy(l.mpc), 0.02 * k, l.x, l.u), TRX_OK);
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
        run(&l, plant, 0.5, 0.02);
        memcpy(x[i], l.x, sizeof l.x);
        trx_sim_destroy(plant);
        end(&l);
    }
    ck_assert_mem_eq(x[0], x[1], 19 * sizeof(double));
}
END_TEST

START_TEST(a_loop_is_a_controller_of_trials)
{
    loop l;
    ck_assert_int_eq(trx_context_create(NULL, &l.context), TRX_OK);
    trx_mpc_info ticks = {0};
    trx_mpc_controller from = {.settings = open_loop(&l, "problems/push_box.yaml"), .period = 0.02, .ticks = &ticks};
    from.task = &l.task;
    const trx_controller controller = trx_mpc_as_controller(&from);
    trx_trial_settings settings = trx_trial_settings_default();
    settings.worlds = 6, settings.friction = 0.5;
    trx_trial *trial;
    ck_assert_int_eq(trx_trial_run(l.context, &l.task, &settings, &controller, NULL, NULL, &trial), TRX_OK);
    ck_assert_int_eq(trx_trial_get_info(trial).successes, 6);
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

START_TEST(what_is_wrong_is_refused)
{
    loop l;
    ck_assert_int_eq(trx_context_create(NULL, &l.context), TRX_OK);
    const trx_mpc_settings good = open_loop(&l, "problems/push_box.yaml");
    trx_mpc_settings bad[10] = {good, good, good, good, good, good, good, good, good, good};
    bad[0].horizon = l.task.steps + 1, bad[1].iterations = 0, bad[2].deadline = 0, bad[3].latency = NAN, bad[4].size = 4;
    bad[5].threads = 65, bad[6].delay = -1, bad[7].refine = 0;
    bad[8].friction_margin = 1, bad[9].soft_stages = -1;
    for (int i = 0; i < 10; i++) {
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
    tcase_add_test(cases, the_state_is_predicted_over_the_latency);
    tcase_add_test(cases, knots_that_enter_come_from_the_first_plan);
    tcase_add_test(cases, the_planner_takes_finer_steps_than_the_task);
    tcase_add_test(cases, commands_that_are_on_their_way_are_predicted);
    tcase_add_test(cases, a_plan_with_a_margin_of_friction_serves_a_plant_with_less);
    tcase_add_test(cases, softer_stages_find_a_contact_that_is_lost);
    tcase_add_test(cases, a_finer_planner_with_softer_stages_leaves_the_guess_of_the_task_alone);
    tcase_add_test(cases, a_new_target_is_followed);
    tcase_add_test(cases, a_thousand_faults_keep_the_last_policy);
    tcase_add_test(cases, a_jump_of_the_time_begins_from_the_first_plan);
    tcase_add_test(cases, ticks_take_no_memory);
    tcase_add_test(cases, threads_do_not_change_a_bit);
    tcase_add_test(cases, a_loop_is_a_controller_of_trials);
    tcase_add_test(cases, what_is_wrong_is_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
