// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The solid of a mesh on a grid of cubes, for the division into convex parts (theory 1): which cells the surface
// crosses, which lie outside, and how far the outside cells are from the surface.

#ifndef TRXI_GEOMETRY_SOLID_GRID_H
#define TRXI_GEOMETRY_SOLID_GRID_H

#include "base/arena.h"
#include "geometry/hull.h"

typedef enum trxi_cell { TRXI_CELL_INSIDE, TRXI_CELL_SURFACE, TRXI_CELL_OUTSIDE } trxi_cell;

typedef struct trxi_solid_grid {
    int n[3];
    double h;             // side of a cell [m]
    double origin[3];     // centre of the first cell [m]
    unsigned char *cells; // n[0] n[1] n[2], the first axis fastest: trxi_cell
    float *distance;      // of the centre of an outside cell from the surface, 0 for other cells [m]
} trxi_solid_grid;

/// The grid of a mesh without defect, in the pool. `h` [m] is the wanted side of a cell; it is larger where the grid would
/// have more than 80 cells along a side, or where a mesh of very many large triangles would cost too much. A cell is
/// outside when a path through cells that the surface does not cross leads from it to the boundary of the grid. Errors: MEMORY.
trx_status trxi_solid_grid_create(trx_context *context, trxi_pool *pool, const trx_mesh *mesh, double h,
                                  trxi_solid_grid *grid);

/// The cell that contains x; outside the grid: OUTSIDE.
trxi_cell trxi_solid_grid_at(const trxi_solid_grid *grid, const double x[3]);

/// How far a hull, at its place in the frame of the mesh, reaches out of the solid: the largest distance of outside cells
/// that it contains, and the sum of their distances [m]. Good to about a cell.
typedef struct trxi_excess {
    double largest, sum;
} trxi_excess;

trxi_excess trxi_solid_grid_excess(const trxi_solid_grid *grid, const trxi_hull *hull);

#endif
