// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Followed paths: the simulated motion arrives at rest, within the limits of the controls, and leaves the box alone.

#include "search/lab.h"

#include "search/clearance.h"
#include "search/follow.h"

START_TEST(the_pusher_arrives_at_rest_behind_the_box)
{
    lab l;
    open_lab(&l, 0.12, 0.01, 0.15, 0);
    double to[10];
    memcpy(to, l.push.task.x0, sizeof to);
    to[7] = -0.12;
    trxi_path path;
    trxi_stretch way;
    ck_assert_int_eq(trxi_path_find(&l.scout, l.pool, l.push.task.x0, to, 0, 1, &path), 1);
    ck_assert_int_eq(trxi_follow(&l.scout, l.pool, &path, l.push.task.x0, 0, 45, &way), 1);
    const double *end = way.x + 19 * way.steps;
    assert_below(trxi_clearance_travel(&l.task, to, end), l.task.clearance);
    for (int i = 0; i < 3; i++) assert_below(fabs(end[10 + 6 + i]), 0.05);
    assert_below(hypot(end[0], end[1]), 1e-4);
    for (int i = 0; i < 3 * way.steps; i++) ck_assert(fabs(way.u[i]) <= 20);

    // the controls give these states
    double x[19];
    memcpy(x, way.x, sizeof x);
    for (int k = 0; k < way.steps; k++) ck_assert_int_ge(trx_step(l.scout.sim, x, way.u + 3 * k, x), 0);
    assert_below(max_difference(x, end, 19), 1e-6);
    close_lab(&l);
}
END_TEST

START_TEST(a_time_that_is_too_short_is_refused)
{
    lab l;
    open_lab(&l, -0.12, 0.01, 0.15, 0);
    double to[10];
    memcpy(to, l.push.task.x0, sizeof to);
    to[7] = -40;
    trxi_path path;
    trxi_stretch way;
    ck_assert_int_eq(trxi_path_find(&l.scout, l.pool, l.push.task.x0, to, 0, 1, &path), 1);
    ck_assert_int_eq(trxi_follow(&l.scout, l.pool, &path, l.push.task.x0, 0, 20, &way), 0);
    close_lab(&l);
}
END_TEST

START_TEST(holding_balances_what_acts)
{
    lab l;
    open_lab(&l, -0.12, 0.01, 0.15, 0);
    double x[19], u[3], next[19];
    memcpy(x, l.push.task.x0, sizeof x);
    x[10 + 6] = 0.3; // the pusher moves
    ck_assert_int_ge(trxi_hold(&l.scout, x, 0, u), 0);
    ck_assert_int_ge(trx_step(l.scout.sim, x, u, next), 0);
    for (int i = 0; i < 3; i++) assert_close(next[10 + 6 + i], 0, 1e-9);
    close_lab(&l);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("follow");
    TCase *cases = tcase_create("follow");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, the_pusher_arrives_at_rest_behind_the_box);
    tcase_add_test(cases, a_time_that_is_too_short_is_refused);
    tcase_add_test(cases, holding_balances_what_acts);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
