// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Smooth shipped problems from their own guess: every method reaches the same cost, and from the result of iLQR the other
// methods keep or lower it. Without Ipopt in the build only multiple shooting is compared.

#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <tractrix/tractrix.h>

static const char *const names[] = {"pendulum", "cart_pole", "acrobot", "methods/panda_reach"};

typedef struct loaded {
    trx_context *context;
    trx_problem *problem;
    trx_plan_problem task;
    trx_plan_settings settings;
} loaded;

static loaded load(const char *name)
{
    char path[128];
    loaded l;
    snprintf(path, sizeof path, "problems/%s.yaml", name);
    ck_assert_int_eq(trx_context_create(NULL, &l.context), TRX_OK);
    ck_assert_msg(trx_problem_load(l.context, path, NULL, &l.problem) == TRX_OK, "%s", trx_context_message(l.context));
    ck_assert_int_eq(trx_problem_plan(l.problem, &l.task, &l.settings), TRX_OK);
    l.settings.tolerance = 1e-8;
    l.settings.iterations = 1000;
    return l;
}

static void unload(loaded *l)
{
    trx_problem_destroy(l->problem);
    trx_context_destroy(l->context);
}

// a solved plan; `from` (may be NULL) gives controls and states to start from
static trx_plan *solve(const loaded *l, trx_method method, const trx_plan *from)
{
    trx_plan *plan;
    trx_plan_settings settings = l->settings;
    settings.method = method;
    ck_assert_msg(trx_plan_create(l->context, &l->task, &settings, &plan) == TRX_OK, "%s", trx_context_message(l->context));
    if (from) ck_assert_int_eq(trx_plan_set_guess(plan, trx_plan_controls(from), trx_plan_states(from)), TRX_OK);
    ck_assert_int_ge(trx_plan_solve(plan, NULL, NULL), 0);
    return plan;
}

static double cost_of(const trx_plan *plan)
{
    return trx_plan_get_info(plan).physical.cost;
}

START_TEST(every_method_reaches_the_same_cost)
{
    loaded l = load(names[_i]);
    trx_plan *known = solve(&l, TRX_ILQR, NULL);
    const double cost = cost_of(known);
    for (int method = TRX_MULTIPLE_SHOOTING; method <= (getenv("TRACTRIX_IPOPT") ? TRX_IPOPT : TRX_MULTIPLE_SHOOTING); method++) {
        trx_plan *fresh = solve(&l, (trx_method)method, NULL), *further = solve(&l, (trx_method)method, known);
        printf("%s, method %d: %.9g from zero, %.9g from the result of iLQR, %.9g\n", names[_i], method, cost_of(fresh),
               cost_of(further), cost);
        ck_assert(fabs(cost_of(fresh) - cost) <= 1e-4 * cost);
        ck_assert(cost_of(further) <= cost * (1 + 1e-9));
        trx_plan_destroy(fresh);
        trx_plan_destroy(further);
    }
    trx_plan_destroy(known);
    unload(&l);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problems/methods");
    TCase *cases = tcase_create("methods");
    tcase_set_timeout(cases, 300);
    tcase_add_loop_test(cases, every_method_reaches_the_same_cost, 0, (int)(sizeof names / sizeof *names));
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
