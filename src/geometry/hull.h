// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Convex hull of a mesh's vertices: the contact shape of a mesh (theory 1). Computed by qhull when a model is built,
// then constant. Faces are polygons (coplanar triangles merged). A box given as a mesh therefore has six faces, also
// when its coordinates are rounded to the 7 digits of a float.

#ifndef TRXI_GEOMETRY_HULL_H
#define TRXI_GEOMETRY_HULL_H

#include "base/arena.h"
#include "base/context.h"
#include "geometry/hull_facets.h"

#include <tractrix/geometry.h>

/// The solid is the convex hull of `vertices`, a subset of the mesh's vertices. Facets that are coplanar to about
/// 1e-6 of the mesh's size are merged into one face: its corners are in its plane and all vertices of hull and mesh
/// are inside it, to this tolerance. Without merged facets (a mesh in general position, or with exact flat sides)
/// both hold to rounding. Each edge is in the loops of two faces, once in each direction, and each vertex in three
/// faces or more. The same mesh gives the same hull.
typedef struct trxi_hull {
    int nvertex, nface, nloop, nneighbour;
    double centre[3];        // of the volume of the hull, in the frame of the mesh [m]
    double volume;           // [m^3]
    double radius;           // of the smallest sphere about the centre that holds the hull [m]
    const double *vertices;  // 3 x nvertex, about the centre, in the order of the mesh [m]
    const double *faces;     // 4 x nface: outward unit normal, offset: n . x <= offset inside [1, m]
    const int *face_start;   // nface + 1: first of each face's vertices in `loops`
    const int *loops;        // nloop: vertices of each face, counterclockwise seen from outside
    const int *neighbour_start; // nvertex + 1: first of each vertex's neighbours in `neighbours`
    const int *neighbours;   // nneighbour: vertices at the other end of each edge
} trxi_hull;

/// The hull of `mesh` (its triangles do not matter), in the pool. Errors: INPUT (fewer than four vertices, one that
/// is not finite, all nearly in one plane, or qhull fails; the context's message says so, without a place), MEMORY.
trx_status trxi_hull_create(trx_context *context, trxi_pool *pool, const trx_mesh *mesh, const trxi_hull **hull);

/// Like trxi_hull_create for at least four finite vertices, but without a message: for callers that can continue without a hull.
trxi_hull_outcome trxi_hull_make(trx_context *context, trxi_pool *pool, const trx_mesh *mesh, const trxi_hull **hull);

/// Whether the vertices of a mesh are nearly in one plane, so that the mesh has no hull. `normal`: the unit normal of this plane,
/// or 0 when the vertices are nearly in one line. False also when memory is out.
bool trxi_hull_is_flat(trxi_pool *scratch, const trx_mesh *mesh, double normal[3]);

/// A hull as a closed mesh in the frame of its own mesh: its vertices, and each face as a fan of triangles. False when memory
/// is out.
bool trxi_hull_mesh(trxi_pool *pool, const trxi_hull *hull, trx_mesh *mesh);

#endif
