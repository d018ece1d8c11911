// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// States of a guess: tables with and without velocities, runs, the straight way to the targets; what is refused.

#include "loading.h"

#include <stdio.h>
#include <string.h>

enum { NSTATE = 9 + 8, STEPS = 10 };

static const char COST[] = "start: {box: {xyz: [0, 0, 0.05]}, px: -0.1}\n"
                           "cost:\n"
                           "  - {of: box.position, target: [0.15, 0.3, 9], weight: [100, 100, 0], at: end}\n"
                           "  - {of: box.orientation, target: {rpy: [0, 0, 1.0]}, at: end}\n"
                           "  - {of: py.position, target: 0.25, at: all}\n"
                           "  - {of: px.position, target: 0.5}\n";

static trx_status load_guess(sandbox *s, const char *guess, trx_plan_problem *p)
{
    char rest[1024];
    trx_plan_settings settings;
    snprintf(rest, sizeof rest, "%ssolve: {method: multiple_shooting, guess: %s}\n", COST, guess);
    trx_status status = load_push(s, rest);
    if (status >= 0) status = trx_problem_plan(s->f.problem, p, &settings);
    if (status >= 0) ck_assert_int_eq(settings.method, TRX_MULTIPLE_SHOOTING);
    return status;
}

START_TEST(the_straight_way_ends_at_the_targets)
{
    sandbox s = sandbox_open();
    trx_plan_problem p;
    ck_assert_int_eq(load_guess(&s, "{states: interpolate}", &p), TRX_OK);
    ck_assert_ptr_null(p.u_guess);
    const double *start = trx_problem_start(s.f.problem), *half = p.x_guess + 5 * NSTATE, *end = p.x_guess + 10 * NSTATE;
    const double turn = 10 * p.sim.time_step;
    assert_below(max_difference(p.x_guess, start, 9), 1e-15);

    // a position without weight and a term without the last knot do not move the end of the path
    const double expected[9] = {0.15, 0.3, 0.05, cos(0.5), 0, 0, sin(0.5), -0.1, 0.25};
    assert_below(max_difference(end, expected, 9), 1e-12);
    const double middle[9] = {0.075, 0.15, 0.05, cos(0.25), 0, 0, sin(0.25), -0.1, 0.125};
    assert_below(max_difference(half, middle, 9), 1e-12);
    const double rates[8] = {0.15 / turn, 0.3 / turn, 0, 0, 0, 1 / turn, 0, 0.25 / turn};
    assert_below(max_difference(half + 9, rates, 8), 1e-9);
    sandbox_close(&s, NULL, 0);
}
END_TEST

// the target of the last knot was taken where the weight of the first knot is positive
START_TEST(the_straight_way_reads_the_weights_of_the_last_knot)
{
    static const char rest[] =
        "start: {box: {xyz: [0, 0, 0.05]}, px: -0.1}\n"
        "cost:\n"
        "  - {of: box.position, target: [0.4, 9, 9], weight: {base: [1, 0, 0], times: [0, 0.2], factors: [0, 1]}, at: all}\n"
        "  - {of: px.position, target: 0.5, weight: {times: [0, 0.2], factors: [0, 1]}, at: all}\n"
        "  - {of: py.position, target: 0.25, weight: {times: [0, 0.1], factors: [1, 0]}, at: all}\n"
        "solve: {method: multiple_shooting, guess: {states: interpolate}}\n";
    sandbox s = sandbox_open();
    trx_plan_problem p;
    trx_plan_settings settings;
    ck_assert_int_eq(load_push(&s, rest), TRX_OK);
    ck_assert_int_eq(trx_problem_plan(s.f.problem, &p, &settings), TRX_OK);
    const double expected[9] = {0.4, 0, 0.05, 1, 0, 0, 0, 0.5, 0};
    assert_below(max_difference(p.x_guess + STEPS * NSTATE, expected, 9), 1e-12);
    sandbox_close(&s, NULL, 0);
}
END_TEST

static const char HEAD[] = "t,box.x,box.y,box.z,box.qw,box.qx,box.qy,box.qz,px,py";

static void write_table(sandbox *s, const char *name, const char *head, const char *rows)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s\n%s", HEAD, head, rows);
    write_file(s, name, text);
}

