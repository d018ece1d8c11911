// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The taut string (theory 4, Tendons): closed forms, derivatives against differences on every branch, and what changes
// where the string leaves an obstacle.

#include "dynamics/wrap.h"

#include "base/random.h"
#include "math/constants.h"
#include "support/support.h"

#include <string.h>

static const double RADIUS = 0.3;

// points about half a metre from the centre
static void random_points(uint64_t seed, double x[6])
{
    for (int i = 0; i < 6; i++) x[i] = 0.5 * trxi_random_normal(seed, (uint64_t)i);
}

// errors of gradient and second derivatives; false when the ends of a difference are on other branches
static bool differences(trx_tendon_point_type obstacle, const double x[6], const double *side, const trxi_wrap *at, double *error_g,
                        double *error_H)
{
    static const double e = 1e-5;
    double largest = 0, error = 0;
    *error_g = 0;
    for (int j = 0; j < 6; j++) {
        double up[6], down[6];
        trxi_wrap plus, minus;
        memcpy(up, x, sizeof up), memcpy(down, x, sizeof down);
        up[j] += e, down[j] -= e;
        trxi_wrap_around(obstacle, RADIUS, up, side, &plus);
        trxi_wrap_around(obstacle, RADIUS, down, side, &minus);
        if (plus.branch != at->branch || minus.branch != at->branch) return false;
        *error_g = fmax(*error_g, fabs((plus.length - minus.length) / (2 * e) - at->g[j]));
        for (int i = 0; i < 6; i++) {
            error = fmax(error, fabs((plus.g[i] - minus.g[i]) / (2 * e) - at->H[i + 6 * j]));
            largest = fmax(largest, fabs(at->H[i + 6 * j]));
        }
    }
    *error_H = error / fmax(largest, 1);
    return true;
}

START_TEST(both_derivatives_agree_with_differences_on_every_branch)
{
    static const trx_tendon_point_type obstacles[] = {TRX_TENDON_SPHERE, TRX_TENDON_CYLINDER};
    static const double sides[][3] = {{0, 0, 0}, {0.1, 0.5, 0.2}, {0.05, -0.1, 0.02}};
    for (int k = 0; k < 2; k++) {
        int seen[4] = {0};
        for (uint64_t i = 0; i < 900; i++) {
            const double *side = i % 3 == 0 ? NULL : sides[i % 3];
            double x[6], error_g, error_H;
            trxi_wrap at;
            random_points(i, x);
            trxi_wrap_around(obstacles[k], RADIUS, x, side, &at);
            const double near = fmin(hypot(x[0], x[1]), hypot(x[3], x[4]));
            if (at.margin < 2e-2 || fabs(near - RADIUS) < 2e-2) continue; // too sharp a bend for differences
            if (!differences(obstacles[k], x, side, &at, &error_g, &error_H)) continue;
            seen[at.branch]++;
            assert_below(error_g, 1e-8);
            assert_below(error_H, 2e-6);
        }
        for (int b = 0; b < 4; b++) ck_assert_int_ge(seen[b], 20);
    }
}
END_TEST

// two points at the height h over the axis on both sides of a cylinder, a helix between
START_TEST(half_a_turn_of_a_helix_has_its_closed_form)
{
    const double d = 0.5, h = 0.4, x[6] = {-d, 0, 0, d, 1e-9, h};
    trxi_wrap at;
    trxi_wrap_around(TRX_TENDON_CYLINDER, RADIUS, x, NULL, &at);
    const double L = sqrt(d * d - RADIUS * RADIUS), arc = TRXI_PI - 2 * acos(RADIUS / d);
    const double plane = 2 * L + RADIUS * arc;
    assert_close(at.length, sqrt(plane * plane + h * h), 1e-9);
    trxi_wrap_around(TRX_TENDON_SPHERE, RADIUS, (const double[6]){-d, 0, 0, d, 1e-9, 0}, NULL, &at);
    assert_close(at.length, plane, 1e-9);
}
END_TEST

