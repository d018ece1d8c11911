// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Cholesky factorization of a symmetric matrix of dense blocks on a graph. Nodes are groups of unknowns (kinematic
// trees), and edges are pairs of groups that rows connect (theory 5, islands and cost). The matrix is assembled in the memory
// of its factor.
//
//     begin, edge, edge, ...; analyze      pattern, order of the graph, symbolic factorization: does nothing if the graph
//                                          has not changed
//     clear; block, block, ...; factorize  numbers
//     solve                                as often as wanted
//
// Memory grows only in analyze. One thread at a time.

#ifndef TRXI_SPARSE_BLOCK_CHOLESKY_H
#define TRXI_SPARSE_BLOCK_CHOLESKY_H

#include "base/context.h"

typedef struct trxi_block_cholesky trxi_block_cholesky;

/// NULL when memory is out (message set).
trxi_block_cholesky *trxi_block_cholesky_create(trx_context *context);
void trxi_block_cholesky_destroy(trxi_block_cholesky *bc);

/// Starts a graph of `nnode` nodes of `size` unknowns each, without edges. Errors: MEMORY.
trx_status trxi_block_cholesky_begin(trxi_block_cholesky *bc, int nnode, const int *size);

/// An edge between two different nodes; repeated edges count once. Errors: MEMORY.
trx_status trxi_block_cholesky_edge(trxi_block_cholesky *bc, int a, int b);

/// Errors: MEMORY.
trx_status trxi_block_cholesky_analyze(trxi_block_cholesky *bc);

/// Sets all blocks to zero; a factorization overwrites them with its factor.
void trxi_block_cholesky_clear(trxi_block_cholesky *bc);

typedef struct trxi_block {
    double *x;    // column-major
    int ld;
    bool flipped; // rows belong to b, columns to a
} trxi_block;

/// The block of nodes a and b, which are equal or have an edge. Only the lower triangle of a diagonal block is used.
trxi_block trxi_block_cholesky_block(const trxi_block_cholesky *bc, int a, int b);

/// Returns false when the matrix is not positive definite and finite. After false, call analyze before the next
/// factorization; without it factorize returns false again.
bool trxi_block_cholesky_factorize(trxi_block_cholesky *bc);

/// X = H^-1 X for nrhs columns, unknowns in the order of the nodes. Columns cost less when only a few neighbouring nodes
/// are nonzero, especially when eight adjacent columns have the same nonzero nodes.
void trxi_block_cholesky_solve(trxi_block_cholesky *bc, int nrhs, double *X, int ldx);

/// For tests: selects the portable kernels (true) or the best kernels of the processor (false).
void trxi_block_cholesky_use_portable(trxi_block_cholesky *bc, bool portable);

/// Nonzeros of the factor and number of analyses, for statistics and tests.
long trxi_block_cholesky_nonzeros(const trxi_block_cholesky *bc);
long trxi_block_cholesky_analyses(const trxi_block_cholesky *bc);

#endif
