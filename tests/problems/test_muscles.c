// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A reach with muscles (problems/methods/muscle_reach.yaml): the plan meets its goals with excitations within their limits, and the
// derivatives along the plan agree with differences.

#include "along_plan.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

static double inside(double share)
{
    return fmin(fmax(share, 0.02), 0.98);
}

// plans rest at u = 0, where a muscle has a kink: derivatives are judged beside it
START_TEST(a_plan_with_muscles_meets_its_goals)
{
    trx_context *context = context_open();
    trx_problem *problem;
    trx_plan_problem task = trx_plan_problem_default();
    trx_plan_settings settings = trx_plan_settings_default();
    trx_plan *plan;
    ck_assert_int_eq(trx_problem_load(context, "problems/methods/muscle_reach.yaml", NULL, &problem), TRX_OK);
    ck_assert_int_eq(trx_problem_plan(problem, &task, &settings), TRX_OK);
    ck_assert_int_eq(trx_plan_create(context, &task, &settings, &plan), TRX_OK);
    ck_assert_int_eq(trx_plan_solve(plan, NULL, NULL), TRX_OK);
    const trx_plan_info info = trx_plan_get_info(plan);
    ck_assert_int_eq(info.ngoal, 3);
    for (int i = 0; i < info.ngoal; i++) ck_assert_msg(info.physical.goals[i].met, "%s", info.physical.goals[i].name);

    const trx_model_size size = trx_model_get_size(trx_problem_model(problem));
    const int steps = trx_problem_steps(problem);
    ck_assert(size.nu == 6 && size.na == 6);
    double *x = calloc((size_t)(steps + 1) * (size_t)size.nstate, sizeof *x);
    double *u = calloc((size_t)steps * (size_t)size.nu, sizeof *u);
    ck_assert(x && u);
    memcpy(x, trx_plan_states(plan), (size_t)(steps + 1) * (size_t)size.nstate * sizeof *x);
    memcpy(u, trx_plan_controls(plan), (size_t)steps * (size_t)size.nu * sizeof *u);
    double most = 0;
    for (int i = 0; i < steps * size.nu; i++) {
        ck_assert(u[i] >= 0 && u[i] <= 1);
        most = fmax(most, u[i]);
        u[i] = inside(u[i]);
    }
    ck_assert(most > 0.02);
    for (int k = 0; k <= steps; k++)
        for (int i = size.nstate - size.na; i < size.nstate; i++) x[k * size.nstate + i] = inside(x[k * size.nstate + i] + 0.01);
    const along_plan at =
        derivatives_along_plan(context, trx_problem_model(problem), trx_problem_sim_settings(problem), steps, x, u);
    ck_assert_int_gt(at.judged, steps / 2);
    assert_below(at.worst_A, 1e-6);
    assert_below(at.worst_B, 1e-6);
    free(x);
    free(u);
    trx_plan_destroy(plan);
    trx_problem_destroy(problem);
    context_close(context);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problems/muscles");
    TCase *cases = tcase_create("muscles");
    tcase_set_timeout(cases, 300);
    tcase_add_test(cases, a_plan_with_muscles_meets_its_goals);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
