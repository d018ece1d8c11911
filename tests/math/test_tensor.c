// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Symmetric matrices of six numbers: against full matrices, tensors of inertia against point masses, principal moments
// against tensors that are made from them, at random.

#include "base/random.h"
#include "math/rotation.h"
#include "math/tensor.h"
#include "support/support.h"

#include <stddef.h>

enum { SAMPLES = 2000 };

static void random_numbers(int index, int n, double *out)
{
    for (int i = 0; i < n; i++) out[i] = trxi_random_normal(11, (uint64_t)(100 * index + i));
}

static void random_rotation(int index, double R[9])
{
    double w[3];
    random_numbers(10000 + index, 3, w);
    trxi_exp33(w, R);
}

// tensor of a point mass m at d, added
static void add_point(double m, const double d[3], double t[6])
{
    t[0] += m * (d[1] * d[1] + d[2] * d[2]);
    t[1] += m * (d[0] * d[0] + d[2] * d[2]);
    t[2] += m * (d[0] * d[0] + d[1] * d[1]);
    t[3] -= m * d[0] * d[1];
    t[4] -= m * d[0] * d[2];
    t[5] -= m * d[1] * d[2];
}

START_TEST(a_product_is_that_of_the_matrix)
{
    double t[6], x[3], T[9], transposed[9], expected[3], out[3];
    random_numbers(1, 6, t), random_numbers(2, 3, x);
    trxi_tensor_matrix(t, T);
    trxi_transpose33(T, transposed);
    assert_close(max_difference(T, transposed, 9), 0, 0);
    for (int i = 0; i < 3; i++) assert_close(T[4 * i], t[i], 0);
    assert_close(T[3], t[3], 0);
    assert_close(T[6], t[4], 0);
    assert_close(T[7], t[5], 0);
    trxi_mulv3(T, x, expected);
    trxi_tensor_mulv(t, x, out);
    assert_close(max_difference(out, expected, 3), 0, 1e-15);
}
END_TEST

START_TEST(a_rotation_is_that_of_the_matrix_also_in_place)
{
    double t[6], R[9], T[9], left[9], expected[9], out[9];
    random_numbers(3, 6, t), random_rotation(3, R);
    trxi_tensor_matrix(t, T);
    trxi_mul33(R, T, left);
    trxi_mul33_bt(left, R, expected);
    trxi_tensor_rotate(t, R, t);
    trxi_tensor_matrix(t, out);
    assert_close(max_difference(out, expected, 9), 0, 1e-14);
    ck_assert(max_difference(out, T, 9) > 0.1);
}
END_TEST

// points about their centre of mass, turned and moved: their tensor about a point is summed anew
START_TEST(tensors_are_added_about_another_point)
{
    enum { POINTS = 5 };
    double points[3 * POINTS], masses[POINTS], R[9], d[3], com[3] = {0}, mass = 0;
    random_numbers(4, 3 * POINTS, points), random_numbers(5, POINTS, masses), random_numbers(6, 3, d);
    random_rotation(4, R);
    for (int k = 0; k < POINTS; k++) {
        masses[k] = 0.1 + fabs(masses[k]);
        mass += masses[k];
        trxi_axpy3(masses[k], points + 3 * k, com);
    }
    trxi_scale3(1 / mass, com, com);

    double own[6] = {0}, turned[6] = {1, 2, 3, 4, 5, 6}, moved[6] = {1, 2, 3, 4, 5, 6}, sums[2][6];
    for (int i = 0; i < 6; i++) sums[0][i] = sums[1][i] = i + 1;
    for (int k = 0; k < POINTS; k++) {
        double x[3], y[3];
        trxi_sub3(points + 3 * k, com, x);
        add_point(masses[k], x, own);
        trxi_mulv3(R, x, y);
        trxi_add3(y, d, y);
        add_point(masses[k], y, sums[0]);
        trxi_add3(x, d, x);
        add_point(masses[k], x, sums[1]);
    }
    trxi_tensor_add(own, R, mass, d, turned);
    trxi_tensor_add(own, NULL, mass, d, moved);
    assert_close(max_difference(turned, sums[0], 6), 0, 1e-13);
    assert_close(max_difference(moved, sums[1], 6), 0, 1e-13);
    ck_assert(max_difference(turned, moved, 6) > 0.1);
}
END_TEST

START_TEST(tensors_are_made_from_their_moments_and_axes)
{
    for (int k = 0; k < SAMPLES; k++) {
        double t[6], moments[3], R[9], again[6], product[9], cross[3];
        random_numbers(100 + k, 6, t);
        trxi_tensor_principal(t, moments, R);
        ck_assert(moments[0] <= moments[1] && moments[1] <= moments[2]);
        trxi_tensor_from_principal(moments, R, again);
        assert_close(max_difference(t, again, 6), 0, 2e-14);

        // a rotation: orthogonal, and right-handed
        trxi_mul33_at(R, R, product);
        for (int i = 0; i < 9; i++) assert_close(product[i], i % 4 == 0, 1e-14);
        trxi_cross3(R, R + 3, cross);
        assert_close(max_difference(cross, R + 6, 3), 0, 1e-14);
    }
}
END_TEST

START_TEST(moments_are_found_that_are_nearly_equal)
{
    for (int k = 0; k < SAMPLES; k++) {
        double moments[3] = {1, 1 + pow(10, -k % 17), 2}, R[9], t[6], found[3];
        random_rotation(k, R);
        trxi_tensor_from_principal(moments, R, t);
        trxi_tensor_principal(t, found, NULL);
        assert_close(max_difference(found, moments, 3), 0, 4e-15);
    }
}
END_TEST

START_TEST(equal_and_zero_moments_have_axes_too)
{
    double moments[3], R[9];
    trxi_tensor_principal((double[]){0, 0, 0, 0, 0, 0}, moments, R);
    assert_close(max_magnitude(moments, 3), 0, 0);
    assert_close(R[0], 1, 0);
    trxi_tensor_principal((double[]){2, 2, 2, 0, 0, 0}, moments, R);
    assert_close(moments[0], 2, 0);
    trxi_tensor_principal((double[]){1e-30, 2e-30, 3e-30, 1e-31, 0, 0}, moments, R);
    assert_close(moments[0] + moments[1] + moments[2], 6e-30, 1e-44);
}
END_TEST

START_TEST(moments_are_possible_when_the_smaller_two_reach_the_largest)
{
    ck_assert(trxi_moments_possible((double[]){1, 1, 2}));
    ck_assert(trxi_moments_possible((double[]){0, 0, 0}));
    ck_assert(trxi_moments_possible((double[]){0, 1, 1}));
    ck_assert(!trxi_moments_possible((double[]){1, 1, 2.001}));
    ck_assert(!trxi_moments_possible((double[]){-0.1, 1, 1}));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("math/tensor");
    TCase *tests = tcase_create("tensor");
    tcase_add_test(tests, a_product_is_that_of_the_matrix);
    tcase_add_test(tests, a_rotation_is_that_of_the_matrix_also_in_place);
    tcase_add_test(tests, tensors_are_added_about_another_point);
    tcase_add_test(tests, tensors_are_made_from_their_moments_and_axes);
    tcase_add_test(tests, moments_are_found_that_are_nearly_equal);
    tcase_add_test(tests, equal_and_zero_moments_have_axes_too);
    tcase_add_test(tests, moments_are_possible_when_the_smaller_two_reach_the_largest);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
