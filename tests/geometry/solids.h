// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Meshes of simple solids. The corners of a triangle are counterclockwise seen from outside.

#ifndef TESTS_GEOMETRY_SOLIDS_H
#define TESTS_GEOMETRY_SOLIDS_H

#include <tractrix/geometry.h>

enum { MAX_VERTICES = 6000, MAX_TRIANGLES = 12000 };

/// A mesh with its own arrays; `mesh` views them.
typedef struct solid {
    double vertices[3 * MAX_VERTICES];
    int triangles[3 * MAX_TRIANGLES];
    trx_mesh mesh;
} solid;

/// Eight corners, twelve triangles, centred at c.
void make_box(solid *s, const double size[3], const double c[3]);

/// The tetrahedron of the origin and a point on each axis.
void make_corner(solid *s, const double ends[3]);

/// An icosahedron, each triangle divided into n^2, all vertices on the unit sphere.
void make_icosphere(solid *s, int n);

/// The surface of the filled cells of a grid. The grid begins at the origin and has n cubes of side h; '#' in `filled` (x fastest)
/// fills a cube.
void make_cells(solid *s, const int n[3], const char *filled, double h);

/// A closed polygon of `count` points (radius, height), counterclockwise in the plane of radius and height, turned about
/// the z axis in n steps. Radii are above 0, or 0 for points on the axis.
void make_lathe(solid *s, const double (*profile)[2], int count, int n);

/// A mug without a lid: outer radius, height, thickness of wall and bottom, and a handle, a half ring that crosses the wall.
void make_mug(solid *s, double radius, double height, double thickness);

/// Adds the triangles of another solid.
void add_solid(solid *s, const solid *other);

/// Turns by an angle about an axis (any length), then moves.
void move_solid(solid *s, const double axis[3], double angle, const double by[3]);

/// Rounds all coordinates to floats.
void round_solid(solid *s);

#endif
