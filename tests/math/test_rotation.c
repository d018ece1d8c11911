// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Rotation maps against their definitions: round trips, group laws, central differences, and the series
// against the closed forms across the switch.

#include "base/random.h"
#include "math/rotation.h"
#include "support/support.h"

static void random_vector(int index, double scale, double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = scale * trxi_random_normal(7, (uint64_t)(3 * index + i));
}

START_TEST(exp_and_log_are_inverse_up_to_pi)
{
    for (int k = 0; k < 200; k++) {
        double w[3], back[3], q[4], r[9], from_matrix[4], s[9];
        random_vector(k, k < 100 ? 0.8 : 1e-6 * (k - 99), w);
        if (trxi_norm3(w) > 3.1) continue;
        trxi_quat_exp(w, q);
        trxi_quat_log(q, back);
        assert_below(max_difference(w, back, 3), 1e-14 * (1 + trxi_norm3(w)));
        for (int i = 0; i < 4; i++) q[i] = -q[i];
        trxi_quat_log(q, back);
        assert_below(max_difference(w, back, 3), 1e-14 * (1 + trxi_norm3(w)));
        trxi_quat_to_matrix(q, r);
        trxi_exp33(w, s);
        assert_below(max_difference(r, s, 9), 4e-15);
        trxi_quat_from_matrix(r, from_matrix);
        trxi_quat_to_matrix(from_matrix, s);
        assert_below(max_difference(r, s, 9), 4e-15);
        ck_assert(from_matrix[0] >= 0);
    }
}
END_TEST

// the series of the logarithm was wrong by 2e-13 at the switch, the series of 1 - cos by 3e-15
START_TEST(series_are_exact_to_rounding)
{
    const double direction[3] = {0.36, -0.48, 0.8};
    for (int k = 0; k < 40; k++) {
        const double s = 1e-3 * pow(0.9, k) * (1 - 1e-14);
        const long double exact = 2 * atan2l(s, sqrtl(1 - (long double)s * s)) / s, half = sinl(s / 2.0L);
        double q[4] = {sqrt(1 - s * s)}, w[3], r[9], j[9];
        trxi_scale3(s, direction, q + 1);
        trxi_quat_log(q, w);
        for (int i = 0; i < 3; i++) assert_close(w[i], (double)(exact * q[1 + i]), 6e-16 * fabs(w[i]));

        // the antisymmetric part of Jr is -(1 - cos a)/a^2 K
        const double turn[3] = {0, 0, s};
        trxi_right_jacobian(turn, j);
        assert_close(j[3], (double)(2 * half * half / s), 6e-16 * j[3]);
        trxi_exp33(turn, r);
        assert_close(r[1], (double)sinl(s), 6e-16 * r[1]);
    }
}
END_TEST

START_TEST(a_quaternion_product_is_a_matrix_product)
{
    double a[3], b[3], p[4], q[4], pq[4], rp[9], rq[9], r[9], expected[9];
    random_vector(1, 1, a), random_vector(2, 1, b);
    trxi_quat_exp(a, p), trxi_quat_exp(b, q);
    trxi_quat_mul(p, q, pq);
    trxi_quat_to_matrix(p, rp), trxi_quat_to_matrix(q, rq), trxi_quat_to_matrix(pq, r);
    trxi_mul33(rp, rq, expected);
    assert_below(max_difference(r, expected, 9), 1e-15);
}
END_TEST

// Log(Exp(w)^-1 Exp(w + e d)) / e by a central difference of quaternions
static void difference_of_exp(const double w[3], const double d[3], double e, double out[3])
{
    double plus[3], minus[3], qp[4], qm[4], q[4], wp[3], wm[3];
    for (int i = 0; i < 3; i++) plus[i] = w[i] + e * d[i], minus[i] = w[i] - e * d[i];
    trxi_quat_exp(w, q), trxi_quat_exp(plus, qp), trxi_quat_exp(minus, qm);
    trxi_quat_difference(qp, q, wp), trxi_quat_difference(qm, q, wm);
    for (int i = 0; i < 3; i++) out[i] = (wp[i] - wm[i]) / (2 * e);
}

