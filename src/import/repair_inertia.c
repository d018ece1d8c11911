// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Principal moments and their repair; see repair_inertia.h. With the sum T of the moments, I1 + I2 >= I3 says that none is
// larger than T/2, and as the other two then have at least T/2 together, that none is negative. The possible moments of
// one sum are thus a triangle with the corners (0, T/2, T/2), ...; its nearest point is found by cutting off what is
// too large and sharing it out.

#include "import/repair_inertia.h"

#include "math/vec3.h"

#include <math.h>

static const double TOLERANCE = 1e-6; // of the sum; that of the model's own check
enum { MAX_SWEEPS = 60 };

// one Jacobi rotation that makes A(p,q) vanish; the columns of R follow
static void rotate(double A[9], double R[9], int p, int q)
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

void trxi_principal(const double t[6], double moments[3], double R[9])
{
    double A[9] = {t[0], t[3], t[4], t[3], t[1], t[5], t[4], t[5], t[2]}, axes[9];
    double scale = 0;
    for (int i = 0; i < 9; i++) scale = fmax(scale, fabs(A[i]));
    trxi_identity33(axes);
    for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
        if (fabs(A[3]) + fabs(A[6]) + fabs(A[7]) <= 1e-18 * scale) break;
        rotate(A, axes, 0, 1);
        rotate(A, axes, 0, 2);
        rotate(A, axes, 1, 2);
    }
    for (int i = 0; i < 3; i++) moments[i] = A[4 * i];
    sort(moments, axes);
    for (int i = 0; R && i < 9; i++) R[i] = axes[i];
}

void trxi_from_principal(const double moments[3], const double R[9], double tensor[6])
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++) {
        tensor[k] = 0;
        for (int i = 0; i < 3; i++) tensor[k] += moments[i] * R[row[k] + 3 * i] * R[column[k] + 3 * i];
    }
}

bool trxi_moments_possible(const double moments[3])
{
    double slack = TOLERANCE * fabs(moments[0] + moments[1] + moments[2]);
    return moments[0] >= -slack && moments[0] + moments[1] >= moments[2] - slack;
}

void trxi_bound_inertia(double *mass, double moments[3])
{
    *mass = fmax(*mass, TRXI_LEAST_MASS);
    double least = 0.4 * *mass * TRXI_LEAST_RADIUS * TRXI_LEAST_RADIUS;
    for (int i = 0; i < 3; i++) moments[i] = fmax(moments[i], least);

    // the smallest first, up to the second, then both
    double missing = moments[2] - moments[1] - moments[0];
    if (missing <= 0) return;
    double first = fmin(missing, moments[1] - moments[0]);
    moments[0] += first + (missing - first) / 2;
    moments[1] += (missing - first) / 2;
}

bool trxi_balance_moments(double moments[3])
{
    double half = (moments[0] + moments[1] + moments[2]) / 2, excess = moments[2] - half;
    if (!(half > 0)) return false;
    if (excess <= 0) return true;
    moments[2] = half;
    moments[1] += excess / 2;
    moments[0] += excess / 2;

    // what is left may be too much for one: then it is a corner
    if (moments[1] > half) moments[1] = half, moments[0] = 0;
    return true;
}
