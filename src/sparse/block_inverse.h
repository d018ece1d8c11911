// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The whole inverse of a matrix factorized by block_cholesky.h, and products of the inverse with columns of few
// nonzero rows.
//
// If all columns of H^-1 R are wanted and R is as sparse as H, a product with the inverse takes less work than a solve.
// The inverse is symmetric and costs less than half of nnz(L) n products. A column of H^-1 R then adds up one column of
// the inverse for each nonzero row of R.
//
// The rounding error of a solve is proportional to its solution. The rounding error of such a product is proportional to
// the terms of its sums. Terms up to a thousand times larger than their sum are harmless, because the errors of the factor
// are larger. For larger terms the product returns false.

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

/// The last factorization; valid until the next one.
trxi_block_factor trxi_block_cholesky_factor(const trxi_block_cholesky *bc);

/// Unknowns in the order of elimination: the node at position p has the unknowns from symbolic->start[p] on.
typedef struct trxi_block_inverse {
    const trxi_symbolic *symbolic;
    const trxi_panel_kernels *kernels;
    int ld;      // rows rounded up to a multiple of 8; the added rows are zero
    double *Z;   // ld x n: the inverse, both triangles
    double *X;   // n x TRXI_INVERSE_COLUMNS, row by row: nonzero rows of the right-hand sides
    double *Y;   // ld x TRXI_INVERSE_COLUMNS: their products
    const double **columns; // n: columns of Z, one for each row of X
    double *root; // n: square roots of the diagonal of Z
} trxi_block_inverse;

/// Size of the memory for trxi_block_inverse_make, in numbers.
size_t trxi_block_inverse_size(const trxi_symbolic *symbolic);

/// Computes the inverse in the caller's memory, which must stay valid.
trxi_block_inverse trxi_block_inverse_make(const trxi_block_factor *factor, double *memory);

/// Y = Z X for 2 ncol columns, at most TRXI_INVERSE_COLUMNS. Their only nonzero rows are the rows of the nodes around
/// position p; X has these rows one after the other. Returns false if a solve would be more accurate: in the first or in
/// the second half of the columns, the terms of the sums cancel to a much smaller result for the node at p.
bool trxi_block_inverse_multiply(const trxi_block_inverse *inverse, int p, int ncol);

#endif
