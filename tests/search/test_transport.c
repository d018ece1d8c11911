// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The guess of a contact: a push carries the box most of the way, and an optimization from it needs no softer stage.

#include "search/lab.h"

#include "search/transport.h"

START_TEST(the_guess_carries_the_box_towards_the_goal)
{
    lab l;
    open_lab(&l, -0.1, 0, 0.15, 0);
    trxi_placement found[1] = {{0}};
    ck_assert_int_eq(trxi_placements_find(&l.scout, l.pool, l.push.task.x0, 0, 1, 1, found), 1);
    double x[19], next[19];
    memcpy(x, l.push.task.x0, sizeof x);
    memcpy(x, found[0].q, 10 * sizeof *x); // the pusher is placed
    trxi_stretch out;
    ck_assert_int_eq(trxi_transport(&l.scout, l.pool, found, x, 0, 50, &out), 1);
    ck_assert_int_eq(out.steps, 50);
    const double *end = out.x + 19 * 50;
    ck_assert(end[0] > 0.1 && end[0] < 0.25);
    assert_below(fabs(end[1]), 0.05);

    // the controls are within their limits and give these states
    memcpy(next, x, sizeof next);
    for (int k = 0; k < 50; k++) {
        for (int i = 0; i < 3; i++) ck_assert(fabs(out.u[3 * k + i]) <= 20);
        ck_assert_int_ge(trx_step(l.scout.sim, out.x + 19 * k, out.u + 3 * k, next), 0);
        assert_below(max_difference(next, out.x + 19 * (k + 1), 19), 1e-9);
    }
    close_lab(&l);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("transport");
    TCase *cases = tcase_create("transport");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, the_guess_carries_the_box_towards_the_goal);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
