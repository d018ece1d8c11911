// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The table of pairs, and properties of every pair in the table.

#include "geometry/hull.h"
#include "geometry/probe.h"

#include <string.h>

// height fields, the last type, have tests of their own (test_height_field_pair.c)
enum { TYPES = 8, TRIED = 7 };

static const int most_points[TYPES][TYPES] = {
    // halfspace, mesh, box, cylinder, ellipsoid, capsule, sphere, heightfield
    {0, 8, 8, 8, 1, 2, 1, 0}, {0, 8, 8, 8, 1, 2, 1, 0}, {0, 0, 8, 8, 1, 2, 1, 0}, {0, 0, 0, 8, 1, 2, 1, 0},
    {0, 0, 0, 0, 1, 1, 1, 0}, {0, 0, 0, 0, 0, 2, 1, 0}, {0, 0, 0, 0, 0, 0, 1, 0}, {0, 8, 8, 8, 8, 8, 8, 0},
};

START_TEST(the_table_serves_what_is_announced)
{
    for (int a = -1; a < 10; a++)
        for (int b = -1; b < 10; b++) {
            bool in_range = a >= 0 && a < TYPES && b >= 0 && b < TYPES;
            int expected = in_range ? most_points[a][b] : 0;
            ck_assert_int_eq(trxi_max_points((trx_shape_type)a, (trx_shape_type)b), expected);
            ck_assert(trxi_pair_served((trx_shape_type)a, (trx_shape_type)b) == (expected > 0));
            ck_assert_int_le(expected, TRXI_MAX_CONTACT_POINTS);
        }
}
END_TEST

START_TEST(the_margin_keeps_exactly_the_points_below_it)
{
    dice d = {.seed = 16};
    for (int trial = 0; trial < 2000; trial++) {
        int a = trial % TRIED, b = trial / TRIED % TRIED;
        if (!most_points[a][b]) continue;
        body A = random_body(&d, (trx_shape_type)a, 0.1), B = random_body(&d, (trx_shape_type)b, 0.1);
        trxi_placed_shape pa = placed(&A), pb = placed(&B);
        trxi_contact_point all[8], some[8];
        int count = collide(&A, &B, all), expected = 0;
        // a plane keeps eight corners of a mesh; the choice depends on the number of corners within the margin
        if (a == TRX_SHAPE_HALFSPACE && b == TRX_SHAPE_MESH && B.shape.hull->nvertex > 8) continue;
        double margin = all[trial % count].phi;
        int kept = trxi_collide(&pa, &pb, margin, true, some);
        for (int k = 0; k < count; k++) {
            if (!(all[k].phi < margin)) continue;
            ck_assert_int_lt(expected, kept);
            ck_assert_msg(!memcmp(&some[expected], &all[k], sizeof all[k].phi), "kinds %d, %d: %.17g, %.17g", a, b,
                          some[expected].phi, all[k].phi);
            ck_assert_int_eq(some[expected++].feature, all[k].feature);
        }
        ck_assert_msg(kept == expected, "kinds %d, %d: %d points within %.17g, not %d", a, b, kept, margin, expected);
    }
}
END_TEST

START_TEST(derivatives_are_written_only_on_request_and_change_nothing_else)
{
    dice d = {.seed = 17};
    for (int trial = 0; trial < 500; trial++) {
        int a = trial % TRIED, b = trial / TRIED % TRIED;
        if (!most_points[a][b]) continue;
        body A = random_body(&d, (trx_shape_type)a, 0.1), B = random_body(&d, (trx_shape_type)b, 0.1);
        trxi_placed_shape pa = placed(&A), pb = placed(&B);
        trxi_contact_point with[8], without[8], untouched[8];
        memset(without, 0x5a, sizeof without);
        memcpy(untouched, without, sizeof without);
        int count = trxi_collide(&pa, &pb, 0.1, true, with);
        ck_assert_int_eq(trxi_collide(&pa, &pb, 0.1, false, without), count);
        for (int k = 0; k < count; k++) {
            ck_assert_mem_eq(&with[k], &without[k], offsetof(trxi_contact_point, feature));
            ck_assert_int_eq(with[k].feature, without[k].feature);
            ck_assert_mem_eq(without[k].dn_dtheta, untouched[k].dn_dtheta, 36 * sizeof(double));
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("geometry/collide");
    TCase *cases = tcase_create("collide");
    tcase_add_test(cases, the_table_serves_what_is_announced);
    tcase_add_test(cases, the_margin_keeps_exactly_the_points_below_it);
    tcase_add_test(cases, derivatives_are_written_only_on_request_and_change_nothing_else);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
