// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The predicted state over age, delay and latency against a plant with the same steps.

#include "loop.h"

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

// the same with states that arrive late: the plant's commands since the measurement are known
START_TEST(late_states_are_predicted_under_the_commands_that_acted)
{
    enum { SLOTS = 3, OLD = 4, EVERY = 5, STEPS = 250 };
    loop l;
    ck_assert_int_eq(trx_context_create(NULL, &l.context), TRX_OK);
    trx_mpc_settings settings = open_loop(&l, "problems/push_box.yaml");
    const double h = 0.004;
    settings.delay = SLOTS * h;
    ck_assert_int_eq(trx_mpc_create(l.context, &l.task, &settings, &l.mpc), TRX_OK);
    trx_sim *plant = plant_of(&l, h, 1);
    double waiting[SLOTS][32] = {{0}}, measured[OLD + 1][64], predicted[64], due = INFINITY;
    l.x[7] -= 0.01; // off the first plan
    for (int k = 0; k < STEPS; k++) {
        const double now = k * h;
        const int old = k < OLD ? 0 : k - OLD;
        memcpy(measured[k % (OLD + 1)], l.x, sizeof l.x);
        const double *late = measured[old % (OLD + 1)];
        if (fabs(now - due) < 0.5 * h)
            for (int i = 0; i < l.nx; i++) assert_close(predicted[i], l.x[i], 1e-7);
        if (k % EVERY == 0) {
            ck_assert_int_ge(trx_mpc_update_late(l.mpc, now, old * h, late), 0);
            const trx_policy_def def = trx_policy_get(trx_mpc_policy(l.mpc));
            assert_close(def.start_time, now + settings.delay, 1e-12);
            memcpy(predicted, def.x, (size_t)l.nx * sizeof *predicted);
            if (k >= SLOTS + OLD) due = now + settings.delay; // before, the zero commands of the first slots act
        }
        double *slot = waiting[k % SLOTS];
        memcpy(l.u, slot, sizeof l.u);
        ck_assert_int_eq(trx_mpc_control_late(l.mpc, now, old * h, late, slot), TRX_OK);
        if (k < SLOTS) memcpy(l.u, waiting[0], sizeof l.u);
        const trx_step_input input = {.time = now, .x = l.x, .u = l.u};
        ck_assert_int_ge(trx_step_from(plant, &input, l.x), 0);
    }
    ck_assert(isfinite(due));
    assert_close(l.x[0], 0.15, 0.01);
    trx_sim_destroy(plant);
    end(&l);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mpc/prediction");
    TCase *cases = tcase_create("prediction");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, the_state_is_predicted_over_the_latency);
    tcase_add_test(cases, commands_that_are_on_their_way_are_predicted);
    tcase_add_test(cases, late_states_are_predicted_under_the_commands_that_acted);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
