// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A fill-reducing order of the nodes of a graph (theory 5, islands and cost): approximate minimum degree, by AMD of SuiteSparse.

#ifndef TRXI_SPARSE_ORDER_H
#define TRXI_SPARSE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The nodes of an edge: first << 32 | second, first < second.
static inline int trxi_first_of(uint64_t edge)
{
    return (int)(edge >> 32);
}

static inline int trxi_second_of(uint64_t edge)
{
    return (int)(edge & 0xffffffffu);
}

/// Number of ints of scratch memory that trxi_order needs.
size_t trxi_order_work(int nnode, int nedge);

/// Computes the node at each position. The edges are sorted and distinct. Allocates nothing.
void trxi_order(int nnode, int nedge, const uint64_t *edges, int *work, int *order);

/// Version of AMD that the library was built with: "2.4.6".
const char *trxi_order_version(void);

#endif
