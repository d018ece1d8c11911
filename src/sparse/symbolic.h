// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Symbolic Cholesky factorization on a graph whose nodes are groups of unknowns (theory 5, islands and cost): a fill-reducing order
// of the nodes and the place of each number of the factor.
//
// The graph of nodes is ordered (AMD), not the graph of scalars. It is smaller by the square of the size of a node
// and equally good, because all unknowns of a node have the same neighbours. Neighbouring nodes whose columns have
// nearly the same rows form a panel: one dense matrix, column-major,
//
//     rows of its own nodes | rows of the nodes below, ascending | zero rows, which fill up the rows below to a multiple of 4
//
// A finished panel updates the later panels that contain nodes below it. The symbolic phase lists source and target of
// these updates once, as runs of rows that are contiguous in both.

#ifndef TRXI_SPARSE_SYMBOLIC_H
#define TRXI_SPARSE_SYMBOLIC_H

#include "base/context.h"

#include <stddef.h>
#include <stdint.h>

/// `count` contiguous rows, from row `from` on in a panel and from row `to` on in the target.
typedef struct trxi_run {
    int from, to, count;
} trxi_run;

/// Contribution of a panel to a later panel: products of all rows of the panel with the rows that are columns of the later
/// panel.
typedef struct trxi_update {
    int panel;                    // index of the later panel
    int first_run, last_run;      // rows of the contribution
    int first_column, last_column; // columns of the contribution, also as runs
} trxi_update;

typedef struct trxi_panel {
    int first, last;  // nodes, by position
    int start;        // first unknown
    int width, rows;  // own unknowns, and all rows
    int ld;           // rows with the zero rows
    size_t x;         // index of its first number
    int first_below, last_below;   // nodes below, in `below`
    int first_update, last_update;
    int first_run, last_run;       // rows below, mapped to unknowns
} trxi_panel;

typedef struct trxi_array {
    void *x;
    size_t capacity;
} trxi_array;

typedef struct trxi_symbolic {
    int nnode, n, npanel;
    size_t nx;        // numbers in all panels
    long nonzeros;    // of the factor, without the zeros that panels store
    int *position, *order; // position of a node; node at a position
    int *start;       // first unknown, by position; nnode + 1
    int *first;       // first unknown of a node in the caller's order
    int *panel_of;    // by position
    trxi_panel *panels;
    int *below, *row; // nodes below the panels, by position, and their first rows there
    int *around, *near; // positions of a node (at p) and its neighbours: near[around[p]] .. near[around[p + 1] - 1]
    trxi_update *updates;
    trxi_run *runs;

    // scratch, by position: parents in the elimination tree, rows below, list heads
    trxi_array node_memory, panel_memory, edge_memory, below_memory, update_memory, run_memory, order_memory;
    int *parent, *mark, *height, *column, *neighbors, *neighbor;
    int nupdate, nrun;
} trxi_symbolic;

/// Edges: first node << 32 | second, first < second, ascending, each once. Returns false when memory is out; `s` is
/// then invalid until a later call succeeds.
bool trxi_symbolic_make(trx_context *context, trxi_symbolic *s, int nnode, const int *size, int nedge,
                        const uint64_t *edges);

/// Row of the node at position `below` in the panel of the node at the earlier or same position `own`.
int trxi_symbolic_row(const trxi_symbolic *s, int own, int below);

void trxi_symbolic_release(trx_context *context, trxi_symbolic *s);

/// Room for `count` elements, keeping the first `used`. Returns false when memory is out and leaves the array
/// unchanged.
bool trxi_array_reserve(trx_context *context, trxi_array *array, size_t used, size_t count, size_t size);

#endif
