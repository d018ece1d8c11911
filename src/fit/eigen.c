// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Jacobi's method [Golub, Van Loan 2013, 8.5]: rotations in the plane (p, q) make one entry after the other zero, until all entries
// beside the diagonal are below rounding. n is the number of parameters, so n^3 does not matter. Small eigenvalues have small
// relative errors when the matrix is scaled, as the matrices of theory 10 are.

#include "fit/eigen.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

enum { MAX_SWEEPS = 60 };

static void rotate(int n, double *A, double *V, int p, int q)
{
    const double app = A[p * n + p], aqq = A[q * n + q], apq = A[q * n + p];
    const double theta = (aqq - app) / (2 * apq), t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < n; k++) {
        const double a = A[p * n + k], b = A[q * n + k], v = V[p * n + k], w = V[q * n + k];
        A[p * n + k] = c * a - s * b, A[q * n + k] = s * a + c * b;
        V[p * n + k] = c * v - s * w, V[q * n + k] = s * v + c * w;
    }
    for (int k = 0; k < n; k++) {
        const double a = A[k * n + p], b = A[k * n + q];
        A[k * n + p] = c * a - s * b, A[k * n + q] = s * a + c * b;
    }
}

// one rotation for every entry that counts; false when there is none
static bool sweep(int n, double *A, double *V)
{
    bool any = false;
    for (int p = 0; p < n; p++)
        for (int q = p + 1; q < n; q++) {
            const double scale = sqrt(fabs(A[p * n + p] * A[q * n + q]));
            if (fabs(A[q * n + p]) <= DBL_EPSILON * scale || A[q * n + p] == 0) continue;
            rotate(n, A, V, p, q);
            any = true;
        }
    return any;
}

static void exchange(int n, double *values, double *V, int i, int j)
{
    const double value = values[i];
    values[i] = values[j], values[j] = value;
    for (int k = 0; k < n; k++) {
        const double v = V[i * n + k];
        V[i * n + k] = V[j * n + k], V[j * n + k] = v;
    }
}

void trxi_symmetric_eigen(int n, double *A, double *values, double *V)
{
    for (int i = 0; i < n * n; i++) V[i] = i % (n + 1) == 0;
    for (int k = 0; k < MAX_SWEEPS && sweep(n, A, V); k++) {}
    for (int i = 0; i < n; i++) values[i] = A[i * n + i];
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (values[j] < values[i]) exchange(n, values, V, i, j);
}
