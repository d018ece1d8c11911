// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The order of a graph; see order.h. amd_2 is the core of AMD. Its caller provides all memory and a sorted list of the
// neighbours of every node. AMD shrinks the lists in place. For its elements it needs additional room: half the length of
// the lists, plus one number for each node. CHOLMOD gives AMD the same room, so both find the same order. The settings are
// AMD's defaults.

#include "sparse/order.h"

#include <string.h>

#if __has_include(<suitesparse/amd.h>)
#include <suitesparse/amd.h>
#else
#include <amd.h>
#endif

enum { LISTS = 8 }; // of nnode + 1 numbers each: Pe, Len, Nv, Next, Head, Elen, Degree, W

// numbers in the lists of neighbours, with the room for AMD's elements
static size_t list_room(int nnode, int nedge)
{
    return 3 * (size_t)nedge + (size_t)nnode;
}

size_t trxi_order_work(int nnode, int nedge)
{
    return LISTS * ((size_t)nnode + 1) + list_room(nnode, nedge);
}

// neighbours of node j, ascending: neighbor[begin[j]] .. neighbor[begin[j] + length[j] - 1]
static void list_neighbors(int nnode, int nedge, const uint64_t *edges, int *begin, int *length, int *neighbor)
{
    memset(length, 0, (size_t)nnode * sizeof *length);
    for (int k = 0; k < nedge; k++) length[trxi_first_of(edges[k])]++, length[trxi_second_of(edges[k])]++;
    begin[0] = 0;
    for (int j = 0; j < nnode; j++) begin[j + 1] = begin[j] + length[j];
    memset(length, 0, (size_t)nnode * sizeof *length);

    // edges ascend by their first node, so a node gets its smaller neighbours first: they are first nodes of earlier edges
    for (int k = 0; k < nedge; k++) {
        int a = trxi_first_of(edges[k]), b = trxi_second_of(edges[k]);
        neighbor[begin[a] + length[a]++] = b;
        neighbor[begin[b] + length[b]++] = a;
    }
}

void trxi_order(int nnode, int nedge, const uint64_t *edges, int *work, int *order)
{
    int *lists[LISTS], *neighbor = work + LISTS * ((size_t)nnode + 1);
    double control[AMD_CONTROL], info[AMD_INFO];
    if (nnode == 0) return;
    for (int k = 0; k < LISTS; k++) lists[k] = work + (size_t)k * ((size_t)nnode + 1);
    list_neighbors(nnode, nedge, edges, lists[0], lists[1], neighbor);
    amd_defaults(control);
    amd_2(nnode, lists[0], neighbor, lists[1], (int)list_room(nnode, nedge), 2 * nedge, lists[2], lists[3], order, lists[4],
          lists[5], lists[6], lists[7], control, info);
}

#define TEXT(number) #number
#define VERSION(main, sub, subsub) TEXT(main) "." TEXT(sub) "." TEXT(subsub)

const char *trxi_order_version(void)
{
    return VERSION(AMD_MAIN_VERSION, AMD_SUB_VERSION, AMD_SUBSUB_VERSION);
}
