// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Model predictive control of push_box and of a cart: a plant that is not the model, delays, faults, memory, threads.

#include "support/support.h"

#include "base/random.h"

#include <math.h>
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

        // after the end of the task the box is held there
        const trx_mpc_info info = trx_mpc_get_info(l.mpc);
        ck_assert(info.ticks == 50 && info.failures == 0 && info.late == 0);
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
    const double h = l.task.sim.time_step;
    enum { LATE = 2 };
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

static void assert_policy_is(const trx_policy *policy, const double *u, const double *x, int nu, int nx)
{
    const trx_policy_def def = trx_policy_get(policy);
    ck_assert_mem_eq(def.u, u, (size_t)nu * sizeof *u);
    ck_assert_mem_eq(def.x, x, (size_t)nx * sizeof *x);
}

START_TEST(faults_keep_the_last_policy)
{
    loop l;
    begin(&l, "problems/push_box.yaml", NULL);
    trx_sim *plant = plant_of(&l, 0.02, 1);
    run(&l, plant, 0.2, 0.02);
    int failures = 0;
    for (int i = 0; i < 400; i++) {
        const trx_policy_def before = trx_policy_get(trx_mpc_policy(l.mpc));
        double u[8], x[64], bad[64];
        memcpy(u, before.u, (size_t)l.nu * sizeof *u);
        memcpy(x, before.x, (size_t)l.nx * sizeof *x);
        memcpy(bad, l.x, sizeof bad);
        const int kind = (int)(5 * trxi_random_uniform(1, (uint64_t)i)), at = (int)(l.nx * trxi_random_uniform(2, (uint64_t)i));
        double t = 0.2 + 0.001 * i;
        if (kind == 0) bad[at] = i % 2 ? NAN : INFINITY;
        if (kind == 1) bad[at] = 1e200;
        if (kind == 2) t = -1;
        if (kind == 3) t = NAN;
        if (kind == 4) bad[at] += 1e3 * trxi_random_normal(3, (uint64_t)i);
        const trx_status status = trx_mpc_update(l.mpc, t, bad);
        if (kind < 4 && kind != 1) ck_assert_int_lt(status, 0);
        if (status < 0) assert_policy_is(trx_mpc_policy(l.mpc), u, x, l.nu, l.nx);
        failures += status < 0;

        // whatever has happened, commands are finite and within the limits
        ck_assert_int_eq(trx_policy_control(trx_mpc_policy(l.mpc), 0.2 + 0.001 * i, l.x, l.u), TRX_OK);
        for (int k = 0; k < l.nu; k++) ck_assert(fabs(l.u[k]) <= 20);
    }
    ck_assert_int_gt(failures, 200);
    ck_assert_int_eq(trx_mpc_get_info(l.mpc).failures, failures);

    // a good measurement is all that the loop needs to go on
    ck_assert_int_ge(trx_mpc_update(l.mpc, 0.7, l.x), 0);
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
    trx_mpc_settings bad[6] = {good, good, good, good, good, good};
    bad[0].horizon = l.task.steps + 1, bad[1].iterations = 0, bad[2].deadline = 0, bad[3].latency = NAN, bad[4].size = 4;
    bad[5].threads = 65;
    for (int i = 0; i < 6; i++) {
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
    tcase_add_test(cases, faults_keep_the_last_policy);
    tcase_add_test(cases, a_jump_of_the_time_begins_from_the_first_plan);
    tcase_add_test(cases, ticks_take_no_memory);
    tcase_add_test(cases, threads_do_not_change_a_bit);
    tcase_add_test(cases, a_loop_is_a_controller_of_trials);
    tcase_add_test(cases, what_is_wrong_is_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
