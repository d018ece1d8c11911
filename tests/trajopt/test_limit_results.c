// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The worst violation of each limit: amount, knot, component, unit; the limits of a start.

#include "trajopt/scenes.h"

#include "trajopt/plan.h"

enum { STEPS = 4 };

static const int JOINTS[3] = {2, 3, 4};
static const double LOWER[3] = {-1, -2, -3}, UPPER[3] = {1, 2, 3}, MOST[2] = {0.5, 0.5};

typedef struct scene {
    mixed_scene f;
    trx_limit limits[2]; // positions of three joints at knots 1 .. 3, controls everywhere
    trx_plan_problem problem;
    trx_stage physical;
} scene;

static void open_scene(scene *s)
{
    *s = (scene){.f = open_mixed(), .physical = physical_stage()};
    s->limits[0] = trx_limit_default();
    s->limits[0].term = (trx_cost_term){.name = "legs", .quantity = TRX_JOINT_POSITION, .joints = JOINTS, .njoint = 3};
    s->limits[0].lower = LOWER, s->limits[0].upper = UPPER, s->limits[0].first = 1, s->limits[0].last = 3;
    s->limits[1] = trx_limit_default();
    s->limits[1].term = (trx_cost_term){.name = "forces", .quantity = TRX_CONTROL};
    s->limits[1].upper = MOST, s->limits[1].tolerance = 0.01;
    s->problem = trx_plan_problem_default();
    s->problem.model = s->f.model, s->problem.steps = STEPS, s->problem.x0 = s->f.x0;
    s->problem.limits = s->limits, s->problem.nlimit = 2;
    s->problem.stages = &s->physical, s->problem.nstage = 1;
}

// the state with j1, j2, j3 at these positions
static const double *state(const scene *s, double j1, double j2, double j3)
{
    static double x[64];
    const double positions[3] = {j1, j2, j3};
    memcpy(x, s->f.x0, sizeof x);
    for (int i = 0; i < 3; i++) x[trx_model_joint(s->f.model, JOINTS[i]).q_index] = positions[i];
    return x;
}

START_TEST(the_worst_violation_has_its_knot_and_its_component)
{
    scene s;
    open_scene(&s);
    trx_plan *plan = make_plan(s.f.context, &s.problem, trx_plan_settings_default());
    trx_limit_result results[2];
    const double low[2] = {0.2, 0.5}, high[2] = {0.1, 0.505};
    trxi_limit_results_reset(&plan->limits, results);
    trxi_limit_results_raise(&plan->limits, &plan->limited, 0, state(&s, 9, 9, 9), low, results); // knot 0 does not count
    trxi_limit_results_raise(&plan->limits, &plan->limited, 1, state(&s, 0, -2.25, 0), low, results);
    trxi_limit_results_raise(&plan->limits, &plan->limited, 2, state(&s, 1.125, 0, 3.5), high, results);
    trxi_limit_results_raise(&plan->limits, &plan->limited, 3, state(&s, 1.375, 0, 0), low, results);
    trxi_limit_results_raise(&plan->limits, &plan->limited, 4, state(&s, 9, 9, 9), NULL, results); // nor knot 4
    trxi_limit_results_conclude(&plan->limits, true, results);
    ck_assert_str_eq(results[0].name, "legs");
    assert_close(results[0].violation, 0.5, 1e-15);
    ck_assert_int_eq(results[0].knot, 2);
    ck_assert_str_eq(results[0].component, "j3");
    ck_assert_str_eq(results[0].unit, "rad");
    ck_assert(!results[0].met && results[1].met); // the second is within its tolerance
    assert_close(results[1].violation, 0.005, 1e-15);
    ck_assert_int_eq(results[1].knot, 2);
    ck_assert_ptr_eq(trxi_limit_results_worst(2, results), &results[0]);

    // a trajectory that failed meets no limit; a trajectory within the bounds has no knot
    trxi_limit_results_conclude(&plan->limits, false, results);
    ck_assert(isinf(results[1].violation) && !results[1].met);
    trxi_limit_results_reset(&plan->limits, results);
    trxi_limit_results_raise(&plan->limits, &plan->limited, 1, state(&s, 0, 0, 0), low, results);
    trxi_limit_results_conclude(&plan->limits, true, results);
    ck_assert(results[0].violation == 0 && results[0].knot == -1 && results[0].met);
    ck_assert_ptr_null(trxi_limit_results_worst(2, results));
    trx_plan_destroy(plan);
    close_mixed(&s.f);
}
END_TEST

START_TEST(only_limits_of_the_state_at_knot_0_refuse_a_start)
{
    scene s;
    open_scene(&s);
    s.problem.x0 = state(&s, 0, 2.75, 0);
    trx_plan *plan = make_plan(s.f.context, &s.problem, trx_plan_settings_default()); // from knot 1 on
    trx_plan_destroy(plan);
    s.limits[0].first = 0;
    trx_plan_settings settings = trx_plan_settings_default();
    ck_assert_int_eq(trx_plan_create(s.f.context, &s.problem, &settings, &plan), TRX_ERR_INPUT);
    const char *message = trx_context_message(s.f.context);
    ck_assert_msg(strstr(message, "limit of legs: the start violates it by 0.75 m in j2"), "%s", message);
    close_mixed(&s.f);
}
END_TEST

START_TEST(wrong_limits_are_refused_with_their_field)
{
    scene s;
    open_scene(&s);
    trx_plan *plan = NULL;
    trx_plan_settings settings = trx_plan_settings_default();
    const trx_limit right = s.limits[0];
    const char *const expected[] = {"lower and upper are both NULL", "every lower bound must be", "first and last must be knots",
                                    "tolerance must be > 0"};
    for (int i = 0; i < 4; i++) {
        s.limits[0] = right;
        if (i == 0) s.limits[0].lower = s.limits[0].upper = NULL;
        if (i == 1) s.limits[0].lower = UPPER, s.limits[0].upper = LOWER;
        if (i == 2) s.limits[0].first = 3, s.limits[0].last = 2;
        if (i == 3) s.limits[0].tolerance = 0;
        ck_assert_int_eq(trx_plan_create(s.f.context, &s.problem, &settings, &plan), TRX_ERR_ARGUMENT);
        const char *message = trx_context_message(s.f.context);
        ck_assert_msg(strstr(message, "limit 0 (legs)") && strstr(message, expected[i]), "%s", message);
    }
    close_mixed(&s.f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/limit_results");
    TCase *cases = tcase_create("limit_results");
    tcase_add_test(cases, the_worst_violation_has_its_knot_and_its_component);
    tcase_add_test(cases, only_limits_of_the_state_at_knot_0_refuse_a_start);
    tcase_add_test(cases, wrong_limits_are_refused_with_their_field);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
