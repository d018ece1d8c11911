// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The choice of a dense kernel; see dense.h. The AVX2 set if the processor has AVX2, else the portable set, and
// LAPACKE and OpenBLAS above the sizes that the set names. The choice is read from the processor at every call, which
// costs less than a nanosecond. The choice is the same during the whole process, so results are too.
//
// OpenBLAS and LAPACKE report success on NaN, so their pivots are checked here.

#include "math/dense.h"

#include "math/dense_kernels.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stddef.h>

static const trxi_dense_kernels *kernels(void)
{
    const trxi_dense_kernels *vector = trxi_dense_vector();
    return vector ? vector : &trxi_dense_portable;
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
    const trxi_dense_kernels *set = kernels();
    return n > set->cholesky_most ? large_cholesky(n, A, lda) : set->cholesky(n, A, lda);
}

static bool solves(const trxi_dense_kernels *set, int n, int nrhs)
{
    return n <= TRXI_DENSE_MOST && (n <= set->solve_most || nrhs <= set->few_columns);
}

void trxi_cholesky_solve(int n, const double *L, int ldl, int nrhs, double *X, int ldx)
{
    const trxi_dense_kernels *set = kernels();
    if (n == 0 || nrhs == 0) return;
    if (solves(set, n, nrhs)) {
        set->solve(n, L, ldl, nrhs, X, ldx);
        return;
    }
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, nrhs, 1, L, ldl, X, ldx);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, n, nrhs, 1, L, ldl, X, ldx);
}

void trxi_lower_solve_right(int n, const double *L, int ldl, int m, double *X, int ldx)
{
    const trxi_dense_kernels *set = kernels();
    if (n == 0 || m == 0) return;
    if (n <= TRXI_DENSE_MOST)
        set->lower_solve_right(n, L, ldl, m, X, ldx);
    else
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, m, n, 1, L, ldl, X, ldx);
}

void trxi_upper_solve_right(int n, const double *L, int ldl, int m, double *X, int ldx)
{
    const trxi_dense_kernels *set = kernels();
    if (n == 0 || m == 0) return;
    if (n <= TRXI_DENSE_MOST)
        set->upper_solve_right(n, L, ldl, m, X, ldx);
    else
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, m, n, 1, L, ldl, X, ldx);
}

void trxi_lower_solve(int n, const double *L, int ldl, int nrhs, double *X, int ldx)
{
    const trxi_dense_kernels *set = kernels();
    if (n == 0 || nrhs == 0) return;
    if (solves(set, n, nrhs))
        set->lower_solve(n, L, ldl, nrhs, X, ldx);
    else
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, nrhs, 1, L, ldl, X, ldx);
}

static bool multiplies(const trxi_dense_kernels *set, int m, int n, int k)
{
    return (double)m * n * k < set->product_most;
}

void trxi_gemm(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb, double beta,
               double *C, int ldc)
{
    const trxi_dense_kernels *set = kernels();
    if (m == 0 || n == 0) return;
    if (multiplies(set, m, n, k))
        set->gemm(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    else
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

void trxi_gemm_tn(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb, double beta,
                  double *C, int ldc)
{
    const trxi_dense_kernels *set = kernels();
    if (m == 0 || n == 0) return;
    if (multiplies(set, m, n, k))
        set->gemm_tn(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    else
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

// large symmetric products: panels of columns, from the diagonal down
enum { PANEL = 16 };

void trxi_gemm_nt_lower(int m, int k, const double *A, int lda, const double *B, int ldb, double *C, int ldc)
{
    const trxi_dense_kernels *set = kernels();
    if (multiplies(set, m, m, k)) {
        set->gemm_nt_lower(m, k, A, lda, B, ldb, C, ldc);
        return;
    }
    for (int j = 0; j < m; j += PANEL)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, m - j, m - j < PANEL ? m - j : PANEL, k, 1, A + j, lda,
                    B + j, ldb, 1, C + j + j * ldc, ldc);
}

void trxi_gemv(int m, int n, double alpha, const double *A, int lda, const double *x, double beta, double *y)
{
    kernels()->gemv(m, n, alpha, A, lda, x, beta, y);
}

void trxi_gemv_t(int m, int n, double alpha, const double *A, int lda, const double *x, double beta, double *y)
{
    kernels()->gemv_t(m, n, alpha, A, lda, x, beta, y);
}

void trxi_symv(int n, const double *A, int lda, const double *x, double *y)
{
    kernels()->symv(n, A, lda, x, y);
}

void trxi_transpose(int m, int n, const double *A, int lda, double *B, int ldb)
{
    kernels()->transpose(m, n, A, lda, B, ldb);
}

double trxi_dot(int n, const double *a, const double *b)
{
    return kernels()->dot(n, a, b);
}

void trxi_axpy(int n, double alpha, const double *x, double *y)
{
    kernels()->axpy(n, alpha, x, y);
}

void trxi_add(int m, int n, double alpha, const double *A, int lda, double *B, int ldb)
{
    kernels()->add(m, n, alpha, A, lda, B, ldb);
}

void trxi_add_rank3(int m, int n, bool lower, const double *W, int ldw, const double *B, double *C, int ldc)
{
    kernels()->add_rank3(m, n, lower, W, ldw, B, C, ldc);
}

bool trxi_all_finite(int n, const double *x)
{
    // the sum of x - x is 0 for finite numbers, and NaN if one of them is not finite
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] - x[i];
    return sum == 0;
}
