// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Small general matrices by elimination with row exchanges: P A = L U (column-major, leading dimension). It serves the
// blocks of single trees; plain loops, n^3/3 multiplications.

#ifndef TRXI_MATH_LU_H
#define TRXI_MATH_LU_H

#include <stdbool.h>

/// Factorizes A (n x n) in place. A pivot is the largest of its column, by its square times the weight of its row (weights: n,
/// exchanged with the rows; NULL: 1). pivots (n): the row with which each row was exchanged. Returns false when a pivot is zero
/// or not finite; the matrix is then invalid.
bool trxi_lu(int n, double *A, int lda, double *weights, int *pivots);

/// X = A^-1 X for nrhs columns, in place.
void trxi_lu_solve(int n, const double *LU, int ld, const int *pivots, int nrhs, double *X, int ldx);

/// X = X A^-1 for the m rows of X (m x n), in place.
void trxi_lu_solve_right(int n, const double *LU, int ld, const int *pivots, int m, double *X, int ldx);

#endif
