// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The two sets of dense kernels behind dense.h: portable loops, and AVX2 with FMA. dense.c chooses one set for the
// processor and passes large matrices to LAPACKE and OpenBLAS. Every kernel computes an entry of its result by the
// same operations in the same order, wherever the data are stored and whatever other columns are computed. One
// exception: a single right-hand side may be solved in another order than several.

#ifndef TRXI_MATH_DENSE_KERNELS_H
#define TRXI_MATH_DENSE_KERNELS_H

#include <stdbool.h>

enum { TRXI_DENSE_MOST = 128 }; // order of the largest matrix a kernel factorizes or solves with

/// Kernels with the contracts of dense.h, and the sizes up to which they are faster than OpenBLAS.
typedef struct trxi_dense_kernels {
    int cholesky_most;         // order of a factorization
    int solve_most;            // order of a solve with several columns
    int few_columns;           // up to this many columns are solved here, at any order up to TRXI_DENSE_MOST
    double product_most;       // multiplications of a product
    int (*cholesky)(int n, double *A, int lda);
    void (*solve)(int n, const double *L, int ldl, int nrhs, double *X, int ldx);
    void (*lower_solve)(int n, const double *L, int ldl, int nrhs, double *X, int ldx);
    void (*lower_solve_right)(int n, const double *L, int ldl, int m, double *X, int ldx);
    void (*upper_solve_right)(int n, const double *L, int ldl, int m, double *X, int ldx);
    void (*gemm)(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb, double beta,
                 double *C, int ldc);
    void (*gemm_tn)(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb, double beta,
                    double *C, int ldc);
    void (*gemm_nt_lower)(int m, int k, const double *A, int lda, const double *B, int ldb, double *C, int ldc);
    void (*gemv)(int m, int n, double alpha, const double *A, int lda, const double *x, double beta, double *y);
    void (*gemv_t)(int m, int n, double alpha, const double *A, int lda, const double *x, double beta, double *y);
    void (*symv)(int n, const double *A, int lda, const double *x, double *y);
    void (*transpose)(int m, int n, const double *A, int lda, double *B, int ldb);
    double (*dot)(int n, const double *a, const double *b);
    void (*axpy)(int n, double alpha, const double *x, double *y);
    void (*add)(int m, int n, double alpha, const double *A, int lda, double *B, int ldb);
    void (*add_rank3)(int m, int n, bool lower, const double *W, int ldw, const double *B, double *C, int ldc);
} trxi_dense_kernels;

extern const trxi_dense_kernels trxi_dense_portable;

/// The AVX2 set, or NULL if this processor or this compiler's target lacks AVX2.
const trxi_dense_kernels *trxi_dense_vector(void);

#endif
