// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Polygons as triangles: reflex corners, both orientations, all planes, quadrilaterals out of plane, polygons that touch or cross
// themselves.

#include "base/random.h"
#include "formats/polygon.h"
#include "math/vec3.h"
#include "support/parser.h"

#include <math.h>
#include <string.h>

enum { MOST = 60 };

static void divide(const double *points, int n, int *triangles)
{
    for (int k = 0; k + 2 < n; k++) {
        const int corners[3] = {0, k + 1, k + 2};
        memcpy(triangles + 3 * k, corners, sizeof corners);
    }
    ck_assert(trxi_polygon_divide(pool, points, TRXI_POLYGONS_COVERED, triangles, n - 2));
}

static void normal_of(const double *points, const int t[3], double n[3])
{
    double a[3], b[3];
    trxi_sub3(points + 3 * t[1], points + 3 * t[0], a);
    trxi_sub3(points + 3 * t[2], points + 3 * t[0], b);
    trxi_cross3(a, b, n);
}

// every triangle has the orientation of the polygon, and they have its area together
static void assert_covers(const double *points, int n, double twice_area, const double axis[3])
{
    int triangles[3 * MOST];
    double sum = 0;
    divide(points, n, triangles);
    for (int k = 0; k + 2 < n; k++) {
        double m[3];
        normal_of(points, triangles + 3 * k, m);
        ck_assert_msg(trxi_dot3(m, axis) > -1e-12, "triangle %d of %d is turned over", k, n - 2);
        sum += trxi_dot3(m, axis);
    }
    ck_assert_double_eq_tol(sum, twice_area, 1e-9);
}

START_TEST(reflex_corners_are_left_out_in_any_plane_and_order)
{
    // an arrow, an L and a comb: a fan about most of their corners turns triangles over
    static const double shapes[3][12][2] = {
        {{0, 0}, {2, 1}, {0, 2}, {0.5, 1}},
        {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 3}, {0, 3}},
        {{0, 0}, {5, 0}, {5, 2}, {4, 2}, {4, 1}, {3, 1}, {3, 2}, {2, 2}, {2, 1}, {1, 1}, {1, 2}, {0, 2}}};
    static const int counts[] = {4, 6, 12};
    static const double areas[] = {3, 8, 16};
    for (int s = 0; s < 3; s++)
        for (int axis = 0; axis < 3; axis++)
            for (int sign = -1; sign <= 1; sign += 2)
                for (int from = 0; from < counts[s]; from++) {
                    double points[3 * MOST] = {0}, N[3] = {0};
                    for (int k = 0; k < counts[s]; k++) {
                        const double *at = shapes[s][(from + sign * k + counts[s]) % counts[s]];
                        points[3 * k + (axis + 1) % 3] = at[0], points[3 * k + (axis + 2) % 3] = at[1];
                        points[3 * k + axis] = 0.3 * at[0] - 0.1 * at[1] + 7;
                    }
                    N[axis] = sign;
                    assert_covers(points, counts[s], areas[s], N);
                }
}
END_TEST

START_TEST(random_stars_are_covered_once)
{
    for (int trial = 0; trial < 300; trial++) {
        const int n = 5 + trial % (MOST - 5);
        double points[3 * MOST], twice = 0;
        for (int k = 0; k < n; k++) {
            const double angle = 2 * 3.14159265358979323846 * k / n, r = 0.1 + trxi_random_uniform(7, (uint64_t)(MOST * trial + k));
            points[3 * k] = r * cos(angle), points[3 * k + 1] = r * sin(angle), points[3 * k + 2] = 0;
        }
        for (int k = 0; k < n; k++) {
            const double *a = points + 3 * k, *b = points + 3 * ((k + 1) % n);
            twice += a[0] * b[1] - a[1] * b[0];
        }
        assert_covers(points, n, twice, (const double[3]){0, 0, 1});
    }
}
END_TEST

START_TEST(convex_polygons_stay_fans_and_quadrilaterals_take_the_shorter_diagonal)
{
    static const double pentagon[] = {0, 0, 0, 2, 0, 0, 3, 1, 0, 2, 2, 0, 0, 2, 0};
    static const double bent[] = {0, 0, 0, 1, 0, 0.1, 2, 1, 0, 0, 1, 0.2};
    int triangles[9];
    divide(pentagon, 5, triangles);
    ck_assert_mem_eq(triangles, ((int[]){0, 1, 2, 0, 2, 3, 0, 3, 4}), sizeof triangles);
    divide(bent, 4, triangles);
    ck_assert_mem_eq(triangles, ((int[]){0, 1, 3, 1, 2, 3}), 6 * sizeof(int));
}
END_TEST

START_TEST(polygons_that_touch_cross_or_vanish_end_too)
{
    // a square with a square hole, joined by a bridge that is passed twice
    static const double holed[] = {0, 0, 0, 4, 0, 0, 4, 4, 0, 0, 4, 0, 0, 0, 0, 1, 1, 0, 1, 3, 0, 3, 3, 0, 3, 1, 0, 1, 1, 0};
    assert_covers(holed, 10, 2 * (16 - 4), (const double[3]){0, 0, 1});

    int triangles[3 * MOST];
    static const double bow[] = {0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 1.5, 0, -1, 1, 0}, line[] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0};
    divide(bow, 5, triangles);
    divide(line, 4, triangles);
    ck_assert_mem_eq(triangles, ((int[]){0, 1, 2, 0, 2, 3}), 6 * sizeof(int));
    for (int trial = 0; trial < 100; trial++) {
        double points[3 * 20];
        for (int i = 0; i < 60; i++) points[i] = floor(4 * trxi_random_uniform(8, (uint64_t)(60 * trial + i)));
        divide(points, 20, triangles);
        for (int i = 0; i < 3 * 18; i++) ck_assert(triangles[i] >= 0 && triangles[i] < 20);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formats/polygon");
    TCase *cases = tcase_create("polygon");
    tcase_add_checked_fixture(cases, open_pool, close_pool);
    tcase_add_test(cases, reflex_corners_are_left_out_in_any_plane_and_order);
    tcase_add_test(cases, random_stars_are_covered_once);
    tcase_add_test(cases, convex_polygons_stay_fans_and_quadrilaterals_take_the_shorter_diagonal);
    tcase_add_test(cases, polygons_that_touch_cross_or_vanish_end_too);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
