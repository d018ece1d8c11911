// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Elimination by columns; see lu.h. L has a unit diagonal that is not stored.

#include "math/lu.h"

#include "math/dense.h"

#include <math.h>

static void exchange(double *a, double *b)
{
    double kept = *a;
    *a = *b;
    *b = kept;
}

// compares squares, so that weights need no roots
static bool is_larger(const double *column, const double *weights, int i, int j)
{
    if (!weights) return fabs(column[i]) > fabs(column[j]);
    return column[i] * column[i] * weights[i] > column[j] * column[j] * weights[j];
}

bool trxi_lu(int n, double *A, int lda, double *weights, int *pivots)
{
    for (int k = 0; k < n; k++) {
        double *column = A + k * lda;
        int largest = k;
        for (int i = k + 1; i < n; i++)
            if (is_larger(column, weights, i, largest)) largest = i;
        pivots[k] = largest;
        if (weights) exchange(&weights[k], &weights[largest]);
        if (!(fabs(column[largest]) > 0) || !isfinite(column[largest])) return false;
        for (int j = 0; j < n && largest != k; j++) exchange(&A[k + j * lda], &A[largest + j * lda]);

        // l = column below the pivot, then the rest less l times the pivot's row
        for (int i = k + 1; i < n; i++) column[i] /= column[k];
        for (int j = k + 1; j < n; j++) trxi_axpy(n - k - 1, -A[k + j * lda], column + k + 1, A + k + 1 + j * lda);
    }
    return true;
}

void trxi_lu_solve(int n, const double *LU, int ld, const int *pivots, int nrhs, double *X, int ldx)
{
    for (int c = 0; c < nrhs; c++) {
        double *x = X + c * ldx;
        for (int k = 0; k < n; k++)
            if (pivots[k] != k) exchange(&x[k], &x[pivots[k]]);
        for (int k = 0; k < n; k++) trxi_axpy(n - k - 1, -x[k], LU + k + 1 + k * ld, x + k + 1);
        for (int k = n - 1; k >= 0; k--) {
            x[k] /= LU[k + k * ld];
            trxi_axpy(k, -x[k], LU + k * ld, x);
        }
    }
}

// with A = P^T L U, X A^-1 = ((X U^-1) L^-1) P
void trxi_lu_solve_right(int n, const double *LU, int ld, const int *pivots, int m, double *X, int ldx)
{
    for (int j = 0; j < n; j++) {
        double *x = X + j * ldx;
        for (int k = 0; k < j; k++) trxi_axpy(m, -LU[k + j * ld], X + k * ldx, x);
        for (int i = 0; i < m; i++) x[i] /= LU[j + j * ld];
    }
    for (int j = n - 1; j >= 0; j--)
        for (int k = j + 1; k < n; k++) trxi_axpy(m, -LU[k + j * ld], X + k * ldx, X + j * ldx);
    for (int k = n - 1; k >= 0; k--)
        for (int i = 0; i < m && pivots[k] != k; i++) exchange(&X[i + k * ldx], &X[i + pivots[k] * ldx]);
}