START_TEST(right_jacobian_is_the_derivative_of_exp)
{
    for (int k = 0; k < 60; k++) {
        double w[3], j[9], inverse[9], product[9], identity[9];
        random_vector(k, pow(10, -0.1 * k), w);
        if (trxi_norm3(w) > 3) continue;
        trxi_right_jacobian(w, j);
        trxi_right_jacobian_inverse(w, inverse);
        trxi_mul33(j, inverse, product);
        trxi_identity33(identity);
        assert_below(max_difference(product, identity, 9), 1e-13);
        for (int c = 0; c < 3; c++) {
            double d[3] = {c == 0, c == 1, c == 2}, fd[3];
            difference_of_exp(w, d, 1e-5, fd);
            assert_below(max_difference(j + 3 * c, fd, 3), 1e-9);
        }
    }
}
END_TEST

START_TEST(series_and_closed_form_meet)
{
    const double direction[3] = {0.36, -0.48, 0.8};
    const double switches[] = {1e-3, 5e-2};
    for (int k = 0; k < 2; k++) {
        double below[3], above[3], jb[9], ja[9];
        trxi_scale3(switches[k] * (1 - 1e-14), direction, below);
        trxi_scale3(switches[k] * (1 + 1e-14), direction, above);
        trxi_right_jacobian(below, jb), trxi_right_jacobian(above, ja);
        assert_below(max_difference(jb, ja, 9), 1e-14);
        trxi_right_jacobian_inverse(below, jb), trxi_right_jacobian_inverse(above, ja);
        assert_below(max_difference(jb, ja, 9), 1e-14);
        trxi_exp33(below, jb), trxi_exp33(above, ja);
        assert_below(max_difference(jb, ja, 9), 1e-14);
    }
}
END_TEST

START_TEST(rpy_is_fixed_axis_x_then_y_then_z)
{
    const double rpy[3] = {0.3, -0.7, 1.9}, x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
    double q[4], r[9], rx[9], ry[9], rz[9], ryx[9], expected[9];
    trxi_quat_from_rpy(rpy, q);
    trxi_quat_to_matrix(q, r);
    trxi_axis_angle33(x, rpy[0], rx), trxi_axis_angle33(y, rpy[1], ry), trxi_axis_angle33(z, rpy[2], rz);
    trxi_mul33(ry, rx, ryx), trxi_mul33(rz, ryx, expected);
    assert_below(max_difference(r, expected, 9), 1e-15);
}
END_TEST

START_TEST(a_contact_frame_is_right_handed_and_orthonormal)
{
    for (int k = 0; k < 100; k++) {
        double n[3], f[9], product[9], identity[9], cross[3];
        random_vector(k, 1, n);
        trxi_normalize3(n, n);
        if (k == 0) trxi_set3(0, 0, -1, n);
        trxi_frame33(n, f);
        trxi_mul33_at(f, f, product);
        trxi_identity33(identity);
        assert_below(max_difference(product, identity, 9), 1e-15 * 8);
        trxi_cross3(f, f + 3, cross);
        assert_below(max_difference(cross, n, 3), 1e-15 * 8);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("math/rotation");
    TCase *cases = tcase_create("rotation");
    tcase_add_test(cases, exp_and_log_are_inverse_up_to_pi);
    tcase_add_test(cases, series_are_exact_to_rounding);
    tcase_add_test(cases, a_quaternion_product_is_a_matrix_product);
    tcase_add_test(cases, right_jacobian_is_the_derivative_of_exp);
    tcase_add_test(cases, series_and_closed_form_meet);
    tcase_add_test(cases, rpy_is_fixed_axis_x_then_y_then_z);
    tcase_add_test(cases, a_contact_frame_is_right_handed_and_orthonormal);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
