// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Inverse kinematics: aims that can be met, and aims outside the limits.

#include "search/lab.h"

#include "search/reach.h"

START_TEST(a_ball_comes_to_its_aim)
{
    lab l;
    open_lab(&l, -0.1, 0, 0.15, 0);
    double q[10];
    memcpy(q, l.push.task.x0, sizeof q);
    const trxi_aim aim = {.body = trx_model_find_body(l.push.model, "pusher"), .to = {0.2, -0.3, 0.4}};
    ck_assert(trxi_reach_aims(&l.scout, &aim, 1, q, 0));
    assert_close(q[7], 0.2, 1e-4);
    assert_close(q[8], -0.3, 1e-4);
    assert_close(q[9], 0.4, 1e-4);
    close_lab(&l);
}
END_TEST

START_TEST(outside_the_limits_the_nearest_configuration_is_left)
{
    lab l;
    open_lab(&l, -0.1, 0, 0.15, 0);
    double q[10];
    memcpy(q, l.push.task.x0, sizeof q);
    l.task.upper[0] = 0.05;
    const trxi_aim aim = {.body = trx_model_find_body(l.push.model, "pusher"), .to = {0.2, -0.3, 0.4}};
    ck_assert(!trxi_reach_aims(&l.scout, &aim, 1, q, 0));
    assert_close(q[7], 0.05, 1e-9);
    assert_close(q[8], -0.3, 1e-3);
    close_lab(&l);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("reach");
    TCase *cases = tcase_create("reach");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, a_ball_comes_to_its_aim);
    tcase_add_test(cases, outside_the_limits_the_nearest_configuration_is_left);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
