// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The kernels of block_cholesky.h: portable loops, or AVX2 with FMA. A processor with AVX-512 uses it for `combine` only.
// Kernels work on panels. A panel stores neighbouring columns of the factor, with all their rows, as one dense matrix
//
//     L = [ L1 ]   width x width, lower triangle
//         [ L2 ]   the rows below
//
// or work on blocks of a panel. Lanes are eight right-hand sides side by side: row i begins at x + 8 i. Every kernel
// computes an entry of its result by the same operations in the same order, wherever the data are stored.

#ifndef TRXI_SPARSE_PANEL_KERNELS_H
#define TRXI_SPARSE_PANEL_KERNELS_H

#include <stdbool.h>

enum { TRXI_PANEL_LANES = 8 };

typedef struct trxi_panel_kernels {
    /// A (rows x width, lower triangle in its first rows) becomes L: A = L L1^T. inverse: 1 / L_ii. Returns false
    /// when a pivot is not a positive, normal and finite number.
    bool (*factorize)(int rows, int width, double *A, int lda, double *inverse);

    /// C -= A B^T for C (m x n), A (m x k), B (n x k). With `lower`, only the lower triangle of the first n rows of C
    /// is valid afterwards.
    void (*downdate)(int m, int n, int k, bool lower, const double *A, int lda, const double *B, int ldb, double *C,
                     int ldc);

    /// One right-hand side x (rows): x1 = L1^-1 x1, x2 -= L2 x1.
    void (*forward)(int rows, int width, const double *L, int ldl, const double *inverse, double *x);

    /// The transpose: x1 = L1^-T (x1 - L2^T x2).
    void (*backward)(int rows, int width, const double *L, int ldl, const double *inverse, double *x);

    /// Lanes: X = L1^-1 X and X = L1^-T X.
    void (*forward_lanes)(int width, const double *L, int ldl, const double *inverse, double *X);
    void (*backward_lanes)(int width, const double *L, int ldl, const double *inverse, double *X);

    /// Lanes: Y -= B X and X -= B^T Y for a block B (rows x width).
    void (*spread_lanes)(int rows, int width, const double *B, int ldb, const double *X, double *Y);
    void (*collect_lanes)(int rows, int width, const double *B, int ldb, const double *Y, double *X);

    /// fill_lanes copies `used` columns X, at most eight, row by row into lanes Y and sets the other lanes to zero. It
    /// returns whether any number is nonzero. empty_lanes copies the lanes back to the columns.
    bool (*fill_lanes)(int rows, int used, const double *X, int ldx, double *Y);
    void (*empty_lanes)(int rows, int used, const double *Y, double *X, int ldx);

    /// C = sum of A_k B_k over `count` columns A_k of m rows, m a multiple of 8, and rows B_k of n numbers, ldb apart.
    void (*combine)(int m, int n, int count, const double *const *A, const double *B, int ldb, double *C, int ldc);
} trxi_panel_kernels;

extern const trxi_panel_kernels trxi_panel_portable;

#include "math/dense_avx2.h"

#ifdef TRXI_HAS_AVX2
void trxi_combine_avx2(int m, int n, int count, const double *const *A, const double *B, int ldb, double *C, int ldc);
void trxi_combine_avx512(int m, int n, int count, const double *const *A, const double *B, int ldb, double *C, int ldc);
#endif

/// The best vector kernels of this processor, or NULL if the processor or the compiler's target lacks AVX2.
const trxi_panel_kernels *trxi_panel_vector(void);

#endif
