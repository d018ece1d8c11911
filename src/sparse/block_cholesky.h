// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Cholesky factorization of a symmetric matrix of dense blocks on a graph: nodes are groups of unknowns (kinematic trees),
// edges the pairs that something ties together (theory 5, sparsity). The matrix is assembled where its factor will stand.
//
//     begin, edge, edge, ...; analyze      pattern, ordering of the graph, symbolic factorization: nothing is done when
//                                          the graph is that of the last time
//     clear; block, block, ...; factorize  numbers
//     solve                                as often as wanted
//
// Memory grows in analyze alone. One thread at a time.

#ifndef TRXI_SPARSE_BLOCK_CHOLESKY_H
#define TRXI_SPARSE_BLOCK_CHOLESKY_H

#include "base/context.h"

typedef struct trxi_block_cholesky trxi_block_cholesky;

/// NULL when memory is out (message set).
trxi_block_cholesky *trxi_block_cholesky_create(trx_context *context);
void trxi_block_cholesky_destroy(trxi_block_cholesky *bc);

/// Starts a graph of `nnode` nodes of `size` unknowns each, without edges. Errors: MEMORY.
trx_status trxi_block_cholesky_begin(trxi_block_cholesky *bc, int nnode, const int *size);

/// An edge between two different nodes; given twice it counts once. Errors: MEMORY.
trx_status trxi_block_cholesky_edge(trxi_block_cholesky *bc, int a, int b);

/// Errors: MEMORY.
trx_status trxi_block_cholesky_analyze(trxi_block_cholesky *bc);

/// Zeroes all blocks; a factorization leaves its factor in them.
void trxi_block_cholesky_clear(trxi_block_cholesky *bc);

typedef struct trxi_block {
    double *x;    // column-major
    int ld;
    bool flipped; // rows belong to b, columns to a
} trxi_block;

/// The block of nodes a and b, which are equal or have an edge. Of a diagonal block the lower triangle counts.
trxi_block trxi_block_cholesky_block(const trxi_block_cholesky *bc, int a, int b);

/// False when the matrix is not positive definite and finite; then analyze comes before the next one, and without it the
/// answer stays false.
bool trxi_block_cholesky_factorize(trxi_block_cholesky *bc);

/// X = H^-1 X for nrhs columns; unknowns in the order of the nodes. Columns that are zero but for few neighbouring nodes
/// cost less, most so when they are the same nodes in eight columns side by side.
void trxi_block_cholesky_solve(trxi_block_cholesky *bc, int nrhs, double *X, int ldx);

/// For tests: from now on the portable kernels (true) or what the processor offers (false).
void trxi_block_cholesky_use_portable(trxi_block_cholesky *bc, bool portable);

/// Nonzeros of the factor, and how often the graph was analyzed: for statistics and tests.
long trxi_block_cholesky_nonzeros(const trxi_block_cholesky *bc);
long trxi_block_cholesky_analyses(const trxi_block_cholesky *bc);

#endif
