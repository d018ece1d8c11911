// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Vectors in R^3 and 3 x 3 matrices, column-major: m[0..2] is the first column. Outputs come last and may
// alias inputs only where a comment says so.

#ifndef TRXI_MATH_VEC3_H
#define TRXI_MATH_VEC3_H

#include <math.h>

static inline void trxi_set3(double x, double y, double z, double out[3])
{
    out[0] = x, out[1] = y, out[2] = z;
}

static inline void trxi_zero3(double out[3])
{
    out[0] = out[1] = out[2] = 0;
}

static inline void trxi_copy3(const double a[3], double out[3])
{
    out[0] = a[0], out[1] = a[1], out[2] = a[2];
}

/// out = a + b; may alias.
static inline void trxi_add3(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = a[i] + b[i];
}

/// out = a - b; may alias.
static inline void trxi_sub3(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = a[i] - b[i];
}

/// out = s a; may alias.
static inline void trxi_scale3(double s, const double a[3], double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = s * a[i];
}

/// out += s a.
static inline void trxi_axpy3(double s, const double a[3], double out[3])
{
    for (int i = 0; i < 3; i++) out[i] += s * a[i];
}

static inline double trxi_dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Length of (x, y) for numbers from 1e-150 to 1e150. Other numbers may overflow or underflow, unlike in hypot.
static inline double trxi_norm2(double x, double y)
{
    return sqrt(x * x + y * y);
}

static inline double trxi_norm3(const double a[3])
{
    return sqrt(trxi_dot3(a, a));
}

/// out = a x b.
static inline void trxi_cross3(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/// out += a x b.
static inline void trxi_cross_add3(const double a[3], const double b[3], double out[3])
{
    out[0] += a[1] * b[2] - a[2] * b[1];
    out[1] += a[2] * b[0] - a[0] * b[2];
    out[2] += a[0] * b[1] - a[1] * b[0];
}

/// a / |a| into out (may alias). Returns |a|; out = 0 when |a| = 0.
static inline double trxi_normalize3(const double a[3], double out[3])
{
    double norm = trxi_norm3(a);
    trxi_scale3(norm > 0 ? 1 / norm : 0, a, out);
    return norm;
}

/// out = M a.
static inline void trxi_mulv3(const double m[9], const double a[3], double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = m[i] * a[0] + m[i + 3] * a[1] + m[i + 6] * a[2];
}

/// out = M^T a.
static inline void trxi_mulv3_t(const double m[9], const double a[3], double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = m[3 * i] * a[0] + m[3 * i + 1] * a[1] + m[3 * i + 2] * a[2];
}

/// out = A B.
static inline void trxi_mul33(const double a[9], const double b[9], double out[9])
{
    for (int j = 0; j < 3; j++) trxi_mulv3(a, b + 3 * j, out + 3 * j);
}

/// out = A B^T.
static inline void trxi_mul33_bt(const double a[9], const double b[9], double out[9])
{
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            out[i + 3 * j] = a[i] * b[j] + a[i + 3] * b[j + 3] + a[i + 6] * b[j + 6];
}

/// out = A^T B.
static inline void trxi_mul33_at(const double a[9], const double b[9], double out[9])
{
    for (int j = 0; j < 3; j++) trxi_mulv3_t(a, b + 3 * j, out + 3 * j);
}

/// The pose (R, p) of a frame in B, carried to A: (R_AB R, R_AB p + p_AB)
static inline void trxi_carry_pose(const double R_AB[9], const double p_AB[3], const double R[9], const double p[3],
                                   double R_out[9], double p_out[3])
{
    double turned[9], moved[3];
    trxi_mul33(R_AB, R, turned);
    trxi_mulv3(R_AB, p, moved);
    for (int i = 0; i < 9; i++) R_out[i] = turned[i];
    trxi_add3(moved, p_AB, p_out);
}

/// out = A^T.
static inline void trxi_transpose33(const double a[9], double out[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out[j + 3 * i] = a[i + 3 * j];
}

static inline void trxi_identity33(double out[9])
{
    for (int i = 0; i < 9; i++) out[i] = i % 4 == 0;
}

/// out = [a]x, so that out b = a x b.
static inline void trxi_skew33(const double a[3], double out[9])
{
    out[0] = 0, out[1] = a[2], out[2] = -a[1];
    out[3] = -a[2], out[4] = 0, out[5] = a[0];
    out[6] = a[1], out[7] = -a[0], out[8] = 0;
}

/// Two unit vectors t1, t2 with t1 x t2 = n for a unit n (Duff et al. 2017): a right-handed frame that jumps only
/// where n_z changes sign. frame = [t1 t2 n], column-major.
static inline void trxi_frame33(const double n[3], double frame[9])
{
    double sign = copysign(1.0, n[2]);
    double a = -1 / (sign + n[2]);
    double b = n[0] * n[1] * a;
    frame[0] = 1 + sign * n[0] * n[0] * a, frame[1] = sign * b, frame[2] = -sign * n[0];
    frame[3] = b, frame[4] = sign + n[1] * n[1] * a, frame[5] = -n[1];
    frame[6] = n[0], frame[7] = n[1], frame[8] = n[2];
}

/// The turn of that frame about n: turn . dn = t2 . dt1 for a change dn of the unit vector n.
static inline void trxi_frame33_turn(const double n[3], double turn[3])
{
    const double a = -1 / (copysign(1.0, n[2]) + n[2]);
    turn[0] = -a * n[1], turn[1] = a * n[0], turn[2] = 0;
}

#endif
