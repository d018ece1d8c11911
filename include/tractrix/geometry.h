// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Contact shapes. A shape is centred at the origin of its frame, with its axis along z. The model gives its pose in a
// body.

#ifndef TRACTRIX_GEOMETRY_H
#define TRACTRIX_GEOMETRY_H

#include <tractrix/export.h>

TRX_BEGIN_C

/// Kinds of shapes. Geometry A of a pair is a halfspace if there is one, else a height field if there is one, else the shape of the
/// smaller kind. Contact normals point from A to B.
typedef enum trx_shape_type {
    TRX_SHAPE_HALFSPACE = 0,   // solid where z < 0
    TRX_SHAPE_MESH = 1,        // mesh; contact uses its convex hull
    TRX_SHAPE_BOX = 2,         // size
    TRX_SHAPE_CYLINDER = 3,    // radius, length
    TRX_SHAPE_ELLIPSOID = 4,   // size
    TRX_SHAPE_CAPSULE = 5,     // radius, length of the cylinder part
    TRX_SHAPE_SPHERE = 6,      // radius
    TRX_SHAPE_HEIGHT_FIELD = 7 // mesh, columns, length: solid under a surface over a regular grid
} trx_shape_type;

/// Triangles in the frame of their shape, outward normals by the right-hand rule. A view.
typedef struct trx_mesh {
    const char *name;       // for messages and drawings, from the file; may be NULL
    int nvertex;
    const double *vertices; // 3 x nvertex [m]
    int ntriangle;
    const int *triangles;   // 3 x ntriangle: indices of vertices, counterclockwise seen from outside
} trx_mesh;

enum { TRX_MOST_PARTS = 256 }; // of one mesh

/// Convex parts that touch in place of a mesh's convex hull. The parts cover the mesh. They reach out of its solid by at most a
/// tolerance, unless this needs more than `most` parts.
typedef struct trx_decomposition {
    int most;         // largest number of parts, at most TRX_MOST_PARTS; 0: no parts, but the convex hull of the mesh [1]
    double tolerance; // NAN: `share` of the mesh's longest side [m]
    double share;     // [1]
} trx_decomposition;

/// No parts; with `most` above 0, a tolerance of 2 % of the longest side.
TRX_API trx_decomposition trx_decomposition_default(void);

/// A shape. Fields that its type does not use have no effect.
typedef struct trx_shape {
    trx_shape_type type;
    double size[3];  // box, ellipsoid: full lengths along x, y, z [m]
    double radius;   // sphere, capsule, cylinder [m]
    double length;   // cylinder, cylinder part of a capsule: full length along z; height field: depth of its bottom [m]
    // mesh, box, cylinder, ellipsoid: contact uses the solid grown by this radius (its Minkowski sum with a ball); mass and
    // volume belong to the solid alone; 0: none [m]
    double rounding;
    // mesh. Height field: its surface. The vertices form a grid, row by row: x grows along a row by equal steps, y from
    // row to row, z is the height. Triangles: two per cell, cell by cell, in the order of the vertices; with i the vertex of
    // least x and y: (i, i + 1, i + columns + 1), (i, i + columns + 1, i + columns)
    const trx_mesh *mesh;
    int columns;          // height field: vertices of a row
    const struct trxi_hull *hull; // mesh: made when a model is built; NULL in definitions
} trx_shape;

/// A shape of the given type with all sizes 0.
TRX_API trx_shape trx_shape_default(trx_shape_type type);

/// Name of a shape type as written in problem files ("halfspace"); a constant string, "" if out of range.
TRX_API const char *trx_shape_name(trx_shape_type type);

TRX_END_C

#endif
