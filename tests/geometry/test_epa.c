// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The way out of an overlap.

#include "geometry/gjk.h"

#include "geometry/search.h"

static const trx_shape_type types[] = {TRX_SHAPE_MESH,      TRX_SHAPE_BOX,     TRX_SHAPE_CYLINDER,
                                       TRX_SHAPE_ELLIPSOID, TRX_SHAPE_CAPSULE, TRX_SHAPE_SPHERE};
enum { TYPES = 6 };

START_TEST(the_depth_is_that_of_the_shortest_way_out)
{
    dice d = {.seed = 36};
    int overlaps = 0;
    for (int trial = 0; trial < 720; trial++) {
        body A = random_body(&d, types[trial % 4], 0.04), B = random_body(&d, types[trial / 4 % TYPES], 0.04);
        A.shape.rounding = B.shape.rounding = 0;
        trxi_placed_shape a = placed(&A), b = placed(&B);
        trxi_core core_A = trxi_core_of(&a), core_B = trxi_core_of(&b);
        trxi_core_pair pair = trxi_core_pair_of(&core_A, &core_B);
        trxi_simplex s;
        double n[3], best[3], depth = -searched_separation(&d, &A, &B, best) - core_A.radius - core_B.radius;
        if (trxi_gjk(&pair, INFINITY, &s, n) != TRXI_GJK_OVERLAP || depth < 1e-6) continue;
        trxi_way_out out = trxi_epa(&pair, &s, n);
        double bound = out.bound;
        overlaps++;
        // no way out that the search finds is shorter
        double allowed = pair.smooth > 0 ? 1e-3 * (bound + pair.smooth) + 1e-12 : 1e-12;
        ck_assert_msg(bound < depth + allowed, "bound %g, depth %g", bound, depth);
        double minus[3] = {-n[0], -n[1], -n[2]};
        assert_close(-separation_along(&core_A, &core_B, minus) - core_A.radius - core_B.radius, bound, allowed);
        ck_assert(out.tie >= 0 && s.count == 3);
        ck_assert_msg(fmin(out.bound - allowed, out.rival) < depth + 1e-12, "rival %g, depth %g", out.rival, depth);
        // the triangle is where the way out ends
        for (int k = 0; k < 3; k++) assert_close(trxi_dot3(n, s.w[k]), bound, 10 * allowed);
    }
    ck_assert_int_gt(overlaps, 200);
}
END_TEST

START_TEST(touching_cores_have_the_normal_of_the_touch)
{
    // a corner on a face, at a distance that round-off decides
    for (int k = -3; k <= 3; k++) {
        body A = box_body(0.4, 0.4, 0.4), B = box_body(0.2, 0.2, 0.2);
        trxi_exp33((double[]){0.3, 0.4, 0.2}, B.R);
        trxi_placed_shape a = placed(&A), b = placed(&B);
        double lowest[3], n[3];
        trxi_core core_A = trxi_core_of(&a), core_B = trxi_core_of(&b);
        trxi_core_support(&core_B, 0, (double[]){0, 0, -1}, lowest);
        trxi_set3(0.03, -0.02, 0.2 - lowest[2] + 1e-15 * k, B.p);
        trxi_core_pair pair = trxi_core_pair_of(&core_A, &core_B);
        trxi_simplex s;
        ck_assert_int_eq(trxi_gjk(&pair, INFINITY, &s, n), TRXI_GJK_OVERLAP);
        trxi_way_out out = trxi_epa(&pair, &s, n);
        assert_below(max_difference(n, (double[]){0, 0, -1}, 3), 1e-12);
        assert_close(out.bound, 0, 1e-14);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("geometry/epa");
    TCase *cases = tcase_create("epa");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, the_depth_is_that_of_the_shortest_way_out);
    tcase_add_test(cases, touching_cores_have_the_normal_of_the_touch);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
