// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Paths round a box: they end where they should, are free everywhere, and are short.

#include "search/lab.h"

#include "search/clearance.h"
#include "search/path.h"

static void assert_free(lab *l, const trxi_path *path, double from)
{
    double q[10];
    const double length = path->at[path->count - 1];
    for (int i = 0; i <= 400; i++) {
        trxi_path_locate(&l->task, path, length * i / 400, q);
        if (length * i / 400 >= from) ck_assert(trxi_clearance(&l->scout, q, 0) > -0.3 * l->task.clearance);
    }
}

START_TEST(a_path_leads_round_the_box)
{
    lab l;
    open_lab(&l, 0.12, 0.01, 0.15, 0);
    double to[10];
    for (uint64_t seed = 1; seed < 6; seed++) {
        memcpy(to, l.push.task.x0, sizeof to);
        to[7] = -0.12;
        trxi_path path;
        ck_assert_int_eq(trxi_path_find(&l.scout, l.pool, l.push.task.x0, to, 0, seed, &path), 1);
        ck_assert(memcmp(path.q, l.push.task.x0, 10 * sizeof *to) == 0);
        ck_assert(memcmp(path.q + 10 * (path.count - 1), to, sizeof to) == 0);
        assert_free(&l, &path, 0);
        assert_below(path.at[path.count - 1], 0.45);
        ck_assert(path.at[path.count - 1] > 0.24);
    }
    close_lab(&l);
}
END_TEST

START_TEST(a_free_way_is_straight)
{
    lab l;
    open_lab(&l, -0.12, 0.01, 0.15, 0);
    double to[10];
    memcpy(to, l.push.task.x0, sizeof to);
    to[7] = -0.3, to[8] = 0.2;
    trxi_path path;
    ck_assert_int_eq(trxi_path_find(&l.scout, l.pool, l.push.task.x0, to, 0, 1, &path), 1);
    ck_assert_int_eq(path.count, 2);
    assert_close(path.at[1], hypot(0.18, 0.19), 1e-9);
    close_lab(&l);
}
END_TEST

START_TEST(a_path_leaves_a_contact_first)
{
    lab l;
    open_lab(&l, -0.0695, 0, 0.15, 0);
    double to[10];
    memcpy(to, l.push.task.x0, sizeof to);
    to[7] = 0, to[8] = 0.12;
    trxi_path path;
    ck_assert_int_eq(trxi_path_find(&l.scout, l.pool, l.push.task.x0, to, 0, 1, &path), 1);
    ck_assert_int_ge(path.count, 3);
    assert_below(path.q[10 + 7], -0.0745);
    assert_free(&l, &path, path.at[1]);
    close_lab(&l);
}
END_TEST

START_TEST(where_there_is_no_way_none_is_found)
{
    lab l;
    open_lab(&l, -0.12, 0.01, 0.15, 0);
    double to[10];
    memcpy(to, l.push.task.x0, sizeof to);
    to[7] = 0; // inside the box
    trxi_path path;
    ck_assert_int_eq(trxi_path_find(&l.scout, l.pool, l.push.task.x0, to, 0, 1, &path), 0);
    close_lab(&l);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("path");
    TCase *cases = tcase_create("path");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, a_path_leads_round_the_box);
    tcase_add_test(cases, a_free_way_is_straight);
    tcase_add_test(cases, a_path_leaves_a_contact_first);
    tcase_add_test(cases, where_there_is_no_way_none_is_found);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
