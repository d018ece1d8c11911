// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Sampled controls: a simulation within the limits that costs less than the guess, the same for a seed, and plans of motions that
// need no contact.

#include "search/lab.h"

#include "search/sampling.h"

#include <tractrix/problem.h>

#include <stdlib.h>

static bool never(void *user)
{
    (void)user;
    return false;
}

static bool at_once(void *user)
{
    (void)user;
    return true;
}

// cost of a simulation of the lab's problem
static double cost_of(lab *l, const double *x, const double *u)
{
    double sum = 0, value = 0;
    for (int k = 0; k <= 75; k++) {
        const double *u_k = k < 75 ? u + 3 * k : NULL;
        ck_assert_int_eq(trx_plan_cost(l->scout.plan, k, x + 19 * k, u_k, &value, NULL, NULL, NULL, NULL, NULL), TRX_OK);
        sum += value;
    }
    return sum;
}

static trx_candidate sample(lab *l, int number, trxi_prefix *prefix)
{
    trx_candidate candidate = {.number = number, .kind = TRX_CANDIDATE_SAMPLED};
    ck_assert_int_eq(trxi_prefix_create(l->pool, &l->task, prefix), TRX_OK);
    ck_assert_int_eq(trxi_sampling_plan(&l->scout, l->pool, never, NULL, prefix, &candidate), TRX_OK);
    ck_assert_int_eq(candidate.outcome, TRX_CANDIDATE_MISSED);
    ck_assert_int_eq(prefix->knots, 75);
    return candidate;
}

START_TEST(the_result_is_a_simulation_within_the_limits_that_costs_less_than_the_guess)
{
    lab l;
    open_lab(&l, -0.12, 0.01, 0.15, 0);
    for (int number = 0; number < 6; number += SANITIZED ? 6 : 1) { // every number of nodes with both spreads
        trxi_prefix prefix;
        const trx_candidate candidate = sample(&l, number, &prefix);
        ck_assert_int_eq(candidate.simulations, 12 * 64);
        double x[19 * 76], zero[3 * 75] = {0};
        memcpy(x, l.push.task.x0, 19 * sizeof *x);
        for (int k = 0; k < 75; k++) ck_assert_int_ge(trx_step(l.scout.sim, x + 19 * k, zero + 3 * k, x + 19 * (k + 1)), 0);
        const double of_guess = cost_of(&l, x, zero);
        for (int k = 0; k < 75; k++) {
            for (int j = 0; j < 3; j++) assert_below(fabs(prefix.u[j + 3 * k]), l.task.model->actuators[j].upper * (1 + 1e-15));
            ck_assert_int_ge(trx_step(l.scout.sim, prefix.x + 19 * k, prefix.u + 3 * k, x), 0);
            assert_below(max_difference(x, prefix.x + 19 * (k + 1), 19), 1e-9);
        }
        assert_below(fabs(cost_of(&l, prefix.x, prefix.u) - candidate.cost), 1e-9 * of_guess);
        assert_below(candidate.cost, 0.8 * of_guess);
    }
    close_lab(&l);
}
END_TEST

START_TEST(random_numbers_belong_to_the_candidate)
{
    lab l;
    open_lab(&l, -0.12, 0.01, 0.15, 0);
    trxi_prefix first, again, other;
    const double cost = sample(&l, 3, &first).cost;
    ck_assert(sample(&l, 3, &again).cost == cost);
    ck_assert(memcmp(first.u, again.u, 3 * 75 * sizeof(double)) == 0);
    ck_assert(sample(&l, 9, &other).cost != cost);
    close_lab(&l);
}
END_TEST

START_TEST(work_that_must_end_simulates_nothing)
{
    lab l;
    open_lab(&l, -0.12, 0.01, 0.15, 0);
    trxi_prefix prefix;
    trx_candidate candidate = {0};
    ck_assert_int_eq(trxi_prefix_create(l.pool, &l.task, &prefix), TRX_OK);
    ck_assert_int_eq(trxi_sampling_plan(&l.scout, l.pool, at_once, NULL, &prefix, &candidate), TRX_OK);
    ck_assert_int_eq(candidate.outcome, TRX_CANDIDATE_FAILED);
    ck_assert_int_eq(candidate.simulations, 0);
    ck_assert_int_eq(prefix.knots, 0);
    close_lab(&l);
}
END_TEST

// an acrobot has no body to place, and a plan from this start follows its gradient to a motion that stays below
START_TEST(a_search_without_placements_samples_and_meets_the_goals)
{
    trx_context *context;
    trx_problem *problem;
    trx_plan_problem task;
    trx_plan_settings settings;
    trx_plan *plan;
    const char *set[] = {"start.shoulder=-1", "start.elbow=0.5"};
    trx_problem_options options = trx_problem_options_default();
    options.set = set, options.nset = 2;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    ck_assert_int_eq(trx_problem_load(context, "problems/acrobot.yaml", &options, &problem), TRX_OK);
    ck_assert_int_eq(trx_problem_plan(problem, &task, &settings), TRX_OK);
    ck_assert_int_eq(trx_plan_create(context, &task, &settings, &plan), TRX_OK);
    ck_assert_int_ge(trx_plan_solve(plan, NULL, NULL), 0);

    double *u[2] = {NULL, NULL};
    const size_t bytes = (size_t)task.steps * sizeof(double);
    for (int i = SANITIZED; i < 2; i++) { // sanitizers see the threads alone
        trx_search_settings search_settings = trx_search_settings_default();
        search_settings.threads = 1 + 2 * i;
        trx_search *search;
        ck_assert_int_eq(trx_search_create(context, &task, &settings, &search_settings, &search), TRX_OK);
        ck_assert_int_eq(trx_search_solve(search, plan, NULL, NULL), TRX_OK);
        const trx_search_info info = trx_search_get_info(search);
        ck_assert_int_eq(info.candidates[0].outcome, TRX_CANDIDATE_MISSED);
        ck_assert_int_eq(info.candidates[info.best].kind, TRX_CANDIDATE_SAMPLED);
        const trx_plan_info found = trx_plan_get_info(trx_search_plan(search));
        for (int g = 0; g < found.ngoal; g++) ck_assert(found.physical.goals[g].met);
        u[i] = malloc(bytes);
        memcpy(u[i], trx_plan_controls(trx_search_plan(search)), bytes);
        trx_search_destroy(search);
    }
    if (!SANITIZED) ck_assert(memcmp(u[0], u[1], bytes) == 0);
    free(u[0]);
    free(u[1]);
    trx_plan_destroy(plan);
    trx_problem_destroy(problem);
    trx_context_destroy(context);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sampling");
    TCase *cases = tcase_create("sampling");
    tcase_set_timeout(cases, 300);
    tcase_add_test(cases, the_result_is_a_simulation_within_the_limits_that_costs_less_than_the_guess);
    tcase_add_test(cases, random_numbers_belong_to_the_candidate);
    tcase_add_test(cases, work_that_must_end_simulates_nothing);
    tcase_add_test(cases, a_search_without_placements_samples_and_meets_the_goals);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
