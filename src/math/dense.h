// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Dense kernels on column-major matrices with a leading dimension. They use AVX2 and FMA instructions if the
// processor has them, else plain loops, and LAPACKE and OpenBLAS above measured sizes (dense_kernels.h). For
// symmetric matrices the lower triangle is read and computed; entries of a result above the diagonal are undefined.

#ifndef TRXI_MATH_DENSE_H
#define TRXI_MATH_DENSE_H

#include <stdbool.h>

/// A = L L^T in place, lower triangle (n x n, leading dimension lda). Returns -1, or the index of the first pivot
/// that is not positive and finite (a kernel may also refuse a subnormal pivot); the matrix is then invalid.
int trxi_cholesky(int n, double *A, int lda);

/// X = (L L^T)^-1 X for nrhs columns, in place.
void trxi_cholesky_solve(int n, const double *L, int ldl, int nrhs, double *X, int ldx);

/// X = X L^-T for the m rows of X (m x n), in place: the first half of X (L L^T)^-1.
void trxi_lower_solve_right(int n, const double *L, int ldl, int m, double *X, int ldx);

/// X = X L^-1 for the m rows of X (m x n), in place: the second half of X (L L^T)^-1.
void trxi_upper_solve_right(int n, const double *L, int ldl, int m, double *X, int ldx);

/// X = L^-1 X for nrhs columns, in place.
void trxi_lower_solve(int n, const double *L, int ldl, int nrhs, double *X, int ldx);

/// C = alpha A B + beta C, with A (m x k), B (k x n). beta = 0 ignores the old C.
void trxi_gemm(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb, double beta,
               double *C, int ldc);

/// C = alpha A^T B + beta C, with A (k x m), B (k x n).
void trxi_gemm_tn(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb, double beta,
                  double *C, int ldc);

/// C += A B^T if the product is symmetric (m x m), with A, B (m x k).
void trxi_gemm_nt_lower(int m, int k, const double *A, int lda, const double *B, int ldb, double *C, int ldc);

/// y = alpha A x + beta y, with A (m x n).
void trxi_gemv(int m, int n, double alpha, const double *A, int lda, const double *x, double beta, double *y);

/// y = alpha A^T x + beta y, with A (m x n).
void trxi_gemv_t(int m, int n, double alpha, const double *A, int lda, const double *x, double beta, double *y);

/// y = A x for symmetric A (n x n, lower triangle).
void trxi_symv(int n, const double *A, int lda, const double *x, double *y);

/// B = A^T, with A (m x n), B (n x m).
void trxi_transpose(int m, int n, const double *A, int lda, double *B, int ldb);

/// a . b over n numbers.
double trxi_dot(int n, const double *a, const double *b);

/// y += alpha x over n numbers.
void trxi_axpy(int n, double alpha, const double *x, double *y);

/// B += alpha A, with A, B (m x n).
void trxi_add(int m, int n, double alpha, const double *A, int lda, double *B, int ldb);

/// C += W B for k = 3, with W (m x 3), B (3 x n without gaps); `lower`: the lower triangle of a square C.
void trxi_add_rank3(int m, int n, bool lower, const double *W, int ldw, const double *B, double *C, int ldc);

/// True when all n numbers are finite.
bool trxi_all_finite(int n, const double *x);

#endif
