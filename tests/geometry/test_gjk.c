// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The rough distance of cores that are apart.

#include "geometry/gjk.h"

#include "geometry/search.h"

static const trx_shape_type types[] = {TRX_SHAPE_MESH,      TRX_SHAPE_BOX,     TRX_SHAPE_CYLINDER,
                                       TRX_SHAPE_ELLIPSOID, TRX_SHAPE_CAPSULE, TRX_SHAPE_SPHERE};
enum { TYPES = 6 };

typedef struct cores {
    body A, B;
    trxi_core a, b;
} cores;

static void random_cores(dice *d, int trial, double spread, cores *c)
{
    c->A = random_body(d, types[trial % TYPES], spread);
    c->B = random_body(d, types[trial / TYPES % TYPES], spread);
    trxi_placed_shape a = placed(&c->A), b = placed(&c->B);
    c->a = trxi_core_of(&a), c->b = trxi_core_of(&b);
}

START_TEST(the_nearest_point_of_the_simplex_and_its_plane_enclose_the_distance)
{
    dice d = {.seed = 34};
    int answers[3] = {0};
    for (int trial = 0; trial < 7200; trial++) {
        cores c;
        random_cores(&d, trial, 0.15, &c);
        trxi_core_pair pair = trxi_core_pair_of(&c.a, &c.b);
        trxi_simplex s;
        double n[3], v[3] = {0, 0, 0}, sum = 0;
        trxi_gjk_answer answer = trxi_gjk(&pair, INFINITY, &s, n);
        answers[answer]++;
        if (answer != TRXI_GJK_APART) continue;
        for (int k = 0; k < s.count; k++) {
            ck_assert(s.lambda[k] > 0);
            sum += s.lambda[k];
            trxi_axpy3(s.lambda[k], s.w[k], v);
        }
        assert_close(sum, 1, 1e-12);
        for (int i = 0; i < 3; i++) assert_close(trxi_norm3(v) * n[i], v[i], 1e-14);
        // two planes bound the distance from below, two points from above
        double lower = separation_along(&c.a, &c.b, n) + c.a.radius + c.b.radius, upper = trxi_norm3(v);
        ck_assert(lower <= upper + 1e-14);
        assert_close(lower, upper, (pair.smooth > 0 ? 2e-4 : 1e-12) * upper + 1e-14);
    }
    ck_assert(answers[TRXI_GJK_APART] > 2000 && answers[TRXI_GJK_OVERLAP] > 500 && answers[TRXI_GJK_BEYOND] == 0);
}
END_TEST

START_TEST(cores_that_overlap_are_told_from_those_that_do_not)
{
    dice d = {.seed = 44};
    int overlaps = 0;
    for (int trial = 0; trial < 180; trial++) {
        cores c;
        random_cores(&d, trial, 0.05, &c);
        trxi_core_pair pair = trxi_core_pair_of(&c.a, &c.b);
        trxi_simplex s;
        double n[3];
        double found = searched_separation(&d, &c.A, &c.B, n) + c.a.radius + c.b.radius;
        bool overlap = trxi_gjk(&pair, INFINITY, &s, n) == TRXI_GJK_OVERLAP;
        // a plane between them is a proof
        if (found > 1e-9) ck_assert(!overlap);
        if (found < -1e-3) ck_assert(overlap);
        overlaps += overlap;
    }
    ck_assert(overlaps > 50 && overlaps < 170);
}
END_TEST

START_TEST(cores_beyond_reach_are_told_and_others_never)
{
    dice d = {.seed = 35};
    int beyond = 0;
    for (int trial = 0; trial < 3600; trial++) {
        cores c;
        random_cores(&d, trial, 0.2, &c);
        trxi_simplex s;
        double n[3], v[3] = {0, 0, 0};
        trxi_core_pair pair = trxi_core_pair_of(&c.a, &c.b);
        if (trxi_gjk(&pair, INFINITY, &s, n) != TRXI_GJK_APART) continue;
        for (int k = 0; k < s.count; k++) trxi_axpy3(s.lambda[k], s.w[k], v);
        double distance = trxi_norm3(v);
        ck_assert_int_eq(trxi_gjk(&pair, distance * (1 + 1e-6), &s, n), TRXI_GJK_APART);
        ck_assert_int_eq(trxi_gjk(&pair, distance * (1 - 1e-3), &s, n), TRXI_GJK_BEYOND);
        ck_assert_int_eq(trxi_gjk(&pair, -0.01, &s, n), TRXI_GJK_BEYOND);
        beyond++;
    }
    ck_assert_int_gt(beyond, 1000);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("geometry/gjk");
    TCase *cases = tcase_create("gjk");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, the_nearest_point_of_the_simplex_and_its_plane_enclose_the_distance);
    tcase_add_test(cases, cores_that_overlap_are_told_from_those_that_do_not);
    tcase_add_test(cases, cores_beyond_reach_are_told_and_others_never);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
