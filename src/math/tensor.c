// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Symmetric 3 x 3 matrices of six numbers; see tensor.h. Eigenvalues are computed by Jacobi's method, whose rotations
// eliminate one off-diagonal pair after the other. Unlike the roots of the cubic, they are exact to rounding also
// when two are nearly equal.

#include "math/tensor.h"

static const double TOLERANCE = 1e-6; // of the sum of the moments
static const int ROW[6] = {0, 1, 2, 0, 0, 1}, COLUMN[6] = {0, 1, 2, 1, 2, 2};
enum { MAX_SWEEPS = 60 };

void trxi_tensor_rotate(const double t[6], const double R[9], double out[6])
{
    double T[9], left[9];
    trxi_tensor_matrix(t, T);
    trxi_mul33(R, T, left);
    for (int k = 0; k < 6; k++) {
        int i = ROW[k], j = COLUMN[k];
        out[k] = left[i] * R[j] + left[i + 3] * R[j + 3] + left[i + 6] * R[j + 6];
    }
}

void trxi_tensor_add(const double t[6], const double R[9], double m, const double d[3], double out[6])
{
    double rotated[6], square = trxi_dot3(d, d);
    if (R) trxi_tensor_rotate(t, R, rotated);
    const double *own = R ? rotated : t;
    for (int k = 0; k < 6; k++) out[k] += own[k] + m * ((k < 3 ? square : 0) - d[ROW[k]] * d[COLUMN[k]]);
}

// one rotation that makes A(p,q) vanish; the columns of R follow
static void annihilate(double A[9], double R[9], int p, int q)
{
    if (A[p + 3 * q] == 0) return;
    double theta = (A[q + 3 * q] - A[p + 3 * p]) / (2 * A[p + 3 * q]);
    double t = copysign(1, theta) / (fabs(theta) + hypot(theta, 1)), c = 1 / hypot(t, 1), s = t * c;
    for (int i = 0; i < 3; i++) {
        double a = A[i + 3 * p], b = A[i + 3 * q], r = R[i + 3 * p], w = R[i + 3 * q];
        A[i + 3 * p] = c * a - s * b, A[i + 3 * q] = s * a + c * b;
        R[i + 3 * p] = c * r - s * w, R[i + 3 * q] = s * r + c * w;
    }
    for (int i = 0; i < 3; i++) {
        double a = A[p + 3 * i], b = A[q + 3 * i];
        A[p + 3 * i] = c * a - s * b, A[q + 3 * i] = s * a + c * b;
    }
    A[p + 3 * q] = A[q + 3 * p] = 0;
}

// columns in ascending order of the moments, right-handed
static void sort(double moments[3], double R[9])
{
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2; k++) {
            if (moments[k] <= moments[k + 1]) continue;
            double moment = moments[k], column[3];
            moments[k] = moments[k + 1], moments[k + 1] = moment;
            trxi_copy3(R + 3 * k, column);
            trxi_copy3(R + 3 * k + 3, R + 3 * k);
            trxi_copy3(column, R + 3 * k + 3);
        }
    }
    trxi_cross3(R, R + 3, R + 6);
}

void trxi_tensor_principal(const double t[6], double moments[3], double R[9])
{
    double A[9], axes[9], scale = 0;
    trxi_tensor_matrix(t, A);
    for (int i = 0; i < 9; i++) scale = fmax(scale, fabs(A[i]));
    trxi_identity33(axes);
    for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
        if (fabs(A[3]) + fabs(A[6]) + fabs(A[7]) <= 1e-18 * scale) break;
        annihilate(A, axes, 0, 1);
        annihilate(A, axes, 0, 2);
        annihilate(A, axes, 1, 2);
    }
    for (int i = 0; i < 3; i++) moments[i] = A[4 * i];
    sort(moments, axes);
    for (int i = 0; R && i < 9; i++) R[i] = axes[i];
}

void trxi_tensor_from_principal(const double moments[3], const double R[9], double out[6])
{
    for (int k = 0; k < 6; k++) {
        out[k] = 0;
        for (int i = 0; i < 3; i++) out[k] += moments[i] * R[ROW[k] + 3 * i] * R[COLUMN[k] + 3 * i];
    }
}

bool trxi_moments_possible(const double moments[3])
{
    double slack = TOLERANCE * fabs(moments[0] + moments[1] + moments[2]);
    return moments[0] >= -slack && moments[0] + moments[1] >= moments[2] - slack;
}

void trxi_tensor_add_arms(double s, const double a[3], const double b[3], double out[6])
{
    double dot = trxi_dot3(a, b);
    for (int k = 0; k < 6; k++)
        out[k] += s * ((k < 3 ? dot : 0) - 0.5 * (a[ROW[k]] * b[COLUMN[k]] + b[ROW[k]] * a[COLUMN[k]]));
}
