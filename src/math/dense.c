// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Dense kernels; see dense.h. The factorization is left-looking by columns:
//
//     for j:  a_j -= sum_{k<j} L_jk L_k    (rows j ..)      L_jj = sqrt(a_jj),  L_j = a_j / L_jj
//
// OpenBLAS and LAPACKE answer OK on NaN, so pivots are checked here: `!(pivot > 0)` catches NaN too.

#include "math/dense.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>

static int small_cholesky(int n, double *A, int lda)
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

static int large_cholesky(int n, double *A, int lda)
{
    int info = (int)LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, A, lda);
    if (info > 0) return info - 1;
    for (int j = 0; j < n; j++)
        if (!(A[j + j * lda] > 0) || !isfinite(A[j + j * lda])) return j;
    return -1;
}

int trxi_cholesky(int n, double *A, int lda)
{
    return n >= TRXI_BLAS_CROSSOVER ? large_cholesky(n, A, lda) : small_cholesky(n, A, lda);
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

void trxi_lower_solve(int n, const double *L, int ldl, int nrhs, double *X, int ldx)
{
    for (int k = 0; k < nrhs; k++) lower_solve_column(n, L, ldl, X + k * ldx);
}

static void small_solve(int n, const double *L, int ldl, int nrhs, double *X, int ldx)
{
    for (int k = 0; k < nrhs; k++) {
        lower_solve_column(n, L, ldl, X + k * ldx);
        upper_solve_column(n, L, ldl, X + k * ldx);
    }
}

static void large_solve(int n, const double *L, int ldl, int nrhs, double *X, int ldx)
{
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, nrhs, 1, L, ldl, X, ldx);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, n, nrhs, 1, L, ldl, X, ldx);
}

void trxi_cholesky_solve(int n, const double *L, int ldl, int nrhs, double *X, int ldx)
{
    if (n >= TRXI_BLAS_ROWS && nrhs >= TRXI_BLAS_COLUMNS)
        large_solve(n, L, ldl, nrhs, X, ldx);
    else
        small_solve(n, L, ldl, nrhs, X, ldx);
}

static void scale_columns(int m, int n, double beta, double *C, int ldc)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) C[i + j * ldc] = beta == 0 ? 0 : beta * C[i + j * ldc];
}

static void small_gemm(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb,
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

static void small_gemm_tn(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb,
                          double beta, double *C, int ldc)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double sum = alpha * trxi_dot(k, A + i * lda, B + j * ldb);
            C[i + j * ldc] = beta == 0 ? sum : sum + beta * C[i + j * ldc];
        }
}

static bool is_large(int m, int n, int k)
{
    return (double)m * n * k >= TRXI_BLAS_PRODUCT;
}

void trxi_gemm(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb, double beta,
               double *C, int ldc)
{
    if (m == 0 || n == 0) return;
    if (is_large(m, n, k))
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    else
        small_gemm(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

void trxi_gemm_tn(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb, double beta,
                  double *C, int ldc)
{
    if (m == 0 || n == 0) return;
    if (is_large(m, n, k))
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    else
        small_gemm_tn(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

void trxi_gemv(int m, int n, double alpha, const double *A, int lda, const double *x, double beta, double *y)
{
    scale_columns(m, 1, beta, y, m);
    for (int j = 0; j < n; j++) trxi_axpy(m, alpha * x[j], A + j * lda, y);
}

void trxi_gemv_t(int m, int n, double alpha, const double *A, int lda, const double *x, double beta, double *y)
{
    for (int j = 0; j < n; j++) {
        double sum = alpha * trxi_dot(m, A + j * lda, x);
        y[j] = beta == 0 ? sum : sum + beta * y[j];
    }
}

void trxi_symv(int n, const double *A, int lda, const double *x, double *y)
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

double trxi_dot(int n, const double *a, const double *b)
{
    // four partial sums: a fixed order of summation that does not wait for each addition
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

void trxi_axpy(int n, double alpha, const double *x, double *y)
{
    for (int i = 0; i < n; i++) y[i] += alpha * x[i];
}

bool trxi_all_finite(int n, const double *x)
{
    // the sum of x - x is 0 for finite numbers and NaN as soon as one is not
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] - x[i];
    return sum == 0;
}