START_TEST(tables_are_sampled_at_the_knots)
{
    sandbox s = sandbox_open();
    trx_plan_problem p;
    write_table(&s, "way.csv", "", "0,0,0,0.05,2,0,0,0,1,0\n0.08,0.8,0,0.05,2,0,0,0,1,0\n");
    ck_assert_int_eq(load_guess(&s, "{states: way.csv, controls: gravity}", &p), TRX_OK);
    ck_assert_ptr_nonnull(p.u_guess);
    const double step = p.sim.time_step;
    for (int k = 0; k <= STEPS; k++) {
        const double *x = p.x_guess + NSTATE * k, t = fmin(k * step, 0.08);
        assert_close(x[0], 10 * t, 1e-12);
        assert_close(x[3], 1, 0);
        assert_close(x[9], k * step < 0.08 * (1 - 1e-9) ? 10 : 0, 1e-9);
    }

    // a run folder: states and controls
    write_table(&s, "trajectory.csv", ",box.vx,box.vy,box.vz,box.wx,box.wy,box.wz,px.v,py.v,u.px,u.py",
                "0,0,0,0.05,1,0,0,0,1,0,0,0,0,0,0,0,7,0,3,4\n1,1,0,0.05,1,0,0,0,1,0,0,0,0,0,0,0,9,0,,\n");
    ck_assert_int_eq(load_guess(&s, "{states: ., controls: .}", &p), TRX_OK);
    ck_assert(p.u_guess[0] == 3 && p.u_guess[1] == 4);
    assert_close(p.x_guess[15], 7, 0);
    assert_close(p.x_guess[NSTATE * STEPS + 15], 7 + 2 * STEPS * step, 1e-12);

    // the problem as run has absolute paths
    const char *text = trx_problem_text(s.f.problem);
    ck_assert_ptr_nonnull(strstr(text, "states: /"));
    ck_assert_ptr_nonnull(strstr(text, "controls: /"));
    const char *const names[] = {"way.csv", "trajectory.csv"};
    sandbox_close(&s, names, 2);
}
END_TEST

// the names of velocities were asked for where there are none
START_TEST(a_model_without_joints_takes_a_table_of_states)
{
    sandbox s = sandbox_open();
    trx_plan_problem p;
    trx_plan_settings settings;
    write_file(&s, "s.csv", "t\n0\n1\n");
    static const char text[] = "tractrix: 1\nmodel: {bodies: [{name: a, geometry: [{shape: sphere, radius: 0.1, mass: 1}]}]}\n"
                               "time: {step: 0.001, steps: 2}\ncost: [{of: a.position, weight: 1}]\n"
                               "solve: {guess: {states: s.csv}}\n";
    trx_status status = load_text_as(&s.f, in_folder(&s, "still.yaml"), text, NULL, 0);
    if (status >= 0) status = trx_problem_plan(s.f.problem, &p, &settings);
    ck_assert_int_eq(status, TRX_OK);
    sandbox_close(&s, (const char *[]){"s.csv"}, 1);
}
END_TEST

START_TEST(what_cannot_be_states_is_refused_with_its_place)
{
    sandbox s = sandbox_open();
    trx_plan_problem p;
    ck_assert_int_eq(load_guess(&s, "{states: none.csv}", &p), TRX_ERR_IO);
    ck_assert_int_eq(load_guess(&s, "{controls: zero}", &p), TRX_ERR_INPUT);
    ck_assert(has_finding(&s.f, TRX_ERROR, "states"));
    write_file(&s, "bad.csv", "t,px,py\n0,1,2\n");
    ck_assert_int_eq(load_guess(&s, "{states: bad.csv}", &p), TRX_ERR_INPUT);
    ck_assert(has_finding(&s.f, TRX_ERROR, "no column \"box.x\""));
    write_table(&s, "bad.csv", "", "0,0,0,0.05,0,0,0,0,1,0\n");
    ck_assert_int_eq(load_guess(&s, "{states: bad.csv}", &p), TRX_ERR_INPUT);
    ck_assert(has_finding(&s.f, TRX_ERROR, "quaternion of length 0"));
    write_table(&s, "bad.csv", "", "0,0,0,0.05,1,0,0,0,1,0\n0,0,0,0.05,1,0,0,0,1,0\n");
    ck_assert_int_eq(load_guess(&s, "{states: bad.csv}", &p), TRX_ERR_INPUT);
    ck_assert(has_finding(&s.f, TRX_ERROR, "does not increase"));
    write_table(&s, "bad.csv", "", "0,0,0,0.05,1,0,0,0,,0\n");
    ck_assert_int_eq(load_guess(&s, "{states: bad.csv}", &p), TRX_ERR_INPUT);
    ck_assert(has_finding(&s.f, TRX_ERROR, "an empty cell"));
    write_table(&s, "bad.csv", ",box.vx", "0,0,0,0.05,1,0,0,0,1,0,0\n");
    ck_assert_int_eq(load_guess(&s, "{states: bad.csv}", &p), TRX_ERR_INPUT);
    ck_assert(has_finding(&s.f, TRX_ERROR, "no column \"box.vy\""));
    write_table(&s, "bad.csv", "", "");
    ck_assert_int_eq(load_guess(&s, "{states: bad.csv}", &p), TRX_ERR_INPUT);
    ck_assert(has_finding(&s.f, TRX_ERROR, "no rows"));
    const char *const names[] = {"bad.csv"};
    sandbox_close(&s, names, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/states");
    TCase *cases = tcase_create("states");
    tcase_add_test(cases, the_straight_way_ends_at_the_targets);
    tcase_add_test(cases, the_straight_way_reads_the_weights_of_the_last_knot);
    tcase_add_test(cases, tables_are_sampled_at_the_knots);
    tcase_add_test(cases, a_model_without_joints_takes_a_table_of_states);
    tcase_add_test(cases, what_cannot_be_states_is_refused_with_its_place);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
