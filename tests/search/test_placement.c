// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Placements are clear of everything, on the side from which the box can be pushed, and different from each other.

#include "search/lab.h"

#include "search/clearance.h"
#include "search/placement.h"

START_TEST(the_best_placements_are_behind_the_box)
{
    lab l;
    open_lab(&l, 0.12, 0.01, 0.15, 0);
    trxi_placement found[4] = {{0}};
    const int count = trxi_placements_find(&l.scout, l.pool, l.push.task.x0, 0, 1, 4, found);
    ck_assert_int_eq(count, 4);
    assert_below(found[0].q[7], -0.07);
    assert_close(found[0].touches[0].n[0], -1, 1e-6);
    for (int i = 0; i < count; i++) {
        ck_assert(trxi_clearance(&l.scout, found[i].q, 0) >= 0);
        ck_assert(memcmp(found[i].q, l.push.task.x0, 7 * sizeof(double)) == 0);
        if (i > 0) ck_assert(found[i].miss >= found[i - 1].miss);
    }
    close_lab(&l);
}
END_TEST

START_TEST(what_moves_in_a_plane_is_placed_in_this_plane)
{
    lab l;
    open_lab(&l, 0.12, 0.01, 0.15, 0);
    l.task.lower[2] = l.task.upper[2] = 0.05; // the height of the pusher
    trxi_placement found[3] = {{0}};
    const int count = trxi_placements_find(&l.scout, l.pool, l.push.task.x0, 0, 1, 3, found);
    ck_assert_int_ge(count, 1);
    for (int i = 0; i < count; i++) {
        assert_close(found[i].q[9], 0.05, 1e-12);
        assert_close(found[i].touches[0].p[2], 0.05, 1e-6);
    }
    close_lab(&l);
}
END_TEST

START_TEST(the_same_seed_finds_the_same_placements)
{
    lab l;
    open_lab(&l, 0.12, 0.01, 0.1, 0.1);
    trxi_placement one[2] = {{0}}, two[2] = {{0}}, other[2] = {{0}};
    ck_assert_int_eq(trxi_placements_find(&l.scout, l.pool, l.push.task.x0, 0, 7, 2, one), 2);
    ck_assert_int_eq(trxi_placements_find(&l.scout, l.pool, l.push.task.x0, 0, 7, 2, two), 2);
    ck_assert_int_eq(trxi_placements_find(&l.scout, l.pool, l.push.task.x0, 0, 8, 2, other), 2);
    for (int i = 0; i < 2; i++) ck_assert(memcmp(one[i].q, two[i].q, 10 * sizeof(double)) == 0);
    ck_assert(memcmp(one[0].q, other[0].q, 10 * sizeof(double)) != 0);
    close_lab(&l);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("placement");
    TCase *cases = tcase_create("placement");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, the_best_placements_are_behind_the_box);
    tcase_add_test(cases, what_moves_in_a_plane_is_placed_in_this_plane);
    tcase_add_test(cases, the_same_seed_finds_the_same_placements);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
