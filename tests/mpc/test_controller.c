// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A loop as a controller: when its ticks begin and end, and which of them are dropped.

#include "support/support.h"

#include <math.h>
#include <string.h>
#include <tractrix/tractrix.h>

static const char CART[] = "tractrix: 1\n"
                           "model:\n"
                           "  gravity: [0, 0, 0]\n"
                           "  bodies:\n"
                           "    - name: cart\n"
                           "      joints: [{name: x, type: slide, axis: [1, 0, 0]}]\n"
                           "      inertia: {mass: 1, tensor: [1, 1, 1]}\n"
                           "  actuators: [{joint: x}]\n"
                           "time: {step: 0.02, steps: 100}\n"
                           "cost: [{of: x.position, target: [1], weight: 1}, {of: control, weight: 0.001}]\n";

enum { MOST = 200 };
static const double STEP = 0.002;

// ticks and commands of a run of two seconds
typedef struct record {
    double now, began[MOST], ended[MOST], policy[MOST];
    bool dropped[MOST];
    int count;
} record;

static void on_tick(const trx_mpc *mpc, double time, trx_status status, void *user)
{
    record *r = user;
    ck_assert_int_lt(r->count, MOST);
    r->began[r->count] = time, r->ended[r->count] = r->now;
    r->policy[r->count] = trx_policy_get(trx_mpc_policy(mpc)).start_time;
    ck_assert_int_ge(status, 0);
    r->dropped[r->count++] = status == TRX_INTERRUPTED;
}

static void run(double latency, double dropped, unsigned long long seed, int world, record *r)
{
    trx_context *context;
    trx_problem *problem;
    trx_plan_problem task = trx_plan_problem_default();
    trx_plan_settings unused = trx_plan_settings_default();
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    ck_assert_int_eq(trx_problem_load_text(context, "cart.yaml", CART, strlen(CART), NULL, &problem), TRX_OK);
    ck_assert_int_eq(trx_problem_plan(problem, &task, &unused), TRX_OK);
    *r = (record){.count = 0};
    trx_mpc_controller from = {.task = &task, .settings = trx_mpc_settings_default(), .period = 0.02, .on_tick = on_tick, .user = r,
                               .latency = latency, .dropped = dropped, .seed = seed};
    from.settings.latency = latency;
    from.settings.horizon = 10, from.settings.iterations = 1;
    const trx_controller c = trx_mpc_as_controller(&from);
    void *state;
    double x[2] = {0, 0}, u[1];
    ck_assert_int_eq(c.open(c.user, context, world, &state), TRX_OK);
    for (int k = 0; k < 1000; k++) {
        r->now = k * STEP;
        ck_assert_int_eq(c.control(state, r->now, x, u), TRX_OK);
    }
    c.close(state);
    trx_problem_destroy(problem);
    trx_context_destroy(context);
}

START_TEST(a_policy_is_used_after_the_latency)
{
    record r;
    run(0, 0, 1, 0, &r);
    ck_assert_int_eq(r.count, 100);
    for (int i = 0; i < r.count; i++) ck_assert(fabs(r.began[i] - 0.02 * i) < 1e-9 && r.ended[i] == r.began[i]);

    run(0.01, 0, 1, 0, &r);
    ck_assert_int_eq(r.count, 100);
    for (int i = 0; i < r.count; i++) {
        assert_close(r.began[i], 0.02 * i, 1e-9);
        assert_close(r.ended[i], 0.02 * i + 0.01, 1e-9);
        assert_close(r.policy[i], 0.02 * i + 0.01, 1e-9);
    }

    // longer than a period: the next tick begins at the next period after the end
    run(0.03, 0, 1, 0, &r);
    for (int i = 0; i < r.count; i++) assert_close(r.began[i], 0.04 * i, 1e-9);
    ck_assert_int_eq(r.count, 50);
}
END_TEST

START_TEST(a_dropped_tick_leaves_the_policy)
{
    record r, same, other, elsewhere;
    run(0.004, 0.3, 5, 0, &r);
    run(0.004, 0.3, 5, 0, &same);
    run(0.004, 0.3, 6, 0, &other);
    run(0.004, 0.3, 5, 1, &elsewhere);
    int dropped = 0;
    for (int i = 0; i < r.count; i++) {
        dropped += r.dropped[i];
        if (i == 0) continue;
        assert_close(r.policy[i], r.dropped[i] ? r.policy[i - 1] : r.began[i] + 0.004, 1e-9);
    }
    ck_assert(r.count == 100 && dropped > 15 && dropped < 45);
    ck_assert_mem_eq(r.dropped, same.dropped, sizeof r.dropped);
    ck_assert_mem_ne(r.dropped, other.dropped, sizeof r.dropped);
    ck_assert_mem_ne(r.dropped, elsewhere.dropped, sizeof r.dropped);

    run(0, 1, 5, 0, &r);
    for (int i = 0; i < r.count; i++) ck_assert(r.dropped[i] && r.policy[i] == 0);
}
END_TEST

START_TEST(wrong_loops_are_refused)
{
    trx_context *context;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    trx_mpc_controller wrong[5] = {{.period = 0}, {.period = 1, .latency = -1}, {.period = 1, .latency = INFINITY},
                                   {.period = 1, .dropped = 1.5}, {.period = 1, .dropped = NAN}};
    for (int i = 0; i < 5; i++) {
        void *state;
        const trx_controller c = trx_mpc_as_controller(&wrong[i]);
        ck_assert_int_eq(c.open(c.user, context, 0, &state), TRX_ERR_ARGUMENT);
    }
    trx_context_destroy(context);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mpc/controller");
    TCase *cases = tcase_create("controller");
    tcase_add_test(cases, a_policy_is_used_after_the_latency);
    tcase_add_test(cases, a_dropped_tick_leaves_the_policy);
    tcase_add_test(cases, wrong_loops_are_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
