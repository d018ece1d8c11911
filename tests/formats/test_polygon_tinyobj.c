// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Polygons as MuJoCo divides them: the triangles of MuJoCo 4.0.0, read back from its models.

#include "formats/polygon_tinyobj.h"
#include "support/parser.h"

#include <math.h>
#include <string.h>

enum { MOST = 101 };

// the corners of `polygon` (2 each) moved by (x, y, z)
static void divide(const double *polygon, int n, const double by[3], int *triangles)
{
    double points[3 * MOST];
    int corners[MOST];
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 2; i++) points[3 * k + i] = polygon[2 * k + i] + by[i];
        points[3 * k + 2] = by[2];
        corners[k] = k;
    }
    trxi_polygon_divide_tinyobj(points, corners, n, triangles);
}

static void assert_divided(const double *polygon, int n, const double by[3], const int *expected)
{
    int triangles[3 * MOST];
    divide(polygon, n, by, triangles);
    for (int k = 0; k < 3 * (n - 2); k++)
        ck_assert_msg(triangles[k] == expected[k], "at %g %g: corner %d is %d, not %d", by[0], by[1], k, triangles[k], expected[k]);
}

START_TEST(a_reflex_pentagon_depends_on_its_place)
{
    static const double late[] = {0, 0, 2, 0, 2, 2, 1, 0.5, 0, 2}, early[] = {1, 0.5, 0, 2, 0, 0, 2, 0, 2, 2};
    static const int turned[] = {1, 2, 3, 3, 4, 0, 0, 1, 3}, fan[] = {0, 1, 2, 0, 2, 3, 0, 3, 4}, none[9] = {0};
    assert_divided(late, 5, (const double[]){0, 0, 0}, turned);
    assert_divided(late, 5, (const double[]){5, 0, 0}, turned);
    assert_divided(late, 5, (const double[]){0.5, 0.5, 1}, turned);
    assert_divided(late, 5, (const double[]){-5, -5, 0}, none);
    assert_divided(early, 5, (const double[]){0, 0, 0}, fan);
    assert_divided(early, 5, (const double[]){5, 0, 0}, (const int[]){0, 1, 2, 3, 4, 0, 0, 2, 3});
    assert_divided(early, 5, (const double[]){-5, -5, 0}, none);
}
END_TEST

START_TEST(a_convex_pentagon_is_no_fan_everywhere)
{
    static const double house[] = {0, 0, 2, 0, 3, 1, 2, 2, 0, 2};
    assert_divided(house, 5, (const double[]){5, 0, 0}, (const int[]){0, 1, 2, 0, 2, 3, 0, 3, 4});
    assert_divided(house, 5, (const double[]){0.5, 0.5, 1}, (const int[]){1, 2, 3, 1, 3, 4, 0, 1, 4});
}
END_TEST

START_TEST(a_quadrilateral_takes_its_shorter_diagonal_and_of_two_equal_ones_the_second)
{
    static const double kite[] = {0, 0, 2, 0, 1, 0.5, 0, 2}, square[] = {0, 0, 2, 0, 2, 2, 0, 2};
    assert_divided(kite, 4, (const double[]){-5, -5, 0}, (const int[]){0, 1, 2, 0, 2, 3});
    assert_divided(square, 4, (const double[]){5, 0, 0}, (const int[]){0, 1, 3, 1, 2, 3});
}
END_TEST

START_TEST(more_than_a_hundred_corners_have_no_triangle)
{
    for (int n = 100; n <= 101; n++) {
        double circle[2 * MOST];
        int triangles[3 * MOST], made = 0;
        for (int k = 0; k < n; k++) circle[2 * k] = cos(2 * acos(-1) * k / n), circle[2 * k + 1] = sin(2 * acos(-1) * k / n);
        divide(circle, n, (const double[]){0.3, 0.1, 0}, triangles);
        for (int k = 0; k < n - 2; k++) made += triangles[3 * k] != triangles[3 * k + 1];
        ck_assert_int_eq(made, n == 100 ? 98 : 0);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formats/polygon_tinyobj");
    TCase *cases = tcase_create("polygon_tinyobj");
    tcase_add_test(cases, a_reflex_pentagon_depends_on_its_place);
    tcase_add_test(cases, a_convex_pentagon_is_no_fan_everywhere);
    tcase_add_test(cases, a_quadrilateral_takes_its_shorter_diagonal_and_of_two_equal_ones_the_second);
    tcase_add_test(cases, more_than_a_hundred_corners_have_no_triangle);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
