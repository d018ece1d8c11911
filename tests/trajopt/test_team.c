// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A team of threads gives the bits of one thread: linearizations, line searches, whole solves; and its failures are the failures of
// one thread.

#include "trajopt/scenes.h"

#include "trajopt/plan.h"

enum { STEPS = 50, NSTATE = 19, NX = 18, NU = 3 };

static void open_team(push *p, int threads)
{
    trx_plan_settings settings = trx_plan_settings_default();
    settings.threads = threads;
    open_push(p, -0.10, 0.15, 0.15, 0, 0);
    p->plan = make_plan(p->context, &p->task.problem, settings);
}

START_TEST(a_solve_has_the_same_bits_for_every_number_of_threads)
{
    static double x[3][NSTATE * (STEPS + 1)], u[3][NU * STEPS], K[3][NU * NX * STEPS];
    static const int threads[3] = {1, 2, 4};
    int iterations[3];
    for (int i = 0; i < 3; i++) {
        push p;
        open_team(&p, threads[i]);
        ck_assert_int_ge(trx_plan_solve(p.plan, NULL, NULL), 0);
        memcpy(x[i], trx_plan_states(p.plan), sizeof x[i]);
        memcpy(u[i], trx_plan_controls(p.plan), sizeof u[i]);
        memcpy(K[i], trx_plan_gains(p.plan), sizeof K[i]);
        iterations[i] = trx_plan_get_info(p.plan).iterations;
        close_push(&p);
    }
    ck_assert_int_gt(iterations[0], 5);
    for (int i = 1; i < 3; i++) {
        ck_assert_int_eq(iterations[i], iterations[0]);
        ck_assert(memcmp(x[i], x[0], sizeof x[0]) == 0);
        ck_assert(memcmp(u[i], u[0], sizeof u[0]) == 0);
        ck_assert(memcmp(K[i], K[0], sizeof K[0]) == 0);
    }
}
END_TEST

START_TEST(a_step_that_fails_is_named_as_by_one_thread)
{
    char message[2][256];
    int knot[2];
    for (int i = 0; i < 2; i++) {
        push p;
        open_team(&p, 1 + 2 * i);
        trxi_trajectory *t = p.plan->work.current;
        ck_assert_int_eq(trxi_rollout_controls(&p.plan->rollout, false, INFINITY, t, NULL), TRX_OK);
        for (int k = 20; k < 40; k += 7) t->x[NSTATE * k + 9] = NAN;
        ck_assert_int_eq(trxi_rollout_linearize(&p.plan->rollout, t, &p.plan->work.ocp), TRX_ERR_NOT_FINITE);
        snprintf(message[i], sizeof message[i], "%s", trx_context_message(p.context));
        knot[i] = p.plan->rollout.failed_knot;
        close_push(&p);
    }
    ck_assert_int_eq(knot[0], knot[1]);
    ck_assert_str_eq(message[0], message[1]);
}
END_TEST

// rollouts with linearization: some end early because of their cost, one fails, the last rollout is complete
START_TEST(a_rollout_that_gives_up_or_fails_leaves_nothing_behind)
{
    enum { BA = NX * (NU + NX) * STEPS };
    static double x[2][NSTATE * (STEPS + 1)], linear[2][BA];
    double cost[2][11];
    for (int i = 0; i < 2; i++) {
        push p;
        open_team(&p, 1 + 2 * i);
        trxi_workspace *s = &p.plan->work;
        trxi_rollout *r = &p.plan->rollout;
        ck_assert_int_eq(trxi_rollout_controls(r, false, INFINITY, s->current, &s->ocp), TRX_OK);
        ck_assert(r->linearized);
        for (int j = 0; j < NU; j++) s->scale[j] = 1;
        ck_assert(trxi_riccati_sweep(&s->ocp, 1, s->scale, &s->riccati, &s->policy));
        for (int k = 0; k <= 10; k++) {
            const double limit = k < 10 ? 0.1 * k * s->current->cost : INFINITY;
            ck_assert_int_eq(trxi_rollout_policy(r, s->current, &s->policy, 1, limit, s->trial, &s->next), TRX_OK);
            cost[i][k] = s->trial->cost;
        }
        const double kept = s->trial->u[20 * NU];
        s->trial->u[20 * NU] = NAN;
        ck_assert_int_eq(trxi_rollout_controls(r, false, INFINITY, s->trial, &s->next), TRX_ERR_NOT_FINITE);
        ck_assert(r->failed_knot == 20 && !r->linearized);
        s->trial->u[20 * NU] = kept;
        ck_assert_int_eq(trxi_rollout_controls(r, false, INFINITY, s->trial, &s->next), TRX_OK);
        ck_assert(r->linearized);
        memcpy(x[i], s->trial->x, sizeof x[i]);
        for (int k = 0; k < STEPS; k++) memcpy(linear[i] + BA / STEPS * k, s->next.stages[k].B, sizeof linear[i] / STEPS);
        close_push(&p);
    }
    ck_assert(isinf(cost[0][0]) && isfinite(cost[0][10]));
    ck_assert(memcmp(cost[1], cost[0], sizeof cost[0]) == 0);
    ck_assert(memcmp(x[1], x[0], sizeof x[0]) == 0);
    ck_assert(memcmp(linear[1], linear[0], sizeof linear[0]) == 0);
}
END_TEST

// a deadline is set before each minimization, long after the team was made
START_TEST(the_deadline_of_the_first_rollout_holds_for_all)
{
    push p;
    open_team(&p, 3);
    trxi_workspace *s = &p.plan->work;
    trxi_rollout *r = &p.plan->rollout;
    for (int late = 1; late >= 0; late--) {
        r->deadline = late ? 0 : INFINITY;
        for (int worker = 0; worker < 3; worker++) {
            trxi_rollout *own = trxi_team_rollout(r->team, r, worker);
            ck_assert_int_eq(trxi_rollout_controls(own, false, 1e9, s->current, NULL), TRX_OK);
            ck_assert_int_eq(isinf(s->current->cost) != 0, late);
        }
    }
    close_push(&p);
}
END_TEST

START_TEST(a_number_of_threads_is_checked)
{
    push p;
    trx_plan *plan;
    trx_plan_settings settings = trx_plan_settings_default();
    open_push(&p, -0.10, 0.15, 0.15, 0, 0);
    for (int i = 0; i < 2; i++) {
        settings.threads = i == 0 ? 0 : 65;
        ck_assert_int_eq(trx_plan_create(p.context, &p.task.problem, &settings, &plan), TRX_ERR_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(trx_context_message(p.context), "threads"));
    }
    p.plan = NULL;
    close_push(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/team");
    TCase *cases = tcase_create("team");
    tcase_set_timeout(cases, 0);
    tcase_add_test(cases, a_solve_has_the_same_bits_for_every_number_of_threads);
    tcase_add_test(cases, a_step_that_fails_is_named_as_by_one_thread);
    tcase_add_test(cases, a_rollout_that_gives_up_or_fails_leaves_nothing_behind);
    tcase_add_test(cases, the_deadline_of_the_first_rollout_holds_for_all);
    tcase_add_test(cases, a_number_of_threads_is_checked);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
