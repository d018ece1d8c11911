// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The pyramid of friction (theory 4): a bound is the nearest point of the polygon, branches name faces and corners, and the
// directions that stick are the derivative of the bound.

#include "contact/problem.h"
#include "contact/pyramid.h"
#include "support/support.h"

#include "base/random.h"

static const double pi = 3.14159265358979323846;
static const int sides[] = {4, 6, 8, 16, 64};
enum { KINDS = sizeof sides / sizeof *sides };

START_TEST(faces_surround_the_circle)
{
    const int n = sides[_i];
    static const double quarters[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    for (int k = 0; k < n; k++) {
        double d[2], next[2], corner[2];
        trxi_pyramid_normal(n, k, d);
        trxi_pyramid_normal(n, (k + 1) % n, next);
        trxi_pyramid_corner(n, k, corner);
        assert_close(d[0], cos(2 * pi * k / n), 1e-14);
        assert_close(d[1], sin(2 * pi * k / n), 1e-14);
        assert_close(corner[0] * d[0] + corner[1] * d[1], 1, 1e-14);
        assert_close(corner[0] * next[0] + corner[1] * next[1], 1, 1e-14);

        // quarters of a turn are exact
        const double *quarter = quarters[4 * k / n];
        ck_assert(4 * k % n != 0 || (d[0] == quarter[0] && d[1] == quarter[1]));
    }
}
END_TEST

// y - f has no part that points into the polygon
START_TEST(a_bound_is_the_nearest_point_of_the_polygon)
{
    const int n = sides[_i];
    const double most = 0.7;
    int stick = 0, face = 0, at_corner = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        const double y[2] = {trxi_random_normal(seed, 1), trxi_random_normal(seed, 2)};
        double f[2] = {y[0], y[1]}, d[2];
        const int branch = trxi_pyramid_bound(n, most, f), k = trxi_pyramid_number(branch);
        for (int j = 0; j < n; j++) {
            double corner[2];
            trxi_pyramid_normal(n, j, d);
            trxi_pyramid_corner(n, j, corner);
            assert_below(f[0] * d[0] + f[1] * d[1] - most, 1e-14);
            assert_below((y[0] - f[0]) * (most * corner[0] - f[0]) + (y[1] - f[1]) * (most * corner[1] - f[1]), 1e-13);
        }
        if (branch & TRXI_SAP_STICK) {
            ck_assert(f[0] == y[0] && f[1] == y[1] && !(branch & TRXI_SAP_SLIDE));
            stick++;
        } else if (branch & TRXI_FACE) {
            trxi_pyramid_normal(n, k, d);
            assert_close(f[0] * d[0] + f[1] * d[1], most, 1e-14);
            face++;
        } else {
            ck_assert(branch & TRXI_CORNER);
            trxi_pyramid_corner(n, k, d);
            assert_close(f[0], most * d[0], 1e-14);
            assert_close(f[1], most * d[1], 1e-14);
            at_corner++;
        }
    }
    ck_assert(stick > 200 && face > 40 && at_corner > 200);
}
END_TEST

START_TEST(directions_that_stick_are_the_derivative_of_the_bound)
{
    const int n = sides[_i];
    const double most = 0.7, h = 1e-6;
    int judged = 0;
    for (uint64_t seed = 1; seed <= 500; seed++) {
        const double y[2] = {trxi_random_normal(seed, 1), trxi_random_normal(seed, 2)};
        double f[2] = {y[0], y[1]}, S[3];
        const int branch = trxi_pyramid_bound(n, most, f);
        trxi_pyramid_sticks(n, branch, S);
        for (int j = 0; j < 2; j++) {
            double up[2] = {y[0] + (j == 0 ? h : 0), y[1] + (j == 1 ? h : 0)};
            double down[2] = {y[0] - (j == 0 ? h : 0), y[1] - (j == 1 ? h : 0)};
            if (trxi_pyramid_bound(n, most, up) != branch || trxi_pyramid_bound(n, most, down) != branch) continue;
            for (int i = 0; i < 2; i++) assert_close(S[i + j], (up[i] - down[i]) / (2 * h), 1e-9);
            judged++;
        }
    }
    ck_assert_int_gt(judged, 900);
}
END_TEST

// at the borders the branch changes
START_TEST(borders_are_where_the_branch_changes)
{
    const int n = sides[_i];
    int faces = 0, corners = 0;
    for (uint64_t seed = 1; seed <= 500; seed++) {
        const double y[2] = {trxi_random_normal(seed, 1), trxi_random_normal(seed, 2)};
        double border[2];
        trxi_pyramid_borders(n, y, &border[0], &border[1]);
        for (int k = 0; k < 2; k++) {
            double below[2] = {y[0], y[1]}, above[2] = {y[0], y[1]};
            const int low = trxi_pyramid_bound(n, border[k] * (1 - 1e-9), below);
            const int high = trxi_pyramid_bound(n, border[k] * (1 + 1e-9), above);
            ck_assert_int_ne(low, high);
            if (k == 0) faces += low & TRXI_FACE && high & TRXI_SAP_STICK;
            else corners += low & TRXI_CORNER && high & TRXI_FACE;
        }
    }
    ck_assert(faces == 500 && corners == 500);
}
END_TEST

START_TEST(without_a_normal_impulse_there_is_no_friction)
{
    double f[2] = {0.3, -0.2};
    const int branch = trxi_pyramid_bound(sides[_i], 0, f);
    ck_assert(f[0] == 0 && f[1] == 0 && !(branch & TRXI_SAP_STICK));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contact/pyramid");
    TCase *cases = tcase_create("pyramid");
    tcase_add_loop_test(cases, faces_surround_the_circle, 0, KINDS);
    tcase_add_loop_test(cases, a_bound_is_the_nearest_point_of_the_polygon, 0, KINDS);
    tcase_add_loop_test(cases, directions_that_stick_are_the_derivative_of_the_bound, 0, KINDS);
    tcase_add_loop_test(cases, borders_are_where_the_branch_changes, 0, KINDS);
    tcase_add_loop_test(cases, without_a_normal_impulse_there_is_no_friction, 0, KINDS);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
