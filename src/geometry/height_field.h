// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Height fields: the solid under a surface of triangles over a regular grid (theory 6). A convex shape touches a height field in
// pieces. Each triangle has two pieces, which are queried like pairs: its face, and the ridges that belong to it.
//
//     piece = 2 triangle + (0 face, 1 ridges),    triangle = 2 cell + (0 lower, 1 upper),    cell = row (columns - 1) + column

#ifndef TRXI_GEOMETRY_HEIGHT_FIELD_H
#define TRXI_GEOMETRY_HEIGHT_FIELD_H

#include "base/arena.h"
#include "geometry/contact_geometry.h"

#include <stdint.h>

enum { TRXI_MAX_FIELD_VERTICES = 4 << 20 };

/// The error in a height field's numbers, as the end of a sentence; NULL without an error.
const char *trxi_height_field_defect(const trx_shape *shape);

/// The surface over a grid of `columns` x `rows` heights [m], row by row, centred at the origin; `size`: full lengths along x and
/// y [m]. At least 2 x 2, at most TRXI_MAX_FIELD_VERTICES. False when memory is out.
bool trxi_height_field_make(trxi_pool *pool, int columns, int rows, const double size[2], const double *heights, trx_mesh *mesh);

/// A triangle of the surface, with what lies beyond its edges.
typedef struct trxi_field_triangle {
    int number, corner[3];  // vertices, counterclockwise seen from above
    const double *x[3];     // the corners [m]
    double n[3];            // unit normal
    int neighbour[3];       // beyond edge k, from corner k to the next one: a triangle, -1 at the border
    const double *across[3]; // the neighbour's corner that is not on the edge; NULL at the border
} trxi_field_triangle;

void trxi_field_triangle_of(const trx_shape *field, int number, trxi_field_triangle *triangle);

/// Height of the surface at x, y of the field's frame; false outside of the grid, where the nearest point of the border
/// gives the height [m].
bool trxi_field_height(const trx_shape *field, double x, double y, double *height);

/// The vertices beside `vertex` that share an edge with it, at most six; returns their number.
int trxi_field_ring(const trx_shape *field, int vertex, const double *ring[6]);

/// The triangle of smallest number at a vertex.
int trxi_field_owner(const trx_shape *field, int vertex);

/// The pieces that may touch another shape, in ascending order.
typedef struct trxi_field_walk {
    const trx_shape *field;
    int low[2], high[2]; // columns and rows of cells, inclusive
    double lowest;       // triangles below this height are left out [m]
    int cell[2], part;
} trxi_field_walk;

/// Begins a walk over the pieces that may come nearer to B than `margin` [m]; B is any shape but a halfspace or a height field.
trxi_field_walk trxi_field_walk_under(const trxi_placed_shape *field, const trxi_placed_shape *B, double margin);

/// The next piece, -1 at the end.
int trxi_field_walk_next(trxi_field_walk *walk);

#endif
