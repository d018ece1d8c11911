// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The policy of a plan: without delay and softness the gains of the solver; with a delay a loop that stays; with softness gains
// before a contact closes.

#include "trajopt/scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tractrix/policy.h>

enum { STEPS = 400, DELAY = 4 }; // DELAY in steps
static const double DT = 0.00125;

typedef struct rail {
    trx_context *context;
    trx_model *model;
    trx_plan *plan;
} rail;

// a cart of 1 kg is held at x = 0 with hardly any cost of its force
static void open_rail(rail *r)
{
    r->context = make_context();
    r->model = rail_model(r->context, 1);
    static const double x0[2] = {0, 0}, w_x[1] = {1e4}, w_u[1] = {1e-6};
    const trx_cost_term terms[2] = {
        {.name = "x", .quantity = TRX_JOINT_POSITION, .joints = (const int[1]){0}, .njoint = 1, .weight = w_x, .time = TRX_ALL},
        {.name = "u", .quantity = TRX_CONTROL, .weight = w_u},
    };
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = r->model, problem.steps = STEPS, problem.sim.time_step = DT, problem.x0 = x0;
    problem.terms = terms, problem.nterm = 2;
    r->plan = make_plan(r->context, &problem, trx_plan_settings_default());
    ck_assert_int_ge(trx_plan_solve(r->plan, NULL, NULL), TRX_OK);
}

static void close_rail(rail *r)
{
    trx_plan_destroy(r->plan);
    trx_model_destroy(r->model);
    trx_context_destroy(r->context);
}

static trx_policy *policy_of(const trx_plan *plan, double delay, double smoothing)
{
    trx_policy_settings settings = trx_policy_settings_default();
    settings.delay = delay, settings.smoothing = smoothing;
    trx_policy *policy;
    ck_assert_int_eq(trx_policy_of_plan(plan, &settings, &policy), TRX_OK);
    return policy;
}

START_TEST(without_delay_the_gains_are_those_of_the_solver)
{
    rail r;
    open_rail(&r);
    trx_policy *policy = policy_of(r.plan, 0, 0);
    const trx_policy_def def = trx_policy_get(policy);
    const double *K = trx_plan_gains(r.plan);
    ck_assert_int_eq(def.steps, STEPS);
    ck_assert_double_eq(def.time_step, DT);
    ck_assert_mem_eq(def.x, trx_plan_states(r.plan), sizeof(double) * 2 * (STEPS + 1));
    ck_assert_mem_eq(def.u, trx_plan_controls(r.plan), sizeof(double) * STEPS);
    for (int i = 0; i < 2 * STEPS; i++) assert_close(def.K[i], K[i], 1e-8 * fmax(1, fabs(K[i])));
    trx_policy_destroy(policy);
    close_rail(&r);
}
END_TEST

// |x| after all steps from x = 1 cm, when every control acts DELAY steps late
static double end_of_loop(const rail *r, trx_policy *policy)
{
    trx_sim *sim;
    trx_sim_settings settings = trx_sim_settings_default();
    settings.time_step = DT;
    ck_assert_int_eq(trx_sim_create(r->context, r->model, &settings, &sim), TRX_OK);
    double x[2] = {0.01, 0}, late[DELAY] = {0};
    for (int k = 0; k < STEPS; k++) {
        const double u = late[k % DELAY];
        ck_assert_int_eq(trx_policy_control(policy, k * DT, x, &late[k % DELAY]), TRX_OK);
        ck_assert_int_ge(trx_step(sim, x, &u, x), 0);
    }
    trx_sim_destroy(sim);
    return fabs(x[0]);
}

START_TEST(a_policy_for_the_delay_keeps_a_loop_that_the_solver_loses)
{
    rail r;
    open_rail(&r);
    trx_policy *stiff = policy_of(r.plan, 0, 0), *policy = policy_of(r.plan, DELAY * DT, 0);
    ck_assert_double_gt(end_of_loop(&r, stiff), 1);
    assert_below(end_of_loop(&r, policy), 1e-4);
    trx_policy_destroy(stiff);
    trx_policy_destroy(policy);
    close_rail(&r);
}
END_TEST

// largest gain of the pusher's force by its own distance to the box, over the knots before the plan reaches the box
static double gain_before_contact(const trx_plan *plan, double smoothing)
{
    trx_policy *policy = policy_of(plan, 0, smoothing);
    const trx_policy_def def = trx_policy_get(policy);
    const double largest = fabs(def.K[0]);
    trx_policy_destroy(policy);
    return largest;
}

START_TEST(softer_contacts_change_the_gains_and_not_the_plan)
{
    push p;
    open_push(&p, -0.08, 0.01, 0.08, 0, 0.2);
    ck_assert_int_ge(solve_push(&p, trx_plan_settings_default()), TRX_OK);
    const int N = trx_plan_get_steps(p.plan);
    const trx_model_size size = trx_model_get_size(p.task.problem.model);
    const size_t bytes = sizeof(double) * (size_t)(2 * size.nv * size.nu * N);
    double *K = malloc(bytes);
    memcpy(K, trx_plan_gains(p.plan), bytes);
    const double hard = gain_before_contact(p.plan, 0), soft = gain_before_contact(p.plan, 1e-3);
    ck_assert(isfinite(hard) && isfinite(soft) && hard != soft);
    ck_assert_mem_eq(K, trx_plan_gains(p.plan), bytes);

    // the laws of the model are back: the plan is judged as before
    const trx_plan_info before = trx_plan_get_info(p.plan);
    const double cost = before.physical.cost;
    ck_assert_int_ge(trx_plan_judge(p.plan), 0);
    ck_assert_double_eq(trx_plan_get_info(p.plan).physical.cost, cost);
    free(K);
    close_push(&p);
}
END_TEST

START_TEST(what_is_wrong_is_refused)
{
    rail r;
    open_rail(&r);
    trx_policy *policy;
    trx_policy_settings settings = trx_policy_settings_default();
    ck_assert_int_eq(trx_policy_of_plan(NULL, &settings, &policy), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_policy_of_plan(r.plan, NULL, &policy), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_policy_of_plan(r.plan, &settings, NULL), TRX_ERR_ARGUMENT);
    settings.delay = -1;
    ck_assert_int_eq(trx_policy_of_plan(r.plan, &settings, &policy), TRX_ERR_ARGUMENT);
    ck_assert_ptr_null(policy);
    settings = (trx_policy_settings){0};
    ck_assert_int_eq(trx_policy_of_plan(r.plan, &settings, &policy), TRX_ERR_ARGUMENT);
    close_rail(&r);

    push p;
    open_push(&p, -0.08, 0.01, 0.08, 0, 0.2);
    settings = trx_policy_settings_default();
    trx_plan *unsolved = make_plan(p.context, &p.task.problem, trx_plan_settings_default());
    ck_assert_int_eq(trx_policy_of_plan(unsolved, &settings, &policy), TRX_ERR_NO_STEP);
    trx_plan_destroy(unsolved);
    close_push(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/plan_policy");
    TCase *cases = tcase_create("plan_policy");
    tcase_add_test(cases, without_delay_the_gains_are_those_of_the_solver);
    tcase_add_test(cases, a_policy_for_the_delay_keeps_a_loop_that_the_solver_loses);
    tcase_add_test(cases, softer_contacts_change_the_gains_and_not_the_plan);
    tcase_add_test(cases, what_is_wrong_is_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
