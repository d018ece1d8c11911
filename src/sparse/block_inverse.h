// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The whole inverse of a matrix that block_cholesky.h has factorized, and products of it with columns of few nonzero rows.
//
// Where all columns of H^-1 R are wanted, R as sparse as H, this is less work than solving: the inverse costs less than half of
// nnz(L) n products, since it is symmetric, and a column of the product as many columns of the inverse as R has rows there.
//
// A solve has errors in proportion to its solution, such a product in proportion to its terms. Terms that are some hundred times
// larger than their sum are nothing against what the factor has of errors already; where they are more, the product says so.

#ifndef TRXI_SPARSE_BLOCK_INVERSE_H
#define TRXI_SPARSE_BLOCK_INVERSE_H

#include "sparse/block_cholesky.h"
#include "sparse/panel_kernels.h"
#include "sparse/symbolic.h"

enum { TRXI_INVERSE_COLUMNS = 12 };

/// A factorization: layout, panels, reciprocal pivots.
typedef struct trxi_block_factor {
    const trxi_symbolic *symbolic;
    const trxi_panel_kernels *kernels;
    const double *panels, *inverse;
} trxi_block_factor;

/// What a factorization left, until the next one.
trxi_block_factor trxi_block_cholesky_factor(const trxi_block_cholesky *bc);

/// Unknowns by position in the order of elimination, those of the node at position p from symbolic->start[p] on.
typedef struct trxi_block_inverse {
    const trxi_symbolic *symbolic;
    const trxi_panel_kernels *kernels;
    int ld;      // rows with those up to a multiple of 8, which are zero
    double *Z;   // ld x n: the inverse, both triangles
    double *X;   // n x TRXI_INVERSE_COLUMNS, row by row: rows of the right-hand sides that are not zero
    double *Y;   // ld x TRXI_INVERSE_COLUMNS: their products
    const double **columns; // n: of Z, one for each row of X
    double *root; // n: square roots of the diagonal of Z
} trxi_block_inverse;

/// Numbers of memory that trxi_block_inverse_make takes.
size_t trxi_block_inverse_size(const trxi_symbolic *symbolic);

/// The inverse, in the caller's memory, which it keeps.
trxi_block_inverse trxi_block_inverse_make(const trxi_block_factor *factor, double *memory);

/// Y = Z X for 2 ncol columns, at most TRXI_INVERSE_COLUMNS, whose only nonzero rows are those of the nodes around position p; X
/// has these rows one after the other. False where a solve would leave more digits of the first or of the second half of the
/// columns: where the terms of the sums are so much larger than what the node itself gets that they must have cancelled.
bool trxi_block_inverse_multiply(const trxi_block_inverse *inverse, int p, int ncol);

#endif
