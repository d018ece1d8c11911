// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The guess of a tick against the policy that it samples.

#include "loop.h"

#include "mpc/guess.h"
#include "trajopt/plan.h"

enum { FEW = 12, ALL = 50, NX = 19, NU = 3, NK = 54 };

// sources with numbers that tell them apart: positions on lines, the quaternion of the start
typedef struct source {
    double x[NX * (ALL + 1)], u[NU * ALL], K[NK * ALL];
    trx_policy_def def;
} source;

static void fill(const loop *l, source *s, int steps, double start_time, double slope)
{
    for (int k = 0; k <= steps; k++) {
        memcpy(s->x + NX * k, l->task.x0, NX * sizeof(double));
        s->x[NX * k] = slope * k;
        s->x[NX * k + 10] = 2 * slope * k; // a velocity
    }
    for (int i = 0; i < NU * steps; i++) s->u[i] = slope * (i / NU);
    for (int i = 0; i < NK * steps; i++) s->K[i] = slope * (i / NK);
    s->def = (trx_policy_def){.size = sizeof s->def, .steps = steps, .start_time = start_time, .time_step = l->task.sim.time_step,
                              .x = s->x, .u = s->u, .K = s->K};
}

static trx_plan *plan_of(const loop *l, int steps)
{
    trx_plan *plan;
    const trx_plan_settings settings = trx_plan_settings_default();
    ck_assert_int_eq(trx_plan_create(l->context, &l->task, &settings, &plan), TRX_OK);
    ck_assert_int_eq(trx_plan_set_steps(plan, steps), TRX_OK);
    return plan;
}

static trxi_guess scratch(void)
{
    static double x[2 * NX], u[NU], dx[2 * NX];
    return (trxi_guess){.x = x, .u = u, .dx = dx};
}

static source policy, first;

// a plan that started from the states of the nearest knot treated the motion since this knot as an error
START_TEST(a_guess_between_two_knots_is_on_the_way_between_them)
{
    loop l;
    begin(&l, "problems/push_box.yaml", NULL);
    const double h = l.task.sim.time_step;
    fill(&l, &policy, FEW, 0.4, 0.01);
    fill(&l, &first, ALL, 0, 100);
    trx_plan *plan = plan_of(&l, 8);
    const trxi_guess guess = scratch();
    for (int share = 0; share < 5; share++) {
        trxi_guess_fill(&guess, &policy.def, &first.def, 0.4 + (3 + 0.2 * share) * h, plan);
        for (int k = 0; k <= 8; k++) {
            const double at = 3 + k + 0.2 * share;
            assert_close(plan->x_guess[NX * k], 0.01 * at, 1e-12);
            assert_close(plan->x_guess[NX * k + 10], 0.02 * at, 1e-12);
            if (k == 8) continue;
            for (int i = 0; i < NU; i++) assert_close(plan->u_guess[NU * k + i], 0.01 * at, 1e-12);
            assert_close(plan->K_guess[NK * k + 5], 0.01 * (3 + k + (share > 2)), 1e-12);
        }
    }
    trx_plan_destroy(plan);
    end(&l);
}
END_TEST

START_TEST(after_the_policy_the_first_plan_and_then_its_last_step_follow)
{
    loop l;
    begin(&l, "problems/push_box.yaml", NULL);
    const double h = l.task.sim.time_step;
    fill(&l, &policy, FEW, 30 * h, 0.01);
    fill(&l, &first, ALL, 0, 0.001);
    trx_plan *plan = plan_of(&l, 20);
    const trxi_guess guess = scratch();

    // 4 steps of the policy from its knot 8 on, then knots 42 to 49 of the task, then the last one again
    trxi_guess_fill(&guess, &policy.def, &first.def, 38 * h, plan);
    for (int k = 0; k < 20; k++) {
        const double expected = k < 4 ? 0.01 * (8 + k) : 0.001 * fmin(38 + k, 49);
        assert_close(plan->u_guess[NU * k], expected, 1e-12);
        assert_close(plan->K_guess[NK * k], expected, 1e-12);
    }

    // half a step later the last step of the policy is not whole
    trxi_guess_fill(&guess, &policy.def, &first.def, 38.5 * h, plan);
    for (int k = 0; k < 4; k++) assert_close(plan->u_guess[NU * k], k < 3 ? 0.01 * (8.5 + k) : 0.001 * 41.5, 1e-12);

    // less than a step is left of the policy, and nothing of the first plan
    trxi_guess_fill(&guess, &policy.def, &(trx_policy_def){.steps = 40, .time_step = h, .x = first.x, .u = first.u, .K = first.K},
                    41.3 * h, plan);
    for (int k = 0; k < 20; k++) assert_close(plan->u_guess[NU * k], 0.01 * 11, 1e-12);

    // nothing is left of either
    trxi_guess_fill(&guess, &policy.def, &first.def, 80 * h, plan);
    for (int k = 0; k < 20; k++) assert_close(plan->u_guess[NU * k], 0.001 * 49, 1e-12);
    trx_plan_destroy(plan);
    end(&l);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mpc/guess");
    TCase *cases = tcase_create("guess");
    tcase_add_test(cases, a_guess_between_two_knots_is_on_the_way_between_them);
    tcase_add_test(cases, after_the_policy_the_first_plan_and_then_its_last_step_follow);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