// a string inside touches where both pieces make the same angle with the surface
START_TEST(a_string_through_the_inside_is_reflected)
{
    const double x[6] = {0.5, 0.1, 0, 0.2, 0.7, 0}, side[3] = {0.01, 0, 0};
    trxi_wrap at;
    trxi_wrap_around(TRX_TENDON_SPHERE, RADIUS, x, side, &at);
    ck_assert_int_eq(at.branch, TRXI_INSIDE);
    double sum[2] = {at.g[0] + at.g[3], at.g[1] + at.g[4]}, least = INFINITY;
    for (int i = 0; i < 100000; i++) {
        const double a = 2 * TRXI_PI * i / 100000, c[2] = {RADIUS * cos(a), RADIUS * sin(a)};
        least = fmin(least, hypot(x[0] - c[0], x[1] - c[1]) + hypot(x[3] - c[0], x[4] - c[1]));
    }
    assert_close(at.length, least, 1e-9);
    ck_assert(at.length <= least);
    ck_assert(hypot(sum[0], sum[1]) > 0.5); // the normal at the touching point
}
END_TEST

// length and gradient are continuous where the string begins to touch the obstacle; the second derivative jumps
START_TEST(the_string_leaves_an_obstacle_with_a_kink)
{
    double g[2][6], H[2][36];
    for (int k = 0; k < 2; k++) {
        const double h = RADIUS + (k ? 1e-9 : -1e-9), x[6] = {-0.5, h, 0, 0.4, h, 0};
        trxi_wrap at;
        trxi_wrap_around(TRX_TENDON_SPHERE, RADIUS, x, NULL, &at);
        ck_assert_int_eq(at.branch == TRXI_STRAIGHT, k);
        assert_close(at.length, 0.9, 1e-12);
        assert_close(at.margin, 1e-9, 1e-12);
        memcpy(g[k], at.g, sizeof at.g);
        memcpy(H[k], at.H, sizeof at.H);
    }
    for (int i = 0; i < 6; i++) assert_close(g[0][i], g[1][i], 1e-8);
    ck_assert(fabs(H[0][7] - H[1][7]) > 0.5);
}
END_TEST

// the side point is at the right of the obstacle. A string at the left wraps around the right side. When one end crosses the
// half-line that points away from the side point, the string is straight
START_TEST(a_side_point_keeps_the_string_from_the_other_side)
{
    static const double side[3] = {0.5, 0, 0}, r = 0.3, R = 0.5;
    for (int k = 0; k < 2; k++) {
        const double end = k ? 1e-9 : -1e-9, x[6] = {-R, end, 0, -0.3, 0.4, 0};
        trxi_wrap at;
        trxi_wrap_around(k ? TRX_TENDON_SPHERE : TRX_TENDON_CYLINDER, r, x, side, &at);
        assert_close(at.margin, 1e-9, 1e-12);
        const double turn = 2 * TRXI_PI - atan2(0.4, 0.3) - 2 * acos(r / R); // the way around the right side
        if (k) assert_close(at.length, hypot(x[3] - x[0], x[4] - x[1]), 1e-12);
        else assert_close(at.length, 2 * sqrt(R * R - r * r) + r * turn, 1e-8);
        ck_assert_int_eq(at.branch, k ? TRXI_STRAIGHT : TRXI_COUNTERCLOCKWISE);
    }
}
END_TEST

START_TEST(points_within_the_obstacle_and_coinciding_points_are_straight)
{
    static const double cases[][6] = {
        {0.1, 0, 0, 0.5, 0, 0}, {0.5, 0, 0, 0.1, 0.1, 0}, {0, 0, 0, 0.5, 0, 0}, {0.4, 0, 0, 0.4, 0, 0}};
    for (int i = 0; i < 4; i++) {
        trxi_wrap at;
        trxi_wrap_around(TRX_TENDON_SPHERE, RADIUS, cases[i], NULL, &at);
        ck_assert_int_eq(at.branch, TRXI_STRAIGHT);
        assert_close(at.length, hypot(cases[i][3] - cases[i][0], cases[i][4] - cases[i][1]), 1e-15);
        for (int k = 0; k < 36; k++) ck_assert(isfinite(at.H[k]));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dynamics/wrap");
    TCase *cases = tcase_create("wrap");
    tcase_add_test(cases, both_derivatives_agree_with_differences_on_every_branch);
    tcase_add_test(cases, half_a_turn_of_a_helix_has_its_closed_form);
    tcase_add_test(cases, a_string_through_the_inside_is_reflected);
    tcase_add_test(cases, the_string_leaves_an_obstacle_with_a_kink);
    tcase_add_test(cases, a_side_point_keeps_the_string_from_the_other_side);
    tcase_add_test(cases, points_within_the_obstacle_and_coinciding_points_are_straight);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
