// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The portable dense kernels: plain loops, written so that a compiler vectorizes them down a column. The factorization is
// left-looking by columns:
//
//     for j:  a_j -= sum_{k<j} L_jk L_k    (rows j ..)      L_jj = sqrt(a_jj),  L_j = a_j / L_jj
//
// `!(pivot > 0)` also catches NaN.

#include "math/dense_kernels.h"

#include <math.h>

static double dot(int n, const double *a, const double *b)
{
    // four partial sums: a fixed order of summation in which additions do not wait for each other
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        s0 += a[i] * b[i];
        s1 += a[i + 1] * b[i + 1];
        s2 += a[i + 2] * b[i + 2];
        s3 += a[i + 3] * b[i + 3];
    }
    for (; i < n; i++) s0 += a[i] * b[i];
    return (s0 + s1) + (s2 + s3);
}

static void axpy(int n, double alpha, const double *x, double *y)
{
    for (int i = 0; i < n; i++) y[i] += alpha * x[i];
}

static int cholesky(int n, double *A, int lda)
{
    for (int j = 0; j < n; j++) {
        double *restrict column = A + j * lda;
        for (int k = 0; k < j; k++) {
            const double *restrict earlier = A + k * lda;
            double factor = earlier[j];
            for (int i = j; i < n; i++) column[i] -= factor * earlier[i];
        }
        if (!(column[j] > 0) || !isfinite(column[j])) return j;
        double pivot = sqrt(column[j]), inverse = 1 / pivot;
        column[j] = pivot;
        for (int i = j + 1; i < n; i++) column[i] *= inverse;
    }
    return -1;
}

static void lower_solve_column(int n, const double *restrict L, int ldl, double *restrict x)
{
    for (int j = 0; j < n; j++) {
        double value = x[j] /= L[j + j * ldl];
        for (int i = j + 1; i < n; i++) x[i] -= value * L[i + j * ldl];
    }
}

static void upper_solve_column(int n, const double *restrict L, int ldl, double *restrict x)
{
    for (int j = n - 1; j >= 0; j--) {
        double value = x[j];
        for (int i = j + 1; i < n; i++) value -= L[i + j * ldl] * x[i];
        x[j] = value / L[j + j * ldl];
    }
}

static void lower_solve(int n, const double *L, int ldl, int nrhs, double *X, int ldx)
{
    for (int k = 0; k < nrhs; k++) lower_solve_column(n, L, ldl, X + k * ldx);
}

static void solve(int n, const double *L, int ldl, int nrhs, double *X, int ldx)
{
    for (int k = 0; k < nrhs; k++) {
        lower_solve_column(n, L, ldl, X + k * ldx);
        upper_solve_column(n, L, ldl, X + k * ldx);
    }
}

static void lower_solve_right(int n, const double *L, int ldl, int m, double *X, int ldx)
{
    for (int j = 0; j < n; j++) {
        double *X_j = X + j * ldx;
        for (int k = 0; k < j; k++) axpy(m, -L[j + k * ldl], X + k * ldx, X_j);
        for (int i = 0; i < m; i++) X_j[i] /= L[j + j * ldl];
    }
}

static void upper_solve_right(int n, const double *L, int ldl, int m, double *X, int ldx)
{
    for (int j = n - 1; j >= 0; j--) {
        double *X_j = X + j * ldx;
        for (int k = j + 1; k < n; k++) axpy(m, -L[k + j * ldl], X + k * ldx, X_j);
        for (int i = 0; i < m; i++) X_j[i] /= L[j + j * ldl];
    }
}

static void scale_columns(int m, int n, double beta, double *C, int ldc)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) C[i + j * ldc] = beta == 0 ? 0 : beta * C[i + j * ldc];
}

static void gemm(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb,
                 double beta, double *C, int ldc)
{
    scale_columns(m, n, beta, C, ldc);
    for (int j = 0; j < n; j++) {
        double *restrict c = C + j * ldc;
        for (int l = 0; l < k; l++) {
            const double *restrict a = A + l * lda;
            double factor = alpha * B[l + j * ldb];
            for (int i = 0; i < m; i++) c[i] += factor * a[i];
        }
    }
}

static void gemm_tn(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb,
                          double beta, double *C, int ldc)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double sum = alpha * dot(k, A + i * lda, B + j * ldb);
            C[i + j * ldc] = beta == 0 ? sum : sum + beta * C[i + j * ldc];
        }
}

static void gemm_nt_lower(int m, int k, const double *A, int lda, const double *B, int ldb, double *C, int ldc)
{
    for (int j = 0; j < m; j++)
        for (int l = 0; l < k; l++) axpy(m - j, B[j + l * ldb], A + j + l * lda, C + j + j * ldc);
}

static void gemv(int m, int n, double alpha, const double *A, int lda, const double *x, double beta, double *y)
{
    scale_columns(m, 1, beta, y, m);
    for (int j = 0; j < n; j++) axpy(m, alpha * x[j], A + j * lda, y);
}

static void gemv_t(int m, int n, double alpha, const double *A, int lda, const double *x, double beta, double *y)
{
    for (int j = 0; j < n; j++) {
        double sum = alpha * dot(m, A + j * lda, x);
        y[j] = beta == 0 ? sum : sum + beta * y[j];
    }
}

static void symv(int n, const double *A, int lda, const double *x, double *y)
{
    for (int i = 0; i < n; i++) y[i] = 0;
    for (int j = 0; j < n; j++) {
        const double *restrict column = A + j * lda;
        double sum = column[j] * x[j];
        for (int i = j + 1; i < n; i++) {
            y[i] += column[i] * x[j];
            sum += column[i] * x[i];
        }
        y[j] += sum;
    }
}

static void transpose(int m, int n, const double *A, int lda, double *B, int ldb)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) B[j + i * ldb] = A[i + j * lda];
}

static void add(int m, int n, double alpha, const double *A, int lda, double *B, int ldb)
{
    for (int j = 0; j < n; j++) axpy(m, alpha, A + j * lda, B + j * ldb);
}

static void add_rank3(int m, int n, bool lower, const double *W, int ldw, const double *B, double *C, int ldc)
{
    for (int j = 0; j < n; j++, B += 3, C += ldc)
        for (int i = lower ? j : 0; i < m; i++) C[i] += W[i] * B[0] + W[i + ldw] * B[1] + W[i + 2 * ldw] * B[2];
}

// sizes above which OpenBLAS and LAPACKE are faster (tests/math/bench_dense)
const trxi_dense_kernels trxi_dense_portable = {
    .cholesky_most = 23, .solve_most = 5, .few_columns = 3, .product_most = 1000,
    .cholesky = cholesky, .solve = solve, .lower_solve = lower_solve,
    .lower_solve_right = lower_solve_right, .upper_solve_right = upper_solve_right, .gemm = gemm, .gemm_tn = gemm_tn,
    .gemm_nt_lower = gemm_nt_lower, .gemv = gemv, .gemv_t = gemv_t, .symv = symv, .transpose = transpose, .dot = dot,
    .axpy = axpy, .add = add, .add_rank3 = add_rank3,
};
