// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section limits: bounds per component, knots and times, limits that robots have.

#include "problem/loading.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char ARM[] = "tractrix: 1\n"
                          "model:\n"
                          "  bodies:\n"
                          "    - name: arm\n"
                          "      joints:\n"
                          "        - {name: a, type: hinge, axis: [0, 1, 0], limits: [-1, 2], velocity_limit: 3}\n"
                          "        - {name: b, type: slide, axis: [0, 0, 1], velocity_limit: 0.5}\n"
                          "        - {name: c, type: hinge, axis: [1, 0, 0], limits: [-2, 2]}\n"
                          "      inertia: {mass: 1, tensor: [0.1, 0.1, 0.1]}\n"
                          "    - name: free\n"
                          "      joints: [{name: d, type: slide, axis: [1, 0, 0]}]\n"
                          "      inertia: {mass: 1, tensor: [0.1, 0.1, 0.1]}\n"
                          "  actuators: [{joint: a}, {joint: b}]\n"
                          "time: {step: 0.01, steps: 20}\n"
                          "cost: [{of: velocity}]\n";

static fixture f;
static trx_plan_problem task;

static void setup(void)
{
    f = fixture_open();
}

static void teardown(void)
{
    fixture_close(&f);
}

// the plan problem of the arm with these limits
static void load(const char *limits)
{
    char set[256];
    snprintf(set, sizeof set, "limits=%s", limits);
    trx_plan_settings settings;
    trx_status status = load_text(&f, ARM, (const char *const[]){set}, 1);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(f.context));
    ck_assert_int_eq(trx_problem_plan(f.problem, &task, &settings), TRX_OK);
}

static void assert_refused(const char *limits, const char *words)
{
    char set[256];
    snprintf(set, sizeof set, "limits=%s", limits);
    ck_assert_int_eq(load_text(&f, ARM, (const char *const[]){set}, 1), TRX_ERR_INPUT);
    ck_assert_msg(strstr(trx_context_message(f.context), words) != NULL, "%s", trx_context_message(f.context));
}

START_TEST(bounds_are_one_number_or_one_per_component_and_none_is_none)
{
    load("[{of: arm.position, min: [0, none, -1], max: 2}, {of: a.velocity, equal: 0.5, tolerance: 0.01}]");
    ck_assert_int_eq(task.nlimit, 2);
    const trx_limit *box = &task.limits[0], *rate = &task.limits[1];
    ck_assert_str_eq(box->term.name, "arm.position");
    ck_assert(box->lower[0] == 0 && box->lower[1] == -INFINITY && box->lower[2] == -1);
    for (int i = 0; i < 3; i++) ck_assert(box->upper[i] == 2);
    ck_assert(box->tolerance == 1e-4 && rate->tolerance == 0.01);
    ck_assert(rate->lower[0] == 0.5 && rate->upper[0] == 0.5 && rate->term.quantity == TRX_JOINT_VELOCITY);
}
END_TEST

// an equality with `none` became a lower bound, or an upper bound of minus infinity
START_TEST(none_frees_one_component_of_an_equality)
{
    load("[{of: arm.position, equal: [none, 0.5, 1]}, {of: arm.position, equal: [0, 0.5, none]}]");
    ck_assert_int_eq(task.nlimit, 2);
    const trx_limit *first = &task.limits[0], *last = &task.limits[1];
    ck_assert(first->lower[0] == -INFINITY && first->upper[0] == INFINITY);
    ck_assert(first->lower[1] == 0.5 && first->upper[1] == 0.5 && first->lower[2] == 1 && first->upper[2] == 1);
    ck_assert(last->lower[0] == 0 && last->upper[0] == 0 && last->lower[1] == 0.5 && last->upper[1] == 0.5);
    ck_assert(last->lower[2] == -INFINITY && last->upper[2] == INFINITY);
}
END_TEST

START_TEST(limits_hold_at_all_knots_or_where_the_file_says)
{
    static const struct {
        const char *when;
        int first, last;
    } cases[] = {{"at: all", 0, INT_MAX}, {"at: running", 0, 19}, {"at: end", 20, INT_MAX}, {"knots: [3, 7]", 3, 7},
                 {"time: [0.05, 0.1]", 5, 10}, {"time: [0.051, 0.109]", 6, 10}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char limits[128];
        snprintf(limits, sizeof limits, "[{of: a.position, max: 1, %s}]", cases[i].when);
        load(limits);
        ck_assert_int_eq(task.limits[0].first, cases[i].first);
        ck_assert_int_eq(task.limits[0].last, cases[i].last);
    }
}
END_TEST

START_TEST(a_robot_has_limits_of_positions_and_velocities)
{
    load("[{of: joints(arm), robot: true}, {of: c, robot: true}, {of: b, robot: true, at: end}]");
    ck_assert_int_eq(task.nlimit, 4);
    const trx_limit *l = task.limits;
    ck_assert_str_eq(l[0].term.name, "joints(arm).position");
    ck_assert_str_eq(l[1].term.name, "joints(arm).velocity");
    ck_assert(l[0].lower[0] == -1 && l[0].upper[0] == 2 && isinf(l[0].lower[1]) && isinf(l[0].upper[1]) && l[0].upper[2] == 2);
    ck_assert(l[1].lower[0] == -3 && l[1].upper[1] == 0.5 && isinf(l[1].upper[2]));
    ck_assert_str_eq(l[2].term.name, "c.position"); // no velocity limit
    ck_assert_str_eq(l[3].term.name, "b.velocity"); // no position limit
    ck_assert_int_eq(l[3].first, 20);
}
END_TEST

START_TEST(wrong_limits_are_refused_with_what_to_write)
{
    assert_refused("[{of: a.position}]", "missing key \"min\": add it, or max");
    assert_refused("[{of: a.position, min: 1, max: 0.5}]", "max: 0.5 is below min, 1");
    assert_refused("[{of: a.position, equal: 1, max: 2}]", "equal: min or max is given too");
    assert_refused("[{of: a.position, max: 1, at: end, knots: [1, 2]}]", "knots: at is given too");
    assert_refused("[{of: a.position, max: 1, knots: [30, 40]}]", "the limit holds at no knot: the knots of the plan are 0 to 20");
    assert_refused("[{of: control, max: 1, at: end}]", "control has no value at the end");
    assert_refused("[{of: arm.position, max: [1, 2]}]", "max: expected a list of 3 numbers, found 2");
    assert_refused("[{of: joints(arm), robot: true, max: 1}]", "max: robot: true takes the limits of the joints");
    assert_refused("[{of: arm, robot: true}]", "robot: true is for joints");
    assert_refused("[{of: d, robot: true}]", "limits of neither position nor velocity");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/read_limits");
    TCase *cases = tcase_create("read_limits");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, bounds_are_one_number_or_one_per_component_and_none_is_none);
    tcase_add_test(cases, none_frees_one_component_of_an_equality);
    tcase_add_test(cases, limits_hold_at_all_knots_or_where_the_file_says);
    tcase_add_test(cases, a_robot_has_limits_of_positions_and_velocities);
    tcase_add_test(cases, wrong_limits_are_refused_with_what_to_write);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
