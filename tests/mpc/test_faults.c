// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Broken sensors and clocks: a status, the last policy kept, never a wrong command.

#include "loop.h"

#include "base/random.h"

static void assert_policy_is(const trx_policy *policy, const double *u, const double *x, int nu, int nx)
{
    const trx_policy_def def = trx_policy_get(policy);
    ck_assert_mem_eq(def.u, u, (size_t)nu * sizeof *u);
    ck_assert_mem_eq(def.x, x, (size_t)nx * sizeof *x);
}

// a measurement, the time of its arrival and its stamp
typedef struct measurement {
    double now, measured_at, x[64];
    bool finite, stale; // stale: the stamp is too old or in the future
} measurement;

enum { FAULTS = 11 };

// a measurement of a broken sensor or clock: one of FAULTS kinds
static measurement break_measurement(const loop *l, int i, double now)
{
    const int kind = (int)(FAULTS * trxi_random_uniform(1, (uint64_t)i)), at = (int)(l->nx * trxi_random_uniform(2, (uint64_t)i));
    const double random = trxi_random_normal(3, (uint64_t)i), far = fabs(random);
    measurement m = {.now = now, .measured_at = now};
    memcpy(m.x, l->x, sizeof m.x);
    if (kind == 0) m.x[at] = i % 2 ? NAN : -INFINITY;
    if (kind == 1) m.x[at] = 1e200;
    if (kind == 2) m.now = m.measured_at = -1 - far;
    if (kind == 3) m.now = m.measured_at = i % 2 ? NAN : INFINITY;
    if (kind == 4) m.x[at] += 1e3 * random;
    if (kind == 5) m.now = m.measured_at -= 0.3 * far + 0.05;
    if (kind == 6) m.now = m.measured_at += 0.01 * far, m.x[at] += 0.1 * random;
    if (kind == 7) m.measured_at -= 0.25 * trxi_random_uniform(4, (uint64_t)i); // late within max_age
    if (kind == 8) m.measured_at -= 0.2501 + far;
    if (kind == 9) m.measured_at += i % 2 ? 1e-6 : 10 * far + 1e-6;
    if (kind == 10) m.measured_at = i % 3 == 0 ? NAN : i % 3 == 1 ? -INFINITY : 1e300;
    m.finite = isfinite(m.now) && isfinite(m.measured_at);
    for (int k = 0; k < l->nx; k++) m.finite = m.finite && isfinite(m.x[k]);
    m.stale = m.measured_at > m.now + 1e-9 || m.measured_at < m.now - 0.25001;
    return m;
}

// the policy's command for the true state is within the limits, whatever has happened
static void assert_command(loop *l, double now)
{
    ck_assert_int_eq(trx_policy_control(trx_mpc_policy(l->mpc), now, l->x, l->u), TRX_OK);
    for (int k = 0; k < l->nu; k++) ck_assert(fabs(l->u[k]) <= 20);
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
        double u[8], x[64], command[8] = {7, 7, 7};
        memcpy(u, before.u, (size_t)l.nu * sizeof *u);
        memcpy(x, before.x, (size_t)l.nx * sizeof *x);
        const measurement m = break_measurement(&l, i, now);
        const trx_status status = trx_mpc_update_late(l.mpc, m.now, m.measured_at, m.x);
        if (!m.finite) ck_assert_int_eq(status, TRX_ERR_NOT_FINITE);
        else if (m.stale) ck_assert_int_eq(status, TRX_ERR_ARGUMENT);
        if (m.now < now - 0.1) ck_assert_int_lt(status, 0);
        if (status < 0) assert_policy_is(trx_mpc_policy(l.mpc), u, x, l.nu, l.nx);
        failures += status < 0;

        // a command for the broken state is within the limits, or there is none
        const trx_status answered = trx_mpc_control_late(l.mpc, m.now, m.measured_at, m.x, command);
        if (!m.finite || m.stale) ck_assert_int_lt(answered, 0);
        if (answered < 0) ck_assert(command[0] == 7 && command[1] == 7 && command[2] == 7);
        refused += answered < 0;
        for (int k = 0; k < l.nu; k++) ck_assert(fabs(command[k]) <= 20);
        assert_command(&l, now);
    }
    ck_assert(failures > 500 && refused > 300);
    ck_assert_int_eq(trx_mpc_get_info(l.mpc).failures, failures);

    // a good measurement is all that the loop needs to go on
    ck_assert_int_ge(trx_mpc_update(l.mpc, 0.8, l.x), 0);
    ck_assert_int_ge(trx_mpc_control(l.mpc, 0.8, l.x, l.u), 0);
    trx_sim_destroy(plant);
    end(&l);
}
END_TEST

// the robot's own clock jumps. After a jump forward the loop goes on at the new time. After a jump back the loop refuses ticks
// until it begins again
START_TEST(the_clock_jumps_forward_and_back)
{
    loop l;
    trx_mpc_settings settings = trx_mpc_settings_default();
    settings.horizon = 12, settings.iterations = 1, settings.delay = 0.004;
    begin(&l, "problems/push_box.yaml", &settings);
    const trx_policy_def first = trx_policy_get(trx_mpc_policy(l.mpc));
    double u[8], x[64];
    memcpy(u, first.u, (size_t)l.nu * sizeof *u);
    memcpy(x, first.x, (size_t)l.nx * sizeof *x);
    for (int i = 0; i < 100; i++) {
        const double now = 0.3 * trxi_random_uniform(6, (uint64_t)i), jump = pow(10, 6 * trxi_random_uniform(5, (uint64_t)i) - 1);
        double command[8];
        ck_assert_int_ge(trx_mpc_update(l.mpc, now, l.x), 0);
        ck_assert_int_eq(trx_mpc_control(l.mpc, now, l.x, command), TRX_OK);
        ck_assert_int_ge(trx_mpc_update(l.mpc, now + jump, l.x), 0);
        ck_assert_int_eq(trx_mpc_control(l.mpc, now + jump, l.x, command), TRX_OK);
        assert_command(&l, now + jump);

        const trx_policy_def after = trx_policy_get(trx_mpc_policy(l.mpc));
        double u_after[8], x_after[64];
        memcpy(u_after, after.u, (size_t)l.nu * sizeof *u);
        memcpy(x_after, after.x, (size_t)l.nx * sizeof *x);
        ck_assert_int_eq(trx_mpc_update(l.mpc, now, l.x), TRX_ERR_ARGUMENT);
        assert_policy_is(trx_mpc_policy(l.mpc), u_after, x_after, l.nu, l.nx);
        ck_assert_int_eq(trx_mpc_control(l.mpc, now, l.x, command), TRX_OK);
        for (int k = 0; k < l.nu; k++) ck_assert(fabs(command[k]) <= 20);

        ck_assert_int_eq(trx_mpc_restart(l.mpc), TRX_OK);
        assert_policy_is(trx_mpc_policy(l.mpc), u, x, l.nu, l.nx);
    }
    ck_assert_int_eq(trx_mpc_restart(NULL), TRX_ERR_ARGUMENT);

    // commands before the restart are forgotten, and the horizon is the first again
    ck_assert_int_ge(trx_mpc_update(l.mpc, 0, l.x), 0);
    ck_assert_double_eq(trx_policy_get(trx_mpc_policy(l.mpc)).start_time, 0.004);
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

int main(void)
{
    Suite *suite = suite_create("mpc/faults");
    TCase *cases = tcase_create("faults");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, a_thousand_faults_keep_the_last_policy);
    tcase_add_test(cases, the_clock_jumps_forward_and_back);
    tcase_add_test(cases, a_jump_of_the_time_begins_from_the_first_plan);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
