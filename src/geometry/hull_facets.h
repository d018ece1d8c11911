// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The faces of a convex hull (theory 1) as loops of point numbers: the result of qhull in a fixed order. Only hull.c
// finds them.

#ifndef TRXI_GEOMETRY_HULL_FACETS_H
#define TRXI_GEOMETRY_HULL_FACETS_H

#include "base/arena.h"

/// Loops are counterclockwise seen from outside and begin at their smallest number; faces come in the order of their loops.
typedef struct trxi_hull_facets {
    int nface, nloop;
    int *start; // nface + 1
    int *loops; // nloop
} trxi_hull_facets;

typedef enum trxi_hull_outcome {
    TRXI_HULL_MADE,
    TRXI_HULL_FAILED,
    TRXI_HULL_FLAT,
    TRXI_HULL_NO_MEMORY
} trxi_hull_outcome;

/// The faces of the hull of `npoint` points within [-1, 1]^3, in the pool, which also serves as scratch memory.
/// Facets that are coplanar to about 1e-6 are merged. The points are only read.
trxi_hull_outcome trxi_hull_find_facets(trxi_pool *scratch, double *points, int npoint, trxi_hull_facets *facets);

/// Twice the area vector of a loop, counted from its first point: sum of p_i x p_(i+1).
void trxi_loop_area(const double *points, const int *loop, int count, double out[3]);

/// Triangles of all faces, as fans, for integration, and their number; NULL when memory is out.
int *trxi_loop_fans(trxi_pool *scratch, const int *start, const int *loops, int nface, int *count);

#endif
