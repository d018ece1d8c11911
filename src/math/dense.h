// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Dense kernels on column-major matrices with a leading dimension. Small sizes run in plain loops written
// so that the compiler vectorizes down a column; above measured sizes LAPACKE and OpenBLAS take over.
// Symmetric matrices use and keep their lower triangle only.

#ifndef TRXI_MATH_DENSE_H
#define TRXI_MATH_DENSE_H

#include <stdbool.h>

/// Where LAPACKE and OpenBLAS become faster, as tests/math/bench_dense measures it on one thread.
enum {
    TRXI_BLAS_CROSSOVER = 24, // size of a factorization
    TRXI_BLAS_COLUMNS = 4,    // right-hand sides of a solve, of at least
    TRXI_BLAS_ROWS = 6,       // this size
    TRXI_BLAS_PRODUCT = 1000, // multiplications of a product
};

/// A = L L^T in place, lower triangle (n x n, leading dimension lda). Returns -1, or the index of the first
/// pivot that is not positive and finite; the matrix is then spoilt.
int trxi_cholesky(int n, double *A, int lda);

/// X = (L L^T)^-1 X for nrhs columns, in place.
void trxi_cholesky_solve(int n, const double *L, int ldl, int nrhs, double *X, int ldx);

/// X = L^-1 X for nrhs columns, in place.
void trxi_lower_solve(int n, const double *L, int ldl, int nrhs, double *X, int ldx);

/// C = alpha A B + beta C, with A (m x k), B (k x n). beta = 0 ignores what C held.
void trxi_gemm(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb, double beta,
               double *C, int ldc);

/// C = alpha A^T B + beta C, with A (k x m), B (k x n).
void trxi_gemm_tn(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb, double beta,
                  double *C, int ldc);

/// y = alpha A x + beta y, with A (m x n).
void trxi_gemv(int m, int n, double alpha, const double *A, int lda, const double *x, double beta, double *y);

/// y = alpha A^T x + beta y, with A (m x n).
void trxi_gemv_t(int m, int n, double alpha, const double *A, int lda, const double *x, double beta, double *y);

/// y = A x for symmetric A (n x n, lower triangle).
void trxi_symv(int n, const double *A, int lda, const double *x, double *y);

/// a . b over n numbers.
double trxi_dot(int n, const double *a, const double *b);

/// y += alpha x over n numbers.
void trxi_axpy(int n, double alpha, const double *x, double *y);

/// True when all n numbers are finite.
bool trxi_all_finite(int n, const double *x);

#endif
