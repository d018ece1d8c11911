// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Rotation maps of theory 1. With a = |t| and K = [t]x:
//
//     Exp   = I + (sin a / a) K + ((1 - cos a) / a^2) K^2
//     Jr    = I - ((1 - cos a) / a^2) K + ((a - sin a) / a^3) K^2
//     Jr^-1 = I + K/2 + (1/a^2 - (1 + cos a) / (2 a sin a)) K^2
//
// The closed forms lose digits by cancellation for small a. Series replace them: below a = 5e-2 in the coefficients of K^2 of Jr
// and Jr^-1, below 1e-3 elsewhere. The rest of a series is below rounding. At its switch a closed form has a relative error below
// 1e-12.

#include "math/rotation.h"

void trxi_quat_to_matrix(const double q[4], double r[9])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    r[0] = 1 - 2 * (y * y + z * z), r[3] = 2 * (x * y - w * z), r[6] = 2 * (x * z + w * y);
    r[1] = 2 * (x * y + w * z), r[4] = 1 - 2 * (x * x + z * z), r[7] = 2 * (y * z - w * x);
    r[2] = 2 * (x * z - w * y), r[5] = 2 * (y * z + w * x), r[8] = 1 - 2 * (x * x + y * y);
}

void trxi_quat_from_matrix(const double r[9], double q[4])
{
    // divides by the largest of the four squared components, so that nothing cancels (Shepperd 1978)
    double trace = r[0] + r[4] + r[8];
    double square[4] = {1 + trace, 1 + 2 * r[0] - trace, 1 + 2 * r[4] - trace, 1 + 2 * r[8] - trace};
    int largest = 0;
    for (int i = 1; i < 4; i++)
        if (square[i] > square[largest]) largest = i;

    double wx = r[5] - r[7], wy = r[6] - r[2], wz = r[1] - r[3];
    double xy = r[1] + r[3], xz = r[2] + r[6], yz = r[5] + r[7];
    double rows[4][4] = {
        {square[0], wx, wy, wz}, {wx, square[1], xy, xz}, {wy, xy, square[2], yz}, {wz, xz, yz, square[3]}};
    double sign = rows[largest][0] < 0 ? -1 : 1;
    for (int i = 0; i < 4; i++) q[i] = sign * rows[largest][i];
    trxi_quat_normalize(q);
}

void trxi_quat_mul(const double a[4], const double b[4], double out[4])
{
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3];
    out[3] = a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1];
}

void trxi_quat_exp(const double w[3], double q[4])
{
    double a2 = trxi_dot3(w, w), a = sqrt(a2);
    double s = a < 1e-3 ? 0.5 - a2 / 48 + a2 * a2 / 3840 : sin(0.5 * a) / a;
    q[0] = cos(0.5 * a);
    trxi_scale3(s, w, q + 1);
}

void trxi_quat_log(const double q[4], double w[3])
{
    double sign = q[0] < 0 ? -1 : 1;
    double c = sign * q[0], s2 = trxi_dot3(q + 1, q + 1), s = sqrt(s2);

    // 2 atan2(s, c) / s, as a series in t = s / c where s is small (there c is near 1)
    double scale, t2;
    if (s < 1e-3) t2 = s2 / (c * c), scale = 2 / c * (1 - t2 / 3 + t2 * t2 / 5);
    else scale = 2 * atan2(s, c) / s;
    trxi_scale3(sign * scale, q + 1, w);
}

void trxi_quat_integrate(const double q[4], const double w[3], double out[4])
{
    double step[4], next[4];
    trxi_quat_exp(w, step);
    trxi_quat_mul(q, step, next);
    trxi_quat_normalize(next);
    for (int i = 0; i < 4; i++) out[i] = next[i];
}

void trxi_quat_difference(const double q[4], const double p[4], double w[3])
{
    const double inverse[4] = {p[0], -p[1], -p[2], -p[3]};
    double relative[4];
    trxi_quat_mul(inverse, q, relative);
    trxi_quat_log(relative, w);
}

double trxi_quat_normalize(double q[4])
{
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (norm > 0)
        for (int i = 0; i < 4; i++) q[i] /= norm;
    return norm;
}

// I + a K + b K^2 with K = [w]x and K^2 = w w^T - |w|^2 I
static void combine(const double w[3], double a, double b, double out[9])
{
    double diagonal = 1 - b * trxi_dot3(w, w);
    trxi_skew33(w, out);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) out[i + 3 * j] = a * out[i + 3 * j] + b * w[i] * w[j] + (i == j ? diagonal : 0);
}

// (1 - cos a) / a^2 = 2 (sin(a/2) / a)^2, without cancellation at any a > 0
static double one_minus_cos(double a, double a2)
{
    if (a < 1e-3) return 0.5 - a2 / 24 + a2 * a2 / 720;
    double s = sin(0.5 * a);
    return 2 * s * s / a2;
}

void trxi_exp33(const double w[3], double r[9])
{
    double a2 = trxi_dot3(w, w), a = sqrt(a2);
    combine(w, a < 1e-3 ? 1 - a2 / 6 + a2 * a2 / 120 : sin(a) / a, one_minus_cos(a, a2), r);
}

void trxi_right_jacobian(const double w[3], double j[9])
{
    double a2 = trxi_dot3(w, w), a = sqrt(a2);
    double cubic = a < 5e-2 ? 1.0 / 6 - a2 / 120 + a2 * a2 / 5040 - a2 * a2 * a2 / 362880 : (a - sin(a)) / (a2 * a);
    combine(w, -one_minus_cos(a, a2), cubic, j);
}

void trxi_right_jacobian_inverse(const double w[3], double j[9])
{
    double a2 = trxi_dot3(w, w), a = sqrt(a2);

    // (1 + cos a) / (2 a sin a) = cot(a/2) / (2 a)
    double square = a < 5e-2 ? 1.0 / 12 + a2 / 720 + a2 * a2 / 30240 + a2 * a2 * a2 / 1209600
                             : (1 - 0.5 * a / tan(0.5 * a)) / a2;
    combine(w, 0.5, square, j);
}

void trxi_axis_angle33(const double axis[3], double angle, double r[9])
{
    double s = sin(0.5 * angle);
    combine(axis, sin(angle), 2 * s * s, r);
}

void trxi_quat_from_rpy(const double rpy[3], double q[4])
{
    const double x[3] = {rpy[0], 0, 0}, y[3] = {0, rpy[1], 0}, z[3] = {0, 0, rpy[2]};
    double qx[4], qy[4], qz[4], qzy[4];
    trxi_quat_exp(x, qx);
    trxi_quat_exp(y, qy);
    trxi_quat_exp(z, qz);
    trxi_quat_mul(qz, qy, qzy);
    trxi_quat_mul(qzy, qx, q);
}
