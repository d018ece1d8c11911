// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A guess within the limits: another plan from this guess keeps the limits, does not cost more, and takes few iterations.

#include "trajopt/scenes.h"

#include "trajopt/plan.h"

#include <stdlib.h>
#include <string.h>
#include <tractrix/problem.h>

static const char POLE[] = "problems/cart_pole.yaml";
static const char LIMITS[] = "limits=[{of: x.velocity, min: -3.47351, max: 3.47351}]"; // four fifths of the speed without limits

typedef struct fixture {
    trx_context *context;
    trx_problem *problem;
    trx_plan_problem task;
    trx_plan_settings settings;
    trx_plan *first; // solved by iLQR
    trx_plan_info known;
} fixture;

static fixture f;

static void setup(void)
{
    trx_problem_options options = trx_problem_options_default();
    options.set = (const char *const[]){LIMITS};
    options.nset = 1;
    f = (fixture){.context = make_context(), .task = trx_plan_problem_default(), .settings = trx_plan_settings_default()};
    ck_assert_msg(trx_problem_load(f.context, POLE, &options, &f.problem) == TRX_OK, "%s", trx_context_message(f.context));
    ck_assert_int_eq(trx_problem_plan(f.problem, &f.task, &f.settings), TRX_OK);
    f.first = make_plan(f.context, &f.task, f.settings);
    ck_assert_int_eq(trx_plan_solve(f.first, NULL, NULL), TRX_OK);
    f.known = trx_plan_get_info(f.first);
    ck_assert(f.known.physical.limits[0].met);
}

static void teardown(void)
{
    trx_plan_destroy(f.first);
    trx_problem_destroy(f.problem);
    trx_context_destroy(f.context);
}

// the plan of a method from controls and states, solved
static trx_plan *plan_from(trx_method method, int iterations, const double *u, const double *x)
{
    trx_plan_settings settings = f.settings;
    settings.method = method;
    settings.iterations = iterations;
    trx_plan *plan = make_plan(f.context, &f.task, settings);
    ck_assert_int_eq(trx_plan_set_guess(plan, u, x), TRX_OK);
    ck_assert_int_ge(trx_plan_solve(plan, NULL, NULL), TRX_OK);
    return plan;
}

START_TEST(a_plan_from_a_plan_keeps_or_lowers_its_cost_within_the_limits)
{
    static const trx_method methods[] = {TRX_ILQR, TRX_MULTIPLE_SHOOTING};
    trx_plan *plan = plan_from(methods[_i], 200, trx_plan_controls(f.first), trx_plan_states(f.first));
    const trx_plan_info info = trx_plan_get_info(plan);
    ck_assert(info.physical.limits[0].met);
    ck_assert_double_le(info.cost, f.known.cost * (1 + 1e-12));
    ck_assert_int_lt(4 * info.iterations, f.known.iterations);
    trx_plan_destroy(plan);
}
END_TEST

// a tenth of the controls of the result keeps the limits and misses the goal; one iteration does not reach the goal
START_TEST(an_iteration_too_few_leaves_the_guess)
{
    const trxi_rollout *r = &f.first->rollout;
    const size_t controls = f.first->work.ocp.controls, states = (size_t)r->nstate * (size_t)(r->steps + 1);
    double *u = calloc(controls, sizeof *u), *x = calloc(states, sizeof *x);
    for (size_t i = 0; i < controls; i++) u[i] = 0.1 * trx_plan_controls(f.first)[i];
    for (int k = 0; k <= r->steps; k++) memcpy(x + r->nstate * k, r->x0, (size_t)r->nstate * sizeof *x);

    trx_plan *plan = plan_from(TRX_MULTIPLE_SHOOTING, 1, u, x);
    const trx_plan_info info = trx_plan_get_info(plan);
    ck_assert(isfinite(plan->kept.cost) && info.physical.limits[0].met);
    ck_assert_double_le(info.cost, plan->kept.cost * (1 + 1e-12));
    trx_plan_destroy(plan);
    free(u);
    free(x);
}
END_TEST

START_TEST(a_guess_beyond_its_limits_is_not_kept)
{
    const size_t controls = f.first->work.ocp.controls;
    double *u = calloc(controls, sizeof *u);
    for (size_t i = 0; i < controls; i++) u[i] = 60;
    trx_plan *plan = plan_from(TRX_ILQR, 1, u, trx_plan_states(f.first));
    ck_assert(!isfinite(plan->kept.cost));
    ck_assert(memcmp(trx_plan_controls(plan), u, controls * sizeof *u) != 0);
    trx_plan_destroy(plan);
    free(u);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/keep");
    TCase *cases = tcase_create("keep");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_loop_test(cases, a_plan_from_a_plan_keeps_or_lowers_its_cost_within_the_limits, 0, 2);
    tcase_add_test(cases, an_iteration_too_few_leaves_the_guess);
    tcase_add_test(cases, a_guess_beyond_its_limits_is_not_kept);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
