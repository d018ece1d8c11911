// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Symbolic Cholesky factorization on a graph whose nodes are groups of unknowns (theory 5, sparsity): a fill-reducing order
// of the nodes and where each number of the factor stands.
//
// The graph of nodes is ordered (AMD), not that of the scalars: it is smaller by the square of the size of a node and loses
// nothing, because all unknowns of a node have the same neighbours. Neighbouring nodes whose columns have nearly the same
// rows form a panel: one dense matrix, column-major,
//
//     rows of its own nodes | rows of the nodes below, ascending | zero rows up to a multiple of 4 below its own
//
// A panel that is done is subtracted from the later panels that its rows below belong to. From where and to where is listed
// here once, as runs of rows that lie side by side in both.

#ifndef TRXI_SPARSE_SYMBOLIC_H
#define TRXI_SPARSE_SYMBOLIC_H

#include "base/context.h"

#include <stddef.h>
#include <stdint.h>

/// Rows from .. from + count of a panel are rows to .. of something else.
typedef struct trxi_run {
    int from, to, count;
} trxi_run;

/// What a panel subtracts from a later one: products of its rows with those of its rows that are columns there.
typedef struct trxi_update {
    int panel;                    // the later one
    int first_run, last_run;      // rows there
    int first_column, last_column; // columns there, in runs as well
} trxi_update;

typedef struct trxi_panel {
    int first, last;  // nodes, by position
    int start;        // first unknown
    int width, rows;  // unknowns of its own, and all rows
    int ld;           // rows with those that are zero
    size_t x;         // place of its first number
    int first_below, last_below;   // nodes below, in `below`
    int first_update, last_update;
    int first_run, last_run;       // rows below, to unknowns
} trxi_panel;

typedef struct trxi_array {
    void *x;
    size_t capacity;
} trxi_array;

typedef struct trxi_symbolic {
    int nnode, n, npanel;
    size_t nx;        // numbers in all panels
    long nonzeros;    // of the factor, without the zeros that panels store
    int *position, *order; // of a node, and the node there
    int *start;       // first unknown, by position; nnode + 1
    int *first;       // first unknown of a node in the caller's order
    int *panel_of;    // by position
    trxi_panel *panels;
    int *below, *row; // nodes below the panels, by position, and their first rows there
    int *around, *near; // positions of a node (at p) and its neighbours: near[around[p]] .. near[around[p + 1] - 1]
    trxi_update *updates;
    trxi_run *runs;

    // memory, and what is needed meanwhile: by position, parents in the elimination tree, rows below, list heads
    trxi_array node_memory, panel_memory, edge_memory, below_memory, update_memory, run_memory, order_memory;
    int *parent, *mark, *height, *column, *neighbors, *neighbor;
    int nupdate, nrun;
} trxi_symbolic;

/// Edges: first node << 32 | second, first < second, ascending, each once. False when memory is out; then nothing of `s` is
/// of use before it succeeds.
bool trxi_symbolic_make(trx_context *context, trxi_symbolic *s, int nnode, const int *size, int nedge,
                        const uint64_t *edges);

/// Row of the node at position `below` in the panel of the node at the earlier or same position `own`.
int trxi_symbolic_row(const trxi_symbolic *s, int own, int below);

void trxi_symbolic_release(trx_context *context, trxi_symbolic *s);

/// Room for `count` elements, keeping the first `used`. False when memory is out, and the array is what it was.
bool trxi_array_reserve(trx_context *context, trxi_array *array, size_t used, size_t count, size_t size);

#endif
