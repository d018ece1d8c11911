// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The damping of a minimization, with a method whose sweeps and line searches answer as the test says.

#include "trajopt/damping.h"

#include "support/support.h"

#include <math.h>

typedef struct method {
    trxi_damped damped;
    trxi_workspace work;
    trxi_rollout rollout; // only its deadline is used
    trxi_trajectory current;
    double least_solved, least_accepted; // least mu at which a sweep succeeds, at which a step is accepted
    double curvature, gain;              // expected decrease: gain / (curvature + mu); actual decrease of a step
    int sweeps, searches;
} method;

static bool sweep(void *solver)
{
    method *m = solver;
    m->sweeps++;
    m->damped.info.expected = m->gain / (m->curvature + m->damped.mu);
    return m->damped.mu >= m->least_solved;
}

static bool line_search(void *solver)
{
    method *m = solver;
    m->searches++;
    if (m->damped.mu < m->least_accepted) return false;
    m->current.cost -= m->gain;
    return true;
}

static double merit(const void *solver)
{
    return ((const method *)solver)->current.cost;
}

static void start(method *m, double gain)
{
    *m = (method){.curvature = 1, .gain = gain, .current = {.cost = 1}};
    m->work.current = &m->current;
    m->work.rollout = &m->rollout;
    m->rollout.deadline = INFINITY;
    m->damped = (trxi_damped){.work = &m->work, .sweep = sweep, .line_search = line_search, .merit = merit};
    trxi_damped_start(&m->damped, 1e-3);
    m->damped.info.first_cost = 1;
}

static trx_status iterate(method *m, bool *finished)
{
    return trxi_damped_iterate(&m->damped, m, finished);
}

START_TEST(a_small_expected_decrease_has_converged)
{
    method m;
    bool finished;
    start(&m, 1e-4);
    ck_assert_int_eq(iterate(&m, &finished), TRX_OK);
    ck_assert(finished);
    ck_assert_int_eq(m.searches, 0);
    ck_assert_int_eq(m.sweeps, 1);
}
END_TEST

// with mu = 1000 the sweep expects 1e-4 where an undamped one expects 0.1
START_TEST(damping_alone_does_not_converge)
{
    method m;
    bool finished;
    start(&m, 0.1);
    m.damped.mu = 1000;
    ck_assert_int_eq(iterate(&m, &finished), TRX_OK);
    ck_assert(!finished);
    ck_assert_int_eq(m.searches, 1);
    assert_close(m.damped.info.regularization, 0, 0);
}
END_TEST

START_TEST(damping_rises_until_a_step_is_accepted_and_falls_after_it)
{
    method m;
    bool finished;
    start(&m, 0.1);
    m.least_solved = 1e-5;
    m.least_accepted = 1e-3;
    ck_assert_int_eq(iterate(&m, &finished), TRX_OK);
    ck_assert(!finished);
    ck_assert(m.damped.info.regularization >= 1e-3 && m.damped.info.regularization < 1.1e-2);
    assert_close(m.damped.mu, m.damped.info.regularization / 5, 1e-12);
}
END_TEST

START_TEST(two_small_steps_in_a_row_end_it)
{
    method m;
    bool finished;
    start(&m, 5e-4);
    m.curvature = 0.1; // the expected decrease is ten times the decrease of a step
    ck_assert_int_eq(iterate(&m, &finished), TRX_OK);
    ck_assert(!finished);
    ck_assert_int_eq(iterate(&m, &finished), TRX_OK);
    ck_assert(finished);
}
END_TEST

START_TEST(a_step_that_is_never_accepted_is_a_stall)
{
    method m;
    bool finished;
    start(&m, 0.1);
    m.least_accepted = INFINITY;
    ck_assert_int_eq(iterate(&m, &finished), TRX_STALLED);
    ck_assert(finished);
    assert_close(m.current.cost, 1, 0);
}
END_TEST

START_TEST(a_program_that_no_damping_makes_convex_is_an_error)
{
    method m;
    bool finished;
    start(&m, 0.1);
    m.least_solved = INFINITY;
    ck_assert_int_eq(iterate(&m, &finished), TRX_ERR_NOT_PD);
    ck_assert(finished);
}
END_TEST

START_TEST(a_line_search_after_the_deadline_says_so)
{
    method m;
    bool finished;
    start(&m, 0.1);
    m.least_accepted = INFINITY;
    m.rollout.deadline = 0;
    ck_assert_int_eq(iterate(&m, &finished), TRX_TIME_LIMIT);
    ck_assert_int_eq(m.searches, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/damping");
    TCase *cases = tcase_create("damping");
    tcase_add_test(cases, a_small_expected_decrease_has_converged);
    tcase_add_test(cases, damping_alone_does_not_converge);
    tcase_add_test(cases, damping_rises_until_a_step_is_accepted_and_falls_after_it);
    tcase_add_test(cases, two_small_steps_in_a_row_end_it);
    tcase_add_test(cases, a_step_that_is_never_accepted_is_a_stall);
    tcase_add_test(cases, a_program_that_no_damping_makes_convex_is_an_error);
    tcase_add_test(cases, a_line_search_after_the_deadline_says_so);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
