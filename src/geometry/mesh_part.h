// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A part of the solid of a mesh: the intersection of the solid with some halfspaces. Its convex hull touches in place of
// the part (theory 1). Parts are divided by planes until their hulls keep close to the solid (decompose.h).

#ifndef TRXI_GEOMETRY_MESH_PART_H
#define TRXI_GEOMETRY_MESH_PART_H

#include "geometry/solid_grid.h"

#include <stdbool.h>

typedef double trxi_plane[4]; // n, d of n . x = d

typedef struct trxi_mesh_part {
    const trxi_plane *planes;  // nplane: the region is n . x <= d, n of unit length [1, m]
    int nplane;
    const int *triangles;      // ntriangle: of the mesh, with a point in the region
    int ntriangle;
    const trxi_hull *hull;     // in the frame of the mesh; NULL: the part is empty
    double excess;             // how far the hull reaches out of the solid [m]
} trxi_mesh_part;

/// Data that the parts of one mesh share. All views; parts live in `pool`.
typedef struct trxi_cutter {
    trx_context *context;
    trxi_pool *pool;
    const trx_mesh *mesh;
    const trxi_solid_grid *grid;
    bool closed;      // the mesh has no open edges
    double eps;       // points this near to a plane lie in it [m]
    double thickness; // of parts that are flat [m]
    int *mark, stamp; // nvertex: vertices that a hull has already
} trxi_cutter;

/// The whole mesh as one part. Errors: MEMORY, INPUT (no hull can be computed).
trx_status trxi_part_whole(trxi_cutter *cutter, trxi_mesh_part *part);

/// The two parts of `part` where n . x <= d and where n . x >= d. A side without solid has no hull. Triangles in the plane
/// belong to the side of their solid. Errors: MEMORY, INPUT (no hull can be computed).
trx_status trxi_part_split(trxi_cutter *cutter, const trxi_mesh_part *part, const double plane[4], trxi_mesh_part sides[2]);

/// The common hull of two parts, and how far this hull reaches out of the solid. Errors: MEMORY, INPUT.
trx_status trxi_part_join(trxi_cutter *cutter, const trxi_mesh_part *a, const trxi_mesh_part *b, trxi_mesh_part *joined);

/// A triangle clipped to a region: a polygon.
enum { TRXI_MOST_CORNERS = 64 };
typedef struct trxi_polygon {
    double x[TRXI_MOST_CORNERS][3];
    int count;
    bool whole; // the triangle itself
} trxi_polygon;

trxi_polygon trxi_part_polygon(const trxi_cutter *cutter, const trxi_mesh_part *part, int triangle);

/// On which sides of a plane a polygon of a triangle has points: 1 below, 2 above, 3 both; 0 for an empty polygon. A polygon in
/// the plane is on the side of its solid.
int trxi_polygon_sides(const trxi_cutter *cutter, const double (*x)[3], int count, int triangle, const double plane[4]);

// ---- the plane that divides a part best: the hulls of its two sides reach least out of the solid (cut.c) ----

enum { TRXI_CUT_DIRECTIONS = 12 };

/// Normals of planes that are tried for a mesh: its axes, the diagonals between two axes, and the normals of its largest flat
/// sides, if they are others.
typedef struct trxi_cut_directions {
    double n[TRXI_CUT_DIRECTIONS][3]; // of unit length
    int count;
} trxi_cut_directions;

void trxi_cut_directions_find(const trx_mesh *mesh, trxi_cut_directions *directions);

/// The best plane n . x = d for a part with a hull; `*found` is false when no plane has surface on both sides. Errors: MEMORY.
trx_status trxi_cut_choose(trxi_cutter *cutter, const trxi_cut_directions *directions, const trxi_mesh_part *part,
                           double plane[4], bool *found);

#endif
