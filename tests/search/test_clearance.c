// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Clearances of configurations against the geometry of a ball beside a cube.

#include "search/lab.h"

#include "search/clearance.h"

START_TEST(the_clearance_is_the_gap_less_what_a_path_keeps)
{
    lab l;
    open_lab(&l, -0.1, 0, 0.15, 0);
    double q[10];
    memcpy(q, l.push.task.x0, sizeof q);
    assert_close(trxi_clearance(&l.scout, q, 0), 0.03 - 0.005, 1e-9);
    q[7] = -0.06; // overlaps by 1 cm
    assert_close(trxi_clearance(&l.scout, q, 0), -0.01 - 0.005, 1e-9);
    close_lab(&l);
}
END_TEST

START_TEST(a_configuration_that_is_too_near_moves_away_along_the_normal)
{
    lab l;
    open_lab(&l, -0.071, 0.01, 0.15, 0);
    double q[10];
    memcpy(q, l.push.task.x0, sizeof q);
    ck_assert(trxi_clearance_gain(&l.scout, q, 0));
    ck_assert(trxi_clearance(&l.scout, q, 0) >= 0);
    assert_close(q[8], 0.01, 1e-6);
    assert_close(q[9], 0.05, 1e-6);
    assert_close(q[7], -0.07 - 1.2 * 0.005, 1e-3);
    ck_assert(memcmp(q, l.push.task.x0, 7 * sizeof *q) == 0);
    assert_close(trxi_clearance_travel(&l.task, l.push.task.x0, q), fabs(q[7] + 0.071), 1e-6);
    close_lab(&l);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("clearance");
    TCase *cases = tcase_create("clearance");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, the_clearance_is_the_gap_less_what_a_path_keeps);
    tcase_add_test(cases, a_configuration_that_is_too_near_moves_away_along_the_normal);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
